//! The IRs, by the plan and evaluator that sweeps use.

use std::path::Path;

use super::ir::{
    AppliedOptimization, HardwareRef, MAPPED_FORMAT, MappedIr, PortBytes, Resource, SCHEDULED_FORMAT, ScheduleIr,
    ScheduledIr, ScheduledOperator, UnitActivity, VERSION,
};
use crate::ppa::{Breakdown, Evaluator, Outcome, Plan, Saving};
use crate::schedule::{Timeline, TimelineOptions};
use crate::spec::hardware::HardwareDecl;
use crate::spec::tree::MAX_ITEMS;
use crate::spec::workload::{Workload, fit};
use crate::spec::{Diagnostic, Diagnostics, Study};

/// Fits a workload to a hardware and binds every operator to a unit; `name` is the workload's in messages.
///
/// # Errors
/// Every fault of the hardware file, and every operator that no unit can execute, with why each unit was refused.
pub fn map(workload: Workload, name: &str, hardware: &str) -> Result<MappedIr, Diagnostics> {
    let (decl, kinds) = Study::hardware_and_kinds(hardware)?;
    // Fitting adds to what there is, in time that grows with its square.
    fits_a_pipeline(&workload, name)?;
    let mut workload = fit(workload, &decl, &kinds);
    fits_a_pipeline(&workload, name)?;
    let options = TimelineOptions { intervals: 0, bins: 1, ..TimelineOptions::default() };
    let Evaluated { study, parts, .. } = evaluate(&workload, name, (hardware, None), options)?;
    for operator in &mut workload.operators {
        let part = parts.operators.iter().find(|part| part.name == operator.name);
        operator.unit = part.map(|part| part.unit_name.clone());
    }
    Ok(MappedIr {
        format: MAPPED_FORMAT.into(),
        version: VERSION,
        hardware: reference(&study, hardware),
        warnings: workload.remarks.clone(),
        workload,
        resources: parts
            .operators
            .into_iter()
            .map(|part| Resource {
                operator: part.name,
                unit: part.unit_name,
                instances: part.instances,
                groups: part.groups,
                compute_cycles: part.compute_cycles,
                memory: part.memory,
            })
            .collect(),
    })
}

/// Checks that a workload is no larger than a pipeline can be.
fn fits_a_pipeline(workload: &Workload, name: &str) -> Result<(), Diagnostics> {
    let parts = [workload.operators.len(), workload.edges.len(), workload.traffic.len()];
    if parts.iter().all(|count| *count <= MAX_ITEMS) {
        return Ok(());
    }
    let [operators, edges, traffic] = parts;
    let message = format!(
        "`{name}` has {operators} operators, {edges} dependencies and {traffic} transfers to memories; a pipeline has at most {MAX_ITEMS} of each"
    );
    let help = "`nerarch-dse operators` schedules traces of any length";
    Err(Diagnostics(vec![Diagnostic::placeless(message).help(help)]))
}

/// Schedules what was mapped, with the techniques of an optimization file; `name` is the mapped IR's in messages.
///
/// # Errors
/// Every fault of the hardware file, of the optimization file or of the workload; a technique that the hardware does not
/// support, or that applies to no operator.
pub fn schedule(
    mapped: &MappedIr,
    name: &str,
    hardware: &str,
    optimization: Option<&Path>,
) -> Result<ScheduledIr, Diagnostics> {
    let evaluated = evaluate(&mapped.workload, name, (hardware, optimization), TimelineOptions::default())?;
    let study = &evaluated.study;
    if study.hardware.name != mapped.hardware.name {
        let message =
            format!("`{name}` was mapped to hardware `{}`, not `{}`", mapped.hardware.name, study.hardware.name);
        return Err(Diagnostics(vec![Diagnostic::placeless(message).help("map the trace to this hardware first")]));
    }
    Ok(ScheduledIr {
        format: SCHEDULED_FORMAT.into(),
        version: VERSION,
        hardware: reference(study, hardware),
        workload: mapped.workload.clone(),
        schedule: schedule_ir(&evaluated),
        ppa: evaluated.parts,
        warnings: mapped.warnings.clone(),
    })
}

fn reference(study: &Study, file: &str) -> HardwareRef {
    let HardwareDecl { name, node_nm, source, .. } = &study.hardware;
    HardwareRef { file: file.to_owned(), name: name.clone(), node_nm: *node_nm, source: source.clone() }
}

/// The one point of a workload on a hardware.
pub(super) struct Evaluated {
    study: Study,
    pub parts: Breakdown,
    timeline: Timeline,
    /// Memory and direction of the timeline's ports.
    ports: Vec<(String, String)>,
    savings: Vec<Saving>,
}

pub(super) fn evaluate(
    workload: &Workload,
    name: &str,
    (hardware, optimization): (&str, Option<&Path>),
    options: TimelineOptions,
) -> Result<Evaluated, Diagnostics> {
    let (study, _) = Study::of_workload(workload, name, hardware, optimization)?;
    let (plan, _) = Plan::compile_detailed(&study)?;
    if let Some(axis) = plan.axes.first() {
        let message = format!("`{}` has {} values, but a schedule is of one design", axis.name, axis.values.len());
        return Err(Diagnostics(vec![Diagnostic::placeless(message).help("give it one value; `sweep` walks several")]));
    }
    let mut evaluator = Evaluator::new(&plan);
    let outcome = evaluator.evaluate(&[]);
    let fault =
        |message: String| Diagnostics(vec![Diagnostic::placeless(message).help("check the hardware's figures")]);
    match outcome {
        Outcome::Feasible => {}
        Outcome::Infeasible { constraint, .. } => {
            let name = plan.constraints.get(constraint).map_or("", |constraint| constraint.name.as_str());
            return Err(fault(format!("the hardware's defaults break its constraint `{name}`")));
        }
        Outcome::Failed => return Err(fault(format!("this has no result: {}", evaluator.reason()))),
    }
    let ports = evaluator.ports(0).into_iter().map(|port| (port.memory, port.direction)).collect();
    let savings = evaluator.savings(0).collect();
    match (evaluator.breakdown(0), evaluator.timeline(0, options)) {
        (Some(parts), Some(timeline)) => Ok(Evaluated { study, parts, timeline, ports, savings }),
        _ => Err(fault("this has no schedule".into())),
    }
}

/// The techniques on an operator, in the order in which they apply.
fn applied(Evaluated { study, savings, .. }: &Evaluated, operator: &str) -> Vec<AppliedOptimization> {
    let of_operator = |saving: &&Saving| {
        study.pipeline.operators.get(saving.operator).is_some_and(|declared| declared.name == operator)
    };
    let one = |saving: &Saving| {
        let technique = study.techniques.get(saving.technique)?;
        Some(AppliedOptimization {
            technique: technique.name.clone(),
            saving: technique.saving.name().to_owned(),
            s_comp: saving.s_comp,
            r_bytes: saving.r_bytes,
            energy: saving.energy,
        })
    };
    savings.iter().filter(of_operator).filter_map(one).collect()
}

fn schedule_ir(evaluated: &Evaluated) -> ScheduleIr {
    let Evaluated { parts: ppa, timeline, ports, .. } = evaluated;
    let operators = ppa
        .operators
        .iter()
        .enumerate()
        .map(|(stage, part)| {
            let own = timeline.intervals.iter().filter(|interval| interval.stage == stage);
            let mut instance: Vec<usize> = own.filter_map(|interval| interval.group).collect();
            instance.sort_unstable();
            instance.dedup();
            ScheduledOperator {
                name: part.name.clone(),
                unit: part.unit_name.clone(),
                instance,
                start_cycles: part.start_cycles,
                duration_cycles: part.end_cycles - part.start_cycles,
                data_movement: part.memory.clone(),
                applied_optimizations: applied(evaluated, &part.name),
            }
        })
        .collect();
    let units = ppa.units.iter().zip(timeline.occupied.iter().zip(&timeline.computing));
    ScheduleIr {
        makespan_cycles: timeline.makespan,
        operators,
        intervals: timeline.intervals.clone(),
        omitted_intervals: timeline.omitted,
        bin_cycles: timeline.bin_cycles,
        units: units
            .map(|(unit, (occupied, computing))| UnitActivity {
                unit: unit.block.name.clone(),
                occupied: occupied.clone(),
                computing: computing.clone(),
            })
            .collect(),
        ports: ports
            .iter()
            .zip(&timeline.port_bytes)
            .map(|((memory, direction), bytes)| PortBytes {
                memory: memory.clone(),
                direction: direction.clone(),
                bytes: bytes.clone(),
            })
            .collect(),
    }
}
