//! The programmable processing element: composite commands, tile by tile through its engines.
//!
//! A [`Command`] is a prologue of element-wise operations, at most one matrix product, and an epilogue. `plan` cuts it
//! into tokens, one per GEMM tile and one per other operation, each with its own list of engine steps; [`simulate()`]
//! runs the tokens of a [`CommandList`] through the engines event by event and writes the operation log; `closed` gives the length of a regular command
//! without simulating it; [`execute()`] runs an operation log on real numbers. `hazard` decides when a command may enter.
//! The neighbours one folder up schedule whole operators; nothing here knows of them.

mod closed;
mod command;
mod declared;
mod execute;
mod hazard;
mod log;
mod parameters;
mod plan;
mod simulate;
#[cfg(test)]
mod tests;

pub use closed::closed_form;
pub use command::{Command, CommandError, CommandList, Function, Gemm, MathOperation, Tensor, TensorId};
pub use declared::{Declared, read};
pub use execute::{DataError, execute, reference};
pub use log::{Block, Record, Work};
pub use parameters::{Parameters, ParametersError};
pub use plan::Engine;
pub use simulate::{EngineUse, Hazards, Simulation, SimulationError, Span, simulate};
