//! The legend: which marks a figure has, and where their explanations go.

use super::canvas::{
    Align, CLOUD, CLOUD_DISC, Canvas, Drawn, FRONT, FRONT_DISC, FRONT_LINE, INK, MARK, PT, Point, SERIES, SMALL, STAR,
    THIN_FRONT_LINE, text_width, wrap_at_most,
};
use super::sheet::Sheet;

/// The distance of two lines of small text.
pub(super) const SMALL_LINE: i32 = 9 * PT;

/// Between the entries of a line.
const BETWEEN: i32 = 8 * PT;

/// What an entry shows before its text.
#[derive(Clone, Copy)]
enum Key {
    Cloud,
    Front,
    FrontOnLine,
    Line,
    /// A front of another run, by its number in the order of colours, on its line or not.
    Compared(usize, bool),
    Star,
    Mark(usize),
    Arrow,
}

impl Key {
    fn width(self) -> i32 {
        match self {
            Key::FrontOnLine | Key::Line | Key::Compared(_, true) => 12 * PT,
            Key::Cloud | Key::Front | Key::Compared(_, false) | Key::Star | Key::Mark(_) | Key::Arrow => 7 * PT,
        }
    }

    fn draw(self, canvas: &Canvas, (left, y): Point, width: i32) -> Drawn {
        let (middle, right) = (left + width / 2, left + width);
        match self {
            Key::Cloud => canvas.disc((middle, y), CLOUD_DISC, CLOUD),
            Key::Front => canvas.disc((middle, y), FRONT_DISC, FRONT),
            Key::FrontOnLine => {
                canvas.line(&[(left, y), (right, y)], FRONT, FRONT_LINE)?;
                canvas.disc((middle, y), FRONT_DISC, FRONT)
            }
            Key::Line => canvas.line(&[(left, y), (right, y)], FRONT, THIN_FRONT_LINE),
            Key::Compared(at, on_line) => {
                if on_line {
                    canvas.line(&[(left, y), (right, y)], SERIES[at % SERIES.len()], FRONT_LINE)?;
                }
                canvas.disc((middle, y), FRONT_DISC, SERIES[at % SERIES.len()])
            }
            Key::Mark(shape) => canvas.mark(shape, (middle, y), MARK),
            Key::Star => canvas.star((middle, y), STAR),
            Key::Arrow => canvas.text("→", (middle, y + 25), Align::Centre, SMALL, INK),
        }
    }
}

struct Entry {
    key: Key,
    key_width: i32,
    /// From the legend's upper left corner.
    at: Point,
    lines: Vec<String>,
}

/// The entries in their places.
pub(super) struct Legend {
    entries: Vec<Entry>,
    /// The room that they take, in canvas units.
    pub height: i32,
}

impl Legend {
    /// Explains the marks of `sheet`, and the arrows of its axis labels where these do not explain themselves. Fills
    /// lines of `width` units, or puts one entry below the other.
    pub fn new(sheet: &Sheet, arrows: bool, width: i32, stacked: bool) -> Legend {
        let mut legend = Legend { entries: Vec::new(), height: 0 };
        let mut end = 0;
        for (key, text) in explanations(sheet, arrows) {
            let key_width = if stacked { Key::Line.width() } else { key.width() };
            let text_left = key_width + 4 * PT;
            let lines = wrap_at_most(3, text, "", SMALL, width - text_left);
            let widest = lines.iter().map(|line| text_width(line, SMALL)).max().unwrap_or(0);
            let height = lines.len().max(1) as i32 * SMALL_LINE;
            let beside = !stacked && lines.len() <= 1 && end + BETWEEN + text_left + widest <= width;
            let x = if end > 0 && beside { end + BETWEEN } else { 0 };
            if x == 0 {
                legend.height += height;
            }
            end = x + text_left + widest;
            legend.entries.push(Entry { key, key_width, at: (x, legend.height - height), lines });
        }
        legend
    }

    /// Draws it with its upper left corner in the given place.
    pub fn draw(&self, canvas: &Canvas, (left, top): Point) -> Drawn {
        for Entry { key, key_width, at, lines } in &self.entries {
            let (x, y) = (left + at.0, top + at.1 + SMALL_LINE / 2);
            key.draw(canvas, (x, y), *key_width)?;
            for (line, text) in (0..).zip(lines) {
                let baseline = y + SMALL * 36 / 100 + line * SMALL_LINE;
                canvas.text(text, (x + key_width + 4 * PT, baseline), Align::Left, SMALL, INK)?;
            }
        }
        Ok(())
    }
}

fn explanations<'a>(sheet: &'a Sheet, arrows: bool) -> Vec<(Key, &'a str)> {
    let mut found = Vec::new();
    if !sheet.cloud.is_empty() {
        found.push((Key::Cloud, "feasible points"));
    }
    let staircase = sheet.axes.iter().all(|axis| axis.maximise.is_some());
    let on_line = staircase && sheet.axes.len() == 2;
    if !sheet.front.is_empty() {
        found.push((if on_line { Key::FrontOnLine } else { Key::Front }, &sheet.front_label));
        if sheet.axes.len() > 2 {
            found.push((Key::Line, "front of the pair shown"));
        }
    }
    let others = sheet.compared.iter().enumerate();
    found.extend(others.map(|(at, (label, _))| (Key::Compared(at + 1, on_line), *label)));
    if let Some((label, _)) = sheet.marked {
        found.push((Key::Star, label));
    }
    found.extend(sheet.marks.iter().enumerate().map(|(shape, (label, _))| (Key::Mark(shape), *label)));
    if arrows {
        found.push((Key::Arrow, "towards better"));
    }
    found
}
