//! Memory traffic of operators, by the port that it uses.

use std::sync::Arc;

use crate::hardware::{ConflictNode, Dram, GroupPattern, Sram};
use crate::operator::Operator;
use crate::spec::Study;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::pipeline::{Direction, TrafficDecl};
use crate::spec::program::{ModelRef, NodeId, Operation};
use crate::spec::scope::Scope;
use crate::spec::source::Span;

/// A place where transfers queue. DRAM is one channel for both directions, an SRAM block has a port for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    /// The DRAM channel.
    Dram,
    /// The read port of the SRAM block of that index.
    SramRead(usize),
    /// The write port of the SRAM block of that index.
    SramWrite(usize),
    /// The ports of the SRAM block of that index that read or write.
    Sram(usize),
}

/// Why bytes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The pipeline declares it.
    Declared,
    /// A working set does not fit its block.
    Spill,
    /// A cache-like block does not hold them.
    Miss,
}

/// One stream of traffic.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// What it carries.
    pub name: String,
    /// Why it moves.
    pub cause: Cause,
    /// The SRAM block; `None` for DRAM.
    pub block: Option<usize>,
    /// Index of the operator.
    pub operator: usize,
    /// Seen from the operator.
    pub direction: Direction,
    /// The port.
    pub port: Port,
    /// Bytes per tile of a streamed operator, else per frame.
    pub bytes: NodeId,
    /// Cycles for which the transfer holds the port.
    pub cycles: NodeId,
    /// Cycles until its first data arrive.
    pub latency_cycles: NodeId,
}

/// Compiles all traffic; `None` for the faulty streams, whose faults are reported.
pub fn compile_traffic(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    srams: &[Sram],
    dram: Option<&Dram>,
) -> Vec<Option<Traffic>> {
    study.pipeline.traffic.iter().map(|decl| compile(scope, study, decl, operators, srams, dram)).collect()
}

fn compile(
    scope: &mut Scope<'_>,
    study: &Study,
    decl: &TrafficDecl,
    operators: &[Operator],
    srams: &[Sram],
    dram: Option<&Dram>,
) -> Option<Traffic> {
    let operator = operators.iter().position(|operator| operator.name == decl.operator.0)?;
    let what = format!("bytes of traffic `{}`", decl.name);
    let bytes = scope.compile(&decl.bytes, &what, &operators[operator].declared_counts.locals())?;
    let bytes = scope.at_least(bytes, 0.0, &decl.bytes.span, &what);
    if scope.graph.is_tiled(bytes) && !operators[operator].streamed {
        scope.error(
            &decl.bytes.span,
            format!("operator `{}` works on the whole frame, but these bytes are counted by tile", decl.operator.0),
            "use scene.* here",
        );
        return None;
    }
    let (memory, span) = &decl.memory;
    let savings = &operators[operator].savings;
    let left = savings.r_bytes(scope, memory == "dram", decl.direction == Direction::Read);
    let bytes = scope.graph.binary(Function::Mul, bytes, left);
    if memory == "dram" {
        if dram.is_none() {
            scope.error(
                span,
                format!("operator `{}`: hardware `{}` has no DRAM", decl.operator.0, study.hardware.name),
                "add [dram] to the hardware file",
            );
            return None;
        }
        let (cycles, latency_cycles) =
            dram_transfer(scope, study, dram, bytes, (&decl.pattern.0, &decl.pattern.1), span)?;
        return Some(Traffic {
            name: decl.name.clone(),
            cause: Cause::Declared,
            direction: decl.direction,
            block: None,
            operator,
            port: Port::Dram,
            bytes,
            cycles,
            latency_cycles,
        });
    }
    let Some(at) = srams.iter().position(|sram| sram.name == *memory) else {
        let known = srams.iter().map(|sram| sram.name.as_str()).chain(["dram"]);
        scope.error(
            span,
            format!("operator `{}`: hardware `{}` has no memory `{memory}`", decl.operator.0, study.hardware.name),
            did_you_mean(memory, known),
        );
        return None;
    };
    let (port, cycles, latency_cycles) = sram_transfer(scope, decl, &srams[at], at, bytes)?;
    Some(Traffic {
        name: decl.name.clone(),
        cause: Cause::Declared,
        direction: decl.direction,
        block: Some(at),
        operator,
        port,
        bytes,
        cycles,
        latency_cycles,
    })
}

/// Cycles and latency of bytes on the DRAM channel. `place` is where the file asks for the DRAM.
pub(super) fn dram_transfer(
    scope: &mut Scope<'_>,
    study: &Study,
    dram: Option<&Dram>,
    bytes: NodeId,
    (pattern, pattern_span): (&str, &Span),
    place: &Span,
) -> Option<(NodeId, NodeId)> {
    let Some(dram) = dram else {
        let message = format!("hardware `{}` has no DRAM", study.hardware.name);
        scope.error(place, message, "add [dram] to the hardware file");
        return None;
    };
    let Some(found) = dram.patterns.iter().find(|known| known.name == pattern) else {
        let help = did_you_mean(pattern, dram.patterns.iter().map(|known| known.name.as_str()));
        scope.error(
            pattern_span,
            format!("the DRAM of hardware `{}` states no efficiency for pattern \"{pattern}\"", study.hardware.name),
            format!("{help}; or add it to `efficiency` in [dram]"),
        );
        return None;
    };
    let at_peak = scope.graph.binary(Function::Mul, bytes, dram.cycles_per_byte);
    Some((scope.graph.binary(Function::Div, at_peak, found.efficiency), found.latency_cycles))
}

/// Port, cycles and latency of bytes at an SRAM block.
///
/// A stated bandwidth is that without conflicts: groups of accesses that meet in banks make a transfer as many times
/// longer as the group takes cycles. Ports of words serve the lanes of one group in that many cycles.
fn sram_transfer(
    scope: &mut Scope<'_>,
    decl: &TrafficDecl,
    sram: &Sram,
    at: usize,
    bytes: NodeId,
) -> Option<(Port, NodeId, NodeId)> {
    let (memory, span) = &decl.memory;
    let (mut port, cycles_per_byte, latency, word) = match decl.direction {
        Direction::Read => (Port::SramRead(at), sram.read_cycles_per_byte, sram.read_latency_cycles, "read"),
        Direction::Write => (Port::SramWrite(at), sram.write_cycles_per_byte, sram.write_latency_cycles, "write"),
    };
    let stated = cycles_per_byte.or(sram.words.map(|words| words.cycles_per_byte));
    let (Some(cycles_per_byte), Some(latency_cycles)) = (stated, latency) else {
        scope.error(
            span,
            format!("SRAM block `{memory}` is used here but states no {word} bandwidth and latency"),
            format!(
                "add `{word}_gb_per_s` and `{word}_latency_cycles` to it in the hardware file, or ask for \
                 `model = {{ gives = [\"bandwidth\", \"latency\"], ... }}`; nothing is guessed"
            ),
        );
        return None;
    };
    let mut cycles = scope.graph.binary(Function::Mul, bytes, cycles_per_byte);
    let lanes = match &decl.lanes {
        Some(lanes) => Some(scope.compile_count(lanes, &format!("lanes of traffic `{}`", decl.name), 1.0, None)?),
        // Ports of words work all banks unless a stream says how many accesses come together.
        None => sram.words.and(sram.banks).map(|banks| banks.banks),
    };
    if let Some(group) = group_cycles(scope, decl, sram, lanes)? {
        cycles = scope.graph.binary(Function::Mul, cycles, group);
    }
    if let (Some(_), Some(lanes)) = (sram.words, lanes) {
        cycles = scope.graph.binary(Function::Div, cycles, lanes);
        if sram.banks.is_some_and(|banks| banks.shared) {
            port = Port::Sram(at);
        }
    }
    Some((port, cycles, latency_cycles))
}

/// Expected cycles of one group of accesses; `Some(None)` where nothing says how they meet.
fn group_cycles(
    scope: &mut Scope<'_>,
    decl: &TrafficDecl,
    sram: &Sram,
    lanes: Option<NodeId>,
) -> Option<Option<NodeId>> {
    let (pattern, span) = (&decl.pattern.0, &decl.pattern.1);
    let memory = &decl.memory.0;
    let kind = match pattern.as_str() {
        "stream" => GroupPattern::Stream,
        "stride" => GroupPattern::Stride,
        "random" => GroupPattern::Random,
        _ => {
            let help = did_you_mean(pattern, ["stream", "stride", "random"]);
            scope.error(span, format!("an SRAM block knows no access pattern \"{pattern}\""), help);
            return None;
        }
    };
    let (Some(lanes), Some(banks)) = (lanes, sram.banks) else {
        if kind == GroupPattern::Stream && decl.lanes.is_none() {
            return Some(None);
        }
        let message = format!("conflicts of traffic `{}` in block `{memory}` need its lanes and banks", decl.name);
        scope.error(span, message, "add `lanes` to the traffic and `banks` to the block in the hardware file");
        return None;
    };
    let stride = match (&decl.stride_words, kind) {
        (Some(stride), GroupPattern::Stride) => {
            scope.compile_count(stride, &format!("stride of traffic `{}`", decl.name), 0.0, None)?
        }
        (None, GroupPattern::Stride) => {
            scope.error(span, "a strided pattern needs its distance", "add `stride_words = ...`");
            return None;
        }
        (Some(stride), _) => {
            scope.error(&stride.span, "only a strided pattern has a distance", "write pattern = \"stride\"");
            return None;
        }
        (None, _) => lanes,
    };
    let arguments = [lanes, banks.banks, stride];
    let known = scope.combinations(arguments);
    let groups = known.as_deref().unwrap_or_default();
    match ConflictNode::prepare(banks.ports, kind, groups, known.is_some()) {
        Ok(node) => {
            let what = format!("bank conflicts of traffic `{}`", decl.name);
            let model = Operation::Model(ModelRef(Arc::new(node)), arguments);
            Some(Some(scope.checked(model, span, &what)))
        }
        Err(error) => {
            scope.error(span, error.to_string(), "use fewer lanes or banks");
            None
        }
    }
}
