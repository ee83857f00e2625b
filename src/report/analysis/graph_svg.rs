//! The operators and their dependencies, and the calls of a trace, as pictures.

use std::collections::{BTreeMap, HashMap};

use super::ir::ScheduledIr;
use super::layers::{Link, Node, picture};
use super::timeline_svg::COLOURS;
use crate::spec::workload::Order;
use crate::trace::TraceGraph;

/// The operators of a schedule; the colour is the unit, a dashed line a barrier.
pub fn graph_svg(ir: &ScheduledIr) -> String {
    let operators = &ir.ppa.operators;
    let index: HashMap<&str, usize> =
        operators.iter().enumerate().map(|(at, operator)| (operator.name.as_str(), at)).collect();
    let link = |edge: &crate::spec::workload::Dependency| {
        let (from, to) = (*index.get(edge.from.as_str())?, *index.get(edge.to.as_str())?);
        Some(Link { from, to, dashed: edge.kind != Order::Stream })
    };
    let links: Vec<Link> = ir.workload.edges.iter().filter_map(link).collect();
    let nodes: Vec<Node> = operators
        .iter()
        .map(|operator| Node {
            title: operator.name.clone(),
            detail: format!("{} on {}", operator.kind, operator.unit_name),
            hint: format!("{}: {} on {}", operator.name, operator.kind, operator.unit_name),
            colour: COLOURS[operator.unit % COLOURS.len()],
        })
        .collect();
    picture(&nodes, &links)
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
    let links: Vec<Link> =
        graph.edges().iter().map(|edge| Link { from: edge.from, to: edge.to, dashed: false }).collect();
    picture(&nodes, &links)
}

/// `Class.method` of a dotted path.
fn last_parts(function: &str) -> String {
    let parts: Vec<&str> = function.rsplitn(3, '.').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join(".")
}
