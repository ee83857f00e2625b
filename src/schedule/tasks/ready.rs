//! The ready tasks of each unit, taken in the order of their ranks.
//!
//! Every task has a place in its unit's part of one bit set; the earlier the place, the sooner it is taken. A second set says
//! which words hold anything, so that taking the first of 4,096 tasks looks at two words, whatever is ready.

/// Where a unit's places are.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    /// First word of its places.
    words: u32,
    /// First word of its summary, and one behind the last.
    summary: (u32, u32),
    /// No summary word before this one holds anything.
    first: u32,
}

/// The set.
#[derive(Debug, Clone, Default)]
pub(super) struct Ready {
    parts: Vec<Part>,
    words: Vec<u64>,
    summaries: Vec<u64>,
}

impl Ready {
    /// Empties the set and gives each unit room for its tasks. Allocates only if there is more than ever before.
    pub fn reset(&mut self, tasks_per_unit: &[u32]) {
        self.parts.clear();
        let (mut words, mut summaries) = (0_u32, 0_u32);
        for tasks in tasks_per_unit {
            let own_words = tasks.div_ceil(64);
            let own_summaries = own_words.div_ceil(64);
            self.parts.push(Part {
                words,
                summary: (summaries, summaries + own_summaries),
                first: summaries + own_summaries,
            });
            words += own_words;
            summaries += own_summaries;
        }
        self.words.clear();
        self.words.resize(words as usize, 0);
        self.summaries.clear();
        self.summaries.resize(summaries as usize, 0);
    }

    /// The first place of each unit is `64 *` this.
    #[inline]
    pub fn first_place(&self, unit: usize) -> u32 {
        self.parts[unit].words * 64
    }

    /// Places in all, used or not.
    pub fn places(&self) -> usize {
        self.words.len() * 64
    }

    /// Adds the task at a place of a unit.
    #[inline]
    pub fn insert(&mut self, unit: usize, place: u32) {
        let part = &mut self.parts[unit];
        let word = place / 64;
        self.words[word as usize] |= 1 << (place % 64);
        let own = word - part.words;
        let summary = part.summary.0 + own / 64;
        self.summaries[summary as usize] |= 1 << (own % 64);
        part.first = part.first.min(summary);
    }

    /// Takes the first place of a unit.
    #[inline]
    pub fn pop(&mut self, unit: usize) -> Option<u32> {
        let place = self.first_from(unit, 0)?;
        self.remove(unit, place);
        Some(place)
    }

    /// The first place of a unit that is not before `from`.
    #[inline]
    pub fn first_from(&mut self, unit: usize, from: u32) -> Option<u32> {
        let part = &mut self.parts[unit];
        while part.first < part.summary.1 && self.summaries[part.first as usize] == 0 {
            part.first += 1;
        }
        for at in part.first..part.summary.1 {
            let mut summary = self.summaries[at as usize];
            while summary != 0 {
                let word = part.words + (at - part.summary.0) * 64 + summary.trailing_zeros();
                let mut bits = self.words[word as usize];
                if word * 64 < from {
                    bits = if from - word * 64 >= 64 { 0 } else { bits & (u64::MAX << (from - word * 64)) };
                }
                if bits != 0 {
                    return Some(word * 64 + bits.trailing_zeros());
                }
                summary &= summary - 1;
            }
        }
        None
    }

    /// Removes a place of a unit.
    #[inline]
    pub fn remove(&mut self, unit: usize, place: u32) {
        let part = &self.parts[unit];
        let word = place / 64;
        let bits = &mut self.words[word as usize];
        *bits &= !(1 << (place % 64));
        if *bits == 0 {
            let own = word - part.words;
            self.summaries[(part.summary.0 + own / 64) as usize] &= !(1 << (own % 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_an_ordered_set(
            sizes in prop::collection::vec(1_u32..20_000, 1..4),
            steps in prop::collection::vec((0_usize..4, 0_u32..20_000, 0_u8..3), 0..300),
        ) {
            let mut ready = Ready::default();
            ready.reset(&sizes);
            let mut model: Vec<std::collections::BTreeSet<u32>> = vec![Default::default(); sizes.len()];
            for (unit, at, action) in steps {
                let unit = unit % sizes.len();
                let place = ready.first_place(unit) + at % sizes[unit];
                match action {
                    0 => {
                        ready.insert(unit, place);
                        model[unit].insert(place);
                    }
                    1 => prop_assert_eq!(ready.pop(unit), model[unit].pop_first()),
                    _ => prop_assert_eq!(ready.first_from(unit, place), model[unit].range(place..).next().copied()),
                }
            }
        }
    }
}
