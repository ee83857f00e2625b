//! From operators and edges to stages.

use super::share::share_ports;
use super::stage::{MAX_BUFFER, Stage};
use crate::hardware::Unit;
use crate::mapping::{Mapped, Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::Study;
use crate::spec::expr::Function;
use crate::spec::hardware::Assign;
use crate::spec::pipeline::{EdgeDecl, EdgeKind};
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// The stages of a pipeline, in an order in which producers come before consumers.
pub struct StageGraph {
    /// The stages.
    pub stages: Vec<Stage<NodeId>>,
    /// Operator of each stage.
    pub operators: Vec<usize>,
    /// For each stage, the cycles per tile (or frame) that each port makes its transfers last.
    pub port_cycles: Vec<Vec<(Port, NodeId)>>,
    /// Groups of each unit.
    pub groups: Vec<NodeId>,
    /// How each unit's groups take tiles.
    pub assign: Vec<Assign>,
    /// Number of tiles of the stream; 1 without one.
    pub tiles: NodeId,
}

/// Compiles the stages. Faults, such as a cycle, are reported and give `None`.
pub fn compile_stages(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    units: &[Unit],
    mapped: &[Mapped],
    traffic: &[Traffic],
    stream: Option<&Stream>,
) -> Option<StageGraph> {
    let edges = compile_edges(scope, study, operators)?;
    let order = topological_order(scope, study, operators, &edges)?;
    let position = |operator: usize| order.iter().position(|at| *at == operator).unwrap_or(0);
    let one = scope.graph.constant(1.0);
    let tiles = stream.map_or(one, |stream| stream.tiles);
    let port_cycles = share_ports(scope, operators, &edges, traffic, stream);
    let mut stages = Vec::with_capacity(order.len());
    for &at in &order {
        let mapped = &mapped[at];
        let mut occupancy = mapped.cycles;
        for (_, cycles) in &port_cycles[at] {
            occupancy = scope.graph.binary(Function::Max, occupancy, *cycles);
        }
        let work = match stream {
            Some(stream) if operators[at].streamed => stream.total(scope, occupancy),
            _ => occupancy,
        };
        let unit_latency = select_unit(scope, mapped, |unit| units[unit].latency_cycles);
        // The first data of every memory that the operator uses arrive before its result can.
        let memory_latency = traffic
            .iter()
            .filter(|traffic| traffic.operator == at)
            .map(|traffic| traffic.latency_cycles)
            .reduce(|a, b| scope.graph.binary(Function::Max, a, b));
        let latency = match memory_latency {
            Some(memory) => scope.graph.binary(Function::Add, unit_latency, memory),
            None => unit_latency,
        };
        let into = |kind| edges.iter().filter(move |edge| edge.to == at && edge.kind == kind);
        stages.push(Stage {
            name: operators[at].name.clone(),
            streamed: operators[at].streamed,
            candidates: mapped.candidates.clone(),
            unit: mapped.unit,
            occupancy,
            work,
            latency,
            barriers: into(EdgeKind::Barrier).map(|edge| position(edge.from)).collect(),
            inputs: into(EdgeKind::Stream).map(|edge| (position(edge.from), edge.buffer)).collect(),
        });
    }
    Some(StageGraph {
        stages,
        port_cycles: order.iter().map(|at| port_cycles[*at].clone()).collect(),
        operators: order,
        groups: units.iter().map(|unit| unit.groups).collect(),
        assign: units.iter().map(|unit| unit.assign).collect(),
        tiles,
    })
}

/// The value of the winning unit.
fn select_unit(scope: &mut Scope<'_>, mapped: &Mapped, value: impl Fn(usize) -> NodeId) -> NodeId {
    let mut candidates = mapped.candidates.iter();
    let mut chosen = candidates.next().map_or_else(|| scope.graph.constant(0.0), |unit| value(*unit));
    for unit in candidates {
        let index = scope.graph.constant(*unit as f64);
        let wins = scope.graph.binary(Function::Eq, mapped.unit, index);
        chosen = scope.graph.select(wins, value(*unit), chosen);
    }
    chosen
}

/// An edge between operators by index.
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
    /// Tiles between producer and consumer.
    pub buffer: NodeId,
}

fn compile_edges(scope: &mut Scope<'_>, study: &Study, operators: &[Operator]) -> Option<Vec<Edge>> {
    let index = |name: &str| operators.iter().position(|operator| operator.name == name);
    let mut edges: Vec<Edge> = Vec::new();
    let mut sound = true;
    for decl in &study.pipeline.edges {
        let (Some(from), Some(to)) = (index(&decl.from.0), index(&decl.to.0)) else { continue };
        if decl.kind == EdgeKind::Carried {
            sound &= carries_the_whole_iteration(scope, study, decl);
            continue;
        }
        if edges.iter().any(|edge| (edge.from, edge.to) == (from, to)) {
            scope.error(
                &decl.to.1,
                format!("there are two edges from `{}` to `{}`", decl.from.0, decl.to.0),
                "keep one",
            );
            sound = false;
        }
        if decl.kind == EdgeKind::Stream && study.pipeline.stream.is_none() {
            scope.error(&decl.from.1, "this edge streams, but the pipeline says not over what", "add a [stream] table");
            sound = false;
        }
        match compile_buffer(scope, decl) {
            Some(buffer) => edges.push(Edge { from, to, kind: decl.kind, buffer }),
            None => sound = false,
        }
    }
    sound.then_some(edges)
}

/// A carried edge is no dependency of this iteration. The time per iteration in the steady state is the latency of one
/// exactly if the edge leads from its end to its start; overlapping iterations are not modelled, so others are refused.
fn carries_the_whole_iteration(scope: &Scope<'_>, study: &Study, decl: &EdgeDecl) -> bool {
    let now = || study.pipeline.edges.iter().filter(|edge| edge.kind != EdgeKind::Carried);
    let last = !now().any(|edge| edge.from.0 == decl.from.0);
    let first = !now().any(|edge| edge.to.0 == decl.to.0);
    if !last || !first {
        let (place, end) = if last { (&decl.to, "first") } else { (&decl.from, "last") };
        scope.error(
            &place.1,
            format!("a carried edge leads from the last to the first operator, and `{}` is not the {end}", place.0),
            "iterations that overlap are not modelled; carry the result of the whole iteration",
        );
    }
    last && first
}

fn compile_buffer(scope: &mut Scope<'_>, decl: &EdgeDecl) -> Option<NodeId> {
    let what = format!("buffer of the edge from `{}` to `{}`", decl.from.0, decl.to.0);
    scope.compile_count(&decl.buffer, &what, 1.0, Some(MAX_BUFFER as f64))
}

/// Producers first, ties by declaration order; a cycle is reported by name.
fn topological_order(scope: &Scope<'_>, study: &Study, operators: &[Operator], edges: &[Edge]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < operators.len() {
        let ready = (0..operators.len())
            .find(|at| !order.contains(at) && edges.iter().all(|edge| edge.to != *at || order.contains(&edge.from)));
        match ready {
            Some(at) => order.push(at),
            None => {
                report_cycle(scope, study, operators, edges, &order);
                return None;
            }
        }
    }
    Some(order)
}

fn report_cycle(scope: &Scope<'_>, study: &Study, operators: &[Operator], edges: &[Edge], done: &[usize]) {
    // Every operator that is left has a producer that is left: walking back must return somewhere.
    let Some(start) = (0..operators.len()).find(|at| !done.contains(at)) else { return };
    let mut path = vec![start];
    loop {
        let at = path[path.len() - 1];
        let Some(edge) = edges.iter().find(|edge| edge.to == at && !done.contains(&edge.from)) else { return };
        if let Some(first) = path.iter().position(|known| *known == edge.from) {
            let mut names: Vec<&str> = path[first..].iter().map(|at| operators[*at].name.as_str()).collect();
            names.push(operators[edge.from].name.as_str());
            names.reverse();
            let decl = &study.pipeline.operators[edge.from];
            scope.error(
                &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
                format!("these operators wait for each other: {}", names.join(" -> ")),
                "remove one of the edges",
            );
            return;
        }
        path.push(edge.from);
    }
}
