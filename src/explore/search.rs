//! What every search shares: a problem to ask for points, a budget, and why it ended.

use super::exact::{self, Certificate};
use super::nsga::{self, Genes};
use super::runner::RunError;
use super::scalar::{self, Method};
pub use super::session::Session;
use crate::spec::sweep::{Goal, SearchDecl, Strategy};

/// Runs a strategy that chooses its points as it goes, `None` for the others.
///
/// # Errors
/// If a result cannot be written.
pub fn run_strategy(session: &mut Session<'_>, search: &SearchDecl) -> Result<Option<Ending>, RunError> {
    match search.strategy {
        Strategy::Exact => exact::search(session, search).map(|(stop, proof)| Some((stop, Some(proof)))),
        Strategy::Nsga2 => {
            let axes = genes(session);
            let options = nsga::Options { population: search.population, seed: search.seed };
            nsga::search(session, &axes, options).map(|stop| Some((stop, None)))
        }
        Strategy::Anneal | Strategy::Pso | Strategy::NelderMead => {
            let options = scalar::Options {
                method: match search.strategy {
                    Strategy::Pso => Method::Swarm,
                    Strategy::NelderMead => Method::Simplex,
                    _ => Method::Anneal,
                },
                weights: search.scalar.weights.clone(),
                reference: search.scalar.reference.clone(),
                starts: search.scalar.starts,
                population: search.population,
                seed: search.seed,
            };
            let axes = genes(session);
            scalar::search(session, &axes, &options).map(|stop| Some((stop, None)))
        }
        Strategy::Grid | Strategy::Random | Strategy::Lhs | Strategy::Sobol => Ok(None),
    }
}

/// The axes as searches see them.
fn genes(session: &Session<'_>) -> Vec<Genes> {
    let axes = session.plan().axes.iter();
    axes.map(|axis| Genes { size: axis.values.len() as u32, ordered: !axis.is_words }).collect()
}

/// Why a search ended, and what it proves.
pub type Ending = (StopReason, Option<Certificate>);

/// What came out of a number of points. Its room is kept from one call to the next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// Point by point: 0 if every constraint holds, else by how much of its bound the worst one is missed; infinite
    /// without a value.
    pub violations: Vec<f64>,
    /// Objectives, point by point, in their own directions.
    pub objectives: Vec<f64>,
}

impl Answers {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.violations.clear();
        self.objectives.clear();
    }
}

/// Something to search: points that can be evaluated.
pub trait Problem {
    /// The direction of each objective.
    fn goals(&self) -> &[Goal];

    /// Evaluates `count` points, given by their digits on every axis, one point after the other; `answers` holds theirs
    /// then, in the same order.
    ///
    /// # Errors
    /// If a result cannot be written.
    fn evaluate(&mut self, count: usize, digits: &[u32], answers: &mut Answers) -> Result<(), RunError>;

    /// Points that may still be evaluated.
    fn left(&self) -> u64;

    /// True once every point was evaluated, where points can be fewer than their digits.
    fn is_exhausted(&self) -> bool {
        false
    }

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
    /// Every start has come to a point that it does not better.
    Converged,
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
            Self::Converged => "every start has converged",
            Self::Evaluations => "budget of evaluations used up",
            Self::Seconds => "budget of seconds over",
        }
    }
}
