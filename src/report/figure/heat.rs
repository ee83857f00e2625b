//! The tiles of a screen coloured by what they cost, one panel for each camera.

use plotters::style::RGBColor;

use super::canvas::{Align, Canvas, Drawing, Drawn, FAINT_INK, FRAME, INK, LARGE, PT, Point, SMALL, wrap_at_most};
use super::pareto::FigureError;
use super::ticks::{Run, Scale};
use crate::report::tiles::TileLoad;

/// Most panels of a figure.
pub const MAX_PANELS: usize = 24;

/// Width of the page and what is left free at its edges.
const WIDTH: i32 = 504 * PT;
const EDGE: i32 = 6 * PT;
/// Between panels, and the two lines of text above each.
const GAP: i32 = 8 * PT;
const CAPTION: i32 = 22 * PT;
/// The colour bar with its ticks and label.
const BAR: i32 = 9 * PT;
const BAR_BLOCK: i32 = BAR + 26 * PT;
/// Most panels side by side.
const COLUMNS: usize = 4;

/// Viridis at nine equal steps (Smith & van der Walt, matplotlib 2.0, CC0): perceptually uniform, and its lightness alone
/// tells the order, in grey print and to colour-blind readers.
const VIRIDIS: [(u8, u8, u8); 9] = [
    (0x44, 0x01, 0x54),
    (0x47, 0x2D, 0x7B),
    (0x3B, 0x52, 0x8B),
    (0x2C, 0x72, 0x8E),
    (0x21, 0x91, 0x8C),
    (0x28, 0xAE, 0x80),
    (0x5E, 0xC9, 0x62),
    (0xAD, 0xDC, 0x30),
    (0xFD, 0xE7, 0x25),
];

/// Shades that are told apart; neighbouring tiles of one shade are drawn as one.
const SHADES: usize = 48;
/// How far a tile reaches under its neighbours.
const OVERLAP: i32 = 2;
/// Tiles without work.
const EMPTY: RGBColor = RGBColor(0xF2, 0xF2, 0xF2);

/// Every tile of some screens by its cycles over the longest of its screen; each caption says what that is over the mean.
#[derive(Clone, Copy, Debug)]
pub struct TileFigure<'a> {
    /// The bold line on top; none where it is empty.
    pub title: &'a str,
    /// One panel each.
    pub loads: &'a [TileLoad],
    /// A small line below.
    pub note: &'a str,
}

impl TileFigure<'_> {
    /// Draws the figure. The same values give the same bytes.
    ///
    /// # Errors
    /// There is no tile with work, or there are more than [`MAX_PANELS`] screens.
    pub fn svg(&self) -> Result<String, FigureError> {
        if self.loads.is_empty() || self.loads.iter().any(|load| load.mean().is_nan() || load.mean() <= 0.0) {
            return Err(FigureError::NoPoint);
        }
        if self.loads.len() > MAX_PANELS {
            return Err(FigureError::TooManyPanels { given: self.loads.len() });
        }
        self.draw().map_err(FigureError::Drawing)
    }

    fn draw(&self) -> Drawing<String> {
        let columns = self.loads.len().min(COLUMNS);
        let width = (WIDTH - 2 * EDGE - (columns as i32 - 1) * GAP) / columns as i32;
        let height = |load: &TileLoad| width * load.grid.1 as i32 / load.grid.0.max(1) as i32;
        let title = wrap_at_most(2, self.title, "", LARGE, WIDTH - 2 * EDGE);
        let note = wrap_at_most(3, self.note, "", SMALL, WIDTH - 2 * EDGE);
        let top = EDGE + 12 * PT * title.len() as i32;
        let rows: Vec<i32> =
            self.loads.chunks(columns).map(|row| CAPTION + row.iter().map(height).max().unwrap_or(0)).collect();
        let panels: i32 = rows.iter().map(|row| row + GAP).sum();
        let total = top + panels + BAR_BLOCK + 9 * PT * note.len() as i32 + EDGE;
        Canvas::paint((WIDTH, total), |canvas| {
            for (at, line) in title.iter().enumerate() {
                canvas.bold(line, (EDGE, EDGE + 9 * PT + 12 * PT * at as i32), LARGE, INK)?;
            }
            let mut y = top;
            for (row, tall) in self.loads.chunks(columns).zip(&rows) {
                for (at, load) in row.iter().enumerate() {
                    let left = EDGE + at as i32 * (width + GAP);
                    panel(canvas, load, (left, y), (width, height(load)))?;
                }
                y += tall + GAP;
            }
            bar(canvas, (EDGE, y))?;
            for (at, line) in note.iter().enumerate() {
                let below = y + BAR_BLOCK + 7 * PT + 9 * PT * at as i32;
                canvas.text(line, (EDGE, below), Align::Left, SMALL, FAINT_INK)?;
            }
            Ok(())
        })
    }
}

fn panel(canvas: &Canvas, load: &TileLoad, (left, top): Point, (width, height): Point) -> Drawn {
    let captions = [
        wrap_at_most(1, &load.workload, "", SMALL, width),
        vec![format!("{}: longest {:.1} x mean", load.operator, load.peak())],
    ];
    for (line, (at, colour)) in captions.iter().flatten().zip([(8 * PT, INK), (17 * PT, FAINT_INK)]) {
        canvas.text(line, (left, top + at), Align::Left, SMALL, colour)?;
    }
    let top = top + CAPTION;
    let (columns, rows) = load.grid;
    let x = |column: usize| left + (width as i64 * column as i64 / columns.max(1) as i64) as i32;
    let y = |row: usize| top + (height as i64 * row as i64 / rows.max(1) as i64) as i32;
    rectangle(canvas, (left, top), (left + width, top + height), EMPTY)?;
    let longest = load.peak() * load.mean();
    let shades: Vec<(usize, usize)> =
        load.index.iter().zip(&load.cycles).map(|(tile, cycles)| (*tile as usize, shade(cycles / longest))).collect();
    let follows =
        |a: &(usize, usize), b: &(usize, usize)| b.0 == a.0 + 1 && !b.0.is_multiple_of(columns.max(1)) && a.1 == b.1;
    for run in shades.chunk_by(follows) {
        let ((first, shade), (last, _)) = (run[0], run[run.len() - 1]);
        let row = first / columns.max(1);
        if row < rows {
            let corner = (x(first % columns), y(row));
            // What follows to the right and below covers the overlap, without which viewers show the paper between tiles.
            let end = ((x(last % columns + 1) + OVERLAP).min(left + width), (y(row + 1) + OVERLAP).min(top + height));
            rectangle(canvas, corner, end, colour(shade))?;
        }
    }
    let (right, bottom) = (left + width, top + height);
    let frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    canvas.line(&frame, FRAME, 5)
}

/// The colour bar with its ticks.
fn bar(canvas: &Canvas, (left, top): Point) -> Drawn {
    let length = WIDTH / 2;
    for shade in 0..SHADES {
        let x = |shade: usize| left + length * shade as i32 / SHADES as i32;
        rectangle(canvas, (x(shade), top), (left + length, top + BAR), colour(shade))?;
    }
    let scale = Scale::new((0.0, 1.0), Run::Across(length));
    // The axis leaves a margin beyond its data that the bar does not have.
    let (from, to) = (scale.at(0.0), scale.at(1.0));
    for tick in scale.major_ticks() {
        let share = (tick.at - from) / (to - from);
        if (-1e-9..=1.0 + 1e-9).contains(&share) {
            let x = left + (share * f64::from(length)) as i32;
            canvas.line(&[(x, top + BAR), (x, top + BAR + 3 * PT)], FRAME, 5)?;
            canvas.text(&tick.label, (x, top + BAR + 11 * PT), Align::Centre, SMALL, INK)?;
        }
    }
    canvas.text(
        "cycles of a tile over the longest of its screen",
        (left, top + BAR + 21 * PT),
        Align::Left,
        SMALL,
        INK,
    )?;
    let empty = left + length + 20 * PT;
    rectangle(canvas, (empty, top), (empty + BAR, top + BAR), EMPTY)?;
    let corner = (empty + BAR, top + BAR);
    canvas.line(&[(empty, top), (corner.0, top), corner, (empty, corner.1), (empty, top)], FRAME, 5)?;
    canvas.text("no work", (empty + BAR + 4 * PT, top + 7 * PT), Align::Left, SMALL, INK)
}

fn rectangle(canvas: &Canvas, (left, top): Point, (right, bottom): Point, colour: RGBColor) -> Drawn {
    canvas.polygon(vec![(left, top), (right, top), (right, bottom), (left, bottom)], colour)
}

/// The shade of a value between 0 and 1.
fn shade(value: f64) -> usize {
    ((value * SHADES as f64) as usize).min(SHADES - 1)
}

fn colour(shade: usize) -> RGBColor {
    let steps = VIRIDIS.len() - 1;
    let at = shade as f64 / (SHADES - 1) as f64 * steps as f64;
    let low = (at as usize).min(steps - 1);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * (at - low as f64)).round() as u8;
    let (a, b) = (VIRIDIS[low], VIRIDIS[low + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(cycles: Vec<f64>) -> TileLoad {
        let index = (0..cycles.len() as u32).collect();
        TileLoad { workload: "box".into(), operator: "blend".into(), grid: (3, 2), index, cycles }
    }

    #[test]
    fn lightness_grows_along_the_scale() {
        // Relative luminance of ITU-R BT.709 on the stored values.
        let light = |shade| {
            let RGBColor(r, g, b) = colour(shade);
            0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
        };
        assert!((1..SHADES).all(|at| light(at) > light(at - 1)));
        assert_eq!((colour(0), colour(SHADES - 1)), (RGBColor(0x44, 0x01, 0x54), RGBColor(0xFD, 0xE7, 0x25)));
    }

    #[test]
    fn the_longest_tile_has_the_last_colour_and_equal_neighbours_are_one() {
        // Two rows of three: 1 1 8 | 1 1 0. Two pairs of ones, one eight, one zero: four rectangles of tiles.
        let loads = [load(vec![1.0, 1.0, 8.0, 1.0, 1.0, 0.0])];
        let svg = TileFigure { title: "t", loads: &loads, note: "n" }.svg().expect("figure");
        let of = |colour: &str| svg.matches(colour).count();
        // Each shade once in the bar; the eight besides.
        assert_eq!(of("#FDE725"), 2);
        let RGBColor(r, g, b) = colour(shade(1.0 / 8.0));
        assert_eq!(of(&format!("#{r:02X}{g:02X}{b:02X}")), 3);
        assert!(svg.contains("longest 4.0 x mean"), "{svg}");
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        assert!(TileFigure { title: "", loads: &[], note: "" }.svg().is_err());
        assert!(TileFigure { title: "", loads: &[load(vec![0.0])], note: "" }.svg().is_err());
        let many = vec![load(vec![1.0]); MAX_PANELS + 1];
        assert!(TileFigure { title: "", loads: &many, note: "" }.svg().is_err());
    }
}
