//! Schedule: when every operator works on every tile.
//!
//! `graph` turns operators, edges, mapping and traffic into stages; `share` divides each memory port among the
//! stages that can use it at the same time; `bound` is the least length that any schedule could have. [`Schedule`] runs
//! at every design point: `stream` where no unit is wanted by two stages at once (one pass over the tiles: `tiles` jumps
//! equal ones exactly, `unequal` runs measured ones), `list` where stages compete (a list schedule in order of time, priorities as `order` says).
//! `verify` checks what they give and shares nothing with them. [`Timeline`] is a schedule written out: who works when, and
//! how busy everything is over time.
//! `enclose` bounds its length over boxes of points; `iterate` is how iterations of a training follow each other.
//! `narrow` finds buffers that are too small for the groups behind them.
//! [`balance`] spreads the tiles of one stage over groups.
//! [`tasks`] schedules explicit graphs of whole operators, many thousands of them. A stream of tiles is no such graph: its
//! tiles enter each stage in order, results are delayed without occupying anything, and frame operators take all groups, so
//! that it is scheduled from the stages, never laid out.

pub mod balance;
mod bound;
mod enclose;
mod graph;
mod iterate;
mod kernel;
mod list;
mod narrow;
mod order;
mod share;
mod stage;
mod stream;
pub mod tasks;
#[cfg(test)]
mod tests;
mod tiles;
mod timeline;
mod unequal;
mod verify;

pub use graph::{StageGraph, Training, compile_stages, tiles_at_once};
pub use kernel::{Method, Output, Schedule};
pub use narrow::NarrowEdge;
pub use order::Order;
pub use stage::{MAX_BUFFER, Stage, StagePlaces};
pub use timeline::{Demand, Interval, PortDemand, StageSpan, Timeline, TimelineOptions};
pub use verify::{Recorded, TileViolation, Visit, verify};
