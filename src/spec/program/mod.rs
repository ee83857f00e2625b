//! Compiled expressions: a graph of operations that becomes a flat list, ordered so that moving along the grid recomputes
//! only what depends on the axes that moved.
//!
//! [`graph::Graph`] is built once: equal nodes are shared, constants folded. [`Program`] is its live part as a list of
//! instructions sorted by *level*, the fastest-moving axis that an instruction depends on; when axis `k` is the slowest
//! one that moved, exactly the instructions of levels above `k` run again. Values that differ from tile to tile are
//! columns. [`bounds`] encloses the values over whole boxes of axis values. [`failure`] says why a value is not finite.
//!
//! Arithmetic is total: what has no value (a division by zero, a failed check) is NaN, and NaN spreads through every
//! operation, `min`, `max` and comparisons included, except the branch that an `if` does not take.

mod apply;
pub mod bounds;
mod column;
pub mod failure;
mod graph;
mod model;
mod run;
mod state;

pub use apply::apply;
pub use graph::{BinningTiles, Graph, NodeId, Operation, Origin, TileTable};
pub use model::{LargeModel, LargeModelRef, MAX_ARGUMENTS, Model, ModelRef};
pub use run::{Kernel, MAX_OUTPUTS, Program};
pub use state::{Columns, Place, State};
