//! The exact Pareto front.

use crate::spec::sweep::Goal;

/// A point of the front.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontPoint {
    /// Index of the design point; of several with equal objectives the lowest.
    pub index: u64,
    /// Its objectives, in their own directions.
    pub objectives: Vec<f64>,
    /// How many other points have exactly these objectives.
    pub ties: u64,
}

/// Keeps the points that no other point dominates. The result does not depend on the order of insertion.
///
/// ```
/// use nerarch_dse::explore::Archive;
/// use nerarch_dse::spec::sweep::Goal::Minimise;
///
/// let mut archive = Archive::new(vec![Minimise, Minimise]);
/// for (index, point) in [[1.0, 2.0], [2.0, 1.0], [f64::NAN, 0.5], [3.0, 3.0]].iter().enumerate() {
///     archive.insert(index as u64, point);
/// }
/// let front: Vec<u64> = archive.into_front().iter().map(|point| point.index).collect();
/// assert_eq!(front, [0, 1]);
/// ```
#[derive(Debug, Clone)]
pub struct Archive {
    goals: Vec<Goal>,
    /// Recently useful points come first: they are likely to dominate the next candidate too.
    points: Vec<FrontPoint>,
    /// How often the front changed.
    version: u64,
}

#[derive(PartialEq)]
enum Relation {
    Dominates,
    Dominated,
    Equal,
    Incomparable,
}

impl Archive {
    /// An empty archive with one goal for each objective.
    pub fn new(goals: Vec<Goal>) -> Self {
        Self { goals, points: Vec::new(), version: 0 }
    }

    /// Number of points on the front so far.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// How often a new objective vector entered the front: a different number means a different front.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The kept points, in no order.
    pub fn points(&self) -> impl Iterator<Item = &FrontPoint> {
        self.points.iter()
    }

    /// True if nothing was kept yet.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Offers a point. Returns true if it is on the front for now, false if it is dominated, equal to a kept point of
    /// lower index, or not finite in some objective.
    pub fn insert(&mut self, index: u64, objectives: &[f64]) -> bool {
        self.offer(index, objectives, 0)
    }

    /// Offers every point of another archive over the same goals.
    pub fn merge(&mut self, other: Archive) {
        for point in other.points {
            self.add(point);
        }
    }

    /// Offers a point that stands for its ties too.
    pub fn add(&mut self, point: FrontPoint) {
        self.offer(point.index, &point.objectives, point.ties);
    }

    fn offer(&mut self, index: u64, objectives: &[f64], ties: u64) -> bool {
        if objectives.len() != self.goals.len() || !objectives.iter().all(|value| value.is_finite()) {
            return false;
        }
        let mut at = 0;
        while at < self.points.len() {
            match self.relation(&self.points[at].objectives, objectives) {
                Relation::Dominates => {
                    let killer = self.points.remove(at);
                    self.points.insert(at / 2, killer);
                    return false;
                }
                Relation::Equal => {
                    let kept = &mut self.points[at];
                    kept.ties += ties + 1;
                    let is_first = index < kept.index;
                    kept.index = kept.index.min(index);
                    return is_first;
                }
                Relation::Dominated => {
                    self.points.swap_remove(at);
                }
                Relation::Incomparable => at += 1,
            }
        }
        self.version += 1;
        self.points.push(FrontPoint { index, objectives: objectives.to_vec(), ties });
        true
    }

    /// True if a kept point is better than or equal to `objectives` in everything and not equal in all.
    pub fn dominates(&self, objectives: &[f64]) -> bool {
        self.points.iter().any(|point| self.relation(&point.objectives, objectives) == Relation::Dominates)
    }

    #[inline]
    fn relation(&self, a: &[f64], b: &[f64]) -> Relation {
        let (mut better, mut worse) = (false, false);
        for ((goal, a), b) in self.goals.iter().zip(a).zip(b) {
            let (less, more) = if *goal == Goal::Minimise { (a < b, a > b) } else { (a > b, a < b) };
            better |= less;
            worse |= more;
            if better && worse {
                return Relation::Incomparable;
            }
        }
        match (better, worse) {
            (true, false) => Relation::Dominates,
            (false, true) => Relation::Dominated,
            (false, false) => Relation::Equal,
            (true, true) => Relation::Incomparable,
        }
    }

    /// The front by increasing index.
    pub fn into_front(self) -> Vec<FrontPoint> {
        let mut points = self.points;
        points.sort_unstable_by_key(|point| point.index);
        points
    }
}

/// The front without points that add nothing beyond a tolerance: going by index, a point stays unless one that stays is
/// at most the share `tolerance` worse than it in every objective. Every point left out is within the tolerance of one that
/// stays (additive form of epsilon dominance, Laumanns et al., Evolutionary Computation 10, 2002, with relative steps).
pub fn thinned(front: Vec<FrontPoint>, goals: &[Goal], tolerance: f64) -> Vec<FrontPoint> {
    if tolerance <= 0.0 {
        return front;
    }
    let mut kept: Vec<FrontPoint> = Vec::new();
    for point in front {
        let covers = |other: &FrontPoint| {
            goals.iter().zip(other.objectives.iter().zip(&point.objectives)).all(|(goal, (other, own))| match goal {
                Goal::Minimise => *other <= own + own.abs() * tolerance,
                Goal::Maximise => *other >= own - own.abs() * tolerance,
            })
        };
        if !kept.iter().any(covers) {
            kept.push(point);
        }
    }
    kept
}
