//! One pass of list scheduling, in order of time.
//!
//! At every moment at which something ends, each unit that has a free instance takes its ready tasks in the order of their
//! ranks. Priorities that are known beforehand are sorted once; a place in a bit set then is all that a ready task needs.
//! A backward pass is the same on the reversed graph. Where units share resources, `pools` decides what can start.

use super::events::Events;
use super::graph::{Rows, Task, TaskGraph};
use super::pools::Pools;
use super::ready::Ready;
use super::resources::Resources;
use super::sort::{Keys, Queued, Sorter, falling_key};

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

/// What a pass touches of a task while it works: small, so that a chain lies in a line or two of the cache.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: f64,
    unit: u32,
    /// Where it runs.
    instance: u32,
    /// Predecessors that have not ended.
    waits: u32,
    /// The one task after it, [`NOTHING`], or [`SEVERAL`], which are then looked up.
    next: u32,
}

/// No task comes after; tasks are fewer.
const NOTHING: u32 = u32::MAX;
/// More than one task comes after.
const SEVERAL: u32 = u32::MAX - 1;

/// Working memory of a pass.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    nodes: Vec<Node>,
    /// The place of each task among the ready ones.
    places: Vec<u32>,
    pub(super) ready: Ready,
    events: Events,
    /// The task of each place, and all that starting it takes: a unit's places are taken nearly in their order, which
    /// tasks are not.
    queued: Vec<Queued>,
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
            lists.rank(&self.graph.tasks, priorities);
        }
        let length = match (priorities, self.resources.units_only()) {
            (Some(_), true) => self.work::<true, false>(&[], lists),
            (Some(priorities), false) => self.work::<true, true>(priorities, lists),
            (None, true) => self.work::<false, false>(&[], lists),
            (None, false) => self.work::<false, true>(&[], lists),
        };
        placements.clear();
        placements.extend(lists.nodes.iter().zip(&self.graph.tasks).map(|(node, task)| Placement {
            start: node.start,
            end: node.start + task.cycles,
            instance: node.instance,
        }));
        (lists.sequence.len() == self.graph.tasks.len()).then_some(length)
    }

    /// Works until nothing runs any more and returns when that is. `RANKED`: places are known; otherwise they are given in
    /// order of arrival. `POOLED`: units share resources, and `priorities` decide between them.
    fn work<const RANKED: bool, const POOLED: bool>(&self, priorities: &[f64], lists: &mut Lists) -> f64 {
        let (after, _) = self.rows();
        let mut time = 0.0;
        for task in 0..self.graph.tasks.len() as u32 {
            if lists.nodes[task as usize].waits == 0 {
                lists.arrive::<RANKED>(task);
            }
        }
        loop {
            if !RANKED {
                lists.admit(&self.graph.tasks);
            }
            if POOLED {
                self.take_fitting(time, priorities, lists);
            } else {
                while let Some(unit) = lists.touched.pop() {
                    lists.take(unit as usize, time);
                }
            }
            let Some((end, mut task)) = lists.events.pop() else { return time };
            time = end;
            loop {
                let Node { unit, next, instance, .. } = lists.nodes[task as usize];
                let (base, count) = &mut lists.stacks[unit as usize];
                lists.free[(*base + *count) as usize] = instance;
                *count += 1;
                lists.touched.push(unit);
                if POOLED {
                    lists.pools.release(self, task);
                }
                match next {
                    NOTHING => {}
                    SEVERAL => after.of(task).iter().for_each(|successor| lists.let_go::<RANKED>(*successor)),
                    successor => lists.let_go::<RANKED>(successor),
                }
                match lists.events.pop_at(time) {
                    Some(next) => task = next,
                    None => break,
                }
            }
        }
    }

    /// Starts what its unit and the pools let start, highest priority first over all units.
    fn take_fitting(&self, time: f64, priorities: &[f64], lists: &mut Lists) {
        lists.touched.clear();
        // Where nothing runs, whatever fits must be found; else a bounded look ahead is enough.
        for thorough in [false, true] {
            if thorough && !lists.events.is_empty() {
                return;
            }
            lists.pools.look_from_the_start(thorough);
            while let Some((unit, place)) = lists.first_candidate(priorities) {
                let queued = lists.queued[place as usize];
                if lists.pools.reserve(self, queued.task) {
                    lists.ready.remove(unit, place);
                    lists.start(queued, unit, time);
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
        self.queued.resize(self.ready.places(), Queued::default());
        self.next_place.clear();
        self.next_place.extend((0..graph.per_unit.len()).map(|unit| self.ready.first_place(unit)));
        let (after, before) = pass.rows();
        self.nodes.clear();
        let rows = graph.tasks.iter().zip(after.offsets.windows(2)).zip(before.offsets.windows(2));
        self.nodes.extend(rows.map(|((task, ends), before)| Node {
            start: 0.0,
            instance: 0,
            unit: task.unit,
            waits: before[1] - before[0],
            next: match ends[1] - ends[0] {
                0 => NOTHING,
                1 => after.neighbours[ends[0] as usize],
                _ => SEVERAL,
            },
        }));
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

    /// Gives each task its place: by priority, highest first, then by declaration.
    fn rank(&mut self, tasks: &[Task], priorities: &[f64]) {
        let keys = Keys::new(priorities);
        for ((task, &Task { unit, cycles }), priority) in (0_u32..).zip(tasks).zip(priorities) {
            let place = &mut self.next_place[unit as usize];
            self.queued[*place as usize] = Queued { cycles, task, key: keys.leading(*priority) };
            *place += 1;
        }
        self.places.resize(tasks.len(), 0);
        for (unit, end) in self.next_place.iter().enumerate() {
            let first = self.ready.first_place(unit);
            let queue = &mut self.queued[first as usize..*end as usize];
            self.sorter.sort(queue, &keys, priorities);
            for (place, queued) in (first..).zip(queue) {
                self.places[queued.task as usize] = place;
            }
        }
    }

    /// The tasks that have their inputs and did not start.
    pub fn waiting_for_room(&self) -> impl Iterator<Item = u32> + '_ {
        let mut has_started = vec![false; self.nodes.len()];
        self.sequence.iter().for_each(|task| has_started[*task as usize] = true);
        let nodes = (0_u32..).zip(has_started).zip(&self.nodes);
        nodes.filter(|((_, started), node)| !started && node.waits == 0).map(|((task, _), _)| task)
    }

    /// One of those that a task waits for has ended.
    #[inline]
    fn let_go<const RANKED: bool>(&mut self, task: u32) {
        let waits = &mut self.nodes[task as usize].waits;
        *waits -= 1;
        if *waits == 0 {
            self.arrive::<RANKED>(task);
        }
    }

    /// A task has all that it waits for.
    #[inline]
    fn arrive<const RANKED: bool>(&mut self, task: u32) {
        if RANKED {
            let unit = self.nodes[task as usize].unit;
            self.ready.insert(unit as usize, self.places[task as usize]);
            self.touched.push(unit);
        } else {
            self.fresh.push(task);
        }
    }

    /// What arrived at this moment queues up in declaration order.
    fn admit(&mut self, tasks: &[Task]) {
        self.fresh.sort_unstable();
        for at in 0..self.fresh.len() {
            let task = self.fresh[at];
            let Task { unit, cycles } = tasks[task as usize];
            let place = &mut self.next_place[unit as usize];
            self.queued[*place as usize] = Queued { cycles, task, key: 0 };
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
            self.start(self.queued[place as usize], unit, time);
        }
    }

    #[inline]
    fn start(&mut self, Queued { cycles, task, .. }: Queued, unit: usize, start: f64) {
        let (base, count) = &mut self.stacks[unit];
        *count -= 1;
        let node = &mut self.nodes[task as usize];
        (node.start, node.instance) = (start, self.free[(*base + *count) as usize]);
        self.events.push(start + cycles, task);
        self.sequence.push(task);
    }

    /// The first task, over all units with a free instance, that was not passed over at this moment: unit and place. Without
    /// priorities what was declared first goes first.
    fn first_candidate(&mut self, priorities: &[f64]) -> Option<(usize, u32)> {
        let mut best: Option<((u64, u32), usize, u32)> = None;
        for unit in 0..self.stacks.len() {
            if self.stacks[unit].1 == 0 {
                continue;
            }
            let Some(from) = self.pools.look_from(unit) else { continue };
            let Some(place) = self.ready.first_from(unit, from) else { continue };
            let task = self.queued[place as usize].task;
            let rank = (priorities.get(task as usize).map_or(0, |priority| falling_key(*priority)), task);
            if best.is_none_or(|(least, _, _)| rank < least) {
                best = Some((rank, unit, place));
            }
        }
        best.map(|(_, unit, place)| (unit, place))
    }
}
