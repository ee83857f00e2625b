//! Tasks by priority: by the leading bits in time that grows with their number alone, by comparing where those are equal.

/// Fewer tasks are sorted by comparing.
const FEW: usize = 256;
const BITS: u32 = 8;
const DIGITS: usize = 4;

/// A task in the order of a unit, and what starting it takes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Queued {
    pub cycles: f64,
    pub task: u32,
    /// Leading bits of its key.
    pub key: u32,
}

/// How the keys of a pass become 32 bits that sort as they do, or are equal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    least: u64,
    /// Bits at the end that are left out.
    lost: u32,
}

impl Keys {
    pub fn new(priorities: &[f64]) -> Self {
        let keys = priorities.iter().map(|priority| falling_key(*priority));
        let (least, most) = keys.fold((u64::MAX, 0), |(least, most), key| (least.min(key), most.max(key)));
        let told_apart = 64 - most.saturating_sub(least).leading_zeros();
        Self { least, lost: told_apart.saturating_sub(32) }
    }

    #[inline]
    pub fn leading(&self, priority: f64) -> u32 {
        ((falling_key(priority) - self.least) >> self.lost) as u32
    }
}

/// Sorts a unit's tasks; working memory for that.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorter {
    other: Vec<Queued>,
}

impl Sorter {
    /// Highest priority first. Tasks must come in their own order, which is kept where priorities are equal.
    pub fn sort(&mut self, queue: &mut [Queued], keys: &Keys, priorities: &[f64]) {
        if queue.len() < FEW {
            // The pair is compared as one number: no branch to guess.
            queue.sort_unstable_by_key(|queued| u64::from(queued.key) << 32 | u64::from(queued.task));
        } else {
            self.sort_by_digits(queue);
        }
        if keys.lost == 0 {
            return;
        }
        // Tasks with the same leading bits are in their own order, which is right where whole keys are equal too.
        let whole = |queued: &Queued| (falling_key(priorities[queued.task as usize]), queued.task);
        for run in queue.chunk_by_mut(|one, next| one.key == next.key).filter(|run| run.len() > 1) {
            if !run.is_sorted_by_key(whole) {
                run.sort_unstable_by_key(whole);
            }
        }
    }

    /// Sorts by one digit after the other, the least significant first; each keeps the order of equal digits.
    fn sort_by_digits(&mut self, queue: &mut [Queued]) {
        let mut counts = [[0_u32; 1 << BITS]; DIGITS];
        for queued in &*queue {
            for (digit, counts) in (0_u32..).zip(&mut counts) {
                counts[digit_of(queued.key, digit)] += 1;
            }
        }
        if self.other.len() < queue.len() {
            self.other.resize(queue.len(), Queued::default());
        }
        let other = &mut self.other[..queue.len()];
        let mut is_in_other = false;
        for (digit, counts) in (0_u32..).zip(&mut counts) {
            // A digit that all keys share changes nothing.
            if counts.iter().any(|count| *count as usize == queue.len()) {
                continue;
            }
            let mut before = 0;
            for count in counts.iter_mut() {
                before += std::mem::replace(count, before);
            }
            let (from, to) = if is_in_other { (&*other, &mut *queue) } else { (&*queue, &mut *other) };
            for queued in from {
                let place = &mut counts[digit_of(queued.key, digit)];
                to[*place as usize] = *queued;
                *place += 1;
            }
            is_in_other = !is_in_other;
        }
        if is_in_other {
            queue.copy_from_slice(other);
        }
    }
}

fn digit_of(key: u32, digit: u32) -> usize {
    ((key >> (digit * BITS)) & ((1 << BITS) - 1)) as usize
}

/// A number that falls as the priority rises. Adding 0 makes one zero of both; flipping makes bits compare as floats do.
pub(super) fn falling_key(priority: f64) -> u64 {
    let bits = (priority + 0.0).to_bits();
    let rising = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    !rising
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Both zeros, infinities, and the largest and smallest numbers.
    const ENDS: [f64; 7] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, -f64::MAX];

    proptest! {
        #[test]
        fn it_is_a_stable_sort(
            // Far apart, equal, apart by less than the leading bits tell, and the ends of what numbers there are.
            values in prop::collection::vec(
                prop_oneof![-1e9..1e9, (-20_i32..20).prop_map(f64::from), 1.0..1.000_000_1, prop::sample::select(&ENDS[..])], 0..3000,
            ),
        ) {
            let values: Vec<f64> = values;
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by(|a, b| values[*b as usize].partial_cmp(&values[*a as usize]).expect("numbers"));
            let keys = Keys::new(&values);
            let queued = (0_u32..).zip(&values).map(|(task, value)| Queued { cycles: *value, task, key: keys.leading(*value) });
            let mut queue: Vec<Queued> = queued.collect();
            Sorter::default().sort(&mut queue, &keys, &values);
            prop_assert!(queue.iter().all(|queued| queued.cycles == values[queued.task as usize]));
            prop_assert_eq!(queue.iter().map(|queued| queued.task).collect::<Vec<_>>(), expected);
        }
    }
}
