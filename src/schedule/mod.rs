//! Schedule: when every operator works on every tile.
//!
//! `graph` turns operators, edges, mapping and traffic into stages; `share` divides each memory port among the
//! stages that can use it at the same time; `bound` is the least length that any schedule could have. [`Schedule`] runs
//! at every design point: `stream` where no unit is wanted by two stages at once (one pass over the tiles, equal tiles
//! jumped exactly), `list` where stages compete (a list schedule in order of time, DAGS priorities).
//! [`Timeline`] is a schedule written out: who works when, and how busy everything is over time. `enclose` bounds its length over boxes of points.

mod bound;
mod enclose;
mod graph;
mod kernel;
mod list;
mod share;
mod stage;
mod stream;
#[cfg(test)]
mod tests;
mod tiles;
mod timeline;

pub use graph::{StageGraph, compile_stages};
pub use kernel::{Method, Output, Schedule};
pub use stage::{MAX_BUFFER, Stage, StagePlaces};
pub use timeline::{Demand, Interval, StageSpan, Timeline, TimelineOptions};
