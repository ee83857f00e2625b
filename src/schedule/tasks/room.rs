//! What tasks that run one after the other take of the pools, in either direction of time.

use super::graph::TaskGraph;
use super::pass::Direction;
use super::resources::{MOST_IN_USE, Resources};

/// Parts of each pool that are in use.
#[derive(Clone)]
pub(super) struct Room<'a> {
    graph: &'a TaskGraph,
    resources: &'a Resources,
    direction: Direction,
    used: Vec<u64>,
}

impl<'a> Room<'a> {
    /// Nothing is in use.
    pub fn new(graph: &'a TaskGraph, resources: &'a Resources, direction: Direction) -> Self {
        Self { graph, resources, direction, used: vec![0; resources.pools()] }
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
    fn demands(&self, task: u32, after: bool) -> impl Iterator<Item = (usize, u64)> + use<'a> {
        let rows = match after == (self.direction == Direction::Forward) {
            true => &self.graph.successors,
            false => &self.graph.predecessors,
        };
        let resources = self.resources;
        let rooms = rows.edges[rows.range(task)].iter().flat_map(|edge| resources.edge_demands.of(*edge));
        let demands = resources.task_demands.of(task).iter().chain(rooms);
        demands.map(|(pool, parts)| (*pool as usize, *parts))
    }

    /// Whether all that a task needs is there.
    pub fn fits(&mut self, task: u32) -> bool {
        let fits = self.start(task);
        if fits {
            self.demands(task, true).for_each(|(pool, parts)| self.used[pool] -= parts);
        }
        fits
    }

    /// Takes what a task needs if all of it is there.
    pub fn start(&mut self, task: u32) -> bool {
        let mut taken = 0;
        for (pool, parts) in self.demands(task, true) {
            self.used[pool] += parts;
            taken += 1;
            if self.used[pool] > MOST_IN_USE {
                self.demands(task, true).take(taken).for_each(|(pool, parts)| self.used[pool] -= parts);
                return false;
            }
        }
        true
    }

    /// Gives back what a task needs no more.
    pub fn end(&mut self, task: u32) {
        self.demands(task, false).for_each(|(pool, parts)| self.used[pool] -= parts);
    }

    /// Parts of the pools that the task leaves taken behind it; negative if it frees more.
    pub fn leaves(&self, task: u32) -> i128 {
        let sum = |after| self.demands(task, after).map(|(_, parts)| i128::from(parts)).sum::<i128>();
        sum(true) - sum(false)
    }

    /// True if no pool has more taken after the task than before it: where it fits, nothing is lost by running it at once.
    pub fn frees(&self, task: u32) -> bool {
        let mut changes: Vec<(usize, i128)> =
            self.demands(task, true).map(|(pool, parts)| (pool, i128::from(parts))).collect();
        changes.extend(self.demands(task, false).map(|(pool, parts)| (pool, -i128::from(parts))));
        changes.sort_unstable_by_key(|change| change.0);
        changes.chunk_by(|one, next| one.0 == next.0).all(|pool| pool.iter().map(|change| change.1).sum::<i128>() <= 0)
    }
}
