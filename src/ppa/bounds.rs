//! Bounds on the objectives of all points of a box at once.

use std::sync::Arc;

use super::evaluator::aggregate;
use super::plan::{Objective, Plan};
use crate::schedule::Schedule;
use crate::spec::program::bounds::{Direction, Interval, LIBRARY_SLACK, Tape, TapeState, compile_bounds};
use crate::spec::program::{Graph, NodeId, Program, TileTable};
use crate::spec::sweep::{Aggregate, Goal};

/// The enclosures of one workload.
pub struct WorkloadBounds {
    tape: Tape,
    /// Position of each metric among the tape's outputs; `None` where nothing looks at it.
    metrics: Vec<Option<usize>>,
    constraints: Vec<Option<usize>>,
    /// The outputs from here on must have a value.
    guards: usize,
}

/// What [`WorkloadBounds`] enclose.
pub struct BoundNodes<'a> {
    pub metrics: Vec<Option<NodeId>>,
    pub constraints: &'a [Option<NodeId>],
    pub guards: &'a [NodeId],
    pub kernel_inputs: &'a [(NodeId, Direction)],
    pub kernel_outputs: usize,
    pub tiles: Arc<TileTable>,
    pub binning: Option<NodeId>,
}

impl WorkloadBounds {
    /// Compiles the enclosures.
    pub fn compile(graph: &Graph, program: &Program, axes: usize, nodes: BoundNodes<'_>) -> Self {
        let mut outputs = Vec::new();
        let mut position = |node: &Option<NodeId>| {
            node.map(|node| {
                outputs.push(node);
                outputs.len() - 1
            })
        };
        let metrics = nodes.metrics.iter().map(&mut position).collect();
        let constraints = nodes.constraints.iter().map(&mut position).collect();
        let guards = outputs.len();
        outputs.extend(nodes.guards);
        let (inputs, count) = (nodes.kernel_inputs, nodes.kernel_outputs);
        let tape = compile_bounds(graph, program, axes, &outputs, inputs, count, nodes.tiles, nodes.binning);
        Self { tape, metrics, constraints, guards }
    }
}

/// What is known of the points of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Some may keep every constraint; [`BoxEvaluator::bounds`] holds for those.
    Open,
    /// Each breaks a constraint or has no value.
    Excluded,
}

/// Bounds boxes of a plan's points, one after the other; holds all memory that this takes.
pub struct BoxEvaluator<'p> {
    plan: &'p Plan,
    workloads: Vec<(&'p WorkloadBounds, TapeState, Schedule)>,
    axes: Vec<Interval>,
    /// Metrics of all workloads, one after the other.
    metrics: Vec<Interval>,
    bounds: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'p> BoxEvaluator<'p> {
    /// An evaluator of boxes; `None` if the plan was compiled without bounds, for another strategy than `exact`.
    pub fn new(plan: &'p Plan) -> Option<Self> {
        let workloads: Option<Vec<_>> = plan
            .workloads
            .iter()
            .map(|workload| {
                let bounds = workload.bounds.as_ref()?;
                Some((bounds, bounds.tape.state(&workload.program), workload.schedule.clone()))
            })
            .collect();
        Some(Self {
            plan,
            workloads: workloads?,
            axes: vec![Interval::ALL; plan.axes.len()],
            metrics: vec![Interval::ALL; plan.workloads.len() * plan.metric_names.len()],
            bounds: vec![f64::NAN; plan.objectives.len()],
            scratch: Vec::with_capacity(plan.workloads.len()),
        })
    }

    /// Bounds the points whose digit on each axis lies between that of `low` and that of `high`, both included.
    pub fn bound(&mut self, low: &[u32], high: &[u32]) -> Verdict {
        let plan = self.plan;
        self.place(low, high);
        let width = plan.metric_names.len();
        for (at, (workload, (bounds, state, schedule))) in plan.workloads.iter().zip(&mut self.workloads).enumerate() {
            let outputs = bounds.tape.run(state, &workload.program, schedule, &self.axes);
            if outputs[bounds.guards..].iter().any(|guard| guard.is_empty()) {
                return Verdict::Excluded;
            }
            for (metric, output) in self.metrics[at * width..(at + 1) * width].iter_mut().zip(&bounds.metrics) {
                *metric = output.map_or(Interval::ALL, |output| outputs[output]);
                if metric.is_empty() {
                    return Verdict::Excluded;
                }
            }
            for (index, constraint) in plan.constraints.iter().enumerate() {
                let value = match (constraint.metric, bounds.constraints.get(index)) {
                    (Some(metric), _) => self.metrics[at * width + metric],
                    (None, Some(Some(output))) => outputs[*output],
                    (None, _) => Interval::ALL,
                };
                if value.meet(Interval { lo: constraint.min, hi: constraint.max }).is_empty() {
                    return Verdict::Excluded;
                }
            }
        }
        for (at, objective) in plan.objectives.iter().enumerate() {
            self.bounds[at] = self.objective(objective);
        }
        Verdict::Open
    }

    /// The box on the axes.
    fn place(&mut self, low: &[u32], high: &[u32]) {
        for ((interval, axis), (low, high)) in self.axes.iter_mut().zip(&self.plan.axes).zip(low.iter().zip(high)) {
            // Listed values need not rise.
            *interval = axis.values[*low as usize..=*high as usize]
                .iter()
                .fold(Interval::EMPTY, |all, value| all.hull(Interval::point(*value)));
        }
    }

    /// By how much of its bound each point of a box misses its worst constraint at least; infinite if none has a value.
    pub fn least_violation(&mut self, low: &[u32], high: &[u32]) -> f64 {
        let plan = self.plan;
        self.place(low, high);
        // Bounds on metrics count only where all of those on parameters hold.
        let (mut own, mut of_metrics, mut own_hold) = (0.0_f64, 0.0_f64, true);
        for (workload, (bounds, state, schedule)) in plan.workloads.iter().zip(&mut self.workloads) {
            let outputs = bounds.tape.run(state, &workload.program, schedule, &self.axes);
            if outputs[bounds.guards..].iter().any(|guard| guard.is_empty()) {
                return f64::INFINITY;
            }
            for (index, constraint) in plan.constraints.iter().enumerate() {
                let (value, is_own) = match (constraint.metric, bounds.constraints.get(index)) {
                    (Some(metric), _) => (bounds.metrics[metric].map_or(Interval::ALL, |at| outputs[at]), false),
                    (None, Some(Some(output))) => (outputs[*output], true),
                    (None, _) => (Interval::ALL, true),
                };
                if value.is_empty() {
                    return f64::INFINITY;
                }
                let least = if value.hi < constraint.min {
                    constraint.violation(value.hi)
                } else if value.lo > constraint.max {
                    constraint.violation(value.lo)
                } else {
                    0.0
                };
                if is_own {
                    own = own.max(least);
                    own_hold &= constraint.min <= value.lo && value.hi <= constraint.max;
                } else {
                    of_metrics = of_metrics.max(least);
                }
            }
        }
        match own_hold {
            true => of_metrics,
            false => own,
        }
    }

    /// For each objective the value, in its own direction, that no feasible point of the last box betters.
    pub fn bounds(&self) -> &[f64] {
        &self.bounds
    }

    fn objective(&mut self, objective: &Objective) -> f64 {
        let best = |interval: &Interval| if objective.goal == Goal::Minimise { interval.lo } else { interval.hi };
        let width = self.plan.metric_names.len();
        if let Some(workload) = objective.workload {
            return best(&self.metrics[workload * width + objective.metric]);
        }
        self.scratch.clear();
        self.scratch.extend(self.metrics.iter().skip(objective.metric).step_by(width).map(best));
        // Every way of joining rises with each of the values, so the best values join to the best value.
        let joined = aggregate(self.plan.aggregate, objective.goal, &mut self.scratch);
        let unbounded = if objective.goal == Goal::Minimise { f64::NEG_INFINITY } else { f64::INFINITY };
        if joined.is_nan() {
            return unbounded;
        }
        // A geometric mean goes through library functions.
        let slack = if self.plan.aggregate == Aggregate::Geomean { LIBRARY_SLACK * 100.0 * joined.abs() } else { 0.0 };
        if objective.goal == Goal::Minimise { joined - slack } else { joined + slack }
    }
}
