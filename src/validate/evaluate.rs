//! Computing targets: the nominal value, and the interval over the corners of the assumed inputs.

use std::collections::HashMap;
use std::sync::Arc;

use super::target::{FileDecl, PointDecl, Role, TargetDecl};
use crate::ppa::{Evaluator, Outcome as PointOutcome, Plan};
use crate::spec::diagnostic::{Collector, did_you_mean};
use crate::spec::figure::Figure;
use crate::spec::parameter::{ParameterDecl, ParameterType};
use crate::spec::scope::{Definition, Parameter, Scope, Typed};
use crate::spec::source::{Origin, Source, Span};
use crate::spec::{Diagnostic, Diagnostics, Study};

/// Most assumed inputs of one target: their corners are all tried.
const MAX_ASSUMED: usize = 12;

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
    /// The assumed inputs by name.
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
    let outcomes: Option<Vec<Outcome>> =
        file.targets.iter().map(|target| compute(file, target, &diagnostics)).collect();
    diagnostics.finish(outcomes).map(|(outcomes, _)| outcomes)
}

/// A prediction must not rest on what was derived from its own target.
fn find_circle(file: &FileDecl, target: &TargetDecl, diagnostics: &Collector) {
    if target.role != Role::Predicted {
        return;
    }
    for (name, span, figure) in file.inputs_of(&target.value) {
        if figure.provenance.derived_from.as_deref() == Some(target.id.as_str()) {
            diagnostics.error(
                Diagnostic::new(
                    span,
                    format!("`{}` is no prediction: its input `{name}` was derived from it", target.id),
                )
                .help("write role = \"calibrated\" there, or take the input from elsewhere"),
            );
        }
    }
}

fn compute(file: &FileDecl, target: &TargetDecl, diagnostics: &Collector) -> Option<Outcome> {
    let assumed = file.assumed(&target.value);
    if assumed.len() > MAX_ASSUMED {
        let message = format!("`{}` rests on {} assumed inputs, more than {MAX_ASSUMED}", target.id, assumed.len());
        diagnostics.error(Diagnostic::new(&target.value.span, message).help("join some of them"));
        return None;
    }
    let point = match &target.point {
        Some(point) => Some(point_metric(point, diagnostics)?),
        None => None,
    };
    let axis = |name: &str| assumed.iter().position(|(assumed, _, _)| assumed == name);
    let declare = |(name, span, figure): &(String, Span, Figure)| Parameter {
        decl: declaration(name, span, figure),
        definition: axis(name).map_or(Definition::Value(figure.quantity.clone()), Definition::Axis),
    };
    let mut scope = Scope::new(file.inputs.iter().map(declare).collect(), diagnostics);
    if let Some(value) = point {
        let node = scope.graph.constant(value);
        scope.define("point", Typed::number(node));
    }
    let node = scope.compile(&target.value, &format!("value of target `{}`", target.id), &[])?;
    let nominal: Option<Vec<f64>> = assumed
        .iter()
        .map(|(name, _, figure)| {
            let value = scope.compile(&figure.quantity, &format!("input `{name}`"), &[])?;
            scope.graph.evaluate(value, &[], &mut HashMap::new())
        })
        .collect();
    let at = |values: &[f64]| scope.graph.evaluate(node, values, &mut HashMap::new());
    let ours = at(&nominal?).filter(|value| value.is_finite());
    let Some(ours) = ours else {
        let message = format!("target `{}` has no finite value", target.id);
        diagnostics.error(Diagnostic::new(&target.value.span, message).help("check its inputs"));
        return None;
    };
    let ranges: Vec<[f64; 2]> = assumed.iter().filter_map(|(_, _, figure)| figure.provenance.range).collect();
    let corners = (0..1_usize << ranges.len()).filter_map(|bits| {
        let corner: Vec<f64> = ranges.iter().enumerate().map(|(at, range)| range[bits >> at & 1]).collect();
        at(&corner)
    });
    // Expressions are taken as monotonic in each input, as all stock ones are: then the extremes lie at corners.
    let [low, high] = corners.fold([ours; 2], |[low, high], value| [low.min(value), high.max(value)]);
    Some(Outcome {
        design: file.name.clone(),
        target: target.clone(),
        ours,
        interval: (!assumed.is_empty()).then_some([low, high]),
        assumed: assumed.iter().map(|(name, _, _)| name.clone()).collect(),
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

/// The metric of a design at its defaults.
fn point_metric(point: &PointDecl, diagnostics: &Collector) -> Option<f64> {
    // A JSON string is a TOML string too.
    let quoted = |name: &String| serde_json::Value::from(name.as_str());
    let [hardware, pipeline, scene, metric] = point.names.each_ref().map(quoted);
    let text = format!(
        "name = \"point\"\nhardware = {hardware}\npipeline = {pipeline}\nscenes = [{scene}]\n[search]\nobjectives = [{metric}]\n"
    );
    let source = Source { name: point.span.to_string(), text, origin: Origin::Stock("validation".into()) };
    let result = Study::from_source(&Arc::new(source)).and_then(|(study, _)| Plan::compile(&study));
    let plan = match result {
        Ok((plan, _)) => plan,
        Err(Diagnostics(faults)) => {
            faults.into_iter().for_each(|fault| diagnostics.error(fault));
            return None;
        }
    };
    let mut evaluator = Evaluator::new(&plan);
    if evaluator.evaluate(&[]) == PointOutcome::Failed {
        let message = format!("this point has no value: {}", evaluator.reason());
        diagnostics.error(Diagnostic::new(&point.span, message).help("check its hardware, pipeline and scene"));
        return None;
    }
    Some(evaluator.objectives()[0])
}
