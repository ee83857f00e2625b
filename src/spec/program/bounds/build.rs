//! From a graph to its tape.

use std::collections::HashMap;
use std::sync::Arc;

use super::interval::Interval;
use super::monomial::{Atom, AtomId, Expander, Term};
use super::tape::{Direction, Operation, Slot, Step, Tape};
use crate::spec::expr::Function;
use crate::spec::program::graph::Operation as Node;
use crate::spec::program::{Graph, NodeId, Place, Program, TileTable};

/// Compiles enclosures of `outputs`.
///
/// `program` is the program of the same graph; its kernel's inputs are `kernel_inputs`, each with what it does to the
/// kernel's outputs, of which there are `kernel_outputs`.
#[allow(clippy::too_many_arguments)]
pub fn compile_bounds(
    graph: &Graph,
    program: &Program,
    axes: usize,
    outputs: &[NodeId],
    kernel_inputs: &[(NodeId, Direction)],
    kernel_outputs: usize,
    tiles: Arc<TileTable>,
    binning: Option<NodeId>,
) -> Tape {
    let tape = Tape { axes: vec![None; axes], tiles, ..Tape::default() };
    let mut builder = Builder {
        graph,
        program,
        kernel_inputs,
        kernel_outputs,
        tape,
        slot_axes: HashMap::new(),
        plain: HashMap::new(),
        tight: HashMap::new(),
        atoms: HashMap::new(),
        shared: HashMap::new(),
        constants: HashMap::new(),
        kernel: None,
        expander: Expander::default(),
    };
    builder.tape.binning = binning.map(|id| builder.tight(id));
    builder.tape.binning_steps = builder.tape.steps.len();
    builder.tape.outputs = outputs.iter().map(|id| builder.tight(*id)).collect();
    builder.tape
}

struct Builder<'g> {
    graph: &'g Graph,
    program: &'g Program,
    kernel_inputs: &'g [(NodeId, Direction)],
    kernel_outputs: usize,
    tape: Tape,
    slot_axes: HashMap<Slot, u64>,
    /// Enclosures operation by operation.
    plain: HashMap<NodeId, Slot>,
    /// The best enclosures.
    tight: HashMap<NodeId, Slot>,
    /// Atoms that were written, each with everything inside that must not be negative.
    atoms: HashMap<AtomId, (Slot, Vec<Slot>)>,
    /// Operations of rewritten sums that were written already.
    shared: HashMap<(Function, Slot, Slot), Slot>,
    constants: HashMap<u64, Slot>,
    kernel: Option<u32>,
    expander: Expander,
}

impl Builder<'_> {
    /// The better of the enclosure operation by operation and that of the sum of monomials.
    fn tight(&mut self, id: NodeId) -> Slot {
        if let Some(slot) = self.tight.get(&id) {
            return *slot;
        }
        let mut slot = self.plain(id);
        let compound = matches!(
            self.graph.node(id).operation,
            Node::Apply(Function::Add | Function::Mul | Function::Div, _) | Node::SumTiles(_)
        );
        if compound
            && self.expander.gains(self.graph, id)
            && let Some(terms) = self.expander.expand(self.graph, id)
        {
            let mut atoms = Vec::new();
            let rewritten = self.sum(&terms, &mut atoms);
            atoms.sort_unstable_by_key(|slot| format!("{slot:?}"));
            atoms.dedup();
            let first = self.tape.atoms.len() as u32;
            self.tape.atoms.extend(&atoms);
            let meet = Operation::Meet { first, count: atoms.len() as u32 };
            slot = self.push(meet, [slot, rewritten, rewritten], self.graph.is_tiled(id));
        }
        self.tight.insert(id, slot);
        slot
    }

    fn plain(&mut self, id: NodeId) -> Slot {
        if let Some(slot) = self.plain.get(&id) {
            return *slot;
        }
        let tiled = self.graph.is_tiled(id);
        let slot = match self.graph.node(id).operation.clone() {
            Node::Constant(value) => self.constant(value),
            Node::Missing => self.constant(f64::NAN),
            Node::Axis(axis) => {
                let register = self.register(Interval::ALL);
                self.tape.axes[axis] = Some(register);
                self.slot_axes.insert(Slot::Scalar(register), 1 << axis);
                Slot::Scalar(register)
            }
            Node::Apply(function @ (Function::Add | Function::Mul | Function::Div), [a, b, _]) => {
                let (a, b) = (self.plain(a), self.plain(b));
                self.push(Operation::Apply(function), [a, b, b], tiled)
            }
            Node::Apply(function, operands) => {
                let from = operands.map(|operand| self.tight(operand));
                self.push(Operation::Apply(function), from, tiled)
            }
            Node::CheckWhole(a) => {
                let a = self.tight(a);
                self.push(Operation::Whole, [a, a, a], tiled)
            }
            Node::CheckLeast(a, b) => {
                let (a, b) = (self.tight(a), self.tight(b));
                self.push(Operation::Least, [a, b, b], tiled)
            }
            Node::CheckMost(a, b) => {
                let (a, b) = (self.tight(a), self.tight(b));
                self.push(Operation::Most, [a, b, b], tiled)
            }
            Node::Lookup(table, a) => {
                let a = self.tight(a);
                self.tape.tables.push(table);
                self.push(Operation::Lookup(self.tape.tables.len() as u32 - 1), [a, a, a], tiled)
            }
            Node::TileField(field, binning) => {
                let binning = self.tight(binning);
                let slot = Slot::Field(field as u32);
                self.slot_axes.insert(slot, self.axes_of(binning));
                slot
            }
            Node::SumTiles(a) => {
                let a = self.tight(a);
                self.push(Operation::SumTiles, [a, a, a], false)
            }
            Node::MaxTiles(a) => {
                let a = self.tight(a);
                self.push(Operation::MaxTiles, [a, a, a], false)
            }
            Node::Model(model, operands) => {
                let from = operands.map(|operand| self.tight(operand));
                self.tape.models.push(model);
                self.push(Operation::Model(self.tape.models.len() as u32 - 1), from, tiled)
            }
            Node::LargeModel(model, operands) => {
                let from: Vec<Slot> = operands.iter().map(|operand| self.tight(*operand)).collect();
                let axes = from.iter().fold(0, |axes, slot| axes | self.axes_of(*slot));
                let first = from.first().copied().unwrap_or_else(|| self.constant(0.0));
                self.tape.large_models.push((model, from));
                let slot = self.push(Operation::LargeModel(self.tape.large_models.len() as u32 - 1), [first; 3], tiled);
                // It hangs on more than the one operand that the step names.
                self.slot_axes.insert(slot, axes);
                if let Some(step) = self.tape.steps.last_mut() {
                    step.axes = axes;
                }
                slot
            }
            Node::Kernel(output) => Slot::Scalar(self.kernel() + output as u32),
        };
        self.plain.insert(id, slot);
        slot
    }

    /// The first register of the kernel's outputs.
    fn kernel(&mut self) -> u32 {
        if let Some(first) = self.kernel {
            return first;
        }
        let mut axes = 0;
        for (id, direction) in self.kernel_inputs {
            let slot = self.tight(*id);
            axes |= self.axes_of(slot);
            let place = self.program.place_of(*id).unwrap_or(Place::Scalar(0));
            self.tape.kernel_inputs.push((slot, place, *direction));
        }
        let outputs: Vec<u32> = (0..self.kernel_outputs).map(|_| self.register(Interval::EMPTY)).collect();
        let first = outputs.first().copied().unwrap_or(0);
        for output in &outputs {
            self.slot_axes.insert(Slot::Scalar(*output), axes);
        }
        self.tape.kernel_outputs = outputs;
        let slot = Slot::Scalar(first);
        self.tape.steps.push(Step { operation: Operation::Kernel, to: slot, from: [slot; 3], axes });
        self.kernel = Some(first);
        first
    }

    /// A sum of monomials; `atoms` collects everything that must not be negative.
    fn sum(&mut self, terms: &[Term], atoms: &mut Vec<Slot>) -> Slot {
        let mut total = None;
        for term in terms {
            let (above, below): (Vec<_>, Vec<_>) = term.factors.iter().partition(|(_, power)| *power > 0);
            let mut value = self.constant(term.coefficient());
            let (above, below) = (self.product(&above, atoms), self.product(&below, atoms));
            if let Some(above) = above {
                value = if term.coefficient() == 1.0 { above } else { self.apply(Function::Mul, value, above) };
            }
            if let Some(below) = below {
                value = self.apply(Function::Div, value, below);
            }
            total = Some(total.map_or(value, |total| self.apply(Function::Add, total, value)));
        }
        total.unwrap_or_else(|| self.constant(0.0))
    }

    fn product(&mut self, factors: &[(AtomId, i32)], atoms: &mut Vec<Slot>) -> Option<Slot> {
        let mut product = None;
        for (atom, power) in factors {
            let slot = self.atom(*atom, atoms);
            for _ in 0..power.abs() {
                product = Some(product.map_or(slot, |product| self.apply(Function::Mul, product, slot)));
            }
        }
        product
    }

    fn atom(&mut self, id: AtomId, atoms: &mut Vec<Slot>) -> Slot {
        if !self.atoms.contains_key(&id) {
            let mut inner = Vec::new();
            let slot = match self.expander.atoms[id as usize].clone() {
                Atom::Node(node) => self.tight(node),
                Atom::Sum(terms) => self.sum(&terms, &mut inner),
                Atom::TileSum(factors) => {
                    let (above, below): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(_, power)| *power > 0);
                    let one = self.constant(1.0);
                    let mut column = self.product(&above, &mut inner).unwrap_or(one);
                    if let Some(below) = self.product(&below, &mut inner) {
                        column = self.apply(Function::Div, column, below);
                    }
                    self.push(Operation::SumTiles, [column; 3], false)
                }
            };
            inner.push(slot);
            self.atoms.insert(id, (slot, inner));
        }
        let (slot, inner) = &self.atoms[&id];
        atoms.extend(inner);
        *slot
    }

    fn apply(&mut self, function: Function, a: Slot, b: Slot) -> Slot {
        let tiled = [a, b].iter().any(|slot| !matches!(slot, Slot::Scalar(_)));
        if let Some(slot) = self.shared.get(&(function, a, b)) {
            return *slot;
        }
        let slot = self.push(Operation::Apply(function), [a, b, b], tiled);
        self.shared.insert((function, a, b), slot);
        slot
    }

    fn push(&mut self, operation: Operation, from: [Slot; 3], tiled: bool) -> Slot {
        let to = if tiled {
            self.tape.columns += 1;
            Slot::Column(self.tape.columns as u32 - 1)
        } else {
            Slot::Scalar(self.register(Interval::EMPTY))
        };
        let axes = from.iter().fold(0, |axes, slot| axes | self.axes_of(*slot));
        self.slot_axes.insert(to, axes);
        self.tape.steps.push(Step { operation, to, from, axes });
        to
    }

    fn constant(&mut self, value: f64) -> Slot {
        if let Some(slot) = self.constants.get(&value.to_bits()) {
            return *slot;
        }
        let slot = Slot::Scalar(self.register(Interval::point(value)));
        self.constants.insert(value.to_bits(), slot);
        slot
    }

    fn register(&mut self, initial: Interval) -> u32 {
        self.tape.initial.push(initial);
        self.tape.initial.len() as u32 - 1
    }

    fn axes_of(&self, slot: Slot) -> u64 {
        self.slot_axes.get(&slot).copied().unwrap_or(0)
    }
}
