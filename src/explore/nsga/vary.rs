//! Crossover and mutation of digits.

use rand_chacha::ChaCha8Rng;

use crate::explore::sample::unit;

/// Distribution index of the crossover; larger stays nearer to the parents.
const CROSSOVER_INDEX: f64 = 15.0;
/// Distribution index of the mutation.
const MUTATION_INDEX: f64 = 20.0;
/// Probability that two parents are crossed at all, and each of their digits then.
const CROSSED: (f64, f64) = (0.9, 0.5);

/// What the digits of an axis mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Number of digits.
    pub size: u32,
    /// Neighbours are alike; otherwise the digits stand for words.
    pub ordered: bool,
}

/// A random genome.
pub fn random(axes: &[Axis], generator: &mut ChaCha8Rng) -> Vec<u32> {
    axes.iter().map(|axis| any(axis.size, generator)).collect()
}

fn any(size: u32, generator: &mut ChaCha8Rng) -> u32 {
    ((unit(generator) * f64::from(size)) as u32).min(size - 1)
}

/// Two children of two parents.
pub fn cross(axes: &[Axis], parents: [&[u32]; 2], generator: &mut ChaCha8Rng) -> [Vec<u32>; 2] {
    let mut children = parents.map(<[u32]>::to_vec);
    if unit(generator) >= CROSSED.0 {
        return children;
    }
    for (at, axis) in axes.iter().enumerate() {
        let (a, b) = (parents[0][at], parents[1][at]);
        if a == b || unit(generator) >= CROSSED.1 {
            continue;
        }
        let (mut first, mut second) =
            if axis.ordered { simulated_binary(a.min(b), a.max(b), axis.size, generator) } else { (b, a) };
        if axis.ordered && unit(generator) < 0.5 {
            std::mem::swap(&mut first, &mut second);
        }
        (children[0][at], children[1][at]) = (first, second);
    }
    children
}

/// Simulated binary crossover within bounds (Deb & Agrawal, Complex Systems 9, 1995), rounded to digits.
fn simulated_binary(low: u32, high: u32, size: u32, generator: &mut ChaCha8Rng) -> (u32, u32) {
    let (low, high, last) = (f64::from(low), f64::from(high), f64::from(size - 1));
    let (share, gap) = (unit(generator), high - low);
    let spread = |room: f64| {
        let alpha = 2.0 - (1.0 + 2.0 * room / gap).powf(-(CROSSOVER_INDEX + 1.0));
        let base = if share <= 1.0 / alpha { share * alpha } else { 1.0 / (2.0 - share * alpha) };
        base.powf(1.0 / (CROSSOVER_INDEX + 1.0))
    };
    let digit = |value: f64| value.round().clamp(0.0, last) as u32;
    let middle = 0.5 * (low + high);
    (digit(middle - 0.5 * spread(low) * gap), digit(middle + 0.5 * spread(last - high) * gap))
}

/// Mutates each digit with probability one over the number of axes that can move.
pub fn mutate(axes: &[Axis], digits: &mut [u32], generator: &mut ChaCha8Rng) {
    let moving = axes.iter().filter(|axis| axis.size > 1).count().max(1);
    for (digit, axis) in digits.iter_mut().zip(axes).filter(|(_, axis)| axis.size > 1) {
        if unit(generator) >= (1.0 / moving as f64).max(1e-9) {
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
    let power = 1.0 / (MUTATION_INDEX + 1.0);
    let step = if share < 0.5 {
        let room = 1.0 - value / last;
        (2.0 * share + (1.0 - 2.0 * share) * room.powf(MUTATION_INDEX + 1.0)).powf(power) - 1.0
    } else {
        let room = value / last;
        1.0 - (2.0 * (1.0 - share) + 2.0 * (share - 0.5) * room.powf(MUTATION_INDEX + 1.0)).powf(power)
    };
    (value + step * last).round().clamp(0.0, last) as u32
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
        for _ in 0..20_000 {
            let parents = [random(&axes, &mut generator), random(&axes, &mut generator)];
            for mut child in cross(&axes, [&parents[0], &parents[1]], &mut generator) {
                mutate(&axes, &mut child, &mut generator);
                assert!(child.iter().zip(&axes).all(|(digit, axis)| *digit < axis.size), "{child:?}");
            }
        }
    }
}
