//! Memory ports that several stages use at the same time.
//!
//! A port serves the stages that can overlap by weighted fair shares, the weights being their traffic: a stage with
//! `B_s` of the `B` cycles of work at the port gets the share `B_s / B`, so its transfer of `c` cycles lasts `c B / B_s`.
//! A stage that works on several tiles at once divides its share among them, so each transfer lasts as many times longer.
//! The shares add up to one: at no moment is bandwidth promised twice. Stages that a barrier orders never overlap and
//! each has the whole port. This arbiter keeps the schedule monotone: more bandwidth never makes a chain slower, which is
//! not true of first come, first served.

use super::graph::Edge;
use crate::mapping::{Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::expr::Function;
use crate::spec::pipeline::EdgeKind;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// For each operator, the cycles per tile (or frame) that each port makes its transfers last. `at_once` has for each
/// operator the tiles that it works on at the same time.
pub(super) fn share_ports(
    scope: &mut Scope<'_>,
    operators: &[Operator],
    edges: &[Edge],
    traffic: &[Traffic],
    stream: Option<&Stream>,
    at_once: &[NodeId],
) -> Vec<Vec<(Port, NodeId)>> {
    let ordered = ordered_by_barriers(operators.len(), edges);
    let mut ports: Vec<Port> = traffic.iter().map(|traffic| traffic.port).collect();
    ports.sort_unstable();
    ports.dedup();
    let mut result = vec![Vec::new(); operators.len()];
    for port in ports {
        let demands = demands_on(scope, operators, traffic, port, stream);
        for group in overlapping_groups(&demands, &ordered) {
            let total = sum(scope, group.iter().map(|at| demands[*at].total));
            for &at in &group {
                let Demand { operator, cycles, total: own } = demands[at];
                let alone = if group.len() == 1 { cycles } else { scaled(scope, cycles, total, own) };
                let lasts = scope.graph.binary(Function::Mul, alone, at_once[operator]);
                result[operator].push((port, lasts));
            }
        }
    }
    result
}

/// What one operator wants of a port.
struct Demand {
    operator: usize,
    /// Per tile or frame.
    cycles: NodeId,
    /// Over the whole frame.
    total: NodeId,
}

fn demands_on(
    scope: &mut Scope<'_>,
    operators: &[Operator],
    traffic: &[Traffic],
    port: Port,
    stream: Option<&Stream>,
) -> Vec<Demand> {
    let mut demands = Vec::new();
    for (operator, info) in operators.iter().enumerate() {
        let own = traffic.iter().filter(|traffic| traffic.operator == operator && traffic.port == port);
        let cycles: Vec<NodeId> = own.map(|traffic| traffic.cycles).collect();
        if cycles.is_empty() {
            continue;
        }
        let cycles = sum(scope, cycles.into_iter());
        let total = match stream {
            Some(stream) if info.streamed => stream.total(scope, cycles),
            _ => cycles,
        };
        demands.push(Demand { operator, cycles, total });
    }
    demands
}

fn sum(scope: &mut Scope<'_>, nodes: impl Iterator<Item = NodeId>) -> NodeId {
    let zero = scope.graph.constant(0.0);
    nodes.fold(zero, |total, node| scope.graph.binary(Function::Add, total, node))
}

/// `cycles * total / own`, and 0 where there is no own traffic.
fn scaled(scope: &mut Scope<'_>, cycles: NodeId, total: NodeId, own: NodeId) -> NodeId {
    let zero = scope.graph.constant(0.0);
    let idle = scope.graph.binary(Function::Eq, own, zero);
    let slowdown = scope.graph.binary(Function::Div, total, own);
    let slowdown = scope.graph.select(idle, zero, slowdown);
    scope.graph.binary(Function::Mul, cycles, slowdown)
}

/// `[a][b]`: `b` starts after `a` has finished altogether.
fn ordered_by_barriers(count: usize, edges: &[Edge]) -> Vec<Vec<bool>> {
    // 0: no path, 1: by stream edges only, 2: with a barrier on the way.
    let mut path = vec![vec![0_u8; count]; count];
    for edge in edges {
        let strength = if edge.kind == EdgeKind::Barrier { 2 } else { 1 };
        path[edge.from][edge.to] = path[edge.from][edge.to].max(strength);
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                let (first, second) = (path[from][middle], path[middle][to]);
                if first > 0 && second > 0 {
                    path[from][to] = path[from][to].max(first.max(second));
                }
            }
        }
    }
    path.into_iter().map(|row| row.into_iter().map(|strength| strength == 2).collect()).collect()
}

/// Groups of demands of which each overlaps with another of its group, as indices.
fn overlapping_groups(demands: &[Demand], ordered: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let overlap = |a: usize, b: usize| {
        let (a, b) = (demands[a].operator, demands[b].operator);
        !ordered[a][b] && !ordered[b][a]
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..demands.len() {
        let (mut joined, rest): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            groups.into_iter().partition(|group| group.iter().any(|other| overlap(at, *other)));
        joined.push(vec![at]);
        groups = rest;
        groups.push(joined.concat());
    }
    groups
}
