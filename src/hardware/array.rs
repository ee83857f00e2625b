//! Units that the arithmetic and systolic models size.

use super::arithmetic::{self, ArithmeticError, OpSet};
use super::process::{Process, scaled};
use super::stated::Answer;
use super::systolic::Dataflow;
use super::technology::{self, Transistors};
use crate::spec::expr::Function;
use crate::spec::figure::Basis;
use crate::spec::program::{Graph, NodeId};
use crate::spec::reader::Quantity;
use crate::spec::request::{ArrayDecl, LogicDecl, OpChoice, Word};
use crate::spec::scope::Scope;

/// A systolic array at a design point.
#[derive(Debug, Clone)]
pub struct Array {
    /// Rows of one instance.
    pub rows: NodeId,
    /// Columns of one instance.
    pub cols: NodeId,
    /// Multiply-accumulators of one instance.
    pub macs: NodeId,
    /// The dataflow: each with the node that is not 0 where it holds; the last one holds where no other does.
    dataflow: Vec<(Option<NodeId>, Dataflow)>,
    /// Area of one instance, mm2, where the set of operations has areas.
    pub area_mm2: Option<Answer>,
    /// Leakage of one instance, mW, where the set has it.
    pub leakage_mw: Option<Answer>,
    /// Energy of one multiply-accumulate at the reference voltage, pJ.
    pub pj_per_mac: Answer,
}

/// Figures of one instance of a unit made of operations.
#[derive(Debug, Clone)]
pub struct Logic {
    /// Area, mm2.
    pub area_mm2: Option<Answer>,
    /// Leakage, mW.
    pub leakage_mw: Option<Answer>,
    /// Energy of a busy cycle, in which every operation works, pJ.
    pub pj_per_cycle: Answer,
}

const DATAFLOWS: [(&str, Dataflow); 3] =
    [("os", Dataflow::OutputStationary), ("ws", Dataflow::WeightStationary), ("is", Dataflow::InputStationary)];

/// Compiles an array; `None` if it is faulty.
pub fn compile_array(scope: &mut Scope<'_>, decl: &ArrayDecl, process: &Process, unit: &str) -> Option<Array> {
    let rows = scope.compile_count(&decl.rows, &format!("rows of the array of {unit}"), 1.0, None)?;
    let cols = scope.compile_count(&decl.cols, &format!("columns of the array of {unit}"), 1.0, None)?;
    let dataflow = compile_dataflow(scope, &decl.dataflow, unit)?;
    let macs = scope.graph.binary(Function::Mul, rows, cols);
    let named = |prefix: &str, word: &Word| (format!("{prefix}_{}", word.0), word.1.clone());
    let one = Quantity::constant(1.0, &decl.span);
    let both = [(named("mul", &decl.multiply), one.clone()), (named("add", &decl.accumulate), one)];
    let Logic { area_mm2, leakage_mw, pj_per_cycle } = compile_operations(scope, &both, &decl.ops, process, unit)?;
    let area_mm2 = area_mm2.map(|area| area.times(scope, macs));
    let leakage_mw = leakage_mw.map(|leakage| leakage.times(scope, macs));
    Some(Array { rows, cols, macs, dataflow, area_mm2, leakage_mw, pj_per_mac: pj_per_cycle })
}

/// Compiles a unit's operations; `None` if they are faulty.
pub fn compile_logic(scope: &mut Scope<'_>, decl: &LogicDecl, process: &Process, unit: &str) -> Option<Logic> {
    compile_operations(scope, &decl.operations, &decl.ops, process, unit)
}

/// The dataflows that a word or a parameter can mean, each with the node that is not 0 where it holds; the last one has
/// none.
pub(super) fn compile_dataflow(
    scope: &mut Scope<'_>,
    decl: &Quantity,
    unit: &str,
) -> Option<Vec<(Option<NodeId>, Dataflow)>> {
    // A dataflow's own word needs no parameter.
    if let Ok(dataflow) = decl.text.parse() {
        return Some(vec![(None, dataflow)]);
    }
    let typed = scope.compile_typed(decl, &format!("dataflow of {unit}"), &[])?;
    let flow = |word: &String| DATAFLOWS.iter().find(|(name, _)| name == word).map(|(_, flow)| *flow);
    let flows: Option<Vec<Dataflow>> = typed.words.as_ref().and_then(|words| words.iter().map(flow).collect());
    let Some(flows) = flows else {
        let help = "write os, ws or is, or a parameter with choice = [\"os\", \"ws\", \"is\"]";
        scope.error(&decl.span, format!("`{}` is no dataflow", decl.text), help);
        return None;
    };
    let last = flows.len().saturating_sub(1);
    let mut result = Vec::with_capacity(flows.len());
    for (at, flow) in flows.into_iter().enumerate() {
        let index = scope.graph.constant(at as f64);
        let here = scope.graph.binary(Function::Eq, typed.node, index);
        result.push(((at < last).then_some(here), flow));
    }
    Some(result)
}

/// Sums of the figures of operations, each times its count.
fn compile_operations(
    scope: &mut Scope<'_>,
    operations: &[(Word, Quantity)],
    choice: &OpChoice,
    process: &Process,
    unit: &str,
) -> Option<Logic> {
    let set: OpSet = match choice.set.0.parse() {
        Ok(set) => set,
        Err(error) => {
            let error: ArithmeticError = error;
            scope.error(&choice.set.1, error.to_string(), "the sets are never mixed: choose one for the unit");
            return None;
        }
    };
    let node_nm = choice.node_nm.unwrap_or(process.node_nm);
    let (area_scale, energy_scale, note) = scale(scope, choice, node_nm, process)?;
    let mut sound = true;
    let zero = scope.graph.constant(0.0);
    let (mut area, mut leakage, mut energy) = (Some(zero), Some(zero), zero);
    let mut sources: Vec<String> = Vec::new();
    for ((op, span), count) in operations {
        let what = format!("count of operation `{op}` of {unit}");
        let count_node = scope.compile(count, &what, &[]).map(|node| scope.at_least(node, 0.0, &count.span, &what));
        let figure = arithmetic::operation(set, op, node_nm as u32, choice.cycle_ns);
        let (figure, count) = match (figure, count_node) {
            (Ok(figure), Some(count)) => (figure, count),
            (Err(error), _) => {
                let help = "write one of those; `node_nm` takes figures of another node and scales them";
                scope.error(span, error.to_string(), help);
                sound = false;
                continue;
            }
            (Ok(_), None) => {
                sound = false;
                continue;
            }
        };
        let mut add = |total: NodeId, each: f64| {
            let part = scaled(scope, count, each);
            scope.graph.binary(Function::Add, total, part)
        };
        energy = add(energy, figure.energy_pj * energy_scale);
        area = area.zip(figure.area_um2).map(|(total, each)| add(total, each * area_scale * 1e-6));
        leakage = leakage.zip(figure.leakage_mw).map(|(total, each)| add(total, each * energy_scale));
        let source = format!("{} ({})", figure.energy_source, figure.confidence);
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let source = format!("operations of set {set} at {node_nm} nm{note}: {}", sources.join("; "));
    let answer = |node| Answer { node, source: source.clone(), expected_error: None, extrapolated: None };
    sound.then(|| Logic { area_mm2: area.map(answer), leakage_mw: leakage.map(answer), pj_per_cycle: answer(energy) })
}

/// Factors on area and energy from the operations' node to the result's, and how to say so.
fn scale(scope: &Scope<'_>, choice: &OpChoice, node_nm: f64, process: &Process) -> Option<(f64, f64, String)> {
    if node_nm == process.node_nm {
        return Some((1.0, 1.0, String::new()));
    }
    match technology::scaling(node_nm as u32, process.node_nm as u32, Transistors::HighPerformance) {
        Ok(scaling) => {
            let note = format!(" scaled to {} nm by {}", process.node_nm, technology::SOURCE);
            Some((scaling.area, scaling.energy, note))
        }
        Err(error) => {
            scope.error(&choice.set.1, error.to_string(), "give `node_nm` a node that can be scaled from");
            None
        }
    }
}

impl Array {
    /// Cycles of one matrix product on one instance: the closed form of [`systolic`](super::systolic), as nodes.
    pub fn cycles(&self, scope: &mut Scope<'_>, [m, n, k]: [NodeId; 3]) -> NodeId {
        let mut chosen = None;
        for (holds, flow) in self.dataflow.iter().rev() {
            let cycles = self.cycles_of(scope, *flow, [m, n, k]);
            chosen = Some(match (chosen, holds) {
                (Some(other), Some(holds)) => scope.graph.select(*holds, cycles, other),
                _ => cycles,
            });
        }
        chosen.unwrap_or_else(|| scope.graph.constant(0.0))
    }

    fn cycles_of(&self, scope: &mut Scope<'_>, flow: Dataflow, [m, n, k]: [NodeId; 3]) -> NodeId {
        let roles = flow.roles(m, n, k);
        let graph = &mut scope.graph;
        let down = blocks(graph, roles.along_rows, self.rows);
        let across = blocks(graph, roles.along_cols, self.cols);
        let folds = graph.binary(Function::Mul, down, across);
        let fills = graph.constant(flow.fills() as f64);
        let fill = graph.binary(Function::Mul, self.rows, fills);
        let fill = graph.binary(Function::Add, fill, self.cols);
        let fold = graph.binary(Function::Add, roles.stream, fill);
        let two = graph.constant(2.0);
        let fold = graph.binary(Function::Sub, fold, two);
        let all = graph.binary(Function::Mul, folds, fold);
        let one = graph.constant(1.0);
        let all = graph.binary(Function::Sub, all, one);
        // No array does more than one product per unit and cycle, and nothing to do takes no time.
        let product = graph.binary(Function::Mul, m, n);
        let product = graph.binary(Function::Mul, product, k);
        let least = blocks(graph, product, self.macs);
        let all = graph.binary(Function::Max, all, least);
        let zero = graph.constant(0.0);
        let idle = graph.binary(Function::Eq, product, zero);
        graph.select(idle, zero, all)
    }
}

/// How many blocks of `width` cover `extent`.
fn blocks(graph: &mut Graph, extent: NodeId, width: NodeId) -> NodeId {
    let ratio = graph.binary(Function::Div, extent, width);
    graph.unary(Function::Ceil, ratio)
}

/// How an array's timing is known.
pub const CYCLES_BASIS: (Basis, &str) =
    (Basis::Model, "fold-by-fold closed form, equal to SCALE-Sim 3.0.0 (compute cycles at ideal bandwidth)");
