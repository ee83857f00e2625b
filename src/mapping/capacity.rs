//! Capacity of SRAM blocks: what a working set does not find room for, and what a cache-like block does not hold.
//!
//! A stream's working set is what the block keeps of it while the operator works: as much for each of the tiles that it works
//! on at once, one on each group of its unit. The streams of a block share its capacity. Where their sum `N` exceeds the capacity `C`, the share `(N - C) / S` of every set that may spill (their sum is
//! `S`) lies in DRAM, and so many of the stream's accesses go there. A stream that must not spill asks for `N <= C` instead.

use super::traffic::{Cause, Port, Traffic, dram_transfer};
use crate::hardware::{Dram, Sram};
use crate::operator::Operator;
use crate::spec::expr::Function;
use crate::spec::pipeline::{Direction, WorkingSet};
use crate::spec::program::{NodeId, Operation};
use crate::spec::scope::Scope;
use crate::spec::{Span, Study};

/// A block whose working sets must fit.
pub struct Capacity {
    /// The block.
    pub block: String,
    /// KiB of the working sets that cannot spill, at the fullest tile.
    pub needed_kib: NodeId,
    /// KiB of all instances.
    pub available_kib: NodeId,
}

/// Adds to `traffic` what spills and misses move over the DRAM channel, and returns what must fit. `None` if something is
/// faulty, which is reported. `traffic` holds one stream per declaration, `at_once` for each operator the tiles that it works
/// on at the same time.
pub fn compile_capacity(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    at_once: &[NodeId],
    srams: &[Sram],
    dram: Option<&Dram>,
    traffic: &mut Vec<Traffic>,
) -> Option<Vec<Capacity>> {
    let mut capacities = Vec::new();
    let mut extra = Vec::new();
    for (at, sram) in srams.iter().enumerate() {
        let sets = working_sets(scope, study, (operators, at_once), at, traffic)?;
        if !sets.is_empty() {
            capacities.extend(fit(scope, sram, &sets));
            extra.extend(spills(scope, study, sram, dram, &sets, traffic)?);
        }
        if let Some((rate, pattern)) = &sram.misses {
            for stream in
                traffic.iter().filter(|stream| stream.block == Some(at) && stream.direction == Direction::Read)
            {
                let bytes = scope.graph.binary(Function::Mul, stream.bytes, *rate);
                extra.push(over_dram(scope, study, dram, stream, ("misses", Cause::Miss), bytes, pattern)?);
            }
        }
    }
    traffic.extend(extra);
    Some(capacities)
}

/// A working set: index of its stream, KiB of all tiles at work, declaration.
type Set<'a> = (usize, NodeId, &'a WorkingSet);

fn working_sets<'s>(
    scope: &mut Scope<'_>,
    study: &'s Study,
    (operators, at_once): (&[Operator], &[NodeId]),
    block: usize,
    traffic: &[Traffic],
) -> Option<Vec<Set<'s>>> {
    let mut sets = Vec::new();
    for (at, (decl, stream)) in study.pipeline.traffic.iter().zip(traffic).enumerate() {
        let Some(set) = &decl.working_set else { continue };
        if stream.block.is_none() {
            let help = "write the SRAM block as `memory`, or take the working set off";
            scope.error(&set.kib.span, "a working set lies in an SRAM block, and this stream uses DRAM", help);
            return None;
        }
        if stream.block != Some(block) {
            continue;
        }
        let operator = &operators[stream.operator];
        let what = format!("working set of traffic `{}`", decl.name);
        let kib = scope.compile(&set.kib, &what, &operator.declared_counts.locals())?;
        let kib = scope.at_least(kib, 0.0, &set.kib.span, &what);
        if scope.graph.is_tiled(kib) && !operator.streamed {
            scope.error(&set.kib.span, "this operator works on the whole frame, but its set is by tile", "use scene.*");
            return None;
        }
        let kib = scope.graph.binary(Function::Mul, kib, at_once[stream.operator]);
        sets.push((at, kib, set));
    }
    Some(sets)
}

fn sum<'a>(scope: &mut Scope<'_>, sets: impl Iterator<Item = &'a Set<'a>>) -> NodeId {
    let zero = scope.graph.constant(0.0);
    sets.fold(zero, |total, (_, kib, _)| scope.graph.binary(Function::Add, total, *kib))
}

/// What must fit.
fn fit(scope: &mut Scope<'_>, sram: &Sram, sets: &[Set<'_>]) -> Option<Capacity> {
    sets.iter().find(|(_, _, set)| set.spill.is_none())?;
    let needed = sum(scope, sets.iter().filter(|(_, _, set)| set.spill.is_none()));
    let needed_kib = over_tiles(scope, needed);
    Some(Capacity { block: sram.name.clone(), needed_kib, available_kib: sram.capacity_kib })
}

fn over_tiles(scope: &mut Scope<'_>, value: NodeId) -> NodeId {
    if scope.graph.is_tiled(value) { scope.graph.push(Operation::MaxTiles(value)) } else { value }
}

/// Traffic of the accesses whose data lie in DRAM.
fn spills(
    scope: &mut Scope<'_>,
    study: &Study,
    sram: &Sram,
    dram: Option<&Dram>,
    sets: &[Set<'_>],
    traffic: &[Traffic],
) -> Option<Vec<Traffic>> {
    let needed = sum(scope, sets.iter());
    let spillable = sum(scope, sets.iter().filter(|(_, _, set)| set.spill.is_some()));
    let (zero, one) = (scope.graph.constant(0.0), scope.graph.constant(1.0));
    let beyond = scope.graph.binary(Function::Sub, needed, sram.capacity_kib);
    let beyond = scope.graph.binary(Function::Max, beyond, zero);
    let fits = scope.graph.binary(Function::Eq, beyond, zero);
    let share = scope.graph.binary(Function::Div, beyond, spillable);
    let share = scope.graph.binary(Function::Min, share, one);
    let share = scope.graph.select(fits, zero, share);
    let mut extra = Vec::new();
    for (at, _, set) in sets {
        let Some(pattern) = &set.spill else { continue };
        let stream = &traffic[*at];
        let bytes = scope.graph.binary(Function::Mul, stream.bytes, share);
        extra.push(over_dram(scope, study, dram, stream, ("spills", Cause::Spill), bytes, pattern)?);
    }
    Some(extra)
}

/// What a stream between an operator and a block moves over the DRAM channel on top.
fn over_dram(
    scope: &mut Scope<'_>,
    study: &Study,
    dram: Option<&Dram>,
    stream: &Traffic,
    (word, cause): (&str, Cause),
    bytes: NodeId,
    (pattern, span): &(String, Span),
) -> Option<Traffic> {
    let (cycles, latency_cycles) = dram_transfer(scope, study, dram, bytes, (pattern, span), span)?;
    Some(Traffic {
        name: format!("{word} of {}", stream.name),
        cause,
        block: None,
        port: Port::Dram,
        bytes,
        cycles,
        latency_cycles: only_if_moved(scope, bytes, latency_cycles),
        ..stream.clone()
    })
}

/// A latency that nothing pays where nothing moves.
fn only_if_moved(scope: &mut Scope<'_>, bytes: NodeId, latency_cycles: NodeId) -> NodeId {
    let most = over_tiles(scope, bytes);
    let zero = scope.graph.constant(0.0);
    let none = scope.graph.binary(Function::Eq, most, zero);
    scope.graph.select(none, zero, latency_cycles)
}
