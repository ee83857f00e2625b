//! What units share: how much of it is in use, and who was passed over because too little was left.

use super::pass::Pass;
use super::resources::{ROUNDING, Resources};

/// Tasks of one unit that are passed over at one moment before the unit waits: keeps a pass linear where bandwidth is the
/// limit and thousands of tasks are ready. No limit holds while nothing runs, so that work never stops for it.
const LOOK_AHEAD: u32 = 64;

/// Shared resources and buffers, and how far each unit has looked at this moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Pools {
    /// What is used of each, and what there is.
    pools: Vec<(f64, f64)>,
    /// For each unit the first place not looked at, and how many were passed over.
    looks: Vec<(u32, u32)>,
    thorough: bool,
}

impl Pools {
    pub fn reset(&mut self, resources: &Resources, units: usize) {
        self.pools.clear();
        self.pools.extend(resources.capacities().map(|capacity| (0.0, capacity)));
        self.looks.clear();
        if !self.pools.is_empty() {
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
        for (pool, amount) in wanted.clone() {
            let (used, capacity) = &mut self.pools[*pool as usize];
            *used += amount;
            taken += 1;
            if *used > *capacity * (1.0 + ROUNDING) {
                wanted.take(taken).for_each(|(pool, amount)| self.give_back(*pool, *amount));
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
        held.for_each(|(pool, amount)| self.give_back(*pool, *amount));
    }

    fn give_back(&mut self, pool: u32, amount: f64) {
        let used = &mut self.pools[pool as usize].0;
        *used = (*used - amount).max(0.0);
    }
}
