//! The IRs, by the plan and evaluator that sweeps use.

use super::ir::{
    HardwareRef, MAPPED_FORMAT, MappedIr, PortBytes, Resource, SCHEDULED_FORMAT, ScheduleIr, ScheduledIr,
    ScheduledOperator, UnitActivity, VERSION,
};
use crate::ppa::{Breakdown, Evaluator, Outcome, Plan};
use crate::schedule::{Timeline, TimelineOptions};
use crate::spec::traced;
use crate::spec::{Diagnostic, Diagnostics, Study};
use crate::trace::workload::Workload;

/// Fits a workload to a hardware and binds every operator to a unit; `name` is the workload's in messages.
///
/// # Errors
/// Every fault of the hardware file, and every operator that no unit can execute, with why each unit was refused.
pub fn map(workload: Workload, name: &str, hardware: &str) -> Result<MappedIr, Diagnostics> {
    let (decl, kinds) = Study::hardware_and_kinds(hardware)?;
    let mut workload = traced::fit(workload, &decl, &kinds);
    let (study, parts, _) =
        evaluate(&workload, name, hardware, TimelineOptions { intervals: 0, bins: 1, ..TimelineOptions::default() })?;
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

/// Schedules what was mapped; `name` is the mapped IR's in messages.
///
/// # Errors
/// Every fault of the hardware file or of the workload.
pub fn schedule(mapped: &MappedIr, name: &str, hardware: &str) -> Result<ScheduledIr, Diagnostics> {
    let (study, ppa, (timeline, ports)) = evaluate(&mapped.workload, name, hardware, TimelineOptions::default())?;
    if study.hardware.name != mapped.hardware.name {
        let message =
            format!("`{name}` was mapped to hardware `{}`, not `{}`", mapped.hardware.name, study.hardware.name);
        return Err(Diagnostics(vec![Diagnostic::placeless(message).help("map the trace to this hardware first")]));
    }
    Ok(ScheduledIr {
        format: SCHEDULED_FORMAT.into(),
        version: VERSION,
        hardware: reference(&study, hardware),
        workload: mapped.workload.clone(),
        schedule: schedule_ir(&timeline, &ppa, ports),
        ppa,
        warnings: mapped.warnings.clone(),
    })
}

fn reference(study: &Study, file: &str) -> HardwareRef {
    HardwareRef { file: file.to_owned(), name: study.hardware.name.clone(), node_nm: study.hardware.node_nm }
}

type Written = (Timeline, Vec<(String, String)>);

/// The one point of a workload on a hardware.
fn evaluate(
    workload: &Workload,
    name: &str,
    hardware: &str,
    options: TimelineOptions,
) -> Result<(Study, Breakdown, Written), Diagnostics> {
    let (study, _) = Study::of_workload(workload, name, hardware)?;
    let (plan, _) = Plan::compile_detailed(&study)?;
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
    match (evaluator.breakdown(0), evaluator.timeline(0, options)) {
        (Some(parts), Some(timeline)) => Ok((study, parts, (timeline, ports))),
        _ => Err(fault("this has no schedule".into())),
    }
}

fn schedule_ir(timeline: &Timeline, ppa: &Breakdown, ports: Vec<(String, String)>) -> ScheduleIr {
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
                applied_optimizations: Vec::new(),
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
            .into_iter()
            .zip(&timeline.port_bytes)
            .map(|((memory, direction), bytes)| PortBytes { memory, direction, bytes: bytes.clone() })
            .collect(),
    }
}
