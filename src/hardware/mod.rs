//! Hardware: units, SRAM blocks, DRAM and clock of a design point, as graph nodes.
//!
//! What a declaration gives for each instance becomes totals here; nothing in this layer knows of operators. The models
//! [`sram`], [`dram`], [`systolic`], [`conflict`], [`technology`] and [`arithmetic`] answer what a figure would be where no
//! paper gives one; docs/memory-models.md says how well.

pub mod arithmetic;
pub mod conflict;
pub mod dram;
pub mod sram;
pub mod systolic;
pub mod technology;

mod block;
mod clock;
mod memory;
#[cfg(test)]
pub(crate) mod testing;
mod unit;

pub use block::{Power, TotalArea};
pub use clock::Clock;
pub use memory::{Dram, Sram, compile_dram, compile_sram};
pub use unit::{MAX_GROUPS, Unit, compile_unit};
