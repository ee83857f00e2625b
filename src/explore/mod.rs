//! Exploration: walking or sampling the design space, and keeping what is best.
//!
//! [`Space`] numbers the points and never holds them; [`sample`] draws some of them; [`pareto`] keeps the exact front;
//! [`run`] evaluates blocks of points on all cores and hands them on in the order of their indices. [`search`] holds what
//! searches share that choose their points as they go: [`exact`] proves the whole front, [`nsga`] evolves towards it.
//! [`hypervolume`] measures how good a front is, [`history`] how it got there.

pub mod exact;
pub mod history;
pub mod hypervolume;
pub mod nsga;
pub mod pareto;
pub mod runner;
pub mod sample;
pub mod search;
mod space;

pub use pareto::{Archive, FrontPoint};
pub use runner::{Block, Observer, RunError, Summary, run};
pub use space::Space;
