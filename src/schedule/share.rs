//! Memory ports that several stages use at the same time.
//!
//! A port serves what can be at work at one moment by weighted fair shares. The weight of a stage is the traffic of what its
//! unit streams if that unit works for one stage at a time, else its own. Where a stage of weight `B_s` and all that can
//! overlap with it at one moment weigh at most `B` together, its share is `B_s / B`, so its transfer of `c` cycles lasts
//! `c B / B_s`. What is at work at one moment overlaps in pairs, so that each `B` is at least the weight of all of it and
//! the shares add up to at most one: no bandwidth is promised twice. Two stages never overlap if a barrier orders them or if
//! their unit works for one at a time; alone, a stage has the whole port. A stage that works on several tiles at once divides
//! its share among them, so each transfer lasts as many times longer. This arbiter keeps the schedule monotone: more
//! bandwidth never makes a chain slower, which is not true of first come, first served.

use super::graph::Edge;
use crate::mapping::{Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::expr::Function;
use crate::spec::pipeline::EdgeKind;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// How an operator occupies its unit.
pub(super) struct Occupancy {
    /// Its unit, if that is the same at every point and works for one stage at a time.
    pub alone: Option<usize>,
    /// Tiles that it works on at the same time.
    pub at_once: NodeId,
}

/// For each operator, the cycles per tile (or frame) that each port makes its transfers last. `occupancy` has one entry for
/// each operator.
pub(super) fn share_ports(
    scope: &mut Scope<'_>,
    operators: &[Operator],
    edges: &[Edge],
    traffic: &[Traffic],
    stream: Option<&Stream>,
    occupancy: &[Occupancy],
) -> Vec<Vec<(Port, NodeId)>> {
    let apart = never_together(operators.len(), edges, occupancy);
    let mut ports: Vec<Port> = traffic.iter().map(|traffic| traffic.port).collect();
    ports.sort_unstable();
    ports.dedup();
    let mut result = vec![Vec::new(); operators.len()];
    for port in ports {
        let demands = demands_on(scope, operators, traffic, port, stream);
        let weights: Vec<NodeId> =
            demands.iter().map(|demand| weight(scope, demand, &demands, operators, occupancy)).collect();
        for (at, Demand { operator, cycles, .. }) in demands.iter().enumerate() {
            let others = (0..demands.len()).filter(|other| !apart[*operator][demands[*other].operator]);
            let others = at_one_moment(scope, others.filter(|other| *other != at), &demands, &weights, occupancy);
            let one = if others.is_empty() {
                *cycles
            } else {
                let total = sum(scope, others.into_iter().chain([weights[at]]));
                scaled(scope, *cycles, total, weights[at])
            };
            let lasts = scope.graph.binary(Function::Mul, one, occupancy[*operator].at_once);
            result[*operator].push((port, lasts));
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

/// The weight of a demand in its share.
fn weight(
    scope: &mut Scope<'_>,
    demand: &Demand,
    demands: &[Demand],
    operators: &[Operator],
    occupancy: &[Occupancy],
) -> NodeId {
    let unit = occupancy[demand.operator].alone.filter(|_| operators[demand.operator].streamed);
    let with = |other: &&Demand| {
        other.operator == demand.operator
            || unit.is_some() && operators[other.operator].streamed && occupancy[other.operator].alone == unit
    };
    sum(scope, demands.iter().filter(with).map(|other| other.total))
}

/// Weights of the demands `others` that can be at work at one moment: of a unit that works for one stage at a time only the
/// largest.
fn at_one_moment(
    scope: &mut Scope<'_>,
    others: impl Iterator<Item = usize>,
    demands: &[Demand],
    weights: &[NodeId],
    occupancy: &[Occupancy],
) -> Vec<NodeId> {
    let mut together: Vec<(Option<usize>, NodeId)> = Vec::new();
    for other in others {
        let unit = occupancy[demands[other].operator].alone;
        match together.iter_mut().find(|(known, _)| unit.is_some() && *known == unit) {
            Some((_, most)) => *most = scope.graph.binary(Function::Max, *most, weights[other]),
            None => together.push((unit, weights[other])),
        }
    }
    together.into_iter().map(|(_, weight)| weight).collect()
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

/// `[a][b]`: `a` and `b` never work at the same time.
fn never_together(count: usize, edges: &[Edge], occupancy: &[Occupancy]) -> Vec<Vec<bool>> {
    let ordered = ordered_by_barriers(count, edges);
    let same_unit = |a: usize, b: usize| occupancy[a].alone.is_some() && occupancy[a].alone == occupancy[b].alone;
    let apart = |a: usize, b: usize| ordered[a][b] || ordered[b][a] || same_unit(a, b);
    (0..count).map(|a| (0..count).map(|b| apart(a, b)).collect()).collect()
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
