//! The Sobol sequence.
//!
//! Primitive polynomials and initial numbers of Joe & Kuo (SIAM J. Sci. Comput. 30, 2008; `new-joe-kuo-6`, BSD licence) for
//! the first 32 dimensions; points in Gray-code order (Antonov & Saleev, 1979), with a random digital shift.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Most dimensions.
pub const MAX_DIMENSIONS: usize = 32;
/// Bits of a coordinate; the sequence has that power of two of points before it repeats.
pub const BITS: u32 = 52;

/// Degree, inner coefficients and initial numbers of dimensions 2 to 32.
const TABLE: [(u32, u32, [u64; 7]); MAX_DIMENSIONS - 1] = [
    (1, 0, [1, 0, 0, 0, 0, 0, 0]),
    (2, 1, [1, 3, 0, 0, 0, 0, 0]),
    (3, 1, [1, 3, 1, 0, 0, 0, 0]),
    (3, 2, [1, 1, 1, 0, 0, 0, 0]),
    (4, 1, [1, 1, 3, 3, 0, 0, 0]),
    (4, 4, [1, 3, 5, 13, 0, 0, 0]),
    (5, 2, [1, 1, 5, 5, 17, 0, 0]),
    (5, 4, [1, 1, 5, 5, 5, 0, 0]),
    (5, 7, [1, 1, 7, 11, 19, 0, 0]),
    (5, 11, [1, 1, 5, 1, 1, 0, 0]),
    (5, 13, [1, 1, 1, 3, 11, 0, 0]),
    (5, 14, [1, 3, 5, 5, 31, 0, 0]),
    (6, 1, [1, 3, 3, 9, 7, 49, 0]),
    (6, 13, [1, 1, 1, 15, 21, 21, 0]),
    (6, 16, [1, 3, 1, 13, 27, 49, 0]),
    (6, 19, [1, 1, 1, 15, 7, 5, 0]),
    (6, 22, [1, 3, 1, 15, 13, 25, 0]),
    (6, 25, [1, 1, 5, 5, 19, 61, 0]),
    (7, 1, [1, 3, 7, 11, 23, 15, 103]),
    (7, 4, [1, 3, 7, 13, 13, 15, 69]),
    (7, 7, [1, 1, 3, 13, 7, 35, 63]),
    (7, 8, [1, 3, 5, 9, 1, 25, 53]),
    (7, 14, [1, 3, 1, 13, 9, 35, 107]),
    (7, 19, [1, 3, 1, 5, 27, 61, 31]),
    (7, 21, [1, 1, 5, 11, 19, 41, 61]),
    (7, 28, [1, 3, 5, 3, 3, 13, 69]),
    (7, 31, [1, 1, 7, 13, 1, 19, 1]),
    (7, 32, [1, 3, 7, 5, 13, 19, 59]),
    (7, 37, [1, 1, 3, 9, 25, 29, 41]),
    (7, 41, [1, 3, 5, 13, 23, 1, 55]),
    (7, 42, [1, 3, 7, 3, 13, 59, 17]),
];

/// The points of the sequence one after the other, each coordinate below 2^[`BITS`].
pub struct Sobol {
    directions: Vec<[u64; BITS as usize]>,
    point: Vec<u64>,
    next: u64,
}

impl Sobol {
    /// The sequence in up to [`MAX_DIMENSIONS`] dimensions, from the origin; `None` for more.
    pub fn new(dimensions: usize) -> Option<Self> {
        (dimensions <= MAX_DIMENSIONS).then(|| Self {
            directions: (0..dimensions).map(directions).collect(),
            point: vec![0; dimensions],
            next: 0,
        })
    }

    /// Moves the origin to a random point: every coordinate is combined with random bits.
    #[must_use]
    pub fn shifted(mut self, seed: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        self.point.iter_mut().for_each(|coordinate| *coordinate ^= generator.next_u64() >> (64 - BITS));
        self
    }

    /// The next point.
    pub fn next_point(&mut self) -> &[u64] {
        if self.next > 0 {
            // From one Gray code to the next one bit changes: the lowest that is 0 in the number before.
            let bit = ((self.next - 1).trailing_ones() as usize).min(BITS as usize - 1);
            for (coordinate, directions) in self.point.iter_mut().zip(&self.directions) {
                *coordinate ^= directions[bit];
            }
        }
        self.next += 1;
        &self.point
    }
}

fn directions(dimension: usize) -> [u64; BITS as usize] {
    let mut numbers = [0_u64; BITS as usize];
    let Some((degree, inner, initial)) = dimension.checked_sub(1).and_then(|at| TABLE.get(at)) else {
        // The first dimension is van der Corput's sequence.
        return std::array::from_fn(|bit| 1 << (BITS as usize - 1 - bit));
    };
    let degree = *degree as usize;
    for bit in 0..BITS as usize {
        numbers[bit] = if bit < degree {
            initial[bit] << (BITS as usize - 1 - bit)
        } else {
            let mut number = numbers[bit - degree] ^ (numbers[bit - degree] >> degree);
            for back in 1..degree {
                if inner >> (degree - 1 - back) & 1 == 1 {
                    number ^= numbers[bit - back];
                }
            }
            number
        };
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Point 12,345 of `scipy.stats.qmc.Sobol(32, scramble=False)` of SciPy 1.17.1, an implementation of its own.
    const POINT_12345: [f64; 32] = [
        0.64093017578125,
        0.81341552734375,
        0.16033935546875,
        0.52679443359375,
        0.88848876953125,
        0.05889892578125,
        0.12725830078125,
        0.11334228515625,
        0.80181884765625,
        0.42962646484375,
        0.07427978515625,
        0.59881591796875,
        0.93096923828125,
        0.94183349609375,
        0.03448486328125,
        0.64080810546875,
        0.06256103515625,
        0.05096435546875,
        0.31939697265625,
        0.34344482421875,
        0.19927978515625,
        0.08123779296875,
        0.60699462890625,
        0.86273193359375,
        0.44134521484375,
        0.29571533203125,
        0.36602783203125,
        0.48199462890625,
        0.08770751953125,
        0.40447998046875,
        0.28692626953125,
        0.66204833984375,
    ];

    #[test]
    fn all_dimensions_agree_with_scipy() {
        let mut sobol = Sobol::new(32).expect("dimensions");
        let mut point = Vec::new();
        for _ in 0..=12345 {
            point = sobol.next_point().to_vec();
        }
        let point: Vec<f64> = point.iter().map(|bits| *bits as f64 / (1_u64 << BITS) as f64).collect();
        assert_eq!(point, POINT_12345);
        assert!(Sobol::new(33).is_none());
    }

    #[test]
    fn a_power_of_two_of_shifted_points_hits_every_interval_once_in_every_dimension() {
        let mut sobol = Sobol::new(32).expect("dimensions").shifted(5);
        let mut seen = vec![[false; 1024]; 32];
        for _ in 0..1024 {
            for (dimension, coordinate) in sobol.next_point().iter().enumerate() {
                let interval = (coordinate >> (BITS - 10)) as usize;
                assert!(!seen[dimension][interval]);
                seen[dimension][interval] = true;
            }
        }
    }
}
