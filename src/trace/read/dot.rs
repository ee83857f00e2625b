//! Graphviz DOT: nodes, edge chains, attribute lists, nested subgraphs. A node in a subgraph whose name begins with
//! `cluster` gets the attribute `cluster`, and the graph the attribute `clusters`: each with the one around it. Defaults
//! (`node [...]`, `edge [...]`) are style and are skipped.

use std::collections::HashMap;
use std::sync::Arc;

use super::dot_words::{Token, Words};
use super::limits::MAX_DEPTH;
use super::text::word_value;
use crate::trace::cluster::{CLUSTER, CLUSTERS};
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::graph::{GraphBuilder, TraceGraph};
use crate::trace::value::{Attributes, Value};

/// Reads a DOT document.
pub(super) fn read(text: &str) -> Result<TraceGraph, TraceError> {
    let mut parser = Parser {
        words: Words::new(text),
        nodes: Vec::new(),
        places: HashMap::new(),
        edges: Vec::new(),
        clusters: Vec::new(),
        around: HashMap::new(),
    };
    let result = parser.document();
    let place = Place::in_text(text, parser.words.start());
    result.map_err(|error| error.at(place))?;
    let mut builder = GraphBuilder::default();
    let clusters: Vec<(Value, Value)> = parser
        .clusters
        .into_iter()
        .map(|name| {
            let around = parser.around.get(&name).cloned().flatten();
            (Value::Text(name), around.map_or(Value::None, Value::Text))
        })
        .collect();
    if !clusters.is_empty() {
        builder.attributes(Attributes::from_pairs([(Arc::from(CLUSTERS), Value::Dict(clusters))]));
    }
    for node in parser.nodes {
        let cluster = node.cluster.map(|name| (Arc::from(CLUSTER), Value::Text(name)));
        builder.node(node.id, Attributes::from_pairs(node.attributes.into_iter().chain(cluster)))?;
    }
    for (from, to, attributes) in parser.edges {
        builder.edge(&from, &to, attributes)?;
    }
    Ok(builder.finish())
}

fn malformed(message: impl Into<String>) -> TraceError {
    TraceError::new(Problem::Malformed(message.into()))
}

struct Parser<'a> {
    words: Words<'a>,
    nodes: Vec<Node>,
    places: HashMap<Arc<str>, usize>,
    edges: Vec<(Arc<str>, Arc<str>, Attributes)>,
    /// In the order of the file.
    clusters: Vec<Arc<str>>,
    /// For each the cluster that it stands in.
    around: HashMap<Arc<str>, Option<Arc<str>>>,
}

/// A node as far as it is known: DOT may speak of it in several places.
struct Node {
    id: Arc<str>,
    cluster: Option<Arc<str>>,
    attributes: Vec<(Arc<str>, Value)>,
}

/// The nodes that one end of an edge names: one, or all of a subgraph.
type End = Vec<Arc<str>>;

impl Parser<'_> {
    fn document(&mut self) -> Result<(), TraceError> {
        self.take_word("strict")?;
        match self.words.next()? {
            Token::Word(word) if word.eq_ignore_ascii_case("digraph") => {}
            Token::Word(word) if word.eq_ignore_ascii_case("graph") => {
                return Err(TraceError::new(Problem::Undirected));
            }
            _ => return Err(malformed("`digraph` is needed here")),
        }
        if matches!(self.words.peek()?, Token::Word(_) | Token::Quoted(_)) {
            self.words.next()?;
        }
        self.need('{')?;
        self.statements(None, 0)?;
        Ok(())
    }

    fn take_word(&mut self, expected: &str) -> Result<bool, TraceError> {
        let there = matches!(self.words.peek()?, Token::Word(word) if word.eq_ignore_ascii_case(expected));
        if there {
            self.words.next()?;
        }
        Ok(there)
    }

    fn need(&mut self, mark: char) -> Result<(), TraceError> {
        match self.words.next()? {
            Token::Mark(found) if found == mark => Ok(()),
            Token::End => Err(TraceError::new(Problem::Truncated(format!("the graph, before `{mark}`")))),
            _ => Err(malformed(format!("`{mark}` is needed here"))),
        }
    }

    /// Statements up to the closing brace; the result is every node that they name.
    fn statements(&mut self, cluster: Option<&Arc<str>>, depth: usize) -> Result<End, TraceError> {
        if depth > MAX_DEPTH {
            let problem = Problem::Limit { what: "the depth of nested subgraphs".into(), limit: MAX_DEPTH as u64 };
            return Err(TraceError::new(problem));
        }
        let mut named = Vec::new();
        loop {
            match self.words.peek()? {
                Token::Mark('}') => {
                    self.words.next()?;
                    return Ok(named);
                }
                Token::Mark(';' | ',') => drop(self.words.next()?),
                Token::End => return Err(TraceError::new(Problem::Truncated("the graph, before `}`".into()))),
                _ => named.extend(self.statement(cluster, depth)?),
            }
        }
    }

    fn statement(&mut self, cluster: Option<&Arc<str>>, depth: usize) -> Result<End, TraceError> {
        if let Token::Word(word) = self.words.peek()?
            && ["node", "edge", "graph"].iter().any(|name| word.eq_ignore_ascii_case(name))
        {
            self.words.next()?;
            self.attributes()?;
            return Ok(Vec::new());
        }
        let (first, is_node) = self.end(cluster, depth)?;
        if is_node && self.words.peek()? == Token::Mark('=') {
            self.words.next()?;
            self.words.next()?;
            return Ok(Vec::new());
        }
        let mut ends = vec![first];
        while let Token::Arrow(directed) = self.words.peek()? {
            self.words.next()?;
            if !directed {
                return Err(TraceError::new(Problem::Undirected));
            }
            ends.push(self.end(cluster, depth)?.0);
        }
        let attributes = self.attributes()?;
        self.record(&ends, is_node, cluster, attributes)?;
        Ok(ends.concat())
    }

    fn record(
        &mut self,
        ends: &[End],
        is_node: bool,
        cluster: Option<&Arc<str>>,
        attributes: Attributes,
    ) -> Result<(), TraceError> {
        for id in ends.iter().flatten() {
            self.mention(id, cluster);
        }
        if let ([only], true) = (ends, is_node) {
            for id in only {
                if let Some(node) = self.places.get(id).and_then(|place| self.nodes.get_mut(*place)) {
                    node.attributes.extend(attributes.iter().map(|(name, value)| (Arc::from(name), value.clone())));
                }
            }
            return Ok(());
        }
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            for pair in from.iter().flat_map(|from| to.iter().map(move |to| (from, to))) {
                if self.edges.len() >= MAX_EDGES {
                    let problem = Problem::Limit { what: "the number of edges".into(), limit: MAX_EDGES as u64 };
                    return Err(TraceError::new(problem));
                }
                self.edges.push((pair.0.clone(), pair.1.clone(), attributes.clone()));
            }
        }
        Ok(())
    }

    /// A node exists from its first mention, and is in the first cluster that mentions it or the innermost within that.
    fn mention(&mut self, id: &Arc<str>, cluster: Option<&Arc<str>>) {
        let place = *self.places.entry(id.clone()).or_insert(self.nodes.len());
        match self.nodes.get_mut(place) {
            Some(node) => {
                let within = |outer: &Arc<str>| {
                    let around = |name: &Option<Arc<str>>| self.around.get(name.as_ref()?).cloned();
                    std::iter::successors(Some(cluster.cloned()), around).flatten().any(|name| name == *outer)
                };
                if node.cluster.as_ref().is_none_or(within) {
                    node.cluster = cluster.cloned();
                }
            }
            None => self.nodes.push(Node { id: id.clone(), cluster: cluster.cloned(), attributes: Vec::new() }),
        }
    }

    /// A cluster stands where it is named first.
    fn open(&mut self, name: &Arc<str>, around: Option<&Arc<str>>) {
        if !self.around.contains_key(name) {
            self.around.insert(name.clone(), around.cloned());
            self.clusters.push(name.clone());
        }
    }

    /// One end of an edge, or the node of a node statement (then `true`).
    fn end(&mut self, cluster: Option<&Arc<str>>, depth: usize) -> Result<(End, bool), TraceError> {
        let mut name = None;
        if self.take_word("subgraph")? && matches!(self.words.peek()?, Token::Word(_) | Token::Quoted(_)) {
            name = self.words.next()?.into_text();
        }
        match self.words.next()? {
            Token::Mark('{') => {
                let name: Option<Arc<str>> = name.filter(|name| name.starts_with("cluster")).map(Arc::from);
                if let Some(name) = &name {
                    self.open(name, cluster);
                }
                Ok((self.statements(name.as_ref().or(cluster), depth + 1)?, false))
            }
            token @ (Token::Word(_) | Token::Quoted(_)) if name.is_none() => {
                while self.words.peek()? == Token::Mark(':') {
                    self.words.next()?;
                    self.words.next()?;
                }
                Ok((token.into_text().map(Arc::from).into_iter().collect(), true))
            }
            Token::End => Err(TraceError::new(Problem::Truncated("a statement".into()))),
            _ => Err(malformed("a node or a subgraph is needed here")),
        }
    }

    fn attributes(&mut self) -> Result<Attributes, TraceError> {
        let mut pairs: Vec<(Arc<str>, Value)> = Vec::new();
        while self.words.peek()? == Token::Mark('[') {
            self.words.next()?;
            loop {
                match self.words.next()? {
                    Token::Mark(']') => break,
                    Token::Mark(',' | ';') => {}
                    token @ (Token::Word(_) | Token::Quoted(_)) => {
                        let name = Arc::from(token.into_text().unwrap_or_default());
                        let value = if self.words.peek()? == Token::Mark('=') {
                            self.words.next()?;
                            self.attribute_value()?
                        } else {
                            Value::Bool(true)
                        };
                        pairs.push((name, value));
                    }
                    Token::End => return Err(TraceError::new(Problem::Truncated("a list of attributes".into()))),
                    _ => return Err(malformed("an attribute or `]` is needed here")),
                }
            }
        }
        Ok(Attributes::from_pairs(pairs))
    }

    fn attribute_value(&mut self) -> Result<Value, TraceError> {
        match self.words.next()? {
            Token::Word(word) => Ok(word_value(&word)),
            Token::Quoted(text) => Ok(Value::text(text)),
            Token::End => Err(TraceError::new(Problem::Truncated("an attribute".into()))),
            _ => Err(malformed("a value is needed here")),
        }
    }
}

/// `{a b} -> {c d}` multiplies edges, so that a short file could name very many.
const MAX_EDGES: usize = 1 << 20;
