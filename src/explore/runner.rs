//! Evaluating many points on all cores, results in the order of their indices.

use std::io;
use std::sync::mpsc::sync_channel;

use rayon::prelude::*;

use super::exact::Certificate;
use super::history::History;
use super::pareto::{Archive, FrontPoint, thinned};
use super::sample;
use super::search::{Session, StopReason, run_strategy};
use super::space::Space;
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::spec::sweep::{SearchDecl, Strategy};

/// Points of one block: the unit of work of a core. Results do not depend on it.
const BLOCK: u64 = 4096;
/// Blocks of each core between two hand-overs.
const BLOCKS_PER_THREAD: usize = 4;
/// Failures whose reason the summary keeps.
const KEPT_FAILURES: usize = 5;

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A result could not be written.
    #[error("failed to write results: {0}")]
    Output(#[from] io::Error),
    /// The threads could not be started.
    #[error("failed to start {threads} threads: {source}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Evaluated points in the order of their indices.
#[derive(Debug, Default)]
pub struct Block {
    /// Index of each point.
    pub indices: Vec<u64>,
    /// What came out of each point.
    pub outcomes: Vec<Outcome>,
    /// Metrics, point by point, as [`Evaluator::metrics`] gives them.
    pub metrics: Vec<f64>,
    /// Objectives, point by point.
    pub objectives: Vec<f64>,
    /// Values of the plan's other parameters that results show, point by point.
    pub parameters: Vec<f64>,
    /// Reasons of the failed points: position in the block, text.
    pub reasons: Vec<(usize, String)>,
}

/// Takes results and progress of a run. Called from one thread, blocks in order.
pub trait Observer: Send {
    /// Takes a block.
    ///
    /// # Errors
    /// What keeps it from being written; the run stops.
    fn block(&mut self, block: &Block) -> io::Result<()>;

    /// Takes the progress: points done, size of the front.
    fn progress(&mut self, done: u64, front: usize);
}

/// What a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Points evaluated.
    pub points: u64,
    /// Points that keep every constraint.
    pub feasible: u64,
    /// Points at which the model has no value.
    pub failed: u64,
    /// The first failures: index, reason.
    pub failures: Vec<(u64, String)>,
    /// For each constraint, the points at which it fails most.
    pub constraint_misses: Vec<u64>,
    /// The infeasible point that misses its bounds least: index, constraint, share of the bound.
    pub nearest: Option<(u64, usize, f64)>,
    /// The front.
    pub front: Vec<FrontPoint>,
    /// Why a search ended; `None` for a walk through all points or a sample.
    pub stop: Option<StopReason>,
    /// What an exact search proves.
    pub certificate: Option<Certificate>,
    /// The course of a search.
    pub history: Option<History>,
}

/// The points that a search visits.
enum Points {
    All(u64),
    Some(Vec<u64>),
}

impl Points {
    fn of(space: &Space, search: &SearchDecl) -> Self {
        match (search.strategy, search.samples) {
            (Strategy::Random, Some(samples)) if samples < space.points() => {
                Self::Some(sample::without_repeats(space.points(), samples, search.seed))
            }
            (Strategy::Lhs, Some(samples)) => Self::Some(sample::latin_hypercube(space, samples, search.seed)),
            // The plan has refused spaces of too many axes.
            (Strategy::Sobol, Some(samples)) => {
                sample::sobol_points(space, samples, search.seed).map_or(Self::All(space.points()), Self::Some)
            }
            _ => Self::All(space.points()),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Self::All(count) => *count,
            Self::Some(indices) => indices.len() as u64,
        }
    }

    fn index(&self, position: u64) -> u64 {
        match self {
            Self::All(_) => position,
            Self::Some(indices) => indices[position as usize],
        }
    }
}

/// Number of points that a search visits.
pub fn count_points(space: &Space, search: &SearchDecl) -> u64 {
    match (search.strategy, search.samples) {
        (Strategy::Random | Strategy::Lhs | Strategy::Sobol, Some(samples)) => samples.min(space.points()),
        _ => search.budget.evaluations.map_or(space.points(), |most| most.min(space.points())),
    }
}

/// Evaluates the points of a search on `threads` cores.
///
/// Blocks are handed to `observer` in order while the next ones are evaluated. `shown` are the positions of the parameters that
/// blocks carry. The result is the same for any number of threads.
///
/// # Errors
/// If the observer cannot write or the threads cannot be started.
pub fn run(
    plan: &Plan,
    space: &Space,
    search: &SearchDecl,
    shown: &[usize],
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Summary, RunError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|source| RunError::Threads { threads, source })?;
    if search.strategy.chooses_as_it_goes() {
        let mut session = Session::new(plan, space, shown, &pool, search.budget, observer);
        let ending = run_strategy(&mut session, search)?;
        let (stop, certificate) = ending.map_or((None, None), |(stop, certificate)| (Some(stop), certificate));
        let goals: Vec<_> = plan.objectives.iter().map(|objective| objective.goal).collect();
        let front = session.archive.into_front();
        let history = Some(session.entries.history(&goals, &front, session.summary.points));
        let front = thinned(front, &goals, search.tolerance());
        return Ok(Summary { front, stop, certificate, history, ..session.summary });
    }
    let points = Points::of(space, search);
    let count = points.count();
    let goals: Vec<_> = plan.objectives.iter().map(|objective| objective.goal).collect();
    let mut archive = Archive::new(goals.clone());
    let mut summary = Summary { points: count, ..Summary::new(plan) };
    let blocks = count.div_ceil(BLOCK);
    let window = (threads * BLOCKS_PER_THREAD) as u64;
    let (sender, receiver) = sync_channel::<Vec<(Block, Archive)>>(1);
    std::thread::scope(|scope| {
        let points = &points;
        let goals = &goals;
        let pool = &pool;
        scope.spawn(move || {
            for first in (0..blocks).step_by(window as usize) {
                let results = pool.install(|| {
                    (first..blocks.min(first + window))
                        .into_par_iter()
                        .map_init(
                            || Evaluator::new(plan),
                            |evaluator, block| {
                                let range = block * BLOCK..count.min((block + 1) * BLOCK);
                                let positions = range.start as usize..range.end as usize;
                                let indices = positions.map(|position| points.index(position as u64));
                                let block = evaluate_indices(plan, evaluator, space, indices, shown);
                                let mut front = Archive::new(goals.clone());
                                let width = plan.objectives.len();
                                for (at, outcome) in block.outcomes.iter().enumerate() {
                                    if *outcome == Outcome::Feasible {
                                        front
                                            .insert(block.indices[at], &block.objectives[at * width..(at + 1) * width]);
                                    }
                                }
                                (block, front)
                            },
                        )
                        .collect()
                });
                // The receiver is gone only when writing failed.
                if sender.send(results).is_err() {
                    return;
                }
            }
        });
        let mut done = 0;
        for results in receiver {
            for (block, front) in results {
                summary.count(&block);
                archive.merge(front);
                observer.block(&block)?;
                done += block.indices.len() as u64;
            }
            observer.progress(done, archive.len());
        }
        Ok::<(), io::Error>(())
    })?;
    summary.front = thinned(archive.into_front(), &goals, search.tolerance());
    Ok(summary)
}

/// Evaluates points in the order given.
pub(super) fn evaluate_indices(
    plan: &Plan,
    evaluator: &mut Evaluator<'_>,
    space: &Space,
    indices: impl ExactSizeIterator<Item = u64>,
    shown: &[usize],
) -> Block {
    let rows = indices.len();
    let width = plan.workloads.len() * plan.metric_names.len();
    let mut block = Block {
        indices: Vec::with_capacity(rows),
        outcomes: Vec::with_capacity(rows),
        metrics: Vec::with_capacity(rows * width),
        objectives: Vec::with_capacity(rows * plan.objectives.len()),
        parameters: Vec::with_capacity(rows * shown.len()),
        reasons: Vec::new(),
    };
    let mut digits = Vec::with_capacity(plan.axes.len());
    let mut previous = None;
    for index in indices {
        match previous {
            Some(before) if before + 1 == index => space.advance(&mut digits),
            _ => space.digits(index, &mut digits),
        }
        previous = Some(index);
        let outcome = evaluator.evaluate(&digits);
        if outcome == Outcome::Failed {
            block.reasons.push((block.indices.len(), evaluator.reason()));
        }
        block.indices.push(index);
        block.outcomes.push(outcome);
        block.metrics.extend_from_slice(evaluator.metrics());
        block.objectives.extend_from_slice(evaluator.objectives());
        block.parameters.extend(shown.iter().map(|at| evaluator.parameter(*at)));
    }
    block
}

impl Summary {
    /// The summary before the first point.
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            points: 0,
            feasible: 0,
            failed: 0,
            failures: Vec::new(),
            constraint_misses: vec![0; plan.constraints.len()],
            nearest: None,
            front: Vec::new(),
            stop: None,
            certificate: None,
            history: None,
        }
    }

    pub(super) fn count(&mut self, block: &Block) {
        for (index, outcome) in block.indices.iter().zip(&block.outcomes) {
            match outcome {
                Outcome::Feasible => self.feasible += 1,
                Outcome::Failed => self.failed += 1,
                Outcome::Infeasible { constraint, violation } => {
                    self.constraint_misses[*constraint] += 1;
                    if self.nearest.is_none_or(|(_, _, least)| *violation < least) {
                        self.nearest = Some((*index, *constraint, *violation));
                    }
                }
            }
        }
        let room = KEPT_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(block.reasons.iter().take(room).map(|(at, reason)| (block.indices[*at], reason.clone())));
    }
}
