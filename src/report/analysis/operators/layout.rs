//! All tasks of a trace.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::class::Class;
use super::{OperatorSchedule, PlacedOperator};
use crate::schedule::tasks::{GraphError, Policy, Resources, Shared, Task, TaskGraph, Workspace, check, schedule};
use crate::spec::workload::Workload;
use crate::spec::{Diagnostic, Diagnostics};

/// Operators of a cycle that are named.
const MOST_NAMED: usize = 12;

/// The classes laid out, operator by operator.
pub(super) struct Layout<'a> {
    classes: &'a [Class],
    class_of: &'a [usize],
    /// The first task of each operator.
    bases: Vec<u32>,
    tasks: Vec<Task>,
    edges: Vec<(u32, u32)>,
    /// For each memory port who uses which share of it.
    ports: BTreeMap<&'a str, Vec<(u32, f64)>>,
}

impl<'a> Layout<'a> {
    pub fn new(workload: &Workload, class_of: &'a [usize], classes: &'a [Class]) -> Self {
        let mut layout =
            Self { classes, class_of, bases: Vec::new(), tasks: Vec::new(), edges: Vec::new(), ports: BTreeMap::new() };
        for class in class_of.iter().map(|class| &classes[*class]) {
            let base = layout.tasks.len() as u32;
            layout.bases.push(base);
            layout.tasks.extend_from_slice(&class.tasks);
            layout.edges.extend(class.edges.iter().map(|(from, to)| (base + from, base + to)));
            for (task, port, share) in &class.demands {
                layout.ports.entry(port).or_default().push((base + task, *share));
            }
        }
        let operators = &workload.operators;
        let index: HashMap<&str, usize> =
            operators.iter().enumerate().map(|(at, operator)| (operator.name.as_str(), at)).collect();
        for edge in &workload.edges {
            let (Some(&from), Some(&to)) = (index.get(edge.from.as_str()), index.get(edge.to.as_str())) else {
                continue;
            };
            for exit in &classes[class_of[from]].exits {
                for entry in &classes[class_of[to]].entries {
                    layout.edges.push((layout.bases[from] + exit, layout.bases[to] + entry));
                }
            }
        }
        layout
    }

    /// Schedules the tasks and verifies what comes out.
    pub fn schedule(
        self,
        workload: &Workload,
        name: &str,
        hardware: String,
        policy: &Policy,
    ) -> Result<OperatorSchedule, Diagnostics> {
        let Self { classes, class_of, bases, tasks, edges, ports } = self;
        let fault = |message: String| Diagnostics(vec![Diagnostic::placeless(message)]);
        let (units, clock_mhz) = classes.first().map_or((&[][..], 0.0), |class| (&class.units, class.clock_mhz));
        let delays = tasks.iter().filter(|task| task.unit as usize == units.len()).count() as u32;
        let graph = TaskGraph::new(tasks, &edges).map_err(|error| match error {
            GraphError::Cycle(cycle) => {
                let owner = |task: &u32| bases.partition_point(|base| base <= task) - 1;
                let mut names: Vec<&str> =
                    cycle.iter().map(|task| workload.operators[owner(task)].name.as_str()).collect();
                names.dedup();
                let more = names.len().saturating_sub(MOST_NAMED);
                names.truncate(MOST_NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                fault(format!("operators of `{name}` wait for each other: `{}`{more}", names.join("` -> `")))
            }
            other => fault(format!("`{name}` cannot be scheduled: {other}")),
        })?;
        let shared = ports.values().map(|demands| Shared { capacity: 1.0, demands: demands.clone() });
        // A unit executes one operator at a time; what only takes time has a place for each.
        let mut instances = vec![1; units.len()];
        instances.push(delays);
        let resources = Resources::units(instances)
            .sharing(&graph, shared.collect(), Vec::new())
            .map_err(|error| fault(format!("`{name}` cannot be scheduled: {error}")))?;
        let mut workspace = Workspace::default();
        let outcome = schedule(&graph, &resources, policy, &mut workspace)
            .map_err(|error| fault(format!("`{name}` cannot be scheduled: {error}")))?;
        let placements = workspace.placements();
        check(&graph, &resources, placements)
            .map_err(|violation| fault(format!("the schedule of `{name}` is wrong: {violation}")))?;
        let mut busy: Vec<(String, usize, f64)> = units.iter().map(|unit| (unit.clone(), 0, 0.0)).collect();
        let mut operators = Vec::with_capacity(workload.operators.len());
        for ((operator, class), base) in workload.operators.iter().zip(class_of).zip(&bases) {
            for part in &classes[*class].parts {
                let (work, result) = (base + part.work, base + part.result);
                let task = graph.tasks()[work as usize];
                let placed = placements[work as usize];
                let unit = &mut busy[task.unit as usize];
                (unit.1, unit.2) = (unit.1 + 1, unit.2 + task.cycles);
                operators.push(PlacedOperator {
                    name: format!("{}{}", operator.name, part.suffix),
                    unit: task.unit as usize,
                    start: placed.start,
                    end: placed.end,
                    result: placements[result as usize].end,
                });
            }
        }
        let used = |demands: &[(u32, f64)]| {
            demands.iter().map(|(task, share)| share * graph.tasks()[*task as usize].cycles).sum::<f64>()
        };
        let remarks = classes.iter().flat_map(|class| &class.remarks);
        let warnings: BTreeSet<&String> = workload.remarks.iter().chain(remarks).collect();
        Ok(OperatorSchedule {
            workload: workload.name.clone(),
            hardware,
            clock_mhz,
            calls: workload.operators.len(),
            edges: workload.edges.len(),
            classes: classes.len(),
            units: busy,
            ports: ports.iter().map(|(port, demands)| ((*port).to_owned(), used(demands))).collect(),
            operators,
            outcome,
            warnings: warnings.into_iter().cloned().collect(),
        })
    }
}
