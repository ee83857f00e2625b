//! Work that repeats: starts of parts in one iteration after those of this and of the iteration before.
//!
//! With `x_A(k)` the start of part `A` in iteration `k`, every arc says `x_A(k) >= x_B(k) + w`, or `x_B(k - 1) + w` if it
//! leads to the next iteration: a max-plus recurrence. Its growth per iteration is the maximum cycle ratio, the largest sum
//! of weights over iterations spanned of any cycle (Baccelli et al., Synchronization and Linearity, 1992).

/// Most iterations after which a pattern of starts may repeat for the rest to be jumped.
const LONGEST_PATTERN: usize = 4;
/// Iterations that are remembered: two patterns.
const REMEMBERED: usize = 2 * LONGEST_PATTERN;
/// Differences below this share of the times are rounding.
const SAME: f64 = 1e-13;

/// Part `to` starts at least `cycles` after part `from`, of the iteration before if `carried`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arc {
    pub from: usize,
    pub to: usize,
    pub cycles: f64,
    pub carried: bool,
}

/// Arcs between parts, with working memory. Arcs that are not carried lead to higher parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Recurrence {
    parts: usize,
    pub arcs: Vec<Arc>,
    potential: Vec<f64>,
    parent: Vec<usize>,
    /// Starts in the last iterations, and which part each waited for.
    starts: [Vec<f64>; REMEMBERED],
    waited: [Vec<usize>; REMEMBERED],
    growth: Vec<f64>,
}

impl Recurrence {
    /// No arcs between that many parts, and room for as many.
    pub fn new(parts: usize, arcs: usize) -> Self {
        Self {
            parts,
            arcs: Vec::with_capacity(arcs),
            potential: vec![0.0; parts],
            parent: vec![usize::MAX; parts],
            starts: std::array::from_fn(|_| vec![0.0; parts]),
            waited: std::array::from_fn(|_| vec![usize::MAX; parts]),
            growth: vec![0.0; parts],
        }
    }

    /// The maximum cycle ratio in cycles per iteration; 0 if no cycle needs any time.
    ///
    /// From the ratio known so far, a cycle that is longer than its iterations at that ratio is looked for; its own ratio is
    /// the next, which is larger. The last one is the ratio of a cycle itself, no limit of a search.
    pub fn cycle_ratio(&mut self) -> f64 {
        let scale: f64 = self.arcs.iter().map(|arc| arc.cycles.abs()).sum();
        let mut ratio = 0.0;
        while let Some(larger) = self.longer_cycle(ratio, scale * SAME) {
            if larger <= ratio {
                break;
            }
            ratio = larger;
        }
        ratio
    }

    /// The ratio of a cycle whose arcs, each shortened by `ratio` if carried, add up to more than 0.
    fn longer_cycle(&mut self, ratio: f64, least: f64) -> Option<f64> {
        self.potential.fill(0.0);
        self.parent.fill(usize::MAX);
        let mut last = None;
        for _ in 0..=self.parts {
            last = None;
            for (index, arc) in self.arcs.iter().enumerate() {
                let length = arc.cycles - if arc.carried { ratio } else { 0.0 };
                let reached = self.potential[arc.from] + length;
                if reached > self.potential[arc.to] + least {
                    self.potential[arc.to] = reached;
                    self.parent[arc.to] = index;
                    last = Some(arc.to);
                }
            }
            last?;
        }
        // Still growing after as many rounds as there are parts: walking back that often ends inside a cycle.
        let mut at = last?;
        for _ in 0..self.parts {
            at = self.arcs.get(self.parent[at])?.from;
        }
        let (first, mut cycles, mut iterations) = (at, 0.0, 0.0);
        loop {
            let arc = self.arcs.get(self.parent[at])?;
            cycles += arc.cycles;
            iterations += f64::from(u8::from(arc.carried));
            at = arc.from;
            if at == first {
                return (iterations > 0.0).then(|| cycles / iterations);
            }
        }
    }

    /// When the last part of `iterations` iterations has ended, each part ending `lengths` after its start. Once every part
    /// grows by an amount of its own, none waits for a slower one, and none can be overtaken, the rest is jumped.
    pub fn total(&mut self, iterations: u64, lengths: &[f64]) -> f64 {
        let mut done = 0;
        let mut jumped = 0.0_f64;
        let mut now = 0;
        while done < iterations {
            now = (done as usize) % REMEMBERED;
            self.step(now, done > 0);
            done += 1;
            if done as usize >= REMEMBERED
                && let Some(pattern) = (1..=LONGEST_PATTERN).find(|pattern| self.repeats(now, *pattern))
            {
                // What remains after whole patterns was seen one pattern ago, but for the growth of those jumped.
                let left = iterations - done;
                let (times, rest) = (left / pattern as u64, left % pattern as u64);
                let times = times + u64::from(rest > 0);
                let back = if rest > 0 { pattern - rest as usize } else { 0 };
                now = (now + REMEMBERED - back) % REMEMBERED;
                jumped = times as f64;
                break;
            }
        }
        let ends = self.starts[now].iter().zip(&self.growth).zip(lengths);
        ends.map(|((start, growth), length)| start + if jumped > 0.0 { growth * jumped } else { 0.0 } + length)
            .fold(0.0, f64::max)
    }

    /// One iteration; `has_before`: there was one before.
    fn step(&mut self, now: usize, has_before: bool) {
        let before = (now + REMEMBERED - 1) % REMEMBERED;
        let mut starts = std::mem::take(&mut self.starts[now]);
        starts.fill(0.0);
        self.waited[now].fill(usize::MAX);
        for part in 0..self.parts {
            for arc in self.arcs.iter().filter(|arc| arc.to == part && (has_before || !arc.carried)) {
                let from = if arc.carried { self.starts[before][arc.from] } else { starts[arc.from] };
                if from + arc.cycles > starts[part] {
                    starts[part] = from + arc.cycles;
                    self.waited[now][part] = arc.from;
                }
            }
        }
        self.starts[now] = starts;
    }

    /// Whether the last `pattern` iterations are those before, each part later by a growth of its own, and will be again:
    /// what a part waited for grows as it does, and nothing that it could wait for grows faster. Notes the growth.
    fn repeats(&mut self, now: usize, pattern: usize) -> bool {
        let back = |steps: usize| (now + REMEMBERED - steps) % REMEMBERED;
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= SAME * scale;
        for part in 0..self.parts {
            let grown = |steps: usize| self.starts[back(steps)][part] - self.starts[back(steps + pattern)][part];
            let growth = grown(0);
            let scale = self.starts[now][part];
            if !(1..pattern).all(|steps| close(grown(steps), growth, scale)) {
                return false;
            }
            self.growth[part] = growth;
        }
        let scale = self.starts[now].iter().copied().fold(0.0, f64::max);
        let slower = |from: usize, to: usize| self.growth[from] <= self.growth[to] + SAME * scale;
        self.arcs.iter().all(|arc| slower(arc.from, arc.to))
            && (0..pattern).all(|steps| {
                self.waited[back(steps)].iter().enumerate().all(|(part, from)| match self.growth.get(*from) {
                    Some(growth) => close(*growth, self.growth[part], scale),
                    None => self.growth[part] == 0.0,
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random arcs of whole cycles. `connected`: a ring through all parts, so that none runs ahead of the others.
    fn recurrences(connected: bool) -> impl Strategy<Value = Recurrence> {
        (1_usize..7).prop_flat_map(move |parts| {
            let arcs = prop::collection::vec((0..parts, 0..parts, 0_u32..100, any::<bool>()), 1..12);
            let ring = prop::collection::vec(0_u32..100, parts);
            (arcs, ring).prop_map(move |(arcs, ring)| {
                let mut recurrence = Recurrence::new(parts, 0);
                recurrence.arcs = arcs
                    .into_iter()
                    .map(|(a, b, cycles, carried)| {
                        let carried = carried || a == b;
                        let (from, to) = if carried { (a, b) } else { (a.min(b), a.max(b)) };
                        Arc { from, to, cycles: f64::from(cycles), carried }
                    })
                    .collect();
                if connected {
                    recurrence.arcs.extend(ring.iter().enumerate().map(|(from, cycles)| {
                        let to = (from + 1) % parts;
                        Arc { from, to, cycles: f64::from(*cycles), carried: to <= from }
                    }));
                }
                recurrence
            })
        })
    }

    /// All starts of so many iterations by the definition.
    fn unrolled(recurrence: &Recurrence, iterations: usize) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::new();
        for at in 0..iterations {
            let mut starts = vec![0.0_f64; recurrence.parts];
            for part in 0..recurrence.parts {
                for arc in recurrence.arcs.iter().filter(|arc| arc.to == part) {
                    let from = match (arc.carried, at) {
                        (false, _) => starts[arc.from],
                        (true, 0) => continue,
                        (true, _) => all[at - 1][arc.from],
                    };
                    starts[part] = starts[part].max(from + arc.cycles);
                }
            }
            all.push(starts);
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Cycles span up to 6 iterations, so after the start-up 60 iterations take 60 times the ratio exactly.
        #[test]
        fn the_cycle_ratio_is_the_growth_of_the_unrolled_recurrence(mut recurrence in recurrences(true)) {
            let starts = unrolled(&recurrence, 8_000);
            let grown = starts[7_999][0] - starts[7_939][0];
            let ratio = recurrence.cycle_ratio();
            prop_assert!((ratio - grown / 60.0).abs() <= 1e-12 * ratio, "{ratio} is not {}", grown / 60.0);
        }

        #[test]
        fn jumped_iterations_are_those_of_the_unrolled_recurrence(
            mut recurrence in prop_oneof![recurrences(true), recurrences(false)],
            iterations in 1_u64..900,
        ) {
            let starts = unrolled(&recurrence, iterations as usize);
            let lengths = vec![7.0; recurrence.parts];
            let expected = starts[iterations as usize - 1].iter().copied().fold(0.0, f64::max) + 7.0;
            prop_assert_eq!(recurrence.total(iterations, &lengths), expected);
        }
    }

    #[test]
    fn two_parts_that_feed_each_other_take_their_sum() {
        let arc = |from, to, cycles, carried| Arc { from, to, cycles, carried };
        let mut recurrence = Recurrence::new(2, 4);
        recurrence.arcs = vec![arc(0, 1, 3.0, false), arc(1, 0, 4.0, true), arc(0, 0, 5.0, true), arc(1, 1, 2.0, true)];
        assert_eq!(recurrence.cycle_ratio(), 7.0);
        // 0, 3 | 7, 10 | 14, 17; the last part lasts 4 cycles.
        assert_eq!(recurrence.total(3, &[3.0, 4.0]), 21.0);
        assert_eq!(recurrence.total(1_000_000_000, &[3.0, 4.0]), 7e9);
    }
}
