//! Tasks by priority, in time that grows with their number alone.

/// Fewer tasks are sorted by comparing.
const FEW: usize = 1024;
const BITS: u32 = 11;
const DIGITS: usize = 64_usize.div_ceil(BITS as usize);

/// A task's sorting key, and the task.
type Entry = (u64, u32);

/// Sorts by key; working memory for that.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorter {
    entries: Vec<Entry>,
    other: Vec<Entry>,
}

impl Sorter {
    /// The tasks, highest priority first, ties in their own order.
    pub fn by_priority(&mut self, priorities: &[f64]) -> impl Iterator<Item = u32> + '_ {
        self.entries.clear();
        self.entries.extend((0_u32..).zip(priorities).map(|(task, priority)| (falling_key(*priority), task)));
        if self.entries.len() < FEW {
            // The pair is compared as one number: no branch to guess.
            self.entries.sort_unstable_by_key(|(key, task)| u128::from(*key) << 32 | u128::from(*task));
        } else {
            self.sort_by_digits();
        }
        self.entries.iter().map(|(_, task)| *task)
    }

    /// Sorts by one digit after the other, the least significant first; each keeps the order of equal digits.
    fn sort_by_digits(&mut self) {
        let mut counts = [[0_u32; 1 << BITS]; DIGITS];
        for (key, _) in &self.entries {
            for (digit, counts) in (0_u32..).zip(&mut counts) {
                counts[digit_of(*key, digit)] += 1;
            }
        }
        self.other.resize(self.entries.len(), (0, 0));
        for (digit, counts) in (0_u32..).zip(&mut counts) {
            // A digit that all keys share changes nothing.
            if counts.iter().any(|count| *count as usize == self.entries.len()) {
                continue;
            }
            let mut before = 0;
            for count in counts.iter_mut() {
                before += std::mem::replace(count, before);
            }
            for entry in &self.entries {
                let place = &mut counts[digit_of(entry.0, digit)];
                self.other[*place as usize] = *entry;
                *place += 1;
            }
            std::mem::swap(&mut self.entries, &mut self.other);
        }
    }
}

fn digit_of(key: u64, digit: u32) -> usize {
    ((key >> (digit * BITS)) & ((1 << BITS) - 1)) as usize
}

/// A number that falls as the priority rises. Adding 0 makes one zero of both; flipping makes bits compare as floats do.
fn falling_key(priority: f64) -> u64 {
    let bits = (priority + 0.0).to_bits();
    let rising = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    !rising
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_stable_sort(values in prop::collection::vec(prop_oneof![-1e9..1e9, (-20_i32..20).prop_map(f64::from)], 0..3000)) {
            let values: Vec<f64> = values;
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by(|a, b| values[*b as usize].partial_cmp(&values[*a as usize]).expect("numbers"));
            let mut sorter = Sorter::default();
            let sorted: Vec<u32> = sorter.by_priority(&values).collect();
            prop_assert_eq!(sorted, expected);
        }
    }
}
