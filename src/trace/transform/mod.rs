//! Traced calls to operators.
//!
//! `call` asks the tables what each node is. `relations` tells call edges from data and order edges (together they run in
//! circles: a function is called by what comes after it). `tree` finds what belongs to an operator and what to a chunk,
//! `order` the order of calls. `partner` pairs backward with forward calls, `cost` and `network` count, `assemble` makes
//! the operators, `flow` and `shape_flow` the edges, `chunks` the pipeline that repeats, `remainder` the list of what is
//! not recognised.

mod assemble;
mod call;
mod chunks;
mod cost;
mod flow;
mod network;
mod order;
mod partner;
mod pipeline;
mod relations;
mod remainder;
mod shape;
mod shape_flow;
mod tree;

pub(super) use chunks::base as base_name;
pub use pipeline::{
    Chunk, EdgeKind, Evidence, Inference, Pass, Streamed, Totals, TracedEdge, TracedOperator, TracedPipeline,
    Unrecognised,
};
pub use shape::Shape;

use super::error::{Problem, TraceError};
use super::graph::TraceGraph;
use super::table::CallTables;

/// Calls that a trace may have to be transformed; the largest reference trace has 87.
pub const MAX_CALLS: usize = 1 << 17;

/// What the trace does not say and the caller may.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformOptions {
    /// Bytes per element where a call has no `dtype`; 4, single precision, unless said otherwise.
    pub element_bytes: f64,
}

impl Default for TransformOptions {
    fn default() -> Self {
        Self { element_bytes: 4.0 }
    }
}

/// Turns a trace into a pipeline of operators by the call tables.
///
/// # Errors
/// If the trace has more than [`MAX_CALLS`] calls, or its edges run in a circle even without its call edges.
pub fn transform(
    graph: &TraceGraph,
    tables: &CallTables,
    options: &TransformOptions,
) -> Result<TracedPipeline, TraceError> {
    if graph.nodes().len() > MAX_CALLS {
        let problem = Problem::Limit { what: "the number of traced calls".into(), limit: MAX_CALLS as u64 };
        return Err(TraceError::new(problem));
    }
    let calls = call::calls(graph, tables);
    let relations = relations::Relations::of(graph, &calls, tables);
    let positions = tree::positions(&calls, &relations.caller);
    let order = order::order(&calls, &relations)?;
    let partners = partner::partners(&calls, &order, &relations);
    let assembly = assemble::Assembly {
        calls: &calls,
        order: &order,
        positions: &positions,
        partners: &partners,
        tables,
        options,
    };
    let mut assembled = assembly.assemble();
    let edges = flow::Flow {
        operators: &assembled.operators,
        rules: &assembled.rules,
        relations: &relations,
        operator_of: &operator_of(&assembled.operators, &positions),
        element_bytes: &assembled.element_bytes,
    }
    .edges()?;
    mark_inferred_order(&mut assembled.operators, &edges);
    let chunks = chunks::chunks(&assembled.operators, &assembled.batches);
    Ok(TracedPipeline {
        streamed: chunks::streamed(&assembled.operators, &edges, &chunks),
        unrecognised: remainder::unrecognised(&calls, &positions, &assembled.rejected),
        totals: totals(&assembled.operators),
        operators: assembled.operators,
        edges,
        chunks,
    })
}

/// For every node the operator that it is or that includes it.
fn operator_of(operators: &[TracedOperator], positions: &[tree::Position]) -> Vec<Option<usize>> {
    let mut operator_of = vec![None; positions.len()];
    for (index, operator) in operators.iter().enumerate() {
        if let Some(slot) = operator_of.get_mut(operator.node) {
            *slot = Some(index);
        }
    }
    let owners =
        positions.iter().map(|position| position.owner.and_then(|owner| operator_of.get(owner).copied().flatten()));
    let owners: Vec<_> = owners.collect();
    operator_of.iter().zip(owners).map(|(own, owner)| own.or(owner)).collect()
}

/// An operator that no traced edge touches has its place from the order of the nodes.
fn mark_inferred_order(operators: &mut [TracedOperator], edges: &[TracedEdge]) {
    let mut placed = vec![false; operators.len()];
    for edge in edges.iter().filter(|edge| !edge.inferred()) {
        for end in [edge.from, edge.to] {
            if let Some(slot) = placed.get_mut(end) {
                *slot = true;
            }
        }
    }
    for (operator, placed) in operators.iter_mut().zip(placed) {
        if !placed {
            operator.inferred.push(Inference::Order);
        }
        operator.inferred.sort_unstable();
        operator.inferred.dedup();
    }
}

fn totals(operators: &[TracedOperator]) -> Totals {
    let sum = |count: fn(&TracedOperator) -> u64| operators.iter().map(count).fold(0, u64::saturating_add);
    Totals {
        flops: sum(|operator| operator.flops),
        flops_backward: sum(|operator| if operator.pass == Pass::Backward { operator.flops } else { 0 }),
        macs: sum(|operator| operator.macs),
        bytes_in: sum(|operator| operator.bytes_in),
        bytes_out: sum(|operator| operator.bytes_out),
    }
}
