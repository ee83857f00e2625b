//! What tasks that run one after the other take of the pools, in either direction of time.

use super::graph::TaskGraph;
use super::pass::Direction;
use super::resources::{ROUNDING, Resources};

/// What is in use of each pool.
#[derive(Clone)]
pub(super) struct Room<'a> {
    graph: &'a TaskGraph,
    resources: &'a Resources,
    direction: Direction,
    pools: Vec<(f64, f64)>,
}

impl<'a> Room<'a> {
    /// Nothing is in use.
    pub fn new(graph: &'a TaskGraph, resources: &'a Resources, direction: Direction) -> Self {
        let pools = resources.capacities().map(|capacity| (0.0, capacity)).collect();
        Self { graph, resources, direction, pools }
    }

    /// The tasks that wait for a task, as time runs here.
    pub fn after(&self, task: u32) -> &'a [u32] {
        match self.direction {
            Direction::Forward => self.graph.successors.of(task),
            Direction::Backward => self.graph.predecessors.of(task),
        }
    }

    /// For each task how many it waits for, as time runs here.
    pub fn waits(&self) -> Vec<usize> {
        let before = match self.direction {
            Direction::Forward => &self.graph.predecessors,
            Direction::Backward => &self.graph.successors,
        };
        (0..self.graph.tasks.len() as u32).map(|task| before.of(task).len()).collect()
    }

    /// Every pool that a task takes from when it starts: shared resources, and room of the edges behind it (`after`) or of those
    /// before it, to which it gives back when it ends.
    fn demands(&self, task: u32, after: bool) -> impl Iterator<Item = (usize, f64)> + '_ {
        let rows = match after == (self.direction == Direction::Forward) {
            true => &self.graph.successors,
            false => &self.graph.predecessors,
        };
        let rooms = rows.edges[rows.range(task)].iter().flat_map(|edge| self.resources.edge_demands.of(*edge));
        let demands = self.resources.task_demands.of(task).iter().chain(rooms);
        demands.map(|(pool, amount)| (*pool as usize, *amount))
    }

    /// Takes what a task needs if all of it is there.
    pub fn start(&mut self, task: u32) -> bool {
        let wanted: Vec<(usize, f64)> = self.demands(task, true).collect();
        for (at, (pool, amount)) in wanted.iter().enumerate() {
            let (used, capacity) = &mut self.pools[*pool];
            *used += amount;
            if *used > *capacity * (1.0 + ROUNDING) {
                wanted[..=at].iter().for_each(|(pool, amount)| self.pools[*pool].0 -= amount);
                return false;
            }
        }
        true
    }

    /// Gives back what a task needs no more.
    pub fn end(&mut self, task: u32) {
        let given: Vec<(usize, f64)> = self.demands(task, false).collect();
        for (pool, amount) in given {
            self.pools[pool].0 = (self.pools[pool].0 - amount).max(0.0);
        }
    }

    /// Share of the pools that the task leaves taken behind it; negative if it frees more.
    pub fn leaves(&self, task: u32) -> f64 {
        let share = |(pool, amount): (usize, f64)| match self.pools[pool].1 {
            capacity if capacity > 0.0 => amount / capacity,
            _ => 0.0,
        };
        self.demands(task, true).map(share).sum::<f64>() - self.demands(task, false).map(share).sum::<f64>()
    }

    /// True if no pool has more taken after the task than before it: where it fits, nothing is lost by running it at once.
    pub fn frees(&self, task: u32) -> bool {
        let mut changes: Vec<(usize, f64)> = self.demands(task, true).collect();
        changes.extend(self.demands(task, false).map(|(pool, amount)| (pool, -amount)));
        changes.sort_unstable_by_key(|change| change.0);
        changes.chunk_by(|one, next| one.0 == next.0).all(|pool| pool.iter().map(|change| change.1).sum::<f64>() <= 0.0)
    }
}
