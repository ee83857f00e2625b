//! Which genomes were evaluated.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::vary::Axis;

/// A set of genomes, each kept as one number: its index where the space has less than 2^64 points, else a fingerprint.
///
/// Two genomes of a larger space may share a fingerprint (after a million evaluations with a probability of 3e-8); then
/// one of them is taken for seen.
pub struct Seen {
    keys: HashSet<u64, BuildHasherDefault<Mixer>>,
    is_enumerable: bool,
}

impl Seen {
    pub fn new(axes: &[Axis]) -> Self {
        Self { keys: HashSet::default(), is_enumerable: points(axes).is_some() }
    }

    pub fn len(&self) -> u64 {
        self.keys.len() as u64
    }

    /// Returns true if the genome is new.
    pub fn insert(&mut self, digits: &[u32], axes: &[Axis]) -> bool {
        let key = if self.is_enumerable {
            digits.iter().zip(axes).fold(0, |index, (digit, axis)| index * u64::from(axis.size) + u64::from(*digit))
        } else {
            digits.iter().fold(START, |key, digit| folded(key ^ u64::from(*digit), FACTOR))
        };
        self.keys.insert(key)
    }
}

/// Genomes in all, if that is a number of 64 bits.
pub fn points(axes: &[Axis]) -> Option<u64> {
    axes.iter().try_fold(1_u64, |points, axis| points.checked_mul(u64::from(axis.size)))
}

/// Digits of pi and of the golden ratio.
const START: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of the product, so that every bit counts.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// Spreads the bits of a number over the table: nobody chooses genomes to make it slow.
#[derive(Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        eights.iter().for_each(|eight| self.write_u64(u64::from_le_bytes(*eight)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = folded(self.0 ^ number ^ START, FACTOR);
    }
}
