//! How far the assumed figures of a study move the metrics of one of its points.

use std::collections::HashMap;

use super::assumed::{self, End};
use super::interval::extremes;
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::spec::{Diagnostic, Diagnostics, Study};

/// A metric over the ranges of the assumed figures.
#[derive(Debug, Clone)]
pub struct Moved {
    /// The metric.
    pub metric: String,
    /// Its least and greatest value.
    pub ends: [f64; 2],
    /// The figures that these rest on, by owner and name.
    pub figures: Vec<String>,
}

/// The extremes of each metric at the point with these digits, on the workload of that index; a metric without an assumed
/// figure behind it has equal ends. What the sweep varies or sets is no assumption.
///
/// # Errors
/// Faults of the study; a point that has no value.
pub fn moved(study: &Study, digits: &[u32], workload: usize, metrics: &[&str]) -> Result<Vec<Moved>, Diagnostics> {
    let names = assumed::names(study);
    let mut known: HashMap<Vec<End>, Vec<f64>> = HashMap::new();
    let mut moved = Vec::with_capacity(metrics.len());
    for (at, metric) in metrics.iter().enumerate() {
        let interval = extremes(names.len(), |ends| {
            if let Some(values) = known.get(ends) {
                return Ok(values[at]);
            }
            // Ends can contradict each other, such as more groups than instances: there is no such design then.
            let values = match measure(&assumed::move_to(study, ends), digits, workload, metrics) {
                Err(_) if ends.iter().any(|end| *end != End::Nominal) => vec![f64::NAN; metrics.len()],
                values => values?,
            };
            let value = values[at];
            known.insert(ends.to_vec(), values);
            Ok(value)
        })?;
        let figures = names.iter().zip(&interval.moved).filter(|(_, moved)| **moved);
        moved.push(Moved {
            metric: (*metric).to_owned(),
            ends: interval.ends,
            figures: figures.map(|(name, _)| name.clone()).collect(),
        });
    }
    Ok(moved)
}

fn measure(study: &Study, digits: &[u32], workload: usize, metrics: &[&str]) -> Result<Vec<f64>, Diagnostics> {
    let (plan, _) = Plan::compile(study)?;
    let mut evaluator = Evaluator::new(&plan);
    let fault = |message: String| {
        Diagnostics(vec![Diagnostic::placeless(message).help("take a point that the model has a value for")])
    };
    if evaluator.evaluate(digits) == Outcome::Failed {
        return Err(fault(format!("this point has no value: {}", evaluator.reason())));
    }
    let place = |metric: &&str| plan.metric_names.iter().position(|name| name == metric);
    let value = |metric: &&str| place(metric).map(|at| evaluator.metric(workload, at));
    let values: Option<Vec<f64>> = metrics.iter().map(value).collect();
    values.ok_or_else(|| fault("a metric is not there".into()))
}
