//! A graph as a picture: boxes in layers, joined by lines.

use std::fmt::Write;

use super::words::{cut, escaped};
use crate::report::layers::{Input, layout, rank};

/// Width and height of a box, and what lies between two of them.
const BOX: (i32, i32) = (250, 40);
const GAP: (i32, i32) = (24, 40);
/// The room of a line that passes a layer.
const LANE: i32 = 14;
const MARGIN: i32 = 20;
/// Letters of a line that fit into a box.
const LETTERS: usize = 33;

/// A node of the picture.
pub(super) struct Node {
    /// First line.
    pub title: String,
    /// Second line.
    pub detail: String,
    /// What appears when the pointer rests on it.
    pub hint: String,
    /// Colour of its border.
    pub colour: &'static str,
}

/// The picture of nodes that are joined by links, each from one to another. Links may run in circles: those that close one
/// are drawn around the boxes and do not count for the layers.
pub(super) fn picture(nodes: &[Node], links: &[(usize, usize)]) -> String {
    let ranks = rank(nodes.len(), links);
    let down: Vec<(usize, usize)> =
        links.iter().zip(&ranks.down).filter(|(_, down)| **down).map(|(link, _)| *link).collect();
    let widths = vec![BOX.0; nodes.len()];
    let places = layout(&Input { layers: &ranks.layers, widths: &widths, arrows: &down, gap: GAP.0, lane: LANE });
    let height = 2 * MARGIN + ranks.count() as i32 * (BOX.1 + GAP.1) - GAP.1;
    // Lines that lead back stand out on the right.
    let width = 2 * MARGIN + places.width.max(BOX.0) + if down.len() < links.len() { GAP.0 } else { 0 };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\"><defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    let corner = |node: usize| (MARGIN + places.middles[node] - BOX.0 / 2, top(ranks.layers[node]));
    let mut passes = places.passes.iter();
    for (&(from, to), down) in links.iter().zip(&ranks.down) {
        let passed = if *down { passes.next().map(Vec::as_slice) } else { None };
        let line = passed
            .map_or_else(|| around(corner(from), corner(to)), |passed| straight(corner(from), corner(to), passed));
        let _ = write!(svg, "<path d=\"{line}\" fill=\"none\" stroke=\"#888\" marker-end=\"url(#tip)\"/>");
    }
    for (at, node) in nodes.iter().enumerate() {
        let (x, y) = corner(at);
        let _ = write!(
            svg,
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" fill=\"#666\">{}</text></g>",
            escaped(&node.hint),
            BOX.0,
            BOX.1,
            node.colour,
            x + 8,
            y + 17,
            escaped(&cut(&node.title, LETTERS)),
            x + 8,
            y + 32,
            escaped(&cut(&node.detail, LETTERS))
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Upper edge of the boxes of a layer.
fn top(layer: usize) -> i32 {
    MARGIN + layer as i32 * (BOX.1 + GAP.1)
}

/// From the lower edge of one box to the upper edge of another, beside the boxes of the layers on its way.
fn straight((x1, y1): (i32, i32), (x2, y2): (i32, i32), passed: &[(usize, i32)]) -> String {
    let mut path = format!("M{} {}", x1 + BOX.0 / 2, y1 + BOX.1);
    for (layer, middle) in passed {
        let x = MARGIN + middle;
        let _ = write!(path, "L{x} {}V{}", top(*layer), top(*layer) + BOX.1);
    }
    let _ = write!(path, "L{} {y2}", x2 + BOX.0 / 2);
    path
}

/// Around two boxes on their right.
fn around((x1, y1): (i32, i32), (x2, y2): (i32, i32)) -> String {
    let (right1, right2) = (x1 + BOX.0, x2 + BOX.0);
    let out = right1.max(right2) + GAP.0;
    let (middle1, middle2) = (y1 + BOX.1 * 3 / 4, y2 + BOX.1 / 4);
    format!("M{right1} {middle1}C{out} {middle1} {out} {middle2} {right2} {middle2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_leads_back_goes_around_and_the_others_down() {
        let node =
            |title: &str| Node { title: title.into(), detail: String::new(), hint: String::new(), colour: "#000" };
        let svg = picture(&[node("a"), node("b")], &[(0, 1), (1, 0)]);
        assert_eq!(svg.matches("<path d=\"M").count(), 3, "two lines and the tip: {svg}");
        // One box wide, with room for the line that leads back; two layers of 40 with 40 between.
        assert!(svg.contains("viewBox=\"0 0 314 160\""), "{svg}");
        assert!(svg.contains("<path d=\"M145 60L145 100\"") && svg.contains("C294 "), "{svg}");
    }
}
