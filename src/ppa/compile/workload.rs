//! One scene and camera.

use super::study::Compiler;
use crate::hardware::Clock;
use crate::mapping::Capacity;
use crate::operator::bind_workload;
use crate::ppa::bounds::{BoundNodes, WorkloadBounds};
use crate::ppa::breakdown::{Detail, Request, compile_detail};
use crate::ppa::checks::{Tried, try_expressions};
use crate::ppa::computed::compile_computed;
use crate::ppa::constraint::Constraint;
use crate::ppa::figures::FigureProgram;
use crate::ppa::front::Front;
use crate::ppa::model::{Parts, compile_metrics};
use crate::ppa::parameters::Axis;
use crate::ppa::plan::WorkloadPlan;
use crate::ppa::saving::frame_shares;
use crate::ppa::screen::ScreenProgram;
use crate::schedule::{Method, Output, Schedule, compile_stages};
use crate::spec::Diagnostic;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::hardware::Assign;
use crate::spec::program::{NodeId, Operation, Program};
use crate::spec::scene::SceneDecl;
use crate::spec::scope::{Parameter, Scope};
use crate::spec::sweep::Strategy;

/// What the names of the constraints begin with that hold working sets to their blocks.
pub(in crate::ppa) const CAPACITY: &str = "capacity.";

impl Compiler<'_> {
    pub(super) fn workload(
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
    pub(super) fn constraint_nodes(
        &self,
        scope: &mut Scope<'_>,
        clock: &Clock,
        capacities: &[Capacity],
    ) -> Vec<Option<NodeId>> {
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
    pub(super) fn check_unused(&self, scope: &Scope<'_>, axes: &[Axis]) {
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
