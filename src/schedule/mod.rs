//! Schedule: when every operator works on every tile.
//!
//! `graph` turns operators, edges, mapping and traffic into stages; `share` divides each memory port among the
//! stages that can use it at the same time; `bound` is the least length that any schedule could have. [`Schedule`] runs
//! at every design point: `stream` where no unit is wanted by two stages at once (one pass over the tiles, equal tiles
//! jumped exactly), `list` where stages compete (a list schedule in order of time, DAGS priorities).
//! `enclose` bounds its length over boxes of points.

mod bound;
mod enclose;
mod graph;
mod kernel;
mod list;
pub mod pe;
mod share;
mod stage;
mod stream;
#[cfg(test)]
mod tests;
mod tiles;

pub use graph::{StageGraph, compile_stages};
pub use kernel::{Method, Output, Schedule};
pub use stage::{MAX_BUFFER, Stage, StagePlaces};
