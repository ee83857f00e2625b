//! The roofline of a pipeline on a hardware: what each operator attains alone, and what bounds it.
//!
//! An operator's compute roof is what its unit does when it never waits: its FLOPs over the cycles of the unit, all groups
//! at work. Its memory roof is its FLOPs over the cycles that the busiest of its ports is held: DRAM at the efficiency of
//! the pattern, or a port of an SRAM block. It attains the lower of the two. Ports are not shared with other operators
//! here; the schedule does that.
//!
//! Source: Williams, Waterman, Patterson, Roofline, CACM 52(4), 2009.

use super::checks::try_expressions;
use super::front::Front;
use super::parameters::{Axis, collect};
use crate::mapping::Port;
use crate::operator::{Stream, bind_workload};
use crate::spec::expr::Function;
use crate::spec::kind::Pass;
use crate::spec::program::failure::reason;
use crate::spec::program::{NodeId, Place, Program, State};
use crate::spec::scene::SceneDecl;
use crate::spec::scope::Scope;
use crate::spec::{Collector, Diagnostic, Diagnostics, Study};

/// What bounds an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Its unit.
    Compute,
    /// The busiest of its ports.
    Memory,
}

impl Bound {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute-bound",
            Self::Memory => "memory-bound",
        }
    }
}

/// A memory's roof: its peak bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRoof {
    /// `DRAM`, or `BLOCK read` and `BLOCK write`.
    pub name: String,
    /// 10^9 bytes per second.
    pub gb_per_s: f64,
}

/// What passes an operator's busiest port.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUse {
    /// The port, as [`MemoryRoof::name`].
    pub name: String,
    /// Bytes per frame or iteration.
    pub bytes: f64,
    /// FLOPs per second that the port allows, 10^9.
    pub gflop_per_s: f64,
}

/// An operator on the roofline.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorPoint {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Values or gradients.
    pub pass: Pass,
    /// The unit that executes it.
    pub unit: String,
    /// FLOPs per frame or iteration.
    pub flops: f64,
    /// FLOPs per byte: of the busiest port; of its operands if it uses no port.
    pub flop_per_byte: f64,
    /// What its unit does, 10^9 FLOPs per second.
    pub compute_gflop_per_s: f64,
    /// Its busiest port; `None`: its data stay in the unit.
    pub memory: Option<MemoryUse>,
}

impl OperatorPoint {
    /// The lower of its roofs, 10^9 FLOPs per second.
    pub fn attainable_gflop_per_s(&self) -> f64 {
        self.memory.as_ref().map_or(self.compute_gflop_per_s, |memory| memory.gflop_per_s.min(self.compute_gflop_per_s))
    }

    /// What bounds it.
    pub fn bound(&self) -> Bound {
        match &self.memory {
            Some(memory) if memory.gflop_per_s < self.compute_gflop_per_s => Bound::Memory,
            _ => Bound::Compute,
        }
    }

    /// Whether it has a place on the roofline: without arithmetic, or without any byte, it has none.
    pub fn has_place(&self) -> bool {
        let attainable = self.attainable_gflop_per_s();
        self.flops > 0.0 && self.flop_per_byte.is_finite() && attainable > 0.0 && attainable.is_finite()
    }
}

/// A pipeline on a hardware, for one scene and camera.
#[derive(Debug, Clone)]
pub struct Roofline {
    /// `scene` or `scene.camera`.
    pub workload: String,
    /// Bandwidths, DRAM first.
    pub roofs: Vec<MemoryRoof>,
    /// True if the pipeline declares no traffic and there is a DRAM: all operands count as coming from it then.
    pub operands_only: bool,
    /// Operators in the order of the pipeline.
    pub operators: Vec<OperatorPoint>,
    /// Values of the axes: the declared design's, else the first of the axis.
    pub at: Vec<(String, String)>,
}

/// The nodes of one operator.
struct OperatorNodes {
    flops: NodeId,
    cycles: NodeId,
    unit: NodeId,
    ports: Vec<(Port, NodeId, NodeId)>,
    /// Bytes of its operands, weights once.
    operands: NodeId,
}

impl Roofline {
    /// Compiles a study on one of its scenes and evaluates it at the declared design.
    ///
    /// # Errors
    /// Every fault of the study on that scene, or a figure without a value.
    pub fn evaluate(study: &Study, scene: &SceneDecl, camera: &str) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let roofline = evaluate(study, scene, camera, &diagnostics);
        diagnostics.finish(roofline)
    }
}

fn evaluate(study: &Study, scene: &SceneDecl, camera: &str, diagnostics: &Collector) -> Option<Roofline> {
    let (parameters, axes) = collect(study, diagnostics);
    let mut scope = Scope::new(parameters, diagnostics);
    let workload = bind_workload(&mut scope, scene, camera, study.pipeline.stream.as_ref())?;
    scope.resolve_all();
    let stream = workload.stream.as_ref();
    let front = Front::compile(&mut scope, study, stream)?;
    let operators: Vec<OperatorNodes> =
        (0..front.operators.len()).map(|at| operator_nodes(&mut scope, &front, at, stream)).collect();
    let tried = try_expressions(&mut scope, &axes);
    if diagnostics.error_count() > 0 {
        return None;
    }
    let mut outputs = vec![front.clock.mhz];
    outputs.extend(front.units.iter().map(|unit| unit.groups));
    outputs.extend(front.dram.as_ref().map(|dram| dram.peak_gb_per_s));
    let ports = front.srams.iter().flat_map(|sram| [sram.read_cycles_per_byte, sram.write_cycles_per_byte]);
    outputs.extend(ports.flatten());
    for nodes in &operators {
        outputs.extend([nodes.flops, nodes.cycles, nodes.unit, nodes.operands]);
        outputs.extend(nodes.ports.iter().flat_map(|(_, bytes, cycles)| [*bytes, *cycles]));
    }
    let binning = stream.and_then(|stream| stream.binning);
    let program =
        Program::new(&scope.graph, axes.len(), &outputs, &[], &[], workload.tiles.clone(), binning, &tried.passed);
    let mut state = program.state();
    let digits: Vec<usize> = axes.iter().map(Axis::declared_digit).collect();
    for (at, (axis, digit)) in axes.iter().zip(&digits).enumerate() {
        program.set_axis(&mut state, at, axis.values[*digit]);
    }
    program.run(&mut state, None, &mut ());
    let values = Values { program: &program, state: &state };
    for output in &outputs {
        if !values.get(*output).is_finite() {
            let why = program.place_of(*output).and_then(|place: Place| reason(&program, &state, place));
            let why = why.unwrap_or_else(|| "the model gives no finite value here".into());
            diagnostics.error(Diagnostic::new(&study.sweep.span, why).help("choose other values of the parameters"));
            return None;
        }
    }
    let at = axes.iter().zip(&digits).map(|(axis, digit)| (axis.name.clone(), axis.labels[*digit].clone())).collect();
    Some(Roofline {
        workload: workload.name,
        roofs: memory_roofs(&front, &values),
        operands_only: front.traffic.is_empty() && front.dram.is_some(),
        operators: operators.iter().enumerate().map(|(at, nodes)| point(&front, at, nodes, &values)).collect(),
        at,
    })
}

struct Values<'a> {
    program: &'a Program,
    state: &'a State,
}

impl Values<'_> {
    fn get(&self, node: NodeId) -> f64 {
        self.program.place_of(node).map_or(f64::NAN, |place| self.program.scalar(self.state, place))
    }
}

fn operator_nodes(scope: &mut Scope<'_>, front: &Front, at: usize, stream: Option<&Stream>) -> OperatorNodes {
    let operator = &front.operators[at];
    let zero = scope.graph.constant(0.0);
    let whole = |scope: &mut Scope<'_>, node| match stream {
        Some(stream) if operator.streamed => stream.total(scope, node),
        _ => node,
    };
    let count = |name: &str| operator.counts.get(name).unwrap_or(zero);
    let flops = whole(scope, count("flops"));
    let cycles = whole(scope, front.mapped[at].cycles);
    let mut ports: Vec<(Port, NodeId, NodeId)> = Vec::new();
    for traffic in front.traffic.iter().filter(|traffic| traffic.operator == at) {
        let (bytes, cycles) = (whole(scope, traffic.bytes), whole(scope, traffic.cycles));
        match ports.iter_mut().find(|(port, ..)| *port == traffic.port) {
            Some((_, all_bytes, all_cycles)) => {
                *all_bytes = scope.graph.binary(Function::Add, *all_bytes, bytes);
                *all_cycles = scope.graph.binary(Function::Add, *all_cycles, cycles);
            }
            None => ports.push((traffic.port, bytes, cycles)),
        }
    }
    let moved = scope.graph.binary(Function::Add, count("read_bytes"), count("write_bytes"));
    let moved = whole(scope, moved);
    // Weights are read once and stay, unless every tile has its own.
    let weights = count("weight_bytes");
    let weights = if scope.graph.is_tiled(weights) { whole(scope, weights) } else { weights };
    let operands = scope.graph.binary(Function::Add, moved, weights);
    OperatorNodes { flops, cycles, unit: front.mapped[at].unit, ports, operands }
}

/// 10^9 FLOPs per second of so many FLOPs in so many cycles; no cycles are no bound.
fn rate(flops: f64, cycles: f64, mhz: f64) -> f64 {
    if flops == 0.0 { 0.0 } else { flops / cycles * mhz / 1000.0 }
}

fn point(front: &Front, at: usize, nodes: &OperatorNodes, values: &Values<'_>) -> OperatorPoint {
    let operator = &front.operators[at];
    let mhz = values.get(front.clock.mhz);
    let flops = values.get(nodes.flops);
    // The index was made from one of the units.
    let unit = &front.units[values.get(nodes.unit) as usize];
    let groups = if operator.streamed { values.get(unit.groups) } else { 1.0 };
    let busiest = nodes
        .ports
        .iter()
        .map(|(port, bytes, cycles)| (*port, values.get(*bytes), values.get(*cycles)))
        .filter(|(_, bytes, _)| *bytes > 0.0)
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let operands = values.get(nodes.operands);
    let memory = match (busiest, &front.dram) {
        (Some((port, bytes, cycles)), _) => {
            Some(MemoryUse { name: port_name(front, port), bytes, gflop_per_s: rate(flops, cycles, mhz) })
        }
        (None, Some(dram)) if front.traffic.is_empty() && operands > 0.0 => {
            let gflop_per_s = flops / operands * values.get(dram.peak_gb_per_s);
            Some(MemoryUse { name: port_name(front, Port::Dram), bytes: operands, gflop_per_s })
        }
        _ => None,
    };
    OperatorPoint {
        name: operator.name.clone(),
        kind: operator.kind.clone(),
        pass: operator.pass,
        unit: unit.name.clone(),
        flops,
        flop_per_byte: flops / memory.as_ref().map_or(operands, |memory| memory.bytes),
        compute_gflop_per_s: rate(flops, values.get(nodes.cycles) / groups, mhz),
        memory,
    }
}

fn port_name(front: &Front, port: Port) -> String {
    match port {
        Port::Dram => "DRAM".into(),
        Port::SramRead(at) => format!("{} read", front.srams[at].name),
        Port::SramWrite(at) => format!("{} write", front.srams[at].name),
        Port::Sram(at) => format!("{} read and write", front.srams[at].name),
    }
}

fn memory_roofs(front: &Front, values: &Values<'_>) -> Vec<MemoryRoof> {
    let mut roofs = Vec::new();
    if let Some(dram) = &front.dram {
        roofs.push(MemoryRoof { name: port_name(front, Port::Dram), gb_per_s: values.get(dram.peak_gb_per_s) });
    }
    let mhz = values.get(front.clock.mhz);
    for (at, sram) in front.srams.iter().enumerate() {
        let ports =
            [(Port::SramRead(at), sram.read_cycles_per_byte), (Port::SramWrite(at), sram.write_cycles_per_byte)];
        for (port, cycles_per_byte) in ports {
            if let Some(cycles) = cycles_per_byte {
                roofs.push(MemoryRoof { name: port_name(front, port), gb_per_s: mhz / 1000.0 / values.get(cycles) });
            }
        }
    }
    roofs
}
