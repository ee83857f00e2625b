//! The graph every format is read into.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::{Problem, TraceError};
use super::value::{Attributes, Value};

/// One traced call.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceNode {
    /// Its name, unique in the trace.
    pub id: Arc<str>,
    /// What the tracer recorded.
    pub attributes: Attributes,
}

/// One relation between two calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceEdge {
    /// Index of the first node.
    pub from: usize,
    /// Index of the second node.
    pub to: usize,
    /// What the tracer recorded.
    pub attributes: Attributes,
}

/// A directed graph whose nodes and edges stand in the order in which the file has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceGraph {
    nodes: Vec<TraceNode>,
    edges: Vec<TraceEdge>,
    attributes: Attributes,
}

impl TraceGraph {
    /// Nodes in the order in which they were inserted.
    pub fn nodes(&self) -> &[TraceNode] {
        &self.nodes
    }

    /// Edges: by their first node, then in the order in which they were inserted.
    pub fn edges(&self) -> &[TraceEdge] {
        &self.edges
    }

    /// Attributes of the graph itself.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }
}

/// Builds a [`TraceGraph`] and checks that names are unique and edges end somewhere.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: TraceGraph,
    places: HashMap<Arc<str>, usize>,
}

impl GraphBuilder {
    /// Sets the attributes of the graph itself.
    pub fn attributes(&mut self, attributes: Attributes) {
        self.graph.attributes = attributes;
    }

    /// Adds a node.
    ///
    /// # Errors
    /// If there is a node of that name.
    pub fn node(&mut self, id: Arc<str>, attributes: Attributes) -> Result<(), TraceError> {
        if self.places.contains_key(&id) {
            return Err(TraceError::new(Problem::RepeatedNode(shorten(&id))));
        }
        self.places.insert(id.clone(), self.graph.nodes.len());
        self.graph.nodes.push(TraceNode { id, attributes });
        Ok(())
    }

    /// Adds an edge between two nodes that are there.
    ///
    /// # Errors
    /// If one of them is not.
    pub fn edge(&mut self, from: &str, to: &str, attributes: Attributes) -> Result<(), TraceError> {
        let place = |name: &str| {
            self.places.get(name).copied().ok_or_else(|| TraceError::new(Problem::DanglingEdge(shorten(name))))
        };
        let edge = TraceEdge { from: place(from)?, to: place(to)?, attributes };
        self.graph.edges.push(edge);
        Ok(())
    }

    /// The finished graph; edges come in the order of their first nodes, as networkx lists them.
    pub fn finish(self) -> TraceGraph {
        let mut graph = self.graph;
        graph.edges.sort_by_key(|edge| edge.from);
        graph
    }
}

/// A name for a message: long ones are cut.
pub(crate) fn shorten(name: &str) -> String {
    const SHOWN: usize = 120;
    if name.chars().count() <= SHOWN {
        return name.into();
    }
    name.chars().take(SHOWN).chain("...".chars()).collect()
}

/// The name of a node from its key in the file: text as it is, numbers and tuples as Python prints them.
pub(crate) fn node_name(key: &Value) -> Arc<str> {
    match key {
        Value::Text(text) => text.clone(),
        other => Arc::from(other.to_string()),
    }
}
