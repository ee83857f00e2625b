//! The points that a search visits, and the blocks they are evaluated in.

use super::sample;
use super::space::Space;
use crate::spec::sweep::{SearchDecl, Strategy};

/// Points of a block in a large search.
const MOST: u64 = 4096;
/// Points of a block in a small one.
const LEAST: u64 = 16;
/// Blocks that a search of medium size has at least, so that many cores and shards share it evenly.
const BLOCKS: u64 = 256;

/// The points that a search visits, numbered by position.
pub struct Points {
    visited: Visited,
    block: u64,
}

enum Visited {
    All(u64),
    Some(Vec<u64>),
}

impl Points {
    /// The points of a search.
    pub fn of(space: &Space, search: &SearchDecl) -> Self {
        let visited = match (search.strategy, search.samples) {
            (Strategy::Random, Some(samples)) if !space.is_enumerable() => {
                Visited::Some(sample::of_any_size(space, samples, search.seed))
            }
            (Strategy::Random, Some(samples)) if samples < space.points() => {
                Visited::Some(sample::without_repeats(space.points(), samples, search.seed))
            }
            (Strategy::Lhs, Some(samples)) => Visited::Some(sample::latin_hypercube(space, samples, search.seed)),
            // The plan has refused spaces of too many axes.
            (Strategy::Sobol, Some(samples)) => {
                sample::sobol_points(space, samples, search.seed).map_or(Visited::All(space.points()), Visited::Some)
            }
            _ => Visited::All(space.points()),
        };
        Self { block: block_points(count_points(space, search)), visited }
    }

    /// How many.
    pub fn count(&self) -> u64 {
        match &self.visited {
            Visited::All(count) => *count,
            Visited::Some(indices) => indices.len() as u64,
        }
    }

    /// Index of the point at a position.
    pub fn index(&self, position: u64) -> u64 {
        match &self.visited {
            Visited::All(_) => position,
            Visited::Some(indices) => indices[position as usize],
        }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.count().div_ceil(self.block)
    }

    /// Positions of a block.
    pub fn range(&self, block: u64) -> std::ops::Range<u64> {
        block * self.block..self.count().min((block + 1) * self.block)
    }
}

/// Number of points that a search visits.
pub fn count_points(space: &Space, search: &SearchDecl) -> u64 {
    match (search.strategy, search.samples) {
        (Strategy::Random | Strategy::Lhs | Strategy::Sobol, Some(samples)) => samples.min(space.points()),
        _ => search.budget.evaluations.map_or(space.points(), |most| most.min(space.points())),
    }
}

/// Points of one block of a search of `count` points: the unit of work of a core, and of what is saved. It depends on
/// nothing else, so that shards from any machines fit together. Results do not depend on it.
pub fn block_points(count: u64) -> u64 {
    (count / BLOCKS).max(1).next_power_of_two().clamp(LEAST, MOST)
}
