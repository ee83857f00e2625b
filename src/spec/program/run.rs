//! The flat program and its evaluation.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::apply::apply;
use super::column::{apply_columns, fill, greatest, sum};
use super::graph::{Graph, NodeId, Operation, TileTable, check, lookup, operands};
use super::state::{Columns, Place, State};
use crate::spec::expr::Function;

/// Defines the codes of instructions and what the scalar ones compute: one jump for each.
macro_rules! opcodes {
    (one: $($one:ident)*; two: $($two:ident)*) => {
        /// What an instruction does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Opcode {
            $($one,)*
            $($two,)*
            If,
            CheckWhole,
            CheckLeast,
            CheckMost,
            /// The table's index stands in the place of the third operand.
            Lookup,
            Missing,
            SumTiles,
            MaxTiles,
            Model,
            /// The list of places stands in the place of the third operand.
            LargeModel,
            Kernel,
            /// Fills a column; the operation says how.
            Column,
        }

        impl Opcode {
            fn of(function: Function) -> Self {
                match function {
                    $(Function::$one => Self::$one,)*
                    $(Function::$two => Self::$two,)*
                    Function::If => Self::If,
                }
            }
        }

        /// The value of an instruction that reads registers only; `None` for the others.
        #[inline(always)]
        fn scalar_value(instruction: &Instruction, registers: &[f64], tables: &[Arc<[f64]>]) -> Option<f64> {
            let [a, b, c] = instruction.from;
            let at = |register: u32| registers[register as usize];
            Some(match instruction.code {
                $(Opcode::$one => apply(Function::$one, at(a), 0.0, 0.0),)*
                $(Opcode::$two => apply(Function::$two, at(a), at(b), 0.0),)*
                Opcode::If => apply(Function::If, at(a), at(b), at(c)),
                Opcode::CheckWhole => check(at(a), |a| a.fract() == 0.0),
                Opcode::CheckLeast => check(at(a), |a| a >= at(b)),
                Opcode::CheckMost => check(at(a), |a| a <= at(b)),
                Opcode::Lookup => lookup(&tables[c as usize], at(a)),
                Opcode::Missing => f64::NAN,
                Opcode::SumTiles
                | Opcode::MaxTiles
                | Opcode::Model
                | Opcode::LargeModel
                | Opcode::Kernel
                | Opcode::Column => return None,
            })
        }
    };
}

opcodes! {
    one: Neg Not Ceil Floor Round Sqrt Log2 Abs;
    two: Add Sub Mul Div Rem Pow And Or Eq Ne Lt Le Min Max
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    code: Opcode,
    /// Register or column.
    to: u32,
    /// Registers of the operands; 0 where an operand is none.
    from: [u32; 3],
}

impl Instruction {
    /// Where the result goes.
    pub fn to(&self) -> Place {
        if self.code == Opcode::Column { Place::Column(self.to) } else { Place::Scalar(self.to) }
    }
}

/// The live part of a graph, ready to run.
pub struct Program {
    pub(super) instructions: Vec<Instruction>,
    /// Places of each instruction's operands, apart from what the scalar ones need.
    pub(super) operands: Vec<[Place; 3]>,
    /// `starts[k]`: the first instruction that depends on axis `k` or a faster one.
    starts: Vec<usize>,
    tables: Vec<Arc<[f64]>>,
    /// Arguments of the large models.
    lists: Vec<Vec<Place>>,
    tiles: Arc<TileTable>,
    /// Register of each axis; `None` if nothing depends on it.
    axis_registers: Vec<Option<u32>>,
    /// Constants at their registers.
    initial: Vec<f64>,
    columns: usize,
    binning: Option<Place>,
    places: HashMap<NodeId, Place>,
    pub(super) kernel_inputs: Vec<Place>,
    /// Registers of the kernel's outputs.
    kernel_outputs: Vec<u32>,
    pub(super) origins: Vec<Option<Arc<super::Origin>>>,
    pub(super) operations: Vec<Operation>,
    /// Checks that hold at every point: their place is their operand's.
    passed: HashSet<NodeId>,
}

/// A computation in the middle of a program that is more than an expression: the schedule.
pub trait Kernel {
    /// Reads its inputs from `columns` and writes its outputs.
    fn run(&mut self, columns: Columns<'_>, outputs: &mut [f64]);
}

/// For programs without a kernel.
impl Kernel for () {
    fn run(&mut self, _: Columns<'_>, _: &mut [f64]) {}
}

/// Most outputs of a kernel.
pub const MAX_OUTPUTS: usize = 8;

impl Program {
    /// Flattens what `outputs` and the kernel need. `binning` selects the measured fields of `tiles`; `kernel_outputs`
    /// are the nodes of the kernel's outputs, in their order. The checks among `passed` are known to hold at every point
    /// and cost nothing.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        graph: &Graph,
        axes: usize,
        outputs: &[NodeId],
        kernel_inputs: &[NodeId],
        kernel_outputs: &[NodeId],
        tiles: Arc<TileTable>,
        binning: Option<NodeId>,
        passed: &HashSet<NodeId>,
    ) -> Self {
        debug_assert!(kernel_outputs.len() <= MAX_OUTPUTS);
        let roots: Vec<NodeId> =
            outputs.iter().chain(kernel_inputs).chain(kernel_outputs).chain(binning.as_ref()).copied().collect();
        let live = live_nodes(graph, &roots);
        let mut program = Self {
            instructions: Vec::new(),
            operands: Vec::new(),
            starts: vec![0; axes + 1],
            tables: Vec::new(),
            lists: Vec::new(),
            tiles,
            axis_registers: vec![None; axes],
            initial: Vec::new(),
            columns: 0,
            binning: None,
            places: HashMap::new(),
            kernel_inputs: Vec::new(),
            kernel_outputs: Vec::new(),
            origins: Vec::new(),
            operations: Vec::new(),
            passed: passed.clone(),
        };
        for id in &live {
            program.place(graph, *id);
        }
        program.kernel_inputs = kernel_inputs.iter().map(|id| program.places[id]).collect();
        program.kernel_outputs = kernel_outputs
            .iter()
            .filter_map(|id| match program.places[id] {
                Place::Scalar(register) => Some(register),
                _ => None,
            })
            .collect();
        program.binning = binning.map(|id| program.places[&id]);
        let first_output = kernel_outputs.first().copied();
        let mut order: Vec<(usize, NodeId)> = live.into_iter().map(|id| (level(graph, id), id)).collect();
        // Ids grow from operands to results, and a result's level is at least each operand's.
        order.sort_unstable();
        let mut levels = Vec::new();
        for (level, id) in order {
            if let Some((instruction, operands)) = program.instruction(graph, id, first_output) {
                program.instructions.push(instruction);
                program.operands.push(operands);
                program.origins.push(graph.node(id).origin.clone());
                program.operations.push(graph.node(id).operation.clone());
                levels.push(level);
            }
        }
        for (axis, start) in program.starts.iter_mut().enumerate() {
            *start = levels.partition_point(|level| *level <= axis);
        }
        program
    }

    fn place(&mut self, graph: &Graph, id: NodeId) {
        let node = graph.node(id);
        let place = match &node.operation {
            Operation::TileField(field, _) => Place::Field(*field as u32),
            // Operands have lower ids and are placed already.
            Operation::CheckWhole(operand) | Operation::CheckLeast(operand, _) | Operation::CheckMost(operand, _)
                if self.passed.contains(&id) =>
            {
                self.places[operand]
            }
            _ if node.tiled => {
                self.columns += 1;
                Place::Column(self.columns as u32 - 1)
            }
            operation => {
                let register = self.initial.len() as u32;
                self.initial.push(match operation {
                    Operation::Constant(value) => *value,
                    _ => f64::NAN,
                });
                if let Operation::Axis(index) = operation {
                    self.axis_registers[*index] = Some(register);
                }
                Place::Scalar(register)
            }
        };
        self.places.insert(id, place);
    }

    fn instruction(
        &mut self,
        graph: &Graph,
        id: NodeId,
        first_output: Option<NodeId>,
    ) -> Option<(Instruction, [Place; 3])> {
        let operation = &graph.node(id).operation;
        let to = self.places[&id];
        let operands = operands(operation);
        let places: [Place; 3] = std::array::from_fn(|at| {
            operands.get(at).or(operands.last()).map_or(Place::Scalar(0), |id| self.places[id])
        });
        let mut from = places.map(|place| match place {
            Place::Scalar(register) => register,
            _ => 0,
        });
        if let Operation::LargeModel(_, arguments) = operation {
            self.lists.push(arguments.iter().map(|id| self.places[id]).collect());
            from[2] = self.lists.len() as u32 - 1;
        }
        let code = match operation {
            Operation::Constant(_) | Operation::Axis(_) | Operation::TileField(..) => return None,
            Operation::Kernel(_) if Some(id) != first_output => return None,
            Operation::CheckWhole(_) | Operation::CheckLeast(..) | Operation::CheckMost(..)
                if self.passed.contains(&id) =>
            {
                return None;
            }
            Operation::Kernel(_) => Opcode::Kernel,
            Operation::SumTiles(_) => Opcode::SumTiles,
            Operation::MaxTiles(_) => Opcode::MaxTiles,
            _ if matches!(to, Place::Column(_)) => Opcode::Column,
            Operation::Apply(function, _) => Opcode::of(*function),
            Operation::CheckWhole(_) => Opcode::CheckWhole,
            Operation::CheckLeast(..) => Opcode::CheckLeast,
            Operation::CheckMost(..) => Opcode::CheckMost,
            Operation::Missing => Opcode::Missing,
            Operation::Model(..) => Opcode::Model,
            Operation::LargeModel(..) => Opcode::LargeModel,
            Operation::Lookup(table, _) => {
                self.tables.push(Arc::clone(table));
                from[2] = self.tables.len() as u32 - 1;
                Opcode::Lookup
            }
        };
        let to = match to {
            Place::Scalar(at) | Place::Column(at) | Place::Field(at) => at,
        };
        Some((Instruction { code, to, from }, places))
    }

    /// Where a node's value will be found. The node must have been among the outputs.
    pub fn place_of(&self, id: NodeId) -> Option<Place> {
        self.places.get(&id).copied()
    }

    /// A fresh state; everything that evaluations need is allocated here.
    pub fn state(&self) -> State {
        let tiles = self.tiles.max_tiles();
        State {
            registers: self.initial.clone(),
            columns: (0..self.columns).map(|_| Vec::with_capacity(tiles)).collect(),
        }
    }

    /// Sets the value of an axis.
    #[inline]
    pub fn set_axis(&self, state: &mut State, axis: usize, value: f64) {
        if let Some(register) = self.axis_registers[axis] {
            state.registers[register as usize] = value;
        }
    }

    /// Runs what depends on axis `slowest` or a faster one; `None`: everything.
    pub fn run(&self, state: &mut State, slowest: Option<usize>, kernel: &mut impl Kernel) {
        let start = slowest.map_or(0, |axis| self.starts[axis]);
        for (at, instruction) in self.instructions.iter().enumerate().skip(start) {
            match scalar_value(instruction, &state.registers, &self.tables) {
                Some(value) => state.registers[instruction.to as usize] = value,
                None => self.run_wide(state, at, instruction, kernel),
            }
        }
    }

    /// Runs an instruction that reads or writes more than registers.
    fn run_wide(&self, state: &mut State, at: usize, instruction: &Instruction, kernel: &mut impl Kernel) {
        let to = instruction.to as usize;
        match instruction.code {
            Opcode::Kernel => {
                let mut outputs = [f64::NAN; MAX_OUTPUTS];
                kernel.run(self.columns(state), &mut outputs);
                for (register, output) in self.kernel_outputs.iter().zip(outputs) {
                    state.registers[*register as usize] = output;
                }
            }
            Opcode::SumTiles => {
                let total = sum(self.columns(state).get(self.operands[at][0]));
                state.registers[to] = total;
            }
            Opcode::MaxTiles => {
                let most = greatest(self.columns(state).get(self.operands[at][0]));
                state.registers[to] = most;
            }
            Opcode::Model => {
                if let Operation::Model(model, _) = &self.operations[at] {
                    let arguments = instruction.from.map(|register| state.registers[register as usize]);
                    state.registers[to] = model.0.value(arguments);
                }
            }
            Opcode::LargeModel => {
                if let Operation::LargeModel(model, _) = &self.operations[at] {
                    let columns = self.columns(state);
                    let arguments = self.arguments(at).iter().map(|place| columns.scalar(*place));
                    let value = model.value(arguments);
                    state.registers[to] = value;
                }
            }
            _ => self.run_column(state, at, to),
        }
    }

    /// Places of the operands of an instruction, the last one repeated up to three.
    pub(super) fn arguments(&self, at: usize) -> &[Place] {
        match &self.operations[at] {
            Operation::LargeModel(..) => &self.lists[self.instructions[at].from[2] as usize],
            _ => &self.operands[at],
        }
    }

    /// Read access to all values.
    pub fn columns<'a>(&'a self, state: &'a State) -> Columns<'a> {
        let index = match self.binning {
            Some(Place::Scalar(at)) => state.registers[at as usize],
            _ => f64::NAN,
        };
        let binning = if index >= 0.0 { self.tiles.binnings.get(index as usize) } else { None };
        Columns { columns: &state.columns, binning, registers: &state.registers }
    }

    /// Puts the binning of that index in force.
    pub(super) fn set_binning(&self, state: &mut State, index: f64) {
        if let Some(place @ Place::Scalar(_)) = self.binning {
            state.write(place, 0, index);
        }
    }

    /// The value at a scalar place.
    #[inline]
    pub fn scalar(&self, state: &State, place: Place) -> f64 {
        match place {
            Place::Scalar(at) => state.registers[at as usize],
            _ => f64::NAN,
        }
    }

    fn run_column(&self, state: &mut State, at: usize, to: usize) {
        let (operation, operands) = (&self.operations[at], &self.operands[at]);
        let mut column = std::mem::take(&mut state.columns[to]);
        column.clear();
        {
            let columns = self.columns(state);
            let tiles = columns.tiles();
            let [a, b, c] = operands.map(|place| columns.get(place));
            match operation {
                Operation::Apply(function, _) => apply_columns(*function, tiles, &mut column, a, b, c),
                Operation::CheckWhole(_) => fill(tiles, &mut column, a, b, c, |a, _, _| check(a, |a| a.fract() == 0.0)),
                Operation::CheckLeast(..) => fill(tiles, &mut column, a, b, c, |a, b, _| check(a, |a| a >= b)),
                Operation::CheckMost(..) => fill(tiles, &mut column, a, b, c, |a, b, _| check(a, |a| a <= b)),
                Operation::Model(model, _) => {
                    fill(tiles, &mut column, a, b, c, |a, b, c| model.0.value([a, b, c]));
                }
                Operation::LargeModel(model, _) => {
                    let places = self.arguments(at);
                    column.extend((0..tiles).map(|tile| {
                        let of_tile = |place: &Place| {
                            let values = columns.get(*place);
                            values.get(tile).or(values.first()).copied().unwrap_or(f64::NAN)
                        };
                        model.value(places.iter().map(of_tile))
                    }));
                }
                Operation::Lookup(table, _) => fill(tiles, &mut column, a, b, c, |a, _, _| lookup(table, a)),
                // The others are never columns.
                _ => column.resize(tiles, f64::NAN),
            }
        }
        state.columns[to] = column;
    }
}

/// The fastest-moving axis that a node depends on, from 1; 0 for none.
fn level(graph: &Graph, id: NodeId) -> usize {
    64 - graph.axes(id).leading_zeros() as usize
}

/// Everything that `roots` need, ids increasing.
fn live_nodes(graph: &Graph, roots: &[NodeId]) -> Vec<NodeId> {
    let mut live = std::collections::BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        if live.insert(id) {
            open.extend(operands(&graph.node(id).operation));
        }
    }
    live.into_iter().collect()
}
