//! Operators that cost the same.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::build::evaluate;
use crate::ppa::breakdown::{Breakdown, OperatorShare};
use crate::schedule::TimelineOptions;
use crate::schedule::tasks::Task;
use crate::spec::Diagnostics;
use crate::spec::hardware::HardwareDecl;
use crate::spec::kind::KindDecl;
use crate::spec::workload::{Transfer, Workload, WorkloadOperator, fit};

/// All that the cost of an operator depends on.
pub(super) fn signature(operator: &WorkloadOperator, traffic: &[&Transfer]) -> String {
    let WorkloadOperator { kind, pass, parameters, counts, .. } = operator;
    let mut text = format!("{kind} {pass} {parameters:?} {counts:?}");
    for Transfer { name, memory, direction, bytes, .. } in traffic {
        let _ = write!(text, " {name} {memory} {direction:?} {bytes:?}");
    }
    text
}

/// What one operator of a class takes: its tasks, numbered from 0, and who of them waits for whom.
pub(super) struct Class {
    pub tasks: Vec<Task>,
    pub edges: Vec<(u32, u32)>,
    /// Tasks that wait for what comes before the operator, and those that what comes after it waits for.
    pub entries: Vec<u32>,
    pub exits: Vec<u32>,
    pub parts: Vec<Part>,
    /// Share of a memory port that a task uses while it works.
    pub demands: Vec<(u32, String, f64)>,
    pub clock_mhz: f64,
    pub units: Vec<String>,
    pub remarks: Vec<String>,
}

/// The operator itself, or a stage of a composite that the hardware executes in stages.
pub(super) struct Part {
    /// What its name adds to that of the operator.
    pub suffix: String,
    /// The task that occupies its unit, and the one at whose end its result is there.
    pub work: u32,
    pub result: u32,
}

impl Class {
    /// Evaluates an operator by itself: with whole memory ports, as it is where nothing else is at work.
    pub fn evaluate(
        workload: &Workload,
        operator: &WorkloadOperator,
        traffic: &[&Transfer],
        name: &str,
        (hardware, decl, kinds): (&str, &HardwareDecl, &[KindDecl]),
    ) -> Result<Self, Diagnostics> {
        let alone = Workload {
            name: workload.name.clone(),
            tiles: 1,
            operators: vec![operator.clone()],
            edges: Vec::new(),
            traffic: traffic.iter().map(|transfer| (*transfer).clone()).collect(),
            unrecognised: Vec::new(),
            remarks: Vec::new(),
            totals: workload.totals.clone(),
        };
        let alone = fit(alone, decl, kinds);
        let options = TimelineOptions { intervals: 0, bins: 1, ..TimelineOptions::default() };
        let parts = evaluate(&alone, name, (hardware, None), options)?.parts;
        Ok(Self::new(&operator.name, alone, parts))
    }

    fn new(name: &str, alone: Workload, shares: Breakdown) -> Self {
        // What takes time after the work, and no unit: a task on a unit that everything has room on.
        let nowhere = shares.units.len() as u32;
        let mut class = Self {
            tasks: Vec::new(),
            edges: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            parts: Vec::new(),
            demands: Vec::new(),
            clock_mhz: shares.clock_mhz,
            units: shares.units.into_iter().map(|unit| unit.block.name).collect(),
            remarks: alone.remarks,
        };
        let mut of_name = HashMap::new();
        for share in shares.operators {
            let OperatorShare { unit, busy_cycles, latency_cycles, memory, .. } = share;
            let work = class.push(unit as u32, busy_cycles);
            for used in memory.iter().filter(|used| used.cycles > 0.0 && busy_cycles > 0.0) {
                let port = format!("{} {}", used.port.memory, used.port.direction);
                class.demands.push((work, port, (used.cycles / busy_cycles).min(1.0)));
            }
            let result = if latency_cycles > 0.0 { class.push(nowhere, latency_cycles) } else { work };
            if result != work {
                class.edges.push((work, result));
            }
            let suffix = share.name.strip_prefix(name).unwrap_or(&share.name).to_owned();
            of_name.insert(share.name, class.parts.len());
            class.parts.push(Part { suffix, work, result });
        }
        let ends =
            |edge: &crate::spec::workload::Dependency| Some((*of_name.get(&edge.from)?, *of_name.get(&edge.to)?));
        let inner: Vec<(usize, usize)> = alone.edges.iter().filter_map(ends).collect();
        for (at, part) in class.parts.iter().enumerate() {
            if inner.iter().all(|(_, to)| *to != at) {
                class.entries.push(part.work);
            }
            if inner.iter().all(|(from, _)| *from != at) {
                class.exits.push(part.result);
            }
        }
        class.edges.extend(inner.iter().map(|(from, to)| (class.parts[*from].result, class.parts[*to].work)));
        class
    }

    fn push(&mut self, unit: u32, cycles: f64) -> u32 {
        self.tasks.push(Task { unit, cycles });
        self.tasks.len() as u32 - 1
    }
}
