//! Ranks by dominance.
//!
//! Members come in lexicographic order, so one can only be dominated by those placed before it, and if a front dominates
//! it, so does every better one: its front is found by bisection (efficient non-dominated sort, Zhang et al., IEEE Trans.
//! Evol. Comput. 19, 2015). What a front dominates is known from its least value with two objectives, and from a staircase
//! with three: O(n log n) and O(n log^2 n). With more, every member of the front is compared.

use std::cmp::Ordering;

use super::population::Population;

/// Scratch of [`Ranker::rank`], kept between generations.
#[derive(Debug, Default)]
pub struct Ranker {
    fronts: Vec<Front>,
    used: usize,
}

#[derive(Debug, Default)]
struct Front {
    members: Vec<u32>,
    /// The last two of three objectives: the first rises, the second falls.
    stairs: Vec<(f64, f64)>,
}

impl Ranker {
    /// Ranks `order`, which it sorts; [`Self::front`] tells the fronts.
    pub fn rank(&mut self, population: &Population, order: &mut [u32]) {
        order.sort_unstable_by(|a, b| lexicographic(population, *a, *b).then(a.cmp(b)));
        self.used = 0;
        let mut before: Option<(u32, usize)> = None;
        for &member in order.iter() {
            let at = match before {
                // Equal members do not dominate each other.
                Some((twin, at)) if lexicographic(population, twin, member).is_eq() => at,
                _ => self.fronts[..self.used].partition_point(|front| front.dominates(population, member)),
            };
            if at == self.used {
                if self.used == self.fronts.len() {
                    self.fronts.push(Front::default());
                }
                self.fronts[at].members.clear();
                self.fronts[at].stairs.clear();
                self.used += 1;
            }
            self.fronts[at].push(population, member);
            before = Some((member, at));
        }
    }

    /// Number of fronts.
    pub fn fronts(&self) -> usize {
        self.used
    }

    /// The members of a front.
    pub fn front(&self, at: usize) -> &[u32] {
        &self.fronts[at].members
    }
}

impl Front {
    /// True if one of its members dominates `member`, which comes later in order and equals none of them.
    fn dominates(&self, population: &Population, member: u32) -> bool {
        let new = population.objectives_of(member as usize);
        match *new {
            [] => false,
            [_] => true,
            // The last one has the least second objective.
            [_, second] => {
                self.members.last().is_some_and(|last| population.objectives_of(*last as usize)[1] <= second)
            }
            [_, second, third] => {
                let after = self.stairs.partition_point(|stair| stair.0 <= second);
                after > 0 && self.stairs[after - 1].1 <= third
            }
            _ => self.members.iter().rev().any(|placed| {
                population.objectives_of(*placed as usize).iter().zip(new).all(|(placed, new)| placed <= new)
            }),
        }
    }

    fn push(&mut self, population: &Population, member: u32) {
        self.members.push(member);
        if let [_, second, third] = *population.objectives_of(member as usize) {
            let first = self.stairs.partition_point(|stair| stair.0 < second);
            let last = first + self.stairs[first..].partition_point(|stair| stair.1 >= third);
            self.stairs.splice(first..last, [(second, third)]);
        }
    }
}

fn lexicographic(population: &Population, a: u32, b: u32) -> Ordering {
    let (a, b) = (population.objectives_of(a as usize), population.objectives_of(b as usize));
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
