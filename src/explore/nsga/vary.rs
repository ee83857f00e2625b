//! Crossover and mutation of digits.
//!
//! Powers are products and square roots alone, which IEEE 754 rounds the same way on every machine.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::explore::sample::unit;

/// Probability that two parents are crossed at all; each of their digits is then with one half.
const CROSSED: f64 = 0.9;

/// What the digits of an axis mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Number of digits.
    pub size: u32,
    /// Neighbours are alike; otherwise the digits stand for words.
    pub ordered: bool,
}

/// x^16: one more than the distribution index of crossover and mutation, 15; larger stays nearer to the parents.
fn power(x: f64) -> f64 {
    let fourth = (x * x) * (x * x);
    (fourth * fourth) * (fourth * fourth)
}

/// x^(1/16).
fn root(x: f64) -> f64 {
    x.sqrt().sqrt().sqrt().sqrt()
}

/// Fills a genome with random digits.
pub fn random(axes: &[Axis], digits: &mut [u32], generator: &mut ChaCha8Rng) {
    digits.iter_mut().zip(axes).for_each(|(digit, axis)| *digit = any(axis.size, generator));
}

fn any(size: u32, generator: &mut ChaCha8Rng) -> u32 {
    ((unit(generator) * f64::from(size)) as u32).min(size - 1)
}

/// Turns copies of two parents into their children.
pub fn cross(axes: &[Axis], first: &mut [u32], second: &mut [u32], generator: &mut ChaCha8Rng) {
    if unit(generator) >= CROSSED {
        return;
    }
    let mut coins = 0;
    for (at, axis) in axes.iter().enumerate() {
        if at % 32 == 0 {
            coins = generator.next_u64();
        }
        let (is_crossed, is_swapped) = (coins & 1 == 1, coins & 2 == 2);
        coins >>= 2;
        let (a, b) = (first[at], second[at]);
        if a == b || !is_crossed {
            continue;
        }
        let children = if axis.ordered { simulated_binary(a.min(b), a.max(b), axis.size, generator) } else { (b, a) };
        (first[at], second[at]) = if axis.ordered && is_swapped { (children.1, children.0) } else { children };
    }
}

/// Simulated binary crossover (Deb & Agrawal, Complex Systems 9, 1995), rounded to digits. What leaves the axis stays at its
/// end: good designs often lie there, and the operator within bounds never quite gets to them.
fn simulated_binary(low: u32, high: u32, size: u32, generator: &mut ChaCha8Rng) -> (u32, u32) {
    let (low, high) = (f64::from(low), f64::from(high));
    let share = unit(generator);
    let spread = root(if share <= 0.5 { 2.0 * share } else { 0.5 / (1.0 - share) });
    let (middle, half) = (0.5 * (low + high), 0.5 * spread * (high - low));
    (nearest(middle - half, size), nearest(middle + half, size))
}

/// The digit nearest to a value.
fn nearest(value: f64, size: u32) -> u32 {
    (value + 0.5).clamp(0.0, f64::from(size - 1)) as u32
}

/// Moves half of the digits by half of the difference of two other genomes (differential evolution, Storn & Price, J. Global
/// Optim. 11, 1997): steps shrink and turn as the population does. Words are taken over where the two differ.
pub fn differ(axes: &[Axis], child: &mut [u32], [from, to]: [&[u32]; 2], generator: &mut ChaCha8Rng) {
    let mut coins = 0;
    for (at, axis) in axes.iter().enumerate() {
        if at % 64 == 0 {
            coins = generator.next_u64();
        }
        let is_moved = coins & 1 == 1;
        coins >>= 1;
        if !is_moved || from[at] == to[at] {
            continue;
        }
        child[at] = if axis.ordered {
            nearest(f64::from(child[at]) + 0.5 * (f64::from(to[at]) - f64::from(from[at])), axis.size)
        } else {
            to[at]
        };
    }
}

/// How often digits are mutated.
#[derive(Debug, Clone, Copy)]
pub struct Rate(u32);

impl Rate {
    /// One over the number of axes that can move.
    pub fn of(axes: &[Axis]) -> Self {
        let moving = axes.iter().filter(|axis| axis.size > 1).count().max(1);
        Self((f64::from(u32::MAX) / moving as f64).max(1.0) as u32)
    }
}

/// Mutates each digit with the probability of `rate`.
pub fn mutate(axes: &[Axis], digits: &mut [u32], rate: Rate, generator: &mut ChaCha8Rng) {
    let mut draws = 0;
    for (at, (digit, axis)) in digits.iter_mut().zip(axes).enumerate() {
        if at % 2 == 0 {
            draws = generator.next_u64();
        }
        let draw = draws as u32;
        draws >>= 32;
        if draw > rate.0 || axis.size < 2 {
            continue;
        }
        let moved = if axis.ordered { polynomial(*digit, axis.size, generator) } else { any(axis.size, generator) };
        // A step that rounds to nothing goes to a neighbour: on coarse axes most would.
        *digit = if moved != *digit {
            moved
        } else if !axis.ordered {
            (*digit + 1) % axis.size
        } else if *digit == 0 || (*digit + 1 < axis.size && unit(generator) < 0.5) {
            *digit + 1
        } else {
            *digit - 1
        };
    }
}

/// Polynomial mutation within bounds (Deb & Goyal, 1996), rounded to digits.
fn polynomial(digit: u32, size: u32, generator: &mut ChaCha8Rng) -> u32 {
    let (value, last) = (f64::from(digit), f64::from(size - 1));
    let share = unit(generator);
    let step = if share < 0.5 {
        root(2.0 * share + (1.0 - 2.0 * share) * power(1.0 - value / last)) - 1.0
    } else {
        1.0 - root(2.0 * (1.0 - share) + 2.0 * (share - 0.5) * power(value / last))
    };
    nearest(value + step * last, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn children_stay_on_the_axes_and_one_value_stays() {
        let sizes = [(1, true), (2, true), (7, false), (65_537, true), (u32::MAX, true)];
        let axes = sizes.map(|(size, ordered)| Axis { size, ordered });
        let mut generator = ChaCha8Rng::seed_from_u64(1);
        let (mut first, mut second) = ([0; 5], [0; 5]);
        for _ in 0..20_000 {
            random(&axes, &mut first, &mut generator);
            random(&axes, &mut second, &mut generator);
            cross(&axes, &mut first, &mut second, &mut generator);
            let (from, to) = (first, second);
            differ(&axes, &mut first, [&from, &to], &mut generator);
            for child in [&mut first, &mut second] {
                mutate(&axes, child, Rate::of(&axes), &mut generator);
                assert!(child.iter().zip(&axes).all(|(digit, axis)| *digit < axis.size), "{child:?}");
            }
        }
    }

    #[test]
    fn mutation_changes_one_digit_on_average() {
        let axes = [Axis { size: 1000, ordered: true }; 8];
        let mut generator = ChaCha8Rng::seed_from_u64(2);
        let mut changed = 0;
        for _ in 0..10_000 {
            let mut digits = [500; 8];
            mutate(&axes, &mut digits, Rate::of(&axes), &mut generator);
            changed += digits.iter().filter(|digit| **digit != 500).count();
        }
        // 10,000 expected with a standard deviation of sqrt(8 * 10,000 * 1/8 * 7/8) = 94.
        assert!((changed as f64 - 10_000.0).abs() < 470.0, "{changed}");
    }
}
