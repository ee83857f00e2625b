//! Designs of interest beside the space: a sweep's marks.

use super::evaluator::{Evaluator, Outcome};
use super::plan::Plan;
use crate::spec::sweep::{MarkDecl, Strategy, SweepParameter, SweepValue};
use crate::spec::{Diagnostics, Study};

/// A marked design and what came out of it.
#[derive(Debug, Clone)]
pub struct Mark {
    /// What the figure calls it.
    pub label: String,
    /// What came out.
    pub outcome: Outcome,
    /// Its objectives, as those of the plan.
    pub objectives: Vec<f64>,
    /// Its metrics, as [`Evaluator::metrics`] gives them.
    pub metrics: Vec<f64>,
}

/// Evaluates the marks of a study.
///
/// # Errors
/// Every fault of their parameters.
pub fn evaluate_marks(study: &Study) -> Result<Vec<Mark>, Diagnostics> {
    let mut faults = Vec::new();
    let mut marks = Vec::new();
    for decl in &study.sweep.output.marks {
        match Plan::compile(&variant(study, decl)) {
            Ok((plan, _)) => {
                let mut evaluator = Evaluator::new(&plan);
                let outcome = evaluator.evaluate(&vec![0; plan.axes.len()]);
                marks.push(Mark {
                    label: decl.label.clone(),
                    outcome,
                    objectives: evaluator.objectives().to_vec(),
                    metrics: evaluator.metrics().to_vec(),
                });
            }
            Err(Diagnostics(more)) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(marks) } else { Err(Diagnostics(faults)) }
}

/// The study of the one design: what the mark names is fixed, what the sweep varies otherwise is as declared.
fn variant(study: &Study, mark: &MarkDecl) -> Study {
    let mut study = study.clone();
    let named = |given: &SweepParameter| mark.parameters.iter().any(|own| own.name == given.name);
    let varied = |given: &SweepParameter| match &given.value {
        SweepValue::Fixed(_) => false,
        SweepValue::Numbers(values) => values.len() > 1,
        SweepValue::Words(words) => words.len() > 1,
        SweepValue::Continuous(..) => true,
    };
    study.sweep.parameters.retain(|given| !named(given) && !varied(given));
    study.sweep.parameters.extend(mark.parameters.iter().cloned());
    study.sweep.groups.clear();
    // Nothing is searched: neither samples nor bounds are needed.
    study.sweep.search.strategy = Strategy::Grid;
    study
}
