//! Metrics, objectives and constraints by name.

use super::study::Compiler;
use crate::ppa::computed::{Computed, computed, natural_goal};
use crate::ppa::constraint::Constraint;
use crate::ppa::metric::{self, EXTRAPOLATED, METRICS, TRAINING};
use crate::ppa::plan::Objective;
use crate::spec::Span;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::pipeline::EdgeKind;
use crate::spec::sweep::{Aggregate, ObjectiveDecl};

impl Compiler<'_> {
    /// The metrics of the model.
    pub(super) fn model_names(&self) -> Vec<String> {
        let utilization = self.study.hardware.units.iter().map(|unit| format!("utilization.{}", unit.name));
        let trains = self.study.pipeline.edges.iter().any(|edge| edge.kind == EdgeKind::Carried);
        let training = TRAINING.iter().filter(|_| trains).map(|metric| metric.name.to_owned());
        let extrapolated = self.study.hardware.may_extrapolate().then(|| EXTRAPOLATED.name.to_owned());
        METRICS
            .iter()
            .map(|metric| metric.name.to_owned())
            .chain(utilization)
            .chain(training)
            .chain(extrapolated)
            .collect()
    }

    /// The metrics that the sweep computes from these.
    pub(super) fn computed(&self) -> Vec<Computed<'_>> {
        computed(&self.study.sweep, &self.model_names(), &|name| self.is_parameter(name))
    }

    pub(super) fn metric_names(&self) -> Vec<String> {
        let mut names = self.model_names();
        for metric in self.computed() {
            if names.iter().any(|known| known == metric.name) {
                let message = format!("there is a metric `{}` already", metric.name);
                self.error(&metric.value.span, message, "give the expression another name");
            }
            names.push(metric.name.to_owned());
        }
        names
    }

    pub(super) fn is_parameter(&self, name: &str) -> bool {
        let (hardware, pipeline) = (&self.study.hardware.parameters, &self.study.pipeline.parameters);
        hardware.iter().chain(pipeline).any(|decl| decl.name == name)
            || self.study.sweep.parameters.iter().any(|given| given.name == name)
    }

    pub(super) fn find_metric(&self, names: &[String], name: &str, span: &Span) -> Option<usize> {
        let found = names.iter().position(|known| known == name);
        if found.is_none() {
            self.error(
                span,
                format!("there is no metric `{name}`"),
                did_you_mean(name, names.iter().map(String::as_str)),
            );
        }
        found
    }

    pub(super) fn objectives(&self, names: &[String], workloads: &[String]) -> Vec<Objective> {
        let mut objectives = Vec::new();
        for ObjectiveDecl { name, span, goal: stated, value, label } in &self.study.sweep.search.objectives {
            let Some(metric) = self.find_metric(names, name, span) else { continue };
            let info = metric::info(name);
            let natural = match value {
                Some(value) => natural_goal(&value.expr),
                None => info.and_then(|info| info.goal),
            };
            let Some(goal) = stated.or(natural) else {
                let help = match value {
                    Some(_) => {
                        "write { name = \"score\", value = \"...\", goal = \"minimise\" } (or \"maximise\")".into()
                    }
                    None => format!("write {{ metric = \"{name}\", goal = \"minimise\" }} (or \"maximise\")"),
                };
                self.error(span, format!("`{name}` has no natural direction"), help);
                continue;
            };
            if metric == metric::BOTTLENECK {
                self.error(span, "`bottleneck` is a name, not a number", "choose a metric that is a number");
                continue;
            }
            let label = label.clone().or(info.map(|info| info.label.to_owned())).unwrap_or_else(|| name.clone());
            let common = info.is_some_and(|info| info.common);
            if self.study.sweep.aggregate == Aggregate::Each && !common && workloads.len() > 1 {
                for (at, workload) in workloads.iter().enumerate() {
                    objectives.push(Objective {
                        name: format!("{workload}.{name}"),
                        label: format!("{workload}: {label}"),
                        metric,
                        goal,
                        workload: Some(at),
                    });
                }
            } else {
                objectives.push(Objective { name: name.clone(), label, metric, goal, workload: None });
            }
        }
        objectives
    }

    pub(super) fn constraints(&self, names: &[String]) -> Vec<Constraint> {
        let decls = &self.study.sweep.constraints;
        decls
            .iter()
            .filter_map(|decl| {
                let over_parameters =
                    decl.value.is_some() && self.computed().iter().all(|metric| metric.name != decl.name);
                let metric = match over_parameters {
                    true => None,
                    false => Some(self.find_metric(names, &decl.name, &decl.span)?),
                };
                let (min, max) = (decl.min.unwrap_or(f64::NEG_INFINITY), decl.max.unwrap_or(f64::INFINITY));
                Some(Constraint { name: decl.name.clone(), metric, min, max })
            })
            .collect()
    }

    /// Indices of the metrics that objectives and constraints look at.
    pub(super) fn bounded_metrics(&self) -> Vec<usize> {
        let names = self.model_names();
        let sweep = &self.study.sweep;
        let objectives = sweep.search.objectives.iter().map(|decl| &decl.name);
        let constraints = sweep.constraints.iter().filter(|decl| decl.value.is_none()).map(|decl| &decl.name);
        let wanted = objectives.chain(constraints).filter_map(|name| names.iter().position(|known| known == name));
        wanted.chain((0..self.computed().len()).map(|at| names.len() + at)).collect()
    }

    pub(super) fn check_output_metrics(&self, names: &[String]) {
        for (name, span) in &self.study.sweep.output.metrics {
            self.find_metric(names, name, span);
        }
    }
}
