//! Edges of a trace told apart: who called whom, who hands data to whom, what merely came after what.

use super::call::Call;
use crate::trace::graph::{TraceEdge, TraceGraph};
use crate::trace::table::{CallTables, Pattern};

/// What an edge of the trace means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    Data,
    Gradient,
    Stage,
    Order,
    Call,
}

/// The edges of a trace, told apart.
#[derive(Debug)]
pub(super) struct Relations {
    /// For every node the nodes that follow it by data, gradient, stage or order.
    pub(super) next: Vec<Vec<(usize, Relation)>>,
    /// For every node its caller.
    pub(super) caller: Vec<Option<usize>>,
}

impl Relations {
    pub(super) fn of(graph: &TraceGraph, calls: &[Call<'_>], tables: &CallTables) -> Self {
        let mut next = vec![Vec::new(); calls.len()];
        let mut caller = vec![None; calls.len()];
        for edge in graph.edges() {
            match relation(edge, tables) {
                Relation::Call => {
                    if let Some(slot) = caller.get_mut(edge.to) {
                        slot.get_or_insert(edge.from);
                    }
                }
                relation => {
                    if let Some(slot) = next.get_mut(edge.from) {
                        slot.push((edge.to, relation));
                    }
                }
            }
        }
        Self { next, caller }
    }
}

/// An edge may carry several marks: the strongest counts, and a call only where nothing else is said, since networkx also
/// calls the strength of any edge `weight`. An edge without a mark is one of order.
fn relation(edge: &TraceEdge, tables: &CallTables) -> Relation {
    let names = &tables.edges;
    let has = |patterns: &[Pattern]| {
        edge.attributes.iter().any(|(name, _)| patterns.iter().any(|pattern| pattern.matches_all(name)))
    };
    if has(&names.data) {
        Relation::Data
    } else if has(&names.gradient) {
        Relation::Gradient
    } else if has(&names.stage) {
        Relation::Stage
    } else if has(&names.call) && !has(&names.order) {
        Relation::Call
    } else {
        Relation::Order
    }
}
