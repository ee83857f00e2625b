//! One pass of list scheduling, in order of time.
//!
//! At every moment at which something ends, each unit that has a free instance takes its ready tasks in the order of their
//! ranks. Priorities that are known beforehand are sorted once; a place in a bit set then is all that a ready task needs.
//! A backward pass is the same on the reversed graph. Where units share resources, `pools` decides what can start.

use super::events::Events;
use super::graph::{Rows, TaskGraph};
use super::pools::Pools;
use super::ready::Ready;
use super::resources::Resources;
use super::sort::Sorter;

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

/// All that a pass touches of a task, side by side in memory.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    cycles: f64,
    start: f64,
    unit: u32,
    /// Its place among the ready ones; once it has started, the instance on which it runs.
    place: u32,
    /// Predecessors that have not ended.
    waits: u32,
    /// Where its entries among the neighbours begin; they end where those of the next node begin.
    after: u32,
}

/// Working memory of a pass.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    /// One per task, and one more.
    nodes: Vec<Node>,
    /// Rank of each task over all units; only where units share resources.
    ranks: Vec<u32>,
    pub(super) ready: Ready,
    events: Events,
    /// Task of each place.
    task_at: Vec<u32>,
    /// Next place of each unit.
    next_place: Vec<u32>,
    /// Free instances of all units, each unit's on a stack of its own.
    free: Vec<u32>,
    /// Where each unit's stack begins, and how many instances are on it.
    stacks: Vec<(u32, u32)>,
    /// Units at which something changed at this moment; more than once does no harm.
    touched: Vec<u32>,
    /// Tasks that became ready at this moment; only where the order of arrival counts.
    fresh: Vec<u32>,
    sorter: Sorter,
    pools: Pools,
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
    pub fn rows(&self) -> (&'a Rows, &'a Rows) {
        match self.direction {
            Direction::Forward => (&self.graph.successors, &self.graph.predecessors),
            Direction::Backward => (&self.graph.predecessors, &self.graph.successors),
        }
    }

    /// Places every task; `priorities` are highest first, `None` is first come, first served. Returns the length, or `None`
    /// if buffers are full of what can not go on.
    pub fn run(&self, priorities: Option<&[f64]>, lists: &mut Lists, placements: &mut Vec<Placement>) -> Option<f64> {
        lists.reset(self);
        if let Some(priorities) = priorities {
            lists.rank(priorities, !self.resources.units_only());
        }
        let length = match (priorities.is_some(), self.resources.units_only()) {
            (true, true) => self.work::<true, false>(lists),
            (true, false) => self.work::<true, true>(lists),
            (false, true) => self.work::<false, false>(lists),
            (false, false) => self.work::<false, true>(lists),
        };
        placements.clear();
        placements.extend(lists.nodes[..self.graph.tasks.len()].iter().map(|node| Placement {
            start: node.start,
            end: node.start + node.cycles,
            instance: node.place,
        }));
        (lists.sequence.len() == self.graph.tasks.len()).then_some(length)
    }

    /// Works until nothing runs any more and returns when that is. `RANKED`: places are known; otherwise they are given in
    /// order of arrival. `POOLED`: units share resources.
    fn work<const RANKED: bool, const POOLED: bool>(&self, lists: &mut Lists) -> f64 {
        let (after, _) = self.rows();
        let neighbours = after.neighbours.as_slice();
        let mut time = 0.0;
        for task in 0..self.graph.tasks.len() as u32 {
            if lists.nodes[task as usize].waits == 0 {
                lists.arrive::<RANKED>(task);
            }
        }
        loop {
            if !RANKED {
                lists.admit();
            }
            if POOLED {
                self.take_fitting(time, lists);
            } else {
                while let Some(unit) = lists.touched.pop() {
                    lists.take(unit as usize, time);
                }
            }
            let Some((end, mut task)) = lists.events.pop() else { return time };
            time = end;
            loop {
                let node = lists.nodes[task as usize];
                let (base, count) = &mut lists.stacks[node.unit as usize];
                lists.free[(*base + *count) as usize] = node.place;
                *count += 1;
                lists.touched.push(node.unit);
                if POOLED {
                    lists.pools.release(self, task);
                }
                let after = node.after as usize..lists.nodes[task as usize + 1].after as usize;
                for successor in &neighbours[after] {
                    let next = &mut lists.nodes[*successor as usize];
                    next.waits -= 1;
                    if next.waits == 0 {
                        lists.arrive::<RANKED>(*successor);
                    }
                }
                match lists.events.pop_at(time) {
                    Some(next) => task = next,
                    None => break,
                }
            }
        }
    }

    /// Starts what its unit and the pools let start, highest priority first over all units.
    fn take_fitting(&self, time: f64, lists: &mut Lists) {
        lists.touched.clear();
        // Where nothing runs, whatever fits must be found; else a bounded look ahead is enough.
        for thorough in [false, true] {
            if thorough && !lists.events.is_empty() {
                return;
            }
            lists.pools.look_from_the_start(thorough);
            while let Some((unit, place)) = lists.first_candidate() {
                let task = lists.task_at[place as usize];
                if lists.pools.reserve(self, task) {
                    lists.ready.remove(unit, place);
                    lists.start(task, unit, time);
                } else {
                    lists.pools.pass_over(unit, place);
                }
            }
        }
    }
}

impl Lists {
    /// Forgets the pass before; allocates only if there is more than ever before.
    fn reset(&mut self, pass: &Pass<'_>) {
        let (instances, graph) = (&pass.resources.instances, pass.graph);
        self.ready.reset(&graph.per_unit);
        self.task_at.resize(self.ready.places(), 0);
        self.next_place.clear();
        self.next_place.extend((0..graph.per_unit.len()).map(|unit| self.ready.first_place(unit)));
        let (after, before) = pass.rows();
        self.nodes.clear();
        let rows = graph.tasks.iter().zip(&after.offsets).zip(before.offsets.windows(2));
        self.nodes.extend(rows.map(|((task, after), before)| Node {
            cycles: task.cycles,
            start: 0.0,
            unit: task.unit,
            place: 0,
            waits: before[1] - before[0],
            after: *after,
        }));
        self.nodes.push(Node { after: after.neighbours.len() as u32, ..Node::default() });
        self.ranks.clear();
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
        self.fresh.clear();
        self.sequence.clear();
        self.sequence.reserve(graph.tasks.len());
        self.pools.reset(pass.resources, graph.per_unit.len());
    }

    /// Gives each task its place: by priority, highest first, then by declaration. `across`: notes ranks over all units.
    fn rank(&mut self, priorities: &[f64], across: bool) {
        if across {
            self.ranks.resize(priorities.len(), 0);
        }
        for (rank, task) in (0_u32..).zip(self.sorter.by_priority(priorities)) {
            let node = &mut self.nodes[task as usize];
            let place = &mut self.next_place[node.unit as usize];
            node.place = *place;
            self.task_at[*place as usize] = task;
            *place += 1;
            if across {
                self.ranks[task as usize] = rank;
            }
        }
    }

    /// The tasks that have their inputs and did not start.
    pub fn waiting_for_room(&self) -> impl Iterator<Item = u32> + '_ {
        let mut has_started = vec![false; self.nodes.len()];
        self.sequence.iter().for_each(|task| has_started[*task as usize] = true);
        has_started.pop();
        let nodes = (0_u32..).zip(has_started).zip(&self.nodes);
        nodes.filter(|((_, started), node)| !started && node.waits == 0).map(|((task, _), _)| task)
    }

    /// A task has all that it waits for.
    #[inline]
    fn arrive<const RANKED: bool>(&mut self, task: u32) {
        if RANKED {
            let Node { unit, place, .. } = self.nodes[task as usize];
            self.ready.insert(unit as usize, place);
            self.touched.push(unit);
        } else {
            self.fresh.push(task);
        }
    }

    /// What arrived at this moment queues up in declaration order.
    fn admit(&mut self) {
        self.fresh.sort_unstable();
        for at in 0..self.fresh.len() {
            let task = self.fresh[at];
            let unit = self.nodes[task as usize].unit;
            let place = &mut self.next_place[unit as usize];
            self.task_at[*place as usize] = task;
            self.ready.insert(unit as usize, *place);
            *place += 1;
            self.touched.push(unit);
        }
        self.fresh.clear();
    }

    /// Starts what a unit can start now.
    #[inline]
    fn take(&mut self, unit: usize, time: f64) {
        while self.stacks[unit].1 > 0
            && let Some(place) = self.ready.pop(unit)
        {
            let task = self.task_at[place as usize];
            self.start(task, unit, time);
        }
    }

    #[inline]
    fn start(&mut self, task: u32, unit: usize, time: f64) {
        let (base, count) = &mut self.stacks[unit];
        *count -= 1;
        let node = &mut self.nodes[task as usize];
        node.place = self.free[(*base + *count) as usize];
        node.start = time;
        self.events.push(time + node.cycles, task);
        self.sequence.push(task);
    }

    /// The first task, over all units with a free instance, that was not passed over at this moment: unit and place.
    fn first_candidate(&mut self) -> Option<(usize, u32)> {
        let mut best: Option<(u32, usize, u32)> = None;
        for unit in 0..self.stacks.len() {
            if self.stacks[unit].1 == 0 {
                continue;
            }
            let Some(from) = self.pools.look_from(unit) else { continue };
            let Some(place) = self.ready.first_from(unit, from) else { continue };
            // Without ranks what was declared first goes first.
            let task = self.task_at[place as usize];
            let rank = self.ranks.get(task as usize).copied().unwrap_or(task);
            if best.is_none_or(|(least, _, _)| rank < least) {
                best = Some((rank, unit, place));
            }
        }
        best.map(|(_, unit, place)| (unit, place))
    }
}
