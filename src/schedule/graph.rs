//! From operators and edges to stages.

use super::order::Order;
use super::share::{Occupancy, share_ports};
use super::stage::{MAX_BUFFER, Stage};
use crate::hardware::Unit;
use crate::mapping::{Mapped, Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::Study;
use crate::spec::cycle::{cycle_text, find_cycle};
use crate::spec::expr::Function;
use crate::spec::hardware::Assign;
use crate::spec::kind::Pass;
use crate::spec::pipeline::{EdgeDecl, EdgeKind};
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// Most iterations of a training.
const MAX_ITERATIONS: f64 = 1e9;

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
    /// Who goes first where stages compete.
    pub order: Order<NodeId>,
    /// What the next iteration waits for; `None` if no edge is carried.
    pub training: Option<Training>,
}

/// What makes iterations of a pipeline depend on each other.
pub struct Training {
    /// Carried edges, as stages: producer in one iteration, consumer in the next.
    pub carried: Vec<(usize, usize)>,
    /// For each memory port the stages that use it.
    pub ports: Vec<Vec<usize>>,
    /// For each stage whether it works on gradients.
    pub backward: Vec<bool>,
    /// Number of iterations.
    pub iterations: NodeId,
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
    let works_for_one =
        |at: usize, unit: usize| !operators[at].streamed || scope.graph.constant_value(units[unit].groups) == Some(1.0);
    let alone = |(at, mapped): (usize, &Mapped)| match mapped.candidates[..] {
        [unit] if works_for_one(at, unit) => Some(unit),
        _ => None,
    };
    let alone: Vec<Option<usize>> = mapped.iter().enumerate().map(alone).collect();
    let at_once = at_once_of(scope, operators, units, mapped, stream, &edges);
    let occupancy: Vec<Occupancy> =
        alone.into_iter().zip(at_once).map(|(alone, at_once)| Occupancy { alone, at_once }).collect();
    let port_cycles = share_ports(scope, operators, &edges, traffic, stream, &occupancy);
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
    let policy = Order::compile(scope, study, operators, &order)?;
    let training = compile_training(scope, study, operators, &order, traffic)?;
    Some(StageGraph {
        stages,
        port_cycles: order.iter().map(|at| port_cycles[*at].clone()).collect(),
        operators: order,
        groups: units.iter().map(|unit| unit.groups).collect(),
        assign: units.iter().map(|unit| unit.assign).collect(),
        tiles,
        order: policy,
        training,
    })
}

/// The carried edges, ports and passes; `None` inside if no edge is carried.
fn compile_training(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    order: &[usize],
    traffic: &[Traffic],
) -> Option<Option<Training>> {
    let position = |operator: usize| order.iter().position(|at| *at == operator);
    let index = |name: &str| operators.iter().position(|operator| operator.name == name).and_then(position);
    let edges = study.pipeline.edges.iter().filter(|edge| edge.kind == EdgeKind::Carried);
    let carried: Vec<(usize, usize)> =
        edges.filter_map(|edge| Some((index(&edge.from.0)?, index(&edge.to.0)?))).collect();
    let iterations = match &study.pipeline.training {
        Some(training) if carried.is_empty() => {
            scope.error(
                &training.span,
                "this pipeline has iterations, but nothing leads from one to the next",
                "add an [[edge]] of kind = \"carried\"",
            );
            return None;
        }
        Some(training) => scope.compile_count(&training.iterations, "`iterations`", 1.0, Some(MAX_ITERATIONS))?,
        None => scope.graph.constant(1.0),
    };
    if carried.is_empty() {
        return Some(None);
    }
    let mut ports: Vec<_> = traffic.iter().map(|traffic| traffic.port).collect();
    ports.sort_unstable();
    ports.dedup();
    let users = |port| {
        let operators = traffic.iter().filter(move |traffic| traffic.port == port).map(|traffic| traffic.operator);
        let mut stages: Vec<usize> = operators.filter_map(position).collect();
        stages.sort_unstable();
        stages.dedup();
        stages
    };
    let backward = order.iter().map(|at| study.pipeline.operators[*at].pass == Pass::Backward).collect();
    Some(Some(Training { carried, ports: ports.into_iter().map(users).collect(), backward, iterations }))
}

/// Most tiles that each operator works on at the same time. Faults of the edges are reported and give `None`.
pub fn tiles_at_once(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    units: &[Unit],
    mapped: &[Mapped],
    stream: Option<&Stream>,
) -> Option<Vec<NodeId>> {
    let edges = compile_edges(scope, study, operators)?;
    Some(at_once_of(scope, operators, units, mapped, stream, &edges))
}

fn at_once_of(
    scope: &mut Scope<'_>,
    operators: &[Operator],
    units: &[Unit],
    mapped: &[Mapped],
    stream: Option<&Stream>,
    edges: &[Edge],
) -> Vec<NodeId> {
    let tiles = |at: usize| stream.filter(|_| operators[at].streamed).map(|stream| stream.tiles);
    (0..operators.len()).map(|at| operator_at_once(scope, &mapped[at], units, tiles(at), at, edges)).collect()
}

/// Most tiles that an operator works on at the same time: no more than its unit has groups, the stream has `tiles` and
/// each buffer beside it holds; 1 for an operator of the frame.
fn operator_at_once(
    scope: &mut Scope<'_>,
    mapped: &Mapped,
    units: &[Unit],
    tiles: Option<NodeId>,
    at: usize,
    edges: &[Edge],
) -> NodeId {
    let Some(tiles) = tiles else { return scope.graph.constant(1.0) };
    let groups = select_unit(scope, mapped, |unit| units[unit].groups);
    let beside = edges.iter().filter(|edge| edge.kind == EdgeKind::Stream && (edge.from == at || edge.to == at));
    beside
        .map(|edge| edge.buffer)
        .chain([tiles])
        .fold(groups, |least, limit| scope.graph.binary(Function::Min, least, limit))
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
                report_cycle(scope, study, operators, edges);
                return None;
            }
        }
    }
    Some(order)
}

fn report_cycle(scope: &Scope<'_>, study: &Study, operators: &[Operator], edges: &[Edge]) {
    let ends: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let Some(cycle) = find_cycle(operators.len(), &ends) else { return };
    let names = cycle_text(cycle.iter().map(|at| operators[*at].name.as_str()));
    let span = &study.pipeline.operators[cycle[cycle.len() - 1]].span;
    scope.error(
        &span.part(0..span.text().find('\n').unwrap_or(0)),
        format!("these operators wait for each other: {names}"),
        "remove one of the edges",
    );
}
