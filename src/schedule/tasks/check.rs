//! Whether placements are a schedule: verified from the declarations alone, with nothing that the scheduler uses.

use thiserror::Error;

use super::{Placement, Resources, TaskGraph};

/// Rounding that is forgiven, as a share of the schedule's length: sums in another order differ by less.
const ROUNDING: f64 = 1e-9;

/// What is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Violation {
    /// Tasks are missing, or there are too many.
    #[error("{found} placements for {tasks} tasks")]
    Count {
        /// Tasks of the graph.
        tasks: usize,
        /// Placements given.
        found: usize,
    },
    /// A task starts before the start, or at no time at all.
    #[error("task {task} starts at {start}")]
    Start {
        /// The task.
        task: u32,
        /// When it starts.
        start: f64,
    },
    /// A task does not last as long as its cycles.
    #[error("task {task} lasts {lasts} cycles instead of {cycles}")]
    Duration {
        /// The task.
        task: u32,
        /// What the schedule gives it.
        lasts: f64,
        /// What it needs.
        cycles: f64,
    },
    /// A task is on an instance that its unit does not have.
    #[error("task {task} is on instance {instance} of unit {unit}, which has {instances}")]
    Instance {
        /// The task.
        task: u32,
        /// Its unit.
        unit: u32,
        /// Where it is placed.
        instance: u32,
        /// How many there are.
        instances: u32,
    },
    /// A consumer starts before its producer has ended.
    #[error("task {to} starts at {start}, before task {from} ends at {end}")]
    Dependency {
        /// The producer.
        from: u32,
        /// The consumer.
        to: u32,
        /// When the producer ends.
        end: f64,
        /// When the consumer starts.
        start: f64,
    },
    /// Two tasks are on one instance at the same time.
    #[error("tasks {first} and {second} are both on instance {instance} of unit {unit} at {time}")]
    Overlap {
        /// The task that is there already.
        first: u32,
        /// The task that starts too early.
        second: u32,
        /// The unit.
        unit: u32,
        /// The instance.
        instance: u32,
        /// When.
        time: f64,
    },
    /// More of a shared resource is used than there is.
    #[error("{used} of shared resource {resource} are in use at {time}; there are {capacity}")]
    Shared {
        /// Index of the resource.
        resource: usize,
        /// When.
        time: f64,
        /// What is used.
        used: f64,
        /// What there is.
        capacity: f64,
    },
    /// More is in a buffer than it has room for.
    #[error("{used} are in buffer {buffer} at {time}; it has room for {capacity}")]
    Room {
        /// Index of the buffer.
        buffer: usize,
        /// When.
        time: f64,
        /// What it holds.
        used: f64,
        /// What it has room for.
        capacity: f64,
    },
}

/// Verifies that every task is placed once, for its cycles, on an instance that exists and is its own meanwhile, after all
/// that it waits for, and that no shared resource or buffer is overdrawn.
///
/// # Errors
/// The first violation found.
pub fn check(graph: &TaskGraph, resources: &Resources, placements: &[Placement]) -> Result<(), Violation> {
    let tasks = graph.tasks();
    if placements.len() != tasks.len() {
        return Err(Violation::Count { tasks: tasks.len(), found: placements.len() });
    }
    let length = placements.iter().map(|placement| placement.end).fold(0.0, f64::max);
    let slack = length * ROUNDING;
    for ((index, task), placement) in (0_u32..).zip(tasks).zip(placements) {
        let Placement { start, end, instance } = *placement;
        if !(start.is_finite() && start >= -slack) {
            return Err(Violation::Start { task: index, start });
        }
        let lasts = end - start;
        let right = (lasts - task.cycles).abs() <= slack;
        if !right {
            return Err(Violation::Duration { task: index, lasts, cycles: task.cycles });
        }
        let instances = resources.instances().get(task.unit as usize).copied().unwrap_or(0);
        if instance >= instances {
            return Err(Violation::Instance { task: index, unit: task.unit, instance, instances });
        }
    }
    for &(from, to) in graph.edges() {
        let (end, start) = (placements[from as usize].end, placements[to as usize].start);
        if start < end - slack {
            return Err(Violation::Dependency { from, to, end, start });
        }
    }
    check_exclusive(graph, placements, slack)?;
    for (resource, shared) in resources.shared().iter().enumerate() {
        let spans = shared.demands.iter().map(|(task, amount)| {
            let placement = placements[*task as usize];
            (placement.start, placement.end, *amount)
        });
        if let Some((time, used)) = overdrawn(spans, shared.capacity, slack) {
            return Err(Violation::Shared { resource, time, used, capacity: shared.capacity });
        }
    }
    for (at, buffer) in resources.buffers().iter().enumerate() {
        let spans = buffer.edges.iter().map(|(edge, amount)| {
            let (from, to) = graph.edges()[*edge as usize];
            (placements[from as usize].start, placements[to as usize].end, *amount)
        });
        if let Some((time, used)) = overdrawn(spans, buffer.capacity, slack) {
            return Err(Violation::Room { buffer: at, time, used, capacity: buffer.capacity });
        }
    }
    Ok(())
}

/// No two tasks on one instance at the same time.
fn check_exclusive(graph: &TaskGraph, placements: &[Placement], slack: f64) -> Result<(), Violation> {
    let mut visits: Vec<(u32, u32, f64, f64, u32)> = (0_u32..)
        .zip(graph.tasks().iter().zip(placements))
        .map(|(index, (task, place))| (task.unit, place.instance, place.start, place.end, index))
        .collect();
    visits.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.total_cmp(&b.3)));
    for pair in visits.windows(2) {
        let (unit, instance, _, end, first) = pair[0];
        let (other_unit, other_instance, start, _, second) = pair[1];
        if (unit, instance) == (other_unit, other_instance) && start < end - slack {
            return Err(Violation::Overlap { first, second, unit, instance, time: start });
        }
    }
    Ok(())
}

/// When more than `capacity` is in use, and how much; `spans` are start, end, amount.
fn overdrawn(spans: impl Iterator<Item = (f64, f64, f64)>, capacity: f64, slack: f64) -> Option<(f64, f64)> {
    // What ends within the rounding of a start has ended before it.
    let mut changes: Vec<(f64, f64)> =
        spans.flat_map(|(start, end, amount)| [(start, amount), ((end - slack).max(start), -amount)]).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut used = 0.0_f64;
    changes.into_iter().find_map(|(time, change)| {
        used += change;
        (used > capacity * (1.0 + ROUNDING)).then_some((time, used))
    })
}
