//! Effects of axes on objectives as bars.

use super::canvas::{
    Align, Canvas, Drawn, FAINT_INK, FRAME, FRONT, GRID, INK, LARGE, MEDIUM, PT, Point, SMALL, text_width, wrap,
};
use super::pareto::FigureError;
use plotters::style::RGBColor;

const WIDTH: i32 = 240 * PT;
const EDGE: i32 = 2 * PT;
/// Of one axis: two bars and the space around them.
const ROW: i32 = 13 * PT;
const BAR: i32 = 5 * PT;
const LINE: i32 = 9 * PT;
/// Room for the numbers behind the bars.
const NUMBERS: i32 = 36 * PT;
/// A lighter tone of the front's blue.
const TOTAL: RGBColor = RGBColor(0xA6, 0xCE, 0xE3);

/// What an objective's bars show.
#[derive(Clone, Debug)]
pub struct Bars<'a> {
    /// The objective with its unit.
    pub label: &'a str,
    /// Main and total effect of each axis.
    pub effects: Vec<(f64, f64)>,
}

/// Main and total effects, an objective below the other, as wide as a column of a paper.
#[derive(Clone, Copy, Debug)]
pub struct EffectsFigure<'a> {
    /// The bold line on top; none where it is empty.
    pub title: &'a str,
    /// The axes' names.
    pub axes: &'a [&'a str],
    /// The objectives, each with as many effects as there are axes, all from 0 to 1.
    pub objectives: &'a [Bars<'a>],
    /// A small line below.
    pub note: &'a str,
}

impl EffectsFigure<'_> {
    /// Draws the figure; the same values give the same bytes.
    ///
    /// # Errors
    /// If there is nothing to draw or an objective has another number of effects.
    pub fn svg(&self) -> Result<String, FigureError> {
        if self.axes.is_empty() || self.objectives.is_empty() {
            return Err(FigureError::NoPoint);
        }
        for Bars { label, effects } in self.objectives {
            if effects.len() != self.axes.len() {
                let (point, given) = (format!("objective `{label}`"), effects.len());
                return Err(FigureError::WrongLength { point, given, axes: self.axes.len() });
            }
        }
        let title = wrap(self.title, LARGE, WIDTH - 2 * EDGE);
        let note = wrap(self.note, SMALL, WIDTH - 2 * EDGE);
        let widest = self.axes.iter().map(|axis| text_width(axis, SMALL)).max().unwrap_or(0);
        let left = EDGE + widest.min(WIDTH / 3) + 4 * PT;
        let top = EDGE + title.len() as i32 * 11 * PT + LINE + 2 * PT;
        let panel = self.axes.len() as i32 * ROW;
        let bottom = top + self.objectives.len() as i32 * (panel + 13 * PT);
        let height = bottom + LINE + note.len() as i32 * LINE + EDGE;
        Canvas::paint((WIDTH, height), |canvas| {
            for (line, text) in (1..).zip(&title) {
                canvas.bold(text, (EDGE, EDGE + line * 11 * PT - 2 * PT), LARGE, INK)?;
            }
            legend(canvas, (EDGE, top - LINE))?;
            for (at, objective) in (0..).zip(self.objectives) {
                self.panel(canvas, objective, (left, top + at * (panel + 13 * PT)))?;
            }
            for tick in 0..=4 {
                let x = across(left, f64::from(tick) / 4.0);
                canvas.text(&(f64::from(tick) / 4.0).to_string(), (x, bottom + 5 * PT), Align::Centre, SMALL, INK)?;
            }
            for (line, text) in (1..).zip(&note) {
                let baseline = bottom + LINE + line * LINE - 2 * PT;
                canvas.text(text, (EDGE, baseline), Align::Left, SMALL, FAINT_INK)?;
            }
            Ok(())
        })
        .map_err(FigureError::Drawing)
    }

    fn panel(&self, canvas: &Canvas, objective: &Bars, (left, top): Point) -> Drawn {
        canvas.text(objective.label, (EDGE, top + 9 * PT), Align::Left, MEDIUM, INK)?;
        let top = top + 12 * PT;
        let bottom = top + self.axes.len() as i32 * ROW;
        for tick in 0..=4 {
            let x = across(left, f64::from(tick) / 4.0);
            canvas.line(&[(x, top), (x, bottom)], GRID, 4)?;
        }
        for (row, (axis, (main, total))) in (0..).zip(self.axes.iter().zip(&objective.effects)) {
            let middle = top + row * ROW + ROW / 2;
            canvas.text(axis, (left - 3 * PT, middle + SMALL * 36 / 100), Align::Right, SMALL, INK)?;
            bar(canvas, left, middle - BAR, *main, FRONT)?;
            bar(canvas, left, middle, *total, TOTAL)?;
            let numbers = format!("{main:.2} / {total:.2}");
            let at = (across(left, main.max(*total)) + 3 * PT, middle + SMALL * 36 / 100);
            canvas.text(&numbers, at, Align::Left, SMALL, FAINT_INK)?;
        }
        canvas.line(&[(left, top), (left, bottom)], FRAME, 5)
    }
}

fn across(left: i32, share: f64) -> i32 {
    left + (share.clamp(0.0, 1.0) * f64::from(WIDTH - NUMBERS - EDGE - left)).round() as i32
}

fn bar(canvas: &Canvas, left: i32, top: i32, share: f64, colour: RGBColor) -> Drawn {
    let right = across(left, share);
    canvas.polygon(vec![(left, top), (right, top), (right, top + BAR), (left, top + BAR)], colour)
}

fn legend(canvas: &Canvas, (left, top): Point) -> Drawn {
    let mut x = left;
    for (colour, text) in [(FRONT, "alone (main effect)"), (TOTAL, "with interactions (total effect)")] {
        let (upper, lower) = (top + 2 * PT, top + 7 * PT);
        canvas.polygon(vec![(x, upper), (x + 7 * PT, upper), (x + 7 * PT, lower), (x, lower)], colour)?;
        canvas.text(text, (x + 10 * PT, lower), Align::Left, SMALL, INK)?;
        x += 18 * PT + text_width(text, SMALL);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_is_a_bar_with_its_numbers() {
        let objectives = [Bars { label: "latency (ms)", effects: vec![(0.25, 0.5), (0.75, 1.0)] }];
        let figure = EffectsFigure { title: "", axes: &["ccu", "qsu"], objectives: &objectives, note: "" };
        let svg = figure.svg().expect("figure");
        // Two bars of each tone, and one in the legend.
        assert_eq!(svg.matches("#0072B2").count(), 3);
        assert_eq!(svg.matches("#A6CEE3").count(), 3);
        assert!(svg.contains("0.75 / 1.00"), "{svg}");
        let wrong = EffectsFigure { axes: &["ccu"], ..figure };
        assert!(matches!(wrong.svg(), Err(FigureError::WrongLength { given: 2, axes: 1, .. })));
    }
}
