//! A workload on the units and memories of a hardware.

use std::collections::BTreeMap;

use super::description::{DRAM, Dependency, Movement, Order, Transfer, Workload, WorkloadOperator};
use crate::spec::hardware::{HardwareDecl, SramDecl, UnitDecl};
use crate::spec::kind::{KindDecl, Pass};
use crate::spec::pipeline::{EdgeKind, OperatorDecl};
use crate::spec::scope::{Scope, Typed};
use crate::spec::traced::check;
use crate::spec::{Collector, arguments, composite};

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

/// Gives the workload the stages that its composites have as a pipeline on this hardware.
fn expand_composites(workload: &mut Workload, hardware: &HardwareDecl, kinds: &[KindDecl]) {
    // What is wrong with the description is reported where it is checked as a pipeline.
    let faults = Collector::default();
    let Some((_, mut pipeline)) = check(workload, &workload.name, &faults) else { return };
    let (traced, edges, traffic) = (pipeline.operators.len(), pipeline.edges.len(), pipeline.traffic.len());
    let sound = (traced, edges, traffic) == (workload.operators.len(), workload.edges.len(), workload.traffic.len());
    if faults.error_count() > 0 || !sound {
        return;
    }
    composite::expand(&mut pipeline, hardware, kinds, &faults);
    if faults.error_count() > 0 || pipeline.operators.len() == traced {
        return;
    }
    let whole = std::mem::take(&mut workload.operators);
    for decl in &pipeline.operators {
        let Some(operator) = whole.iter().find(|operator| operator.name == decl.declared().name) else { continue };
        let stage = decl.stage_of.as_ref().and_then(|_| stage_of(operator, decl, kinds));
        workload.operators.push(stage.unwrap_or_else(|| operator.clone()));
    }
    let inner = pipeline.edges.split_off(edges);
    for (edge, decl) in workload.edges.iter_mut().zip(pipeline.edges) {
        (edge.from, edge.to) = (decl.from.0, decl.to.0);
    }
    workload.edges.extend(inner.into_iter().map(|edge| Dependency {
        from: edge.from.0,
        to: edge.to.0,
        kind: if edge.kind == EdgeKind::Stream { Order::Stream } else { Order::Barrier },
        bytes: None,
        inferred: false,
    }));
    for (transfer, decl) in workload.traffic.iter_mut().zip(pipeline.traffic) {
        transfer.operator = decl.operator.0;
    }
}

/// One stage of a traced composite, with the counts of its kind.
fn stage_of(operator: &WorkloadOperator, decl: &OperatorDecl, kinds: &[KindDecl]) -> Option<WorkloadOperator> {
    let kind = kinds.iter().find(|kind| kind.name == decl.kind.0)?;
    let faults = Collector::default();
    let mut scope = Scope::new(Vec::new(), &faults);
    let values = arguments::values(&mut scope, kinds, decl, kind, None)?;
    let given = |name: &str| decl.arguments.iter().any(|(argument, _, _)| argument == name);
    let number = |typed: &Typed| scope.graph.constant_value(typed.node);
    Some(WorkloadOperator {
        name: decl.name.clone(),
        kind: kind.name.clone(),
        category: kind.category.clone(),
        pass: decl.pass.name().to_owned(),
        parameters: values
            .iter()
            .filter(|(name, _)| given(name))
            .map(|(name, typed)| Some((name.clone(), number(typed)?)))
            .collect::<Option<_>>()?,
        counts: BTreeMap::new(),
        ..operator.clone()
    })
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
