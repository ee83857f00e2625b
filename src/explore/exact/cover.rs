//! Does an evaluated point match or beat a bound in every objective, up to a tolerance?

/// Most points of a leaf.
const LEAF: usize = 8;

/// The archive's points, less being better, as a k-d tree (Bentley, CACM 18, 1975) whose nodes know their least values.
#[derive(Debug, Default)]
pub(super) struct Cover {
    objectives: usize,
    tolerance: f64,
    /// Point by point, leaf by leaf.
    points: Vec<f64>,
    /// A node comes before the nodes below it.
    nodes: Vec<Node>,
    /// The least value of each objective, node by node.
    least: Vec<f64>,
}

#[derive(Debug)]
struct Node {
    /// Points of a leaf, as positions of numbers; empty above.
    points: std::ops::Range<usize>,
    /// The node that follows this one and everything below it.
    after: usize,
}

impl Cover {
    /// Arranges points of that many objectives. They cover bounds that are better by up to the share `tolerance`.
    pub fn new(mut points: Vec<Vec<f64>>, objectives: usize, tolerance: f64) -> Self {
        let mut cover = Self { objectives, tolerance, ..Self::default() };
        if !points.is_empty() {
            cover.add(&mut points, 0);
        }
        cover
    }

    fn add(&mut self, points: &mut [Vec<f64>], objective: usize) {
        let at = self.nodes.len();
        for at in 0..self.objectives {
            self.least.push(points.iter().map(|point| point[at]).fold(f64::INFINITY, f64::min));
        }
        self.nodes.push(Node { points: 0..0, after: 0 });
        if points.len() <= LEAF {
            let first = self.points.len();
            points.iter().for_each(|point| self.points.extend(point));
            self.nodes[at].points = first..self.points.len();
        } else {
            let middle = points.len() / 2;
            points.select_nth_unstable_by(middle, |a, b| a[objective].total_cmp(&b[objective]));
            let (lower, upper) = points.split_at_mut(middle);
            let next = (objective + 1) % self.objectives;
            self.add(lower, next);
            self.add(upper, next);
        }
        self.nodes[at].after = self.nodes.len();
    }

    /// True if some point is at most `bound` in every objective: nothing behind that bound is new. Without a tolerance it
    /// must be less in one: what could equal the point in all is looked at, so that ties are counted.
    pub fn covers(&self, bound: &[f64]) -> bool {
        let beats = |point: &[f64]| {
            point.iter().zip(bound).all(|(point, bound)| *point <= bound + bound.abs() * self.tolerance)
        };
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if beats(&self.least[at * self.objectives..(at + 1) * self.objectives]) {
                if self.points[node.points.clone()]
                    .chunks_exact(self.objectives)
                    .any(|point| beats(point) && (self.tolerance > 0.0 || point != bound))
                {
                    return true;
                }
                at += 1;
            } else {
                at = node.after;
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
            let expected = points.iter().any(|point| point != &bound && point.iter().zip(&bound).all(|(a, b)| a <= b));
            prop_assert_eq!(Cover::new(points, 3, 0.0).covers(&bound), expected);
        }
    }
}
