//! One number of several objectives.

use rand_chacha::ChaCha8Rng;

use super::asked::Seen;
use crate::explore::sample::unit;

/// What a point costs at least that misses a constraint; those that keep them cost about 1.
const MISSED: f64 = 1e6;
/// Share of the sum of all shortfalls that is added to the largest: of two points with the same largest one the better
/// one in the rest wins.
const AUGMENTED: f64 = 1e-3;

/// How objectives become a cost. Values have less being better.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    weights: Vec<f64>,
    reference: Option<Vec<f64>>,
    /// Least value and spread of each objective among the points known so far: what a weight is measured by.
    scale: Vec<(f64, f64)>,
}

impl Cost {
    /// The cost with these weights: their weighted sum, or with a `reference` the largest weighted shortfall from it.
    pub fn new(weights: Vec<f64>, reference: Option<Vec<f64>>, seen: &Seen) -> Self {
        let scale = (0..weights.len())
            .map(|at| {
                let values = || seen.feasible().map(move |objectives| objectives[at]);
                let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
                if (high - low).is_normal() {
                    (low, high - low)
                } else {
                    (if low.is_finite() { low } else { 0.0 }, 1.0)
                }
            })
            .collect();
        Self { weights, reference, scale }
    }

    /// The cost of a point.
    pub fn of(&self, violation: f64, objectives: &[f64]) -> f64 {
        if violation > 0.0 {
            return MISSED + violation.min(MISSED);
        }
        let zero = |at: usize| self.reference.as_ref().map_or(self.scale[at].0, |reference| reference[at]);
        let parts =
            objectives.iter().enumerate().map(|(at, value)| self.weights[at] * (value - zero(at)) / self.scale[at].1);
        let (largest, sum) =
            parts.fold((f64::NEG_INFINITY, 0.0), |(largest, sum), part| (part.max(largest), sum + part));
        let cost = if self.reference.is_some() { largest + AUGMENTED * sum } else { sum };
        cost.clamp(-MISSED, MISSED)
    }
}

/// What costs more than any point.
pub fn worst() -> f64 {
    4.0 * MISSED
}

/// Weights of which every mixture is equally likely: the gaps between sorted numbers.
pub fn random_weights(count: usize, generator: &mut ChaCha8Rng) -> Vec<f64> {
    let mut cuts: Vec<f64> = (1..count).map(|_| unit(generator)).chain([0.0, 1.0]).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.windows(2).map(|pair| pair[1] - pair[0]).collect()
}
