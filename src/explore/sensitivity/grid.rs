//! The exact decomposition on a full grid.

use super::Effects;

/// Effects of each axis on `values`, which holds a value for every point of the grid, the last axis moving fastest. `None`
/// if the values are not of this grid or do not vary.
pub fn of_grid(sizes: &[u64], values: &[f64]) -> Option<Effects> {
    let points = sizes.iter().try_fold(1_u64, |points, size| points.checked_mul(*size))?;
    if points != values.len() as u64 || values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    // Below, differences are rounding, not effects.
    let varies = variance.is_normal() && variance > (mean.abs() * 1e-12).powi(2);
    if !varies {
        return None;
    }
    let mut stride = values.len();
    let (mut main, mut total) = (Vec::new(), Vec::new());
    for size in sizes {
        let size = *size as usize;
        stride /= size;
        let (between, within) = along(values, mean, size, stride);
        main.push(share(between / variance));
        total.push(share(within / variance));
    }
    Some(Effects { main, total })
}

/// A share; what rounding makes of nothing is nothing.
fn share(share: f64) -> f64 {
    if share < 1e-12 { 0.0 } else { share.min(1.0) }
}

/// Of an axis of `size` values, `stride` points apart: the variance of the means at its values, and the mean variance along
/// its lines.
fn along(values: &[f64], mean: f64, size: usize, stride: usize) -> (f64, f64) {
    let mut sums = vec![0.0; size];
    let mut within = 0.0;
    for block in values.chunks_exact(size * stride) {
        for (sum, slice) in sums.iter_mut().zip(block.chunks_exact(stride)) {
            *sum += slice.iter().map(|value| value - mean).sum::<f64>();
        }
        for start in 0..stride {
            let line = || block[start..].iter().step_by(stride);
            let centre = line().sum::<f64>() / size as f64;
            within += line().map(|value| (value - centre).powi(2)).sum::<f64>();
        }
    }
    let each = (values.len() / size) as f64;
    let between = sums.iter().map(|sum| (sum / each).powi(2)).sum::<f64>() / size as f64;
    (between, within / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a function of the digits on a grid.
    fn values(sizes: &[u64], function: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let space = crate::explore::Space::with_sizes(sizes.to_vec()).expect("space");
        let mut digits = Vec::new();
        (0..space.points())
            .map(|index| {
                space.digits(index, &mut digits);
                function(&digits.iter().map(|digit| f64::from(*digit)).collect::<Vec<_>>())
            })
            .collect()
    }

    fn close(found: &[f64], expected: &[f64], tolerance: f64) {
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
        assert!(near && found.len() == expected.len(), "{found:?} against {expected:?}");
    }

    /// y = a + 3 b, digits 0..n: the variance of a digit is (n^2 - 1) / 12, here 15/12 and 9 * 8/12 = 72/12: shares 15/87
    /// and 72/87. Nothing interacts, so totals are the same.
    #[test]
    fn shares_of_an_additive_function_are_those_of_its_terms() {
        let effects = of_grid(&[4, 3], &values(&[4, 3], |x| x[0] + 3.0 * x[1])).expect("effects");
        close(&effects.main, &[15.0 / 87.0, 72.0 / 87.0], 1e-12);
        close(&effects.total, &effects.main, 1e-12);
    }

    /// y = (a - 1/2)(b - 1/2) on two digits: neither axis explains anything alone, both together everything.
    #[test]
    fn a_pure_interaction_has_no_main_effect_and_a_total_of_one() {
        let effects = of_grid(&[2, 2, 3], &values(&[2, 2, 3], |x| (x[0] - 0.5) * (x[1] - 0.5))).expect("effects");
        close(&effects.main, &[0.0, 0.0, 0.0], 1e-12);
        close(&effects.total, &[1.0, 1.0, 0.0], 1e-12);
    }

    /// Ishigami & Homma 1990 with a = 7, b = 0.1, whose indices are known in closed form, on a grid of cell centres.
    #[test]
    fn the_indices_of_the_ishigami_function_come_out() {
        let size = 96_u64;
        let at = |digit: f64| std::f64::consts::PI * (2.0 * (digit + 0.5) / size as f64 - 1.0);
        let ishigami = |x: &[f64]| {
            let [x1, x2, x3] = [at(x[0]), at(x[1]), at(x[2])];
            x1.sin() + 7.0 * x2.sin().powi(2) + 0.1 * x3.powi(4) * x1.sin()
        };
        let effects = of_grid(&[size; 3], &values(&[size; 3], ishigami)).expect("effects");
        close(&effects.main, &[0.3139, 0.4424, 0.0], 5e-4);
        close(&effects.total, &[0.5576, 0.4424, 0.2437], 5e-4);
    }

    #[test]
    fn what_does_not_vary_or_is_no_grid_has_no_effects() {
        assert_eq!(of_grid(&[2, 2], &[0.1 + 0.2, 0.3, 0.3, 0.3]), None);
        assert_eq!(of_grid(&[2, 2], &[1.0, 2.0]), None);
        assert_eq!(of_grid(&[], &[1.0]), None);
    }
}
