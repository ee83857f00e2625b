//! Evaluating points of a plan.

use super::metric;
use super::plan::{Objective, Plan};
use super::saving::Saving;
use crate::schedule::{NarrowEdge, Schedule};
use crate::spec::program::{Columns, Place, State, failure};
use crate::spec::sweep::{Aggregate, Goal};

/// What came out of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Every metric is a number and every constraint holds.
    Feasible,
    /// The constraint of that index fails the most, by that share of its bound.
    Infeasible {
        /// Index in [`Plan::constraints`].
        constraint: usize,
        /// Share of the bound.
        violation: f64,
    },
    /// The model has no finite value; [`Evaluator::reason`] says why.
    Failed,
}

/// Evaluates points of a plan, one after the other; holds all memory that this takes.
pub struct Evaluator<'p> {
    plan: &'p Plan,
    workloads: Vec<(State, Schedule)>,
    /// Digits of the point before; empty before the first.
    digits: Vec<u32>,
    /// True before the first point: a space without axes has no digits that could tell.
    fresh: bool,
    /// Metrics of all workloads, one after the other.
    metrics: Vec<f64>,
    objectives: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'p> Evaluator<'p> {
    /// An evaluator; everything that evaluations need is allocated here.
    pub fn new(plan: &'p Plan) -> Self {
        let workloads =
            plan.workloads.iter().map(|workload| (workload.program.state(), workload.schedule.clone())).collect();
        Self {
            plan,
            workloads,
            digits: Vec::with_capacity(plan.axes.len()),
            fresh: true,
            metrics: vec![f64::NAN; plan.workloads.len() * plan.metric_names.len()],
            objectives: vec![f64::NAN; plan.objectives.len()],
            scratch: Vec::with_capacity(plan.workloads.len()),
        }
    }

    /// Evaluates the point with the given digit (index of the value) on each axis. Only what depends on axes that moved
    /// since the point before is computed. Allocates nothing.
    pub fn evaluate(&mut self, digits: &[u32]) -> Outcome {
        let plan = self.plan;
        let slowest = if !self.fresh && self.digits.len() == digits.len() {
            match self.digits.iter().zip(digits).position(|(old, new)| old != new) {
                Some(axis) => Some(axis),
                // The same point again, or a space of one point.
                None => return self.outcome(),
            }
        } else {
            None
        };
        let first = slowest.unwrap_or(0);
        for (axis, (values, digit)) in plan.axes.iter().zip(digits).enumerate().skip(first) {
            let value = values.values[*digit as usize];
            for (workload, (state, _)) in plan.workloads.iter().zip(&mut self.workloads) {
                workload.program.set_axis(state, axis, value);
            }
        }
        self.digits.clear();
        self.digits.extend_from_slice(digits);
        self.run(slowest)
    }

    /// Evaluates a point off the grid, given by its axis values.
    pub fn evaluate_values(&mut self, values: &[f64]) -> Outcome {
        for (axis, value) in values.iter().enumerate() {
            for (workload, (state, _)) in self.plan.workloads.iter().zip(&mut self.workloads) {
                workload.program.set_axis(state, axis, *value);
            }
        }
        self.digits.clear();
        self.run(None)
    }

    fn run(&mut self, slowest: Option<usize>) -> Outcome {
        self.fresh = false;
        let plan = self.plan;
        let width = plan.metric_names.len();
        for (at, (workload, (state, schedule))) in plan.workloads.iter().zip(&mut self.workloads).enumerate() {
            workload.program.run(state, slowest, schedule);
            for (metric, place) in self.metrics[at * width..(at + 1) * width].iter_mut().zip(&workload.metrics) {
                *metric = workload.program.scalar(state, *place);
            }
        }
        for at in 0..plan.objectives.len() {
            self.objectives[at] = self.objective(&plan.objectives[at]);
        }
        self.outcome()
    }

    fn outcome(&self) -> Outcome {
        // Bounds on parameters come first: they can exclude points that the model has no value for.
        let excluded = self.worst_violation(|metric| metric.is_none());
        if let Some((constraint, violation)) = excluded {
            return Outcome::Infeasible { constraint, violation };
        }
        let guarded = self.plan.workloads.iter().zip(&self.workloads).all(|(workload, (state, _))| {
            workload.guards.iter().all(|place| workload.program.scalar(state, *place).is_finite())
        });
        if !guarded || !self.metrics.iter().all(|metric| metric.is_finite()) {
            return Outcome::Failed;
        }
        match self.worst_violation(|metric| metric.is_some()) {
            Some((constraint, violation)) => Outcome::Infeasible { constraint, violation },
            None => Outcome::Feasible,
        }
    }

    /// The constraint that fails most among those whose metric is wanted, with the share of its bound.
    fn worst_violation(&self, wanted: impl Fn(Option<usize>) -> bool) -> Option<(usize, f64)> {
        let mut worst: Option<(usize, f64)> = None;
        for (index, constraint) in self.plan.constraints.iter().enumerate() {
            if !wanted(constraint.metric) {
                continue;
            }
            for at in 0..self.plan.workloads.len() {
                let value = match constraint.metric {
                    Some(metric) => self.metric(at, metric),
                    None => self.constraint_value(at, index),
                };
                let violation = constraint.violation(value);
                if violation > worst.map_or(0.0, |(_, most)| most) {
                    worst = Some((index, violation));
                }
            }
        }
        worst
    }

    fn constraint_value(&self, workload: usize, constraint: usize) -> f64 {
        let plan = &self.plan.workloads[workload];
        match plan.constraint_values[constraint] {
            Some(place) => plan.program.scalar(&self.workloads[workload].0, place),
            None => f64::NAN,
        }
    }

    /// A metric of the last point on one workload.
    pub fn metric(&self, workload: usize, metric: usize) -> f64 {
        self.metrics[workload * self.plan.metric_names.len() + metric]
    }

    /// All metrics of the last point: workload by workload, each in the order of [`Plan::metric_names`].
    pub fn metrics(&self) -> &[f64] {
        &self.metrics
    }

    /// The objectives of the last point, joined over the workloads.
    pub fn objectives(&self) -> &[f64] {
        &self.objectives
    }

    /// What each technique leaves of each of its operators at the last point on one workload.
    pub fn savings(&self, workload: usize) -> impl Iterator<Item = Saving> + '_ {
        let (plan, state) = (&self.plan.workloads[workload], &self.workloads[workload].0);
        plan.savings.iter().map(move |saving| {
            let [s_comp, r_bytes, energy] = saving.shares.map(|place| plan.program.scalar(state, place));
            Saving { technique: saving.technique, operator: saving.operator, s_comp, r_bytes, energy }
        })
    }

    /// The streamed operators of a workload with the cycles for which each tile of the last point occupies one group; one
    /// value where all tiles are equal.
    pub fn tile_cycles(&self, workload: usize) -> impl Iterator<Item = (&str, &[f64])> {
        let columns = self.plan.workloads[workload].program.columns(&self.workloads[workload].0);
        self.workloads[workload].1.streamed().map(move |(name, place)| (name, columns.get(place)))
    }

    /// Which of the camera's measurements is in force at the last point.
    pub fn binning(&self, workload: usize) -> Option<usize> {
        let plan = &self.plan.workloads[workload];
        let at = plan.program.scalar(&self.workloads[workload].0, plan.binning?);
        at.is_finite().then_some(at as usize)
    }

    /// A parameter of the last point, by its position in [`Plan::parameters`].
    pub fn parameter(&self, at: usize) -> f64 {
        let (workload, (state, _)) = (&self.plan.workloads[0], &self.workloads[0]);
        workload.parameters.get(at).map_or(f64::NAN, |place| workload.program.scalar(state, *place))
    }

    fn objective(&mut self, objective: &Objective) -> f64 {
        if let Some(workload) = objective.workload {
            return self.metric(workload, objective.metric);
        }
        self.scratch.clear();
        let (width, metric) = (self.plan.metric_names.len(), objective.metric);
        self.scratch.extend(self.metrics.iter().skip(metric).step_by(width));
        aggregate(self.plan.aggregate, objective.goal, &mut self.scratch)
    }

    /// What there is to say of the last point's outcome besides its constraint's name: why it failed, or what does not fit
    /// where.
    pub fn reason_of(&self, outcome: Outcome) -> Option<String> {
        match outcome {
            Outcome::Feasible => None,
            Outcome::Failed => Some(self.reason()),
            Outcome::Infeasible { constraint, .. } => self.shortage(constraint),
        }
    }

    /// What a capacity's constraint misses: the KiB needed and available on the workload that needs most.
    fn shortage(&self, constraint: usize) -> Option<String> {
        let name = &self.plan.constraints[constraint].name;
        let block = name.strip_prefix(super::compile::CAPACITY)?;
        let first = self.plan.constraints.iter().position(|known| known.name.starts_with(super::compile::CAPACITY))?;
        let mut most: Option<(f64, f64)> = None;
        for (workload, (state, _)) in self.plan.workloads.iter().zip(&self.workloads) {
            let (needed, available) = workload.capacities.get(constraint - first)?;
            let value = |place| workload.program.scalar(state, place);
            let (needed, available) = (value(*needed), value(*available));
            if most.is_none_or(|(other, _)| needed > other) {
                most = Some((needed, available));
            }
        }
        most.map(|(needed, available)| {
            format!(
                "{name}: {needed} KiB are needed in `{block}`, {available} KiB are available, and nothing may spill"
            )
        })
    }

    /// Has the schedules of the last point, one per workload, verified tile by tile; returns how many there were.
    ///
    /// # Errors
    /// What is wrong, with the workload's name.
    pub fn verify(&self) -> Result<usize, String> {
        let mut verified = 0;
        for (at, (workload, (state, schedule))) in self.plan.workloads.iter().zip(&self.workloads).enumerate() {
            let makespan = self.metric(at, metric::LATENCY_CYCLES);
            let found = schedule.verify(workload.program.columns(state), makespan);
            verified += usize::from(found.map_err(|violation| format!("{}: {violation}", workload.name))?);
        }
        Ok(verified)
    }

    /// The stream edges of the last point on a workload whose buffers are too small for the groups behind them.
    pub fn narrow_edges(&self, workload: usize) -> Vec<NarrowEdge> {
        let schedule = self.workloads.get(workload).map(|(_, schedule)| schedule);
        schedule.zip(self.columns(workload)).map_or_else(Vec::new, |(schedule, columns)| schedule.narrow_edges(columns))
    }

    /// The plan whose points it evaluates.
    pub(super) fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Every value of the last point on a workload.
    pub(super) fn columns(&self, workload: usize) -> Option<Columns<'_>> {
        let (plan, (state, _)) = (self.plan.workloads.get(workload)?, self.workloads.get(workload)?);
        Some(plan.program.columns(state))
    }

    /// Hands the schedule and the values of the last point on a workload to `write`.
    pub(super) fn write_out<T>(
        &mut self,
        workload: usize,
        write: impl FnOnce(&mut Schedule, Columns<'_>) -> T,
    ) -> Option<T> {
        let plan = self.plan.workloads.get(workload)?;
        let (state, schedule) = self.workloads.get_mut(workload)?;
        Some(write(schedule, plan.program.columns(state)))
    }

    /// Why the last point [failed](Outcome::Failed).
    pub fn reason(&self) -> String {
        for (workload, (state, _)) in self.plan.workloads.iter().zip(&self.workloads) {
            let why = |place: &Place| failure::reason(&workload.program, state, *place);
            let of_metric = |(place, name): (&Place, &String)| {
                let reason = why(place)?;
                // The model's own operations stand in no file: the metric says which one it was.
                Some(if reason == "division by zero" { format!("{reason} in metric `{name}`") } else { reason })
            };
            let mut metrics = workload.metrics.iter().zip(&self.plan.metric_names);
            // A guard names the broken parameter itself, a metric only what it broke.
            if let Some(reason) = workload.guards.iter().find_map(why).or_else(|| metrics.find_map(of_metric)) {
                return if self.plan.workloads.len() > 1 { format!("{}: {reason}", workload.name) } else { reason };
            }
        }
        "the model gives no finite value".into()
    }
}

/// Joins the values of several workloads; NaN if one of them is.
pub(super) fn aggregate(how: Aggregate, goal: Goal, values: &mut [f64]) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let count = values.len() as f64;
    match how {
        Aggregate::Mean => values.iter().sum::<f64>() / count,
        Aggregate::Geomean => {
            // The mean of logarithms; a value that is not positive makes it 0 or NaN, which the archive refuses.
            if values.iter().any(|value| *value <= 0.0) {
                return if values.iter().any(|value| *value < 0.0) { f64::NAN } else { 0.0 };
            }
            (values.iter().map(|value| value.ln()).sum::<f64>() / count).exp()
        }
        Aggregate::Worst | Aggregate::P99 | Aggregate::Each => {
            // Best first; the nearest rank of 99 %, or the last.
            values.sort_unstable_by(|a, b| if goal == Goal::Minimise { a.total_cmp(b) } else { b.total_cmp(a) });
            let rank = if how == Aggregate::P99 { (0.99 * count).ceil() as usize } else { values.len() };
            values[rank.clamp(1, values.len()) - 1]
        }
    }
}
