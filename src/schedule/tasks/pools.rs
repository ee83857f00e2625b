//! What units share: how much of it is in use, and who was passed over because too little was left.

use super::pass::Pass;
use super::resources::{MOST_IN_USE, Resources};

/// Tasks of one unit that are passed over at one moment before the unit waits: keeps a pass linear where bandwidth is the
/// limit and thousands of tasks are ready. No limit holds while nothing runs, so that work never stops for it.
const LOOK_AHEAD: u32 = 64;

/// Shared resources and buffers, and how far each unit has looked at this moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Pools {
    /// Parts of each that are in use.
    used: Vec<u64>,
    /// For each unit the first place not looked at, and how many were passed over.
    looks: Vec<(u32, u32)>,
    thorough: bool,
}

impl Pools {
    pub fn reset(&mut self, resources: &Resources, units: usize) {
        self.used.clear();
        self.used.resize(resources.pools(), 0);
        self.looks.clear();
        if !self.used.is_empty() {
            self.looks.resize(units, (0, 0));
        }
    }

    /// Nothing has been passed over yet.
    pub fn look_from_the_start(&mut self, thorough: bool) {
        self.thorough = thorough;
        self.looks.fill((0, 0));
    }

    /// The first place of a unit that may be looked at; `None` if enough were.
    pub fn look_from(&self, unit: usize) -> Option<u32> {
        let (from, passed) = self.looks[unit];
        (self.thorough || passed < LOOK_AHEAD).then_some(from)
    }

    /// What does not fit now waits; what comes after it may go first.
    pub fn pass_over(&mut self, unit: usize, place: u32) {
        let (from, passed) = &mut self.looks[unit];
        *from = place + 1;
        *passed += 1;
    }

    /// Takes what a task needs; false, and nothing taken, if something does not suffice.
    pub fn reserve(&mut self, pass: &Pass<'_>, task: u32) -> bool {
        let (after, _) = pass.rows();
        let edges = after.edges[after.range(task)].iter();
        let resources = pass.resources;
        let wanted = edges.flat_map(|edge| resources.edge_demands.of(*edge)).chain(resources.task_demands.of(task));
        let mut taken = 0;
        for (pool, parts) in wanted.clone() {
            let used = &mut self.used[*pool as usize];
            *used += parts;
            taken += 1;
            if *used > MOST_IN_USE {
                wanted.take(taken).for_each(|(pool, parts)| self.used[*pool as usize] -= parts);
                return false;
            }
        }
        true
    }

    /// Gives back what a task used, and the room of what it consumed.
    pub fn release(&mut self, pass: &Pass<'_>, task: u32) {
        let (_, before) = pass.rows();
        let edges = before.edges[before.range(task)].iter();
        let resources = pass.resources;
        let held = edges.flat_map(|edge| resources.edge_demands.of(*edge)).chain(resources.task_demands.of(task));
        held.for_each(|(pool, parts)| self.used[*pool as usize] -= parts);
    }
}
