//! Estimates from a sample.
//!
//! Main effects: the between-group share of the variance with the axis's values as groups (neighbouring values joined where
//! groups would be small), corrected for the groups' own noise (Kelley's epsilon squared, PNAS 21, 1935). Total effects: half
//! the mean squared difference between a point and its nearest neighbours in all other axes, over the variance (Broto,
//! Bachoc & Depecker, SIAM/ASA J. Uncertainty Quantification 8, 2020). Neighbours at a distance let some of the other axes'
//! effect in, so totals come out a little high, the more so the more axes and the fewer points there are.

use super::Effects;

/// Points of a group that is worth having, on average.
const GROUP: usize = 128;
/// Neighbours of a point that are taken, unless some differ in nothing but the axis. A Sobol sequence keeps neighbours apart,
/// so that few of them would show more than the variance.
const NEIGHBOURS: usize = 16;
/// Most points whose neighbours are sought; the cost grows with its square.
const MOST_NEIGHBOURS: usize = 4096;

/// An axis: number of values, and whether they are in an order.
pub type AxisShape = (u64, bool);

/// Effects of each axis on the values of a sample: for each point its digits, and its value. `None` if there are fewer than
/// ten points or the values do not vary.
pub fn of_sample(axes: &[AxisShape], digits: &[Vec<u32>], values: &[f64]) -> Option<Effects> {
    if values.len() < 10 || digits.len() != values.len() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let varies = squares.is_normal() && squares / count > (mean.abs() * 1e-12).powi(2);
    if !varies {
        return None;
    }
    let main = (0..axes.len()).map(|axis| main(axes[axis], axis, digits, values, (mean, squares))).collect();
    let variance = squares / (count - 1.0);
    let total =
        (0..axes.len()).map(|axis| (unexplained(axes, axis, digits, values) / variance).clamp(0.0, 1.0)).collect();
    Some(Effects { main, total })
}

fn main(
    (size, ordered): AxisShape,
    axis: usize,
    digits: &[Vec<u32>],
    values: &[f64],
    (mean, squares): (f64, f64),
) -> f64 {
    let most = (values.len() / GROUP).max(2) as u64;
    let groups = if ordered { size.min(most) } else { size } as usize;
    let mut sums = vec![(0.0, 0.0); groups];
    for (digits, value) in digits.iter().zip(values) {
        let group = (u64::from(digits[axis]) * groups as u64 / size) as usize;
        let (sum, count) = &mut sums[group];
        *sum += value - mean;
        *count += 1.0;
    }
    let between: f64 = sums.iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum * sum / count).sum();
    let filled = sums.iter().filter(|(_, count)| *count > 0.0).count() as f64;
    let count = values.len() as f64;
    if count <= filled {
        return 0.0;
    }
    // Groups drawn from one population differ too: by one part of the variance within for each degree of freedom.
    let noise = (filled - 1.0) * (squares - between) / (count - filled);
    ((between - noise) / squares).clamp(0.0, 1.0)
}

/// The mean variance along an axis.
fn unexplained(axes: &[AxisShape], axis: usize, digits: &[Vec<u32>], values: &[f64]) -> f64 {
    // Every n-th point: a sample has no order that could match.
    let step = values.len().div_ceil(MOST_NEIGHBOURS);
    let kept: Vec<usize> = (0..values.len()).step_by(step).collect();
    let size = axes[axis].0 as f64;
    let (mut sum, mut others) = (0.0, Vec::with_capacity(kept.len()));
    for &point in &kept {
        others.clear();
        // Points that differ only in what leads nowhere are one point here.
        others.extend(kept.iter().filter(|other| digits[**other] != digits[point]).map(|other| {
            let distance = apart(axes, axis, &digits[point], &digits[*other]);
            (distance, (values[point] - values[*other]).powi(2))
        }));
        let Some(at) = NEIGHBOURS.min(others.len()).checked_sub(1) else { continue };
        let (_, (furthest, _), _) = others.select_nth_unstable_by(at, |a, b| a.0.total_cmp(&b.0));
        let furthest = *furthest;
        let alike = others.iter().any(|(distance, _)| *distance == 0.0);
        let limit = if alike { 0.0 } else { furthest };
        let (mut squares, mut count) = (0.0, 0.0);
        for (_, squared) in others.iter().filter(|(distance, _)| *distance <= limit) {
            squares += squared;
            count += 1.0;
        }
        // No point comes twice, so neighbours at no distance differ on the axis; the variance counts equal pairs too.
        let pairs = if alike { (size - 1.0) / size } else { 1.0 };
        sum += pairs * squares / count / 2.0;
    }
    sum / kept.len() as f64
}

/// Squared distance in all axes but one, each of unit length; words are as far apart as can be.
fn apart(axes: &[AxisShape], without: usize, a: &[u32], b: &[u32]) -> f64 {
    let differing = axes.iter().enumerate().filter(|(at, _)| *at != without && a[*at] != b[*at]);
    differing
        .map(|(at, (size, ordered))| {
            let share = if *ordered { f64::from(a[at].abs_diff(b[at])) / (*size - 1).max(1) as f64 } else { 1.0 };
            share * share
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Space;
    use crate::explore::sample::{latin_hypercube, sobol_points};

    fn ishigami(indices: &[u64], space: &Space) -> (Vec<Vec<u32>>, Vec<f64>) {
        let at = |digit: u32| std::f64::consts::PI * (2.0 * (f64::from(digit) + 0.5) / 256.0 - 1.0);
        indices
            .iter()
            .map(|index| {
                let mut digits = Vec::new();
                space.digits(*index, &mut digits);
                let [x1, x2, x3] = [at(digits[0]), at(digits[1]), at(digits[2])];
                (digits, x1.sin() + 7.0 * x2.sin().powi(2) + 0.1 * x3.powi(4) * x1.sin())
            })
            .unzip()
    }

    /// The known indices of the Ishigami function. Of 4,096 points, SciPy's k-d tree and the same rule give totals within 0.02
    /// for Latin hypercubes, and up to 0.046 too high for Sobol sequences, over five seeds.
    #[test]
    fn samples_come_near_the_indices_of_the_ishigami_function() {
        let space = Space::with_sizes(vec![256; 3]).expect("space");
        let sobol = sobol_points(&space, 4096, 1).expect("axes");
        for (sample, tolerance) in [(sobol, 0.05), (latin_hypercube(&space, 4096, 1), 0.025)] {
            let (digits, values) = ishigami(&sample, &space);
            let effects = of_sample(&[(256, true); 3], &digits, &values).expect("effects");
            let expected = ([0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]);
            for axis in 0..3 {
                assert!((effects.main[axis] - expected.0[axis]).abs() < 0.02, "{effects:?}");
                assert!((effects.total[axis] - expected.1[axis]).abs() < tolerance, "{effects:?}");
            }
        }
    }

    /// All 27 points of a grid, y = 2 a + b + c: variances 4 : 1 : 1.
    #[test]
    fn an_additive_function_of_digits_has_its_shares() {
        let digits: Vec<Vec<u32>> = (0..27).map(|at| vec![at / 9, at / 3 % 3, at % 3]).collect();
        let values: Vec<f64> = digits.iter().map(|d| f64::from(2 * d[0] + d[1] + d[2])).collect();
        let effects = of_sample(&[(3, true), (3, false), (3, true)], &digits, &values).expect("effects");
        // The variance of a digit of three is 2/3; that of 27 values of variance (4 + 1 + 1) * 2/3, estimated by 26, is 27/26
        // of it.
        let variance = 4.0 * 27.0 / 26.0;
        for (found, expected) in effects.total.iter().zip([8.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
            assert!((found - expected / variance).abs() < 1e-12, "{effects:?}");
        }
    }
}
