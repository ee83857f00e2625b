//! The schedule as a picture: a lane per unit, a bar per stretch of work.

use std::fmt::Write;

use super::ir::ScheduledIr;
use super::words::{escaped, time};

const WIDTH: f64 = 1200.0;
const LEFT: f64 = 130.0;
const LANE: f64 = 46.0;
const TOP: f64 = 34.0;
/// Colours of operators in turn: Okabe & Ito's palette, which colour-blind readers tell apart, without black.
pub(super) const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900"];

/// The timeline.
pub fn timeline_svg(ir: &ScheduledIr) -> String {
    let units = ir.ppa.units.len();
    let height = TOP + LANE * units as f64 + 20.0;
    let scale = (WIDTH - LEFT - 20.0) / ir.schedule.makespan_cycles;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for tick in 0..=5 {
        let cycles = ir.schedule.makespan_cycles * (f64::from(tick) / 5.0);
        let x = LEFT + cycles * scale;
        let label = time(cycles, ir.ppa.clock_mhz);
        let anchor = if tick == 5 { "end" } else { "middle" };
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"18\" fill=\"#555\" text-anchor=\"{anchor}\">{label}</text><line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"24\" y2=\"{height}\" stroke=\"#ddd\"/>"
        );
    }
    for (at, unit) in ir.ppa.units.iter().enumerate() {
        let y = TOP + LANE * at as f64;
        let name = escaped(&unit.block.name);
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text><line x1=\"{LEFT}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#ccc\"/>",
            LEFT - 10.0,
            y + 24.0,
            WIDTH - 20.0,
            y + LANE - 4.0,
            y + LANE - 4.0
        );
    }
    for interval in &ir.schedule.intervals {
        let Some(operator) = ir.ppa.operators.get(interval.stage) else { continue };
        let groups = ir.ppa.units.get(operator.unit).map_or(1.0, |unit| unit.groups.max(1.0));
        let (offset, share) = interval.group.map_or((0.0, 1.0), |group| (group as f64 / groups, 1.0 / groups));
        let (x, width) = (LEFT + interval.start * scale, ((interval.end - interval.start) * scale).max(0.6));
        let (y, tall) = (TOP + LANE * operator.unit as f64 + offset * (LANE - 8.0), (LANE - 8.0) * share);
        let colour = COLOURS[interval.stage % COLOURS.len()];
        let title = escaped(&operator.name);
        let _ = write!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{tall:.2}\" fill=\"{colour}\"><title>{title}</title></rect>"
        );
        if width > 8.0 * operator.name.chars().count() as f64 && tall > 18.0 {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#fff\">{title}</text>",
                x + 5.0,
                y + tall / 2.0 + 5.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
