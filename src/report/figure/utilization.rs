//! Utilization over time: one panel per unit, and one for the DRAM, over one axis of time.

use plotters::style::RGBColor;

use super::canvas::{
    Align, Canvas, Drawn, FAINT_INK, FRONT, INK, LARGE, MEDIUM, PT, Point, SERIES, SMALL, text_width, wrap,
};
use super::panel::Panel;
use super::pareto::FigureError;
use super::ticks::{Run, Scale};
use crate::report::utilization::UtilizationOverTime;

const WIDTH: i32 = 240 * PT;
const EDGE: i32 = 2 * PT;
/// Room of the tick labels, `100 %` at most, and of the last label of the time.
const LEFT: i32 = 27 * PT;
const RIGHT: i32 = 7 * PT;
/// A panel's name above it, its height, and the gap to the next one.
const HEAD: i32 = 9 * PT;
const HEIGHT: i32 = 26 * PT;
const GAP: i32 = 3 * PT;
/// Below the last panel: tick labels and the axis label.
const FOOT: i32 = 24 * PT;
/// Most panels: with more the figure is longer than a page.
const MOST_PANELS: usize = 24;
/// What waits for a memory, and the fastest moments of one.
const PALE_UNIT: RGBColor = RGBColor(0xA6, 0xCD, 0xE4);
const PALE_MEMORY: RGBColor = RGBColor(0xF2, 0xC0, 0x9C);

/// The utilization of one design over time, as wide as a column of a paper.
#[derive(Clone, Copy, Debug)]
pub struct UtilizationFigure<'a> {
    /// The bold line on top; none where it is empty.
    pub title: &'a str,
    /// What is drawn.
    pub courses: &'a UtilizationOverTime,
    /// A small line below.
    pub note: &'a str,
}

/// One panel: name, what is said beside it, the pale course and the full one before it.
struct Course<'a> {
    name: &'a str,
    beside: String,
    pale: (Vec<f64>, RGBColor),
    full: (Vec<f64>, RGBColor),
}

impl UtilizationFigure<'_> {
    /// Draws the figure; the same values give the same bytes.
    ///
    /// # Errors
    /// If there is nothing to draw or more panels than a page holds.
    pub fn svg(&self) -> Result<String, FigureError> {
        let courses = self.panels();
        let bins = self.courses.bins();
        if courses.is_empty() || courses.len() > MOST_PANELS || bins == 0 {
            return Err(FigureError::NoPoint);
        }
        let (from, to) = (self.courses.from_ms, self.courses.from_ms + bins as f64 * self.courses.bin_ms);
        if !(to > from && to.is_finite()) {
            return Err(FigureError::NotDrawable {
                point: self.courses.workload.clone(),
                axis: "time".into(),
                value: to,
            });
        }
        let across = Scale::exact((from, to), Run::Across(WIDTH - LEFT - RIGHT));
        let up = Scale::exact((0.0, 100.0), Run::Up(HEIGHT));
        let title = wrap(self.title, LARGE, WIDTH - 2 * EDGE);
        let note = wrap(self.note, SMALL, WIDTH - 2 * EDGE);
        let top = EDGE + title.len() as i32 * 11 * PT;
        let bottom = top + courses.len() as i32 * (HEAD + HEIGHT + GAP) - GAP;
        let height = bottom + FOOT + note.len() as i32 * 9 * PT + EDGE;
        Canvas::paint((WIDTH, height), |canvas| {
            for (line, text) in (1..).zip(&title) {
                canvas.bold(text, (EDGE, EDGE + line * 11 * PT - 2 * PT), LARGE, INK)?;
            }
            let mut above = top;
            for (at, course) in courses.iter().enumerate() {
                let width = WIDTH - LEFT - RIGHT;
                let (x, y) = ((0, &across), (1, &up));
                let panel = Panel { left: LEFT, top: above + HEAD, width, height: HEIGHT, x, y };
                course.draw(canvas, &panel, (from, self.courses.bin_ms))?;
                if at + 1 == courses.len() {
                    panel.across_ticks(canvas)?;
                }
                above += HEAD + HEIGHT + GAP;
            }
            canvas.text(
                "time (ms)",
                (LEFT + (WIDTH - LEFT - RIGHT) / 2, bottom + FOOT - 3 * PT),
                Align::Centre,
                MEDIUM,
                INK,
            )?;
            let beside = (EDGE + 6 * PT, (top + bottom) / 2);
            canvas.text("utilization (%)", beside, Align::Upwards, MEDIUM, INK)?;
            for (line, text) in (1..).zip(&note) {
                canvas.text(text, (EDGE, bottom + FOOT + line * 9 * PT - 2 * PT), Align::Left, SMALL, FAINT_INK)?;
            }
            Ok(())
        })
        .map_err(FigureError::Drawing)
    }

    /// Every unit that is occupied at all, then the DRAM.
    fn panels(&self) -> Vec<Course<'_>> {
        let working = self.courses.units.iter().filter(|unit| unit.occupied.iter().any(|share| *share > 0.0));
        let percent = |share: f64| 100.0 * share;
        let units = working.map(|unit| Course {
            name: &unit.name,
            beside: said(unit.utilization, "frame"),
            pale: (unit.occupied.iter().copied().map(percent).collect(), PALE_UNIT),
            full: (unit.computing.iter().copied().map(percent).collect(), FRONT),
        });
        let dram = self.courses.dram.iter().map(|(channel, peak)| {
            let shares = |rates: &[f64]| rates.iter().map(|rate| percent(rate / peak)).collect::<Vec<f64>>();
            let mean = channel.gb_per_s.iter().sum::<f64>() / channel.gb_per_s.len().max(1) as f64 / peak;
            Course {
                name: "DRAM",
                beside: said(mean, "peak"),
                pale: (shares(&channel.fastest_gb_per_s), PALE_MEMORY),
                full: (shares(&channel.gb_per_s), SERIES[1]),
            }
        });
        units.chain(dram).collect()
    }
}

/// A share as it stands beside a panel's name.
fn said(share: f64, of: &str) -> String {
    format!("{:.1} % of the {of}", 100.0 * share)
}

impl Course<'_> {
    fn draw(&self, canvas: &Canvas, panel: &Panel, time: (f64, f64)) -> Drawn {
        panel.grid(canvas)?;
        for (values, colour) in [&self.pale, &self.full] {
            for area in areas(panel, values, time) {
                canvas.polygon(area, *colour)?;
            }
        }
        panel.frame(canvas)?;
        panel.up_ticks(canvas)?;
        let (left, right, baseline) = (panel.left, panel.left + panel.width, panel.top - 2 * PT);
        canvas.text(&self.beside, (right, baseline), Align::Right, SMALL, FAINT_INK)?;
        let room = panel.width - text_width(&self.beside, SMALL) - 4 * PT;
        let name = wrap(self.name, SMALL, room);
        canvas.bold(name.first().map_or("", String::as_str), (left, baseline), SMALL, INK)
    }
}

/// The areas below a course of steps: one for each run of bins with something in them.
fn areas(panel: &Panel, values: &[f64], (from, width): (f64, f64)) -> Vec<Vec<Point>> {
    let mut areas: Vec<Vec<Point>> = Vec::new();
    let place = |bin: usize, value: f64| panel.place(&[from + bin as f64 * width, value.clamp(0.0, 100.0)]);
    for (bin, value) in values.iter().enumerate() {
        let (left, right) = (place(bin, *value), place(bin + 1, *value));
        let ground = panel.bottom();
        if left.1 >= ground {
            continue;
        }
        match areas.last_mut() {
            // The area goes on where the one before ended, at the same height or another.
            Some(area) if area.last() == Some(&(left.0, ground)) => {
                area.pop();
                if area.last().is_some_and(|last| last.1 == left.1) {
                    area.pop();
                } else {
                    area.push(left);
                }
                area.extend([right, (right.0, ground)]);
            }
            _ => areas.push(vec![(left.0, ground), left, right, (right.0, ground)]),
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::utilization::{PortCourse, UnitCourse};

    fn courses(computing: Vec<f64>) -> UtilizationOverTime {
        let bins = computing.len();
        UtilizationOverTime {
            workload: "box".into(),
            latency_ms: bins as f64,
            bottleneck: "a".into(),
            from_ms: 0.0,
            bin_ms: 1.0,
            units: vec![
                UnitCourse { name: "a".into(), utilization: 0.5, occupied: vec![1.0; bins], computing },
                UnitCourse {
                    name: "idle".into(),
                    utilization: 0.0,
                    occupied: vec![0.0; bins],
                    computing: vec![0.0; bins],
                },
            ],
            dram: Some((
                PortCourse {
                    memory: "dram".into(),
                    direction: "both".into(),
                    gb_per_s: vec![5.0; bins],
                    fastest_gb_per_s: vec![10.0; bins],
                },
                10.0,
            )),
            ports: Vec::new(),
        }
    }

    #[test]
    fn each_unit_that_works_and_the_dram_have_a_panel() {
        let courses = courses(vec![1.0, 1.0, 0.0, 0.5]);
        let svg = UtilizationFigure { title: "t", courses: &courses, note: "n" }.svg().expect("figure");
        for text in ["DRAM", "50.0 % of the frame", "time (ms)", "utilization (%)"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("idle"));
        // Two runs of bins compute: the first two, equal, and the last.
        assert_eq!(svg.matches("#0072B2").count(), 2);
    }

    #[test]
    fn neighbouring_steps_are_one_area_and_equal_ones_one_step() {
        let (across, up) = (Scale::exact((0.0, 4.0), Run::Across(400)), Scale::exact((0.0, 100.0), Run::Up(100)));
        let panel = Panel { left: 0, top: 0, width: 400, height: 100, x: (0, &across), y: (1, &up) };
        let areas = areas(&panel, &[50.0, 50.0, 100.0, 0.0], (0.0, 1.0));
        assert_eq!(areas, [vec![(0, 100), (0, 50), (200, 50), (200, 0), (300, 0), (300, 100)]]);
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        let courses = courses(Vec::new());
        assert!(UtilizationFigure { title: "", courses: &courses, note: "" }.svg().is_err());
    }
}
