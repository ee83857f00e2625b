//! The tile plan of a command: its tokens, and the engine steps that each takes.

use super::command::{Command, CommandList, Function, Part, Tensor, TensorId};
use super::hazard;
use super::log::Block;
use super::parameters::Parameters;
use crate::hardware::systolic::{Gemm, SystolicError};

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
    /// An operation of the math engine that takes in `elements`, reads and writes so many bytes.
    pub fn math(read_bytes: f64, elements: f64, write_bytes: f64, parameters: &Parameters) -> Self {
        Self {
            read: transfer(read_bytes, parameters.read_bytes_per_cycle, parameters),
            compute: Step { engine: Engine::Math, cycles: elements / parameters.math_elements_per_cycle },
            write: transfer(write_bytes, parameters.write_bytes_per_cycle, parameters),
        }
    }

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

/// A matrix product before it is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Product {
    pub m: u64,
    pub k: u64,
    pub n: u64,
    /// Bytes of an element of the two operands and the output; 0 where DMA does not move it.
    pub bytes: [f64; 3],
    /// It adds to its output.
    pub accumulate: bool,
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

    /// True if the last tile is as large as the others.
    fn even(self) -> bool {
        self.length(true) == self.size
    }

    /// Size of the last tile, or of those before it.
    fn length(self, last: bool) -> u64 {
        if last { self.extent - (self.count - 1) * self.size } else { self.size }
    }
}

impl Tiles {
    /// Cuts a product of at least one row, column and inner length. Allocates nothing.
    ///
    /// # Errors
    /// A tile that needs more than 2^53 cycles.
    pub fn new(product: &Product, parameters: &Parameters) -> Result<Self, SystolicError> {
        let (m, k, n) = (
            Cut::new(product.m, parameters.tile_m),
            Cut::new(product.k, parameters.tile_k),
            Cut::new(product.n, parameters.tile_n),
        );
        let [a, b, out] = product.bytes;
        let none = Steps { read: None, compute: Step { engine: Engine::Gemm, cycles: 0.0 }, write: None };
        let mut classes = [[[none; 2]; 2]; 2];
        for class in 0..8 {
            let at = [class >> 2, class >> 1 & 1, class & 1];
            let [last_m, last_n, last_k] = at.map(|last| last == 1);
            let (rows, cols, inner) = (m.length(last_m), n.length(last_n), k.length(last_k));
            // Where the last tile is a whole one, its cycles are known already.
            let known = [(0, m), (1, n), (2, k)].into_iter().find(|(axis, cut)| at[*axis] == 1 && cut.even());
            let cycles = match known {
                Some((axis, _)) => {
                    let mut other = at;
                    other[axis] = 0;
                    classes[other[0]][other[1]][other[2]].compute.cycles
                }
                None => parameters.array.compute_cycles(Gemm { m: rows, n: cols, k: inner })? as f64,
            };
            let bytes = |rows: u64, cols: u64, bytes: f64| rows as f64 * cols as f64 * bytes;
            // Where the product adds to its output, what that holds comes in with the last part of K.
            let old = if product.accumulate && last_k { bytes(rows, cols, out) } else { 0.0 };
            let read = bytes(rows, inner, a) + bytes(inner, cols, b) + old;
            let write = if last_k { bytes(rows, cols, out) } else { 0.0 };
            classes[at[0]][at[1]][at[2]] = Steps {
                read: transfer(read, parameters.read_bytes_per_cycle, parameters),
                compute: Step { engine: Engine::Gemm, cycles },
                write: transfer(write, parameters.write_bytes_per_cycle, parameters),
            };
        }
        Ok(Self { m, k, n, accumulate: product.accumulate, steps: classes })
    }

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
                    let inputs = &operation.inputs;
                    let taken: f64 = inputs.iter().map(|&id| list.tensor(id).elements()).fold(0.0, f64::max);
                    let read: f64 = inputs.iter().filter(|id| in_memory(id)).map(|&id| list.tensor(id).bytes()).sum();
                    let write = in_memory(&operation.output) && operation.function != Function::Accumulate;
                    let write = if write { list.tensor(operation.output).bytes() } else { 0.0 };
                    Kind::Math(Steps::math(read, taken, write, parameters))
                }
                Part::Gemm(gemm) => {
                    let [a, b, out] = [gemm.a, gemm.b, gemm.output].map(|id| list.tensor(id));
                    let bytes = |tensor: &Tensor| if tensor.resident { 0.0 } else { tensor.bytes_per_element };
                    let product = Product {
                        m: a.rows,
                        k: a.cols,
                        n: b.cols,
                        bytes: [a, b, out].map(bytes),
                        accumulate: command.accumulates(),
                    };
                    Kind::Gemm(Box::new(Tiles::new(&product, parameters)?))
                }
            };
            Ok(Operation { waits: waits[index].clone(), waits_to_read, kind })
        })
        .collect()
}

fn transfer(bytes: f64, bytes_per_cycle: f64, parameters: &Parameters) -> Option<f64> {
    (bytes > 0.0).then(|| parameters.transfer_cycles + bytes / bytes_per_cycle)
}
