//! Hardware: units, SRAM blocks, DRAM and clock of a design point, as graph nodes.
//!
//! What a declaration gives for each instance becomes totals here; nothing in this layer knows of operators.

mod block;
mod clock;
mod memory;
mod unit;

pub use block::{Power, TotalArea};
pub use clock::Clock;
pub use memory::{Dram, Sram, compile_dram, compile_sram};
pub use unit::{MAX_GROUPS, Unit, compile_unit};
