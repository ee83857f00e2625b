//! The search through the tree of boxes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io;
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::branching::Branching;
use super::cover::Cover;
use super::nearest::find_nearest;
use super::region::Region;
use crate::explore::record::format::MAX_PAYLOAD;
use crate::explore::runner::RunError;
use crate::explore::sample;
use crate::explore::search::{Answers, Problem, Session, StopReason};
use crate::ppa::{BoxEvaluator, Plan, Verdict};
use crate::spec::sweep::{Goal, SearchDecl};

/// Least and most boxes that are split in one round.
const ROUND: (usize, usize) = (256, 8192);
/// A round takes at most this part of the boxes that wait: later ones profit from what earlier ones find.
const ROUND_PART: usize = 16;
/// Boxes that one thread splits in a row.
const CHUNK: usize = 16;
/// Most points evaluated before the first box, so that there is something to compare with.
const FIRST_POINTS: u64 = 256;
/// The first points are at most this part of the space.
const FIRST_PART: u64 = 1024;

/// Time after which a search first saves its state, and by which factor that grows from one time to the next: what a killed
/// search has to do again is at most a fifth of what it did, and few states fill its record.
const SAVE_FIRST: Duration = Duration::from_secs(10);
const SAVE_FACTOR: f64 = 1.25;

/// What an exact search did, and what it proves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Points of the space.
    pub space: u64,
    /// Points evaluated.
    pub evaluated: u64,
    /// Boxes bounded, those of one point included.
    pub boxes: u64,
    /// Boxes dropped because an evaluated point is as good as their bound.
    pub covered: u64,
    /// Boxes dropped because no point of them keeps the constraints or has a value.
    pub excluded: u64,
    /// Boxes that the budget left unopened, and their points.
    pub open: (u64, u64),
    /// For each objective the bound on what the open boxes could still hold; empty if none is open or nothing is known.
    pub remaining: Vec<f64>,
}

/// A box that waits, the most promising first.
pub(super) struct Waiting {
    pub key: f64,
    /// Order of arrival decides between equal keys.
    pub number: u64,
    pub region: Region,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.number.cmp(&self.number))
    }
}

/// Half of a split box.
enum Half {
    Excluded,
    Covered,
    Open(Region),
}

/// Searches the whole space; every point that it must see goes through `session`.
///
/// # Errors
/// If a result cannot be written.
pub fn search(session: &mut Session<'_>, search: &SearchDecl) -> Result<(StopReason, Certificate), RunError> {
    let plan = session.plan();
    let mut tree = Tree::new(plan, session.space().points(), search.tolerance());
    let points = session.space().points();
    if let Some(state) = session.restore()? {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the record holds a state of another search");
        tree.take(state, session.space().sizes()).ok_or_else(damaged)?;
    } else {
        let count = points.div_ceil(FIRST_PART).min(FIRST_POINTS).min(session.left());
        let first = sample::without_repeats(points, count, search.seed);
        session.evaluate_indices(&first, &mut Answers::default())?;
        tree.scale(session);
        tree.push(Region::whole(session.space().sizes(), plan.objectives.len()));
    }
    let mut due = SAVE_FIRST.max(session.elapsed().mul_f64(SAVE_FACTOR));
    let stop = loop {
        if session.is_interrupted() || session.elapsed() >= due {
            due = session.elapsed().mul_f64(SAVE_FACTOR);
            let state = tree.bytes();
            // A larger state than a record takes is done without: the rounds are repeated then.
            if state.len() < MAX_PAYLOAD as usize {
                session.save(&state)?;
            }
        }
        // Under conditions what waits can be points that were seen by other digits.
        if session.is_exhausted() {
            tree.waiting.clear();
        }
        if tree.waiting.is_empty() {
            break StopReason::Complete;
        }
        if session.left() == 0 {
            break StopReason::Evaluations;
        }
        if session.is_over() {
            break StopReason::Seconds;
        }
        tree.round(session)?;
    };
    if stop == StopReason::Complete && session.summary.feasible == 0 {
        find_nearest(session)?;
    }
    Ok((stop, tree.finish(session)))
}

pub(super) struct Tree<'p> {
    plan: &'p Plan,
    goals: Vec<Goal>,
    pub waiting: BinaryHeap<Waiting>,
    pub arrived: u64,
    /// Points that were evaluated or lie in boxes that were dropped.
    pub settled: u64,
    pub branching: Branching,
    /// Spread of each objective among the first points: what a gain is measured by.
    pub spread: Vec<f64>,
    pub certificate: Certificate,
    /// Share of an objective by which a covered bound may be better than what covers it.
    tolerance: f64,
    /// The archive as of `covered_version`.
    cover: Cover,
    covered_version: u64,
    answers: Answers,
}

impl<'p> Tree<'p> {
    fn new(plan: &'p Plan, space: u64, tolerance: f64) -> Self {
        Self {
            goals: plan.objectives.iter().map(|objective| objective.goal).collect(),
            waiting: BinaryHeap::new(),
            arrived: 0,
            settled: 0,
            branching: Branching::new(plan.axes.len()),
            spread: vec![1.0; plan.objectives.len()],
            certificate: Certificate {
                space,
                evaluated: 0,
                boxes: 0,
                covered: 0,
                excluded: 0,
                open: (0, 0),
                remaining: Vec::new(),
            },
            tolerance,
            cover: Cover::default(),
            covered_version: 0,
            answers: Answers::default(),
            plan,
        }
    }

    fn scale(&mut self, session: &Session<'_>) {
        for (at, spread) in self.spread.iter_mut().enumerate() {
            let values = || session.archive.points().map(move |point| point.objectives[at]);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            if (high - low).is_normal() {
                *spread = high - low;
            }
        }
    }

    fn push(&mut self, region: Region) {
        self.arrived += 1;
        self.waiting.push(Waiting { key: self.key(&region), number: self.arrived, region });
    }

    /// What boxes are ordered by.
    pub fn key(&self, region: &Region) -> f64 {
        region.bound.iter().zip(&self.spread).map(|(bound, spread)| bound / spread).sum()
    }

    fn arrange(&self, session: &Session<'_>) -> Cover {
        let points = session.archive.points().map(|point| minimised(&self.goals, &point.objectives)).collect();
        Cover::new(points, self.goals.len(), self.tolerance)
    }

    /// Splits the most promising boxes and evaluates the points that come to light.
    fn round(&mut self, session: &mut Session<'_>) -> Result<(), RunError> {
        if session.archive.version() != self.covered_version {
            self.covered_version = session.archive.version();
            self.cover = self.arrange(session);
        }
        let size = (self.waiting.len() / ROUND_PART).clamp(ROUND.0, ROUND.1);
        let mut parents: Vec<(Region, usize)> = Vec::with_capacity(size);
        let mut points: Vec<Region> = Vec::new();
        while parents.len() + points.len() < size
            && let Some(Waiting { region, .. }) = self.waiting.pop()
        {
            if self.cover.covers(&region.bound) {
                self.certificate.covered += 1;
                self.settled = self.settled.saturating_add(region.points());
                continue;
            }
            match self.branching.axis(&region) {
                Some(axis) => parents.push((region, axis)),
                None => points.push(region),
            }
        }
        // Halves of boxes that were split on the same axis differ least: neighbours recompute little.
        let halves = self.bound_halves(session, &parents);
        for ((parent, axis), halves) in parents.iter().zip(halves) {
            let mut gain = 0.0;
            self.settled = self.settled.saturating_add(parent.points());
            for half in halves {
                self.certificate.boxes += 1;
                match half {
                    Half::Excluded => {
                        self.certificate.excluded += 1;
                        gain += 1.0;
                    }
                    Half::Covered => {
                        self.certificate.covered += 1;
                        gain += 1.0;
                    }
                    Half::Open(region) => {
                        gain += self.gain(parent, &region);
                        self.settled = self.settled.saturating_sub(region.points());
                        if region.is_point() { points.push(region) } else { self.push(region) }
                    }
                }
            }
            self.branching.learn(parent, *axis, gain);
        }
        self.evaluate(session, points)
    }

    fn gain(&self, parent: &Region, half: &Region) -> f64 {
        let gains = half.bound.iter().zip(&parent.bound).zip(&self.spread);
        let total: f64 = gains.map(|((half, parent), spread)| ((half - parent) / spread).clamp(0.0, 1.0)).sum();
        if total.is_nan() { 1.0 } else { total.min(1.0) }
    }

    fn bound_halves(&self, session: &Session<'_>, parents: &[(Region, usize)]) -> Vec<[Half; 2]> {
        let (plan, goals, cover) = (self.plan, &self.goals, &self.cover);
        let mut halves: Vec<Vec<[Half; 2]>> = Vec::new();
        session.pool.install(|| {
            parents
                .par_chunks(CHUNK)
                .map_init(
                    || BoxEvaluator::new(plan),
                    |evaluator, chunk| {
                        let halve = |(parent, axis): &(Region, usize)| {
                            parent.split(*axis).map(|half| bound(evaluator.as_mut(), goals, half, cover))
                        };
                        chunk.iter().map(halve).collect()
                    },
                )
                .collect_into_vec(&mut halves);
        });
        halves.into_iter().flatten().collect()
    }

    /// Evaluates the boxes of one point as far as the budget goes; the rest waits.
    fn evaluate(&mut self, session: &mut Session<'_>, mut points: Vec<Region>) -> Result<(), RunError> {
        let most = usize::try_from(session.left()).unwrap_or(usize::MAX);
        for region in points.split_off(points.len().min(most)) {
            self.push(region);
        }
        let mut indices: Vec<u64> = points.iter().map(|region| session.space().index(region.low())).collect();
        indices.sort_unstable();
        // Under conditions, several boxes can be one point.
        indices.dedup();
        indices.retain(|index| !session.is_seen(*index));
        self.settled = self.settled.saturating_add(points.len() as u64);
        session.evaluate_indices(&indices, &mut self.answers)?;
        session.settled(self.settled);
        Ok(())
    }

    fn finish(mut self, session: &Session<'_>) -> Certificate {
        let cover = self.arrange(session);
        let mut open: Vec<Region> = self.waiting.drain().map(|waiting| waiting.region).collect();
        open.retain(|region| !cover.covers(&region.bound));
        let best = |at: usize| open.iter().map(|region| region.bound[at]).fold(f64::INFINITY, f64::min);
        self.certificate.evaluated = session.summary.points;
        self.certificate.open =
            (open.len() as u64, open.iter().fold(0_u64, |points, region| points.saturating_add(region.points())));
        let remaining: Vec<f64> = (0..self.goals.len()).map(best).collect();
        if !open.is_empty() && remaining.iter().all(|bound| bound.is_finite()) {
            self.certificate.remaining = minimised(&self.goals, &remaining);
        }
        self.certificate
    }
}

fn bound(evaluator: Option<&mut BoxEvaluator<'_>>, goals: &[Goal], mut half: Region, cover: &Cover) -> Half {
    // Without bounds nothing is known, and every point must be seen.
    let Some(evaluator) = evaluator else { return Half::Open(half) };
    if evaluator.bound(half.low(), half.high()) == Verdict::Excluded {
        return Half::Excluded;
    }
    let found = minimised(goals, evaluator.bounds());
    // The bound of the whole holds for the half too.
    half.bound = half.bound.iter().zip(found).map(|(whole, half)| whole.max(half)).collect();
    if cover.covers(&half.bound) { Half::Covered } else { Half::Open(half) }
}

/// Objectives with less being better (and back).
fn minimised(goals: &[Goal], values: &[f64]) -> Vec<f64> {
    goals.iter().zip(values).map(|(goal, value)| if *goal == Goal::Minimise { *value } else { -value }).collect()
}
