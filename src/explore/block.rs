//! Evaluating a block of points. What goes wrong at one point, a panic included, stays with that point.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::pareto::Archive;
use super::runner::{Block, Job};
use crate::ppa::{Evaluator, Outcome};

thread_local! {
    /// True while a panic of this thread becomes the reason of a point, and is not to be printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Evaluates points of a job, one block after the other.
pub(super) struct BlockEvaluator<'a> {
    job: &'a Job<'a>,
    evaluator: Evaluator<'a>,
    digits: Vec<u32>,
}

impl<'a> BlockEvaluator<'a> {
    pub fn new(job: &'a Job<'a>) -> Self {
        silence_caught_panics();
        Self { job, evaluator: Evaluator::new(job.plan), digits: Vec::with_capacity(job.plan.axes.len()) }
    }

    /// Evaluates points in the order given.
    pub fn evaluate(&mut self, indices: impl Iterator<Item = u64>) -> Block {
        let job = self.job;
        let rows = indices.size_hint().0;
        let width = job.plan.workloads.len() * job.plan.metric_names.len();
        let mut block = Block {
            indices: Vec::with_capacity(rows),
            outcomes: Vec::with_capacity(rows),
            metrics: Vec::with_capacity(rows * width),
            objectives: Vec::with_capacity(rows * job.plan.objectives.len()),
            parameters: Vec::with_capacity(rows * job.shown.len()),
            reasons: Vec::new(),
        };
        let mut previous = None;
        for index in indices {
            match previous {
                Some(before) if before + 1 == index && job.space.is_enumerable() => job.space.advance(&mut self.digits),
                _ => job.space.digits(index, &mut self.digits),
            }
            previous = Some(index);
            let (outcome, reason) = self.point(index);
            if let Some(reason) = reason {
                block.reasons.push((block.indices.len(), reason));
            }
            block.indices.push(index);
            block.outcomes.push(outcome);
            block.metrics.extend_from_slice(self.evaluator.metrics());
            block.objectives.extend_from_slice(self.evaluator.objectives());
            block.parameters.extend(job.shown.iter().map(|at| self.evaluator.parameter(*at)));
        }
        block
    }

    /// Evaluates the failed points of a block again. Returns true if there were any.
    pub fn retry(&mut self, block: &mut Block) -> bool {
        let failed: Vec<usize> = block.failures().map(|(row, _)| *row).collect();
        block.reasons.retain(|(row, _)| !failed.contains(row));
        for row in &failed {
            let row = *row;
            self.job.space.digits(block.indices[row], &mut self.digits);
            let (outcome, reason) = self.point(block.indices[row]);
            block.outcomes[row] = outcome;
            block.reasons.extend(reason.map(|reason| (row, reason)));
            fill(&mut block.metrics, row, self.evaluator.metrics().iter().copied());
            fill(&mut block.objectives, row, self.evaluator.objectives().iter().copied());
            fill(&mut block.parameters, row, self.job.shown.iter().map(|at| self.evaluator.parameter(*at)));
        }
        block.reasons.sort_unstable_by_key(|(row, _)| *row);
        !failed.is_empty()
    }

    /// Evaluates the point of the digits in place.
    fn point(&mut self, index: u64) -> (Outcome, Option<String>) {
        let quiet = QuietGuard::new();
        let evaluated = catch_unwind(AssertUnwindSafe(|| {
            if let Some(probe) = self.job.probe {
                probe(index);
            }
            let outcome = self.evaluator.evaluate(&self.digits);
            (outcome, self.evaluator.reason_of(outcome))
        }));
        drop(quiet);
        evaluated.unwrap_or_else(|panic| {
            // What it left behind is not to be trusted.
            self.evaluator = Evaluator::new(self.job.plan);
            (Outcome::Failed, Some(format!("the model stopped with a fault of the program: {}", text(&*panic))))
        })
    }
}

/// Replaces the values of a row in a table of equal rows.
fn fill(table: &mut [f64], row: usize, values: impl ExactSizeIterator<Item = f64>) {
    let width = values.len();
    for (cell, value) in table[row * width..(row + 1) * width].iter_mut().zip(values) {
        *cell = value;
    }
}

/// The front of a block's points.
pub(super) fn front(job: &Job<'_>, block: &Block) -> Archive {
    let mut front = Archive::new(job.plan.objectives.iter().map(|objective| objective.goal).collect());
    let width = job.plan.objectives.len();
    for (at, outcome) in block.outcomes.iter().enumerate() {
        if *outcome == Outcome::Feasible {
            front.insert(block.indices[at], &block.objectives[at * width..(at + 1) * width]);
        }
    }
    front
}

/// The message of a panic, on one line.
fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes this thread's panics quiet while it lives.
struct QuietGuard;

impl QuietGuard {
    fn new() -> Self {
        QUIET.set(true);
        Self
    }
}

impl Drop for QuietGuard {
    fn drop(&mut self) {
        QUIET.set(false);
    }
}

fn silence_caught_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
}
