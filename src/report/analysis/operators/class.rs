//! Operators that cost the same.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::build::evaluate;
use crate::ppa::breakdown::{Breakdown, OperatorShare};
use crate::schedule::TimelineOptions;
use crate::schedule::tasks::Task;
use crate::spec::hardware::HardwareDecl;
use crate::spec::kind::KindDecl;
use crate::spec::workload::{Dependency, Order, Transfer, Workload, WorkloadOperator, fit};
use crate::spec::{Diagnostic, Diagnostics, traced};

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

/// Classes that are evaluated together: with what the stages of a composite and their traffic add they stay within a pipeline.
pub(super) const TOGETHER: usize = 24;

/// An operator with its traffic.
pub(super) type Member<'a> = (&'a WorkloadOperator, &'a [&'a Transfer]);

/// Where classes are evaluated.
pub(super) struct Site<'a> {
    pub workload: &'a Workload,
    /// The workload's name in messages.
    pub name: &'a str,
    pub hardware: &'a str,
    pub decl: &'a HardwareDecl,
    pub kinds: &'a [KindDecl],
}

impl Site<'_> {
    /// Evaluates operators one after the other, so that each has the memory ports for itself.
    ///
    /// # Errors
    /// Every fault of each of them.
    pub fn evaluate(&self, members: &[Member<'_>]) -> Result<Vec<Class>, Diagnostics> {
        // Names of one length: none is the beginning of another.
        let names: Vec<String> = (0..members.len()).map(|at| format!("class_{at:04}")).collect();
        if let Ok((alone, shares)) = self.costs(&names, members) {
            return Ok(names.iter().map(|name| Class::new(name, &alone, &shares)).collect());
        }
        // Once more, one by one and by their own names, for the message.
        let generated = traced::source_name(self.name);
        let (mut classes, mut faults) = (Vec::new(), Vec::new());
        for member in members {
            let name = member.0.name.clone();
            match self.costs(std::slice::from_ref(&name), std::slice::from_ref(member)) {
                Ok((alone, shares)) => classes.push(Class::new(&name, &alone, &shares)),
                // Nobody sees the pipeline of one operator that the place would be in.
                Err(Diagnostics(found)) => faults.extend(found.into_iter().map(|fault| Diagnostic {
                    span: fault.span.filter(|span| span.source().name != generated),
                    ..fault
                })),
            }
        }
        if faults.is_empty() { Ok(classes) } else { Err(Diagnostics(faults)) }
    }

    /// The operators, under other names, as a pipeline on the hardware, and what each costs.
    fn costs(&self, names: &[String], members: &[Member<'_>]) -> Result<(Workload, Breakdown), Diagnostics> {
        let both = || names.iter().zip(members);
        let operator = |(name, member): (&String, &Member<'_>)| WorkloadOperator {
            name: name.clone(),
            streamed: false,
            ..member.0.clone()
        };
        let traffic = both().flat_map(|(name, member)| {
            member.1.iter().map(|transfer| Transfer { operator: name.clone(), ..(*transfer).clone() })
        });
        let follows = |pair: &[String]| Dependency {
            from: pair[0].clone(),
            to: pair[1].clone(),
            kind: Order::Barrier,
            bytes: None,
            inferred: true,
        };
        let alone = Workload {
            name: self.workload.name.clone(),
            tiles: 1,
            operators: both().map(operator).collect(),
            edges: names.windows(2).map(follows).collect(),
            traffic: traffic.collect(),
            unrecognised: self.workload.unrecognised.clone(),
            remarks: Vec::new(),
            totals: self.workload.totals.clone(),
        };
        let alone = fit(alone, self.decl, self.kinds);
        let options = TimelineOptions { intervals: 0, bins: 1, ..TimelineOptions::default() };
        let shares = evaluate(&alone, self.name, (self.hardware, None), options)?.parts;
        Ok((alone, shares))
    }
}

impl Class {
    /// The parts of the operator of that name.
    fn new(name: &str, alone: &Workload, shares: &Breakdown) -> Self {
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
            units: shares.units.iter().map(|unit| unit.block.name.clone()).collect(),
            remarks: alone.remarks.clone(),
        };
        let mut of_name = HashMap::new();
        for share in &shares.operators {
            let Some(suffix) = share.name.strip_prefix(name) else { continue };
            let &OperatorShare { unit, busy_cycles, latency_cycles, ref memory, .. } = share;
            let work = class.push(unit as u32, busy_cycles);
            for used in memory.iter().filter(|used| used.cycles > 0.0 && busy_cycles > 0.0) {
                let port = format!("{} {}", used.port.memory, used.port.direction);
                class.demands.push((work, port, (used.cycles / busy_cycles).min(1.0)));
            }
            let result = if latency_cycles > 0.0 { class.push(nowhere, latency_cycles) } else { work };
            if result != work {
                class.edges.push((work, result));
            }
            of_name.insert(&share.name, class.parts.len());
            class.parts.push(Part { suffix: suffix.to_owned(), work, result });
        }
        let ends = |edge: &Dependency| Some((*of_name.get(&edge.from)?, *of_name.get(&edge.to)?));
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
