//! How evenly the tiles of one stage spread over groups: measured tiles against the average that totals give.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cycles until the groups have done all tiles of one stage, if nothing else holds them up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// Groups that take whole tiles.
    pub groups: usize,
    /// All work, evenly: total over groups. Nothing can be faster.
    pub ideal: f64,
    /// What tiles of average length would take: whole rounds of them.
    pub average: f64,
    /// Tiles in their order, each to the group that is free first.
    pub dynamic: f64,
    /// Each group owns one block of the tiles, in their order; the first blocks have one more if they do not divide.
    pub contiguous: f64,
}

impl Balance {
    /// Spreads tiles, given by their cycles, over at least one group. `screen` is the number of tiles of the screen, those
    /// without work included, over which totals are averaged.
    pub fn of(cycles: &[f64], screen: usize, groups: usize) -> Self {
        let (groups, screen) = (groups.max(1), screen.max(cycles.len()).max(1));
        let total: f64 = cycles.iter().sum();
        let average = total / screen as f64 * screen.div_ceil(groups) as f64;
        Self {
            groups,
            ideal: total / groups as f64,
            average,
            dynamic: dynamic(cycles, groups),
            contiguous: contiguous(cycles, groups),
        }
    }

    /// By which share the measured tiles take longer than average ones.
    pub fn cost_of_average(&self) -> f64 {
        self.dynamic / self.average - 1.0
    }

    /// How many times the ideal the busiest block takes.
    pub fn blocks_over_ideal(&self) -> f64 {
        self.contiguous / self.ideal
    }
}

/// A moment at which a group is free, ordered for a queue.
#[derive(PartialEq)]
struct Free(f64);

impl Eq for Free {}

impl PartialOrd for Free {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Free {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn dynamic(cycles: &[f64], groups: usize) -> f64 {
    let mut free: BinaryHeap<Reverse<Free>> = (0..groups).map(|_| Reverse(Free(0.0))).collect();
    let mut last = 0.0_f64;
    for tile in cycles {
        let start = free.pop().map_or(0.0, |Reverse(Free(time))| time);
        last = last.max(start + tile);
        free.push(Reverse(Free(start + tile)));
    }
    last
}

fn contiguous(cycles: &[f64], groups: usize) -> f64 {
    let (length, longer) = (cycles.len() / groups, cycles.len() % groups);
    let (long, short) = cycles.split_at(longer * (length + 1));
    let blocks = long.chunks(length + 1).chain(short.chunks(length.max(1)));
    blocks.map(|block| block.iter().sum()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_tiles_on_three_groups_by_hand() {
        // Dynamic, in order 5 1 1 1 9 2 2: groups end at 5, 1, 1; then 1 until 2, 9 until 10, 2 until 4, 2 until 6.
        // Blocks of 3, 2, 2: 5 + 1 + 1 = 7, 1 + 9 = 10, 2 + 2 = 4. Total 21: ideal 7. Eight tiles of 21 / 8 in 3 rounds.
        let balance = Balance::of(&[5.0, 1.0, 1.0, 1.0, 9.0, 2.0, 2.0], 8, 3);
        assert_eq!((balance.ideal, balance.dynamic, balance.contiguous), (7.0, 10.0, 10.0));
        assert_eq!(balance.average, 3.0 * 21.0 / 8.0);
    }

    #[test]
    fn more_groups_than_tiles_and_no_tiles_at_all() {
        let balance = Balance::of(&[3.0, 4.0], 2, 8);
        assert_eq!((balance.dynamic, balance.contiguous, balance.average), (4.0, 4.0, 3.5));
        assert_eq!(Balance::of(&[], 0, 4).dynamic, 0.0);
    }

    #[test]
    fn no_assignment_beats_the_ideal_or_the_longest_tile() {
        // A fixed linear congruential sequence; no list schedule is longer than ideal + the longest tile (Graham 1969).
        let mut seed = 1_u64;
        for tiles in [1, 5, 64, 1000] {
            let cycles: Vec<f64> = (0..tiles)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 54) as f64 + 1.0
                })
                .collect();
            let longest = cycles.iter().copied().fold(0.0, f64::max);
            for groups in [1, 3, 64, 256] {
                let balance = Balance::of(&cycles, tiles, groups);
                let least = balance.ideal.max(longest);
                assert!(balance.dynamic >= least * (1.0 - 1e-12) && balance.contiguous >= least * (1.0 - 1e-12));
                assert!(balance.dynamic <= balance.ideal + longest + 1e-9);
            }
        }
    }
}
