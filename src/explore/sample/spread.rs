//! Samples that spread evenly over every axis.
//!
//! A cell of the grid is evaluated once. Where two samples of the unit cube fall into one cell, the next one of the
//! sequence replaces the second; a sample that fills much of a small space is completed by uniformly drawn cells.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::sobol::{BITS, Sobol};
use super::{of_any_size, unit, without_repeats};
use crate::explore::space::Space;

/// Points of the sequence that are tried for each wanted cell.
const TRIES: u64 = 8;

/// `count` cells along the Sobol sequence, shifted by `seed`, in increasing order; all of them if there are no more.
/// `None` if the space has more axes than the sequence has dimensions.
pub fn sobol_points(space: &Space, count: u64, seed: u64) -> Option<Vec<u64>> {
    let mut sobol = Sobol::new(space.sizes().len())?.shifted(seed);
    let mut digits = Vec::with_capacity(space.sizes().len());
    Some(collect(space, count, seed, || {
        digits.clear();
        let point = sobol.next_point();
        // An exact product: 52 bits times 32.
        let digit = |(bits, size): (&u64, &u64)| ((u128::from(*bits) * u128::from(*size)) >> BITS) as u32;
        digits.extend(point.iter().zip(space.sizes()).map(digit));
        space.index(&digits)
    }))
}

/// `count` cells of Latin hypercubes: each cuts every axis into `count` equal parts and hits each part once (McKay,
/// Beckman & Conover, Technometrics 21, 1979). In increasing order; all cells if there are no more.
pub fn latin_hypercube(space: &Space, count: u64, seed: u64) -> Vec<u64> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let parts = count.min(space.points());
    let mut orders: Vec<Vec<u32>> = Vec::new();
    let mut row = 0;
    collect(space, count, seed, || {
        if row == orders.first().map_or(0, Vec::len) {
            orders = space.sizes().iter().map(|_| shuffled(parts, &mut generator)).collect();
            row = 0;
        }
        let digit = |(order, size): (&Vec<u32>, &u64)| {
            let at = (f64::from(order[row]) + unit(&mut generator)) / parts as f64 * *size as f64;
            (at as u64).min(size - 1) as u32
        };
        let digits: Vec<u32> = orders.iter().zip(space.sizes()).map(digit).collect();
        row += 1;
        space.index(&digits)
    })
}

/// 0 to `count` in a random order (Fisher & Yates).
fn shuffled(count: u64, generator: &mut ChaCha8Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for at in (1..order.len()).rev() {
        let other = (unit(generator) * (at + 1) as f64) as usize;
        order.swap(at, other.min(at));
    }
    order
}

fn collect(space: &Space, count: u64, seed: u64, mut next: impl FnMut() -> u64) -> Vec<u64> {
    if count >= space.points() || space.sizes().is_empty() {
        return (0..space.points()).collect();
    }
    let mut cells = BTreeSet::new();
    let mut tries = 0;
    while (cells.len() as u64) < count && tries < count.saturating_mul(TRIES) {
        cells.insert(next());
        tries += 1;
    }
    let mut round = 0;
    while (cells.len() as u64) < count {
        round += 1;
        let missing = count - cells.len() as u64;
        let seed = seed.wrapping_add(round);
        let more = match space.is_enumerable() {
            true => without_repeats(space.points(), missing, seed),
            false => of_any_size(space, missing, seed),
        };
        cells.extend(more);
    }
    cells.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_have_the_right_number_of_different_cells(
            sizes in prop::collection::vec(1_u64..9, 1..5),
            count in 1_u64..300,
            seed: u64,
        ) {
            let space = Space::with_sizes(sizes).expect("space");
            let expected = count.min(space.points());
            for sample in [sobol_points(&space, count, seed).expect("axes"), latin_hypercube(&space, count, seed)] {
                prop_assert_eq!(sample.len() as u64, expected);
                prop_assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(sample.iter().all(|index| *index < space.points()));
            }
        }
    }

    #[test]
    fn a_latin_hypercube_hits_every_value_of_every_axis_equally_often() {
        let space = Space::with_sizes(vec![64; 4]).expect("space");
        let mut seen = vec![[0; 64]; 4];
        let mut digits = Vec::new();
        for index in latin_hypercube(&space, 128, 3) {
            space.digits(index, &mut digits);
            digits.iter().enumerate().for_each(|(axis, digit)| seen[axis][*digit as usize] += 1);
        }
        assert!(seen.iter().flatten().all(|hits| *hits == 2), "{seen:?}");
    }

    #[test]
    fn a_huge_space_is_sampled_without_walking_it() {
        let space = Space::with_sizes(vec![1 << 20; 3]).expect("space");
        assert_eq!(sobol_points(&space, 1000, 1).expect("axes").len(), 1000);
        assert_eq!(latin_hypercube(&space, 1000, 1).len(), 1000);
    }
}
