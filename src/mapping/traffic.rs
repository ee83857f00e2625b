//! Memory traffic of operators, by the port that it uses.

use crate::hardware::{Dram, Sram};
use crate::operator::Operator;
use crate::spec::Study;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::pipeline::{Direction, TrafficDecl};
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// A place where transfers queue. DRAM is one channel for both directions, an SRAM block has a port for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    /// The DRAM channel.
    Dram,
    /// The read port of the SRAM block of that index.
    SramRead(usize),
    /// The write port of the SRAM block of that index.
    SramWrite(usize),
}

/// One stream of traffic.
pub struct Traffic {
    /// Index of the operator.
    pub operator: usize,
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
    let bytes = scope.compile(&decl.bytes, &what, &operators[operator].counts.locals())?;
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
    if memory == "dram" {
        let Some(dram) = dram else {
            scope.error(
                span,
                format!("operator `{}`: hardware `{}` has no DRAM", decl.operator.0, study.hardware.name),
                "add [dram] to the hardware file",
            );
            return None;
        };
        let (pattern, pattern_span) = &decl.pattern;
        let Some((_, efficiency)) = dram.efficiency.iter().find(|(name, _)| name == pattern) else {
            let help = did_you_mean(pattern, dram.efficiency.iter().map(|(name, _)| name.as_str()));
            scope.error(
                pattern_span,
                format!(
                    "the DRAM of hardware `{}` states no efficiency for pattern \"{pattern}\"",
                    study.hardware.name
                ),
                format!("{help}; or add it to `efficiency` in [dram]"),
            );
            return None;
        };
        let at_peak = scope.graph.binary(Function::Mul, bytes, dram.cycles_per_byte);
        let cycles = scope.graph.binary(Function::Div, at_peak, *efficiency);
        return Some(Traffic { operator, port: Port::Dram, bytes, cycles, latency_cycles: dram.latency_cycles });
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
    let sram = &srams[at];
    let (port, cycles_per_byte, latency, word) = match decl.direction {
        Direction::Read => (Port::SramRead(at), sram.read_cycles_per_byte, sram.read_latency_cycles, "read"),
        Direction::Write => (Port::SramWrite(at), sram.write_cycles_per_byte, sram.write_latency_cycles, "write"),
    };
    let (Some(cycles_per_byte), Some(latency_cycles)) = (cycles_per_byte, latency) else {
        scope.error(
            span,
            format!("SRAM block `{memory}` is used here but states no {word} bandwidth and latency"),
            format!("add `{word}_gb_per_s` and `{word}_latency_cycles` to it in the hardware file; nothing is guessed"),
        );
        return None;
    };
    let cycles = scope.graph.binary(Function::Mul, bytes, cycles_per_byte);
    Some(Traffic { operator, port, bytes, cycles, latency_cycles })
}
