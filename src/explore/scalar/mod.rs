//! Searches for the least of one number: simulated annealing, particle swarm, Nelder & Mead, from the crate `argmin`.
//!
//! `cost` makes one number of the objectives (a weighted sum, or the distance to a reference point); `asked` puts points to
//! the [`Problem`](crate::explore::search::Problem), never one twice; `solve` runs one start after the other. Everything
//! that is evaluated goes into the same front and record as with any other search. A point that misses its constraints
//! costs more than any that keeps them, and the more the more it misses.

mod asked;
mod cost;
mod solve;

pub use solve::{Method, Options, search};
