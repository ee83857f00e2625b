//! The tile plan of a command: its tokens, and the engine steps that each takes.

use super::command::{Command, CommandList, Function, Part, TensorId};
use super::hazard;
use super::log::Block;
use super::parameters::Parameters;
use crate::hardware::systolic::{ElementBytes, Gemm as Product, OperandBandwidth, SystolicError};

/// An engine of the processing element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// DMA into the element.
    Read,
    /// The array.
    Gemm,
    /// Element-wise operations.
    Math,
    /// DMA out of the element.
    Write,
}

impl Engine {
    /// All engines in the order in which ends at the same moment are handled.
    pub const ALL: [Engine; 4] = [Engine::Read, Engine::Gemm, Engine::Math, Engine::Write];

    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "dma_read",
            Self::Gemm => "gemm",
            Self::Math => "math",
            Self::Write => "dma_write",
        }
    }
}

/// What a token asks of one engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub engine: Engine,
    pub cycles: f64,
}

/// Steps of a token, in order: at most read, compute, write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub read: Option<f64>,
    pub compute: Step,
    pub write: Option<f64>,
}

impl Steps {
    /// Step `index`, or `None` past the last one.
    pub fn get(&self, index: usize) -> Option<Step> {
        let read = self.read.map(|cycles| Step { engine: Engine::Read, cycles });
        let write = self.write.map(|cycles| Step { engine: Engine::Write, cycles });
        [read, Some(self.compute), write].into_iter().flatten().nth(index)
    }

    /// The engine of the first step.
    pub fn first(&self) -> Engine {
        if self.read.is_some() { Engine::Read } else { self.compute.engine }
    }
}

/// One operation of a command as tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    /// Operations of the command that must have completed before this one computes.
    pub waits: Vec<u32>,
    /// They must have completed before it reads, since they write to memory what it reads from there.
    pub waits_to_read: bool,
    pub kind: Kind,
}

/// Tokens of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// One token.
    Math(Steps),
    /// One token for each tile.
    Gemm(Box<Tiles>),
}

impl Operation {
    /// Number of tokens.
    pub fn tokens(&self) -> u64 {
        match &self.kind {
            Kind::Math(_) => 1,
            Kind::Gemm(tiles) => tiles.count(),
        }
    }
}

/// The tiles of a matrix product in the order M, N, K: the parts of K of one output tile follow each other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tiles {
    pub m: Cut,
    pub k: Cut,
    pub n: Cut,
    /// The command adds to its output.
    pub accumulate: bool,
    /// Steps by whether the tile is the last one along M, N and K: `[m][n][k]`.
    steps: [[[Steps; 2]; 2]; 2],
}

/// An extent in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    extent: u64,
    size: u64,
    pub count: u64,
}

impl Cut {
    fn new(extent: u64, size: u64) -> Self {
        let size = size.min(extent);
        Self { extent, size, count: extent.div_ceil(size) }
    }

    fn range(self, index: u64) -> (u64, u64) {
        (index * self.size, ((index + 1) * self.size).min(self.extent))
    }

    /// Size of the last tile, or of those before it.
    fn length(self, last: bool) -> u64 {
        if last { self.extent - (self.count - 1) * self.size } else { self.size }
    }
}

impl Tiles {
    pub fn count(&self) -> u64 {
        self.m.count.saturating_mul(self.k.count).saturating_mul(self.n.count)
    }

    fn place(&self, index: u64) -> (u64, u64, u64) {
        let (output, k) = (index / self.k.count, index % self.k.count);
        (output / self.n.count, output % self.n.count, k)
    }

    /// Steps of tile `index`.
    pub fn steps(&self, index: u64) -> &Steps {
        let (m, n, k) = self.place(index);
        self.class(m + 1 == self.m.count, n + 1 == self.n.count, k + 1 == self.k.count)
    }

    /// Steps of the tiles that are, or are not, the last ones along M, N and K.
    pub fn class(&self, m: bool, n: bool, k: bool) -> &Steps {
        &self.steps[usize::from(m)][usize::from(n)][usize::from(k)]
    }

    /// What tile `index` computes.
    pub fn block(&self, index: u64) -> Block {
        let (m, n, k) = self.place(index);
        Block { m: self.m.range(m), k: self.k.range(k), n: self.n.range(n) }
    }
}

/// The operations of `command` as tokens.
///
/// A tile of the product reads its parts of both operands, computes for the cycles of the systolic array, and writes its
/// part of the output after the last part of K. Other operations read, compute and write whole tensors. Resident tensors
/// are neither read nor written; nothing else is kept between tokens.
///
/// # Errors
/// A tile that needs more than 2^53 cycles.
pub(super) fn plan(
    list: &CommandList,
    command: &Command,
    parameters: &Parameters,
) -> Result<Vec<Operation>, SystolicError> {
    let waits = hazard::waits(command);
    (0..command.operations())
        .map(|index| {
            let (reads, _) = command.access(index);
            let in_memory = |id: &TensorId| !list.tensor(*id).resident;
            let waits_to_read = waits[index].iter().any(|&earlier| {
                let (_, written) = command.access(earlier as usize);
                in_memory(&written) && reads.contains(&written)
            });
            let kind = match command.part(index) {
                Part::Math(operation) => {
                    let inputs: Vec<TensorId> = operation.inputs.clone();
                    let taken: f64 = inputs.iter().map(|&id| list.tensor(id).elements()).fold(0.0, f64::max);
                    let read: f64 = inputs.iter().filter(|id| in_memory(id)).map(|&id| list.tensor(id).bytes()).sum();
                    let write = in_memory(&operation.output) && operation.function != Function::Accumulate;
                    Kind::Math(Steps {
                        read: transfer(read, parameters.read_bytes_per_cycle, parameters),
                        compute: Step { engine: Engine::Math, cycles: taken / parameters.math_elements_per_cycle },
                        write: transfer(
                            if write { list.tensor(operation.output).bytes() } else { 0.0 },
                            parameters.write_bytes_per_cycle,
                            parameters,
                        ),
                    })
                }
                Part::Gemm(gemm) => Kind::Gemm(Box::new(tiles(list, gemm, command.accumulates(), parameters)?)),
            };
            Ok(Operation { waits: waits[index].clone(), waits_to_read, kind })
        })
        .collect()
}

fn transfer(bytes: f64, bytes_per_cycle: f64, parameters: &Parameters) -> Option<f64> {
    (bytes > 0.0).then(|| parameters.transfer_cycles + bytes / bytes_per_cycle)
}

fn tiles(
    list: &CommandList,
    gemm: &super::Gemm,
    accumulate: bool,
    parameters: &Parameters,
) -> Result<Tiles, SystolicError> {
    let [a, b, out] = [gemm.a, gemm.b, gemm.output].map(|id| list.tensor(id));
    let (m, k, n) =
        (Cut::new(a.rows, parameters.tile_m), Cut::new(a.cols, parameters.tile_k), Cut::new(b.cols, parameters.tile_n));
    let no_bytes = ElementBytes { input: 0.0, weight: 0.0, output: 0.0, partial: 0.0 };
    let moved = |tensor: &super::Tensor, rows: u64, cols: u64| {
        if tensor.resident { 0.0 } else { rows as f64 * cols as f64 * tensor.bytes_per_element }
    };
    let steps = |last_m: bool, last_n: bool, last_k: bool| -> Result<Steps, SystolicError> {
        let (rows, inner, cols) = (m.length(last_m), k.length(last_k), n.length(last_n));
        let product = Product { m: rows, n: cols, k: inner };
        let timing = parameters.array.time(product, no_bytes, OperandBandwidth::AMPLE)?;
        // Where the product adds to its output, what that holds comes in with the last part of K.
        let old = if accumulate && last_k { moved(out, rows, cols) } else { 0.0 };
        let read = moved(a, rows, inner) + moved(b, inner, cols) + old;
        let write = if last_k { moved(out, rows, cols) } else { 0.0 };
        Ok(Steps {
            read: transfer(read, parameters.read_bytes_per_cycle, parameters),
            compute: Step { engine: Engine::Gemm, cycles: timing.total_cycles() },
            write: transfer(write, parameters.write_bytes_per_cycle, parameters),
        })
    };
    let mut classes = [[[steps(false, false, false)?; 2]; 2]; 2];
    for (last_m, by_n) in classes.iter_mut().enumerate() {
        for (last_n, by_k) in by_n.iter_mut().enumerate() {
            for (last_k, class) in by_k.iter_mut().enumerate() {
                *class = steps(last_m == 1, last_n == 1, last_k == 1)?;
            }
        }
    }
    Ok(Tiles { m, k, n, accumulate, steps: classes })
}
