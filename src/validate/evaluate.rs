//! Computing targets: the nominal value, and the interval over the ranges of the assumed inputs and figures.

use std::collections::HashMap;

use super::assumed::{self, End};
use super::interval::extremes;
use super::point;
use super::target::{FileDecl, Role, TargetDecl};
use crate::spec::diagnostic::{Collector, did_you_mean};
use crate::spec::figure::Figure;
use crate::spec::parameter::{ParameterDecl, ParameterType};
use crate::spec::scope::{Definition, Parameter, Scope, Typed};
use crate::spec::source::Span;
use crate::spec::{Diagnostic, Diagnostics, Study};

/// Ends of an interval that lie further apart, as a ratio, say little: there is hardly a value that it would not hold.
pub const INFORMATIVE: f64 = 10.0;

/// A target with what was computed for it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The accelerator.
    pub design: String,
    /// The target.
    pub target: TargetDecl,
    /// With every input at its value.
    pub ours: f64,
    /// Least and greatest value over the ranges of the assumed inputs; `None` if it rests on none.
    pub interval: Option<[f64; 2]>,
    /// Those assumed inputs and figures of its point that the interval rests on.
    pub assumed: Vec<String>,
}

impl Outcome {
    /// Relative error in percent.
    pub fn error_percent(&self) -> f64 {
        (self.ours / self.target.published - 1.0) * 100.0
    }

    /// Whether the published value lies inside the interval; `None` without one.
    pub fn inside(&self) -> Option<bool> {
        self.interval.map(|[low, high]| (low..=high).contains(&self.target.published))
    }

    /// Ratio of the ends of the interval; infinite if it reaches zero.
    pub fn ratio(&self) -> Option<f64> {
        self.interval.map(|[low, high]| if low > 0.0 { high / low } else { f64::INFINITY })
    }

    /// Whether the interval is narrow enough to say something; `None` without one.
    pub fn is_informative(&self) -> Option<bool> {
        self.ratio().map(|ratio| ratio <= INFORMATIVE)
    }

    /// Width of the interval in percent of the published value.
    pub fn width_percent(&self) -> Option<f64> {
        self.interval.map(|[low, high]| (high - low) / self.target.published * 100.0)
    }
}

/// Computes every target of a file.
///
/// # Errors
/// Faults of expressions, of the points that they name, and predictions that rest on what was derived from them.
pub fn evaluate(file: &FileDecl) -> Result<Vec<Outcome>, Diagnostics> {
    let diagnostics = Collector::default();
    for target in &file.targets {
        find_circle(file, target, &diagnostics);
        if let Some((name, span)) = &target.same_as
            && !file.targets.iter().any(|other| other.id == *name && other.id != target.id)
        {
            let help = did_you_mean(name, file.targets.iter().map(|target| target.id.as_str()));
            diagnostics.error(Diagnostic::new(span, format!("there is no other target `{name}`")).help(help));
        }
    }
    let mut outcomes = Vec::new();
    for target in &file.targets {
        match compute(file, target) {
            Ok(outcome) => outcomes.push(outcome),
            Err(Diagnostics(faults)) => faults.into_iter().for_each(|fault| diagnostics.error(fault)),
        }
    }
    diagnostics.finish(Some(outcomes)).map(|(outcomes, _)| outcomes)
}

/// A prediction must not rest on what was derived from its own target.
fn find_circle(file: &FileDecl, target: &TargetDecl, diagnostics: &Collector) {
    if target.role != Role::Predicted {
        return;
    }
    for (name, span, figure) in file.inputs_of(&target.value) {
        if figure.provenance.derived_from.as_deref() == Some(target.id.as_str()) {
            diagnostics.error(circle(target, name, span));
        }
    }
}

fn circle(target: &TargetDecl, name: &str, span: &Span) -> Diagnostic {
    Diagnostic::new(span, format!("`{}` is no prediction: its input `{name}` was derived from it", target.id))
        .help("write role = \"calibrated\" there, or take the input from elsewhere")
}

/// A target's value with its assumed inputs and the assumed figures of its point at given ends.
struct Model<'a> {
    file: &'a FileDecl,
    target: &'a TargetDecl,
    /// The study of the target's point, with its numbers at nominal figures.
    study: Option<(Study, Vec<(String, f64)>)>,
    /// The assumed inputs come first, the figures of the study after them.
    inputs: Vec<&'a (String, Span, Figure)>,
}

impl Model<'_> {
    /// A prediction must not rest on a figure of its hardware that was computed from it either.
    fn find_circle(&self) -> Result<(), Diagnostics> {
        let (Some((study, numbers)), Some(point), Role::Predicted) =
            (&self.study, &self.target.point, self.target.role)
        else {
            return Ok(());
        };
        let (figures, larger) = assumed::derived_from(study, &self.target.id);
        let Some((name, span)) = figures.first() else { return Ok(()) };
        let nominal = vec![End::Nominal; self.inputs.len()];
        if self.with(&nominal, numbers.clone())? == self.with(&nominal, point::measure(point, &larger)?)? {
            return Ok(());
        }
        Err(Diagnostics(vec![circle(self.target, name, span)]))
    }

    fn value(&self, ends: &[End]) -> Result<f64, Diagnostics> {
        let (inputs, figures) = ends.split_at(self.inputs.len());
        let numbers = match &self.study {
            Some((_, nominal)) if figures.iter().all(|end| *end == End::Nominal) => nominal.clone(),
            Some((study, _)) => {
                let point = self.target.point.as_ref();
                let measured = point.map(|point| point::measure(point, &assumed::move_to(study, figures)));
                measured.unwrap_or_else(|| Ok(Vec::new()))?
            }
            None => Vec::new(),
        };
        self.with(inputs, numbers)
    }

    /// The value with the numbers of a point and the inputs at these ends.
    fn with(&self, inputs: &[End], numbers: Vec<(String, f64)>) -> Result<f64, Diagnostics> {
        let end = |name: &str| {
            let at = self.inputs.iter().position(|(input, _, _)| input == name);
            at.and_then(|at| inputs.get(at)).copied().unwrap_or(End::Nominal)
        };
        let declare = |(name, span, figure): &(String, Span, Figure)| Parameter {
            decl: declaration(name, span, figure),
            definition: Definition::Value(match figure.provenance.range {
                Some(range) => end(name).of(&figure.quantity, range),
                None => figure.quantity.clone(),
            }),
        };
        let diagnostics = Collector::default();
        let mut scope = Scope::new(self.file.inputs.iter().map(declare).collect(), &diagnostics);
        for (name, value) in numbers {
            let node = scope.graph.constant(value);
            scope.define(name, Typed::number(node));
        }
        let quantity = &self.target.value;
        let node = scope.compile(quantity, &format!("value of target `{}`", self.target.id), &[]);
        let value = node.and_then(|node| scope.graph.evaluate(node, &[], &mut HashMap::new()));
        if node.is_some() && !value.is_some_and(f64::is_finite) {
            let message = format!("target `{}` has no finite value", self.target.id);
            diagnostics.error(Diagnostic::new(&quantity.span, message).help("check its inputs"));
        }
        diagnostics.finish(value).map(|(value, _)| value)
    }
}

fn compute(file: &FileDecl, target: &TargetDecl) -> Result<Outcome, Diagnostics> {
    let study = match &target.point {
        Some(point) => {
            let study = point::load(point)?;
            let numbers = point::measure(point, &study)?;
            Some((study, numbers))
        }
        None => None,
    };
    let inputs = file.assumed(&target.value);
    let mut names: Vec<String> = inputs.iter().map(|(name, _, _)| name.clone()).collect();
    names.extend(study.iter().flat_map(|(study, _)| assumed::names(study)));
    let model = Model { file, target, study, inputs };
    let ours = model.value(&vec![End::Nominal; names.len()])?;
    model.find_circle()?;
    // What was tuned was tuned at the nominal values, and the distance from another model's output says as much there.
    if matches!(target.role, Role::Compared | Role::Calibrated) {
        return Ok(Outcome {
            design: file.name.clone(),
            target: target.clone(),
            ours,
            interval: None,
            assumed: Vec::new(),
        });
    }
    let interval = extremes(names.len(), |ends| model.value(ends))?;
    let assumed: Vec<String> =
        names.into_iter().zip(&interval.moved).filter(|(_, moved)| **moved).map(|(name, _)| name).collect();
    Ok(Outcome {
        design: file.name.clone(),
        target: target.clone(),
        ours,
        interval: (!assumed.is_empty()).then_some(interval.ends),
        assumed,
    })
}

fn declaration(name: &str, span: &Span, figure: &Figure) -> ParameterDecl {
    ParameterDecl {
        name: name.into(),
        span: span.clone(),
        default: figure.quantity.clone(),
        min: None,
        max: None,
        kind: ParameterType::Real,
        doc: String::new(),
        provenance: figure.provenance.clone(),
    }
}
