//! The way out where every order by priority fills the buffers: an order in which tasks fit one after the other, and a schedule
//! that starts them in that order. Some are tried: depth first, which ends one chain before the next; whatever frees most room
//! first; the same from the end, turned around. Of graphs that are not large, then every order.
//!
//! In such an order whatever comes next fits once all before have ended. A schedule that starts no task before those ahead of
//! it therefore never stops, however many run at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::TaskGraph;
use super::pass::{Direction, Placement};
use super::resources::Resources;
use super::room::Room;
use super::search::{Search, search};

/// Most tasks that are passed over, in all, for every task of the graph.
const PASSED_OVER: usize = 64;

/// Places every task; the length. Without an order: true if there is none, false if none was found.
pub(super) fn frugal(graph: &TaskGraph, resources: &Resources, placements: &mut Vec<Placement>) -> Result<f64, bool> {
    let idle = |direction| Room::new(graph, resources, direction);
    let simple = order(&mut idle(Direction::Forward), false)
        .or_else(|| order(&mut idle(Direction::Forward), true))
        .or_else(|| order(&mut idle(Direction::Backward), true).map(|order| order.into_iter().rev().collect()));
    let order = match simple {
        Some(order) => order,
        None => match search(&idle(Direction::Forward)) {
            Search::Found(order) => order,
            Search::None => return Err(true),
            Search::GaveUp => return Err(false),
        },
    };
    place(graph, resources, &order, placements).ok_or(false)
}

/// Of the tasks that have their inputs and fit, always the one that got them last; `by_room`: the one that leaves least room
/// taken, of equals the last.
fn order(used: &mut Room<'_>, by_room: bool) -> Option<Vec<u32>> {
    let mut waits = used.waits();
    let count = waits.len();
    let mut ready = BinaryHeap::new();
    let mut arrivals = 0_u64;
    let mut arrive = |task: u32, used: &Room<'_>, ready: &mut BinaryHeap<_>| {
        arrivals += 1;
        let room = if by_room { used.leaves(task) } else { 0 };
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
        for &successor in used.after(task) {
            waits[successor as usize] -= 1;
            if waits[successor as usize] == 0 {
                arrive(successor, used, &mut ready);
            }
        }
        ready.extend(passed_over.drain(..));
    }
    (order.len() == count).then_some(order)
}

/// Starts tasks in the given order, each as early as its producers, its unit and the pools allow.
fn place(graph: &TaskGraph, resources: &Resources, order: &[u32], placements: &mut Vec<Placement>) -> Option<f64> {
    let mut used = Room::new(graph, resources, Direction::Forward);
    let instances = resources.instances.iter().zip(&graph.per_unit);
    // More instances than tasks are never used.
    let mut free: Vec<Vec<u32>> = instances.map(|(count, tasks)| (0..*count.min(tasks)).rev().collect()).collect();
    let mut waits = used.waits();
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
