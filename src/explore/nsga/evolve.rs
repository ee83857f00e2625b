//! Generation by generation.

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::select::{Member, survive};
pub use super::vary::Axis as Genes;
use super::vary::{cross, mutate, random};
use crate::explore::runner::RunError;
use crate::explore::search::{Problem, StopReason};
use crate::spec::sweep::Goal;

/// Attempts to find a child that is new before a random genome is tried.
const MUTATIONS: usize = 8;
/// Random genomes tried before the first one in order that is new is taken.
const DRAWS: usize = 64;

/// How NSGA-II runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Members of a generation.
    pub population: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// Searches until the budget is used up or every point was seen.
///
/// # Errors
/// If the problem cannot write its results.
pub fn search(problem: &mut dyn Problem, axes: &[Genes], options: Options) -> Result<StopReason, RunError> {
    let mut run = Run {
        axes,
        generator: ChaCha8Rng::seed_from_u64(options.seed),
        seen: HashSet::new(),
        next: vec![0; axes.len()],
        points: axes.iter().try_fold(1_u64, |points, axis| points.checked_mul(u64::from(axis.size))),
    };
    let mut members: Vec<Member> = Vec::new();
    loop {
        if run.points.is_some_and(|points| run.seen.len() as u64 >= points) {
            return Ok(StopReason::Complete);
        }
        if problem.left() == 0 {
            return Ok(StopReason::Evaluations);
        }
        if problem.is_over() {
            return Ok(StopReason::Seconds);
        }
        let count = options.population.min(usize::try_from(problem.left()).unwrap_or(usize::MAX));
        let children = run.children(&members, count);
        let evaluations = problem.evaluate(&children)?;
        let goals = problem.goals();
        members.extend(children.into_iter().zip(evaluations).map(|(digits, evaluation)| {
            let minimised = |(value, goal): (&f64, &Goal)| if *goal == Goal::Minimise { *value } else { -value };
            Member {
                digits,
                objectives: evaluation.objectives.iter().zip(goals).map(minimised).collect(),
                violation: evaluation.violation,
                rank: 0,
                room: 0.0,
            }
        }));
        members = survive(members, options.population);
    }
}

struct Run<'a> {
    axes: &'a [Genes],
    generator: ChaCha8Rng,
    seen: HashSet<Vec<u32>>,
    /// The first genome in order that may be new.
    next: Vec<u32>,
    /// Genomes in all, if that is a number of 64 bits.
    points: Option<u64>,
}

impl Run<'_> {
    /// Up to `count` genomes that were never evaluated; random ones without members.
    fn children(&mut self, members: &[Member], count: usize) -> Vec<Vec<u32>> {
        let mut children = Vec::with_capacity(count);
        while children.len() < count {
            let pair = if members.is_empty() {
                [random(self.axes, &mut self.generator), random(self.axes, &mut self.generator)]
            } else {
                let parents = [self.parent(members), self.parent(members)];
                let mut pair = cross(self.axes, parents, &mut self.generator);
                pair.iter_mut().for_each(|child| mutate(self.axes, child, &mut self.generator));
                pair
            };
            for child in pair {
                if children.len() < count {
                    let Some(child) = self.renewed(child) else { return children };
                    children.push(child);
                }
            }
        }
        children
    }

    /// The winner of a tournament of two.
    fn parent<'m>(&mut self, members: &'m [Member]) -> &'m [u32] {
        let mut draw = || &members[(self.generator.next_u64() % members.len() as u64) as usize];
        let (a, b) = (draw(), draw());
        if b.beats(a) { &b.digits } else { &a.digits }
    }

    /// The genome itself if it is new, else one near it, else any; `None` once all were seen.
    fn renewed(&mut self, mut digits: Vec<u32>) -> Option<Vec<u32>> {
        for _ in 0..MUTATIONS {
            if self.seen.insert(digits.clone()) {
                return Some(digits);
            }
            mutate(self.axes, &mut digits, &mut self.generator);
        }
        for _ in 0..DRAWS {
            let digits = random(self.axes, &mut self.generator);
            if self.seen.insert(digits.clone()) {
                return Some(digits);
            }
        }
        if self.points.is_some_and(|points| self.seen.len() as u64 >= points) {
            return None;
        }
        // Nearly everything was seen: take what is left in order.
        while !self.seen.insert(self.next.clone()) {
            for (digit, axis) in self.next.iter_mut().zip(self.axes).rev() {
                *digit += 1;
                if *digit < axis.size {
                    break;
                }
                *digit = 0;
            }
        }
        Some(self.next.clone())
    }
}
