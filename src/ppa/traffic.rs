//! Bytes that each memory moves in a frame: the traffic of the pipeline, added up by block and direction.

use std::collections::HashSet;

use super::parameters::collect;
use crate::hardware::{Clock, compile_dram, compile_sram};
use crate::mapping::compile_traffic;
use crate::operator::{bind_workload, compile_operators};
use crate::spec::pipeline::Direction;
use crate::spec::program::{NodeId, Program};
use crate::spec::scope::Scope;
use crate::spec::{Collector, Diagnostics, Study};

/// What a memory moves for an operator in one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryTraffic {
    /// An SRAM block of the hardware, or `dram`.
    pub memory: String,
    /// The operator.
    pub operator: String,
    /// Bytes read from it.
    pub read_bytes: f64,
    /// Bytes written to it.
    pub write_bytes: f64,
}

/// Traffic of every memory by operator, for the first scene and camera and the first value of each axis.
///
/// # Errors
/// Faults of the study; traffic that has no value at this point.
pub fn memory_traffic(study: &Study) -> Result<Vec<MemoryTraffic>, Diagnostics> {
    let diagnostics = Collector::default();
    let traffic = compile(study, &diagnostics);
    diagnostics.finish(traffic).map(|(traffic, _)| traffic)
}

fn compile(study: &Study, diagnostics: &Collector) -> Option<Vec<MemoryTraffic>> {
    let (parameters, axes) = collect(study, diagnostics);
    let scene = study.scenes.first()?;
    let camera = scene.cameras().into_iter().next()?;
    let mut scope = Scope::new(parameters, diagnostics);
    let workload = bind_workload(&mut scope, scene, &camera, study.pipeline.stream.as_ref())?;
    let clock = Clock::compile(&mut scope, &study.hardware.clock)?;
    let srams: Vec<_> = study.hardware.srams.iter().map(|sram| compile_sram(&mut scope, sram, &clock)).collect();
    let srams: Vec<_> = srams.into_iter().collect::<Option<_>>()?;
    let dram = match &study.hardware.dram {
        Some(decl) => Some(compile_dram(&mut scope, decl, &clock)?),
        None => None,
    };
    let operators: Vec<_> = compile_operators(&mut scope, study).into_iter().collect::<Option<_>>()?;
    let traffic = compile_traffic(&mut scope, study, &operators, &srams, dram.as_ref());
    let traffic: Vec<_> = traffic.into_iter().collect::<Option<_>>()?;
    let totals: Vec<NodeId> = traffic
        .iter()
        .map(|traffic| match &workload.stream {
            Some(stream) if operators[traffic.operator].streamed => stream.total(&mut scope, traffic.bytes),
            _ => traffic.bytes,
        })
        .collect();
    let binning = workload.stream.as_ref().and_then(|stream| stream.binning);
    let tiles = workload.tiles.clone();
    let program = Program::new(&scope.graph, axes.len(), &totals, &[], &[], tiles, binning, &HashSet::new());
    let mut state = program.state();
    for (at, axis) in axes.iter().enumerate() {
        program.set_axis(&mut state, at, *axis.values.first()?);
    }
    program.run(&mut state, None, &mut ());
    let mut memories: Vec<MemoryTraffic> = Vec::new();
    for (decl, total) in study.pipeline.traffic.iter().zip(&totals) {
        let bytes = program.place_of(*total).map_or(f64::NAN, |place| program.scalar(&state, place));
        if !bytes.is_finite() {
            let message = format!("traffic `{}` has no value at this point", decl.name);
            scope.error(&decl.bytes.span, message, "check the parameters that it follows");
            return None;
        }
        let (memory, operator) = (&decl.memory.0, &decl.operator.0);
        let same = |known: &MemoryTraffic| known.memory == *memory && known.operator == *operator;
        let at = memories.iter().position(same).unwrap_or_else(|| {
            let (memory, operator) = (memory.clone(), operator.clone());
            memories.push(MemoryTraffic { memory, operator, read_bytes: 0.0, write_bytes: 0.0 });
            memories.len() - 1
        });
        match decl.direction {
            Direction::Read => memories[at].read_bytes += bytes,
            Direction::Write => memories[at].write_bytes += bytes,
        }
    }
    Some(memories)
}
