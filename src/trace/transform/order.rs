//! The order of calls: what the trace's edges demand, else the order in which the nodes were recorded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::call::Call;
use super::relations::Relations;
use crate::spec::cycle::find_cycle;
use crate::trace::error::{Problem, TraceError};
use crate::trace::graph::shorten;

/// Calls of a circle that an error names.
const NAMED: usize = 8;

/// Indices of all calls in order.
///
/// # Errors
/// If the edges run in a circle even without the call edges.
pub(super) fn order(calls: &[Call<'_>], relations: &Relations) -> Result<Vec<usize>, TraceError> {
    let mut waiting = vec![0_usize; calls.len()];
    for (to, _) in relations.next.iter().flatten() {
        if let Some(count) = waiting.get_mut(*to) {
            *count += 1;
        }
    }
    let free = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<_> = free.map(|(index, _)| Reverse(index)).collect();
    let mut order = Vec::with_capacity(calls.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for (to, _) in relations.next.get(node).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(*to) {
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(*to));
                }
            }
        }
    }
    if order.len() == calls.len() {
        return Ok(order);
    }
    let edges = relations.next.iter().enumerate();
    let edges: Vec<(usize, usize)> =
        edges.flat_map(|(from, next)| next.iter().map(move |(to, _)| (from, *to))).collect();
    let cycle = find_cycle(calls.len(), &edges).unwrap_or_default();
    let mut names: Vec<String> =
        cycle.iter().take(NAMED).filter_map(|at| Some(shorten(&calls.get(*at)?.node.id))).collect();
    match cycle.len() > NAMED {
        true => names.push("...".into()),
        false => names.extend(names.first().cloned()),
    }
    Err(TraceError::new(Problem::Circle(names.join(" -> "))))
}
