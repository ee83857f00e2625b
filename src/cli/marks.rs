//! Where the marked designs lie against the front.

use std::fmt::Write as _;
use std::io;

use super::Failure;
use super::study::Ready;
use crate::explore::{Archive, Summary};
use crate::ppa::metric::BOTTLENECK;
use crate::ppa::{Mark, Outcome};
use crate::report::summary::short;
use crate::report::table::Content;
use crate::spec::sweep::Goal;

/// The lines of the summary.
pub fn text(ready: &Ready, summary: &Summary) -> String {
    let mut text = String::new();
    for mark in &ready.marks {
        let values: Vec<String> = ready
            .plan
            .objectives
            .iter()
            .zip(&mark.objectives)
            .map(|(objective, value)| format!("{} {}", objective.name, short(*value)))
            .collect();
        let verdict = match mark.outcome {
            Outcome::Failed => "the model has no value for it".into(),
            Outcome::Infeasible { constraint, .. } => {
                format!("it breaks `{}`", ready.plan.constraints[constraint].name)
            }
            Outcome::Feasible => match margin(ready, summary, mark) {
                Some(margin) if margin > 0.0 => {
                    format!("a point of the front is at least {} % better in everything", short(100.0 * margin))
                }
                _ if is_dominated(ready, summary, mark) => "dominated by the front".into(),
                _ => "not dominated".into(),
            },
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  marked      {}: {} ({verdict})", mark.label, values.join(", "));
    }
    text
}

fn is_dominated(ready: &Ready, summary: &Summary, mark: &Mark) -> bool {
    let mut front = Archive::new(ready.plan.objectives.iter().map(|objective| objective.goal).collect());
    for point in &summary.front {
        front.insert(point.index, &point.objectives);
    }
    front.dominates(&mark.objectives)
}

/// The largest share by which a point of the front betters the design in every objective; `None` where an objective is not
/// positive, and without a front.
fn margin(ready: &Ready, summary: &Summary, mark: &Mark) -> Option<f64> {
    let goals = || ready.plan.objectives.iter().map(|objective| objective.goal);
    let least = |point: &[f64]| {
        let shares = goals().zip(point.iter().zip(&mark.objectives)).map(|(goal, (value, own))| {
            if !(*value > 0.0 && *own > 0.0) {
                return None;
            }
            Some(if goal == Goal::Minimise { 1.0 - value / own } else { 1.0 - own / value })
        });
        shares.collect::<Option<Vec<f64>>>().map(|shares| shares.into_iter().fold(f64::INFINITY, f64::min))
    };
    let margins: Option<Vec<f64>> = summary.front.iter().map(|point| least(&point.objectives)).collect();
    margins?.into_iter().reduce(f64::max)
}

/// `marks.csv`: each marked design with its objectives, how the front stands to it, and its metrics.
///
/// # Errors
/// If it cannot be written.
pub fn csv(ready: &Ready, summary: &Summary) -> Result<String, Failure> {
    let write = || -> io::Result<Vec<u8>> {
        let plan = &ready.plan;
        let metrics: Vec<(&str, usize, usize)> = ready
            .schema
            .columns
            .iter()
            .filter_map(|column| match column.content {
                Content::Metric { workload, metric } => Some((column.name.as_str(), workload, metric)),
                _ => None,
            })
            .collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let objectives = plan.objectives.iter().map(|objective| format!("objective.{}", objective.name));
        let fixed = ["label", "status", "dominated", "front_better_by"].map(str::to_owned);
        let names = metrics.iter().map(|(name, _, _)| (*name).to_owned());
        writer.write_record(fixed.into_iter().chain(objectives).chain(names))?;
        for mark in &ready.marks {
            let status = match mark.outcome {
                Outcome::Feasible => "ok",
                Outcome::Infeasible { .. } => "infeasible",
                Outcome::Failed => "failed",
            };
            let number = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
            let margin = margin(ready, summary, mark).map_or_else(String::new, |margin| margin.max(0.0).to_string());
            let fixed = [mark.label.clone(), status.into(), is_dominated(ready, summary, mark).to_string(), margin];
            let metrics = metrics.iter().map(|(_, workload, metric)| {
                let value = mark.metrics[workload * plan.metric_names.len() + metric];
                match plan.bottlenecks.get(value as usize) {
                    Some(name) if *metric == BOTTLENECK && value.is_finite() => name.clone(),
                    _ => number(value),
                }
            });
            writer.write_record(fixed.into_iter().chain(mark.objectives.iter().copied().map(number)).chain(metrics))?;
        }
        writer.into_inner().map_err(csv::IntoInnerError::into_error)
    };
    let text = write().and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.map_err(|source| Failure::Write { path: "marks.csv".into(), source })
}
