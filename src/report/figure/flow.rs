//! The graph of a pipeline: boxes in layers, barriers, streams and carried edges told apart.

use plotters::style::RGBColor;

use super::FigureError;
use super::canvas::{
    Align, Canvas, Drawn, FAINT_INK, FRAME, FRONT, INK, LARGE, MEDIUM, PAPER, PT, Point, SMALL, text_width, wrap,
};
use crate::report::graph::{Arrow, ArrowKind, Node, PipelineGraph, fill};
use crate::report::layers::{Input, Layout, layout};
use crate::spec::kind::{CATEGORIES, Pass};

const EDGE: i32 = 3 * PT;
const LINE: i32 = 9 * PT;
/// Height of a box with one and with two lines of text.
const LOW_BOX: i32 = 15 * PT;
const HIGH_BOX: i32 = 24 * PT;
/// Between two layers.
const LAYER_GAP: i32 = 19 * PT;
/// Between a group's rim and its boxes, and what its name takes above them.
const GROUP_RIM: i32 = 5 * PT;
const GROUP_NAME: i32 = 10 * PT;
/// Between the lanes of carried edges.
const LANE: i32 = 9 * PT;
/// Tiles in flight that need no label.
const USUAL_BUFFER: &str = "2";
/// Least width, for the legend.
const LEAST_WIDTH: i32 = 170 * PT;
const CARRIED: RGBColor = RGBColor(0xD5, 0x5E, 0x00);

/// Draws a pipeline as SVG.
///
/// # Errors
/// If it has no operator, or its edges go in a circle.
pub fn draw(graph: &PipelineGraph) -> Result<String, FigureError> {
    let layers = graph.layers().filter(|layers| !layers.is_empty()).ok_or(FigureError::NoPoint)?;
    let page = Page::new(graph, &layers);
    Canvas::paint((page.width, page.height), |canvas| page.draw(canvas)).map_err(FigureError::Drawing)
}

struct Page<'a> {
    graph: &'a PipelineGraph,
    /// Arrows that run down, with their places in the layout.
    down: Vec<&'a Arrow>,
    layout: Layout,
    boxes: Vec<Box>,
    /// Upper and lower edge of each layer's boxes.
    bands: Vec<(i32, i32)>,
    title: Vec<String>,
    legend: Vec<Vec<Key>>,
    /// Left of the layout, where carried edges run beside it, and below which the legend stands.
    left: i32,
    lanes: i32,
    bottom: i32,
    width: i32,
    height: i32,
}

#[derive(Clone, Copy)]
struct Box {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Box {
    fn middle(&self) -> i32 {
        (self.left + self.right) / 2
    }
}

/// An entry of the legend.
#[derive(Clone)]
enum Key {
    Arrow(ArrowKind, &'static str),
    Category(&'static str),
    Backward,
}

impl Key {
    fn text(&self) -> &'static str {
        match self {
            Key::Arrow(_, text) => text,
            Key::Category(name) => name,
            Key::Backward => "backward",
        }
    }

    fn width(&self) -> i32 {
        16 * PT + text_width(self.text(), SMALL) + 7 * PT
    }
}

impl<'a> Page<'a> {
    fn new(graph: &'a PipelineGraph, layers: &[usize]) -> Self {
        let down: Vec<&Arrow> = graph.arrows.iter().filter(|arrow| arrow.kind != ArrowKind::Carried).collect();
        let widths: Vec<i32> = graph.nodes.iter().map(box_width).collect();
        let arrows: Vec<(usize, usize)> = down.iter().map(|arrow| (arrow.from, arrow.to)).collect();
        let layout = layout(&Input { layers, widths: &widths, arrows: &arrows, gap: 12 * PT, lane: 10 * PT });
        let title = wrap(&graph.name, LARGE, layout.width.max(LEAST_WIDTH));
        let rim = if graph.groups.is_empty() { 0 } else { GROUP_RIM };
        let carried = graph.arrows.len() - down.len();
        let lanes_room = if carried == 0 { 0 } else { carried as i32 * LANE + 4 * PT };
        let width = (layout.width + 2 * rim + lanes_room).max(LEAST_WIDTH) + 2 * EDGE;
        let left = (width - layout.width - 2 * rim - lanes_room) / 2 + rim;
        let lanes = left + layout.width + rim + 4 * PT;

        let mut top = EDGE + title.len() as i32 * 11 * PT + 4 * PT;
        let count = layers.iter().max().map_or(0, |layer| layer + 1);
        let mut bands = Vec::new();
        for layer in 0..count {
            let members = || graph.nodes.iter().zip(layers).filter(move |(_, at)| **at == layer).map(|(node, _)| node);
            // A layer in which a group begins needs room for the group's name, one below a group's end for its rim.
            let begins = members().any(|node| node.group.is_some() && is_first_of_group(graph, node));
            let height = if members().any(|node| !node.kind.is_empty()) { HIGH_BOX } else { LOW_BOX };
            if begins {
                top += GROUP_NAME + GROUP_RIM;
            }
            bands.push((top, top + height));
            let ends = members().any(|node| node.group.is_some() && is_last_of_group(graph, node));
            top += height + if ends { GROUP_RIM } else { 0 } + LAYER_GAP;
        }
        let bottom = top - LAYER_GAP + 8 * PT;
        let boxes = (graph.nodes.iter().zip(layers).zip(&widths))
            .zip(&layout.middles)
            .map(|(((node, layer), width), middle)| {
                let (band_top, band_bottom) = bands[*layer];
                let height = if node.kind.is_empty() { LOW_BOX } else { HIGH_BOX };
                let upper = band_top + (band_bottom - band_top - height) / 2;
                let centre = left + middle;
                Box { left: centre - width / 2, top: upper, right: centre + width / 2, bottom: upper + height }
            })
            .collect();
        let legend = legend(graph, width - 2 * EDGE);
        let height = bottom + legend.len() as i32 * (LINE + PT) + EDGE;
        Self { graph, down, layout, boxes, bands, title, legend, left, lanes, bottom, width, height }
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        for (line, text) in (1..).zip(&self.title) {
            canvas.bold(text, (EDGE, EDGE + line * 11 * PT - 2 * PT), LARGE, INK)?;
        }
        for group in 0..self.graph.groups.len() {
            self.group(canvas, group)?;
        }
        for (at, arrow) in self.down.iter().enumerate() {
            self.arrow(canvas, at, arrow)?;
        }
        for (lane, arrow) in (0..).zip(self.graph.arrows.iter().filter(|arrow| arrow.kind == ArrowKind::Carried)) {
            self.carried(canvas, arrow, self.lanes + lane * LANE)?;
        }
        for (node, place) in self.graph.nodes.iter().zip(&self.boxes) {
            draw_box(canvas, node, place)?;
        }
        self.draw_legend(canvas)
    }

    fn group(&self, canvas: &Canvas, group: usize) -> Drawn {
        let members = self.graph.nodes.iter().zip(&self.boxes).filter(|(node, _)| node.group == Some(group));
        let (mut left, mut top, mut right, mut bottom) = (i32::MAX, i32::MAX, 0, 0);
        for (_, place) in members {
            (left, top) = (left.min(place.left), top.min(place.top));
            (right, bottom) = (right.max(place.right), bottom.max(place.bottom));
        }
        let (name, kind) = &self.graph.groups[group];
        let text = format!("{name}: {kind}");
        let wide = left + text_width(&text, SMALL) + GROUP_RIM;
        let corner = (left - GROUP_RIM, top - GROUP_NAME - PT);
        let opposite = (right.max(wide) + GROUP_RIM, bottom + GROUP_RIM);
        canvas.rectangle(corner, opposite, RGBColor(0xF8, 0xF8, 0xF8), RGBColor(0xB4, 0xB4, 0xB4))?;
        canvas.text(&text, (left - PT, top - 3 * PT), Align::Left, SMALL, FAINT_INK)
    }

    /// An arrow from the lower edge of its producer over the layers that it passes to the upper edge of its consumer.
    fn arrow(&self, canvas: &Canvas, at: usize, arrow: &Arrow) -> Drawn {
        let (from, to) = (&self.boxes[arrow.from], &self.boxes[arrow.to]);
        let start = (self.port(arrow, true), from.bottom);
        let end = (self.port(arrow, false), to.top);
        let mut stops = vec![start];
        for (layer, middle) in &self.layout.passes[at] {
            let (top, bottom) = self.bands[*layer];
            stops.extend([(self.left + middle, top), (self.left + middle, bottom)]);
        }
        // The head is straight, so that the line ends where the head begins.
        stops.push((end.0, end.1 - 4 * PT));
        let line = curve(&stops);
        let (colour, weight) = look(arrow.kind);
        canvas.line(&line, colour, weight)?;
        head(canvas, end, (0, 1), colour)?;
        if arrow.kind == ArrowKind::Barrier {
            let bar = end.1 - 6 * PT;
            canvas.line(&[(end.0 - 4 * PT, bar), (end.0 + 4 * PT, bar)], colour, 12)?;
        }
        if let Some(buffer) = arrow.buffer.as_deref().filter(|buffer| *buffer != USUAL_BUFFER) {
            let text = format!("{buffer} tiles");
            let (x, y) = line[line.len() / 2];
            canvas.text(&text, (x + 4 * PT, y + 3 * PT), Align::Left, SMALL, FAINT_INK)?;
        }
        Ok(())
    }

    /// Where an arrow leaves or enters a box: side by side with the others, in the order of their other ends.
    fn port(&self, arrow: &Arrow, leaves: bool) -> i32 {
        let side = |other: &Arrow| if leaves { other.from } else { other.to };
        let aim = |at: usize, other: &Arrow| {
            let passes = &self.layout.passes[at];
            let pass = if leaves { passes.first() } else { passes.last() };
            pass.map_or_else(
                || self.boxes[if leaves { other.to } else { other.from }].middle(),
                |(_, middle)| self.left + middle,
            )
        };
        let mut beside: Vec<(i32, usize, usize)> = Vec::new();
        for (at, other) in self.down.iter().enumerate().filter(|(_, other)| side(other) == side(arrow)) {
            beside.push((aim(at, other), if leaves { other.to } else { other.from }, at));
        }
        beside.sort_unstable();
        let place = &self.boxes[side(arrow)];
        let own = beside.iter().position(|(_, _, at)| std::ptr::eq(self.down[*at], arrow)).unwrap_or(0) as i32;
        let step = (place.right - place.left) / (beside.len() as i32 + 1);
        let step = step.min(14 * PT);
        place.middle() + step * own - step * (beside.len() as i32 - 1) / 2
    }

    /// A carried edge leaves and enters at the right and runs beside everything.
    fn carried(&self, canvas: &Canvas, arrow: &Arrow, lane: i32) -> Drawn {
        let (from, to) = (&self.boxes[arrow.from], &self.boxes[arrow.to]);
        // A loop on one box needs two places.
        let apart = if arrow.from == arrow.to { 4 * PT } else { 0 };
        let (out, back) = ((from.top + from.bottom) / 2 + apart, (to.top + to.bottom) / 2 - apart);
        let corner = 3 * PT;
        let rise = if back < out { -corner } else { corner };
        let end = (to.right, back);
        let path = [
            (from.right, out),
            (lane - corner, out),
            (lane, out + rise),
            (lane, back - rise),
            (lane - corner, back),
            (end.0 + 4 * PT, back),
        ];
        canvas.dashed(&path, CARRIED, 8, 3 * PT)?;
        head(canvas, end, (-1, 0), CARRIED)
    }

    fn draw_legend(&self, canvas: &Canvas) -> Drawn {
        for (line, keys) in (1..).zip(&self.legend) {
            let y = self.bottom + line * (LINE + PT) - 5 * PT;
            let mut left = EDGE;
            for key in keys {
                let (start, end) = ((left, y), (left + 13 * PT, y));
                match key {
                    Key::Arrow(kind, _) => {
                        let (colour, weight) = look(*kind);
                        if *kind == ArrowKind::Carried {
                            canvas.dashed(&[start, (end.0 - 4 * PT, y)], colour, weight, 2 * PT)?;
                        } else {
                            canvas.line(&[start, (end.0 - 4 * PT, y)], colour, weight)?;
                        }
                        if *kind == ArrowKind::Barrier {
                            let bar = end.0 - 6 * PT;
                            canvas.line(&[(bar, y - 3 * PT), (bar, y + 3 * PT)], colour, 12)?;
                        }
                        head(canvas, end, (1, 0), colour)?;
                    }
                    Key::Category(name) => {
                        canvas.rectangle((left, y - 3 * PT), (left + 12 * PT, y + 3 * PT), tint(name), FRAME)?;
                    }
                    Key::Backward => {
                        canvas.rectangle((left, y - 3 * PT), (left + 12 * PT, y + 3 * PT), PAPER, CARRIED)?;
                    }
                }
                canvas.text(key.text(), (left + 16 * PT, y + 25), Align::Left, SMALL, INK)?;
                left += key.width();
            }
        }
        Ok(())
    }
}

fn is_first_of_group(graph: &PipelineGraph, node: &Node) -> bool {
    graph.nodes.iter().find(|other| other.group == node.group).is_some_and(|first| std::ptr::eq(first, node))
}

fn is_last_of_group(graph: &PipelineGraph, node: &Node) -> bool {
    graph.nodes.iter().rfind(|other| other.group == node.group).is_some_and(|last| std::ptr::eq(last, node))
}

fn box_width(node: &Node) -> i32 {
    let name = text_width(&node.name, MEDIUM) * 11 / 10;
    name.max(text_width(&node.kind, SMALL)).max(40 * PT) + 10 * PT
}

fn draw_box(canvas: &Canvas, node: &Node, place: &Box) -> Drawn {
    let rim = if node.pass == Pass::Backward { CARRIED } else { FRAME };
    canvas.rectangle((place.left, place.top), (place.right, place.bottom), tint(&node.category), rim)?;
    if node.kind.is_empty() {
        return canvas.text(&node.name, (place.middle(), place.bottom - 5 * PT), Align::Centre, SMALL, INK);
    }
    canvas.text(&node.name, (place.middle(), place.top + 10 * PT), Align::Centre, MEDIUM, INK)?;
    canvas.text(&node.kind, (place.middle(), place.bottom - 5 * PT), Align::Centre, SMALL, FAINT_INK)
}

fn tint(category: &str) -> RGBColor {
    let text = fill(category);
    let part = |at: usize| text.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0xFF);
    RGBColor(part(1), part(3), part(5))
}

fn look(kind: ArrowKind) -> (RGBColor, i32) {
    match kind {
        ArrowKind::Barrier => (INK, 11),
        ArrowKind::Stream => (FRONT, 9),
        ArrowKind::Carried => (CARRIED, 8),
        ArrowKind::Inside => (FRAME, 6),
    }
}

/// An arrow head whose tip is at `tip`, towards `(x, y)`.
fn head(canvas: &Canvas, tip: Point, (x, y): (i32, i32), colour: RGBColor) -> Drawn {
    let (long, wide) = (5 * PT, 5 * PT / 2);
    let back = (tip.0 - x * long, tip.1 - y * long);
    canvas.polygon(vec![tip, (back.0 - y * wide, back.1 - x * wide), (back.0 + y * wide, back.1 + x * wide)], colour)
}

/// A line through `stops` that leaves and reaches each of them vertically.
fn curve(stops: &[Point]) -> Vec<Point> {
    const STEPS: i32 = 12;
    let mut line = Vec::new();
    for pair in stops.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        if x0 == x1 {
            line.extend([(x0, y0), (x1, (y0 + y1) / 2), (x1, y1)]);
            continue;
        }
        for step in 0..=STEPS {
            // A cubic Bezier curve with both control points at half height.
            let t = f64::from(step) / f64::from(STEPS);
            let (s, half) = (1.0 - t, f64::from(y0 + y1) / 2.0);
            let x = f64::from(x0) * (s * s * s + 3.0 * s * s * t) + f64::from(x1) * (3.0 * s * t * t + t * t * t);
            let y = f64::from(y0) * s * s * s + half * (3.0 * s * s * t + 3.0 * s * t * t) + f64::from(y1) * t * t * t;
            line.push((x.round() as i32, y.round() as i32));
        }
    }
    line
}

/// What the graph shows, in lines of at most `width`.
fn legend(graph: &PipelineGraph, width: i32) -> Vec<Vec<Key>> {
    let has = |kind| graph.arrows.iter().any(|arrow| arrow.kind == kind);
    let arrows = [
        (ArrowKind::Stream, "tile by tile"),
        (ArrowKind::Barrier, "when all is done"),
        (ArrowKind::Carried, "next iteration"),
        (ArrowKind::Inside, "stage to stage"),
    ];
    let mut keys: Vec<Key> =
        arrows.into_iter().filter(|(kind, _)| has(*kind)).map(|(kind, text)| Key::Arrow(kind, text)).collect();
    let categories = CATEGORIES.into_iter().filter(|name| graph.nodes.iter().any(|node| node.category == *name));
    keys.extend(categories.map(Key::Category));
    if graph.nodes.iter().any(|node| node.pass == Pass::Backward) {
        keys.push(Key::Backward);
    }
    let mut lines: Vec<Vec<Key>> = vec![Vec::new()];
    let mut used = 0;
    for key in keys {
        if used > 0 && used + key.width() > width {
            lines.push(Vec::new());
            used = 0;
        }
        used += key.width();
        if let Some(line) = lines.last_mut() {
            line.push(key);
        }
    }
    lines
}
