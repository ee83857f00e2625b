//! The processing element's knobs.

use crate::hardware::systolic::{Dataflow, SystolicArray};

/// Tile sizes, queues and engine rates of a processing element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Rows of a GEMM tile.
    pub tile_m: u64,
    /// Inner length of a GEMM tile.
    pub tile_k: u64,
    /// Columns of a GEMM tile.
    pub tile_n: u64,
    /// Tokens that each engine's queue takes from the feeder.
    pub queue_depth: u32,
    /// Cycles that the feeder spends on a command before its first token.
    pub command_cycles: f64,
    /// Rate of the DMA engine that reads.
    pub read_bytes_per_cycle: f64,
    /// Rate of the DMA engine that writes.
    pub write_bytes_per_cycle: f64,
    /// Cycles that every transfer costs beside its bytes.
    pub transfer_cycles: f64,
    /// Elements that the math engine takes in per cycle.
    pub math_elements_per_cycle: f64,
    /// The GEMM engine.
    pub array: SystolicArray,
}

/// A knob out of its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}: it must be {wanted}")]
pub struct ParametersError {
    /// The knob.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must be.
    pub wanted: &'static str,
}

impl Default for Parameters {
    /// A 16 x 16 array with 64 bytes per cycle each way: a starting point, no published design.
    fn default() -> Self {
        Self {
            tile_m: 64,
            tile_k: 64,
            tile_n: 64,
            queue_depth: 8,
            command_cycles: 16.0,
            read_bytes_per_cycle: 64.0,
            write_bytes_per_cycle: 64.0,
            transfer_cycles: 0.0,
            math_elements_per_cycle: 16.0,
            array: SystolicArray { rows: 16, cols: 16, dataflow: Dataflow::WeightStationary },
        }
    }
}

impl Parameters {
    /// Checks every knob.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), ParametersError> {
        let counts = [
            ("tile_m", self.tile_m),
            ("tile_k", self.tile_k),
            ("tile_n", self.tile_n),
            ("queue_depth", self.queue_depth.into()),
            ("rows", self.array.rows),
            ("cols", self.array.cols),
        ];
        for (name, value) in counts {
            if value == 0 || value > LARGEST_COUNT {
                return Err(ParametersError { name, value: value as f64, wanted: "a whole number from 1 to 2^20" });
            }
        }
        let rates = [
            ("read_bytes_per_cycle", self.read_bytes_per_cycle),
            ("write_bytes_per_cycle", self.write_bytes_per_cycle),
            ("math_elements_per_cycle", self.math_elements_per_cycle),
        ];
        for (name, value) in rates {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ParametersError { name, value, wanted: "a number above 0" });
            }
        }
        for (name, value) in [("command_cycles", self.command_cycles), ("transfer_cycles", self.transfer_cycles)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ParametersError { name, value, wanted: "0 or more" });
            }
        }
        Ok(())
    }
}

/// Largest tile edge, queue and array edge.
pub const LARGEST_COUNT: u64 = 1 << 20;
