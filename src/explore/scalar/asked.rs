//! Points that a solver asks for.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use argmin::core::{CostFunction, Error};
use argmin::solver::simulatedannealing::Anneal;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::cost::{Cost, worst};
use crate::explore::nsga::{Genes, Mixer};
use crate::explore::runner::RunError;
use crate::explore::sample::unit;
use crate::explore::search::{Answers, Problem, StopReason};
use crate::spec::sweep::Goal;

/// So many points in a row that were asked for before end a start: it has converged.
const STALE: u32 = 1000;
/// Probability that a move of annealing changes one more axis.
const ANOTHER: f64 = 0.3;

/// Everything that was evaluated, objectives with less being better.
#[derive(Debug, Default)]
pub struct Seen {
    positions: HashMap<Box<[u32]>, usize, BuildHasherDefault<Mixer>>,
    goals: usize,
    violations: Vec<f64>,
    objectives: Vec<f64>,
}

impl Seen {
    /// Objectives of the points that keep every constraint, in the order of their evaluation.
    pub fn feasible(&self) -> impl Iterator<Item = &[f64]> {
        let points = self.violations.iter().zip(self.objectives.chunks_exact(self.goals.max(1)));
        points.filter(|(violation, _)| **violation <= 0.0).map(|(_, objectives)| objectives)
    }

    fn cost(&self, digits: &[u32], cost: &Cost) -> Option<f64> {
        let at = *self.positions.get(digits)?;
        Some(cost.of(self.violations[at], &self.objectives[at * self.goals..(at + 1) * self.goals]))
    }

    /// The evaluated point of the least cost, of equal ones the first.
    pub fn best(&self, cost: &Cost) -> Option<&[u32]> {
        let known = self.positions.iter().map(|(digits, at)| (self.cost(digits, cost), *at, &**digits));
        let known = known.filter_map(|(value, at, digits)| Some((value?, at, digits)));
        let least = known.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        least.map(|(_, _, digits)| digits)
    }
}

/// A problem as solvers see it: a cost over positions, which are digits of the axes that can move, as real numbers.
pub struct Asked<'a, 'p> {
    axes: &'a [Genes],
    /// The axes of more than one value.
    pub moving: Vec<usize>,
    /// What annealing calls hot: there, a move spans half of an axis.
    pub hot: f64,
    state: RefCell<State<'p>>,
}

struct State<'p> {
    problem: &'p mut dyn Problem,
    generator: ChaCha8Rng,
    seen: Seen,
    cost: Option<Cost>,
    /// Evaluations that the present start may still use.
    allowance: u64,
    /// Points in a row that were known.
    stale: u32,
    failure: Option<RunError>,
    digits: Vec<u32>,
    answers: Answers,
}

impl<'a, 'p> Asked<'a, 'p> {
    pub fn new(problem: &'p mut dyn Problem, axes: &'a [Genes], generator: ChaCha8Rng, hot: f64) -> Self {
        let seen = Seen { goals: problem.goals().len(), ..Seen::default() };
        let state = State {
            problem,
            generator,
            seen,
            cost: None,
            allowance: 0,
            stale: 0,
            failure: None,
            digits: Vec::new(),
            answers: Answers::default(),
        };
        let moving = axes.iter().enumerate().filter(|(_, axis)| axis.size > 1).map(|(at, _)| at).collect();
        Self { axes, moving, hot, state: RefCell::new(state) }
    }

    /// Begins a start that may evaluate `allowance` points.
    pub fn begin(&self, allowance: u64) {
        let mut state = self.state.borrow_mut();
        (state.allowance, state.stale) = (allowance, 0);
    }

    /// Sets how objectives become a cost, which may depend on what was seen.
    pub fn set_cost(&self, make: impl FnOnce(&Seen, &mut ChaCha8Rng) -> Cost) {
        let state = &mut *self.state.borrow_mut();
        state.cost = Some(make(&state.seen, &mut state.generator));
    }

    /// Evaluations that the whole search has left.
    pub fn left(&self) -> u64 {
        self.state.borrow().problem.left()
    }

    /// True once the present start has nothing more to do.
    pub fn is_done(&self) -> bool {
        let state = self.state.borrow();
        state.failure.is_some()
            || state.allowance == 0
            || state.stale >= STALE
            || state.problem.left() == 0
            || state.problem.is_over()
    }

    /// Why the whole search has to end, if it has.
    ///
    /// # Errors
    /// What kept a result from being written.
    pub fn ending(&self) -> Result<Option<StopReason>, RunError> {
        let mut state = self.state.borrow_mut();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        let points = self.axes.iter().try_fold(1_u64, |points, axis| points.checked_mul(u64::from(axis.size)));
        let is_exhausted = points.is_some_and(|points| state.seen.violations.len() as u64 >= points);
        Ok(if is_exhausted || state.problem.is_exhausted() {
            Some(StopReason::Complete)
        } else if state.problem.left() == 0 {
            Some(StopReason::Evaluations)
        } else {
            state.problem.is_over().then_some(StopReason::Seconds)
        })
    }

    /// A random number, the seed of a solver.
    pub fn draw(&self) -> u64 {
        self.state.borrow_mut().generator.next_u64()
    }

    /// A random position.
    pub fn random(&self) -> Vec<f64> {
        let generator = &mut self.state.borrow_mut().generator;
        let place = |axis: &usize| (unit(generator) * f64::from(self.axes[*axis].size)).floor();
        self.moving.iter().map(place).collect()
    }

    /// The best position for the present cost among all that was seen.
    pub fn best(&self) -> Option<Vec<f64>> {
        let state = self.state.borrow();
        let digits = state.seen.best(state.cost.as_ref()?)?;
        Some(self.moving.iter().map(|axis| f64::from(digits[*axis])).collect())
    }

    /// The last digit of each axis that can move.
    pub fn upper(&self) -> Vec<f64> {
        self.moving.iter().map(|axis| f64::from(self.axes[*axis].size - 1)).collect()
    }

    /// The costs of positions; [`worst`] where the budget does not reach.
    pub fn costs<'v>(&self, positions: impl Iterator<Item = &'v Vec<f64>>) -> Vec<f64> {
        let state = &mut *self.state.borrow_mut();
        let wanted: Vec<Box<[u32]>> = positions.map(|position| self.digits(position)).collect();
        state.digits.clear();
        let mut fresh: Vec<&[u32]> = Vec::new();
        let room = state.allowance.min(state.problem.left());
        for digits in &wanted {
            let is_known = state.seen.positions.contains_key(digits) || fresh.contains(&&**digits);
            state.stale = if is_known { state.stale.saturating_add(1) } else { 0 };
            if !is_known && (fresh.len() as u64) < room && state.failure.is_none() {
                state.digits.extend_from_slice(digits);
                fresh.push(digits);
            }
        }
        if !fresh.is_empty() {
            match state.problem.evaluate(fresh.len(), &state.digits, &mut state.answers) {
                Ok(()) => state.keep(&fresh),
                Err(failure) => state.failure = Some(failure),
            }
        }
        let cost = |digits: &[u32]| state.seen.cost(digits, state.cost.as_ref()?);
        wanted.iter().map(|digits| cost(digits).unwrap_or_else(worst)).collect()
    }

    /// The cost of one position, as [`Self::costs`]; most moves of a cold annealing come to a point that is known.
    fn cost_of(&self, position: &[f64]) -> f64 {
        let state = &mut *self.state.borrow_mut();
        state.digits.clear();
        state.digits.resize(self.axes.len(), 0);
        self.write_digits(position, &mut state.digits);
        let is_known = state.seen.positions.contains_key(&*state.digits);
        state.stale = if is_known { state.stale.saturating_add(1) } else { 0 };
        if !is_known && state.allowance.min(state.problem.left()) > 0 && state.failure.is_none() {
            match state.problem.evaluate(1, &state.digits, &mut state.answers) {
                Ok(()) => {
                    let digits = std::mem::take(&mut state.digits);
                    state.keep(&[&digits]);
                    state.digits = digits;
                }
                Err(failure) => state.failure = Some(failure),
            }
        }
        state.cost.as_ref().and_then(|cost| state.seen.cost(&state.digits, cost)).unwrap_or_else(worst)
    }

    /// The nearest point of the grid.
    fn digits(&self, position: &[f64]) -> Box<[u32]> {
        let mut digits = vec![0; self.axes.len()].into_boxed_slice();
        self.write_digits(position, &mut digits);
        digits
    }

    fn write_digits(&self, position: &[f64], digits: &mut [u32]) {
        for (axis, value) in self.moving.iter().zip(position) {
            digits[*axis] = (value + 0.5).clamp(0.0, f64::from(self.axes[*axis].size - 1)) as u32;
        }
    }
}

impl State<'_> {
    fn keep(&mut self, fresh: &[&[u32]]) {
        self.allowance = self.allowance.saturating_sub(fresh.len() as u64);
        let goals = self.problem.goals();
        for (at, digits) in fresh.iter().enumerate() {
            let objectives = &self.answers.objectives[at * goals.len()..(at + 1) * goals.len()];
            // What has no value misses everything.
            let is_finite = objectives.iter().all(|value| value.is_finite());
            self.seen.positions.insert((*digits).into(), self.seen.violations.len());
            self.seen.violations.push(if is_finite { self.answers.violations[at] } else { f64::INFINITY });
            let minimised = |(goal, value): (&Goal, &f64)| if *goal == Goal::Minimise { *value } else { -value };
            self.seen.objectives.extend(goals.iter().zip(objectives).map(minimised));
        }
    }
}

impl CostFunction for &Asked<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, position: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.cost_of(position))
    }

    fn bulk_cost<P: Borrow<Vec<f64>>>(&self, positions: &[P]) -> Result<Vec<f64>, Error> {
        Ok(self.costs(positions.iter().map(Borrow::borrow)))
    }
}

impl Anneal for &Asked<'_, '_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Float = f64;

    /// Moves one axis or a few; a step is the shorter the colder it is, and one digit at least.
    fn anneal(&self, position: &Vec<f64>, temperature: f64) -> Result<Vec<f64>, Error> {
        let generator = &mut self.state.borrow_mut().generator;
        let mut moved = position.clone();
        loop {
            let at = ((unit(generator) * self.moving.len() as f64) as usize).min(self.moving.len() - 1);
            let axis = self.axes[self.moving[at]];
            let last = f64::from(axis.size - 1);
            if axis.ordered {
                let width = 0.5 * (temperature / self.hot).sqrt() * last;
                let step = (2.0 * unit(generator) - 1.0) * width;
                let step = if step.abs() < 1.0 { 1.0_f64.copysign(step) } else { step };
                let target = moved[at] + step;
                // What would leave the axis turns back.
                moved[at] = if (0.0..=last).contains(&target) { target } else { (moved[at] - step).clamp(0.0, last) };
            } else {
                let other = (unit(generator) * last).floor();
                moved[at] = if other >= moved[at].round() { (other + 1.0).min(last) } else { other };
            }
            if unit(generator) >= ANOTHER {
                return Ok(moved);
            }
        }
    }
}
