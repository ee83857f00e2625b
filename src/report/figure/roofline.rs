//! The roofline: operators below the roofs of memory and compute, on logarithmic axes.

use plotters::style::RGBColor;

use super::FigureError;
use super::canvas::{
    Align, Canvas, Drawn, FAINT_INK, FRAME, FRONT, INK, LARGE, MARKED, MEDIUM, PAPER, PT, Point, SMALL, text_width,
    wrap, wrap_at_most,
};
use super::panel::{Panel, label_room};
use super::place::{Area, place_labels};
use super::ticks::{OVERHANG, Run, Scale};
use crate::ppa::roofline::{Bound, OperatorPoint, Roofline};
use crate::report::summary::short;
use crate::spec::kind::Pass;

/// Width of a column of a two-column paper, with the units' names beside the panel.
const WIDTH: i32 = 252 * PT;
const PANEL_HEIGHT: i32 = 150 * PT;
const EDGE: i32 = 2 * PT;
const LINE: i32 = 9 * PT;
/// Least decades of an axis: below, it would not be logarithmic.
const LEAST_DECADES: f64 = 2.0;
/// The most room that units' names take beside the panel; longer ones are cut.
const NAME_ROOM: i32 = 72 * PT;
/// Operators whose names stand beside their marks; more are numbered, with a key below.
const MOST_NAMED: usize = 10;
const KEY_COLUMNS: usize = 2;
/// Marks nearer than this share a label of numbers.
const NEAR: i32 = 3 * PT;
/// Operators without a place that are named; of more than these the number is said.
const MOST_ABSENT: usize = 8;
/// Roofs of units closer than this share a label.
const ROOF_GAP: i32 = 8 * PT;

/// Draws a roofline as SVG.
///
/// # Errors
/// If no operator has a place on it.
pub fn draw(roofline: &Roofline, title: &str) -> Result<String, FigureError> {
    let points: Vec<&OperatorPoint> = roofline.operators.iter().filter(|point| point.has_place()).collect();
    if points.is_empty() {
        return Err(FigureError::NoPoint);
    }
    let page = Page::new(roofline, points, title);
    Canvas::paint((WIDTH, page.height), |canvas| page.draw(canvas)).map_err(FigureError::Drawing)
}

/// A range with room on both sides and at least [`LEAST_DECADES`].
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| *value > 0.0 && value.is_finite())
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = (low.log10() - 0.4, high.log10() + 0.3);
    let missing = (LEAST_DECADES - (high - low)).max(0.0);
    (10_f64.powf(low - missing / 2.0), 10_f64.powf(high + missing / 2.0))
}

struct Page<'a> {
    roofline: &'a Roofline,
    points: Vec<&'a OperatorPoint>,
    title: Vec<String>,
    /// Marks that occur, line by line.
    legend: Vec<Vec<(Bound, Pass)>>,
    note: Vec<String>,
    /// Roofs of units: throughput and names, highest first.
    units: Vec<(f64, String)>,
    x: Scale,
    y: Scale,
    left: i32,
    right: i32,
    top: i32,
    /// Where the key of numbered points begins.
    key_top: i32,
    height: i32,
}

impl<'a> Page<'a> {
    fn new(roofline: &'a Roofline, points: Vec<&'a OperatorPoint>, title: &str) -> Self {
        let y_range =
            decades(points.iter().flat_map(|point| [point.attainable_gflop_per_s(), point.compute_gflop_per_s]));
        let x_range = decades(points.iter().map(|point| point.flop_per_byte));
        let y = Scale::new(y_range, Run::Up(PANEL_HEIGHT));
        let mut units = unit_roofs(&points, &y);
        for (_, names) in &mut units {
            *names = wrap_at_most(1, names, "", SMALL, NAME_ROOM).join(" ");
        }
        let names = units.iter().map(|(_, name)| text_width(name, SMALL)).max().unwrap_or(0);
        let left = EDGE + 10 * PT + 2 * PT + label_room(&y) + 3 * PT;
        let right = WIDTH - (names + 8 * PT).max(OVERHANG) - EDGE;
        let x = Scale::new(x_range, Run::Across(right - left));
        let title = wrap(title, LARGE, WIDTH - 2 * EDGE);
        let note = wrap(&note(roofline), SMALL, WIDTH - 2 * EDGE);
        let legend = legend(&points);
        let top = EDGE + title.len() as i32 * 11 * PT + legend.len() as i32 * LINE + 3 * PT;
        let note_top = top + PANEL_HEIGHT + 12 * PT + 10 * PT + 2 * PT;
        let key_top = note_top + note.len() as i32 * LINE;
        let key_lines = if points.len() > MOST_NAMED { points.len().div_ceil(KEY_COLUMNS) as i32 } else { 0 };
        let height = key_top + key_lines * LINE + EDGE;
        Self { roofline, points, title, legend, note, units, x, y, left, right, top, key_top, height }
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        for (line, text) in (1..).zip(&self.title) {
            canvas.bold(text, (EDGE, EDGE + line * 11 * PT - 2 * PT), LARGE, INK)?;
        }
        self.legend(canvas)?;
        self.key(canvas)?;
        let panel = Panel {
            left: self.left,
            top: self.top,
            width: self.right - self.left,
            height: PANEL_HEIGHT,
            x: (0, &self.x),
            y: (1, &self.y),
        };
        panel.grid(canvas)?;
        let memory_labels = self.memory_roofs(canvas, &panel)?;
        self.unit_roofs(canvas, &panel)?;
        panel.frame(canvas)?;
        self.operators(canvas, &panel, &memory_labels)?;
        panel.across_ticks(canvas)?;
        panel.up_ticks(canvas)?;
        let below = panel.bottom() + 12 * PT + 8 * PT;
        let middle = (self.left + self.right) / 2;
        canvas.text("arithmetic intensity (FLOP/byte)", (middle, below), Align::Centre, MEDIUM, INK)?;
        let beside = (EDGE + 8 * PT, self.top + PANEL_HEIGHT / 2);
        canvas.text("attainable throughput (GFLOP/s)", beside, Align::Upwards, MEDIUM, INK)?;
        for (line, text) in (1..).zip(&self.note) {
            let baseline = below + 4 * PT + line * LINE - 2 * PT;
            canvas.text(text, (EDGE, baseline), Align::Left, SMALL, FAINT_INK)?;
        }
        Ok(())
    }

    fn legend(&self, canvas: &Canvas) -> Drawn {
        for (line, marks) in (0..).zip(self.legend.iter().rev()) {
            let middle = self.top - 7 * PT - line * LINE;
            let mut left = EDGE;
            for &(bound, pass) in marks {
                let text = mark_text(bound, pass);
                mark(canvas, (left + 3 * PT, middle), bound, pass)?;
                canvas.text(&text, (left + 8 * PT, middle + 25), Align::Left, SMALL, INK)?;
                left += mark_width(&text);
            }
        }
        Ok(())
    }

    /// Numbers and names of the points, where there are too many for names beside the marks.
    fn key(&self, canvas: &Canvas) -> Drawn {
        if self.points.len() <= MOST_NAMED {
            return Ok(());
        }
        let width = (WIDTH - 2 * EDGE) / KEY_COLUMNS as i32;
        let lines = self.points.len().div_ceil(KEY_COLUMNS);
        for (at, point) in self.points.iter().enumerate() {
            let left = EDGE + (at / lines) as i32 * width;
            let baseline = self.key_top + (at % lines) as i32 * LINE + LINE - 2 * PT;
            canvas.text(&(at + 1).to_string(), (left + 9 * PT, baseline), Align::Right, SMALL, FAINT_INK)?;
            let name = wrap_at_most(1, &point.name, "", SMALL, width - 14 * PT).join(" ");
            canvas.text(&name, (left + 12 * PT, baseline), Align::Left, SMALL, INK)?;
        }
        Ok(())
    }

    /// Marks and what stands beside them: names, or numbers of the key, those of marks in one place together.
    fn labelled(&self, panel: &Panel<'_>) -> Vec<(Point, String)> {
        let mut marks: Vec<(Point, String)> = Vec::new();
        for (at, point) in self.points.iter().enumerate() {
            let place = self.at(panel, point);
            if self.points.len() <= MOST_NAMED {
                marks.push((place, point.name.clone()));
                continue;
            }
            let near = |(other, _): &&mut (Point, String)| {
                (other.0 - place.0).abs() < NEAR && (other.1 - place.1).abs() < NEAR
            };
            match marks.iter_mut().find(near) {
                Some((_, numbers)) => numbers.push_str(&format!(", {}", at + 1)),
                None => marks.push((place, (at + 1).to_string())),
            }
        }
        marks
    }

    /// A line of slope one for each bandwidth, up to the highest roof of a unit; returns the room of their labels.
    fn memory_roofs(&self, canvas: &Canvas, panel: &Panel<'_>) -> Result<Vec<Area>, Fault> {
        let (x_ends, y_ends) = (self.x.ends(), self.y.ends());
        let highest = self.points.iter().map(|point| point.compute_gflop_per_s).fold(0.0, f64::max);
        let top = highest.min(y_ends.1);
        let mut areas: Vec<Area> = Vec::new();
        for group in grouped(&self.roofline.roofs) {
            let (gb_per_s, names) = group;
            let from = x_ends.0.max(y_ends.0 / gb_per_s);
            let to = x_ends.1.min(top / gb_per_s);
            if from >= to {
                continue;
            }
            let ends = [from, to].map(|x| panel.place(&[x, x * gb_per_s]));
            canvas.line(&ends, INK, 9)?;
            let text = format!("{names} {} GB/s", short(gb_per_s));
            let width = text_width(&text, SMALL);
            // Beside the line, at the first place along it that is free.
            let spots = (1..=8).flat_map(|step| {
                let share = f64::from(step) / 10.0;
                let x = from * (to / from).powf(share);
                let (x, y) = panel.place(&[x, x * gb_per_s]);
                let beside =
                    |left: i32| Area { left, top: y - SMALL / 2, right: left + width, bottom: y + SMALL / 2 + 15 };
                [beside(x + 4 * PT), beside(x - 4 * PT - width)]
            });
            let inside = |area: &Area| {
                area.left > self.left + 2 * PT
                    && area.right < self.right - 2 * PT
                    && area.bottom < panel.bottom() - 2 * PT
            };
            let marks: Vec<Area> = self.points.iter().map(|point| Area::around(self.at(panel, point), 30)).collect();
            let free = |area: &Area| {
                areas.iter().chain(&marks).all(|other| {
                    area.right < other.left
                        || other.right < area.left
                        || area.bottom < other.top
                        || other.bottom < area.top
                })
            };
            if let Some(area) = spots.into_iter().find(|area| inside(area) && free(area)) {
                canvas.polygon(corners(&area), PAPER)?;
                canvas.text(&text, (area.left, area.bottom - 2 * PT), Align::Left, SMALL, INK)?;
                areas.push(area);
            }
        }
        Ok(areas)
    }

    /// A line for what each unit does, from where the fastest memory can feed it, with the units' names beside the panel.
    fn unit_roofs(&self, canvas: &Canvas, panel: &Panel<'_>) -> Drawn {
        let fastest = self.roofline.roofs.iter().map(|roof| roof.gb_per_s).fold(0.0, f64::max);
        let ends = self.x.ends();
        let mut lowest_free = panel.top;
        for (throughput, names) in &self.units {
            let from = if fastest > 0.0 { (throughput / fastest).clamp(ends.0, ends.1) } else { ends.0 };
            let (start, end) = (panel.place(&[from, *throughput]), panel.place(&[ends.1, *throughput]));
            canvas.line(&[start, end], FRAME, 6)?;
            let middle = end.1.max(lowest_free);
            canvas.line(&[end, (end.0 + 5 * PT, middle)], FRAME, 4)?;
            canvas.text(names, (end.0 + 6 * PT, middle + 25), Align::Left, SMALL, FAINT_INK)?;
            lowest_free = middle + ROOF_GAP;
        }
        Ok(())
    }

    fn at(&self, panel: &Panel<'_>, point: &OperatorPoint) -> Point {
        panel.place(&[point.flop_per_byte, point.attainable_gflop_per_s()])
    }

    /// Marks, what memory costs them as a thin line up to their unit's roof, and labels.
    fn operators(&self, canvas: &Canvas, panel: &Panel<'_>, taken: &[Area]) -> Drawn {
        for point in self.points.iter().filter(|point| point.bound() == Bound::Memory) {
            let roof = panel.place(&[point.flop_per_byte, point.compute_gflop_per_s]);
            canvas.dashed(&[self.at(panel, point), roof], FRAME, 4, 15)?;
        }
        let named = self.labelled(panel);
        let marks: Vec<(Point, &str)> = named.iter().map(|(at, label)| (*at, label.as_str())).collect();
        let frame =
            Area { left: self.left + PT, top: self.top + PT, right: self.right - PT, bottom: panel.bottom() - PT };
        let labels = place_labels(&marks, taken, &frame);
        for ((at, _), label) in marks.iter().zip(&labels).filter(|(_, label)| label.is_far) {
            let x = at.0.clamp(label.area.left, label.area.right);
            let y = at.1.clamp(label.area.top, label.area.bottom);
            canvas.line(&[*at, (x, y)], FRAME, 4)?;
        }
        for ((_, name), label) in marks.iter().zip(&labels) {
            canvas.polygon(corners(&label.area), PAPER)?;
            canvas.text(name, label.baseline(), Align::Left, SMALL, INK)?;
        }
        for point in &self.points {
            mark(canvas, self.at(panel, point), point.bound(), point.pass)?;
        }
        Ok(())
    }
}

type Fault = plotters::drawing::DrawingAreaErrorKind<std::io::Error>;

fn corners(area: &Area) -> Vec<Point> {
    vec![(area.left, area.top), (area.right, area.top), (area.right, area.bottom), (area.left, area.bottom)]
}

/// Marks that occur, in lines of the figure's width.
fn legend(points: &[&OperatorPoint]) -> Vec<Vec<(Bound, Pass)>> {
    let mut lines = vec![Vec::new()];
    let mut left = EDGE;
    for pass in [Pass::Forward, Pass::Backward] {
        for bound in [Bound::Memory, Bound::Compute] {
            if !points.iter().any(|point| point.bound() == bound && point.pass == pass) {
                continue;
            }
            let width = mark_width(&mark_text(bound, pass));
            if left + width > WIDTH - EDGE {
                lines.push(Vec::new());
                left = EDGE;
            }
            left += width;
            if let Some(line) = lines.last_mut() {
                line.push((bound, pass));
            }
        }
    }
    lines
}

fn mark_text(bound: Bound, pass: Pass) -> String {
    match pass {
        Pass::Forward => bound.name().to_owned(),
        Pass::Backward => format!("{}, backward", bound.name()),
    }
}

/// What a mark takes in the legend with its text.
fn mark_width(text: &str) -> i32 {
    8 * PT + text_width(text, SMALL) + 6 * PT
}

/// A disc for forward, a triangle for backward; blue where memory bounds, orange where compute does.
fn mark(canvas: &Canvas, (x, y): Point, bound: Bound, pass: Pass) -> Drawn {
    let colour: RGBColor = if bound == Bound::Memory { FRONT } else { MARKED };
    match pass {
        Pass::Forward => {
            canvas.disc((x, y), 27, PAPER)?;
            canvas.disc((x, y), 22, colour)
        }
        Pass::Backward => {
            let triangle =
                |r: i32| vec![(x, y - r), (x + r * 9 / 10, y + r * 6 / 10), (x - r * 9 / 10, y + r * 6 / 10)];
            canvas.polygon(triangle(38), PAPER)?;
            canvas.polygon(triangle(29), colour)
        }
    }
}

/// Roofs of the units, highest first; those that would lie on each other share a line and a label.
fn unit_roofs(points: &[&OperatorPoint], y: &Scale) -> Vec<(f64, String)> {
    let finite = points.iter().filter(|point| point.compute_gflop_per_s.is_finite());
    let mut roofs: Vec<(f64, &str)> = finite.map(|point| (point.compute_gflop_per_s, point.unit.as_str())).collect();
    roofs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    if points.len() > MOST_NAMED {
        // A unit's roof moves with the operator; of many, the highest stands for all.
        let mut seen: Vec<&str> = Vec::new();
        roofs.retain(|(_, unit)| {
            let first = !seen.contains(unit);
            seen.push(unit);
            first
        });
    }
    let mut grouped: Vec<(f64, Vec<&str>)> = Vec::new();
    for (throughput, unit) in roofs {
        let near = |other: f64| ((y.at(other) - y.at(throughput)) * f64::from(PANEL_HEIGHT)).abs() < 1.0;
        match grouped.last_mut() {
            Some((other, units)) if near(*other) => {
                if !units.contains(&unit) {
                    units.push(unit);
                }
            }
            _ => grouped.push((throughput, vec![unit])),
        }
    }
    grouped.into_iter().map(|(throughput, units)| (throughput, units.join(", "))).collect()
}

/// Memory roofs of equal bandwidth as one: GB/s and names.
fn grouped(roofs: &[crate::ppa::roofline::MemoryRoof]) -> Vec<(f64, String)> {
    let mut groups: Vec<(f64, Vec<&str>)> = Vec::new();
    for roof in roofs {
        match groups.iter_mut().find(|(gb_per_s, _)| (gb_per_s / roof.gb_per_s - 1.0).abs() < 1e-9) {
            Some((_, names)) => names.push(&roof.name),
            None => groups.push((roof.gb_per_s, vec![&roof.name])),
        }
    }
    let name = |names: Vec<&str>| match names[..] {
        [one] => one.to_owned(),
        [read, write]
            if read.strip_suffix(" read").is_some() && read.strip_suffix(" read") == write.strip_suffix(" write") =>
        {
            read.trim_end_matches(" read").to_owned()
        }
        [first, .., last] if names.len() > 3 => format!("{first} ... {last}"),
        _ => names.join(", "),
    };
    groups.into_iter().map(|(gb_per_s, names)| (gb_per_s, name(names))).collect()
}

/// Where the points hold, and what has no place among them.
fn note(roofline: &Roofline) -> String {
    let mut note = roofline.workload.clone();
    for (name, value) in &roofline.at {
        note.push_str(&format!(", {name} {value}"));
    }
    if roofline.operands_only {
        note.push_str(". All operands count as coming from DRAM: the pipeline declares no traffic");
    }
    let absent: Vec<&str> =
        roofline.operators.iter().filter(|point| !point.has_place()).map(|point| point.name.as_str()).collect();
    if !absent.is_empty() {
        let what = if absent.len() > MOST_ABSENT { format!("{} operators", absent.len()) } else { absent.join(", ") };
        note.push_str(&format!(". Not shown, without arithmetic or traffic: {what}"));
    }
    note
}
