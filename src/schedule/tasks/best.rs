//! Scheduling by a policy.

use thiserror::Error;

use super::bound::{UnitWork, lower_bound};
use super::frugal::frugal;
use super::graph::TaskGraph;
use super::pass::{Direction, Lists, Pass, Placement};
use super::policy::{Policy, set_dags, set_heads, set_tails};
use super::resources::{ResourceError, Resources};

/// What a schedule comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Cycles until everything has ended.
    pub makespan: f64,
    /// Cycles that no schedule of these tasks on these resources can beat.
    pub lower_bound: f64,
}

impl Outcome {
    /// By which share the schedule is longer than the bound; 0 if it is as short as can be.
    pub fn gap(&self) -> f64 {
        if self.lower_bound > 0.0 { self.makespan / self.lower_bound - 1.0 } else { 0.0 }
    }
}

/// Why there is no schedule.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScheduleError {
    /// Resources that do not fit the graph.
    #[error(transparent)]
    Resources(#[from] ResourceError),
    /// Weights for another number of tasks, or one that is no number.
    #[error("{weights} weights that are numbers for {tasks} tasks")]
    Weights {
        /// Weights given that are numbers.
        weights: usize,
        /// Tasks of the graph.
        tasks: usize,
    },
    /// Buffers are full of what waits for a task that has no room itself.
    #[error(
        "buffers are full while tasks {waiting:?} wait for room: {}",
        if *.is_proven { "no order of the tasks fits them" } else { "no order was found that fits them" }
    )]
    Stuck {
        /// The first tasks that wait.
        waiting: Vec<u32>,
        /// True if there is no order that fits; false if the graph was too large to look at all of them.
        is_proven: bool,
    },
}

/// Memory of the scheduler; reused, nothing is allocated.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    lists: Lists,
    heads: Vec<f64>,
    tails: Vec<f64>,
    priorities: Vec<f64>,
    units: Vec<UnitWork>,
    free_at: Vec<f64>,
    bases: Vec<u32>,
    placements: Vec<Placement>,
    other: Vec<Placement>,
}

impl Workspace {
    /// Where the last schedule put each task.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }
}

/// Places every task; [`Workspace::placements`] holds the result. Where a policy fills the buffers with what cannot go on,
/// tasks start in an order that frees room first; chains always fit then, and of up to 14
/// tasks whatever can fit at all.
///
/// # Errors
/// Units without instances, weights that do not fit, buffers for which no order is found.
pub fn schedule(
    graph: &TaskGraph,
    resources: &Resources,
    policy: &Policy,
    workspace: &mut Workspace,
) -> Result<Outcome, ScheduleError> {
    for (unit, tasks) in graph.per_unit.iter().enumerate() {
        if *tasks > 0 && resources.instances.get(unit).copied().unwrap_or(0) == 0 {
            return Err(ResourceError::NoInstance { unit }.into());
        }
    }
    let Workspace { heads, tails, units, .. } = workspace;
    set_tails(graph, tails);
    set_heads(graph, heads);
    let bound = lower_bound(graph, resources, heads, tails, units);
    let forward = Pass { graph, resources, direction: Direction::Forward };
    let Workspace { lists, tails, priorities, placements, .. } = workspace;
    let makespan = match policy {
        Policy::Best => match best(&forward, bound, workspace) {
            Some(outcome) => return Ok(outcome),
            None => None,
        },
        Policy::CriticalPath => forward.run(Some(tails), lists, placements),
        Policy::Fifo => forward.run(None, lists, placements),
        Policy::Dags { alpha, beta } => {
            set_dags(graph, tails, *alpha, *beta, priorities);
            forward.run(Some(priorities), lists, placements)
        }
        Policy::Weights(weights) => {
            let numbers = weights.iter().filter(|weight| !weight.is_nan()).count();
            if (numbers, weights.len()) != (graph.tasks.len(), graph.tasks.len()) {
                return Err(ScheduleError::Weights { weights: numbers, tasks: graph.tasks.len() });
            }
            forward.run(Some(weights), lists, placements)
        }
    };
    let Workspace { lists, placements, .. } = workspace;
    let makespan = match makespan {
        Some(makespan) => makespan,
        None => frugal(graph, resources, placements).map_err(|is_proven| stuck(lists, is_proven))?,
    };
    Ok(outcome(makespan, bound))
}

/// The bound is a sum in another order than the makespan: rounding must not put it above.
fn outcome(makespan: f64, bound: f64) -> Outcome {
    Outcome { makespan, lower_bound: bound.min(makespan) }
}

/// A gap to the lower bound that is good enough to stop at. Of many tasks the forward pass leaves little to gain: what is
/// left of the gap is mostly the bound's.
fn close_enough(tasks: usize) -> f64 {
    const FEW: usize = 64;
    if tasks <= FEW { 1e-3 } else { 0.025 }
}

/// Forward, backward, and forward once more in the order that the backward pass found; `None` if all get stuck.
fn best(forward: &Pass<'_>, bound: f64, workspace: &mut Workspace) -> Option<Outcome> {
    let Workspace { lists, heads, tails, priorities, placements, other, .. } = workspace;
    let first = forward.run(Some(tails), lists, placements);
    let mut shortest = first.unwrap_or(f64::INFINITY);
    let enough = bound * (1.0 + close_enough(forward.graph.tasks.len()));
    if shortest <= enough {
        return Some(outcome(shortest, bound));
    }
    let backward = Pass { direction: Direction::Backward, ..*forward };
    let Some(reversed) = backward.run(Some(heads), lists, other) else {
        return first.map(|_| outcome(shortest, bound));
    };
    let Workspace { free_at, bases, .. } = workspace;
    let turned = turn_around(forward, reversed, &lists.sequence, other, (free_at, bases));
    priorities.clear();
    priorities.extend(other.iter().map(|placement| -placement.start));
    if turned < shortest {
        shortest = turned;
        std::mem::swap(placements, other);
    }
    if shortest > enough
        && let Some(length) = forward.run(Some(priorities), lists, other)
        && length < shortest
    {
        shortest = length;
        std::mem::swap(placements, other);
    }
    Some(outcome(shortest, bound))
}

/// Turns a backward schedule of the given length around. Where units are all there is, every task then starts as early as
/// its instance and its producers allow in the same order; returns the length.
fn turn_around(
    forward: &Pass<'_>,
    length: f64,
    sequence: &[u32],
    placements: &mut [Placement],
    (free_at, bases): (&mut Vec<f64>, &mut Vec<u32>),
) -> f64 {
    let (graph, resources) = (forward.graph, forward.resources);
    if !resources.units_only() {
        for placement in placements {
            (placement.start, placement.end) = (length - placement.end, length - placement.start);
        }
        return length;
    }
    bases.clear();
    let mut all = 0;
    for (instances, tasks) in resources.instances.iter().zip(&graph.per_unit) {
        bases.push(all);
        all += instances.min(tasks);
    }
    free_at.clear();
    free_at.resize(all as usize, 0.0);
    let mut last = 0.0_f64;
    for &task in sequence.iter().rev() {
        let own = graph.tasks[task as usize];
        let instance = placements[task as usize].instance;
        let free = &mut free_at[(bases[own.unit as usize] + instance) as usize];
        let producers = graph.predecessors.of(task).iter();
        let start = producers.fold(*free, |start, producer| start.max(placements[*producer as usize].end));
        let end = start + own.cycles;
        *free = end;
        last = last.max(end);
        placements[task as usize] = Placement { start, end, instance };
    }
    last
}

/// The tasks that are ready and found no room.
fn stuck(lists: &Lists, is_proven: bool) -> ScheduleError {
    const NAMED: usize = 8;
    ScheduleError::Stuck { waiting: lists.waiting_for_room().take(NAMED).collect(), is_proven }
}
