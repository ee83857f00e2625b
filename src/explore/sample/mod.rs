//! Samples without repeats: uniform, Latin hypercube, Sobol.

pub mod sobol;
mod spread;

pub use spread::{latin_hypercube, sobol_points};

use std::collections::BTreeSet;

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

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
