//! One pass of list scheduling, in order of time.
//!
//! At every moment at which something ends, each unit that has a free instance takes its ready tasks in the order of their
//! ranks. Priorities that are known beforehand are sorted once; a place in a bit set then is all that a ready task needs.
//! A backward pass is the same on the reversed graph.

use super::events::Events;
use super::graph::{Rows, TaskGraph};
use super::ready::Ready;
use super::resources::Resources;

/// When and where a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Placement {
    /// First cycle.
    pub start: f64,
    /// When its instance is free again.
    pub end: f64,
    /// Instance of its unit, from 0.
    pub instance: u32,
}

/// Which way time runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// Share by which rounding may overdraw a pool.
const ROUNDING: f64 = 1e-12;

/// Working memory of a pass.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    ready: Ready,
    events: Events,
    /// Predecessors of each task that have not ended.
    waits: Vec<u32>,
    /// Place of each task among the ready ones.
    place: Vec<u32>,
    /// Task of each place.
    task_at: Vec<u32>,
    /// Next place of each unit.
    next_place: Vec<u32>,
    /// Free instances of all units, each unit's on a stack of its own.
    free: Vec<u32>,
    /// Where each unit's stack begins, and how many instances are on it.
    stacks: Vec<(u32, u32)>,
    /// Units at which something changed at this moment.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Tasks that became ready at this moment; only where the order of arrival counts.
    fresh: Vec<u32>,
    /// Sorting keys: priority, then declaration order.
    keys: Vec<u128>,
    /// What is used of each pool, and what there is.
    pools: Vec<(f64, f64)>,
    /// Tasks in the order in which they started.
    pub sequence: Vec<u32>,
}

/// What a pass works on.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub graph: &'a TaskGraph,
    pub resources: &'a Resources,
    pub direction: Direction,
}

impl<'a> Pass<'a> {
    /// Who comes after, and who before, as time runs here.
    fn rows(&self) -> (&'a Rows, &'a Rows) {
        match self.direction {
            Direction::Forward => (&self.graph.successors, &self.graph.predecessors),
            Direction::Backward => (&self.graph.predecessors, &self.graph.successors),
        }
    }

    /// Places every task; `priorities` are highest first, `None` is first come, first served. Returns the length, or `None`
    /// if buffers are full of what can not go on.
    pub fn run(&self, priorities: Option<&[f64]>, lists: &mut Lists, placements: &mut Vec<Placement>) -> Option<f64> {
        lists.reset(self);
        placements.clear();
        placements.resize(self.graph.tasks.len(), Placement::default());
        match priorities {
            Some(priorities) => lists.rank(self.graph, priorities),
            None => lists.task_at.resize(lists.ready.places(), 0),
        }
        match (priorities.is_some(), self.resources.units_only()) {
            (true, true) => self.work::<true, false>(lists, placements),
            (true, false) => self.work::<true, true>(lists, placements),
            (false, true) => self.work::<false, false>(lists, placements),
            (false, false) => self.work::<false, true>(lists, placements),
        }
    }

    /// `RANKED`: places are known; otherwise they are given in order of arrival. `POOLED`: there are pools.
    fn work<const RANKED: bool, const POOLED: bool>(
        &self,
        lists: &mut Lists,
        placements: &mut [Placement],
    ) -> Option<f64> {
        let tasks = self.graph.tasks.as_slice();
        let (after, _) = self.rows();
        let mut time = 0.0;
        for task in 0..tasks.len() as u32 {
            if lists.waits[task as usize] == 0 {
                lists.arrive::<RANKED>(task, tasks[task as usize].unit as usize);
            }
        }
        loop {
            if !RANKED {
                lists.admit(self.graph);
            }
            while let Some(unit) = lists.touched.pop() {
                lists.is_touched[unit as usize] = false;
                self.take::<POOLED>(unit as usize, time, lists, placements);
            }
            let Some(next) = lists.events.next_time() else { break };
            time = next;
            while lists.events.next_time() == Some(time) {
                let Some(task) = lists.events.pop() else { break };
                let unit = tasks[task as usize].unit as usize;
                let (base, count) = &mut lists.stacks[unit];
                lists.free[(*base + *count) as usize] = placements[task as usize].instance;
                *count += 1;
                lists.touch(unit);
                if POOLED {
                    self.release(task, lists);
                }
                for &successor in after.of(task) {
                    let waits = &mut lists.waits[successor as usize];
                    *waits -= 1;
                    if *waits == 0 {
                        lists.arrive::<RANKED>(successor, tasks[successor as usize].unit as usize);
                    }
                }
            }
        }
        (lists.sequence.len() == tasks.len()).then_some(time)
    }

    /// Starts what a unit can start now.
    #[inline]
    fn take<const POOLED: bool>(&self, unit: usize, time: f64, lists: &mut Lists, placements: &mut [Placement]) {
        let mut from = 0;
        loop {
            let (base, count) = lists.stacks[unit];
            if count == 0 {
                return;
            }
            let place = if POOLED { lists.ready.first_from(unit, from) } else { lists.ready.pop(unit) };
            let Some(place) = place else { return };
            let task = lists.task_at[place as usize];
            if POOLED {
                // What does not fit now waits; what comes after it may go first.
                from = place + 1;
                if !self.reserve(task, lists) {
                    continue;
                }
                lists.ready.remove(unit, place);
            }
            lists.stacks[unit].1 = count - 1;
            let instance = lists.free[(base + count - 1) as usize];
            let end = time + self.graph.tasks[task as usize].cycles;
            placements[task as usize] = Placement { start: time, end, instance };
            lists.sequence.push(task);
            lists.events.push(end, task);
        }
    }

    /// Takes what a task needs of the pools; false, and nothing taken, if something does not suffice.
    fn reserve(&self, task: u32, lists: &mut Lists) -> bool {
        let (after, _) = self.rows();
        let edges = after.edges[after.range(task)].iter();
        let resources = self.resources;
        let wanted = edges.flat_map(|edge| resources.edge_demands.of(*edge)).chain(resources.task_demands.of(task));
        let mut taken = 0;
        let mut fits = true;
        for (pool, amount) in wanted.clone() {
            let (used, capacity) = &mut lists.pools[*pool as usize];
            *used += amount;
            taken += 1;
            if *used > *capacity * (1.0 + ROUNDING) {
                fits = false;
                break;
            }
        }
        if !fits {
            wanted.take(taken).for_each(|(pool, amount)| lists.pools[*pool as usize].0 -= amount);
        }
        fits
    }

    /// Gives back what a task used, and the room of what it consumed. Every unit may have waited for it.
    fn release(&self, task: u32, lists: &mut Lists) {
        let (_, before) = self.rows();
        let edges = before.edges[before.range(task)].iter();
        let resources = self.resources;
        for (pool, amount) in
            edges.flat_map(|edge| resources.edge_demands.of(*edge)).chain(resources.task_demands.of(task))
        {
            let used = &mut lists.pools[*pool as usize].0;
            *used = (*used - amount).max(0.0);
        }
        (0..lists.stacks.len()).for_each(|unit| lists.touch(unit));
    }
}

impl Lists {
    fn reset(&mut self, pass: &Pass<'_>) {
        let (instances, graph) = (&pass.resources.instances, pass.graph);
        self.ready.reset(&graph.per_unit);
        self.next_place.clear();
        self.next_place.extend((0..graph.per_unit.len()).map(|unit| self.ready.first_place(unit)));
        let (_, before) = pass.rows();
        self.waits.clear();
        self.waits.extend(before.offsets.windows(2).map(|ends| ends[1] - ends[0]));
        self.free.clear();
        self.stacks.clear();
        for (count, tasks) in instances.iter().zip(&graph.per_unit) {
            // More instances than tasks are never used.
            let count = (*count).min(*tasks);
            self.stacks.push((self.free.len() as u32, count));
            self.free.extend((0..count).rev());
        }
        self.events.reset(self.free.len());
        self.touched.clear();
        self.touched.reserve(self.stacks.len());
        self.is_touched.clear();
        self.is_touched.resize(self.stacks.len(), false);
        self.fresh.clear();
        self.sequence.clear();
        self.sequence.reserve(graph.tasks.len());
        self.pools.clear();
        self.pools.extend(pass.resources.capacities().map(|capacity| (0.0, capacity)));
    }

    /// Gives each task its place: by priority, highest first, then by declaration.
    fn rank(&mut self, graph: &TaskGraph, priorities: &[f64]) {
        self.keys.clear();
        self.keys.extend((0_u32..).zip(priorities).map(|(task, priority)| {
            // Adding 0 makes one zero of both; flipping makes the bits of floats compare as the floats do.
            let bits = (priority + 0.0).to_bits();
            let rising = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
            u128::from(!rising) << 32 | u128::from(task)
        }));
        self.keys.sort_unstable();
        self.place.resize(graph.tasks.len(), 0);
        self.task_at.resize(self.ready.places(), 0);
        for key in &self.keys {
            let task = *key as u32;
            let place = &mut self.next_place[graph.tasks[task as usize].unit as usize];
            self.place[task as usize] = *place;
            self.task_at[*place as usize] = task;
            *place += 1;
        }
    }

    /// The tasks that have their inputs and did not start.
    pub fn waiting_for_room(&self) -> impl Iterator<Item = u32> + '_ {
        let mut has_started = vec![false; self.waits.len()];
        self.sequence.iter().for_each(|task| has_started[*task as usize] = true);
        (0_u32..).zip(&self.waits).filter(move |(task, waits)| **waits == 0 && !has_started[*task as usize]).map(|(task, _)| task)
    }

    #[inline]
    fn touch(&mut self, unit: usize) {
        if !std::mem::replace(&mut self.is_touched[unit], true) {
            self.touched.push(unit as u32);
        }
    }

    /// A task has all that it waits for.
    #[inline]
    fn arrive<const RANKED: bool>(&mut self, task: u32, unit: usize) {
        if RANKED {
            self.ready.insert(unit, self.place[task as usize]);
            self.touch(unit);
        } else {
            self.fresh.push(task);
        }
    }

    /// What arrived at this moment queues up in declaration order.
    fn admit(&mut self, graph: &TaskGraph) {
        self.fresh.sort_unstable();
        for at in 0..self.fresh.len() {
            let task = self.fresh[at];
            let unit = graph.tasks[task as usize].unit as usize;
            let place = self.next_place[unit];
            self.next_place[unit] += 1;
            self.task_at[place as usize] = task;
            self.ready.insert(unit, place);
            self.touch(unit);
        }
        self.fresh.clear();
    }
}
