//! A study compiled once.

use super::bounds::{BoundNodes, WorkloadBounds};
use super::branches::Branches;
use super::breakdown::{Detail, Request, compile_detail};
use super::checks::{Tried, try_expressions};
use super::computed::{Computed, compile_computed, computed, natural_goal};
use super::constraint::Constraint;
use super::figures::FigureProgram;
use super::front::Front;
use super::metric::{self, METRICS, TRAINING};
use super::model::{Parts, compile_metrics};
use super::parameters::{Axis, collect};
use super::saving::{SavingPlan, frame_shares};
use super::screen::ScreenProgram;
use crate::hardware::Clock;
use crate::mapping::Capacity;
use crate::operator::bind_workload;
use crate::schedule::{Method, Output, Schedule, compile_stages};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::hardware::Assign;
use crate::spec::parameter::ParameterType;
use crate::spec::pipeline::EdgeKind;
use crate::spec::program::{NodeId, Operation, Place, Program};
use crate::spec::scene::SceneDecl;
use crate::spec::scope::{Parameter, Scope};
use crate::spec::sweep::{Aggregate, Goal, ObjectiveDecl, Strategy};
use crate::spec::{Collector, Diagnostic, Diagnostics, Study};

/// What the names of the constraints begin with that hold working sets to their blocks.
pub(super) const CAPACITY: &str = "capacity.";

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
    /// Column names of the metrics of one workload: [`METRICS`], then `utilization.UNIT`, then [`TRAINING`] if
    /// edges are carried, then what the sweep computes.
    pub metric_names: Vec<String>,
    /// Names of the bottleneck's codes: the units, then DRAM.
    pub bottlenecks: Vec<String>,
    /// Objectives.
    pub objectives: Vec<Objective>,
    /// How objectives join workloads.
    pub aggregate: Aggregate,
    /// Constraints: the sweep's, then those that the hardware itself sets.
    pub constraints: Vec<Constraint>,
    /// What figures were scaled to another technology node by; `None`: nothing was.
    pub technology: Option<String>,
}

/// A study on one scene and camera.
pub struct WorkloadPlan {
    /// `scene` or `scene.camera`.
    pub name: String,
    /// Index of the scene in the study.
    pub scene: usize,
    /// The camera.
    pub camera: String,
    /// Which of the camera's measurements is in force; `None` if no tiles were measured.
    pub(super) binning: Option<Place>,
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
    /// What techniques save.
    pub(super) savings: Vec<SavingPlan<Place>>,
    /// Places that must hold a finite value.
    pub(super) guards: Vec<Place>,
    /// Places of the parameters, as in [`Plan::parameters`].
    pub(super) parameters: Vec<Place>,
    technology: Option<String>,
    /// Every figure of the hardware.
    pub(super) figures: FigureProgram,
    /// The limits that the hardware itself sets, as the last of [`Plan::constraints`].
    own_limits: Vec<Constraint>,
    /// For each block whose working sets must fit: KiB needed and available.
    pub(super) capacities: Vec<(Place, Place)>,
    /// Bounds over boxes of points; only where the search needs them.
    pub(super) bounds: Option<WorkloadBounds>,
    /// For each metric, the axes that it depends on: bit `k` for axis `k`.
    metric_axes: Vec<u64>,
    /// The parts of the metrics; only in a detailed plan.
    pub(super) detail: Option<Detail>,
}

impl WorkloadPlan {
    /// How the schedule is computed.
    pub fn method(&self) -> Method {
        self.schedule.method()
    }

    /// False if nothing leads from the axis to the metric in the model.
    pub fn depends_on(&self, metric: usize, axis: usize) -> bool {
        self.metric_axes.get(metric).is_some_and(|axes| axes >> axis & 1 == 1)
    }

    /// The policy of work that competes for a unit.
    pub fn policy(&self) -> &'static str {
        self.schedule.policy()
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

impl Plan {
    /// Compiles a study.
    ///
    /// # Errors
    /// Every fault that can be known before a point is evaluated.
    pub fn compile(study: &Study) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let plan = Compiler { study, diagnostics: &diagnostics, detailed: false }.plan();
        diagnostics.finish(plan)
    }

    /// Compiles a study so that [`Evaluator::breakdown`](super::Evaluator::breakdown) can take points apart. It evaluates
    /// to the same metrics, slower.
    ///
    /// # Errors
    /// As [`Plan::compile`].
    pub fn compile_detailed(study: &Study) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let plan = Compiler { study, diagnostics: &diagnostics, detailed: true }.plan();
        diagnostics.finish(plan)
    }
}

struct Compiler<'a> {
    study: &'a Study,
    diagnostics: &'a Collector,
    /// Whether the parts of the metrics are kept.
    detailed: bool,
}

impl Compiler<'_> {
    fn plan(&self) -> Option<Plan> {
        let (parameters, axes) = collect(self.study, self.diagnostics);
        let product = axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.values.len() as u64));
        // Conditions leave points out; what the axes alone would give may be too much then.
        if product.is_none() && Branches::new(&axes).is_none() {
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

    /// The metrics of the model.
    fn model_names(&self) -> Vec<String> {
        let utilization = self.study.hardware.units.iter().map(|unit| format!("utilization.{}", unit.name));
        let trains = self.study.pipeline.edges.iter().any(|edge| edge.kind == EdgeKind::Carried);
        let training = TRAINING.iter().filter(|_| trains).map(|metric| metric.name.to_owned());
        METRICS.iter().map(|metric| metric.name.to_owned()).chain(utilization).chain(training).collect()
    }

    /// The metrics that the sweep computes from these.
    fn computed(&self) -> Vec<Computed<'_>> {
        computed(&self.study.sweep, &self.model_names(), &|name| self.is_parameter(name))
    }

    fn metric_names(&self) -> Vec<String> {
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

    fn is_parameter(&self, name: &str) -> bool {
        let (hardware, pipeline) = (&self.study.hardware.parameters, &self.study.pipeline.parameters);
        hardware.iter().chain(pipeline).any(|decl| decl.name == name)
            || self.study.sweep.parameters.iter().any(|given| given.name == name)
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
        for ObjectiveDecl { name, span, goal: stated, value } in &self.study.sweep.search.objectives {
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
    fn bounded_metrics(&self) -> Vec<usize> {
        let names = self.model_names();
        let sweep = &self.study.sweep;
        let objectives = sweep.search.objectives.iter().map(|decl| &decl.name);
        let constraints = sweep.constraints.iter().filter(|decl| decl.value.is_none()).map(|decl| &decl.name);
        let wanted = objectives.chain(constraints).filter_map(|name| names.iter().position(|known| known == name));
        wanted.chain((0..self.computed().len()).map(|at| names.len() + at)).collect()
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
        scope.set_axis_values(
            axes.iter().map(|axis| axis.values.iter().copied().chain(axis.default).collect()).collect(),
        );
        let faults = self.diagnostics.error_count();
        let workload = bind_workload(&mut scope, scene, camera, study.pipeline.stream.as_ref())?;
        let resolved = scope.resolve_all();
        let stream = workload.stream.as_ref();
        let Front { process, clock, units, srams, dram, operators, applied, traffic, capacities, mapped } =
            Front::compile(&mut scope, study, stream)?;
        let savings = frame_shares(&mut scope, &applied, &operators, stream);
        let graph = compile_stages(&mut scope, study, &operators, &units, &mapped, &traffic, stream)?;
        let kernel_inputs = Schedule::inputs(&graph);
        scope.graph.set_kernel_inputs(&kernel_inputs);
        let kernel_outputs: Vec<NodeId> =
            Output::of(&graph).iter().map(|output| scope.graph.push(Operation::Kernel(*output as usize))).collect();
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
            training: graph.training.as_ref().map(|_| {
                [Output::Iteration, Output::Total, Output::Forward, Output::Backward]
                    .map(|output| kernel_outputs[output as usize])
            }),
        };
        let nodes = compile_metrics(&mut scope, &parts);
        let mut detail =
            self.detailed.then(|| compile_detail(&mut scope, &Request { parts: &parts, graph: &graph, nodes: &nodes }));
        let mut metrics: Vec<NodeId> = nodes.all().copied().collect();
        let is_parameter = |name: &str| self.is_parameter(name);
        let own = compile_computed(&mut scope, &self.computed(), &self.model_names(), &metrics, &is_parameter);
        let constraint_nodes = self.constraint_nodes(&mut scope, &clock, &capacities);
        self.check_unused(&scope, axes);
        let Tried { guards, passed } = try_expressions(&mut scope, axes);
        if self.diagnostics.error_count() > faults {
            return None;
        }
        metrics.extend(own?);
        let mut outputs = metrics.clone();
        let resolved: Vec<NodeId> = resolved.into_iter().map(|typed| Some(typed?.node)).collect::<Option<_>>()?;
        let binning = stream.and_then(|stream| stream.binning);
        outputs.extend(constraint_nodes.iter().flatten());
        outputs.extend(&guards);
        outputs.extend(capacities.iter().flat_map(|capacity| [capacity.needed_kib, capacity.available_kib]));
        outputs.extend(binning);
        outputs.extend(savings.iter().flat_map(|saving| saving.shares));
        outputs.extend(&resolved);
        outputs.extend(detail.iter().flat_map(Detail::nodes));
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
        if let Some(detail) = &mut detail {
            detail.bind(|node| program.place_of(node));
        }
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
                    kernel_outputs: kernel_outputs.len(),
                    tiles: workload.tiles.clone(),
                    binning,
                },
            )
        });
        let place = |node: NodeId| program.place_of(node);
        let screen =
            |node: NodeId| ScreenProgram::new(&scope, node, axes.len(), workload.tiles.clone(), binning, &passed);
        let pair = |capacity: &Capacity| Some((place(capacity.needed_kib)?, place(capacity.available_kib)?));
        Some(WorkloadPlan {
            technology: process.text(),
            figures: FigureProgram::new(&scope, axes.len(), &units, &srams, dram.as_ref()),
            own_limits: own_limits(&clock, &capacities),
            capacities: capacities.iter().filter_map(pair).collect(),
            bounds,
            detail,
            name: workload.name,
            scene: study.scenes.iter().position(|known| known.name == scene.name).unwrap_or(0),
            camera: camera.to_owned(),
            binning: binning.and_then(place),
            equal_tiles: stream.is_some() && binning.is_none(),
            metrics: metrics.iter().filter_map(|node| place(*node)).collect(),
            screens: constraint_nodes.iter().map(|node| node.and_then(screen)).collect(),
            constraint_values: constraint_nodes.iter().map(|node| node.and_then(place)).collect(),
            metric_axes: metrics.iter().map(|node| scope.graph.axes(*node)).collect(),
            savings: savings.into_iter().filter_map(|saving| saving.place(&program)).collect(),
            guards: guards.iter().filter_map(|node| place(*node)).collect(),
            parameters: resolved.iter().filter_map(|node| place(*node)).collect(),
            schedule,
            program,
        })
    }

    /// Nodes of the constraints that are expressions, and of the clock for the operating points.
    fn constraint_nodes(&self, scope: &mut Scope<'_>, clock: &Clock, capacities: &[Capacity]) -> Vec<Option<NodeId>> {
        let mut nodes: Vec<Option<NodeId>> = self
            .study
            .sweep
            .constraints
            .iter()
            .map(|decl| {
                let is_computed = self.computed().iter().any(|metric| metric.name == decl.name);
                let value = decl.value.as_ref().filter(|_| !is_computed)?;
                scope.compile(value, &format!("constraint `{}`", decl.name), &[])
            })
            .collect();
        if clock.limits_mhz.is_some() {
            nodes.push(Some(clock.mhz));
        }
        for capacity in capacities {
            let share = scope.graph.binary(Function::Div, capacity.needed_kib, capacity.available_kib);
            nodes.push(Some(share));
        }
        nodes
    }

    /// A parameter that only the sweep knows and nothing uses is a misspelt one; an axis that nothing uses is dead.
    fn check_unused(&self, scope: &Scope<'_>, axes: &[Axis]) {
        let of_techniques: Vec<String> =
            self.study.techniques.iter().flat_map(|one| one.study_parameters()).map(|decl| decl.name).collect();
        let declared = || {
            let own = self.study.hardware.parameters.iter().chain(&self.study.pipeline.parameters);
            own.map(|decl| decl.name.as_str()).chain(of_techniques.iter().map(String::as_str))
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
            } else if axes.iter().any(|axis| axis.varies(name)) {
                self.diagnostics.warning(
                    Diagnostic::new(&given.span, format!("axis `{name}` changes nothing: no expression uses it"))
                        .help("take it off the sweep, or make the hardware or pipeline depend on it"),
                );
            }
        }
    }
}

/// What a point must keep besides the sweep's constraints, in the order of their nodes.
fn own_limits(clock: &Clock, capacities: &[Capacity]) -> Vec<Constraint> {
    let clock =
        clock.limits_mhz.map(|(min, max)| Constraint { name: "operating_point".into(), metric: None, min, max });
    let capacity = |capacity: &Capacity| Constraint {
        name: format!("{CAPACITY}{}", capacity.block),
        metric: None,
        min: f64::NEG_INFINITY,
        max: 1.0,
    };
    clock.into_iter().chain(capacities.iter().map(capacity)).collect()
}
