//! Memory ports that several stages use at the same time.
//!
//! A port serves the stages that can overlap by weighted fair shares, the weights being their traffic: where a stage with
//! `B_s` cycles of work at the port and all that can overlap with it at one moment have at most `B` together, its share is
//! `B_s / B`, so its transfer of `c` cycles lasts `c B / B_s`. Stages that are at work at the same moment overlap in pairs,
//! so that each of their `B` is at least the work of all of them and their shares add up to at most one: no bandwidth is
//! promised twice. Stages that a barrier orders never overlap, nor do two that both take the whole of one unit, of which
//! only the largest counts for others; alone, a stage has the whole port. This arbiter keeps the schedule monotone: more bandwidth never makes a chain slower, which is
//! not true of first come, first served.

use super::graph::Edge;
use crate::mapping::{Mapped, Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::expr::Function;
use crate::spec::pipeline::EdgeKind;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// For each operator, the cycles per tile (or frame) that each port makes its transfers last.
pub(super) fn share_ports(
    scope: &mut Scope<'_>,
    operators: &[Operator],
    edges: &[Edge],
    mapped: &[Mapped],
    traffic: &[Traffic],
    stream: Option<&Stream>,
) -> Vec<Vec<(Port, NodeId)>> {
    let ordered = ordered_by_barriers(operators.len(), edges);
    let mut ports: Vec<Port> = traffic.iter().map(|traffic| traffic.port).collect();
    ports.sort_unstable();
    ports.dedup();
    let mut result = vec![Vec::new(); operators.len()];
    for port in ports {
        let demands = demands_on(scope, operators, traffic, port, stream);
        for demand in &demands {
            let overlaps = |other: &&Demand| {
                let (a, b) = (demand.operator, other.operator);
                let unit = whole_unit(operators, mapped, a);
                let one_unit = unit.is_some() && unit == whole_unit(operators, mapped, b);
                a == b || !(ordered[a][b] || ordered[b][a] || one_unit)
            };
            let mut together: Vec<NodeId> = Vec::new();
            // Of those that take the whole of a unit one is at work at a time.
            let mut of_units: Vec<(usize, NodeId)> = Vec::new();
            for other in demands.iter().filter(overlaps) {
                let unit = whole_unit(operators, mapped, other.operator).filter(|_| other.operator != demand.operator);
                match (unit, of_units.iter_mut().find(|(known, _)| Some(*known) == unit)) {
                    (None, _) => together.push(other.total),
                    (Some(_), Some((_, most))) => *most = scope.graph.binary(Function::Max, *most, other.total),
                    (Some(unit), None) => of_units.push((unit, other.total)),
                }
            }
            together.extend(of_units.into_iter().map(|(_, most)| most));
            let lasts = if together.len() == 1 {
                demand.cycles
            } else {
                let total = sum(scope, together.into_iter());
                scaled(scope, demand.cycles, total, demand.total)
            };
            result[demand.operator].push((port, lasts));
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

/// The unit that an operator on the whole frame takes as a whole; `None` for one that streams or has a choice of units.
fn whole_unit(operators: &[Operator], mapped: &[Mapped], at: usize) -> Option<usize> {
    match mapped[at].candidates[..] {
        [unit] if !operators[at].streamed => Some(unit),
        _ => None,
    }
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
