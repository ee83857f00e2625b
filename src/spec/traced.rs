//! Traces of real renderers as pipelines: read, fitted to a hardware, and checked like a pipeline that somebody wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::{self, Category};
use super::diagnostic::{Collector, Diagnostic};
use super::hardware::{HardwareDecl, SramDecl, UnitDecl};
use super::kind::{KindDecl, Pass};
use super::pipeline::{self, PipelineDecl};
use super::source::{Origin, Source, Span};
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
///
/// # Errors
/// If the name leaves the folders that files may name.
pub fn find(name: &str, referrer: &Span) -> Result<PathBuf, Diagnostic> {
    catalog::stays(name, referrer, Category::Pipeline)?;
    if let Origin::File(path) = &referrer.source().origin
        && let Some(folder) = path.parent()
        && folder.join(name).exists()
    {
        return Ok(folder.join(name));
    }
    Ok(PathBuf::from(name))
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
        counts: std::collections::BTreeMap::new(),
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
