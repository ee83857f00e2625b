//! Evaluating many points on all cores, results in the order of their indices.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};

use rayon::prelude::*;

use super::block::{BlockEvaluator, front};
use super::digest::Digest;
use super::exact::Certificate;
use super::history::History;
use super::pareto::{Archive, FrontPoint, thinned};
use super::points::Points;
use super::record::Known;
use super::search::{Session, StopReason, run_strategy};
use super::shard::Shard;
use super::space::Space;
use crate::ppa::{Outcome, Plan};
use crate::spec::sweep::{Goal, RowsKept, SearchDecl};

/// Blocks of each core between two hand-overs.
pub const BLOCKS_PER_THREAD: usize = 4;
/// Failures whose reason the summary keeps.
pub(super) const KEPT_FAILURES: usize = 5;

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A result could not be written.
    #[error("failed to write results: {0}")]
    Output(io::Error),
    /// The record of an earlier attempt is not that of this run, or not as it was written.
    #[error("the record cannot be gone on with: {0}")]
    Record(io::Error),
    /// A point failed, and the run was to stop then.
    #[error("point {index} failed: {reason}")]
    Point {
        /// Index of the point.
        index: u64,
        /// Why.
        reason: String,
    },
    /// The threads could not be started.
    #[error("failed to start {threads} threads: {source}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

impl From<io::Error> for RunError {
    /// Data that is wrong can only come from the record: everything else is written.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Self::Record(error),
            _ => Self::Output(error),
        }
    }
}

/// Evaluated points in the order of their indices.
#[derive(Debug, Default)]
pub struct Block {
    /// Index of each point.
    pub indices: Vec<u64>,
    /// What came out of each point.
    pub outcomes: Vec<Outcome>,
    /// Metrics, point by point, as [`crate::ppa::Evaluator::metrics`] gives them.
    pub metrics: Vec<f64>,
    /// Objectives, point by point.
    pub objectives: Vec<f64>,
    /// Values of the plan's other parameters that results show, point by point.
    pub parameters: Vec<f64>,
    /// Reasons of failed points, and of infeasible ones that have more to say than their constraint: position in the block,
    /// text.
    pub reasons: Vec<(usize, String)>,
}

impl Block {
    /// The reasons of the failed points.
    pub fn failures(&self) -> impl Iterator<Item = &(usize, String)> {
        self.reasons.iter().filter(|(row, _)| self.outcomes.get(*row) == Some(&Outcome::Failed))
    }
}

/// Takes results and progress of a run. Called from one thread, blocks in order.
pub trait Observer: Send {
    /// Takes a block that was evaluated just now, to save it, before any later call for [`Self::block`]. Of a run that
    /// stops early, blocks can be missing before it.
    ///
    /// # Errors
    /// What keeps it from being saved; the run stops.
    fn evaluated(&mut self, number: u64, block: &Block) -> io::Result<()> {
        let _ = (number, block);
        Ok(())
    }

    /// Takes a search's own state after its first `blocks` blocks, to save it.
    ///
    /// # Errors
    /// What keeps it from being saved; the run stops.
    fn state(&mut self, blocks: u64, state: &[u8]) -> io::Result<()> {
        let _ = (blocks, state);
        Ok(())
    }

    /// Takes the seconds that a search with a budget of seconds has taken so far, to save them.
    ///
    /// # Errors
    /// What keeps them from being saved; the run stops.
    fn clock(&mut self, seconds: f64) -> io::Result<()> {
        let _ = seconds;
        Ok(())
    }

    /// Takes what is kept of a block that was evaluated just now, in place of [`Self::evaluated`] and [`Self::block`], if the
    /// job keeps the front only.
    ///
    /// # Errors
    /// What keeps it from being saved; the run stops.
    fn digested(&mut self, number: u64, digest: &Digest) -> io::Result<()> {
        let _ = (number, digest);
        Ok(())
    }

    /// Takes a block, evaluated just now or known before, in the order of indices.
    ///
    /// # Errors
    /// What keeps it from being written; the run stops.
    fn block(&mut self, block: &Block) -> io::Result<()>;

    /// Takes the progress: points done, size of the front.
    fn progress(&mut self, done: u64, front: usize);
}

/// What a run found.
#[derive(Debug, Clone, Default, PartialEq)]
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

/// What to evaluate.
pub struct Job<'a> {
    /// The study.
    pub plan: &'a Plan,
    /// Its space.
    pub space: &'a Space,
    /// How to search.
    pub search: &'a SearchDecl,
    /// Positions in [`Plan::parameters`] of the parameters that blocks carry.
    pub shown: &'a [usize],
    /// What is handed on of the points; searches that choose as they go hand on all.
    pub rows: RowsKept,
    /// Number of threads.
    pub threads: usize,
    /// Which part of the blocks.
    pub shard: Shard,
    /// Blocks that need no evaluation.
    pub known: Option<&'a Known>,
    /// Evaluate known points again that failed.
    pub retry_failed: bool,
    /// Stop at the first point that fails.
    pub fail_fast: bool,
    /// When it becomes true, the blocks in work are finished and the run ends.
    pub stop: &'a AtomicBool,
    /// Called with the index of each point before its evaluation; where it panics, the point fails.
    pub probe: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Everything was evaluated.
    Complete(Box<Summary>),
    /// [`Job::stop`] became true before.
    Stopped,
}

/// A block that is there.
struct Done {
    number: u64,
    kept: Kept,
    /// True if it was evaluated just now.
    fresh: bool,
}

/// What is there of a block.
enum Kept {
    Rows { block: Block, front: Archive },
    Digest(Digest),
}

impl Done {
    /// The first point that failed: index, reason.
    fn failure(&self) -> Option<(u64, &String)> {
        match &self.kept {
            Kept::Rows { block, .. } => block.reasons.first().map(|(row, reason)| (block.indices[*row], reason)),
            Kept::Digest(digest) => digest.counts.failures.first().map(|(index, reason)| (*index, reason)),
        }
    }
}

/// Evaluates the points of a search that are not known yet.
///
/// Blocks are handed to `observer` in order while the next ones are evaluated. The result is the same for any number of
/// threads, and for any part of the blocks that is known.
///
/// # Errors
/// If the observer cannot write, a known block cannot be read, or the threads cannot be started.
pub fn run(job: &Job<'_>, observer: &mut dyn Observer) -> Result<End, RunError> {
    let threads = job.threads;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|source| RunError::Threads { threads, source })?;
    if job.search.strategy.chooses_as_it_goes() {
        return run_search(job, &pool, observer);
    }
    let points = Points::of(job.space, job.search);
    let halt = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(1);
    std::thread::scope(|scope| {
        let (points, pool, halt) = (&points, &pool, &halt);
        scope.spawn(move || pool.install(|| produce(job, points, halt, &sender)));
        let end = consume(job, receiver.into_iter(), observer);
        halt.store(true, Relaxed);
        end
    })
}

/// Runs a search that chooses its points as it goes.
fn run_search(job: &Job<'_>, pool: &rayon::ThreadPool, observer: &mut dyn Observer) -> Result<End, RunError> {
    let mut session = Session::new(job, pool, observer);
    let ending = run_strategy(&mut session, job.search)?;
    if job.stop.load(Relaxed) {
        return Ok(End::Stopped);
    }
    let (stop, certificate) = ending.map_or((None, None), |(stop, certificate)| (Some(stop), certificate));
    let goals = goals(job);
    let front = session.archive.into_front();
    let history = Some(session.entries.history(&goals, &front, session.summary.points));
    let front = thinned(front, &goals, job.search.tolerance());
    Ok(End::Complete(Box::new(Summary { front, stop, certificate, history, ..session.summary })))
}

/// Evaluates or reads block after block, a window at a time. `None` in a window: the run was stopped before that block.
fn produce(job: &Job<'_>, points: &Points, halt: &AtomicBool, sender: &SyncSender<io::Result<Vec<Option<Done>>>>) {
    let mut numbers = job.shard.blocks(points.blocks());
    let window = job.threads * BLOCKS_PER_THREAD;
    loop {
        let next: Vec<u64> = numbers.by_ref().take(window).collect();
        if next.is_empty() {
            return;
        }
        let results: io::Result<Vec<Option<Done>>> = next
            .into_par_iter()
            .map_init(
                || BlockEvaluator::new(job),
                |evaluator, number| {
                    if job.stop.load(Relaxed) || halt.load(Relaxed) {
                        return Ok(None);
                    }
                    let done = block(job, points, evaluator, number)?;
                    if job.fail_fast && done.failure().is_some() {
                        halt.store(true, Relaxed);
                    }
                    Ok(Some(done))
                },
            )
            .collect();
        let last = !results.as_ref().is_ok_and(|results| results.iter().all(Option::is_some));
        // The receiver is gone only when the run has ended.
        if sender.send(results).is_err() || last {
            return;
        }
    }
}

/// Evaluates one block on this thread.
pub fn run_block(job: &Job<'_>, points: &Points, number: u64) -> Block {
    BlockEvaluator::new(job).evaluate(points.range(number).map(|position| points.index(position)))
}

fn block(job: &Job<'_>, points: &Points, evaluator: &mut BlockEvaluator<'_>, number: u64) -> io::Result<Done> {
    if job.rows == RowsKept::Front {
        return digest(job, points, evaluator, number);
    }
    let known = match job.known {
        Some(known) => known.block(number)?,
        None => None,
    };
    let (block, fresh) = match known {
        Some(mut block) => {
            if !block.indices.iter().copied().eq(points.range(number).map(|position| points.index(position))) {
                let message = format!("block {number} of the record holds other points than this run's");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let fresh = job.retry_failed && evaluator.retry(&mut block);
            (block, fresh)
        }
        None => (evaluator.evaluate(points.range(number).map(|position| points.index(position))), true),
    };
    Ok(Done { number, kept: Kept::Rows { front: front(job, &block), block }, fresh })
}

/// A block of which the rows go at once. To retry a failed point is to evaluate its block.
fn digest(job: &Job<'_>, points: &Points, evaluator: &mut BlockEvaluator<'_>, number: u64) -> io::Result<Done> {
    let range = points.range(number);
    let known = match job.known {
        Some(known) => known.digest(number, &goals(job))?,
        None => None,
    };
    if let Some(digest) = known {
        if digest.counts.points != range.end - range.start {
            let message = format!("block {number} of the record holds other points than this run's");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        if !job.retry_failed || digest.counts.failed == 0 {
            return Ok(Done { number, kept: Kept::Digest(digest), fresh: false });
        }
    }
    let block = evaluator.evaluate(range.map(|position| points.index(position)));
    Ok(Done { number, kept: Kept::Digest(Digest::of(job, &block)), fresh: true })
}

fn goals(job: &Job<'_>) -> Vec<Goal> {
    job.plan.objectives.iter().map(|objective| objective.goal).collect()
}

/// Saves, counts and hands on what comes, in order.
fn consume(
    job: &Job<'_>,
    windows: impl Iterator<Item = io::Result<Vec<Option<Done>>>>,
    observer: &mut dyn Observer,
) -> Result<End, RunError> {
    let goals = goals(job);
    let mut archive = Archive::new(goals.clone());
    let mut summary = Summary::new(job.plan);
    for window in windows {
        let window = window?;
        for done in window.iter().flatten().filter(|done| done.fresh) {
            match &done.kept {
                Kept::Rows { block, .. } => observer.evaluated(done.number, block)?,
                Kept::Digest(digest) => observer.digested(done.number, digest)?,
            }
        }
        let failure = window.iter().flatten().find_map(|done| {
            let (index, reason) = done.failure()?;
            Some(RunError::Point { index, reason: reason.clone() })
        });
        if let Some(failure) = failure.filter(|_| job.fail_fast) {
            return Err(failure);
        }
        if window.iter().any(Option::is_none) {
            return Ok(End::Stopped);
        }
        for done in window.into_iter().flatten() {
            match done.kept {
                Kept::Rows { block, front } => {
                    summary.count(&block);
                    archive.merge(front);
                    observer.block(&block)?;
                }
                Kept::Digest(digest) => {
                    summary.add(digest.counts);
                    archive.merge(digest.front);
                }
            }
        }
        observer.progress(summary.points, archive.len());
    }
    summary.front = thinned(archive.into_front(), &goals, job.search.tolerance());
    Ok(End::Complete(Box::new(summary)))
}

impl Summary {
    /// The summary before the first point.
    pub(super) fn new(plan: &Plan) -> Self {
        Self { constraint_misses: vec![0; plan.constraints.len()], ..Self::default() }
    }

    /// Adds what was counted in the points behind these.
    fn add(&mut self, more: Self) {
        self.points += more.points;
        self.feasible += more.feasible;
        self.failed += more.failed;
        let room = KEPT_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(more.failures.into_iter().take(room));
        for (misses, more) in self.constraint_misses.iter_mut().zip(more.constraint_misses) {
            *misses += more;
        }
        if let Some((_, _, violation)) = more.nearest
            && self.nearest.is_none_or(|(_, _, least)| violation < least)
        {
            self.nearest = more.nearest;
        }
    }

    pub(super) fn count(&mut self, block: &Block) {
        self.points += block.indices.len() as u64;
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
        self.failures.extend(block.failures().take(room).map(|(at, reason)| (block.indices[*at], reason.clone())));
    }
}
