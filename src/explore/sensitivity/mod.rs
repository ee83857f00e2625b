//! How much of an objective's variance each axis explains (Sobol indices; Saltelli et al., Global Sensitivity Analysis,
//! 2008): alone (main effect) and together with others (total effect), all values of an axis being equally likely.
//!
//! [`of_grid`] decomposes the variance of a full grid exactly; [`of_sample`] estimates from a sample. [`Collector`] takes
//! the evaluations as they come.

mod collector;
mod grid;
mod sample;

pub use collector::{Collector, Method, Sensitivity};
pub use grid::of_grid;
pub use sample::of_sample;

/// Shares of an objective's variance, axis by axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    /// What the axis explains alone: Var(E(y | x)) / Var(y).
    pub main: Vec<f64>,
    /// What would be left if only that axis were unknown: E(Var(y | all others)) / Var(y).
    pub total: Vec<f64>,
}
