//! A processing element's cycles for an operator as an operation of a program.

use super::operator::{Layer, Layers, Resident, element_wise_cycles};
use super::parameters::Parameters;
use crate::hardware::systolic::{Dataflow, SystolicArray};
use crate::spec::program::LargeModel;
use crate::spec::program::bounds::Interval;
use crate::spec::refine::Timing;

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Matrix products.
    Products {
        /// How many kinds of them: six arguments each.
        layers: usize,
        /// Blocks of rows do not wait for each other.
        independent: bool,
    },
    /// Element-wise work: elements read, operations, elements written.
    Elements,
}

/// Most layers of an operator.
pub const MOST_LAYERS: usize = 16;

/// Most element-wise operations before or after a product.
pub const MOST_OPERATIONS: u64 = 64;

/// Most arguments.
const MOST_ARGUMENTS: usize = KNOBS + 6 * MOST_LAYERS;
const _: () = assert!(MOST_ARGUMENTS <= crate::spec::program::MAX_ARGUMENTS);

/// The dataflows by their number among the arguments.
pub const DATAFLOWS: [Dataflow; 3] =
    [Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary];

const KNOBS: usize = 14;

/// Places of the knobs that shorten the work: the queue depth and the rates.
pub(super) const SHORTENING: std::ops::Range<usize> = 7..11;

/// The first arguments of every task.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<T> {
    pub tile_m: T,
    pub tile_k: T,
    pub tile_n: T,
    pub rows: T,
    pub cols: T,
    /// Index in [`DATAFLOWS`].
    pub dataflow: T,
    pub command_rows: T,
    pub queue_depth: T,
    pub read_bytes_per_cycle: T,
    pub write_bytes_per_cycle: T,
    pub math_elements_per_cycle: T,
    pub transfer_cycles: T,
    pub command_cycles: T,
    pub element_bytes: T,
}

impl<T: Copy> Arguments<T> {
    /// In the order in which the model takes them.
    pub fn list(&self) -> [T; KNOBS] {
        [
            self.tile_m,
            self.tile_k,
            self.tile_n,
            self.rows,
            self.cols,
            self.dataflow,
            self.command_rows,
            self.queue_depth,
            self.read_bytes_per_cycle,
            self.write_bytes_per_cycle,
            self.math_elements_per_cycle,
            self.transfer_cycles,
            self.command_cycles,
            self.element_bytes,
        ]
    }

    /// The knobs, and the arguments of the task behind them.
    pub(super) fn split(arguments: &[T]) -> Option<(Self, &[T])> {
        let (knobs, task) = arguments.split_at_checked(KNOBS)?;
        let &[tile_m, tile_k, tile_n, rows, cols, dataflow, command_rows, queue_depth, ref rest @ ..] = knobs else {
            return None;
        };
        let &[
            read_bytes_per_cycle,
            write_bytes_per_cycle,
            math_elements_per_cycle,
            transfer_cycles,
            command_cycles,
            element_bytes,
        ] = rest
        else {
            return None;
        };
        let knobs = Self {
            tile_m,
            tile_k,
            tile_n,
            rows,
            cols,
            dataflow,
            command_rows,
            queue_depth,
            read_bytes_per_cycle,
            write_bytes_per_cycle,
            math_elements_per_cycle,
            transfer_cycles,
            command_cycles,
            element_bytes,
        };
        Some((knobs, task))
    }
}

impl Arguments<f64> {
    fn parameters(&self) -> Option<Parameters> {
        // Fractions were refused before; what is too large stays so.
        Some(Parameters {
            tile_m: self.tile_m as u64,
            tile_k: self.tile_k as u64,
            tile_n: self.tile_n as u64,
            queue_depth: self.queue_depth as u32,
            command_cycles: self.command_cycles,
            read_bytes_per_cycle: self.read_bytes_per_cycle,
            write_bytes_per_cycle: self.write_bytes_per_cycle,
            transfer_cycles: self.transfer_cycles,
            math_elements_per_cycle: self.math_elements_per_cycle,
            array: SystolicArray {
                rows: self.rows as u64,
                cols: self.cols as u64,
                dataflow: *DATAFLOWS.get(self.dataflow as usize)?,
            },
        })
    }
}

/// Cycles of an operator on one processing element.
#[derive(Debug, Clone, Copy)]
pub struct ElementModel {
    /// What is timed.
    pub task: Task,
    /// What is not moved.
    pub resident: Resident,
    /// How.
    pub timing: Timing,
}

impl ElementModel {
    fn cycles(&self, arguments: &[f64]) -> Result<f64, String> {
        let unknown = || "these arguments mean no processing element".to_owned();
        let (knobs, task) = Arguments::split(arguments).ok_or_else(unknown)?;
        let parameters = knobs.parameters().ok_or_else(unknown)?;
        parameters.check().map_err(|error| error.to_string())?;
        let (layers, independent) = match (self.task, task) {
            (Task::Products { layers, independent }, _) => (layers.min(MOST_LAYERS), independent),
            (Task::Elements, &[input, operations, output]) => {
                // Nothing to do takes no time.
                if input == 0.0 && operations == 0.0 && output == 0.0 {
                    return Ok(0.0);
                }
                let moved = |resident: bool, elements: f64| if resident { 0.0 } else { elements * knobs.element_bytes };
                let read = moved(self.resident.input, input);
                let write = moved(self.resident.output, output);
                return Ok(element_wise_cycles(read, operations.max(input), write, &parameters));
            }
            (Task::Elements, _) => return Err(unknown()),
        };
        let nothing = Layer { m: 0, k: 0, n: 0, times: 0, prologue: 0, epilogue: 0 };
        let mut list = [nothing; MOST_LAYERS];
        for (layer, numbers) in list.iter_mut().zip(task.chunks_exact(6)) {
            // Part of a row is a row.
            let whole = |at: usize| numbers[at].ceil() as u64;
            *layer = Layer {
                m: whole(0),
                k: whole(1),
                n: whole(2),
                times: whole(3),
                prologue: whole(4).min(MOST_OPERATIONS),
                epilogue: whole(5).min(MOST_OPERATIONS),
            };
        }
        let work = Layers {
            layers: &list[..layers],
            command_rows: (knobs.command_rows as u64).max(1),
            element_bytes: knobs.element_bytes,
            resident: self.resident,
            independent,
        };
        match self.timing {
            Timing::Closed => work.closed_cycles(&parameters).map_err(|error| error.to_string()),
            Timing::Events => work.simulated(&parameters).map_err(|error| error.to_string()),
        }
    }
}

impl LargeModel for ElementModel {
    fn value(&self, arguments: &[f64]) -> f64 {
        self.cycles(arguments).unwrap_or(f64::NAN)
    }

    fn why(&self, arguments: &[f64]) -> String {
        self.cycles(arguments).err().unwrap_or_else(|| "the processing element has no value".into())
    }

    fn bounds(&self, arguments: &[Interval]) -> Interval {
        self.enclose(arguments)
    }
}
