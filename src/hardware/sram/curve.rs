//! SRAM figures over capacity, through the sizes of one series.

/// Most sizes of a series.
pub(super) const KNOTS: usize = 26;
/// Figures at each size, in the order of [`super::table::Figure`].
pub(super) const FIGURES: usize = 5;

/// How much of a chord follows the square root of the capacity; the rest follows the capacity itself.
///
/// CACTI's figures are piecewise smooth: within one organisation of subarrays, energy, leakage and area grow with the
/// rows that are added, so linearly; access time and the drivers' share of a write grow with wires, whose length is the
/// square root of the area. Between organisations they jump. Chords are what a jump harms least.
const ROOT_SHARE: [f64; FIGURES] = [1.0, 0.0, 0.5, 0.0, 0.0];

/// Figures that may not fall with capacity: leakage and area. A larger memory can always serve as the smaller one, so
/// where the table has it smaller, the smaller one is built like it.
const NEVER_FALLS: [bool; FIGURES] = [false, false, false, true, true];

/// Bounds of the power of capacity below the first size: from a fixed cost to proportional.
const POWER_BELOW: (f64, f64) = (0.0, 1.0);
/// Bounds of the power above the last size: leakage and area are proportional there (they are cells), energy and time
/// continue as over the last two doublings.
const POWER_ABOVE: [(f64, f64); FIGURES] = [(0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0)];

/// Chords through the figures at ascending sizes.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    len: usize,
    /// Ascending; infinite from `len` on.
    sizes: [f64; KNOTS],
    roots: [f64; KNOTS],
    /// One over the step to the next size, and to its root.
    per_size: [f64; KNOTS],
    per_root: [f64; KNOTS],
    values: [[f64; FIGURES]; KNOTS],
    power_below: [f64; FIGURES],
    power_above: [f64; FIGURES],
}

impl Curve {
    /// A curve through `values` (positive) at `sizes` (ascending bytes, at least one and at most [`KNOTS`]).
    pub fn through(sizes: &[f64], values: &[[f64; FIGURES]]) -> Self {
        let len = sizes.len().min(values.len()).min(KNOTS);
        let mut curve = Self {
            len,
            sizes: [f64::INFINITY; KNOTS],
            roots: [f64::INFINITY; KNOTS],
            per_size: [0.0; KNOTS],
            per_root: [0.0; KNOTS],
            values: [[1.0; FIGURES]; KNOTS],
            power_below: [0.0; FIGURES],
            power_above: [0.0; FIGURES],
        };
        curve.sizes[..len].copy_from_slice(&sizes[..len]);
        curve.values[..len].copy_from_slice(&values[..len]);
        for (root, size) in curve.roots[..len].iter_mut().zip(sizes) {
            *root = size.sqrt();
        }
        for knot in 1..len {
            curve.per_size[knot - 1] = 1.0 / (curve.sizes[knot] - curve.sizes[knot - 1]);
            curve.per_root[knot - 1] = 1.0 / (curve.roots[knot] - curve.roots[knot - 1]);
        }
        for figure in 0..FIGURES {
            if NEVER_FALLS[figure] {
                for knot in (1..len).rev() {
                    let above = curve.values[knot][figure];
                    let here = &mut curve.values[knot - 1][figure];
                    *here = here.min(above);
                }
            }
            let (low, high) = POWER_BELOW;
            curve.power_below[figure] = curve.power(figure, 0, 1).clamp(low, high);
            let (low, high) = POWER_ABOVE[figure];
            curve.power_above[figure] = curve.power(figure, len.saturating_sub(3), len - 1).clamp(low, high);
        }
        curve
    }

    /// The power of capacity between two knots; 0 where there is only one.
    fn power(&self, figure: usize, from: usize, to: usize) -> f64 {
        if to >= self.len || from >= to {
            return 0.0;
        }
        let rise = self.values[to][figure] / self.values[from][figure];
        rise.ln() / (self.sizes[to] / self.sizes[from]).ln()
    }

    /// The figures at `size` bytes, and whether that lies outside the knots.
    #[inline]
    pub fn at(&self, size: f64) -> ([f64; FIGURES], bool) {
        let last = self.len - 1;
        if size < self.sizes[0] {
            return (self.beyond(0, size, &self.power_below), true);
        }
        if size > self.sizes[last] {
            return (self.beyond(last, size, &self.power_above), true);
        }
        // Counting beats a binary search: no step waits for a comparison.
        let knot = self.sizes.iter().map(|&s| usize::from(s <= size)).sum::<usize>() - 1;
        if knot == last {
            return (self.values[last], false);
        }
        let linear = (size - self.sizes[knot]) * self.per_size[knot];
        let root = (size.sqrt() - self.roots[knot]) * self.per_root[knot];
        let (low, high) = (&self.values[knot], &self.values[knot + 1]);
        let values = std::array::from_fn(|figure| {
            let share = linear + ROOT_SHARE[figure] * (root - linear);
            low[figure] + share * (high[figure] - low[figure])
        });
        (values, false)
    }

    /// The power law through the knot at an end.
    fn beyond(&self, knot: usize, size: f64, powers: &[f64; FIGURES]) -> [f64; FIGURES] {
        let ratio = (size / self.sizes[knot]).ln();
        std::array::from_fn(|figure| self.values[knot][figure] * (powers[figure] * ratio).exp())
    }

    /// The sizes in bytes that the chords connect.
    pub fn sizes(&self) -> &[f64] {
        &self.sizes[..self.len]
    }

    /// The first and the last size in bytes.
    pub fn range(&self) -> (f64, f64) {
        (self.sizes[0], self.sizes[self.len - 1])
    }
}
