//! The operators and their dependencies, and the calls of a trace, as pictures.

use std::collections::{BTreeMap, HashMap};

use super::boxes::{Node, picture};
use super::colours::COLOURS;
use super::ir::ScheduledIr;
use super::words::cut;
use crate::report::figure::{FigureError, pipeline_svg};
use crate::report::graph::{self, Arrow, ArrowKind, PipelineGraph};
use crate::spec::kind::Pass;
use crate::spec::workload::{Dependency, Order};
use crate::trace::TraceGraph;

/// Letters of a name in a box.
const LETTERS: usize = 40;

/// The operators of a schedule with their units.
///
/// # Errors
/// If there is no operator, or they wait for each other.
pub fn graph_svg(ir: &ScheduledIr) -> Result<String, FigureError> {
    let operators = &ir.ppa.operators;
    let index: HashMap<&str, usize> =
        operators.iter().enumerate().map(|(at, operator)| (operator.name.as_str(), at)).collect();
    let arrow = |edge: &Dependency| {
        let kind = if edge.kind == Order::Stream { ArrowKind::Stream } else { ArrowKind::Barrier };
        Some(Arrow { from: *index.get(edge.from.as_str())?, to: *index.get(edge.to.as_str())?, kind, buffer: None })
    };
    let nodes = operators.iter().map(|operator| graph::Node {
        name: cut(&operator.name, LETTERS),
        kind: cut(&format!("{} on {}", operator.kind, operator.unit_name), LETTERS),
        category: operator.category.clone(),
        pass: if operator.pass == Pass::Backward.name() { Pass::Backward } else { Pass::Forward },
        group: None,
    });
    pipeline_svg(&PipelineGraph {
        name: cut(&format!("{} on {}", ir.workload.name, ir.hardware.name), 2 * LETTERS),
        nodes: nodes.collect(),
        arrows: ir.workload.edges.iter().filter_map(arrow).collect(),
        groups: Vec::new(),
    })
}

/// The calls of a trace, or of a cluster of it; the colour is the function.
pub fn trace_svg(graph: &TraceGraph) -> String {
    let mut colours: BTreeMap<String, usize> = BTreeMap::new();
    let nodes: Vec<Node> = graph
        .nodes()
        .iter()
        .map(|node| {
            let function = node.attributes.text("func_name");
            let label = node.attributes.text("label").map(|label| label.replace("\\n", " ").replace("\\l", " "));
            let title = function.map(last_parts).or(label).unwrap_or_else(|| node.id.to_string());
            let shape = |name: &str| node.attributes.text(name).unwrap_or("?");
            let known = ["input_shapes", "output_shapes"].iter().any(|name| node.attributes.text(name).is_some());
            let count = colours.len();
            let colour = *colours.entry(title.clone()).or_insert(count);
            Node {
                title,
                detail: if known {
                    format!("{} -> {}", shape("input_shapes"), shape("output_shapes"))
                } else {
                    String::new()
                },
                hint: node.id.to_string(),
                colour: COLOURS[colour % COLOURS.len()],
            }
        })
        .collect();
    let links: Vec<(usize, usize)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    picture(&nodes, &links)
}

/// `Class.method` of a dotted path.
fn last_parts(function: &str) -> String {
    let parts: Vec<&str> = function.rsplitn(3, '.').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join(".")
}
