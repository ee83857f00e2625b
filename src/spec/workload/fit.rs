//! A workload on the units and memories of a hardware.

use std::collections::BTreeMap;

use super::description::{DRAM, Dependency, Movement, Order, Transfer, Workload, WorkloadOperator};
use crate::spec::hardware::{HardwareDecl, SramDecl, UnitDecl};
use crate::spec::kind::{KindDecl, Pass};

/// Fits a workload to a hardware: composites of which only the stages have units become their stages, tensors pass
/// through the SRAM blocks that the units are bound to where these state their ports, and traffic to a memory that the
/// hardware does not have is left out and said.
pub fn fit(mut workload: Workload, hardware: &HardwareDecl, kinds: &[KindDecl]) -> Workload {
    expand_composites(&mut workload, hardware, kinds);
    add_buffer_traffic(&mut workload, hardware, kinds);
    if hardware.dram.is_some() {
        workload.remarks.push(
            "DRAM carries what enters and leaves the model, weights once, and activations kept for the backward pass; tensors between operators are taken to stay on the chip".to_owned(),
        );
    } else {
        workload.traffic.retain(|transfer| transfer.memory != DRAM);
        workload.remarks.push(format!(
            "hardware `{}` has no DRAM: what enters and leaves the chip costs neither time nor energy",
            hardware.name
        ));
    }
    for call in &workload.unrecognised {
        workload.remarks.push(format!(
            "`{}` ({} {}, {:.1} % of all calls, {:.1} % of the bytes) is not in the pipeline and costs nothing: {}",
            call.function,
            call.calls,
            if call.calls == 1 { "call" } else { "calls" },
            call.share_of_calls * 100.0,
            call.share_of_bytes * 100.0,
            call.reason
        ));
    }
    workload
}

fn pass_of(operator: &WorkloadOperator) -> Pass {
    if operator.pass == Pass::Backward.name() { Pass::Backward } else { Pass::Forward }
}

fn executes(unit: &UnitDecl, kind: &str, category: &str, pass: Pass) -> bool {
    unit.passes.contains(&pass) && unit.executes.iter().any(|(word, _)| word == kind || word == category)
}

fn expand_composites(workload: &mut Workload, hardware: &HardwareDecl, kinds: &[KindDecl]) {
    let find = |name: &str| kinds.iter().find(|kind| kind.name == name);
    let has_unit =
        |kind: &KindDecl, pass| hardware.units.iter().any(|unit| executes(unit, &kind.name, &kind.category, pass));
    let mut operators = Vec::with_capacity(workload.operators.len());
    for operator in std::mem::take(&mut workload.operators) {
        let pass = pass_of(&operator);
        let kind = find(&operator.kind);
        let stages: Vec<&KindDecl> =
            kind.iter().flat_map(|kind| &kind.stages).filter_map(|(stage, _)| find(stage)).collect();
        let whole = kind.is_none_or(|kind| stages.is_empty() || has_unit(kind, pass));
        let fits = |stage: &&KindDecl| has_unit(stage, pass) && !stage.counts_of(pass).is_empty();
        if whole || !stages.iter().all(fits) {
            operators.push(operator);
            continue;
        }
        let parts: Vec<WorkloadOperator> = stages.iter().map(|stage| stage_of(&operator, stage)).collect();
        rewire(workload, &operator, &parts);
        operators.extend(parts);
    }
    workload.operators = operators;
}

/// One stage of a composite, with the counts of its kind.
fn stage_of(operator: &WorkloadOperator, stage: &KindDecl) -> WorkloadOperator {
    let takes = |name: &str| stage.parameters.iter().any(|(parameter, _, _)| parameter == name);
    WorkloadOperator {
        name: format!("{}.{}", operator.name, stage.name),
        kind: stage.name.clone(),
        category: stage.category.clone(),
        parameters: operator
            .parameters
            .iter()
            .filter(|(name, _)| takes(name))
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
        counts: BTreeMap::new(),
        ..operator.clone()
    }
}

/// Edges and traffic of a composite lead into its first and out of its last stage.
fn rewire(workload: &mut Workload, operator: &WorkloadOperator, parts: &[WorkloadOperator]) {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
    for edge in &mut workload.edges {
        if edge.from == operator.name {
            edge.from.clone_from(&last.name);
        }
        if edge.to == operator.name {
            edge.to.clone_from(&first.name);
        }
    }
    for transfer in workload.traffic.iter_mut().filter(|transfer| transfer.operator == operator.name) {
        let end = if transfer.direction == Movement::Read { first } else { last };
        transfer.operator.clone_from(&end.name);
    }
    let kind = if operator.streamed { Order::Stream } else { Order::Barrier };
    for pair in parts.windows(2) {
        if let [before, after] = pair {
            let (from, to) = (before.name.clone(), after.name.clone());
            workload.edges.push(Dependency { from, to, kind, bytes: None, inferred: false });
        }
    }
}

fn add_buffer_traffic(workload: &mut Workload, hardware: &HardwareDecl, kinds: &[KindDecl]) {
    for operator in &workload.operators {
        let pass = pass_of(operator);
        let category = kinds.iter().find(|kind| kind.name == operator.kind).map_or("", |kind| kind.category.as_str());
        let able: Vec<&UnitDecl> =
            hardware.units.iter().filter(|unit| executes(unit, &operator.kind, category, pass)).collect();
        for (direction, count, name) in [
            (Movement::Read, "read_bytes", "tensors from the buffer"),
            (Movement::Write, "write_bytes", "tensors to the buffer"),
        ] {
            let Some(bytes) = operator.counts.get(count).filter(|bytes| **bytes > 0.0) else { continue };
            let block = hardware.srams.iter().find(|block| {
                has_port(block, direction)
                    && !able.is_empty()
                    && able.iter().all(|unit| reaches(unit, block, direction))
            });
            let there = |transfer: &Transfer| {
                transfer.operator == operator.name && transfer.direction == direction && transfer.memory != DRAM
            };
            if let Some(block) = block.filter(|_| !workload.traffic.iter().any(there)) {
                workload.traffic.push(Transfer {
                    name: name.to_owned(),
                    operator: operator.name.clone(),
                    memory: block.name.clone(),
                    direction,
                    bytes: *bytes,
                });
            }
        }
    }
}

fn has_port(block: &SramDecl, direction: Movement) -> bool {
    match direction {
        Movement::Read => block.read_gb_per_s.is_some() && block.read_latency_cycles.is_some(),
        Movement::Write => block.write_gb_per_s.is_some() && block.write_latency_cycles.is_some(),
    }
}

fn reaches(unit: &UnitDecl, block: &SramDecl, direction: Movement) -> bool {
    let bound = if direction == Movement::Read { &unit.reads } else { &unit.writes };
    bound.iter().any(|(name, _)| *name == block.name)
}
