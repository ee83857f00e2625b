//! `hardware/*.toml`: units, SRAM blocks, DRAM, clock.
//!
//! One file for each table of a hardware file, each with what the table declares and how it is read; [`read`] reads the
//! whole. Expressions stay expressions here; `crate::hardware` compiles them.

mod clock;
mod dram;
mod element;
mod file;
mod sram;
mod unit;

pub use clock::ClockDecl;
pub use dram::DramDecl;
pub use element::{ElementDecl, Operand};
pub use file::{Boundary, Features, HardwareDecl, read};
pub use sram::SramDecl;
pub use unit::{Assign, Idle, RateDecl, UnitDecl};
