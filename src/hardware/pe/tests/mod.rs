//! The processing element against hand derivations, against its own closed form, and on real numbers.

mod data;
mod operator;
mod timing;

use super::*;
use crate::hardware::systolic::{Dataflow, SystolicArray};

/// A tensor of two bytes per element.
fn tensor(name: &str, rows: u64, cols: u64, resident: bool) -> Tensor {
    Tensor { name: name.into(), rows, cols, bytes_per_element: 2.0, resident }
}

fn operation(function: Function, inputs: &[u32], output: u32) -> MathOperation {
    MathOperation { function, inputs: inputs.iter().copied().map(TensorId).collect(), output: TensorId(output) }
}

fn gemm(a: u32, b: u32, output: u32) -> Option<Gemm> {
    Some(Gemm { a: TensorId(a), b: TensorId(b), output: TensorId(output) })
}

/// One byte and one element per cycle: every duration is a whole number.
fn unit_rates(tiles: (u64, u64, u64), queue_depth: u32) -> Parameters {
    Parameters {
        tile_m: tiles.0,
        tile_k: tiles.1,
        tile_n: tiles.2,
        queue_depth,
        command_cycles: 3.0,
        read_bytes_per_cycle: 1.0,
        write_bytes_per_cycle: 1.0,
        transfer_cycles: 0.0,
        math_elements_per_cycle: 1.0,
        array: SystolicArray { rows: 2, cols: 2, dataflow: Dataflow::OutputStationary },
    }
}
