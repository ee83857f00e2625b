//! Start by start.

use argmin::core::{Error, IterState, PopulationState, Problem as Counted, Solver, State};
use argmin::solver::neldermead::NelderMead;
use argmin::solver::particleswarm::ParticleSwarm;
use argmin::solver::simulatedannealing::{SATempFunc, SimulatedAnnealing};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;

use super::asked::Asked;
use super::cost::{Cost, random_weights};
use crate::explore::nsga::Genes;
use crate::explore::runner::RunError;
use crate::explore::search::{Problem, StopReason};
use crate::spec::sweep::Goal;

/// Points evaluated before the first start, which show how far each objective spreads.
const FIRST: u64 = 64;
/// The first points are at most this part of the budget.
const FIRST_PART: u64 = 10;
/// Temperatures at the beginning and the end of a start, as costs: an objective's spread is 1.
const TEMPERATURES: (f64, f64) = (0.1, 1e-4);
/// A particle makes at least so many moves if the evaluations suffice, and a swarm has at least so many particles.
const LEAST: (u64, u64) = (20, 8);
/// Share of each axis that the first simplex spans.
const SIMPLEX: f64 = 0.25;

/// How one start looks for the least cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Simulated annealing.
    Anneal,
    /// Particle swarm.
    Swarm,
    /// The simplex method of Nelder & Mead.
    Simplex,
}

/// How a scalarised search runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How each start searches.
    pub method: Method,
    /// Weight of each objective; `None` with `reference` weighs all alike, without it each start draws its own.
    pub weights: Option<Vec<f64>>,
    /// The point to get near to, in the objectives' own directions.
    pub reference: Option<Vec<f64>>,
    /// Starts, one after the other.
    pub starts: u64,
    /// Most particles of a swarm.
    pub population: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// Searches until the budget is used up, every start has converged or every point was seen.
///
/// # Errors
/// If the problem cannot write its results.
pub fn search(problem: &mut dyn Problem, axes: &[Genes], options: &Options) -> Result<StopReason, RunError> {
    let goals = problem.goals().to_vec();
    let minimised = |values: &Vec<f64>| -> Vec<f64> {
        goals.iter().zip(values).map(|(goal, value)| if *goal == Goal::Minimise { *value } else { -value }).collect()
    };
    let reference = options.reference.as_ref().map(minimised);
    let asked = Asked::new(problem, axes, ChaCha8Rng::seed_from_u64(options.seed), TEMPERATURES.0);
    if let Some(stop) = asked.ending()? {
        return Ok(stop);
    }
    let first = (asked.left() / FIRST_PART).clamp(1, FIRST);
    asked.begin(first);
    let sample: Vec<Vec<f64>> = (0..first).map(|_| asked.random()).collect();
    asked.costs(sample.iter());
    for start in 0..options.starts {
        if let Some(stop) = asked.ending()? {
            return Ok(stop);
        }
        asked.set_cost(|seen, generator| {
            let weights = match (&options.weights, &reference) {
                (Some(weights), _) => weights.clone(),
                (None, Some(_)) => vec![1.0; goals.len()],
                (None, None) => random_weights(goals.len(), generator),
            };
            Cost::new(weights, reference.clone(), seen)
        });
        let allowance = asked.left().div_ceil(options.starts - start);
        asked.begin(allowance);
        let from = if start == 0 { asked.best() } else { None }.unwrap_or_else(|| asked.random());
        let generator = Xoshiro256PlusPlus::seed_from_u64(asked.draw());
        let solved = match options.method {
            Method::Anneal => anneal(&asked, from, allowance, generator),
            Method::Swarm => swarm(&asked, options.population, allowance, generator),
            Method::Simplex => simplex(&asked, from),
        };
        // A solver refuses constants that are wrong, and these are right: it stops, and the next start goes on.
        drop(solved);
    }
    Ok(asked.ending()?.unwrap_or(StopReason::Converged))
}

fn anneal(asked: &Asked<'_, '_>, from: Vec<f64>, steps: u64, generator: Xoshiro256PlusPlus) -> Result<(), Error> {
    let cooling = (TEMPERATURES.1 / TEMPERATURES.0).powf(1.0 / steps.max(1) as f64);
    let solver =
        SimulatedAnnealing::new_with_rng(TEMPERATURES.0, generator)?.with_temp_func(SATempFunc::Exponential(cooling));
    run(asked, solver, IterState::new().param(from))
}

fn swarm(asked: &Asked<'_, '_>, most: usize, steps: u64, generator: Xoshiro256PlusPlus) -> Result<(), Error> {
    let particles = (most as u64).min((steps / LEAST.0).max(LEAST.1)) as usize;
    let upper = asked.upper();
    let solver = ParticleSwarm::new((vec![0.0; upper.len()], upper), particles).with_rng_generator(generator);
    run(asked, solver, PopulationState::new())
}

fn simplex(asked: &Asked<'_, '_>, from: Vec<f64>) -> Result<(), Error> {
    let upper = asked.upper();
    let corner = |at: usize| {
        let mut corner = from.clone();
        let span = (SIMPLEX * upper[at]).max(1.0);
        corner[at] += if from[at] + span <= upper[at] { span } else { -span };
        corner
    };
    let corners = std::iter::once(from.clone()).chain((0..from.len()).map(corner)).collect();
    run(asked, NelderMead::new(corners).with_sd_tolerance(f64::MIN_POSITIVE)?, IterState::new())
}

/// Steps a solver until the start is done.
fn run<'a, 'p, S, I>(asked: &'a Asked<'a, 'p>, mut solver: S, state: I) -> Result<(), Error>
where
    S: Solver<&'a Asked<'a, 'p>, I>,
    I: State,
{
    let mut problem = Counted::new(asked);
    let (mut state, _) = solver.init(&mut problem, state)?;
    state.update();
    while !asked.is_done() && !solver.terminate(&state).terminated() {
        (state, _) = solver.next_iter(&mut problem, state)?;
        state.update();
    }
    Ok(())
}
