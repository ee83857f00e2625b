//! The course of a search: its hypervolume against what it took.

use super::canvas::{
    Align, Canvas, Drawn, FAINT_INK, FRONT, FRONT_DISC, FRONT_LINE, INK, LARGE, MEDIUM, PAPER, PT, Point, SMALL, wrap,
};
use super::panel::{Panel, label_room};
use super::pareto::FigureError;
use super::ticks::{Run, Scale};

const WIDTH: i32 = 240 * PT;
const HEIGHT: i32 = 120 * PT;
const EDGE: i32 = 2 * PT;
/// Below the panel: tick labels and the axis label.
const FOOT: i32 = 24 * PT;

/// A search's hypervolume against evaluations or seconds, as wide as a column of a paper.
#[derive(Clone, Copy, Debug)]
pub struct CourseFigure<'a> {
    /// The bold line on top; none where it is empty.
    pub title: &'a str,
    /// What runs across: `evaluations` or `seconds`.
    pub across: &'a str,
    /// Pairs of that and the hypervolume, in order.
    pub steps: &'a [(f64, f64)],
    /// Unit of the hypervolume; none where it is empty.
    pub unit: &'a str,
    /// A small line below.
    pub note: &'a str,
}

impl CourseFigure<'_> {
    /// Draws the figure; the same values give the same bytes.
    ///
    /// # Errors
    /// If there is no step, or a value is not finite.
    pub fn svg(&self) -> Result<String, FigureError> {
        let (first, rest) = self.steps.split_first().ok_or(FigureError::NoPoint)?;
        let mut ranges = [(first.0, first.0), (first.1, first.1)];
        for (x, y) in std::iter::once(first).chain(rest) {
            for (axis, value, range) in [(self.across, *x, 0), ("hypervolume", *y, 1)] {
                if value.is_nan() || value.abs() > 1e300 {
                    let (point, axis) = ("a step of the search".into(), axis.to_owned());
                    return Err(FigureError::NotDrawable { point, axis, value });
                }
                ranges[range] = (ranges[range].0.min(value), ranges[range].1.max(value));
            }
        }
        let up = Scale::new(ranges[1], Run::Up(HEIGHT));
        let left = EDGE + 12 * PT + label_room(&up) + 3 * PT;
        let across = Scale::new(ranges[0], Run::Across(WIDTH - left - 7 * PT));
        let title = wrap(self.title, LARGE, WIDTH - 2 * EDGE);
        let note = wrap(self.note, SMALL, WIDTH - 2 * EDGE);
        let top = EDGE + title.len() as i32 * 11 * PT + 2 * PT;
        let panel = Panel { left, top, width: WIDTH - left - 7 * PT, height: HEIGHT, x: (0, &across), y: (1, &up) };
        let height = top + HEIGHT + FOOT + note.len() as i32 * 9 * PT + EDGE;
        Canvas::paint((WIDTH, height), |canvas| {
            for (line, text) in (1..).zip(&title) {
                canvas.bold(text, (EDGE, EDGE + line * 11 * PT - 2 * PT), LARGE, INK)?;
            }
            self.draw(canvas, &panel)?;
            for (line, text) in (1..).zip(&note) {
                let baseline = top + HEIGHT + FOOT + line * 9 * PT - 2 * PT;
                canvas.text(text, (EDGE, baseline), Align::Left, SMALL, FAINT_INK)?;
            }
            Ok(())
        })
        .map_err(FigureError::Drawing)
    }

    fn draw(&self, canvas: &Canvas, panel: &Panel) -> Drawn {
        panel.grid(canvas)?;
        panel.frame(canvas)?;
        panel.across_ticks(canvas)?;
        panel.up_ticks(canvas)?;
        let places: Vec<Point> = self.steps.iter().map(|(x, y)| panel.place(&[*x, *y])).collect();
        canvas.line(&places, FRONT, FRONT_LINE)?;
        for place in places {
            canvas.disc(place, FRONT_DISC * 4 / 5 + 4, PAPER)?;
            canvas.disc(place, FRONT_DISC * 4 / 5, FRONT)?;
        }
        let middle = (panel.left + panel.width / 2, panel.top + panel.height + FOOT - 3 * PT);
        canvas.text(self.across, middle, Align::Centre, MEDIUM, INK)?;
        let beside = (EDGE + 8 * PT, panel.top + panel.height / 2);
        let label = if self.unit.is_empty() { "hypervolume".into() } else { format!("hypervolume ({})", self.unit) };
        canvas.text(&label, beside, Align::Upwards, MEDIUM, INK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: CourseFigure =
        CourseFigure { title: "", across: "evaluations", steps: &[], unit: "ms · W", note: "" };

    #[test]
    fn every_step_is_a_disc_on_the_line_and_nothing_is_drawn_of_what_is_no_number() {
        let svg = CourseFigure { steps: &[(1.0, 0.0), (2.0, 0.5), (128.0, 0.75)], ..PLAIN }.svg().expect("figure");
        assert_eq!(svg.matches(r##"fill="#0072B2" stroke="none""##).count(), 3);
        assert!(svg.contains("evaluations") && svg.contains("hypervolume (ms · W)"));
        assert!(matches!(PLAIN.svg(), Err(FigureError::NoPoint)));
        let bad = CourseFigure { steps: &[(1.0, f64::NAN)], ..PLAIN }.svg();
        assert!(matches!(bad, Err(FigureError::NotDrawable { .. })));
    }
}
