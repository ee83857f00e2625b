//! Whether any order of tasks, one after the other, fits the pools: all of them, as far as that can be afforded.
//!
//! What is taken between two tasks follows from the set of those that have ended, whatever their order: each set is looked at
//! once. A task that fits and leaves no pool fuller runs at once: in any order that fits it can be moved to the front, since
//! everything after it finds at least as much room.

use std::collections::HashSet;

use super::room::Room;

/// Tasks that are tried after some set, and fewer where there are more than a few hundred: tries times tasks.
const MOST_TRIES: usize = 1 << 17;
const MOST_WORK: usize = 1 << 24;
/// Of more tasks no sets are looked at: each step on the way keeps what all of them wait for.
const MOST_TASKS: usize = 1 << 10;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Search {
    /// An order that fits.
    Found(Vec<u32>),
    /// No order fits.
    None,
    /// There is more to try than was tried.
    GaveUp,
}

/// What a task does to the pools, whenever it runs.
#[derive(Clone, Copy)]
struct Nature {
    leaves: i128,
    frees: bool,
}

/// A set of ended tasks, and what can come next.
#[derive(Clone)]
struct State<'a> {
    room: Room<'a>,
    waits: Vec<usize>,
    ready: Vec<u32>,
    ended: Vec<u64>,
    /// Tasks that ended before this state was reached.
    length: usize,
    /// Ready tasks that were not tried, the best last.
    untried: Vec<u32>,
}

impl State<'_> {
    /// Runs a ready task if it fits.
    fn run(&mut self, task: u32, order: &mut Vec<u32>) -> bool {
        if !self.room.start(task) {
            return false;
        }
        self.room.end(task);
        self.ready.retain(|other| *other != task);
        self.ended[task as usize / 64] |= 1 << (task % 64);
        order.push(task);
        for &next in self.room.after(task) {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                self.ready.push(next);
            }
        }
        true
    }

    /// Runs all that frees room, then lists what is to be tried.
    fn settle(&mut self, nature: &[Nature], order: &mut Vec<u32>) {
        let of = |task: u32| nature[task as usize];
        while self.ready.clone().into_iter().any(|task| of(task).frees && self.run(task, order)) {}
        self.length = order.len();
        self.untried.clone_from(&self.ready);
        self.untried.sort_by_key(|task| std::cmp::Reverse((of(*task).leaves, *task)));
    }
}

/// Looks for an order of all tasks.
pub(super) fn search(room: &Room<'_>) -> Search {
    let waits = room.waits();
    let count = waits.len();
    if count > MOST_TASKS {
        return Search::GaveUp;
    }
    let most = MOST_TRIES.min(MOST_WORK / count.max(1));
    let nature = |task| Nature { leaves: room.leaves(task), frees: room.frees(task) };
    let nature: Vec<Nature> = (0..count as u32).map(nature).collect();
    let ready = (0..count as u32).filter(|task| waits[*task as usize] == 0).collect();
    let mut order = Vec::with_capacity(count);
    let ended = vec![0; count.div_ceil(64)];
    let mut first = State { room: room.clone(), waits, ready, ended, length: 0, untried: Vec::new() };
    first.settle(&nature, &mut order);
    let mut seen = HashSet::from([first.ended.clone()]);
    let mut path = vec![first];
    let mut tried = 0;
    while order.len() < count {
        let Some(state) = path.last_mut() else { return Search::None };
        order.truncate(state.length);
        let Some(task) = state.untried.pop() else {
            path.pop();
            continue;
        };
        if !state.room.fits(task) {
            continue;
        }
        // What is looked at again counts too: each costs as much.
        tried += 1;
        if tried > most {
            return Search::GaveUp;
        }
        let mut next = state.clone();
        next.run(task, &mut order);
        next.settle(&nature, &mut order);
        if seen.insert(next.ended.clone()) {
            path.push(next);
        }
    }
    Search::Found(order)
}
