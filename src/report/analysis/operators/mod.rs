//! A traced graph of whole operators, as large as it may be, on one hardware.
//!
//! Operators of the same kind, sizes and traffic cost the same: each such class goes through the plan and evaluator of a sweep
//! once, with the memory ports for itself (`class`). Its cycles then are a task wherever it occurs, and the tasks are scheduled as a graph (`layout`,
//! [`tasks`](crate::schedule::tasks)): a unit executes one operator at a time, and operators that are at work at the same moment
//! share the memory ports. `text` says what came of it.

mod class;
mod layout;
mod text;

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use self::class::{Class, Member, Site, TOGETHER, signature};
use self::layout::Layout;
use crate::schedule::tasks::{Outcome, Policy};
use crate::spec::workload::{Transfer, Workload, WorkloadOperator};
use crate::spec::{Diagnostics, Study};

/// When every operator of a trace works.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorSchedule {
    /// The workload's name.
    pub workload: String,
    /// The hardware's name.
    pub hardware: String,
    /// Its clock.
    pub clock_mhz: f64,
    /// Operators, each composite as one.
    pub calls: usize,
    /// Dependencies between them.
    pub edges: usize,
    /// Classes of operators that cost the same.
    pub classes: usize,
    /// Units in the order of the hardware file, each with its operators and the cycles for which it is occupied.
    pub units: Vec<(String, usize, f64)>,
    /// Memory ports that are used, with the cycles that all transfers take at their full rate.
    pub ports: Vec<(String, f64)>,
    /// Operators in the order of the trace, stages of composites apart.
    pub operators: Vec<PlacedOperator>,
    /// Length, and what no schedule can beat.
    pub outcome: Outcome,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// An operator in time.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedOperator {
    /// Its name.
    pub name: String,
    /// Index among the units.
    pub unit: usize,
    /// First cycle.
    pub start: f64,
    /// When its unit is free again.
    pub end: f64,
    /// When its result is there.
    pub result: f64,
}

/// Schedules the operators of a workload in which nothing streams, and verifies the schedule; `name` is the workload's in
/// messages.
///
/// # Errors
/// Every fault of the hardware file; operators that no unit can execute; operators that wait for each other, by name.
pub fn schedule_operators(
    workload: &Workload,
    name: &str,
    hardware: &str,
    policy: &Policy,
) -> Result<OperatorSchedule, Diagnostics> {
    let mut transfers: HashMap<&str, Vec<&Transfer>> = HashMap::new();
    for transfer in &workload.traffic {
        transfers.entry(&transfer.operator).or_default().push(transfer);
    }
    let traffic = |operator: &WorkloadOperator| transfers.get(operator.name.as_str()).map_or(&[][..], Vec::as_slice);
    // The first operator of each class, and the class of each operator.
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut first: Vec<&WorkloadOperator> = Vec::new();
    let mut class_of = Vec::with_capacity(workload.operators.len());
    for operator in &workload.operators {
        let class = *known.entry(signature(operator, traffic(operator))).or_insert(first.len());
        if class == first.len() {
            first.push(operator);
        }
        class_of.push(class);
    }
    let (decl, kinds) = Study::hardware_and_kinds(hardware)?;
    let members: Vec<Member<'_>> = first.into_iter().map(|operator| (operator, traffic(operator))).collect();
    let site = Site { workload, name, hardware, decl: &decl, kinds: &kinds };
    let found: Vec<Result<Vec<Class>, Diagnostics>> =
        members.par_chunks(TOGETHER).map(|members| site.evaluate(members)).collect();
    let (mut classes, mut faults) = (Vec::new(), Vec::new());
    for together in found {
        match together {
            Ok(more) => classes.extend(more),
            Err(Diagnostics(more)) => faults.extend(more),
        }
    }
    // A fault of the hardware is one of every class.
    let mut said = HashSet::new();
    faults.retain(|fault| said.insert(Diagnostics(vec![fault.clone()]).to_string()));
    if !faults.is_empty() {
        return Err(Diagnostics(faults));
    }
    Layout::new(workload, &class_of, &classes).schedule(workload, name, decl.name, policy)
}
