//! The operators and their dependencies as a picture, in layers by longest path.

use std::collections::HashMap;
use std::fmt::Write;

use super::ir::ScheduledIr;
use super::timeline_svg::COLOURS;
use super::words::escaped;
use crate::trace::workload::Order;

const BOX: (f64, f64) = (220.0, 40.0);
const GAP: (f64, f64) = (24.0, 40.0);

/// The graph.
pub fn graph_svg(ir: &ScheduledIr) -> String {
    let operators = &ir.ppa.operators;
    let index: HashMap<&str, usize> =
        operators.iter().enumerate().map(|(at, operator)| (operator.name.as_str(), at)).collect();
    let edges: Vec<(usize, usize, Order)> = ir
        .workload
        .edges
        .iter()
        .filter_map(|edge| Some((*index.get(edge.from.as_str())?, *index.get(edge.to.as_str())?, edge.kind)))
        .filter(|(from, to, _)| from < to)
        .collect();
    // Operators stand producers first, so one pass in their order finds every longest path.
    let mut layer = vec![0_usize; operators.len()];
    for at in 0..operators.len() {
        let before = edges.iter().filter(|(_, to, _)| *to == at).map(|(from, _, _)| layer[*from] + 1);
        layer[at] = before.max().unwrap_or(0);
    }
    let layers = layer.iter().max().map_or(0, |deepest| deepest + 1);
    let mut filled = vec![0_usize; layers];
    let mut places = Vec::with_capacity(operators.len());
    for layer in &layer {
        let x = 20.0 + filled[*layer] as f64 * (BOX.0 + GAP.0);
        places.push((x, 20.0 + *layer as f64 * (BOX.1 + GAP.1)));
        filled[*layer] += 1;
    }
    let widest = filled.iter().max().copied().unwrap_or(1) as f64;
    let (width, height) = (40.0 + widest * (BOX.0 + GAP.0), 40.0 + layers as f64 * (BOX.1 + GAP.1));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for (from, to, kind) in edges {
        let ((x1, y1), (x2, y2)) = (places[from], places[to]);
        let dash = if kind == Order::Stream { "" } else { " stroke-dasharray=\"5 3\"" };
        let _ = write!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{y2}\" stroke=\"#888\"{dash}/>",
            x1 + BOX.0 / 2.0,
            y1 + BOX.1,
            x2 + BOX.0 / 2.0
        );
    }
    for (operator, (x, y)) in operators.iter().zip(&places) {
        let colour = COLOURS[operator.unit % COLOURS.len()];
        let (name, detail) =
            (escaped(&operator.name), escaped(&format!("{} on {}", operator.kind, operator.unit_name)));
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{name}</text><text x=\"{}\" y=\"{}\" fill=\"#666\">{detail}</text>",
            BOX.0,
            BOX.1,
            x + 8.0,
            y + 17.0,
            x + 8.0,
            y + 32.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
