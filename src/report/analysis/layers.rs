//! A graph as a picture: boxes in layers by longest path, joined by lines.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::words::escaped;

const BOX: (f64, f64) = (250.0, 40.0);
const GAP: (f64, f64) = (24.0, 40.0);
const MARGIN: f64 = 20.0;
/// Letters of a line that fit into a box.
const LETTERS: usize = 33;
/// Passes over the layers that put boxes near what they are joined to.
const PASSES: usize = 4;

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

/// A line between two nodes, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    pub dashed: bool,
}

/// The picture. Links may run in circles: those that close one are drawn and do not count for the layers.
pub(super) fn picture(nodes: &[Node], links: &[Link]) -> String {
    let forward = without_circles(nodes.len(), links);
    let layers = layers(nodes.len(), &forward);
    let places = places(&layers, links);
    let widest = layers.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
    let width = 2.0 * MARGIN + widest * (BOX.0 + GAP.0) - GAP.0;
    let height = 2.0 * MARGIN + layers.len() as f64 * (BOX.1 + GAP.1) - GAP.1;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\"><defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for link in links {
        let dash = if link.dashed { " stroke-dasharray=\"5 3\"" } else { "" };
        let _ = write!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"#888\" marker-end=\"url(#tip)\"{dash}/>",
            line(places[link.from], places[link.to])
        );
    }
    for (node, (x, y)) in nodes.iter().zip(&places) {
        let _ = write!(
            svg,
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" fill=\"#666\">{}</text></g>",
            escaped(&node.hint),
            BOX.0,
            BOX.1,
            node.colour,
            x + 8.0,
            y + 17.0,
            escaped(&fitted(&node.title)),
            x + 8.0,
            y + 32.0,
            escaped(&fitted(&node.detail))
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line down is straight; one that leads back, or within a layer, goes around its boxes on the right.
fn line(from: (f64, f64), to: (f64, f64)) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    if y2 > y1 {
        return format!("M{} {}L{} {y2}", x1 + BOX.0 / 2.0, y1 + BOX.1, x2 + BOX.0 / 2.0);
    }
    let (right1, right2) = (x1 + BOX.0, x2 + BOX.0);
    let out = right1.max(right2) + GAP.0;
    let (middle1, middle2) = (y1 + BOX.1 * 0.75, y2 + BOX.1 * 0.25);
    format!("M{right1} {middle1}C{out} {middle1} {out} {middle2} {right2} {middle2}")
}

/// Links by their first node, without those that close a circle.
fn without_circles(nodes: usize, links: &[Link]) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); nodes];
    for link in links {
        next[link.from].push(link.to);
    }
    let mut forward = vec![Vec::new(); nodes];
    let mut state = vec![State::New; nodes];
    for root in 0..nodes {
        let mut path = vec![(root, 0)];
        while let Some((node, taken)) = path.pop() {
            if taken == 0 {
                if state[node] != State::New {
                    continue;
                }
                state[node] = State::Open;
            }
            let Some(&to) = next[node].get(taken) else {
                state[node] = State::Done;
                continue;
            };
            path.push((node, taken + 1));
            if state[to] != State::Open {
                forward[node].push(to);
                if state[to] == State::New {
                    path.push((to, 0));
                }
            }
        }
    }
    forward
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Nodes by layer: a node's layer is the longest path to it.
fn layers(nodes: usize, forward: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut open = vec![0_usize; nodes];
    for to in forward.iter().flatten() {
        open[*to] += 1;
    }
    let mut layer = vec![0_usize; nodes];
    let mut ready: BTreeSet<usize> = (0..nodes).filter(|node| open[*node] == 0).collect();
    while let Some(node) = ready.pop_first() {
        for to in &forward[node] {
            layer[*to] = layer[*to].max(layer[node] + 1);
            open[*to] -= 1;
            if open[*to] == 0 {
                ready.insert(*to);
            }
        }
    }
    let mut layers = vec![Vec::new(); layer.iter().max().map_or(0, |deepest| deepest + 1)];
    for (node, layer) in layer.iter().enumerate() {
        layers[*layer].push(node);
    }
    layers
}

/// Corners of the boxes: each layer is centred, and sorted by the mean place of what its boxes are joined to (the
/// barycentre method of Sugiyama et al., IEEE Trans. SMC 11(2), 1981).
fn places(layers: &[Vec<usize>], links: &[Link]) -> Vec<(f64, f64)> {
    let nodes = layers.iter().map(Vec::len).sum();
    let widest = layers.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let mut joined = vec![Vec::new(); nodes];
    for link in links {
        joined[link.from].push(link.to);
        joined[link.to].push(link.from);
    }
    let mut x = vec![0.0; nodes];
    let mut y = vec![0.0; nodes];
    let mut layers = layers.to_vec();
    for _ in 0..PASSES {
        for (depth, layer) in layers.iter_mut().enumerate() {
            let mean = |node: &usize| {
                let near = &joined[*node];
                let sum: f64 = near.iter().map(|other| x[*other]).sum();
                if near.is_empty() { x[*node] } else { sum / near.len() as f64 }
            };
            layer.sort_by(|left, right| mean(left).total_cmp(&mean(right)));
            let start = MARGIN + (widest - layer.len() as f64) / 2.0 * (BOX.0 + GAP.0);
            for (column, node) in layer.iter().enumerate() {
                x[*node] = start + column as f64 * (BOX.0 + GAP.0);
                y[*node] = MARGIN + depth as f64 * (BOX.1 + GAP.1);
            }
        }
    }
    x.into_iter().zip(y).collect()
}

fn fitted(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::{Link, layers, places, without_circles};

    fn link((from, to): (usize, usize)) -> Link {
        Link { from, to, dashed: false }
    }

    #[test]
    fn a_layer_is_the_longest_path_and_a_circle_is_opened_once() {
        // 0 -> 1 -> 2 -> 0 is a circle; 3 is reached by a short way and a long one.
        let links: Vec<Link> = [(0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (3, 3)].map(link).to_vec();
        let forward = without_circles(4, &links);
        assert_eq!(forward, [vec![1, 3], vec![2], vec![3], vec![]]);
        assert_eq!(layers(4, &forward), [[0], [1], [2], [3]]);
    }

    #[test]
    fn boxes_stand_below_what_they_are_joined_to() {
        // Two chains; as written, their second nodes would stand crosswise.
        let links: Vec<Link> = [(0, 3), (1, 2)].map(link).to_vec();
        let places = places(&layers(4, &without_circles(4, &links)), &links);
        assert_eq!((places[0].0, places[1].0), (places[3].0, places[2].0));
        assert!(places[0].1 < places[3].1 && places[0].0 != places[1].0);
    }
}
