//! Bank conflicts: cycles that a banked SRAM adds when several accesses of one cycle meet in one bank.
//!
//! A unit issues groups of `lanes` accesses, all of one group in one cycle. Words are interleaved over the banks (word
//! `w` in bank `w mod banks`). A bank serves `ports` accesses per cycle, so a group takes as many cycles as its fullest
//! bank needs: `max over banks of ceil(load / ports)`. The next group follows when the last has been served: no
//! reordering and no queues, which would hide part of the stall (an upper bound for units that have them).
//!
//! * Stream: consecutive words load each bank `floor(lanes / banks)` or one more.
//! * Stride `s` words: the group visits `v = banks / gcd(s, banks)` banks in turn (the order of `s` in the integers
//!   modulo `banks`), so the fullest holds `ceil(lanes / v)`; the first address does not matter. `s = 1` is the stream.
//! * Random: loads are multinomial, which is independent Poisson loads of mean `lanes / banks` given that they sum to
//!   `lanes`. So `P(max <= t)` is the coefficient of `x^lanes` in the `banks`-th power of the Poisson polynomial cut at
//!   `t`, over the Poisson probability of the sum: all terms are positive, nothing cancels. The expectation is the sum
//!   of `P(group takes more than c cycles)` over `c`.
//!
//! A *conflict* is an access that finds its bank's ports taken in the group's first cycle, `sum over banks of
//! max(0, load - ports)`; a *stall cycle* is a cycle of a group beyond its first.

use std::fmt;

/// Most lanes and banks for which the random pattern is computed.
pub const MAX_LANES: u32 = 1024;

/// The banks of an SRAM block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banking {
    pub banks: u32,
    /// Accesses that one bank serves per cycle.
    pub ports: u32,
}

/// Addresses of the accesses in one group, in words of the access width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessPattern {
    /// Consecutive words.
    Stream,
    /// A constant distance in words; 0 is one word for all lanes.
    Stride(u64),
    /// Independent and uniform over the banks.
    Random,
}

/// What one group of accesses costs, as expected values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupCost {
    /// Cycles until all accesses are served, at least 1.
    pub cycles: f64,
    /// Cycles beyond the first.
    pub stall_cycles: f64,
    /// Accesses that are not served in the first cycle.
    pub conflicts: f64,
}

/// Why there is no cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictError {
    /// No lanes, banks or ports.
    Zero(&'static str),
    /// More than [`MAX_LANES`] lanes or banks.
    TooMany(&'static str, u32),
}

impl fmt::Display for ConflictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(what) => write!(f, "the number of {what} must be at least 1"),
            Self::TooMany(what, count) => {
                write!(f, "{count} {what} are more than the {MAX_LANES} that conflicts are computed for")
            }
        }
    }
}

impl std::error::Error for ConflictError {}

impl Banking {
    /// The expected cost of a group of `lanes` simultaneous accesses.
    ///
    /// More banks never cost more for streams and random accesses; for a stride that holds when the number of banks is
    /// multiplied (a stride of 4 suits 3 banks better than 4). More ports never cost more. Meant to be called once per
    /// configuration: the random pattern takes `O(lanes^2 * log banks)` steps per cycle of the result.
    ///
    /// # Errors
    /// No lanes, banks or ports; more than [`MAX_LANES`] of them.
    pub fn group_cost(&self, lanes: u32, pattern: AccessPattern) -> Result<GroupCost, ConflictError> {
        for (what, count) in [("lanes", lanes), ("banks", self.banks), ("ports", self.ports)] {
            if count == 0 {
                return Err(ConflictError::Zero(what));
            }
            if count > MAX_LANES {
                return Err(ConflictError::TooMany(what, count));
            }
        }
        Ok(match pattern {
            AccessPattern::Stream => self.strided(lanes, 1),
            AccessPattern::Stride(words) => self.strided(lanes, words),
            AccessPattern::Random => self.random(lanes),
        })
    }

    fn strided(&self, lanes: u32, words: u64) -> GroupCost {
        let banks = u64::from(self.banks);
        let visited = (banks / gcd(words % banks, banks)) as u32;
        let (low, more) = (lanes / visited, lanes % visited);
        let over = |load: u32| f64::from(load.saturating_sub(self.ports));
        let cycles = f64::from(lanes.div_ceil(visited).div_ceil(self.ports));
        GroupCost {
            cycles,
            stall_cycles: cycles - 1.0,
            conflicts: f64::from(more) * over(low + 1) + f64::from(visited - more) * over(low),
        }
    }

    fn random(&self, lanes: u32) -> GroupCost {
        let mut stall_cycles = 0.0;
        for cycles in 1..lanes.div_ceil(self.ports) {
            // A group longer than `cycles` is certain where the banks can not hold it.
            let served = u64::from(cycles) * u64::from(self.ports);
            let longer = if served * u64::from(self.banks) < u64::from(lanes) {
                1.0
            } else {
                1.0 - self.share_within(lanes, served as usize)
            };
            if longer < 1e-13 {
                break;
            }
            stall_cycles += longer;
        }
        // By linearity, from the load of one bank: Binomial(lanes, 1 / banks).
        let mut conflicts = f64::from(lanes.saturating_sub(self.ports));
        if self.banks > 1 {
            let chance = 1.0 / f64::from(self.banks);
            let odds = chance / (1.0 - chance);
            let mut log_share = f64::from(lanes) * (-chance).ln_1p();
            let mut expected = 0.0;
            for load in 0..lanes {
                expected += f64::from(load.saturating_sub(self.ports)) * log_share.exp();
                log_share += (f64::from(lanes - load) / f64::from(load + 1) * odds).ln();
            }
            expected += f64::from(lanes.saturating_sub(self.ports)) * log_share.exp();
            conflicts = expected * f64::from(self.banks);
        }
        GroupCost { cycles: 1.0 + stall_cycles, stall_cycles, conflicts }
    }

    /// Probability that no bank gets more than `limit` of `lanes` random accesses.
    fn share_within(&self, lanes: u32, limit: usize) -> f64 {
        let degree = lanes as usize;
        if self.banks == 1 {
            return if limit >= degree { 1.0 } else { 0.0 };
        }
        let mean = f64::from(lanes) / f64::from(self.banks);
        let poisson = poisson(mean, degree.min(limit));
        let whole = poisson_share(f64::from(lanes), lanes);
        (power(&poisson, self.banks, degree).get(degree).copied().unwrap_or(0.0) / whole).min(1.0)
    }
}

/// Probabilities of 0 to `most` events of a Poisson distribution.
fn poisson(mean: f64, most: usize) -> Vec<f64> {
    let mut log = -mean;
    (0..=most)
        .map(|count| {
            let share = log.exp();
            log += (mean / (count + 1) as f64).ln();
            share
        })
        .collect()
}

/// Probability of exactly `count` events.
fn poisson_share(mean: f64, count: u32) -> f64 {
    let logs: f64 = (1..=count).map(|i| (mean / f64::from(i)).ln()).sum();
    (logs - mean).exp()
}

/// `base` to a power, as polynomials up to `degree`.
fn power(base: &[f64], mut exponent: u32, degree: usize) -> Vec<f64> {
    let mut square = base.to_vec();
    let mut result = vec![1.0];
    loop {
        if exponent & 1 == 1 {
            result = product(&result, &square, degree);
        }
        exponent >>= 1;
        if exponent == 0 {
            return result;
        }
        square = product(&square, &square, degree);
    }
}

/// The product of two polynomials up to `degree`.
fn product(a: &[f64], b: &[f64], degree: usize) -> Vec<f64> {
    let mut result = vec![0.0; (a.len() + b.len() - 1).min(degree + 1)];
    for (i, &left) in a.iter().enumerate() {
        for (sum, &right) in result.iter_mut().skip(i).zip(b) {
            *sum += left * right;
        }
    }
    result
}

fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { gcd(b % a, a) }
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
