//! The front that a quick model has found, evaluated again in detail: tiles as measured, processing elements event by event.

use std::io;

use super::Failure;
use super::study::Ready;
use crate::explore::{Archive, Summary};
use crate::ppa::metric::BOTTLENECK;
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::report::summary::short;
use crate::report::table::Content;
use crate::spec::sweep::SweepDecl;

/// A front and what refining made of it.
pub struct Refined {
    /// Objectives, point by point, of the search and refined.
    objectives: Vec<(Vec<f64>, Vec<f64>)>,
    outcomes: Vec<Outcome>,
    /// Points that no other refined point dominates.
    staying: usize,
    /// What is looked at in detail.
    detail: String,
    csv: Vec<u8>,
}

/// Evaluates the front with the refined plan; `None` if the sweep does not refine.
///
/// # Errors
/// If the table cannot be made.
pub fn refine(ready: &Ready, summary: &Summary) -> Result<Option<Refined>, Failure> {
    let Some(plan) = &ready.refined else { return Ok(None) };
    let refined = table(ready, plan, summary);
    refined.map(Some).map_err(|source| Failure::Write { path: "refined.csv".into(), source })
}

fn table(ready: &Ready, refined: &Plan, summary: &Summary) -> io::Result<Refined> {
    let plan = &ready.plan;
    let metrics: Vec<(&str, usize)> = ready
        .schema
        .columns
        .iter()
        .filter_map(|column| match column.content {
            Content::Metric { workload, metric } if metric != BOTTLENECK => {
                Some((column.name.as_str(), workload * plan.metric_names.len() + metric))
            }
            _ => None,
        })
        .collect();
    let mut names: Vec<String> = vec!["index".into(), "status_refined".into()];
    let columns = plan.objectives.iter().map(|objective| format!("objective.{}", objective.name));
    for name in columns.chain(metrics.iter().map(|(name, _)| (*name).to_owned())) {
        names.extend([name.clone(), format!("{name}_refined"), format!("{name}_error")]);
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&names)?;
    let (mut coarse, mut fine) = (Evaluator::new(plan), Evaluator::new(refined));
    let (mut digits, mut objectives, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
    for point in &summary.front {
        ready.space.digits(point.index, &mut digits);
        coarse.evaluate(&digits);
        let outcome = fine.evaluate(&digits);
        let status = match outcome {
            Outcome::Feasible => "ok",
            Outcome::Infeasible { .. } => "infeasible",
            Outcome::Failed => "failed",
        };
        let mut row = vec![point.index.to_string(), status.into()];
        let pairs = coarse.objectives().iter().copied().zip(fine.objectives().iter().copied());
        let more = metrics.iter().map(|(_, at)| (coarse.metrics()[*at], fine.metrics()[*at]));
        for (before, after) in pairs.chain(more) {
            row.extend([before, after, error(before, after)].map(number));
        }
        writer.write_record(&row)?;
        objectives.push((coarse.objectives().to_vec(), fine.objectives().to_vec()));
        outcomes.push(outcome);
    }
    let mut front = Archive::new(plan.objectives.iter().map(|objective| objective.goal).collect());
    let feasible = || objectives.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Feasible);
    for (at, ((_, after), _)) in (0..).zip(feasible()) {
        front.insert(at, after);
    }
    let staying = feasible().filter(|((_, after), _)| !front.dominates(after)).count();
    let csv = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(Refined { objectives, outcomes, staying, detail: detail(&ready.study.sweep), csv })
}

/// What a sweep refines, in words.
fn detail(sweep: &SweepDecl) -> String {
    let decl = sweep.refine.as_ref();
    let tiles = decl.and_then(|decl| decl.tiles.as_ref()).map(|_| "with tiles as measured");
    let pe = decl.and_then(|decl| decl.pe.as_ref()).map(|_| "with processing elements event by event");
    tiles.into_iter().chain(pe).collect::<Vec<_>>().join(" and ")
}

/// By how much of itself the refined value is higher than what the search took.
fn error(before: f64, after: f64) -> f64 {
    if before == after { 0.0 } else { after / before - 1.0 }
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

impl Refined {
    /// `refined.csv`: for each point of the front every value of the search, the refined one, and the difference as a share
    /// of the former.
    pub fn csv(&self) -> &[u8] {
        &self.csv
    }

    /// The lines of the summary.
    pub fn text(&self, plan: &Plan) -> String {
        let mut lines = vec![format!(
            "  refined     {} points of the front {}: {} feasible, {} unchanged, {} on the front among themselves",
            self.outcomes.len(),
            self.detail,
            self.outcomes.iter().filter(|outcome| **outcome == Outcome::Feasible).count(),
            self.objectives.iter().filter(|(before, after)| before == after).count(),
            self.staying
        )];
        for (at, objective) in plan.objectives.iter().enumerate() {
            let errors = || self.objectives.iter().map(|(before, after)| 100.0 * error(before[at], after[at]));
            let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(f64::NEG_INFINITY, f64::max));
            if low <= high {
                lines.push(format!("              {} changes by {} to {} %", objective.name, short(low), short(high)));
            }
        }
        lines.join("\n") + "\n"
    }
}
