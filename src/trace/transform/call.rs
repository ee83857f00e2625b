//! Nodes of a trace as calls: function, shapes, stage, and what the tables say about the function.

use super::shape::Shapes;
use crate::trace::graph::{TraceGraph, TraceNode};
use crate::trace::table::{CallTables, Container, Rule};

/// What a call is by the tables.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role<'a> {
    Operator(&'a Rule),
    Container(&'a Container),
    Unknown,
}

/// One traced call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) node: &'a TraceNode,
    pub(super) function: &'a str,
    pub(super) stage: Option<&'a str>,
    pub(super) inputs: Shapes,
    pub(super) outputs: Shapes,
    /// How many times it was called with these shapes.
    pub(super) repeat: u64,
    pub(super) role: Role<'a>,
}

impl Call<'_> {
    /// Elements that go in and out by the shapes.
    pub(super) fn traffic(&self) -> f64 {
        self.inputs.size() + self.outputs.size()
    }
}

/// All calls in the order of the nodes.
pub(super) fn calls<'a>(graph: &'a TraceGraph, tables: &'a CallTables) -> Vec<Call<'a>> {
    graph.nodes().iter().map(|node| call(node, tables)).collect()
}

fn call<'a>(node: &'a TraceNode, tables: &'a CallTables) -> Call<'a> {
    let (from_id, shapes) = parts(&node.id);
    let function = node.attributes.text("func_name").unwrap_or(from_id);
    let shape = |name: &str, fallback: Option<&str>| match (node.attributes.get(name), fallback) {
        (None, Some(text)) => Shapes::of_text(text),
        (value, _) => Shapes::of(value),
    };
    let role = match (tables.container(function), tables.rule(function)) {
        (Some(container), _) => Role::Container(container),
        (None, Some(rule)) => Role::Operator(rule),
        (None, None) => Role::Unknown,
    };
    let repeat = node.attributes.get("count").and_then(|count| count.as_number()).filter(|count| *count >= 1.0);
    Call {
        node,
        function,
        stage: node.attributes.text("stage").filter(|stage| !matches!(*stage, "" | "None")),
        inputs: shape("input_shapes", shapes.map(|(inputs, _)| inputs)),
        outputs: shape("output_shapes", shapes.map(|(_, outputs)| outputs)),
        repeat: repeat.map_or(1, |count| count as u64),
        role,
    }
}

/// A node's name is `function[inputs->outputs]#number`; a file may have lost the attributes that say the same.
fn parts(id: &str) -> (&str, Option<(&str, &str)>) {
    let Some((function, rest)) = id.split_once('[') else { return (id, None) };
    let shapes = rest.rsplit_once(']').and_then(|(shapes, _)| shapes.split_once("->"));
    (function, shapes)
}
