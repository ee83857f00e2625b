//! The schedule of an explicit operator graph: thousands of operators, each bound to a unit, with edges between them.
//!
//! [`TaskGraph`] holds the operators and edges, [`Resources`] what there is of each unit and of what units share,
//! [`Policy`] the order in which ready work is taken. [`schedule`] places every operator; [`check`](fn@check) verifies
//! placements and shares no code with it. `map` chooses units, `reach` counts successors, `ready` and `events` are the
//! queues of the list scheduler in `pass`, `bound` what no schedule can beat, `best` the default policy,
//! `frugal` the way out where buffers are full, `room` what tasks take of them, `search` whether any order fits.

mod best;
mod bound;
mod check;
mod events;
mod frugal;
mod graph;
mod map;
mod pass;
mod policy;
mod pools;
mod reach;
mod ready;
mod resources;
mod room;
mod search;
mod sort;
#[cfg(test)]
mod tests;

pub use best::{Outcome, ScheduleError, Workspace, schedule};
pub use check::{Violation, check};
pub use graph::{GraphError, MOST_UNITS, Task, TaskGraph};
pub use map::Choices;
pub use pass::Placement;
pub use policy::Policy;
pub(super) use reach::count_successors;
pub use resources::{Buffer, ResourceError, Resources, Shared};
