//! Memory ports that several stages use at the same time.
//!
//! Stages of which at most one works at a time stand in one line: a barrier orders them, or their unit works for one stage at
//! a time. A port serves the lines that can overlap by weighted fair shares, the weights being their traffic: with `B_l` of
//! the `B` cycles of work at the port a line gets the share `B_l / B`, which the stage that is at work uses alone, so its
//! transfer of `c` cycles lasts `c B / B_l`. The shares add up to one: at no moment is bandwidth promised twice. Stages that
//! overlap with no other have the whole port. A stage that works on several tiles at once divides its share among them, so
//! each transfer lasts as many times longer. This arbiter keeps the schedule monotone: more bandwidth never makes a chain
//! slower, which is not true of first come, first served.

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
        for lines in overlapping_lines(&demands, &apart) {
            let of = |scope: &mut Scope<'_>, line: &[usize]| sum(scope, line.iter().map(|at| demands[*at].total));
            let total = of(scope, &lines.concat());
            for line in &lines {
                let of_line = of(scope, line);
                for Demand { operator, cycles, .. } in line.iter().map(|at| &demands[*at]) {
                    let one = if lines.len() == 1 { *cycles } else { scaled(scope, *cycles, total, of_line) };
                    let lasts = scope.graph.binary(Function::Mul, one, occupancy[*operator].at_once);
                    result[*operator].push((port, lasts));
                }
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

/// Groups of demands of which each overlaps with another of its group, each as lines of demands that never overlap; indices.
fn overlapping_lines(demands: &[Demand], apart: &[Vec<bool>]) -> Vec<Vec<Vec<usize>>> {
    let apart = |a: usize, b: usize| apart[demands[a].operator][demands[b].operator];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..demands.len() {
        let (mut joined, rest): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            groups.into_iter().partition(|group| group.iter().any(|other| !apart(at, *other)));
        joined.push(vec![at]);
        groups = rest;
        groups.push(joined.concat());
    }
    let lines = |group: Vec<usize>| {
        let mut lines: Vec<Vec<usize>> = Vec::new();
        for at in group {
            match lines.iter_mut().find(|line| line.iter().all(|other| apart(at, *other))) {
                Some(line) => line.push(at),
                None => lines.push(vec![at]),
            }
        }
        lines
    };
    groups.into_iter().map(lines).collect()
}
