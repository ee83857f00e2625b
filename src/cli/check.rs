//! `nerarch-dse check`

use std::process::ExitCode;

use super::study::{Instead, Ready};
use super::{Failure, plan, verify};
use crate::explore::count_points;
use crate::ppa::{Constraint, Evaluator};
use crate::report::summary::{heading, short};
use crate::report::technique;
use crate::schedule::Method;
use crate::spec::{Diagnostics, Study};

/// Validates each sweep and prints what it resolves to, with the plan of a run on so many threads and the
/// verification of its schedules if that is wanted; the
/// faults of all of them are reported together.
pub fn run(sweeps: &[String], instead: &Instead, plan: Option<usize>, verify: bool) -> Result<ExitCode, Failure> {
    let mut faults = Vec::new();
    for sweep in sweeps {
        match check(sweep, instead, plan, verify) {
            Err(Failure::Input(Diagnostics(more))) => faults.extend(more),
            other => other?,
        }
    }
    if faults.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure::Input(Diagnostics(faults))) }
}

fn check(sweep: &str, instead: &Instead, threads: Option<usize>, verify: bool) -> Result<(), Failure> {
    Ready::load(sweep, instead, false)?.iter().try_for_each(|ready| show(ready, threads, verify))
}

fn show(ready: &Ready, threads: Option<usize>, verify: bool) -> Result<(), Failure> {
    let Ready { study, plan, space, .. } = ready;
    outln!("{}", heading(study));
    for workload in &plan.workloads {
        let tiles = if workload.equal_tiles { equal_tiles(study, workload.scene) } else { "as measured" };
        let order = match workload.method() {
            Method::Stream => "no operators compete for a unit".to_owned(),
            Method::List => format!("operators compete for units: {}", workload.policy()),
        };
        outln!("  workload   {}, {tiles}; {order}", workload.name);
    }
    for axis in &plan.axes {
        let tail = if axis.condition.is_some() { ", under a condition" } else { "" };
        let values = match (axis.is_continuous, &axis.labels[..]) {
            (true, [first, .., last]) => format!("{first} to {last} (continuous{tail})"),
            (_, labels) => format!("{} ({}{tail})", shortened(labels), labels.len()),
        };
        outln!("  axis       {} = {values}", axis.name);
    }
    let (mut first, mut last) = (Evaluator::new(plan), Evaluator::new(plan));
    first.evaluate(&vec![0; plan.axes.len()]);
    last.evaluate(&plan.axes.iter().map(|axis| axis.values.len().saturating_sub(1) as u32).collect::<Vec<_>>());
    for (at, (name, words)) in plan.parameters.iter().enumerate() {
        if plan.axes.iter().any(|axis| axis.varies(name)) {
            continue;
        }
        let text = |value: f64| match words {
            Some(words) => words.get(value as usize).cloned().unwrap_or_default(),
            None => short(value),
        };
        let (from, to) = (text(first.parameter(at)), text(last.parameter(at)));
        let moves = if from == to { String::new() } else { format!(" at the first point, {to} at the last") };
        outln!("  parameter  {name} = {from}{moves}");
    }
    for line in technique::lines(&technique::records(study, plan)) {
        outln!("  technique  {line}");
    }
    for objective in &plan.objectives {
        outln!("  objective  {} {}", objective.goal.name(), objective.name);
    }
    for constraint in &plan.constraints {
        let declared = study.sweep.constraints.iter().find(|declared| declared.name == constraint.name);
        let value = declared.and_then(|declared| declared.value.as_ref());
        let value = value.map_or_else(String::new, |value| format!(" ({})", value.text));
        outln!("  constraint {}{value}", bounds(constraint));
    }
    let ends = [("first", &first), ("last", &last)].map(|(word, evaluator)| (word, evaluator.narrow_edges(0)));
    let [(_, at_first), (_, at_last)] = &ends;
    for (word, edges) in &ends {
        // What both ends have is said once.
        for edge in edges.iter().filter(|edge| *word == "first" || !at_first.contains(edge)) {
            let place = if *word == "first" && at_last.contains(edge) { "first and last" } else { word };
            outln!("  warning    at the {place} point {edge}");
        }
    }
    let search = &study.sweep.search;
    outln!("  points     {} of {} ({})", count_points(space, search), space.points_text(), search.strategy.name());
    if let Some(threads) = threads {
        plan::print(ready, threads)?;
    }
    if verify {
        out!("  ");
        verify::run(ready)?;
    }
    outln!();
    Ok(())
}

/// Why the tiles of a scene are equal.
fn equal_tiles(study: &Study, scene: usize) -> &'static str {
    match study.sets_tiles_aside(scene) {
        true => "equal tiles (as the sweep says; they were measured)",
        false => "equal tiles (only totals are known)",
    }
}

/// A constraint with its bounds: `fps >= 30`.
fn bounds(constraint: &Constraint) -> String {
    let Constraint { name, min, max, .. } = constraint;
    match (min.is_finite(), max.is_finite()) {
        (true, false) => format!("{name} >= {}", short(*min)),
        (false, true) => format!("{name} <= {}", short(*max)),
        _ => format!("{} <= {name} <= {}", short(*min), short(*max)),
    }
}

/// The first and last values of a long list.
fn shortened(labels: &[String]) -> String {
    if labels.len() <= 12 {
        return labels.join(", ");
    }
    format!("{}, ..., {}", labels[..5].join(", "), labels[labels.len() - 2..].join(", "))
}
