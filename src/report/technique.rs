//! The techniques that a run applied and what they saved.

use serde::{Deserialize, Serialize};

use crate::ppa::{Evaluator, Outcome, Plan};
use crate::spec::Study;
use crate::spec::technique::SWITCH;

/// A technique of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TechniqueRecord {
    /// Its name.
    pub name: String,
    /// How it saves: `reuse skip low-bit`.
    pub r#type: String,
    /// The hardware feature that it uses.
    pub requires: String,
    /// Values of its parameters at the point of [`factors`](Self::factors).
    pub parameters: Vec<(String, String)>,
    /// What it leaves of each operator on each workload, at the first point of the space at which it is on.
    pub factors: Vec<FactorRecord>,
}

/// What a technique leaves of an operator: shares of the whole frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactorRecord {
    /// The operator.
    pub operator: String,
    /// Scene and camera.
    pub workload: String,
    /// Share of the compute; `None` where the point has no value.
    pub s_comp: Option<f64>,
    /// Share of the bytes.
    pub r_bytes: Option<f64>,
    /// Share of the dynamic energy of a cycle.
    pub energy: Option<f64>,
}

/// The techniques of a study, evaluated at the first point that has them all on.
pub fn records(study: &Study, plan: &Plan) -> Vec<TechniqueRecord> {
    if study.techniques.is_empty() {
        return Vec::new();
    }
    let on = SWITCH.iter().position(|word| *word == "on").unwrap_or(0) as f64;
    let first_on = |name: &str, values: &[f64]| match study.techniques.iter().any(|known| known.name == name) {
        true => values.iter().position(|value| *value == on).unwrap_or(0),
        false => 0,
    };
    let digits: Vec<u32> = plan.axes.iter().map(|axis| first_on(&axis.name, &axis.values) as u32).collect();
    let mut evaluator = Evaluator::new(plan);
    let failed = evaluator.evaluate(&digits) == Outcome::Failed;
    let number = |value: f64| (!failed && value.is_finite()).then_some(value);
    let records = study.techniques.iter().enumerate().map(|(at, technique)| {
        let parameters = technique.study_parameters().into_iter().filter_map(|decl| {
            let place = plan.parameters.iter().position(|(name, _)| *name == decl.name)?;
            let value = evaluator.parameter(place);
            let text = match &plan.parameters[place].1 {
                Some(words) => words.get(value as usize).cloned().unwrap_or_default(),
                None => value.to_string(),
            };
            Some((decl.name, text))
        });
        let parameters = parameters.collect();
        let mut factors = Vec::new();
        for (workload, plan) in plan.workloads.iter().enumerate() {
            for saving in evaluator.savings(workload).filter(|saving| saving.technique == at) {
                factors.push(FactorRecord {
                    operator: study.pipeline.operators[saving.operator].name.clone(),
                    workload: plan.name.clone(),
                    s_comp: number(saving.s_comp),
                    r_bytes: number(saving.r_bytes),
                    energy: number(saving.energy),
                });
            }
        }
        TechniqueRecord {
            name: technique.name.clone(),
            r#type: technique.saving.name().into(),
            requires: technique.requires.clone(),
            parameters,
            factors,
        }
    });
    records.collect()
}

/// A line for each technique and operator, for a terminal.
pub fn lines(records: &[TechniqueRecord]) -> Vec<String> {
    use super::summary::short;
    let share = |value: Option<f64>| value.map_or_else(|| "no value".to_owned(), short);
    let mut lines = Vec::new();
    for record in records {
        if record.factors.is_empty() {
            lines.push(format!("{} (off)", record.name));
        }
        let same = |a: &FactorRecord, b: &FactorRecord| {
            (&a.workload, a.s_comp, a.r_bytes, a.energy) == (&b.workload, b.s_comp, b.r_bytes, b.energy)
        };
        for alike in record.factors.chunk_by(same) {
            let factor = &alike[0];
            let operators: Vec<&str> = alike.iter().map(|factor| factor.operator.as_str()).collect();
            let energy = match factor.energy {
                Some(1.0) => String::new(),
                energy => format!(", energy per cycle x {}", share(energy)),
            };
            lines.push(format!(
                "{} on {} of {}: compute x {}, bytes x {}{energy}",
                record.name,
                operators.join(", "),
                factor.workload,
                share(factor.s_comp),
                share(factor.r_bytes)
            ));
        }
    }
    lines
}
