//! A study compiled once.

use super::bounds::{BoundNodes, WorkloadBounds};
use super::checks::{Tried, try_expressions};
use super::metric::{self, METRICS};
use super::model::{Parts, compile_metrics};
use super::parameters::{Axis, collect};
use super::screen::ScreenProgram;
use crate::hardware::{Clock, compile_dram, compile_sram, compile_unit};
use crate::mapping::{compile_traffic, map_operators};
use crate::operator::{bind_workload, compile_operators};
use crate::schedule::{Method, Output, Schedule, compile_stages};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::hardware::Assign;
use crate::spec::parameter::ParameterType;
use crate::spec::program::{NodeId, Operation, Place, Program};
use crate::spec::scene::SceneDecl;
use crate::spec::scope::{Parameter, Scope};
use crate::spec::sweep::{Aggregate, Goal, Strategy};
use crate::spec::{Collector, Diagnostic, Diagnostics, Study};

/// Most axes of a Sobol sample: `explore` has direction numbers for as many.
const SOBOL_AXES: usize = 32;

/// A whole study, ready to evaluate points.
pub struct Plan {
    /// The axes; the last one moves fastest.
    pub axes: Vec<Axis>,
    /// Every parameter, declared or the sweep's own: name, words if it is a choice.
    pub parameters: Vec<(String, Option<Vec<String>>)>,
    /// One per scene and camera.
    pub workloads: Vec<WorkloadPlan>,
    /// Column names of the metrics of one workload: [`METRICS`], then `utilization.UNIT`.
    pub metric_names: Vec<String>,
    /// Names of the bottleneck's codes: the units, then DRAM.
    pub bottlenecks: Vec<String>,
    /// Objectives.
    pub objectives: Vec<Objective>,
    /// How objectives join workloads.
    pub aggregate: Aggregate,
    /// Constraints.
    pub constraints: Vec<Constraint>,
}

/// A study on one scene and camera.
pub struct WorkloadPlan {
    /// `scene` or `scene.camera`.
    pub name: String,
    /// True if every tile is taken as equal because only totals are known.
    pub equal_tiles: bool,
    pub(super) program: Program,
    pub(super) schedule: Schedule,
    /// Places of the metrics, as in [`Plan::metric_names`].
    pub(super) metrics: Vec<Place>,
    /// Places of the constraints' own expressions.
    pub(super) constraint_values: Vec<Option<Place>>,
    /// The same expressions, each as a program of its own.
    pub(super) screens: Vec<Option<ScreenProgram>>,
    /// Places that must hold a finite value.
    pub(super) guards: Vec<Place>,
    /// Places of the parameters, as in [`Plan::parameters`].
    pub(super) parameters: Vec<Place>,
    /// Bounds over boxes of points; only where the search needs them.
    pub(super) bounds: Option<WorkloadBounds>,
}

impl WorkloadPlan {
    /// How the schedule is computed.
    pub fn method(&self) -> Method {
        self.schedule.method()
    }
}

/// A metric to make as good as possible.
#[derive(Debug, Clone)]
pub struct Objective {
    /// Column name: the metric, behind the workload's name if the aggregate is `each`.
    pub name: String,
    /// How a figure labels it.
    pub label: String,
    /// Index of the metric.
    pub metric: usize,
    /// Which way is better.
    pub goal: Goal,
    /// The workload, if it is only one.
    pub workload: Option<usize>,
}

/// Bounds that every workload must keep.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Its name.
    pub name: String,
    /// The metric; `None`: an expression over parameters.
    pub metric: Option<usize>,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

impl Constraint {
    /// By how much of its bound a value misses it; 0 if it keeps it.
    pub fn violation(&self, value: f64) -> f64 {
        let excess = |miss: f64, bound: f64| if bound == 0.0 { miss } else { miss / bound.abs() };
        if value < self.min {
            excess(self.min - value, self.min)
        } else if value > self.max {
            excess(value - self.max, self.max)
        } else {
            0.0
        }
    }
}

impl Plan {
    /// Compiles a study.
    ///
    /// # Errors
    /// Every fault that can be known before a point is evaluated.
    pub fn compile(study: &Study) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let plan = Compiler { study, diagnostics: &diagnostics }.plan();
        diagnostics.finish(plan)
    }
}

struct Compiler<'a> {
    study: &'a Study,
    diagnostics: &'a Collector,
}

impl Compiler<'_> {
    fn plan(&self) -> Option<Plan> {
        let (parameters, axes) = collect(self.study, self.diagnostics);
        let points = axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.values.len() as u64));
        if points.is_none() {
            let span = &self.study.sweep.parameters[0].span;
            self.error(span, "this space has 2^64 points or more", "fix some axes, or make them coarser");
        }
        if self.study.sweep.search.strategy == Strategy::Sobol && axes.len() > SOBOL_AXES {
            let message = format!("the Sobol sequence has {SOBOL_AXES} dimensions, this sweep has {} axes", axes.len());
            self.error(&self.study.sweep.search.span, message, "write strategy = \"lhs\", or fix some axes");
        }
        if let (Strategy::NelderMead, Some(words)) =
            (self.study.sweep.search.strategy, axes.iter().find(|axis| axis.is_words && axis.values.len() > 1))
        {
            let message = format!("nelder-mead moves along axes, and the words of `{}` have no order", words.name);
            self.error(&self.study.sweep.search.span, message, "write strategy = \"anneal\", or fix that axis");
        }
        let metric_names = self.metric_names();
        let mut workloads = Vec::new();
        for (scene, camera) in self.cameras() {
            workloads.push(self.workload(scene, &camera, &parameters, &axes));
        }
        let objectives =
            self.objectives(&metric_names, &workloads.iter().flatten().map(|w| w.name.clone()).collect::<Vec<_>>());
        let mut constraints = self.constraints(&metric_names);
        if let (Some((low, _)), Some((high, _))) =
            (self.study.hardware.clock.points.first(), self.study.hardware.clock.points.last())
        {
            constraints.push(Constraint { name: "operating_point".into(), metric: None, min: *low, max: *high });
        }
        self.check_output_metrics(&metric_names);
        let workloads: Option<Vec<WorkloadPlan>> = workloads.into_iter().collect();
        let mut bottlenecks: Vec<String> = self.study.hardware.units.iter().map(|unit| unit.name.clone()).collect();
        bottlenecks.push("dram".into());
        let workloads = workloads?;
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
        })
    }

    fn error(&self, span: &crate::spec::Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    /// Every scene with every camera that the sweep wants.
    fn cameras(&self) -> Vec<(&SceneDecl, String)> {
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

    fn metric_names(&self) -> Vec<String> {
        let utilization = self.study.hardware.units.iter().map(|unit| format!("utilization.{}", unit.name));
        METRICS.iter().map(|metric| metric.name.to_owned()).chain(utilization).collect()
    }

    fn find_metric(&self, names: &[String], name: &str, span: &crate::spec::Span) -> Option<usize> {
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

    fn objectives(&self, names: &[String], workloads: &[String]) -> Vec<Objective> {
        let mut objectives = Vec::new();
        for (name, span, stated) in &self.study.sweep.search.objectives {
            let Some(metric) = self.find_metric(names, name, span) else { continue };
            let info = METRICS.get(metric);
            let Some(goal) = stated.or(info.and_then(|info| info.goal)) else {
                let help = format!("write {{ metric = \"{name}\", goal = \"minimise\" }} (or \"maximise\")");
                self.error(span, format!("`{name}` has no natural direction"), help);
                continue;
            };
            if metric == metric::BOTTLENECK {
                self.error(span, "`bottleneck` is a name, not a number", "choose a metric that is a number");
                continue;
            }
            let label = info.map_or_else(|| name.clone(), |info| info.label.to_owned());
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

    fn constraints(&self, names: &[String]) -> Vec<Constraint> {
        let decls = &self.study.sweep.constraints;
        decls
            .iter()
            .filter_map(|decl| {
                let metric = match decl.value {
                    Some(_) => None,
                    None => Some(self.find_metric(names, &decl.name, &decl.span)?),
                };
                let (min, max) = (decl.min.unwrap_or(f64::NEG_INFINITY), decl.max.unwrap_or(f64::INFINITY));
                Some(Constraint { name: decl.name.clone(), metric, min, max })
            })
            .collect()
    }

    /// Indices of the metrics that objectives and constraints look at.
    fn bounded_metrics(&self) -> Vec<usize> {
        let names = self.metric_names();
        let sweep = &self.study.sweep;
        let objectives = sweep.search.objectives.iter().map(|(name, _, _)| name);
        let constraints = sweep.constraints.iter().filter(|decl| decl.value.is_none()).map(|decl| &decl.name);
        objectives.chain(constraints).filter_map(|name| names.iter().position(|known| known == name)).collect()
    }

    fn check_output_metrics(&self, names: &[String]) {
        for (name, span) in &self.study.sweep.output.metrics {
            self.find_metric(names, name, span);
        }
    }

    fn workload(
        &self,
        scene: &SceneDecl,
        camera: &str,
        parameters: &[Parameter],
        axes: &[Axis],
    ) -> Option<WorkloadPlan> {
        let study = self.study;
        let mut scope = Scope::new(parameters.to_vec(), self.diagnostics);
        let faults = self.diagnostics.error_count();
        let workload = bind_workload(&mut scope, scene, camera, study.pipeline.stream.as_ref())?;
        let resolved = scope.resolve_all();
        let clock = Clock::compile(&mut scope, &study.hardware.clock);
        let units: Vec<_> = study.hardware.units.iter().map(|unit| compile_unit(&mut scope, unit)).collect();
        let clock = clock?;
        let srams: Vec<_> = study.hardware.srams.iter().map(|sram| compile_sram(&mut scope, sram, &clock)).collect();
        let dram = match &study.hardware.dram {
            Some(decl) => Some(compile_dram(&mut scope, decl, &clock)?),
            None => None,
        };
        let operators = compile_operators(&mut scope, study);
        let units: Vec<_> = units.into_iter().collect::<Option<_>>()?;
        let srams: Vec<_> = srams.into_iter().collect::<Option<_>>()?;
        let operators: Vec<_> = operators.into_iter().collect::<Option<_>>()?;
        let stream = workload.stream.as_ref();
        let traffic = compile_traffic(&mut scope, study, &operators, &srams, dram.as_ref());
        let traffic: Vec<_> = traffic.into_iter().collect::<Option<_>>()?;
        let mapped = map_operators(&mut scope, study, &operators, &units, &srams, &traffic, stream)?;
        let graph = compile_stages(&mut scope, study, &operators, &units, &mapped, &traffic, stream)?;
        let kernel_inputs = Schedule::inputs(&graph);
        scope.graph.set_kernel_inputs(&kernel_inputs);
        let kernel_outputs: Vec<NodeId> =
            Output::ALL.iter().map(|output| scope.graph.push(Operation::Kernel(*output as usize))).collect();
        let parts = Parts {
            study,
            clock,
            units: &units,
            srams: &srams,
            dram: dram.as_ref(),
            operators: &operators,
            mapped: &mapped,
            traffic: &traffic,
            stream,
            makespan: kernel_outputs[Output::Makespan as usize],
            lower_bound: kernel_outputs[Output::LowerBound as usize],
        };
        let nodes = compile_metrics(&mut scope, &parts);
        let constraint_nodes = self.constraint_nodes(&mut scope, &clock);
        self.check_unused(&scope, axes);
        let Tried { guards, passed } = try_expressions(&mut scope, axes);
        if self.diagnostics.error_count() > faults {
            return None;
        }
        let mut outputs: Vec<NodeId> = nodes.metrics.iter().chain(&nodes.utilization).copied().collect();
        let resolved: Vec<NodeId> = resolved.into_iter().map(|typed| Some(typed?.node)).collect::<Option<_>>()?;
        outputs.extend(constraint_nodes.iter().flatten());
        outputs.extend(&guards);
        outputs.extend(&resolved);
        let binning = stream.and_then(|stream| stream.binning);
        let program = Program::new(
            &scope.graph,
            axes.len(),
            &outputs,
            &kernel_inputs,
            &kernel_outputs,
            workload.tiles.clone(),
            binning,
            &passed,
        );
        let schedule = Schedule::new(&graph, &program);
        if schedule.method() == Method::List
            && let Some(at) = graph.assign.iter().position(|assign| *assign == Assign::Contiguous)
        {
            let unit = &study.hardware.units[at];
            self.error(
                &unit.span.part(0..unit.span.text().find('\n').unwrap_or(0)),
                format!(
                    "unit `{}` takes contiguous blocks of tiles, but operators of this pipeline compete for units",
                    unit.name
                ),
                "blocks are scheduled only where every streamed operator has its own unit; write assign = \"dynamic\"",
            );
            return None;
        }
        let bounds = (study.sweep.search.strategy == Strategy::Exact).then(|| {
            let metrics: Vec<NodeId> = nodes.metrics.iter().chain(&nodes.utilization).copied().collect();
            let wanted = self.bounded_metrics();
            WorkloadBounds::compile(
                &scope.graph,
                &program,
                axes.len(),
                BoundNodes {
                    metrics: metrics
                        .iter()
                        .enumerate()
                        .map(|(at, node)| wanted.contains(&at).then_some(*node))
                        .collect(),
                    constraints: &constraint_nodes,
                    guards: &guards,
                    kernel_inputs: &Schedule::directions(&graph),
                    kernel_outputs: Output::ALL.len(),
                    tiles: workload.tiles.clone(),
                    binning,
                },
            )
        });
        let place = |node: NodeId| program.place_of(node);
        let screen =
            |node: NodeId| ScreenProgram::new(&scope, node, axes.len(), workload.tiles.clone(), binning, &passed);
        Some(WorkloadPlan {
            bounds,
            name: workload.name,
            equal_tiles: stream.is_some() && binning.is_none(),
            metrics: nodes.metrics.iter().chain(&nodes.utilization).filter_map(|node| place(*node)).collect(),
            screens: constraint_nodes.iter().map(|node| node.and_then(screen)).collect(),
            constraint_values: constraint_nodes.iter().map(|node| node.and_then(place)).collect(),
            guards: guards.iter().filter_map(|node| place(*node)).collect(),
            parameters: resolved.iter().filter_map(|node| place(*node)).collect(),
            schedule,
            program,
        })
    }

    /// Nodes of the constraints that are expressions, and of the clock for the operating points.
    fn constraint_nodes(&self, scope: &mut Scope<'_>, clock: &Clock) -> Vec<Option<NodeId>> {
        let mut nodes: Vec<Option<NodeId>> = self
            .study
            .sweep
            .constraints
            .iter()
            .map(|decl| scope.compile(decl.value.as_ref()?, &format!("constraint `{}`", decl.name), &[]))
            .collect();
        if clock.limits_mhz.is_some() {
            nodes.push(Some(clock.mhz));
        }
        nodes
    }

    /// A parameter that only the sweep knows and nothing uses is a misspelt one; an axis that nothing uses is dead.
    fn check_unused(&self, scope: &Scope<'_>, axes: &[Axis]) {
        let declared = || {
            self.study.hardware.parameters.iter().chain(&self.study.pipeline.parameters).map(|decl| decl.name.as_str())
        };
        for name in scope.unused() {
            let Some(given) = self.study.sweep.parameters.iter().find(|parameter| parameter.name == name) else {
                continue;
            };
            if !declared().any(|known| known == name) {
                self.error(
                    &given.span,
                    format!("neither hardware nor pipeline has a parameter `{name}`, and nothing uses it"),
                    did_you_mean(name, declared()),
                );
            } else if axes.iter().any(|axis| axis.name == name) {
                self.diagnostics.warning(
                    Diagnostic::new(&given.span, format!("axis `{name}` changes nothing: no expression uses it"))
                        .help("take it off the sweep, or make the hardware or pipeline depend on it"),
                );
            }
        }
    }
}
