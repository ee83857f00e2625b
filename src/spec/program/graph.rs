//! The graph of operations while it is built.

use std::collections::HashMap;
use std::sync::Arc;

use super::apply::apply;
use super::model::{LargeModelRef, ModelRef};
use crate::spec::expr::Function;
use crate::spec::source::Span;

/// A node of a [`Graph`]. Ids grow from operands to results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// What a node computes.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// A constant.
    Constant(f64),
    /// The value of an axis.
    Axis(usize),
    /// A function of up to three nodes.
    Apply(Function, [NodeId; 3]),
    /// The first node if it is a whole number, else no value.
    CheckWhole(NodeId),
    /// The first node if it is at least the second, else no value.
    CheckLeast(NodeId, NodeId),
    /// The first node if it is at most the second, else no value.
    CheckMost(NodeId, NodeId),
    /// No value: a combination that was not measured.
    Missing,
    /// A table's entry at the index that the node gives.
    Lookup(Arc<[f64]>, NodeId),
    /// The field of each tile of the binning that the node gives.
    TileField(usize, NodeId),
    /// The sum of a column over its tiles.
    SumTiles(NodeId),
    /// The greatest value of a column.
    MaxTiles(NodeId),
    /// The answer of a model.
    Model(ModelRef, [NodeId; 3]),
    /// The answer of a model of many arguments.
    LargeModel(LargeModelRef, Arc<[NodeId]>),
    /// An output of the kernel.
    Kernel(usize),
}

/// Where a node comes from, for the reason of a failure.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The expression in its file.
    pub span: Span,
    /// What is being computed: `parameter \`bsu\``.
    pub what: Arc<str>,
}

/// Per-tile measurements of one workload.
#[derive(Debug, Default)]
pub struct TileTable {
    /// One entry per binning.
    pub binnings: Vec<BinningTiles>,
}

/// The tiles of one binning.
#[derive(Debug, Default)]
pub struct BinningTiles {
    /// Number of tiles.
    pub count: usize,
    /// One value per tile, by field; empty where the field was not measured.
    pub fields: Vec<Vec<f64>>,
}

impl TileTable {
    /// Most tiles of a binning.
    pub fn max_tiles(&self) -> usize {
        self.binnings.iter().map(|binning| binning.count).max().unwrap_or(0)
    }
}

pub(super) struct Node {
    pub operation: Operation,
    /// Bit `k`: depends on axis `k`.
    pub axes: u64,
    /// A column.
    pub tiled: bool,
    /// Can lack a value.
    pub fallible: bool,
    pub origin: Option<Arc<Origin>>,
}

/// A graph of operations under construction.
pub struct Graph {
    pub(super) nodes: Vec<Node>,
    shared: HashMap<Key, NodeId>,
    origin: Option<Arc<Origin>>,
    /// Axes that the kernel's outputs depend on.
    kernel_axes: u64,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Axis(usize),
    Apply(Function, [NodeId; 3]),
    Unary(u8, NodeId, NodeId),
    Lookup(*const f64, NodeId),
    Model(usize, [NodeId; 3]),
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self { nodes: Vec::new(), shared: HashMap::new(), origin: None, kernel_axes: 0 }
    }

    /// Sets the origin of the nodes that follow; returns the one before.
    pub fn set_origin(&mut self, origin: Option<Arc<Origin>>) -> Option<Arc<Origin>> {
        std::mem::replace(&mut self.origin, origin)
    }

    /// A constant.
    pub fn constant(&mut self, value: f64) -> NodeId {
        self.push(Operation::Constant(value))
    }

    /// The value of axis `index`, below 64.
    pub fn axis(&mut self, index: usize) -> NodeId {
        self.push(Operation::Axis(index))
    }

    /// A function of one node.
    pub fn unary(&mut self, function: Function, a: NodeId) -> NodeId {
        self.push(Operation::Apply(function, [a, a, a]))
    }

    /// A function of two nodes.
    pub fn binary(&mut self, function: Function, a: NodeId, b: NodeId) -> NodeId {
        // Neutral elements change nothing, not even a value that is missing.
        let (left, right) = (self.constant_value(a), self.constant_value(b));
        match function {
            Function::Add | Function::Sub if right == Some(0.0) => return a,
            Function::Mul | Function::Div if right == Some(1.0) => return a,
            Function::Add if left == Some(0.0) => return b,
            Function::Mul if left == Some(1.0) => return b,
            _ => {}
        }
        self.push(Operation::Apply(function, [a, b, b]))
    }

    /// `then` where `condition` is not 0, else `otherwise`.
    pub fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise && !self.node(condition).fallible {
            return then;
        }
        if let Some(value) = self.constant_value(condition).filter(|value| !value.is_nan()) {
            return if value != 0.0 { then } else { otherwise };
        }
        self.push(Operation::Apply(Function::If, [condition, then, otherwise]))
    }

    /// Adds an operation, or finds the equal one that is there already.
    pub fn push(&mut self, operation: Operation) -> NodeId {
        let operation = self.fold(operation);
        let key = match &operation {
            Operation::Constant(value) => Some(Key::Constant(value.to_bits())),
            Operation::Axis(index) => Some(Key::Axis(*index)),
            Operation::Apply(function, arguments) => Some(Key::Apply(*function, *arguments)),
            Operation::CheckWhole(a) => Some(Key::Unary(0, *a, *a)),
            Operation::CheckLeast(a, b) => Some(Key::Unary(1, *a, *b)),
            Operation::CheckMost(a, b) => Some(Key::Unary(2, *a, *b)),
            Operation::SumTiles(a) => Some(Key::Unary(3, *a, *a)),
            Operation::MaxTiles(a) => Some(Key::Unary(4, *a, *a)),
            Operation::TileField(field, a) => Some(Key::Unary(5 + *field.min(&200) as u8, *a, *a)),
            Operation::Model(model, arguments) => Some(Key::Model(model.address(), *arguments)),
            Operation::Lookup(table, a) => Some(Key::Lookup(table.as_ptr(), *a)),
            Operation::Missing | Operation::Kernel(_) | Operation::LargeModel(..) => None,
        };
        // A value that is missing keeps its own origin, so that its reason names the right place.
        let key = key.filter(|key| !matches!(key, Key::Constant(bits) if f64::from_bits(*bits).is_nan()));
        if let Some(id) = key.as_ref().and_then(|key| self.shared.get(key)) {
            return *id;
        }
        let operands = operands(&operation);
        let mut axes = operands.iter().fold(0, |axes, id| axes | self.node(*id).axes);
        let mut tiled = operands.iter().any(|id| self.node(*id).tiled);
        let mut fallible = operands.iter().any(|id| self.node(*id).fallible);
        match &operation {
            Operation::Axis(index) => axes |= 1 << index,
            Operation::TileField(..) => tiled = true,
            Operation::Lookup(table, _) => fallible |= table.iter().any(|entry| entry.is_nan()),
            Operation::SumTiles(_) | Operation::MaxTiles(_) => tiled = false,
            Operation::Kernel(_) => axes |= self.kernel_axes,
            Operation::Constant(value) => fallible |= value.is_nan(),
            Operation::Missing
            | Operation::CheckWhole(_)
            | Operation::CheckLeast(..)
            | Operation::CheckMost(..)
            | Operation::Model(..)
            | Operation::LargeModel(..) => {
                fallible = true;
            }
            Operation::Apply(Function::Div | Function::Rem, [_, divisor, _]) => {
                fallible |= self.constant_value(*divisor).is_none_or(|value| value == 0.0);
            }
            Operation::Apply(Function::Log2 | Function::Sqrt | Function::Pow, _) => fallible = true,
            _ => {}
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { operation, axes, tiled, fallible, origin: self.origin.clone() });
        if let Some(key) = key {
            self.shared.insert(key, id);
        }
        id
    }

    fn fold(&mut self, operation: Operation) -> Operation {
        let value = |id: NodeId| self.constant_value(id);
        match &operation {
            Operation::Apply(function, [a, b, c]) => match (value(*a), value(*b), value(*c)) {
                (Some(a), Some(b), Some(c)) => {
                    let folded = apply(*function, a, b, c);
                    // A constant without a value stays an operation, so that its reason can be told.
                    if folded.is_nan() { operation } else { Operation::Constant(folded) }
                }
                _ => operation,
            },
            Operation::CheckWhole(a) => match value(*a) {
                Some(a) if a.fract() == 0.0 => Operation::Constant(a),
                _ => operation,
            },
            Operation::CheckLeast(a, b) => match (value(*a), value(*b)) {
                (Some(a), Some(b)) if a >= b => Operation::Constant(a),
                _ => operation,
            },
            Operation::CheckMost(a, b) => match (value(*a), value(*b)) {
                (Some(a), Some(b)) if a <= b => Operation::Constant(a),
                _ => operation,
            },
            Operation::Lookup(table, a) => match value(*a).and_then(|at| table.get(at as usize)) {
                Some(entry) if !entry.is_nan() => Operation::Constant(*entry),
                _ => operation,
            },
            Operation::Model(model, [a, b, c]) => match (value(*a), value(*b), value(*c)) {
                (Some(a), Some(b), Some(c)) => {
                    let folded = model.0.value([a, b, c]);
                    if folded.is_nan() { operation } else { Operation::Constant(folded) }
                }
                _ => operation,
            },
            Operation::LargeModel(model, arguments) => {
                let known: Option<Vec<f64>> = arguments.iter().map(|argument| value(*argument)).collect();
                match known.map(|known| model.value(known.into_iter())) {
                    Some(folded) if !folded.is_nan() => Operation::Constant(folded),
                    _ => operation,
                }
            }
            _ => operation,
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The value of a node that no axis, tile or kernel changes.
    pub fn constant_value(&self, id: NodeId) -> Option<f64> {
        match self.node(id).operation {
            Operation::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Bit `k`: the node depends on axis `k`.
    pub fn axes(&self, id: NodeId) -> u64 {
        self.node(id).axes
    }

    /// True for a column.
    pub fn is_tiled(&self, id: NodeId) -> bool {
        self.node(id).tiled
    }

    /// True if the node can lack a value.
    pub fn is_fallible(&self, id: NodeId) -> bool {
        self.node(id).fallible
    }

    /// Says what the kernel depends on; call it before the first [`Operation::Kernel`].
    pub fn set_kernel_inputs(&mut self, inputs: &[NodeId]) {
        self.kernel_axes = inputs.iter().fold(0, |axes, id| axes | self.axes(*id));
    }

    /// The value of an untiled node for given axis values, computed the slow way; `memo` is scratch.
    /// `None` if it depends on tiles or on the kernel.
    pub fn evaluate(&self, id: NodeId, axes: &[f64], memo: &mut HashMap<NodeId, f64>) -> Option<f64> {
        if let Some(value) = memo.get(&id) {
            return Some(*value);
        }
        let mut argument = |id| self.evaluate(id, axes, memo);
        let value = match &self.node(id).operation {
            Operation::Constant(value) => *value,
            Operation::Axis(index) => *axes.get(*index)?,
            Operation::Apply(Function::If, [a, b, c]) => {
                let condition = argument(*a)?;
                if condition.is_nan() {
                    f64::NAN
                } else if condition != 0.0 {
                    argument(*b)?
                } else {
                    argument(*c)?
                }
            }
            Operation::Apply(function, [a, b, c]) => apply(*function, argument(*a)?, argument(*b)?, argument(*c)?),
            Operation::CheckWhole(a) => check(argument(*a)?, |a| a.fract() == 0.0),
            Operation::CheckLeast(a, b) => {
                let (a, least) = (argument(*a)?, argument(*b)?);
                check(a, |a| a >= least)
            }
            Operation::CheckMost(a, b) => {
                let (a, most) = (argument(*a)?, argument(*b)?);
                check(a, |a| a <= most)
            }
            Operation::Missing => f64::NAN,
            Operation::Lookup(table, a) => lookup(table, argument(*a)?),
            Operation::Model(model, [a, b, c]) => model.0.value([argument(*a)?, argument(*b)?, argument(*c)?]),
            Operation::LargeModel(model, arguments) => {
                let values = arguments.iter().map(|id| argument(*id)).collect::<Option<Vec<f64>>>()?;
                model.value(values.into_iter())
            }
            Operation::TileField(..) | Operation::SumTiles(_) | Operation::MaxTiles(_) | Operation::Kernel(_) => {
                return None;
            }
        };
        memo.insert(id, value);
        Some(value)
    }

    /// Why an untiled node has no value for given axis values, and where that comes from: the first operation without
    /// one. Call it for a node whose [`Graph::evaluate`] is not finite.
    pub fn blame(&self, id: NodeId, axes: &[f64]) -> (String, Option<&Origin>) {
        let mut memo = HashMap::new();
        let mut at = id;
        loop {
            let mut value = |id| self.evaluate(id, axes, &mut memo).unwrap_or(0.0);
            let operation = &self.node(at).operation;
            let candidates = match operation {
                Operation::Apply(Function::If, [condition, then, otherwise]) => {
                    let taken = value(*condition);
                    if taken.is_nan() {
                        vec![*condition]
                    } else if taken != 0.0 {
                        vec![*then]
                    } else {
                        vec![*otherwise]
                    }
                }
                other => operands(other),
            };
            match candidates.into_iter().find(|operand| !value(*operand).is_finite()) {
                Some(operand) => at = operand,
                None => {
                    let arguments: Vec<f64> = operands(operation).into_iter().map(value).collect();
                    return (why(operation, &arguments), self.node(at).origin.as_deref());
                }
            }
        }
    }
}

/// What it means that an operation on these arguments has no value.
pub(super) fn why(operation: &Operation, arguments: &[f64]) -> String {
    let at = |index: usize| arguments.get(index).copied().unwrap_or(f64::NAN);
    match operation {
        Operation::Apply(Function::Div | Function::Rem, _) if at(1) == 0.0 => "division by zero".into(),
        Operation::Apply(Function::Log2, _) => format!("log2 of {}", at(0)),
        Operation::Apply(Function::Sqrt, _) => format!("square root of {}", at(0)),
        Operation::Apply(Function::Pow, _) => format!("{} ^ {} has no value", at(0), at(1)),
        Operation::CheckWhole(_) => format!("{} is not a whole number", at(0)),
        Operation::CheckLeast(..) if at(1) == f64::MIN_POSITIVE => format!("{} is not above 0", at(0)),
        Operation::CheckLeast(..) => format!("{} is below the least value {}", at(0), at(1)),
        Operation::CheckMost(..) => format!("{} is above the greatest value {}", at(0), at(1)),
        Operation::Lookup(..) | Operation::Missing => "not measured: a value".into(),
        Operation::SumTiles(_) | Operation::MaxTiles(_) => "a value of the tiles is not finite".into(),
        Operation::Model(model, _) => model.0.why([at(0), at(1), at(2)]),
        Operation::LargeModel(model, _) => model.0.why(arguments),
        Operation::Kernel(_) => "the schedule has no finite length".into(),
        _ => "the result is too large for a number".into(),
    }
}

/// `value` if it passes, else no value.
#[inline(always)]
pub(super) fn check(value: f64, passes: impl Fn(f64) -> bool) -> f64 {
    if passes(value) { value } else { f64::NAN }
}

/// The entry at a whole index, else no value.
#[inline(always)]
pub(super) fn lookup(table: &[f64], index: f64) -> f64 {
    if index >= 0.0 { table.get(index as usize).copied().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// The nodes that an operation reads.
pub(super) fn operands(operation: &Operation) -> Vec<NodeId> {
    match operation {
        Operation::Constant(_) | Operation::Axis(_) | Operation::Missing | Operation::Kernel(_) => Vec::new(),
        Operation::Apply(_, [a, b, c]) | Operation::Model(_, [a, b, c]) => vec![*a, *b, *c],
        Operation::LargeModel(_, arguments) => arguments.to_vec(),
        Operation::CheckLeast(a, b) | Operation::CheckMost(a, b) => vec![*a, *b],
        Operation::CheckWhole(a)
        | Operation::Lookup(_, a)
        | Operation::TileField(_, a)
        | Operation::SumTiles(a)
        | Operation::MaxTiles(a) => {
            vec![*a]
        }
    }
}
