//! A study compiled once.

use super::bounds::WorkloadBounds;
use super::breakdown::Detail;
use super::compile::Compiler;
use super::constraint::Constraint;
use super::figures::FigureProgram;
use super::parameters::Axis;
use super::saving::SavingPlan;
use super::screen::ScreenProgram;
use crate::schedule::{Method, Schedule};
use crate::spec::program::{Place, Program};
use crate::spec::sweep::{Aggregate, Goal};
use crate::spec::{Collector, Diagnostic, Diagnostics, Study};

/// A whole study, ready to evaluate points.
pub struct Plan {
    /// The axes; the last one moves fastest.
    pub axes: Vec<Axis>,
    /// Every parameter, declared or the sweep's own: name, words if it is a choice.
    pub parameters: Vec<(String, Option<Vec<String>>)>,
    /// One per scene and camera.
    pub workloads: Vec<WorkloadPlan>,
    /// Column names of the metrics of one workload: [`METRICS`](super::metric::METRICS), then `utilization.UNIT`, then
    /// [`TRAINING`](super::metric::TRAINING) if edges are carried, then [`EXTRAPOLATED`](super::metric::EXTRAPOLATED) if a model
    /// may answer beyond its table, then what the sweep computes from these.
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
    /// True if every tile is taken as equal: only totals are known, or the sweep says so.
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
    pub(super) technology: Option<String>,
    /// Every figure of the hardware.
    pub(super) figures: FigureProgram,
    /// The limits that the hardware itself sets, as the last of [`Plan::constraints`].
    pub(super) own_limits: Vec<Constraint>,
    /// For each block whose working sets must fit: KiB needed and available.
    pub(super) capacities: Vec<(Place, Place)>,
    /// Bounds over boxes of points; only where the search needs them.
    pub(super) bounds: Option<WorkloadBounds>,
    /// For each metric, the axes that it depends on: bit `k` for axis `k`.
    pub(super) metric_axes: Vec<u64>,
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
        let plan = Compiler::new(study, &diagnostics, false).plan();
        diagnostics.finish(plan)
    }

    /// Compiles a study so that [`Evaluator::breakdown`](super::Evaluator::breakdown) can take points apart. It evaluates
    /// to the same metrics, slower.
    ///
    /// # Errors
    /// As [`Plan::compile`].
    pub fn compile_detailed(study: &Study) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let plan = Compiler::new(study, &diagnostics, true).plan();
        diagnostics.finish(plan)
    }

    /// The digits of the declared design; of an axis that does not have its value, the first.
    pub fn declared(&self) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.declared_digit() as u32).collect()
    }
}
