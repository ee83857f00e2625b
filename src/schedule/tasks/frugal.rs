//! The way out where every order by priority fills the buffers: an order in which tasks fit one after the other, and a schedule
//! that starts them in that order. Two are tried: depth first, which ends one chain before the next, and the one that frees
//! most room first.
//!
//! In such an order whatever comes next fits once all before have ended. A schedule that starts no task before those ahead of
//! it therefore never stops, however many run at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::TaskGraph;
use super::pass::Placement;
use super::resources::{ROUNDING, Resources};

/// Most tasks that are passed over, in all, for every task of the graph.
const PASSED_OVER: usize = 64;

/// What is in use of each pool.
struct Use<'a> {
    graph: &'a TaskGraph,
    resources: &'a Resources,
    pools: Vec<(f64, f64)>,
}

impl Use<'_> {
    /// Every pool that a task takes from when it starts: shared resources and room for its results.
    fn takes(&self, task: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
        let results = self.graph.successors.range(task).map(|entry| self.graph.successors.edges[entry]);
        let rooms = results.flat_map(|edge| self.resources.edge_demands.of(edge));
        let demands = self.resources.task_demands.of(task).iter().chain(rooms);
        demands.map(|(pool, amount)| (*pool as usize, *amount))
    }

    /// Every pool that it gives back to when it ends: shared resources and room of its inputs.
    fn gives(&self, task: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
        let inputs = self.graph.predecessors.range(task).map(|entry| self.graph.predecessors.edges[entry]);
        let rooms = inputs.flat_map(|edge| self.resources.edge_demands.of(edge));
        let demands = self.resources.task_demands.of(task).iter().chain(rooms);
        demands.map(|(pool, amount)| (*pool as usize, *amount))
    }

    /// Takes what a task needs if all of it is there.
    fn start(&mut self, task: u32) -> bool {
        let wanted: Vec<(usize, f64)> = self.takes(task).collect();
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

    fn end(&mut self, task: u32) {
        let given: Vec<(usize, f64)> = self.gives(task).collect();
        for (pool, amount) in given {
            self.pools[pool].0 = (self.pools[pool].0 - amount).max(0.0);
        }
    }

    /// Share of the pools that the task leaves taken behind it; negative if it frees more.
    fn leaves(&self, task: u32) -> f64 {
        let share = |(pool, amount): (usize, f64)| match self.pools[pool].1 {
            capacity if capacity > 0.0 => amount / capacity,
            _ => 0.0,
        };
        self.takes(task).map(share).sum::<f64>() - self.gives(task).map(share).sum::<f64>()
    }
}

/// Places every task; the length, or `None` if this order does not fit either.
pub(super) fn frugal(graph: &TaskGraph, resources: &Resources, placements: &mut Vec<Placement>) -> Option<f64> {
    let idle = || {
        let pools = resources.capacities().map(|capacity| (0.0, capacity)).collect();
        Use { graph, resources, pools }
    };
    let order = order(graph, &mut idle(), false).or_else(|| order(graph, &mut idle(), true))?;
    place(graph, &mut idle(), &order, placements)
}

/// Of the tasks that have their inputs and fit, always the one that got them last; `by_room`: the one that leaves least room
/// taken, of equals the last.
fn order(graph: &TaskGraph, used: &mut Use<'_>, by_room: bool) -> Option<Vec<u32>> {
    let count = graph.tasks.len();
    let mut waits: Vec<usize> = (0..count as u32).map(|task| graph.predecessors.of(task).len()).collect();
    let mut ready = BinaryHeap::new();
    let mut arrivals = 0_u64;
    let mut arrive = |task: u32, used: &Use<'_>, ready: &mut BinaryHeap<_>| {
        arrivals += 1;
        let room = if by_room { ascending(used.leaves(task)) } else { 0 };
        ready.push((Reverse(room), arrivals, task));
    };
    for task in (0..count as u32).rev().filter(|task| waits[*task as usize] == 0) {
        arrive(task, used, &mut ready);
    }
    let mut order = Vec::with_capacity(count);
    let mut patience = PASSED_OVER.saturating_mul(count);
    let mut passed_over = Vec::new();
    while let Some(next) = ready.pop() {
        let task = next.2;
        if !used.start(task) {
            passed_over.push(next);
            patience = patience.checked_sub(1)?;
            continue;
        }
        used.end(task);
        order.push(task);
        for &successor in graph.successors.of(task) {
            waits[successor as usize] -= 1;
            if waits[successor as usize] == 0 {
                arrive(successor, used, &mut ready);
            }
        }
        ready.extend(passed_over.drain(..));
    }
    (order.len() == count).then_some(order)
}

/// Bits that sort as the numbers do.
fn ascending(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Starts tasks in the given order, each as early as its producers, its unit and the pools allow.
fn place(graph: &TaskGraph, used: &mut Use<'_>, order: &[u32], placements: &mut Vec<Placement>) -> Option<f64> {
    let instances = used.resources.instances.iter().zip(&graph.per_unit);
    // More instances than tasks are never used.
    let mut free: Vec<Vec<u32>> = instances.map(|(count, tasks)| (0..*count.min(tasks)).rev().collect()).collect();
    let mut waits: Vec<usize> = (0..graph.tasks.len() as u32).map(|task| graph.predecessors.of(task).len()).collect();
    let mut running = BinaryHeap::new();
    let (mut now, mut last) = (0.0_f64, 0.0_f64);
    placements.clear();
    placements.resize(graph.tasks.len(), Placement::default());
    for &task in order {
        let own = graph.tasks[task as usize];
        let unit = own.unit as usize;
        loop {
            // All that has ended by now.
            while let Some(&Reverse((bits, ended))) = running.peek()
                && f64::from_bits(bits) <= now
            {
                running.pop();
                used.end(ended);
                free[graph.tasks[ended as usize].unit as usize].push(placements[ended as usize].instance);
                graph.successors.of(ended).iter().for_each(|successor| waits[*successor as usize] -= 1);
            }
            if waits[task as usize] == 0 && !free[unit].is_empty() && used.start(task) {
                break;
            }
            // Times are not negative, so their bits sort as they do.
            now = f64::from_bits(running.peek()?.0.0);
        }
        let instance = free[unit].pop()?;
        let end = now + own.cycles;
        placements[task as usize] = Placement { start: now, end, instance };
        last = last.max(end);
        running.push(Reverse((end.to_bits(), task)));
    }
    Some(last)
}
