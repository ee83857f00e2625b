//! Does an evaluated point match or beat a bound in every objective?

/// Points of one block.
const BLOCK: usize = 16;

/// The archive's points, less being better, arranged for that question.
#[derive(Debug, Default)]
pub(super) struct Cover {
    objectives: usize,
    /// Point by point, the first objective rising.
    points: Vec<f64>,
    /// The least value of each objective, block by block.
    least: Vec<f64>,
}

impl Cover {
    /// Arranges points of that many objectives.
    pub fn new(mut points: Vec<Vec<f64>>, objectives: usize) -> Self {
        points.sort_unstable_by(|a, b| {
            a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let least = points
            .chunks(BLOCK)
            .flat_map(|block| {
                (0..objectives).map(|at| block.iter().map(|point| point[at]).fold(f64::INFINITY, f64::min))
            })
            .collect();
        Self { objectives, points: points.concat(), least }
    }

    /// True if some point is at most `bound` in every objective: nothing behind that bound is new.
    pub fn covers(&self, bound: &[f64]) -> bool {
        let beats = |point: &[f64]| point.iter().zip(bound).all(|(point, bound)| point <= bound);
        for (at, least) in self.least.chunks_exact(self.objectives).enumerate() {
            // Blocks rise in the first objective.
            if least[0] > bound[0] {
                return false;
            }
            if beats(least) {
                let first = at * BLOCK * self.objectives;
                let block = &self.points[first..self.points.len().min(first + BLOCK * self.objectives)];
                if block.chunks_exact(self.objectives).any(beats) {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn covering_is_what_it_says(
            points in prop::collection::vec(prop::collection::vec(0_u8..12, 3), 0..100),
            bound in prop::collection::vec(0_u8..12, 3),
        ) {
            let points: Vec<Vec<f64>> = points.into_iter().map(|p| p.into_iter().map(f64::from).collect()).collect();
            let bound: Vec<f64> = bound.into_iter().map(f64::from).collect();
            let expected = points.iter().any(|point| point.iter().zip(&bound).all(|(a, b)| a <= b));
            prop_assert_eq!(Cover::new(points, 3).covers(&bound), expected);
        }
    }
}
