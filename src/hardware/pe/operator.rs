//! The work of a whole operator as commands of one processing element.
//!
//! An operator of matrix products becomes commands, one for each product and block of rows. The products follow each
//! other: each takes up what the one before it has made. Blocks of rows know nothing of each other, so that the feeder
//! may bring in the next block while the last product of a block is still in work. An operator without products is one
//! command of element-wise work.

use std::collections::HashMap;
use std::rc::Rc;

use super::closed::Free;
use super::command::TensorId;
use super::hazard::Access;
use super::parameters::Parameters;
use super::plan::{Kind, Operation, Product, Steps, Tiles};
use super::simulate::{Hazards, Planned, SimulationError, check_tokens, run_planned};
use crate::hardware::systolic::SystolicError;

/// Equal products of an operator, with the element-wise operations around each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Rows.
    pub m: u64,
    /// Inner length.
    pub k: u64,
    /// Columns.
    pub n: u64,
    /// How many of them, one after the other.
    pub times: u64,
    /// Element-wise operations on the rows before the product.
    pub prologue: u64,
    /// Element-wise operations on the result.
    pub epilogue: u64,
}

impl Layer {
    fn is_nothing(&self) -> bool {
        self.m == 0 || self.k == 0 || self.n == 0 || self.times == 0
    }
}

/// What stays in the element's memory, so that no DMA moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resident {
    /// What the first product takes in.
    pub input: bool,
    /// The second operand of each product.
    pub weights: bool,
    /// What one product hands to the next.
    pub between: bool,
    /// What the last product gives.
    pub output: bool,
}

/// The products of an operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layers<'a> {
    /// In their order.
    pub layers: &'a [Layer],
    /// Most rows of a command.
    pub command_rows: u64,
    /// Bytes of an element.
    pub element_bytes: f64,
    /// What is not moved.
    pub resident: Resident,
    /// Blocks of rows do not wait for each other. Otherwise every command waits for the one before it.
    pub independent: bool,
}

/// Cycles of an operator without products: one command that reads, computes and writes.
pub fn element_wise_cycles(read_bytes: f64, elements: f64, write_bytes: f64, parameters: &Parameters) -> f64 {
    let fed = parameters.command_cycles;
    Free::at(fed).math_token(&Steps::math(read_bytes, elements, write_bytes, parameters), fed)
}

/// One command: a product with its prologue and epilogue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Composite {
    product: Product,
    prologue: u64,
    epilogue: u64,
}

/// Equal products at the same place among the products of their operator.
struct Run {
    layer: Layer,
    index: usize,
    first: bool,
    last: bool,
    times: u64,
}

impl Layers<'_> {
    /// Cycles by the closed form: the sum of the commands, each alone.
    ///
    /// Every command of an operator is regular, whatever the depth of the queues: its operations form a chain, and the
    /// only thing that waits for room in a queue is the product behind a longer prologue. So this equals
    /// [`Layers::simulated`] where commands wait for each other: with one block of rows, or where blocks are not
    /// independent. Independent blocks overlap; their sum is what they take without that. Allocates nothing.
    ///
    /// # Errors
    /// A tile that needs more than 2^53 cycles.
    pub fn closed_cycles(&self, parameters: &Parameters) -> Result<f64, SystolicError> {
        let mut cycles = 0.0;
        self.each_run(|run| {
            let (whole, rest) = self.blocks(&run.layer);
            let mut all = 0.0;
            if whole > 0 {
                all += whole as f64 * self.composite(&run, self.command_rows).cycles(parameters)?;
            }
            if rest > 0 {
                all += self.composite(&run, rest).cycles(parameters)?;
            }
            cycles += run.times as f64 * all;
            Ok(())
        })?;
        Ok(cycles)
    }

    /// Cycles by the event simulation of all commands.
    ///
    /// # Errors
    /// A tile that the array cannot take, too many commands or tokens.
    pub fn simulated(&self, parameters: &Parameters) -> Result<f64, SimulationError> {
        let mut runs = Vec::new();
        self.each_run(|run| {
            runs.push(run);
            Ok(())
        })?;
        let blocks = |run: &Run| run.layer.m.div_ceil(self.command_rows);
        let tokens = |run: &Run| {
            let tiles = |extent: u64, tile: u64| extent.div_ceil(tile.min(extent));
            let rows = tiles(run.layer.m, parameters.tile_m.min(self.command_rows)).saturating_add(blocks(run));
            let products = rows.saturating_mul(tiles(run.layer.k, parameters.tile_k));
            let products = products.saturating_mul(tiles(run.layer.n, parameters.tile_n));
            let others = (run.layer.prologue + run.layer.epilogue).saturating_mul(blocks(run));
            run.times.saturating_mul(products.saturating_add(others))
        };
        let commands = runs.iter().map(|run| blocks(run).saturating_mul(run.times)).fold(0, u64::saturating_add);
        check_tokens(commands, runs.iter().map(tokens).fold(0, u64::saturating_add))?;
        let mut known: HashMap<(usize, bool, bool, u64), Rc<[Operation]>> = HashMap::new();
        let mut plans: Vec<Planned> = Vec::with_capacity(commands as usize);
        let most = runs.iter().map(blocks).max().unwrap_or(0);
        for block in 0..most {
            for run in runs.iter().filter(|run| block < blocks(run)) {
                let rows = self.command_rows.min(run.layer.m - block * self.command_rows);
                let operations = match known.get(&(run.index, run.first, run.last, rows)) {
                    Some(operations) => Rc::clone(operations),
                    None => {
                        let operations: Rc<[Operation]> = self.composite(run, rows).operations(parameters)?.into();
                        known.insert((run.index, run.first, run.last, rows), Rc::clone(&operations));
                        operations
                    }
                };
                for _ in 0..run.times {
                    // What the commands of a block hand on is one handle; dependent blocks share it.
                    let handle = TensorId(if self.independent { block as u32 } else { 0 });
                    plans.push(Planned::new(Rc::clone(&operations), Access::to(plans.len() as u32, handle)));
                }
            }
        }
        Ok(run_planned(plans, parameters, Hazards::Tracked, false).cycles)
    }

    /// Whole blocks of rows, and the rows that are left.
    fn blocks(&self, layer: &Layer) -> (u64, u64) {
        (layer.m / self.command_rows, layer.m % self.command_rows)
    }

    /// Calls `visit` with the products in their order, equal ones together.
    fn each_run(&self, mut visit: impl FnMut(Run) -> Result<(), SystolicError>) -> Result<(), SystolicError> {
        let work = || self.layers.iter().enumerate().filter(|(_, layer)| !layer.is_nothing());
        let Some((first, _)) = work().next() else { return Ok(()) };
        let last = work().next_back().map_or(first, |(last, _)| last);
        for (index, layer) in work() {
            let (leads, ends) = (index == first, index == last);
            let run = |first, last, times| Run { layer: *layer, index, first, last, times };
            if layer.times == 1 {
                visit(run(leads, ends, 1))?;
                continue;
            }
            let apart = u64::from(leads) + u64::from(ends);
            if leads {
                visit(run(true, false, 1))?;
            }
            if layer.times > apart {
                visit(run(false, false, layer.times - apart))?;
            }
            if ends {
                visit(run(false, true, 1))?;
            }
        }
        Ok(())
    }

    fn composite(&self, run: &Run, rows: u64) -> Composite {
        let moved = |resident: bool| if resident { 0.0 } else { self.element_bytes };
        let Resident { input, weights, between, output } = self.resident;
        let bytes = [
            moved(if run.first { input } else { between }),
            moved(weights),
            moved(if run.last { output } else { between }),
        ];
        let Layer { k, n, prologue, epilogue, .. } = run.layer;
        Composite { product: Product { m: rows, k, n, bytes, accumulate: false }, prologue, epilogue }
    }
}

impl Composite {
    /// Each operation of the prologue, and each of the epilogue: they take in and give the whole tensor.
    fn around(&self, parameters: &Parameters) -> [Steps; 2] {
        let Product { m, k, n, bytes: [input, _, output], .. } = self.product;
        [(k, input), (n, output)].map(|(columns, bytes)| {
            let elements = m as f64 * columns as f64;
            Steps::math(elements * bytes, elements, elements * bytes, parameters)
        })
    }

    /// Cycles of the command alone.
    fn cycles(&self, parameters: &Parameters) -> Result<f64, SystolicError> {
        let tiles = Tiles::new(&self.product, parameters)?;
        let [before, after] = self.around(parameters);
        let fed = parameters.command_cycles;
        let (mut free, mut done) = (Free::at(fed), fed);
        // Operations that read wait for each other to read, those that do not fill the queue of the math engine: the
        // product is fed when the last of them has found room there, that is, when this one starts.
        let makes_room = self.prologue.saturating_sub(1 + u64::from(parameters.queue_depth));
        for index in 0..self.prologue {
            let holds = if before.read.is_some() { index > 0 } else { index == makes_room };
            if holds {
                free.hold_reads(done);
            }
            done = free.math_token(&before, done);
        }
        if self.prologue > 0 && before.read.is_some() {
            free.hold_reads(done);
        }
        done = free.product(&tiles, done);
        for _ in 0..self.epilogue {
            if after.read.is_some() {
                free.hold_reads(done);
            }
            done = free.math_token(&after, done);
        }
        Ok(done)
    }

    /// The same command for the simulation.
    fn operations(&self, parameters: &Parameters) -> Result<Vec<Operation>, SystolicError> {
        let tiles = Tiles::new(&self.product, parameters)?;
        let [before, after] = self.around(parameters);
        let prologue = std::iter::repeat_n((Kind::Math(before), before.read.is_some()), self.prologue as usize);
        let product = (Kind::Gemm(Box::new(tiles)), self.prologue > 0 && before.read.is_some());
        let epilogue = std::iter::repeat_n((Kind::Math(after), after.read.is_some()), self.epilogue as usize);
        let all = prologue.chain([product]).chain(epilogue).enumerate();
        Ok(all
            .map(|(index, (kind, held))| Operation {
                waits: (0..index as u32).collect(),
                waits_to_read: held && index > 0,
                kind,
            })
            .collect())
    }
}
