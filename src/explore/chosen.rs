//! Points of a space that 64 bits cannot number, numbered in the order in which they are chosen.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Digits of the chosen points. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct Chosen(Arc<RwLock<Points>>);

#[derive(Debug, Default)]
struct Points {
    /// Point by point.
    digits: Vec<Arc<[u32]>>,
    indices: HashMap<Arc<[u32]>, u64>,
}

impl Chosen {
    /// Writes the digits of a point; false if that index was not given yet.
    pub fn digits(&self, index: u64, digits: &mut [u32]) -> bool {
        let points = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = usize::try_from(index).ok().and_then(|index| points.digits.get(index));
        if let Some(known) = known.filter(|known| known.len() == digits.len()) {
            digits.copy_from_slice(known);
        }
        known.is_some()
    }

    /// The index of a point; a new one gets the next index.
    pub fn index(&self, digits: Vec<u32>) -> u64 {
        let mut points = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = points.indices.get(&*digits) {
            return *index;
        }
        let (index, digits) = (points.digits.len() as u64, Arc::<[u32]>::from(digits));
        points.digits.push(digits.clone());
        points.indices.insert(digits, index);
        index
    }
}
