//! A plan under search: what is evaluated, kept, recorded, and gone on with.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::block::BlockEvaluator;
use super::history::Entries;
use super::pareto::Archive;
use super::record::Known;
use super::runner::{Block, Job, Observer, RunError, Summary};
use super::search::{Answers, Problem};
use super::space::Space;
use crate::ppa::{Outcome, Plan};
use crate::spec::sweep::{Budget, Goal};

/// Points that one thread evaluates in a row, and that are recorded together.
const CHUNK: usize = 64;
/// Time between two records of the seconds that a search has taken.
const CLOCK_EVERY: Duration = Duration::from_secs(1);

/// Evaluates on all cores, hands results on, keeps the front.
///
/// A search is a function of its inputs and of what the points that it asks for evaluate to. So it goes on from a record by
/// taking the same choices again, with the recorded points in place of evaluations, until it asks for one that is missing.
pub struct Session<'a> {
    job: &'a Job<'a>,
    /// Threads of the search.
    pub pool: &'a ThreadPool,
    observer: &'a mut dyn Observer,
    goals: Vec<Goal>,
    budget: Budget,
    started: Instant,
    /// What it had taken before it was interrupted.
    before: Duration,
    clocked: Instant,
    seen: HashSet<u64>,
    /// Violation and objectives of points that other digits may name again.
    repeats: HashMap<u64, (f64, Vec<f64>)>,
    /// Chunks that were evaluated or taken from the record.
    chunks: u64,
    /// Points that need no evaluation any more.
    settled: u64,
    /// Evaluates what fits one thread: a search that asks for point after point would start others for each.
    single: BlockEvaluator<'a>,
    /// What entered the front, and when.
    pub entries: Entries,
    /// The front so far.
    pub archive: Archive,
    /// What was counted so far.
    pub summary: Summary,
}

impl<'a> Session<'a> {
    /// A session in which nothing was evaluated yet.
    pub fn new(job: &'a Job<'a>, pool: &'a ThreadPool, observer: &'a mut dyn Observer) -> Self {
        let goals: Vec<Goal> = job.plan.objectives.iter().map(|objective| objective.goal).collect();
        let seconds = job.known.map_or(0.0, Known::seconds);
        Self {
            archive: Archive::new(goals.clone()),
            summary: Summary::new(job.plan),
            budget: job.search.budget,
            started: Instant::now(),
            before: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            clocked: Instant::now(),
            seen: HashSet::new(),
            repeats: HashMap::new(),
            chunks: 0,
            settled: 0,
            single: BlockEvaluator::new(job),
            entries: Entries::default(),
            job,
            pool,
            observer,
            goals,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.job.plan
    }

    /// The space.
    pub fn space(&self) -> &'a Space {
        self.job.space
    }

    /// True if the point was evaluated.
    pub fn is_seen(&self, index: u64) -> bool {
        self.seen.contains(&index)
    }

    /// True once the run is to stop at once, and to be gone on with later.
    pub fn is_interrupted(&self) -> bool {
        self.job.stop.load(Relaxed)
    }

    /// What the search has taken, interrupted time left out.
    pub fn elapsed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// Shows that `points` were evaluated or need not be. Of a limited number of evaluations, those done are shown.
    pub fn settled(&mut self, points: u64) {
        self.settled = if self.budget.evaluations.is_none() { points } else { 0 };
        self.observer.progress(self.settled.max(self.summary.points), self.archive.len());
    }

    /// Evaluates points by their indices; `answers` holds theirs then, in the same order.
    ///
    /// # Errors
    /// If a result cannot be written, or the record holds other points.
    pub fn evaluate_indices(&mut self, indices: &[u64], answers: &mut Answers) -> Result<(), RunError> {
        let (job, first) = (self.job, self.chunks);
        let evaluate = |evaluator: &mut BlockEvaluator<'_>, (at, chunk): (usize, &[u64])| {
            let known = recorded(job, first + at as u64, Some(chunk))?;
            Ok(known.map_or_else(|| (evaluator.evaluate(chunk.iter().copied()), true), |block| (block, false)))
        };
        let blocks: io::Result<Vec<(Block, bool)>> = if indices.len() <= CHUNK {
            indices.chunks(CHUNK).enumerate().map(|chunk| evaluate(&mut self.single, chunk)).collect()
        } else {
            let chunks = || indices.par_chunks(CHUNK).enumerate();
            self.pool.install(|| chunks().map_init(|| BlockEvaluator::new(job), evaluate).collect())
        };
        let blocks = blocks?;
        for (at, (block, _)) in blocks.iter().enumerate().filter(|(_, (_, is_fresh))| *is_fresh) {
            self.observer.evaluated(first + at as u64, block)?;
        }
        answers.clear();
        for (block, _) in &blocks {
            self.take(block, answers)?;
        }
        self.entries.note(self.summary.points, self.elapsed().as_secs_f64());
        self.observer.progress(self.settled.max(self.summary.points), self.archive.len());
        if self.budget.seconds.is_some() && self.clocked.elapsed() >= CLOCK_EVERY {
            self.clocked = Instant::now();
            self.observer.clock(self.elapsed().as_secs_f64())?;
        }
        Ok(())
    }

    /// Counts a block and hands it on.
    fn take(&mut self, block: &Block, answers: &mut Answers) -> Result<(), RunError> {
        let width = self.goals.len();
        let before = self.summary.points;
        self.chunks += 1;
        self.summary.count(block);
        self.seen.extend(&block.indices);
        for (at, outcome) in block.outcomes.iter().enumerate() {
            let objectives = &block.objectives[at * width..(at + 1) * width];
            answers.objectives.extend_from_slice(objectives);
            answers.violations.push(match outcome {
                Outcome::Feasible => {
                    let version = self.archive.version();
                    self.archive.insert(block.indices[at], objectives);
                    if self.archive.version() != version {
                        self.entries.push(before + at as u64 + 1, objectives);
                    }
                    0.0
                }
                Outcome::Infeasible { violation, .. } => *violation,
                Outcome::Failed => f64::INFINITY,
            });
        }
        Ok(self.observer.block(block)?)
    }

    /// Records the search's own state, from which it can go on without taking its choices again.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, state: &[u8]) -> Result<(), RunError> {
        self.observer.clock(self.elapsed().as_secs_f64())?;
        Ok(self.observer.state(self.chunks, state)?)
    }

    /// Takes from the record what had been evaluated when a search saved its own state, and gives that state. Nothing is
    /// taken, and nothing given, if there is none.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn restore(&mut self) -> Result<Option<&'a [u8]>, RunError> {
        let Some((chunks, state)) = self.job.known.and_then(|known| known.state()) else { return Ok(None) };
        let mut answers = Answers::default();
        for number in 0..chunks {
            let Some(block) = recorded(self.job, number, None)? else {
                let message = format!("the record has a state that follows block {number}, but not that block");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message).into());
            };
            answers.clear();
            self.take(&block, &mut answers)?;
        }
        Ok(Some(state))
    }
}

/// A chunk of the record, if it is there.
fn recorded(job: &Job<'_>, number: u64, expected: Option<&[u64]>) -> io::Result<Option<Block>> {
    let Some(known) = job.known else { return Ok(None) };
    let block = known.block(number)?;
    match (&block, expected) {
        (Some(block), Some(expected)) if block.indices != expected => {
            let message = format!("block {number} of the record holds other points than this search asks for");
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
        _ => Ok(block),
    }
}

impl Problem for Session<'_> {
    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn evaluate(&mut self, count: usize, digits: &[u32], answers: &mut Answers) -> Result<(), RunError> {
        let axes = self.job.plan.axes.len();
        let index = |at: usize| self.job.space.index(&digits[at * axes..(at + 1) * axes]);
        let indices: Vec<u64> = (0..count).map(index).collect();
        if !self.job.space.is_conditional() {
            return self.evaluate_indices(&indices, answers);
        }
        // Several digits can mean one point, which is evaluated once.
        let mut fresh: Vec<u64> = indices.iter().copied().filter(|index| !self.repeats.contains_key(index)).collect();
        fresh.sort_unstable();
        fresh.dedup();
        self.evaluate_indices(&fresh, answers)?;
        let objectives = answers.objectives.chunks_exact(self.goals.len()).map(<[f64]>::to_vec);
        let found = answers.violations.iter().copied().zip(objectives);
        self.repeats.extend(fresh.into_iter().zip(found));
        answers.clear();
        for (violation, objectives) in indices.iter().map(|index| &self.repeats[index]) {
            answers.violations.push(*violation);
            answers.objectives.extend_from_slice(objectives);
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        let most = self.budget.evaluations.unwrap_or(u64::MAX);
        let most = if self.job.space.is_conditional() { most.min(self.job.space.points()) } else { most };
        most.saturating_sub(self.summary.points)
    }

    fn is_exhausted(&self) -> bool {
        self.job.space.is_conditional() && self.summary.points >= self.job.space.points()
    }

    fn is_over(&self) -> bool {
        // What is recorded was evaluated in time.
        let is_recorded = || self.job.known.is_some_and(|known| known.has(self.chunks));
        let is_late = |most: f64| self.elapsed().as_secs_f64() >= most && !is_recorded();
        self.is_interrupted() || self.budget.seconds.is_some_and(is_late)
    }
}
