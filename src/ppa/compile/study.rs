//! The whole study.

use crate::ppa::parameters::collect;
use crate::ppa::plan::{Plan, WorkloadPlan};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::parameter::ParameterType;
use crate::spec::scene::SceneDecl;
use crate::spec::{Collector, Diagnostic, Span, Study};

pub(in crate::ppa) struct Compiler<'a> {
    pub(super) study: &'a Study,
    pub(super) diagnostics: &'a Collector,
    /// Whether the parts of the metrics are kept.
    pub(super) detailed: bool,
}

impl<'a> Compiler<'a> {
    pub(in crate::ppa) fn new(study: &'a Study, diagnostics: &'a Collector, detailed: bool) -> Self {
        Self { study, diagnostics, detailed }
    }

    pub(in crate::ppa) fn plan(&self) -> Option<Plan> {
        let (parameters, axes) = collect(self.study, self.diagnostics);
        self.check_strategy(&axes);
        let metric_names = self.metric_names();
        let mut workloads = Vec::new();
        for (scene, camera) in self.cameras() {
            workloads.push(self.workload(scene, &camera, &parameters, &axes));
        }
        let objectives =
            self.objectives(&metric_names, &workloads.iter().flatten().map(|w| w.name.clone()).collect::<Vec<_>>());
        let mut constraints = self.constraints(&metric_names);
        constraints.extend(workloads.iter().flatten().next().into_iter().flat_map(|first| first.own_limits.clone()));
        self.check_output_metrics(&metric_names);
        let workloads: Option<Vec<WorkloadPlan>> = workloads.into_iter().collect();
        let mut bottlenecks: Vec<String> = self.study.hardware.units.iter().map(|unit| unit.name.clone()).collect();
        bottlenecks.push("dram".into());
        let workloads = workloads?;
        let technology = workloads.first().and_then(|workload| workload.technology.clone());
        if workloads.is_empty() || objectives.is_empty() {
            return None;
        }
        let parameters = parameters
            .into_iter()
            .map(|parameter| match parameter.decl.kind {
                ParameterType::Choice(words) => (parameter.decl.name, Some(words)),
                _ => (parameter.decl.name, None),
            })
            .collect();
        Some(Plan {
            axes,
            parameters,
            workloads,
            metric_names,
            bottlenecks,
            objectives,
            aggregate: self.study.sweep.aggregate,
            constraints,
            technology,
        })
    }

    pub(super) fn error(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    /// Every scene with every camera that the sweep wants.
    pub(super) fn cameras(&self) -> Vec<(&SceneDecl, String)> {
        let wanted = &self.study.sweep.cameras;
        for (name, span) in wanted {
            if !self.study.scenes.iter().any(|scene| scene.cameras().contains(name)) {
                let known: Vec<String> = self.study.scenes.iter().flat_map(SceneDecl::cameras).collect();
                let help = did_you_mean(name, known.iter().map(String::as_str));
                self.error(span, format!("no scene of this sweep has a camera \"{name}\""), help);
            }
        }
        let mut pairs = Vec::new();
        for scene in &self.study.scenes {
            let cameras: Vec<String> = scene
                .cameras()
                .into_iter()
                .filter(|camera| wanted.is_empty() || wanted.iter().any(|(name, _)| name == camera))
                .collect();
            if let ([], Some((_, span))) = (&cameras[..], wanted.first()) {
                self.error(
                    span,
                    format!("scene `{}` has none of these cameras", scene.name),
                    format!("it has {}", scene.cameras().join(", ")),
                );
            }
            pairs.extend(cameras.into_iter().map(|camera| (scene, camera)));
        }
        pairs
    }
}
