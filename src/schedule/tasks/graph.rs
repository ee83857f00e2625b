//! Operators and edges in compressed rows.

use thiserror::Error;

use super::reach::count_reachable;

/// Units are numbered below this: lists by unit stay small.
pub const MOST_UNITS: u32 = 1 << 20;

/// Tasks and edges are fewer than this; the indices from here on say other things.
const MOST_TASKS: usize = u32::MAX as usize - 1;

/// One operator bound to a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    /// Index of the unit that executes it.
    pub unit: u32,
    /// Cycles for which it occupies one instance of the unit; finite, not negative.
    pub cycles: f64,
}

/// Why operators and edges make no graph.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GraphError {
    /// These tasks wait for each other: each for the one before it, the first for the last.
    #[error("tasks wait for each other in a circle: {0:?}")]
    Cycle(Vec<u32>),
    /// An edge names a task that is not there.
    #[error("edge {edge} names task {task}, which is not there")]
    UnknownTask {
        /// Index of the edge.
        edge: usize,
        /// The task it names.
        task: u32,
    },
    /// A task's cycles are no finite number from 0.
    #[error("task {task} has {cycles} cycles")]
    BadCycles {
        /// Index of the task.
        task: u32,
        /// What was given.
        cycles: f64,
    },
    /// A unit index beyond [`MOST_UNITS`].
    #[error("task {task} is bound to unit {unit}; units are numbered below {MOST_UNITS}")]
    BadUnit {
        /// Index of the task.
        task: u32,
        /// What was given.
        unit: u32,
    },
    /// More tasks or edges than 32-bit indices can tell apart.
    #[error("{0} tasks or edges are more than this scheduler counts")]
    TooLarge(usize),
}

/// Neighbours of each task, and the edges that lead there.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Where each task's neighbours begin; one more than there are tasks.
    pub offsets: Vec<u32>,
    pub neighbours: Vec<u32>,
    /// Index of the declared edge of each entry.
    pub edges: Vec<u32>,
}

impl Rows {
    pub fn new(tasks: usize, edges: &[(u32, u32)], from: impl Fn(&(u32, u32)) -> (u32, u32)) -> Self {
        let mut offsets = vec![0_u32; tasks + 1];
        for edge in edges {
            offsets[from(edge).0 as usize + 1] += 1;
        }
        for at in 0..tasks {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut rows = Self { offsets, neighbours: vec![0; edges.len()], edges: vec![0; edges.len()] };
        for (index, edge) in edges.iter().enumerate() {
            let (own, neighbour) = from(edge);
            let place = next[own as usize] as usize;
            next[own as usize] += 1;
            rows.neighbours[place] = neighbour;
            rows.edges[place] = index as u32;
        }
        rows
    }

    /// Positions of a task's entries.
    #[inline]
    pub fn range(&self, task: u32) -> std::ops::Range<usize> {
        self.offsets[task as usize] as usize..self.offsets[task as usize + 1] as usize
    }

    /// A task's neighbours.
    #[inline]
    pub fn of(&self, task: u32) -> &[u32] {
        &self.neighbours[self.range(task)]
    }
}

/// Operators, edges, and what follows from them alone; built once, scheduled many times.
#[derive(Debug, Clone)]
pub struct TaskGraph {
    pub(super) tasks: Vec<Task>,
    /// The edges as declared.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) successors: Rows,
    pub(super) predecessors: Rows,
    /// Every task behind all its predecessors.
    pub(super) order: Vec<u32>,
    /// How many tasks come after each one, each counted once.
    pub(super) reachable: Vec<f64>,
    reach_is_exact: bool,
    /// Tasks bound to each unit, up to the greatest unit index.
    pub(super) per_unit: Vec<u32>,
}

impl TaskGraph {
    /// Builds the graph. `edges` are pairs of indices into `tasks`: producer, consumer.
    ///
    /// # Errors
    /// A cycle, an edge to nowhere, cycles that are no duration.
    pub fn new(tasks: Vec<Task>, edges: &[(u32, u32)]) -> Result<Self, GraphError> {
        let most = tasks.len().max(edges.len());
        if most >= MOST_TASKS {
            return Err(GraphError::TooLarge(most));
        }
        for (edge, ends) in edges.iter().enumerate() {
            if let Some(task) = [ends.0, ends.1].into_iter().find(|task| *task as usize >= tasks.len()) {
                return Err(GraphError::UnknownTask { edge, task });
            }
        }
        (0_u32..).zip(&tasks).try_for_each(|(index, task)| check_task(index, task))?;
        let successors = Rows::new(tasks.len(), edges, |edge| *edge);
        let predecessors = Rows::new(tasks.len(), edges, |(from, to)| (*to, *from));
        let order = topological_order(tasks.len(), edges, &successors, &predecessors)?;
        let (reachable, reach_is_exact) = count_reachable(&successors, &predecessors, &order);
        let mut per_unit = Vec::new();
        tasks.iter().for_each(|task| count_on(&mut per_unit, task.unit));
        Ok(Self { tasks, edges: edges.to_vec(), successors, predecessors, order, reachable, reach_is_exact, per_unit })
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The edges as declared: producer, consumer.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// One more than the greatest unit index of a task.
    pub fn units(&self) -> usize {
        self.per_unit.len()
    }

    /// How many tasks come after each one on some path, each counted once.
    pub fn reachable(&self) -> &[f64] {
        &self.reachable
    }

    /// False if the graph is so large and entangled that [`TaskGraph::reachable`] is an estimate for some tasks.
    pub fn reach_is_exact(&self) -> bool {
        self.reach_is_exact
    }

    /// Binds a task to a unit anew: the edges, and all that follows from them, stay.
    ///
    /// # Errors
    /// A task that is not there, cycles that are no duration.
    pub fn rebind(&mut self, task: u32, to: Task) -> Result<(), GraphError> {
        check_task(task, &to)?;
        let place = self.tasks.get_mut(task as usize).ok_or(GraphError::UnknownTask { edge: 0, task })?;
        self.per_unit[place.unit as usize] -= 1;
        *place = to;
        count_on(&mut self.per_unit, to.unit);
        Ok(())
    }
}

fn count_on(per_unit: &mut Vec<u32>, unit: u32) {
    let unit = unit as usize;
    if per_unit.len() <= unit {
        per_unit.resize(unit + 1, 0);
    }
    per_unit[unit] += 1;
}

fn check_task(index: u32, task: &Task) -> Result<(), GraphError> {
    let &Task { unit, cycles } = task;
    if unit >= MOST_UNITS {
        return Err(GraphError::BadUnit { task: index, unit });
    }
    let sound = cycles.is_finite() && cycles >= 0.0;
    if sound { Ok(()) } else { Err(GraphError::BadCycles { task: index, cycles }) }
}

/// Producers first. The declared order if it is one already: neighbours in memory then are neighbours in the graph.
fn topological_order(
    tasks: usize,
    edges: &[(u32, u32)],
    successors: &Rows,
    predecessors: &Rows,
) -> Result<Vec<u32>, GraphError> {
    let all = 0..tasks as u32;
    if edges.iter().all(|(from, to)| from < to) {
        return Ok(all.collect());
    }
    let mut waits: Vec<u32> = all.clone().map(|task| predecessors.of(task).len() as u32).collect();
    let mut open: Vec<u32> = all.rev().filter(|task| waits[*task as usize] == 0).collect();
    let mut order = Vec::with_capacity(tasks);
    while let Some(task) = open.pop() {
        order.push(task);
        for &successor in successors.of(task).iter().rev() {
            waits[successor as usize] -= 1;
            if waits[successor as usize] == 0 {
                open.push(successor);
            }
        }
    }
    if order.len() == tasks { Ok(order) } else { Err(GraphError::Cycle(find_cycle(&waits, predecessors))) }
}

/// A cycle among the tasks that still wait for others: each of those has a predecessor that waits too.
fn find_cycle(waits: &[u32], predecessors: &Rows) -> Vec<u32> {
    let Some(start) = waits.iter().position(|left| *left > 0) else { return Vec::new() };
    let mut path = vec![start as u32];
    let mut position = vec![usize::MAX; waits.len()];
    position[start] = 0;
    loop {
        let at = path[path.len() - 1];
        let Some(&before) = predecessors.of(at).iter().find(|before| waits[**before as usize] > 0) else {
            return Vec::new();
        };
        let known = position[before as usize];
        if known != usize::MAX {
            let mut cycle = path.split_off(known);
            cycle.reverse();
            return cycle;
        }
        position[before as usize] = path.len();
        path.push(before);
    }
}
