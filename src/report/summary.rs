//! The summary of a run, for a terminal.

use std::fmt::Write as _;

use super::technique;
use crate::explore::beyond::Beyond;
use crate::explore::dead::{DeadKnob, GROUPS};
use crate::explore::exact::Certificate;
use crate::explore::{Space, Summary};
use crate::ppa::metric::BOTTLENECK;
use crate::ppa::{Axis, Outcome, Plan, WorkloadPlan};
use crate::spec::Study;
use crate::spec::sweep::Goal;

/// The declared design beside the front.
pub struct Reference {
    /// What came out of it.
    pub outcome: Outcome,
    /// Its objectives.
    pub objectives: Vec<f64>,
    /// Its metrics, as [`crate::ppa::Evaluator::metrics`] gives them.
    pub metrics: Vec<f64>,
    /// Whether a point of the front is better in everything.
    pub dominated: bool,
}

/// A number with four significant digits, without an exponent where that reads well.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..7).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.*}", (3 - magnitude).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Name and value of every axis at a point.
pub fn point_text(plan: &Plan, space: &Space, index: u64) -> String {
    let mut digits = Vec::new();
    space.digits(index, &mut digits);
    let parts: Vec<String> = plan
        .axes
        .iter()
        .enumerate()
        .zip(&digits)
        .filter(|((at, axis), _)| axis.values.len() > 1 && space.is_there(*at, &digits))
        .map(|((_, axis), digit)| format!("{} {}", axis.name, value_text(axis, *digit as usize)))
        .collect();
    if parts.is_empty() { "the only point".into() } else { parts.join(", ") }
}

/// A value as it is written; of a continuous axis seven digits, which tell its values apart.
fn value_text(axis: &Axis, digit: usize) -> String {
    match axis.is_continuous && axis.members.is_empty() {
        true => format!("{:.6e}", axis.values[digit]).parse::<f64>().unwrap_or(axis.values[digit]).to_string(),
        false => axis.labels[digit].clone(),
    }
}

/// The text after a run.
pub fn render(
    study: &Study,
    plan: &Plan,
    space: &Space,
    summary: &Summary,
    reference: Option<&Reference>,
    files: &str,
    seconds: f64,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut text, study, plan, space, summary, reference, files, seconds);
    text
}

/// What a study is about, in a line: `gscore: pipeline "3DGS on GSCore", hardware "GSCore", 28 nm`.
pub fn heading(study: &Study) -> String {
    let Study { sweep, pipeline, hardware, .. } = study;
    format!("{}: pipeline \"{}\", hardware \"{}\", {} nm", sweep.name, pipeline.name, hardware.name, hardware.node_nm)
}

#[allow(clippy::too_many_arguments)]
fn write_all(
    out: &mut String,
    study: &Study,
    plan: &Plan,
    space: &Space,
    summary: &Summary,
    reference: Option<&Reference>,
    files: &str,
    seconds: f64,
) -> std::fmt::Result {
    let names: Vec<&str> = plan.workloads.iter().map(|workload| workload.name.as_str()).collect();
    writeln!(out, "{}", heading(study))?;
    let boundary: Vec<&str> = study.hardware.boundary.iter().map(|boundary| boundary.name()).collect();
    writeln!(
        out,
        "  scenes      {} (objectives: {}); energy and power of {}",
        names.join(", "),
        plan.aggregate.name(),
        boundary.join(" + ")
    )?;
    if let Some(technology) = &plan.technology {
        writeln!(out, "  technology  {technology}")?;
    }
    let measured = |workload: &&WorkloadPlan| study.sets_tiles_aside(workload.scene);
    let (asked, unknown): (Vec<&WorkloadPlan>, Vec<&WorkloadPlan>) =
        plan.workloads.iter().filter(|workload| workload.equal_tiles).partition(measured);
    for (workloads, why) in [
        (unknown, "only totals are known, so every tile is taken as equal"),
        (asked, "every tile is taken as equal, as the sweep says; they were measured"),
    ] {
        let names: Vec<&str> = workloads.iter().map(|workload| workload.name.as_str()).collect();
        if !names.is_empty() {
            writeln!(out, "  note        {}: {why}", names.join(", "))?;
        }
    }
    for (at, line) in technique::lines(&technique::records(study, plan)).iter().enumerate() {
        writeln!(out, "  {:<11} {line}", if at == 0 { "optimized" } else { "" })?;
    }
    writeln!(
        out,
        "  points      {} of {}; {} feasible, {} failed; {} on the front",
        summary.points,
        space.points_text(),
        summary.feasible,
        summary.failed,
        summary.front.len()
    )?;
    if let Some(stop) = summary.stop {
        writeln!(out, "  search      {}: {}", study.sweep.search.strategy.name(), stop.text())?;
    }
    if let Some(certificate) = &summary.certificate {
        write_certificate(out, plan, certificate)?;
    }
    for (index, reason) in &summary.failures {
        writeln!(out, "  failed      point {index} ({}): {reason}", point_text(plan, space, *index))?;
    }
    for (constraint, misses) in plan.constraints.iter().zip(&summary.constraint_misses) {
        if *misses > 0 {
            writeln!(out, "  constraint  `{}` excludes {misses} points", constraint.name)?;
        }
    }
    if summary.feasible == 0 {
        if let Some((index, constraint, violation)) = summary.nearest {
            writeln!(
                out,
                "  nearest     point {index} misses `{}` by {} %: {}",
                plan.constraints[constraint].name,
                short(violation * 100.0),
                point_text(plan, space, index)
            )?;
        }
    } else {
        write_best(out, plan, space, summary)?;
    }
    if let Some(reference) = reference {
        write_reference(out, study, plan, reference)?;
    }
    let rate = if seconds > 0.0 { summary.points as f64 / seconds } else { 0.0 };
    writeln!(out, "  time        {} s, {} points per second", short(seconds), short(rate))?;
    writeln!(out, "  files       {files}")
}

/// The warning of axes that move nothing, a line for each group.
pub fn dead_knobs(knobs: &[DeadKnob]) -> String {
    let mut text = String::new();
    for (group, metric) in GROUPS {
        let of_group = || knobs.iter().filter(|knob| knob.group == group);
        let proven: Vec<&str> =
            of_group().filter(|knob| knob.points.is_none()).map(|knob| knob.axis.as_str()).collect();
        let mut parts = Vec::new();
        if !proven.is_empty() {
            parts.push(format!("{} (nothing leads from it to {metric})", proven.join(", ")));
        }
        parts.extend(of_group().filter_map(|knob| Some(format!("{} (tried at {} points)", knob.axis, knob.points?))));
        if !parts.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  warning     changes no {group}: {}", parts.join("; "));
        }
    }
    text
}

/// The warning of points that rest on extrapolated figures.
pub fn beyond_tables(beyond: Option<&Beyond>, on_front: usize) -> String {
    beyond.map_or_else(String::new, |beyond| {
        format!(
            "  warning     {} extrapolated beyond the model's table at {} of {} points looked at, {} of the {on_front} on the \
             front (column `extrapolated`)\n",
            beyond.memories.join(", "),
            beyond.points,
            beyond.looked_at,
            beyond.front
        )
    })
}

fn write_certificate(out: &mut String, plan: &Plan, certificate: &Certificate) -> std::fmt::Result {
    let share = |part: u64| short(100.0 * part as f64 / certificate.space as f64);
    writeln!(
        out,
        "  proof       {} points evaluated ({} % of the space), {} boxes bounded ({} %): {} covered by the front, {} excluded",
        certificate.evaluated,
        share(certificate.evaluated),
        certificate.boxes,
        share(certificate.boxes),
        certificate.covered,
        certificate.excluded
    )?;
    if certificate.open.0 > 0 {
        let (boxes, points) = certificate.open;
        writeln!(out, "  open        {boxes} boxes with {points} points ({} %) were not opened", share(points))?;
        let bounds: Vec<String> = plan
            .objectives
            .iter()
            .zip(&certificate.remaining)
            .map(|(objective, bound)| format!("{} {}", objective.name, short(*bound)))
            .collect();
        if !bounds.is_empty() {
            writeln!(out, "              none of them betters {}", bounds.join(", "))?;
        }
    }
    Ok(())
}

fn write_best(out: &mut String, plan: &Plan, space: &Space, summary: &Summary) -> std::fmt::Result {
    for (at, objective) in plan.objectives.iter().enumerate() {
        let best = summary.front.iter().min_by(|a, b| {
            let (a, b) = (a.objectives[at], b.objectives[at]);
            if objective.goal == Goal::Minimise { a.total_cmp(&b) } else { b.total_cmp(&a) }
        });
        if let Some(best) = best {
            let label = if at == 0 { "best" } else { "" };
            writeln!(
                out,
                "  {label:<11} {} {} at {}",
                objective.name,
                short(best.objectives[at]),
                point_text(plan, space, best.index)
            )?;
        }
    }
    Ok(())
}

fn write_reference(out: &mut String, study: &Study, plan: &Plan, reference: &Reference) -> std::fmt::Result {
    let values: Vec<String> = plan
        .objectives
        .iter()
        .zip(&reference.objectives)
        .map(|(objective, value)| format!("{} {}", objective.name, short(*value)))
        .collect();
    let verdict = match reference.outcome {
        Outcome::Failed => "the model has no value for it",
        Outcome::Infeasible { .. } => "it breaks a constraint",
        Outcome::Feasible if reference.dominated => "dominated by the front",
        Outcome::Feasible => "not dominated",
    };
    writeln!(out, "  declared    {} as declared: {} ({verdict})", study.hardware.name, values.join(", "))?;
    if reference.outcome != Outcome::Failed {
        let limits: Vec<String> = plan
            .workloads
            .iter()
            .enumerate()
            .filter_map(|(at, workload)| {
                let code = reference.metrics[at * plan.metric_names.len() + BOTTLENECK];
                Some(format!("{} by {}", workload.name, plan.bottlenecks.get(code as usize)?))
            })
            .collect();
        writeln!(out, "              limited on {}", limits.join(", on "))?;
    }
    Ok(())
}
