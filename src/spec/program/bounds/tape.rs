//! The flat list of enclosures and its evaluation.

use std::sync::Arc;

use super::interval::{Interval, enclose};
use crate::spec::expr::Function;
use crate::spec::program::{
    BinningTiles, Columns, LargeModelRef, MAX_ARGUMENTS, MAX_OUTPUTS, ModelRef, Place, Program, State, TileTable,
};

/// Where an enclosure is found after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// A register.
    Scalar(u32),
    /// A column, one enclosure per tile.
    Column(u32),
    /// A measured field of the binning in force: exact.
    Field(u32),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    Apply(Function),
    Whole,
    Least,
    Most,
    Lookup(u32),
    SumTiles,
    MaxTiles,
    Model(u32),
    LargeModel(u32),
    Kernel,
    /// The first operand, or the part of it that lies in the second one widened by [`REWRITING_SLACK`] if none of these
    /// atoms can be negative.
    Meet {
        first: u32,
        count: u32,
    },
}

/// Relative error by which a rewritten expression may differ from the original. Both are sums of products of numbers that
/// are not negative, so every rounding costs at most 2^-53 and nothing cancels; fewer than 40,000 roundings stay below.
pub(super) const REWRITING_SLACK: f64 = 1e-11;

#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub operation: Operation,
    pub to: Slot,
    pub from: [Slot; 3],
    /// Bit `k`: hangs on axis `k`.
    pub axes: u64,
}

/// What a larger input does to the length of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Never shorter.
    Longer,
    /// Never longer.
    Shorter,
    /// Anything: nothing is known unless the input is one number.
    Unknown,
}

/// Encloses the outputs of a [`Kernel`](crate::spec::program::Kernel) over boxes of its inputs.
pub trait KernelBounds {
    /// Every input that is known to make the outputs longer has its lower end in `fast` and its upper end in `slow`, the
    /// others the other way round. `exact`: both are the same point.
    fn bounds(&mut self, fast: Columns<'_>, slow: Columns<'_>, exact: bool, outputs: &mut [Interval]);
}

/// For graphs without a kernel.
impl KernelBounds for () {
    fn bounds(&mut self, _: Columns<'_>, _: Columns<'_>, _: bool, _: &mut [Interval]) {}
}

/// A graph's enclosures as a flat list.
#[derive(Debug, Default)]
pub struct Tape {
    pub(super) steps: Vec<Step>,
    pub(super) initial: Vec<Interval>,
    pub(super) columns: usize,
    pub(super) axes: Vec<Option<u32>>,
    pub(super) tables: Vec<Arc<[f64]>>,
    pub(super) models: Vec<ModelRef>,
    /// Each with its arguments.
    pub(super) large_models: Vec<(LargeModelRef, Vec<Slot>)>,
    pub(super) atoms: Vec<Slot>,
    pub(super) tiles: Arc<TileTable>,
    pub(super) binning: Option<Slot>,
    /// Steps up to the one that gives the binning.
    pub(super) binning_steps: usize,
    pub(super) kernel_inputs: Vec<(Slot, Place, Direction)>,
    pub(super) kernel_outputs: Vec<u32>,
    pub(super) outputs: Vec<Slot>,
}

/// Registers of one evaluator of boxes.
pub struct TapeState {
    registers: Vec<Interval>,
    columns: Vec<Vec<Interval>>,
    /// Ends of the kernel's inputs that make it fastest and slowest.
    fast: State,
    slow: State,
    outputs: Vec<Interval>,
    /// The registers hold a box in full.
    complete: bool,
}

impl Tape {
    /// A fresh state; `program` is the one that the kernel is bound to.
    pub fn state(&self, program: &Program) -> TapeState {
        TapeState {
            registers: self.initial.clone(),
            columns: vec![Vec::new(); self.columns],
            fast: program.state(),
            slow: program.state(),
            outputs: vec![Interval::EMPTY; self.outputs.len()],
            complete: false,
        }
    }

    /// Sets the interval of each axis and encloses the outputs, in the order in which they were asked for.
    pub fn run<'s>(
        &self,
        state: &'s mut TapeState,
        program: &Program,
        kernel: &mut impl KernelBounds,
        axes: &[Interval],
    ) -> &'s [Interval] {
        let mut changed = if state.complete { 0 } else { u64::MAX };
        for (axis, (register, interval)) in self.axes.iter().zip(axes).enumerate() {
            if let Some(register) = register {
                let old = &mut state.registers[*register as usize];
                if *old != *interval {
                    *old = *interval;
                    changed |= 1 << axis;
                }
            }
        }
        let (before, after) = self.steps.split_at(self.binning_steps);
        let binnings = match self.binning {
            None => 0..1,
            Some(binning) => {
                self.run_steps(state, program, kernel, before, changed, None);
                let found = scalar(state, binning).whole();
                let last = self.tiles.binnings.len() as f64 - 1.0;
                let found = found.meet(Interval::new(0.0, last));
                if found.is_empty() { 0..0 } else { found.lo as usize..found.hi as usize + 1 }
            }
        };
        state.complete = binnings.len() == 1;
        if binnings.len() > 1 {
            changed = u64::MAX;
        }
        state.outputs.fill(Interval::EMPTY);
        // A box with several binnings is the union of one box for each.
        for binning in binnings {
            if let Some(Slot::Scalar(at)) = self.binning {
                state.registers[at as usize] = Interval::point(binning as f64);
                program.set_binning(&mut state.fast, binning as f64);
                program.set_binning(&mut state.slow, binning as f64);
            }
            self.run_steps(state, program, kernel, after, changed, self.tiles.binnings.get(binning));
            for (at, slot) in self.outputs.iter().enumerate() {
                state.outputs[at] = state.outputs[at].hull(scalar(state, *slot));
            }
        }
        &state.outputs
    }

    fn run_steps(
        &self,
        state: &mut TapeState,
        program: &Program,
        kernel: &mut impl KernelBounds,
        steps: &[Step],
        changed: u64,
        tiles: Option<&BinningTiles>,
    ) {
        for step in steps {
            if changed != u64::MAX && step.axes & changed == 0 {
                continue;
            }
            match (step.operation, step.to) {
                (Operation::Kernel, _) => self.run_kernel(state, program, kernel, tiles),
                (Operation::SumTiles, Slot::Scalar(to)) => {
                    state.registers[to as usize] = sum(View::of(state, tiles, step.from[0]), tiles);
                }
                (Operation::MaxTiles, Slot::Scalar(to)) => {
                    state.registers[to as usize] = greatest(View::of(state, tiles, step.from[0]), tiles);
                }
                (Operation::LargeModel(model), Slot::Scalar(to)) => {
                    state.registers[to as usize] = self.large_model(state, model, tiles, 0);
                }
                (Operation::LargeModel(model), Slot::Column(to)) => {
                    let mut column = std::mem::take(&mut state.columns[to as usize]);
                    column.clear();
                    let count = tiles.map_or(0, |tiles| tiles.count);
                    column.extend((0..count).map(|tile| self.large_model(state, model, tiles, tile)));
                    state.columns[to as usize] = column;
                }
                (_, Slot::Scalar(to)) => {
                    let [a, b, c] = step.from.map(|slot| scalar(state, slot));
                    state.registers[to as usize] =
                        self.enclose(step.operation, a, b, c, |slot| View::of(state, tiles, slot).not_negative());
                }
                (_, Slot::Column(to)) => self.run_column(state, step, to as usize, tiles),
                (_, Slot::Field(_)) => {}
            }
        }
    }

    #[inline]
    fn enclose(
        &self,
        operation: Operation,
        a: Interval,
        b: Interval,
        c: Interval,
        not_negative: impl Fn(Slot) -> bool,
    ) -> Interval {
        match operation {
            Operation::Apply(function) => enclose(function, a, b, c),
            Operation::Whole => a.whole(),
            Operation::Least if b.is_empty() => Interval::EMPTY,
            Operation::Least => a.meet(Interval { lo: b.lo, hi: f64::INFINITY }),
            Operation::Most if b.is_empty() => Interval::EMPTY,
            Operation::Most => a.meet(Interval { lo: f64::NEG_INFINITY, hi: b.hi }),
            Operation::Lookup(table) => entries(&self.tables[table as usize], a),
            Operation::Meet { first, count } => {
                if a.is_empty() || a.is_point() {
                    return a;
                }
                let atoms = &self.atoms[first as usize..(first + count) as usize];
                if atoms.iter().all(|atom| not_negative(*atom)) { a.meet(b.widened(REWRITING_SLACK)) } else { a }
            }
            Operation::Model(model) if [a, b, c].iter().all(|argument| !argument.is_empty()) => {
                self.models[model as usize].0.bounds([a, b, c])
            }
            Operation::Model(_) => Interval::EMPTY,
            Operation::SumTiles | Operation::MaxTiles | Operation::LargeModel(_) | Operation::Kernel => Interval::ALL,
        }
    }

    /// The enclosure of a large model at a tile.
    fn large_model(&self, state: &TapeState, model: u32, tiles: Option<&BinningTiles>, tile: usize) -> Interval {
        let (model, slots) = &self.large_models[model as usize];
        let mut arguments = [Interval::EMPTY; MAX_ARGUMENTS];
        for (argument, slot) in arguments.iter_mut().zip(slots) {
            *argument = View::of(state, tiles, *slot).at(tile);
            if argument.is_empty() {
                return Interval::EMPTY;
            }
        }
        model.0.bounds(&arguments[..slots.len().min(MAX_ARGUMENTS)])
    }

    fn run_column(&self, state: &mut TapeState, step: &Step, to: usize, tiles: Option<&BinningTiles>) {
        let mut column = std::mem::take(&mut state.columns[to]);
        column.clear();
        let count = tiles.map_or(0, |tiles| tiles.count);
        let [a, b, c] = step.from.map(|slot| View::of(state, tiles, slot));
        column.extend((0..count).map(|tile| {
            self.enclose(step.operation, a.at(tile), b.at(tile), c.at(tile), |slot| {
                View::of(state, tiles, slot).at(tile).lo >= 0.0
            })
        }));
        state.columns[to] = column;
    }

    fn run_kernel(
        &self,
        state: &mut TapeState,
        program: &Program,
        kernel: &mut impl KernelBounds,
        tiles: Option<&BinningTiles>,
    ) {
        let mut outputs = [Interval::EMPTY; MAX_OUTPUTS];
        let (mut exact, mut known, mut sound) = (true, true, true);
        for (slot, place, direction) in &self.kernel_inputs {
            let mut write = |at: usize, bounds: Interval| {
                exact &= bounds.is_point();
                known &= bounds.is_point() || *direction != Direction::Unknown;
                known &= bounds.lo.is_finite() && bounds.hi.is_finite();
                sound &= !bounds.is_empty();
                let (fast, slow) =
                    if *direction == Direction::Shorter { (bounds.hi, bounds.lo) } else { (bounds.lo, bounds.hi) };
                state.fast.write(*place, at, fast);
                state.slow.write(*place, at, slow);
            };
            match slot {
                Slot::Scalar(at) => write(0, state.registers[*at as usize]),
                Slot::Column(at) => {
                    state.columns[*at as usize].iter().enumerate().for_each(|(tile, bounds)| write(tile, *bounds));
                }
                // The field of the binning in force is read from the measurements themselves.
                Slot::Field(field) => {
                    sound &= tiles.is_some_and(|tiles| tiles.fields.get(*field as usize).is_some());
                }
            }
        }
        if sound && known {
            let (fast, slow) = (program.columns(&state.fast), program.columns(&state.slow));
            kernel.bounds(fast, slow, exact, &mut outputs[..self.kernel_outputs.len()]);
        } else if sound {
            outputs.fill(Interval { lo: 0.0, hi: f64::INFINITY });
        }
        for (register, output) in self.kernel_outputs.iter().zip(outputs) {
            state.registers[*register as usize] = output;
        }
    }
}

/// The values of a slot by tile.
enum View<'a> {
    One(Interval),
    Column(&'a [Interval]),
    Field(&'a [f64]),
}

impl<'a> View<'a> {
    fn of(state: &'a TapeState, tiles: Option<&'a BinningTiles>, slot: Slot) -> Self {
        match slot {
            Slot::Scalar(at) => Self::One(state.registers[at as usize]),
            Slot::Column(at) => Self::Column(&state.columns[at as usize]),
            Slot::Field(at) => Self::Field(tiles.and_then(|tiles| tiles.fields.get(at as usize)).map_or(&[], |f| f)),
        }
    }

    #[inline]
    fn at(&self, tile: usize) -> Interval {
        match self {
            Self::One(value) => *value,
            Self::Column(values) => values.get(tile).copied().unwrap_or(Interval::EMPTY),
            Self::Field(values) => values.get(tile).map_or(Interval::EMPTY, |value| Interval::point(*value)),
        }
    }

    fn not_negative(&self) -> bool {
        match self {
            Self::One(value) => value.lo >= 0.0,
            Self::Column(values) => values.iter().all(|value| value.lo >= 0.0),
            Self::Field(values) => values.iter().all(|value| *value >= 0.0),
        }
    }
}

fn scalar(state: &TapeState, slot: Slot) -> Interval {
    match slot {
        Slot::Scalar(at) => state.registers[at as usize],
        _ => Interval::ALL,
    }
}

/// In the order of the program's own sum, so that the ends enclose what it computes.
fn sum(view: View<'_>, tiles: Option<&BinningTiles>) -> Interval {
    let count = tiles.map_or(0, |tiles| tiles.count);
    let mut parts = [Interval::point(0.0); 8];
    let mut rest = Interval::point(0.0);
    let whole = count - count % 8;
    for tile in 0..count {
        let value = view.at(tile);
        if value.is_empty() {
            return Interval::EMPTY;
        }
        let part = if tile < whole { &mut parts[tile % 8] } else { &mut rest };
        *part = Interval::new(part.lo + value.lo, part.hi + value.hi);
    }
    let total = parts.iter().fold(Interval::point(0.0), |a, b| Interval::new(a.lo + b.lo, a.hi + b.hi));
    Interval::new(total.lo + rest.lo, total.hi + rest.hi)
}

/// Encloses the greatest value of a column.
fn greatest(view: View<'_>, tiles: Option<&BinningTiles>) -> Interval {
    let mut greatest = Interval { lo: f64::NEG_INFINITY, hi: f64::NEG_INFINITY };
    for tile in 0..tiles.map_or(0, |tiles| tiles.count) {
        let value = view.at(tile);
        if value.is_empty() {
            return Interval::EMPTY;
        }
        greatest = Interval { lo: greatest.lo.max(value.lo), hi: greatest.hi.max(value.hi) };
    }
    greatest
}

/// The entries of a table at the whole indices of an interval.
fn entries(table: &[f64], at: Interval) -> Interval {
    if at.is_empty() || at.hi < 0.0 {
        return Interval::EMPTY;
    }
    let first = (at.lo.max(0.0) as usize).min(table.len());
    let last = (at.hi as usize).saturating_add(1).min(table.len());
    table[first..last.max(first)].iter().fold(Interval::EMPTY, |all, entry| all.hull(Interval::point(*entry)))
}
