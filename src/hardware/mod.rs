//! Hardware: units, SRAM blocks, DRAM and clock of a design point, as graph nodes.
//!
//! What a declaration gives for each instance becomes totals here; nothing in this layer knows of operators. The models
//! [`sram`], [`dram`], [`systolic`], [`conflict`], [`technology`] and [`arithmetic`] answer what a figure would be where no
//! paper gives one; docs/memory-models.md says how well. [`pe`] is the programmable processing element.

pub mod arithmetic;
pub mod conflict;
pub mod dram;
pub mod pe;
pub mod sram;
pub mod systolic;
pub mod technology;

mod array;
mod block;
mod builtin;
mod clock;
mod conflict_node;
mod dram_channel;
mod element;
mod process;
mod sram_block;
mod stated;
#[cfg(test)]
pub(crate) mod testing;
mod unit;

pub use array::Array;
pub use block::{Power, TotalArea};
pub use clock::Clock;
pub use conflict_node::{ConflictNode, GroupPattern};
pub use dram_channel::{Dram, DramPattern, compile_dram};
pub use element::{Element, Work};
pub use process::{Process, ProcessScaling};
pub use sram_block::{Banks, Sram, WordPorts, compile_sram};
pub use stated::{Answer, Stated};
pub use unit::{MAX_GROUPS, Unit, compile_unit};
