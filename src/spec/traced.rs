//! Traces of real renderers as pipelines: read, fitted to a hardware, and checked like a pipeline that somebody wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::diagnostic::{Collector, Diagnostic};
use super::hardware::{HardwareDecl, SramDecl, UnitDecl};
use super::kind::{KindDecl, Pass};
use super::pipeline::{self, EdgeKind, OperatorDecl, PipelineDecl};
use super::scope::{Scope, Typed};
use super::source::{Origin, Source, Span};
use super::{arguments, composite};
use crate::trace::workload::{DRAM, Dependency, Movement, Order, Transfer, Workload, WorkloadOperator, describe};
use crate::trace::{CallTables, TraceError, TransformOptions, read, transform};

/// Extensions of files that are traces and not declarations.
const EXTENSIONS: [&str; 9] = ["pkl", "pickle", "gpickle", "json", "graphml", "xml", "gml", "dot", "gv"];

/// Whether the name of a pipeline is that of a trace.
pub fn is_trace(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// Finds a trace: from the folder of the file that names it, then from here.
pub fn find(name: &str, referrer: &Span) -> PathBuf {
    if let Origin::File(path) = &referrer.source().origin
        && let Some(folder) = path.parent()
        && folder.join(name).exists()
    {
        return folder.join(name);
    }
    PathBuf::from(name)
}

/// Reads a trace and describes it as a workload.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load(path: &Path, options: &TransformOptions) -> Result<Workload, Diagnostic> {
    let fail = |error: TraceError| {
        let place = error.place().map_or(String::new(), |place| format!(" at {place}"));
        Diagnostic::placeless(format!("`{}`{place}: {}", path.display(), error.problem())).help(error.remedy())
    };
    let graph = read::from_path(path).map_err(fail)?;
    let tables = CallTables::stock().map_err(fail)?;
    let pipeline = transform(&graph, &tables, options).map_err(fail)?;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("trace");
    Ok(describe(&pipeline, name))
}

/// Checks a workload's description like a pipeline file; `name` is what its faults are called after.
pub fn check(workload: &Workload, name: &str, diagnostics: &Collector) -> Option<(Arc<Source>, PipelineDecl)> {
    let name = format!("{name} (as a pipeline)");
    let origin = Origin::Stock(name.clone());
    let source = Arc::new(Source { name, text: workload.to_toml(), origin });
    let pipeline = pipeline::read(&source, diagnostics)?;
    Some((source, pipeline))
}

/// Fits a workload to a hardware: composites of which only the stages have units become their stages, tensors pass
/// through the SRAM blocks that the units are bound to where these state their ports, and traffic to a memory that the
/// hardware does not have is left out and said.
pub fn fit(mut workload: Workload, hardware: &HardwareDecl, kinds: &[KindDecl]) -> Workload {
    expand_composites(&mut workload, hardware, kinds);
    add_buffer_traffic(&mut workload, hardware, kinds);
    if hardware.dram.is_none() && workload.traffic.iter().any(|transfer| transfer.memory == DRAM) {
        workload.traffic.retain(|transfer| transfer.memory != DRAM);
        workload.remarks.push(format!(
            "hardware `{}` has no DRAM: what enters and leaves the chip costs neither time nor energy",
            hardware.name
        ));
    }
    for call in &workload.unrecognised {
        workload.remarks.push(format!(
            "`{}` ({} calls, {:.1} % of all calls, {:.1} % of the bytes) is not in the pipeline and costs nothing: {}",
            call.function,
            call.calls,
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
        counts: std::collections::BTreeMap::new(),
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
