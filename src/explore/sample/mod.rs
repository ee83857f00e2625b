//! Samples without repeats: uniform, Latin hypercube, Sobol.

pub mod sobol;
mod spread;

pub use spread::{latin_hypercube, sobol_points};

use std::collections::BTreeSet;

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::space::Space;

/// `count` different indices below `points`, uniformly drawn, in increasing order; all of them if there are no more.
///
/// The generator is ChaCha8, whose output is fixed for all time, so a seed names the same sample everywhere.
pub fn without_repeats(points: u64, count: u64, seed: u64) -> Vec<u64> {
    if count >= points {
        return (0..points).collect();
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    // Drawing the smaller part keeps the number of repeats to throw away below the number kept.
    let drawn = draw(&mut generator, points, count.min(points - count));
    if count <= points - count {
        drawn.into_iter().collect()
    } else {
        (0..points).filter(|index| !drawn.contains(index)).collect()
    }
}

/// Digits uniformly drawn on every axis.
pub(super) fn drawn_digits(sizes: &[u64], seed: u64, digits: &mut [u32]) {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    draw_digits(sizes, &mut generator, digits);
}

fn draw_digits(sizes: &[u64], generator: &mut ChaCha8Rng, digits: &mut [u32]) {
    for (digit, size) in digits.iter_mut().zip(sizes) {
        *digit = ((unit(generator) * *size as f64) as u64).min(size.saturating_sub(1)) as u32;
    }
}

/// `count` different points of a space that is not enumerable, uniformly drawn: of 2^63 points and more few are drawn twice.
pub fn of_any_size(space: &Space, count: u64, seed: u64) -> Vec<u64> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut digits = vec![0; space.sizes().len()];
    let mut drawn = BTreeSet::new();
    while (drawn.len() as u64) < count {
        draw_digits(space.sizes(), &mut generator, &mut digits);
        drawn.insert(space.index(&digits));
    }
    drawn.into_iter().collect()
}

/// A number from 0 up to but not including 1, from the upper 53 bits.
pub(super) fn unit(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

fn draw(generator: &mut ChaCha8Rng, points: u64, count: u64) -> BTreeSet<u64> {
    let mask = u64::MAX >> (points - 1).leading_zeros().min(63);
    let mut drawn = BTreeSet::new();
    while (drawn.len() as u64) < count {
        let index = generator.next_u64() & mask;
        if index < points {
            drawn.insert(index);
        }
    }
    drawn
}
