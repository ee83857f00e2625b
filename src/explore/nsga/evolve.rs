//! Generation by generation.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::population::Population;
use super::seen::{Seen, points};
use super::select::Selector;
pub use super::vary::Axis as Genes;
use super::vary::{Rate, cross, differ, mutate, random};
use crate::explore::runner::RunError;
use crate::explore::sample::unit;
use crate::explore::search::{Answers, Problem, StopReason};
use crate::spec::sweep::Goal;

/// A generation has this part of the population as children: fewer than usual, since the next ones then profit from them.
const CHILDREN: usize = 2;
/// Probability that children come from differences instead of a crossover.
const DIFFERENTIAL: f64 = 0.2;
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
    let goals = problem.goals().to_vec();
    let population = options.population;
    let mut breeder = Breeder::new(axes, options.seed);
    let mut selector = Selector::default();
    let (mut members, mut next) = (
        Population::new(axes.len(), goals.len(), 2 * population),
        Population::new(axes.len(), goals.len(), population),
    );
    let mut answers = Answers::default();
    loop {
        if breeder.is_exhausted() || problem.is_exhausted() {
            return Ok(StopReason::Complete);
        }
        if problem.left() == 0 {
            return Ok(StopReason::Evaluations);
        }
        if problem.is_over() {
            return Ok(StopReason::Seconds);
        }
        let count = if members.is_empty() { population } else { population.div_ceil(CHILDREN) };
        let count = count.min(usize::try_from(problem.left()).unwrap_or(usize::MAX));
        breeder.breed(&members, count);
        problem.evaluate(breeder.count, &breeder.children, &mut answers)?;
        for child in 0..breeder.count {
            let objectives = &answers.objectives[child * goals.len()..(child + 1) * goals.len()];
            let minimised =
                goals.iter().zip(objectives).map(|(goal, value)| if *goal == Goal::Minimise { *value } else { -value });
            // What has no value misses everything.
            let is_finite = objectives.iter().all(|value| value.is_finite());
            let violation = if is_finite { answers.violations[child] } else { f64::INFINITY };
            members.push(&breeder.children[child * axes.len()..(child + 1) * axes.len()], minimised, violation);
        }
        selector.survive(&mut members, population, &mut next);
        std::mem::swap(&mut members, &mut next);
    }
}

/// Makes genomes that were never evaluated.
struct Breeder<'a> {
    axes: &'a [Genes],
    rate: Rate,
    generator: ChaCha8Rng,
    seen: Seen,
    /// Genomes in all, if that is a number of 64 bits.
    points: Option<u64>,
    /// The first genome in order that may be new.
    first: Vec<u32>,
    /// The children that were bred last, and how many.
    children: Vec<u32>,
    count: usize,
    pair: [Vec<u32>; 2],
}

impl<'a> Breeder<'a> {
    fn new(axes: &'a [Genes], seed: u64) -> Self {
        Self {
            axes,
            rate: Rate::of(axes),
            generator: ChaCha8Rng::seed_from_u64(seed),
            seen: Seen::new(axes),
            points: points(axes),
            first: vec![0; axes.len()],
            children: Vec::new(),
            count: 0,
            pair: [vec![0; axes.len()], vec![0; axes.len()]],
        }
    }

    /// True once every genome was bred.
    fn is_exhausted(&self) -> bool {
        self.points.is_some_and(|points| self.seen.len() >= points)
    }

    /// Breeds up to `count` children; random ones without members.
    fn breed(&mut self, members: &Population, count: usize) {
        self.children.clear();
        self.count = 0;
        let mut pair = std::mem::take(&mut self.pair);
        while self.count < count && !self.is_exhausted() {
            let [first, second] = &mut pair;
            if members.is_empty() {
                random(self.axes, first, &mut self.generator);
                random(self.axes, second, &mut self.generator);
            } else {
                first.copy_from_slice(members.digits_of(self.parent(members)));
                second.copy_from_slice(members.digits_of(self.parent(members)));
                if unit(&mut self.generator) < DIFFERENTIAL {
                    let (from, to) = (self.parent(members), self.parent(members));
                    let [from, to] = [from, to].map(|member| members.digits_of(member));
                    differ(self.axes, first, [from, to], &mut self.generator);
                    differ(self.axes, second, [to, from], &mut self.generator);
                } else {
                    cross(self.axes, first, second, &mut self.generator);
                }
                mutate(self.axes, first, self.rate, &mut self.generator);
                mutate(self.axes, second, self.rate, &mut self.generator);
            }
            for child in &mut pair {
                if self.count < count && !self.is_exhausted() {
                    self.renew(child);
                    self.children.extend_from_slice(child);
                    self.count += 1;
                }
            }
        }
        self.pair = pair;
    }

    /// The winner of a tournament of two.
    fn parent(&mut self, members: &Population) -> usize {
        let draws = self.generator.next_u64();
        // The upper half of a product of 32 bits each: evenly spread, without a division.
        let draw = |bits: u64| (((bits & 0xffff_ffff) * members.len() as u64) >> 32) as usize;
        let (a, b) = (draw(draws), draw(draws >> 32));
        if members.beats(b, a) { b } else { a }
    }

    /// Leaves a genome that is new, else takes one near it, else any.
    fn renew(&mut self, digits: &mut [u32]) {
        for _ in 0..MUTATIONS {
            if self.seen.insert(digits, self.axes) {
                return;
            }
            mutate(self.axes, digits, self.rate, &mut self.generator);
        }
        for _ in 0..DRAWS {
            random(self.axes, digits, &mut self.generator);
            if self.seen.insert(digits, self.axes) {
                return;
            }
        }
        // Nearly everything was seen: take what is left in order.
        while !self.seen.insert(&self.first, self.axes) {
            for (digit, axis) in self.first.iter_mut().zip(self.axes).rev() {
                *digit += 1;
                if *digit < axis.size {
                    break;
                }
                *digit = 0;
            }
        }
        digits.copy_from_slice(&self.first);
    }
}
