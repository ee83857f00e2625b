//! The schedule as a picture: a lane per unit, a bar per stretch of work.

use std::fmt::Write;

use super::colours::of_category;
use super::ir::ScheduledIr;
use super::words::{cut, escaped, time};
use crate::ppa::breakdown::OperatorShare;
use crate::spec::kind::CATEGORIES;

const WIDTH: f64 = 1200.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 20.0;
const LANE: f64 = 46.0;
const TOP: f64 = 34.0;
const LEGEND: f64 = 34.0;
const TICKS: u32 = 5;
/// Letters of a unit's name that fit beside its lane.
const LETTERS: usize = 16;
/// Width of a letter in a bar.
const LETTER: f64 = 8.0;

/// The timeline. The bars stand in a picture of their own, `class="bars"`, which the page stretches.
pub fn timeline_svg(ir: &ScheduledIr) -> String {
    let lanes = TOP + LANE * ir.ppa.units.len() as f64;
    let height = lanes + LEGEND;
    let room = WIDTH - LEFT - RIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    for tick in 0..=TICKS {
        let share = f64::from(tick) / f64::from(TICKS);
        let x = LEFT + share * room;
        let label = time(share * ir.schedule.makespan_cycles, ir.ppa.clock_mhz);
        let anchor = if tick == TICKS { "end" } else { "middle" };
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"18\" fill=\"#555\" text-anchor=\"{anchor}\">{label}</text><line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"24\" y2=\"{lanes}\" stroke=\"#ddd\"/>"
        );
    }
    for (at, unit) in ir.ppa.units.iter().enumerate() {
        let y = TOP + LANE * at as f64;
        let name = &unit.block.name;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\"><title>{}</title>{}</text><line x1=\"{LEFT}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#ccc\"/>",
            LEFT - 10.0,
            y + 24.0,
            escaped(name),
            escaped(&cut(name, LETTERS)),
            WIDTH - RIGHT,
            y + LANE - 4.0,
            y + LANE - 4.0
        );
    }
    let (bars, labels) = bars(ir, room);
    let view = format!("x=\"{LEFT}\" y=\"0\" width=\"{room}\" height=\"{lanes}\" viewBox=\"0 0 {room} {lanes}\"");
    let _ = write!(
        svg,
        "<svg class=\"bars\" {view} preserveAspectRatio=\"none\">{bars}</svg><svg class=\"labels\" {view} pointer-events=\"none\">{labels}</svg>"
    );
    svg.push_str(&legend(ir, lanes));
    svg.push_str("</svg>\n");
    svg
}

/// The bars, and the names on those that are wide enough.
fn bars(ir: &ScheduledIr, room: f64) -> (String, String) {
    let (mut bars, mut labels) = (String::new(), String::new());
    let scale = room / ir.schedule.makespan_cycles;
    let at = |cycles: f64| time(cycles, ir.ppa.clock_mhz);
    for interval in &ir.schedule.intervals {
        let Some(operator) = ir.ppa.operators.get(interval.stage) else { continue };
        let groups = ir.ppa.units.get(operator.unit).map_or(1.0, |unit| unit.groups.max(1.0));
        let (offset, share) = interval.group.map_or((0.0, 1.0), |group| (group as f64 / groups, 1.0 / groups));
        let (x, width) = (interval.start * scale, ((interval.end - interval.start) * scale).max(0.6));
        let (y, tall) = (TOP + LANE * operator.unit as f64 + offset * (LANE - 8.0), (LANE - 8.0) * share);
        let (fill, ink) = look(operator);
        // A thin line tells neighbours apart without hiding a bar that is thin itself.
        let rim = if width > 3.0 && tall > 3.0 { " stroke=\"#fff\" stroke-width=\"0.7\"" } else { "" };
        let name = escaped(&operator.name);
        let tile = if operator.tiles > 1.0 { format!(", chunk {}", interval.tile + 1) } else { String::new() };
        let _ = write!(
            bars,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{tall:.2}\" fill=\"{fill}\"{rim} data-name=\"{name}\" data-ink=\"{ink}\"><title>{name}{tile}: {} to {}</title></rect>",
            at(interval.start),
            at(interval.end)
        );
        if width > LETTER * operator.name.chars().count() as f64 && tall > 18.0 {
            let (x, y) = (x + 5.0, y + tall / 2.0 + 5.0);
            let _ = write!(labels, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\">{name}</text>");
        }
    }
    (bars, labels)
}

/// Colour of an operator's bars, and of the text on them.
fn look(operator: &OperatorShare) -> (&'static str, &'static str) {
    let (forward, backward) = of_category(&operator.category);
    if is_backward(operator) { (backward, "#fff") } else { (forward, "#1a1a1a") }
}

fn is_backward(operator: &OperatorShare) -> bool {
    operator.pass == crate::spec::kind::Pass::Backward.name()
}

/// The families that occur.
fn legend(ir: &ScheduledIr, top: f64) -> String {
    let mut legend = String::new();
    let mut x = LEFT;
    for category in CATEGORIES {
        for backward in [false, true] {
            let occurs = |operator: &OperatorShare| operator.category == category && is_backward(operator) == backward;
            let Some(operator) = ir.ppa.operators.iter().find(|operator| occurs(operator)) else { continue };
            let text = if backward { format!("{category}, backward") } else { category.to_owned() };
            let _ = write!(
                legend,
                "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"/><text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#555\">{text}</text>",
                top + 12.0,
                look(operator).0,
                x + 20.0,
                top + 24.0
            );
            x += 36.0 + 6.4 * text.chars().count() as f64;
        }
    }
    legend
}
