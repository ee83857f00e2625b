//! Units with a processing element: the knobs as nodes, and an operator's cycles as an operation of the program.

use std::sync::Arc;

use super::array::compile_dataflow;
use super::pe::{Arguments, DATAFLOWS, ElementModel, LARGEST_COUNT, MOST_LAYERS, MOST_OPERATIONS, Resident, Task};
use super::stated::{Answer, Stated};
use crate::spec::expr::Function;
use crate::spec::figure::{Basis, Figure, Provenance};
use crate::spec::hardware::{ElementDecl, Operand};
use crate::spec::program::{LargeModelRef, NodeId, Operation, Origin};
use crate::spec::refine::Timing;
use crate::spec::scope::Scope;
use crate::spec::source::Span;

/// How a processing element's timing is known.
const SOURCE: &str = "closed form of its commands' tile plans, equal to their event simulation one by one \
                      (docs/processing-element.md)";

/// A processing element at a design point.
#[derive(Debug, Clone)]
pub struct Element {
    /// All but the bytes of an element, which are the operator's; 0 in their place.
    knobs: Arguments<NodeId>,
    resident: Resident,
    span: Span,
    /// Its rates and overheads with what they rest on.
    pub figures: Vec<Stated>,
}

/// What an operator asks of an element.
#[derive(Debug, Clone)]
pub enum Work {
    /// Matrix products, one after the other: m, k, n, how many, and the element-wise operations before and after each.
    Products {
        /// Kinds of products.
        layers: Vec<[NodeId; 6]>,
        /// Blocks of rows do not wait for each other.
        independent: bool,
    },
    /// Elements read, element-wise operations, elements written.
    Elements([NodeId; 3]),
}

/// Compiles an element; `None` if it is faulty.
pub(super) fn compile_element(scope: &mut Scope<'_>, decl: &ElementDecl, unit: &str) -> Option<Element> {
    let most = Some(LARGEST_COUNT as f64);
    let mut count = |quantity, name: &str| scope.compile_count(quantity, &format!("{name} of {unit}"), 1.0, most);
    let (tile_m, tile_k) = (count(&decl.tile_m, "tile_m")?, count(&decl.tile_k, "tile_k")?);
    let (tile_n, queue_depth) = (count(&decl.tile_n, "tile_n")?, count(&decl.queue_depth, "queue_depth")?);
    let (rows, cols) = (count(&decl.rows, "rows")?, count(&decl.cols, "cols")?);
    let command_rows = match &decl.command_rows {
        Some(rows) => scope.compile_count(rows, &format!("command_rows of {unit}"), 1.0, None)?,
        None => scope.graph.constant(u64::MAX as f64),
    };
    let mut figures = Vec::new();
    let mut figure = |scope: &mut Scope<'_>, name, figure: &Figure, least| {
        let what = format!("{name} of {unit}");
        let node = scope.compile(&figure.quantity, &what, &[])?;
        figures.push(Stated::choose(scope, name, Some((node, &figure.provenance)), None, false));
        Some(scope.at_least(node, least, &figure.quantity.span, &what))
    };
    let least = [f64::MIN_POSITIVE, f64::MIN_POSITIVE, f64::MIN_POSITIVE, 0.0, 0.0];
    let mut nodes = [scope.graph.constant(0.0); 5];
    for (((name, decl), least), node) in decl.figures().into_iter().zip(least).zip(&mut nodes) {
        *node = figure(scope, name, decl, least)?;
    }
    let [read_bytes_per_cycle, write_bytes_per_cycle, math_elements_per_cycle, transfer_cycles, command_cycles] = nodes;
    let dataflow = dataflow_index(scope, decl, unit)?;
    let macs = scope.graph.binary(Function::Mul, rows, cols);
    let macs = Answer { node: macs, source: SOURCE.into(), expected_error: Some(0.0), extrapolated: None };
    figures.insert(0, Stated::choose(scope, "macs_per_cycle", None, Some(&macs), true));
    let stays = |operand| decl.resident.contains(&operand);
    Some(Element {
        knobs: Arguments {
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
            element_bytes: scope.graph.constant(0.0),
        },
        resident: Resident {
            input: stays(Operand::Input),
            weights: stays(Operand::Weights),
            between: stays(Operand::Between),
            output: stays(Operand::Output),
        },
        span: decl.span.clone(),
        figures,
    })
}

/// The index of the dataflow among [`DATAFLOWS`].
fn dataflow_index(scope: &mut Scope<'_>, decl: &ElementDecl, unit: &str) -> Option<NodeId> {
    let mut chosen = scope.graph.constant(0.0);
    for (holds, flow) in compile_dataflow(scope, &decl.dataflow, unit)?.into_iter().rev() {
        let index = DATAFLOWS.iter().position(|known| *known == flow).unwrap_or(0);
        let index = scope.graph.constant(index as f64);
        chosen = holds.map_or(index, |holds| scope.graph.select(holds, index, chosen));
    }
    Some(chosen)
}

impl Element {
    /// Cycles of an operator's work on one element; `what` names it. `None` if it cannot be timed, which is reported.
    pub fn cycles(
        &self,
        scope: &mut Scope<'_>,
        work: &Work,
        element_bytes: NodeId,
        timing: Timing,
        what: &str,
    ) -> Option<NodeId> {
        let knobs = Arguments { element_bytes, ..self.knobs };
        let mut arguments = knobs.list().to_vec();
        let task = match work {
            Work::Products { layers, .. } if layers.len() > MOST_LAYERS => {
                let message =
                    format!("{what}: {} kinds of matrix products, at most {MOST_LAYERS} are timed", layers.len());
                scope.error(&self.span, message, "split the operator, or join equal products with `times`");
                return None;
            }
            Work::Products { layers, independent } => {
                let most = scope.graph.constant(MOST_OPERATIONS as f64);
                for [m, k, n, times, prologue, epilogue] in layers.iter().copied() {
                    let mut whole = |node, what: String| scope.whole(node, &self.span, &what);
                    let times = whole(times, format!("the number of products in {what}"));
                    let mut around = [prologue, epilogue].map(|node| whole(node, format!("operations in {what}")));
                    for node in &mut around {
                        *node =
                            scope.at_most(*node, most, &self.span, &format!("operations around a product in {what}"));
                    }
                    arguments.extend([m, k, n, times, around[0], around[1]]);
                }
                Task::Products { layers: layers.len(), independent: *independent }
            }
            Work::Elements(counts) => {
                arguments.extend(counts);
                Task::Elements
            }
        };
        let model = LargeModelRef(Arc::new(ElementModel { task, resident: self.resident, timing }));
        let origin = Origin { span: self.span.clone(), what: what.into() };
        let outer = scope.graph.set_origin(Some(Arc::new(origin)));
        let node = scope.graph.push(Operation::LargeModel(model, arguments.into()));
        scope.graph.set_origin(outer);
        Some(node)
    }

    /// Where the cycles come from.
    pub fn provenance() -> Provenance {
        Provenance { basis: Some(Basis::Model), source: Some(SOURCE.into()), ..Provenance::default() }
    }
}
