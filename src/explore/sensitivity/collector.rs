//! Takes the evaluations of a run as they come.

use super::{Effects, of_grid, of_sample};
use crate::explore::runner::Block;
use crate::explore::space::Space;
use crate::ppa::{Outcome, Plan};

/// Most numbers of a full grid that are kept (128 MiB).
const MOST_NUMBERS: u64 = 1 << 24;
/// Most points that are kept of anything else.
const MOST_POINTS: usize = 1 << 16;

/// How effects were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Exactly, from every point of the grid.
    Grid,
    /// Estimated from so many points.
    Sample(usize),
}

/// Effects on every objective; `None` for one that does not vary.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// How they were found.
    pub method: Method,
    /// Objective by objective.
    pub effects: Vec<Option<Effects>>,
}

/// The axes of several values that lead to a metric on any workload.
fn leading(plan: &Plan, metric: usize) -> Vec<usize> {
    let leads = |axis: &usize| {
        plan.axes[*axis].values.len() > 1 && plan.workloads.iter().any(|workload| workload.depends_on(metric, *axis))
    };
    (0..plan.axes.len()).filter(leads).collect()
}

/// Keeps objectives: all of a full grid that fits, else a fair sample. Infeasible points count, points without a value do
/// not.
pub struct Collector {
    axes: Vec<(u64, bool)>,
    objectives: usize,
    /// Objectives of every point in order, while that is possible.
    grid: Option<Vec<f64>>,
    /// Key, index, objectives of points whose key is a multiple of the stride.
    sample: Vec<(u64, u64, Vec<f64>)>,
    stride: u64,
    points: u64,
    /// For each objective the axes that something in the model leads from.
    leading: Vec<Vec<usize>>,
}

impl Collector {
    /// A collector for a walk through all points of the space in order, or for a sample of it.
    pub fn new(plan: &Plan, space: &Space, is_grid: bool) -> Self {
        let numbers = space.points().saturating_mul(plan.objectives.len() as u64);
        Self {
            axes: plan.axes.iter().map(|axis| (axis.values.len() as u64, !axis.is_words)).collect(),
            objectives: plan.objectives.len(),
            grid: (is_grid && numbers <= MOST_NUMBERS).then(Vec::new),
            sample: Vec::new(),
            stride: 1,
            points: space.points(),
            leading: plan.objectives.iter().map(|objective| leading(plan, objective.metric)).collect(),
        }
    }

    /// Takes a block; `key` scrambles an index.
    pub fn block(&mut self, block: &Block, key: impl Fn(u64) -> u64) {
        if let Some(grid) = &mut self.grid {
            if block.outcomes.iter().all(|outcome| *outcome != Outcome::Failed) {
                grid.extend(&block.objectives);
            } else {
                // No full grid any more: what there is goes over into the sample.
                let before = self.grid.take().unwrap_or_default();
                for (index, objectives) in (0..).zip(before.chunks_exact(self.objectives)) {
                    self.keep(key(index), index, objectives);
                }
            }
        }
        if self.grid.is_none() {
            for (row, _) in block.outcomes.iter().enumerate().filter(|(_, outcome)| **outcome != Outcome::Failed) {
                let objectives = &block.objectives[row * self.objectives..(row + 1) * self.objectives];
                self.keep(key(block.indices[row]), block.indices[row], objectives);
            }
        }
    }

    fn keep(&mut self, key: u64, index: u64, objectives: &[f64]) {
        if !key.is_multiple_of(self.stride) || !objectives.iter().all(|value| value.is_finite()) {
            return;
        }
        self.sample.push((key, index, objectives.to_vec()));
        while self.sample.len() > MOST_POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.sample.retain(|(key, _, _)| key.is_multiple_of(stride));
        }
    }

    /// Effects on one objective. An axis that nothing leads from has none, and keeps no points apart.
    fn estimate(&self, digits: &[Vec<u32>], values: &[f64], leading: &[usize]) -> Option<Effects> {
        let axes: Vec<(u64, bool)> = leading.iter().map(|axis| self.axes[*axis]).collect();
        let own: Vec<Vec<u32>> = digits.iter().map(|row| leading.iter().map(|axis| row[*axis]).collect()).collect();
        let found = of_sample(&axes, &own, values)?;
        let mut effects = Effects { main: vec![0.0; self.axes.len()], total: vec![0.0; self.axes.len()] };
        for (at, axis) in leading.iter().enumerate() {
            (effects.main[*axis], effects.total[*axis]) = (found.main[at], found.total[at]);
        }
        Some(effects)
    }

    /// The effects.
    pub fn finish(self, space: &Space) -> Sensitivity {
        let sizes: Vec<u64> = self.axes.iter().map(|(size, _)| *size).collect();
        let column =
            |grid: &[f64], at: usize| -> Vec<f64> { grid.iter().skip(at).step_by(self.objectives).copied().collect() };
        if let Some(grid) = self.grid.as_ref().filter(|grid| grid.len() as u64 == self.points * self.objectives as u64)
        {
            let effects = (0..self.objectives).map(|at| of_grid(&sizes, &column(grid, at)));
            return Sensitivity { method: Method::Grid, effects: effects.collect() };
        }
        let digits: Vec<Vec<u32>> = self
            .sample
            .iter()
            .map(|(_, index, _)| {
                let mut digits = Vec::new();
                space.digits(*index, &mut digits);
                digits
            })
            .collect();
        let values = |at: usize| self.sample.iter().map(|(_, _, objectives)| objectives[at]).collect::<Vec<_>>();
        let effects = (0..self.objectives).map(|at| self.estimate(&digits, &values(at), &self.leading[at])).collect();
        Sensitivity { method: Method::Sample(self.sample.len()), effects }
    }
}
