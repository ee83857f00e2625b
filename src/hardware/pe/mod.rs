//! The programmable processing element: composite commands, tile by tile through its engines.
//!
//! A [`Command`] is a prologue of element-wise operations, at most one matrix product, and an epilogue. `plan` cuts it
//! into tokens, one per GEMM tile and one per other operation, each with its own list of engine steps; [`simulate()`]
//! runs the tokens of a [`CommandList`] through the engines event by event and writes the operation log; `closed` gives the length of a regular command
//! without simulating it; [`execute()`] runs an operation log on real numbers. `hazard` decides when a command may enter.
//! [`Layers`] is the work of a whole operator as commands, and `model` what a hardware file's unit with a processing
//! element asks at every design point. Its neighbours time other hardware; nothing here knows of whole pipelines.

mod closed;
mod command;
mod declared;
mod enclose;
mod execute;
mod hazard;
mod log;
mod model;
mod operator;
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
pub use model::{Arguments, DATAFLOWS, ElementModel, MOST_LAYERS, MOST_OPERATIONS, Task};
pub use operator::{Layer, Layers, Resident, element_wise_cycles};
pub use parameters::{LARGEST_COUNT, Parameters, ParametersError};
pub use plan::Engine;
pub use simulate::{EngineUse, Hazards, Simulation, SimulationError, Span, simulate};
