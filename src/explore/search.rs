//! What every search shares: a problem to ask for points, a budget, and what is kept of the answers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::block::BlockEvaluator;
use super::exact::{self, Certificate};
use super::history::Entries;
use super::nsga::{self, Genes};
use super::pareto::Archive;
use super::runner::{Block, Job, Observer, RunError, Summary};
use super::space::Space;
use crate::ppa::{Outcome, Plan};
use crate::spec::sweep::{Budget, Goal, SearchDecl, Strategy};

/// Runs a strategy that chooses its points as it goes, `None` for the others.
///
/// # Errors
/// If a result cannot be written.
pub fn run_strategy(session: &mut Session<'_>, search: &SearchDecl) -> Result<Option<Ending>, RunError> {
    match search.strategy {
        Strategy::Exact => exact::search(session, search).map(|(stop, proof)| Some((stop, Some(proof)))),
        Strategy::Nsga2 => {
            let axes = session.plan().axes.iter();
            let axes: Vec<Genes> =
                axes.map(|axis| Genes { size: axis.values.len() as u32, ordered: !axis.is_words }).collect();
            let options = nsga::Options { population: search.population, seed: search.seed };
            nsga::search(session, &axes, options).map(|stop| Some((stop, None)))
        }
        Strategy::Grid | Strategy::Random | Strategy::Lhs | Strategy::Sobol => Ok(None),
    }
}

/// Why a search ended, and what it proves.
pub type Ending = (StopReason, Option<Certificate>);

/// Points that one thread evaluates in a row.
const CHUNK: usize = 64;

/// What came out of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// 0 if every constraint holds, else by how much of its bound the worst one is missed; infinite without a value.
    pub violation: f64,
    /// Objectives, in their own directions.
    pub objectives: Vec<f64>,
}

/// Something to search: points that can be evaluated.
pub trait Problem {
    /// The direction of each objective.
    fn goals(&self) -> &[Goal];

    /// Evaluates points, each given by its digit on every axis; answers in the same order.
    ///
    /// # Errors
    /// If a result cannot be written.
    fn evaluate(&mut self, points: &[Vec<u32>]) -> Result<Vec<Evaluation>, RunError>;

    /// Points that may still be evaluated.
    fn left(&self) -> u64;

    /// True once the time is over.
    fn is_over(&self) -> bool {
        false
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Everything was seen or excluded: the front is exact.
    Complete,
    /// The evaluations of the budget are used up.
    Evaluations,
    /// The seconds of the budget are over.
    Seconds,
}

impl StopReason {
    /// As a report says it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Evaluations => "budget of evaluations used up",
            Self::Seconds => "budget of seconds over",
        }
    }
}

/// A plan under search: evaluates on all cores, hands results on, keeps the front.
pub struct Session<'a> {
    plan: &'a Plan,
    space: &'a Space,
    job: &'a Job<'a>,
    /// Threads of the search.
    pub pool: &'a ThreadPool,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    goals: Vec<Goal>,
    budget: Budget,
    deadline: Option<Instant>,
    seen: HashSet<u64>,
    /// What came out of points that other digits may name again.
    repeats: HashMap<u64, Evaluation>,
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
        let (plan, space, budget) = (job.plan, job.space, job.search.budget);
        let goals: Vec<Goal> = plan.objectives.iter().map(|objective| objective.goal).collect();
        let deadline = budget
            .seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .and_then(|time| Instant::now().checked_add(time));
        Self {
            stop: job.stop,
            archive: Archive::new(goals.clone()),
            summary: Summary::new(plan),
            plan,
            space,
            job,
            pool,
            observer,
            goals,
            budget,
            deadline,
            seen: HashSet::new(),
            repeats: HashMap::new(),
            entries: Entries::default(),
        }
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// True if the point was evaluated.
    pub fn is_seen(&self, index: u64) -> bool {
        self.seen.contains(&index)
    }

    /// The space.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// Evaluates points by their indices, answers in the same order.
    ///
    /// # Errors
    /// If a result cannot be written.
    pub fn evaluate_indices(&mut self, indices: &[u64]) -> Result<Vec<Evaluation>, RunError> {
        let (plan, job) = (self.plan, self.job);
        let blocks: Vec<Block> = self.pool.install(|| {
            indices
                .par_chunks(CHUNK)
                .map_init(|| BlockEvaluator::new(job), |evaluator, chunk| evaluator.evaluate(chunk.iter().copied()))
                .collect()
        });
        let width = plan.objectives.len();
        self.seen.extend(indices);
        let mut evaluations = Vec::with_capacity(indices.len());
        for block in blocks {
            let before = self.summary.points;
            self.summary.count(&block);
            for (at, outcome) in block.outcomes.iter().enumerate() {
                let objectives = block.objectives[at * width..(at + 1) * width].to_vec();
                let violation = match outcome {
                    Outcome::Feasible => {
                        let version = self.archive.version();
                        self.archive.insert(block.indices[at], &objectives);
                        if self.archive.version() != version {
                            self.entries.push(before + at as u64 + 1, &objectives);
                        }
                        0.0
                    }
                    Outcome::Infeasible { violation, .. } => *violation,
                    Outcome::Failed => f64::INFINITY,
                };
                evaluations.push(Evaluation { violation, objectives });
            }
            self.observer.block(&block)?;
        }
        self.entries.note(self.summary.points);
        self.observer.progress(self.summary.points, self.archive.len());
        Ok(evaluations)
    }
}

impl Problem for Session<'_> {
    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn evaluate(&mut self, points: &[Vec<u32>]) -> Result<Vec<Evaluation>, RunError> {
        let indices: Vec<u64> = points.iter().map(|digits| self.space.index(digits)).collect();
        if !self.space.is_conditional() {
            return self.evaluate_indices(&indices);
        }
        // Several digits can mean one point, which is evaluated once.
        let mut fresh: Vec<u64> = indices.iter().copied().filter(|index| !self.repeats.contains_key(index)).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let evaluations = self.evaluate_indices(&fresh)?;
        self.repeats.extend(fresh.into_iter().zip(evaluations));
        Ok(indices.iter().map(|index| self.repeats[index].clone()).collect())
    }

    fn left(&self) -> u64 {
        let most = self.budget.evaluations.unwrap_or(u64::MAX);
        let most = if self.space.is_conditional() { most.min(self.space.points()) } else { most };
        most.saturating_sub(self.summary.points)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
