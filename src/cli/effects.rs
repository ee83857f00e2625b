//! Sensitivity of the objectives to the axes: table, CSV and figure.

use std::fmt::Write as _;

use super::study::Ready;
use crate::explore::sensitivity::{Method, Sensitivity};
use crate::report::figure::{Bars, EffectsFigure};
use crate::spec::diagnostic::{Diagnostic, Diagnostics};

/// Refuses what sensitivity cannot be found from.
///
/// # Errors
/// If the sweep wants it and its points are no fair sample.
pub fn check(ready: &Ready) -> Result<(), Diagnostics> {
    let sweep = &ready.study.sweep;
    let mut faults = Vec::new();
    if let Some(span) = &sweep.output.sensitivity
        && sweep.search.strategy.chooses_as_it_goes()
    {
        let message =
            format!("a `{}` search visits good points more often, which biases effects", sweep.search.strategy.name());
        let help = "remove \"sensitivity\", or visit the points fairly: grid, random, lhs, sobol";
        faults.push(Diagnostic::new(span, message).help(help));
    }
    if let Some(span) = &sweep.output.sensitivity
        && ready.plan.axes.iter().any(|axis| axis.condition.is_some())
    {
        let message = "axes that exist only under a condition are not independent, and effects would mean nothing";
        let help = "remove \"sensitivity\", or sweep each choice in a [[sweep]] of its own";
        faults.push(Diagnostic::new(span, message).help(help));
    }
    if let Some(span) = &sweep.output.convergence_figure
        && !sweep.search.strategy.chooses_as_it_goes()
    {
        let message = format!(
            "strategy \"{}\" knows its points beforehand and has no course to draw",
            sweep.search.strategy.name()
        );
        let help = "remove \"convergence\", or choose a search such as strategy = \"nsga2\"";
        faults.push(Diagnostic::new(span, message).help(help));
    }
    if faults.is_empty() { Ok(()) } else { Err(Diagnostics(faults)) }
}

/// The axes that vary: positions and names.
fn axes(ready: &Ready) -> Vec<(usize, &str)> {
    let axes = ready.plan.axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1);
    axes.map(|(at, axis)| (at, axis.name.as_str())).collect()
}

fn method(sensitivity: &Sensitivity) -> String {
    match sensitivity.method {
        Method::Grid => "exact on the full grid".into(),
        Method::Sample(points) => format!("estimated from {points} points"),
    }
}

/// The lines of the summary.
pub fn text(ready: &Ready, sensitivity: &Sensitivity) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (objective, effects) in ready.plan.objectives.iter().zip(&sensitivity.effects) {
        let Some(effects) = effects else {
            let _ = writeln!(text, "  effects     {} does not vary", objective.name);
            continue;
        };
        let _ = writeln!(text, "  effects     on {}, main and total, {}", objective.name, method(sensitivity));
        for (at, name) in axes(ready) {
            let _ = writeln!(text, "              {name:<18} {:.3}  {:.3}", effects.main[at], effects.total[at]);
        }
    }
    text
}

/// `sensitivity.csv`.
///
/// # Errors
/// If a name cannot be written.
pub fn csv(ready: &Ready, sensitivity: &Sensitivity) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["objective", "axis", "main", "total", "method", "points"])?;
    let (method, points) = match sensitivity.method {
        Method::Grid => ("grid", ready.space.points()),
        Method::Sample(points) => ("sample", points as u64),
    };
    for (objective, effects) in ready.plan.objectives.iter().zip(&sensitivity.effects) {
        let Some(effects) = effects else { continue };
        for (at, name) in axes(ready) {
            let (main, total) = (effects.main[at].to_string(), effects.total[at].to_string());
            writer.write_record([&objective.name, name, &main, &total, method, &points.to_string()])?;
        }
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// The figure; `None` if nothing varies.
pub fn draw(ready: &Ready, sensitivity: &Sensitivity) -> Option<String> {
    let axes = axes(ready);
    let names: Vec<&str> = axes.iter().map(|(_, name)| *name).collect();
    let objectives: Vec<Bars<'_>> = ready
        .plan
        .objectives
        .iter()
        .zip(&sensitivity.effects)
        .filter_map(|(objective, effects)| {
            let effects = effects.as_ref()?;
            let pairs = axes.iter().map(|(at, _)| (effects.main[*at], effects.total[*at])).collect();
            Some(Bars { label: &objective.label, effects: pairs })
        })
        .collect();
    let title = format!("What decides the objectives ({})", ready.study.sweep.name);
    let note = format!("shares of the variance, {}", method(sensitivity));
    EffectsFigure { title: &title, axes: &names, objectives: &objectives, note: &note }.svg().ok()
}
