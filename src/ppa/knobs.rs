//! What would move a design point: every parameter and axis, one step up and one step down, all else as it is.

use rayon::prelude::*;
use serde::Serialize;

use super::evaluator::{Evaluator, Outcome};
use super::parameters::Axis;
use super::plan::Plan;
use crate::spec::expr::{Expr, ExprKind};
use crate::spec::parameter::{ParameterDecl, ParameterType};
use crate::spec::reader::Quantity;
use crate::spec::sweep::{SweepParameter, SweepValue};
use crate::spec::technique::TechniqueDecl;
use crate::spec::{Diagnostics, Span, Study};

/// A parameter or an axis at a design point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Knob {
    /// Its name.
    pub name: String,
    /// Its value at the point.
    pub value: String,
    /// True if the sweep varies it.
    pub is_axis: bool,
    /// Where it can go from there.
    pub steps: Vec<Step>,
}

/// One other value of a knob, all else as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The value.
    pub to: String,
    /// Why there is no such design; `None`: there is one.
    pub impossible: Option<String>,
    /// The constraint that breaks there.
    pub breaks: Option<String>,
    /// For each objective its value there over that of the point, less 1; `None` where the point's is 0 or there is none.
    pub changes: Vec<Option<f64>>,
    /// Metrics that are another number there on any workload, other than the objectives.
    pub also_moves: Vec<String>,
}

impl Knob {
    /// The largest relative change of an objective that a step makes.
    pub fn effect(&self) -> f64 {
        self.steps
            .iter()
            .flat_map(|step| step.changes.iter().flatten())
            .fold(0.0, |most, change| most.max(change.abs()))
    }

    /// True if steps are possible and none of them changes any metric.
    pub fn is_dead(&self) -> bool {
        self.effect() == 0.0
            && self.steps.iter().all(|step| step.also_moves.is_empty())
            && self.steps.iter().any(|step| step.impossible.is_none())
    }
}

/// Every declared parameter of a study: the hardware's, the pipeline's, those of techniques.
pub fn declared_parameters(study: &Study) -> Vec<ParameterDecl> {
    let of_techniques = study.techniques.iter().flat_map(TechniqueDecl::study_parameters);
    study.hardware.parameters.iter().chain(&study.pipeline.parameters).cloned().chain(of_techniques).collect()
}

/// Gives a parameter one value, or an axis of one value.
pub fn give(study: &mut Study, name: &str, span: &Span, value: SweepValue) {
    match study.sweep.parameters.iter_mut().find(|parameter| parameter.name == name) {
        Some(parameter) => parameter.value = value,
        None => {
            study.sweep.parameters.push(SweepParameter {
                name: name.to_owned(),
                span: span.clone(),
                value,
                when: None,
            });
        }
    }
}

/// Moves every knob of the point with these digits. An axis goes to its next greater and next smaller value, or to each
/// other word; a number that the sweep does not vary is doubled and halved within its bounds. Sorted by effect.
///
/// The plan is the study's.
pub fn knobs(study: &Study, plan: &Plan, digits: &[u32]) -> Vec<Knob> {
    let mut evaluator = Evaluator::new(plan);
    evaluator.evaluate(digits);
    let base = Base {
        study,
        plan,
        digits,
        objectives: evaluator.objectives().to_vec(),
        metrics: evaluator.metrics().to_vec(),
        parameters: (0..plan.parameters.len()).map(|at| evaluator.parameter(at)).collect(),
    };
    let branches = super::branches::Branches::new(&plan.axes);
    let exists = |at: usize| branches.as_ref().is_none_or(|branches| branches.is_there(at, digits));
    let axes = plan.axes.iter().enumerate().filter(|(at, axis)| axis.values.len() > 1 && exists(*at));
    let mut knobs: Vec<Knob> = axes.map(|(at, axis)| base.axis(&mut evaluator, at, axis)).collect();
    let decls = declared_parameters(study);
    let varied = |name: &str| plan.axes.iter().any(|axis| axis.values.len() > 1 && axis.varies(name));
    let fixed: Vec<(usize, &ParameterDecl)> = plan
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| !varied(name))
        .filter_map(|(at, (name, _))| Some((at, decls.iter().find(|decl| decl.name == *name)?)))
        .collect();
    knobs.par_extend(fixed.par_iter().map(|(at, decl)| base.parameter(*at, decl)));
    knobs.sort_by(|a, b| b.effect().total_cmp(&a.effect()));
    knobs
}

/// The point that steps start from.
struct Base<'a> {
    study: &'a Study,
    plan: &'a Plan,
    digits: &'a [u32],
    objectives: Vec<f64>,
    metrics: Vec<f64>,
    parameters: Vec<f64>,
}

impl Base<'_> {
    fn axis(&self, evaluator: &mut Evaluator<'_>, at: usize, axis: &Axis) -> Knob {
        let own = self.digits[at] as usize;
        let (value, values) = (axis.values[own], || axis.values.iter().enumerate());
        let others: Vec<usize> = if axis.is_words && axis.members.is_empty() {
            (0..axis.values.len()).filter(|digit| *digit != own).collect()
        } else {
            let up = values().filter(|(_, other)| **other > value).min_by(|a, b| a.1.total_cmp(b.1));
            let down = values().filter(|(_, other)| **other < value).max_by(|a, b| a.1.total_cmp(b.1));
            up.into_iter().chain(down).map(|(digit, _)| digit).collect()
        };
        let mut digits = self.digits.to_vec();
        let mut step = |digit: usize| {
            digits[at] = digit as u32;
            let outcome = evaluator.evaluate(&digits);
            self.step(axis.labels[digit].clone(), evaluator, outcome)
        };
        let steps = others.into_iter().map(&mut step).collect();
        Knob { name: axis.name.clone(), value: axis.labels[own].clone(), is_axis: true, steps }
    }

    fn parameter(&self, at: usize, decl: &ParameterDecl) -> Knob {
        let value = self.parameters[at];
        let (shown, others) = match &decl.kind {
            ParameterType::Choice(words) => {
                let own = words.get(value as usize);
                let others = words.iter().filter(|word| Some(*word) != own).cloned().collect();
                (own.cloned().unwrap_or_default(), others)
            }
            kind => (value.to_string(), numbers(value, *kind == ParameterType::Integer, decl)),
        };
        let steps = others.into_iter().map(|to| self.step_to(decl, to)).collect();
        Knob { name: decl.name.clone(), value: shown, is_axis: false, steps }
    }

    fn step_to(&self, decl: &ParameterDecl, to: String) -> Step {
        let mut study = self.study.clone();
        let span = decl.span.clone();
        let is_axis = self.plan.axes.iter().any(|axis| axis.name == decl.name);
        let value = match to.parse::<f64>() {
            Ok(number) if is_axis => SweepValue::Numbers(vec![(number, span.clone())]),
            Ok(number) => SweepValue::Fixed(Quantity::constant(number, &span)),
            Err(_) => SweepValue::Words(vec![(to.clone(), span.clone())]),
        };
        give(&mut study, &decl.name, &span, value);
        let plan = match Plan::compile(&study) {
            Ok((plan, _)) => plan,
            Err(Diagnostics(faults)) => {
                let why = faults.first().map_or_else(String::new, |fault| fault.message.clone());
                return Step {
                    to,
                    impossible: Some(why),
                    breaks: None,
                    changes: vec![None; self.objectives.len()],
                    also_moves: Vec::new(),
                };
            }
        };
        let mut evaluator = Evaluator::new(&plan);
        // A word that was no axis is one of one value now.
        let digits: Vec<u32> = plan.axes.iter().map(|axis| self.digit_of(&axis.name)).collect();
        let outcome = evaluator.evaluate(&digits);
        self.step(to, &evaluator, outcome)
    }

    fn digit_of(&self, axis: &str) -> u32 {
        let at = self.plan.axes.iter().position(|known| known.name == axis);
        at.and_then(|at| self.digits.get(at)).copied().unwrap_or(0)
    }

    fn step(&self, to: String, evaluator: &Evaluator<'_>, outcome: Outcome) -> Step {
        let impossible = (outcome == Outcome::Failed).then(|| evaluator.reason());
        let breaks = match outcome {
            Outcome::Infeasible { constraint, .. } => {
                Some(self.plan.constraints.get(constraint).map_or_else(String::new, |one| one.name.clone()))
            }
            Outcome::Feasible | Outcome::Failed => None,
        };
        let change = |(before, after): (&f64, &f64)| {
            let change = if before == after { 0.0 } else { after / before - 1.0 };
            change.is_finite().then_some(change)
        };
        let width = self.plan.metric_names.len();
        let moved = |metric: usize| {
            let own =
                |all: &[f64]| all.iter().skip(metric).step_by(width).map(|value| value.to_bits()).collect::<Vec<_>>();
            own(&self.metrics) != own(evaluator.metrics())
        };
        let is_objective = |metric: usize| self.plan.objectives.iter().any(|objective| objective.metric == metric);
        let others = self.plan.metric_names.iter().enumerate();
        let also_moves = match impossible {
            Some(_) => Vec::new(),
            None => others.filter(|(at, _)| !is_objective(*at) && moved(*at)).map(|(_, name)| name.clone()).collect(),
        };
        let changes = self.objectives.iter().zip(evaluator.objectives()).map(change).collect();
        Step { to, impossible, breaks, changes, also_moves }
    }
}

/// Twice and half a number, within the parameter's bounds where they are plain numbers.
fn numbers(value: f64, whole: bool, decl: &ParameterDecl) -> Vec<String> {
    let bound = |quantity: &Option<Quantity>, other: f64| match quantity.as_ref().map(|quantity| &quantity.expr) {
        Some(Expr { kind: ExprKind::Number(number), .. }) => *number,
        _ => other,
    };
    let (least, most) = (bound(&decl.min, f64::NEG_INFINITY), bound(&decl.max, f64::INFINITY));
    let half = if whole { (value / 2.0).trunc() } else { value / 2.0 };
    let within = |other: f64| other.max(least).min(most);
    let mut others = vec![within(value * 2.0), within(half)];
    others.retain(|other| *other != value && other.is_finite() && (*other != 0.0 || least == 0.0));
    others.dedup();
    others.iter().map(f64::to_string).collect()
}
