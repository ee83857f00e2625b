//! The exact hypervolume: how much of objective space a front dominates, up to a reference point.
//!
//! Two objectives are swept in one pass, three in slices over the third with a staircase in the other two, more by the
//! inclusion and exclusion of WFG (While, Bradstreet & Barone, IEEE Trans. Evol. Comput. 16, 2012).

/// The volume dominated by `points` within the box that ends at `reference`; less is better in every objective. Points that
/// do not better the reference in everything add nothing.
///
/// ```
/// use nerarch_dse::explore::hypervolume::hypervolume;
///
/// let front = [vec![1.0, 3.0], vec![2.0, 1.0]];
/// assert_eq!(hypervolume(&front, &[4.0, 4.0]), 3.0 * 1.0 + 2.0 * 2.0);
/// ```
pub fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let inside = |point: &&Vec<f64>| {
        point.len() == reference.len() && point.iter().zip(reference).all(|(value, limit)| value < limit)
    };
    let inside: Vec<&[f64]> = points.iter().filter(inside).map(Vec::as_slice).collect();
    volume(inside, reference)
}

fn volume(mut points: Vec<&[f64]>, reference: &[f64]) -> f64 {
    match reference.len() {
        0 => 0.0,
        1 => points.iter().map(|point| reference[0] - point[0]).fold(0.0, f64::max),
        2 => {
            points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
            let mut staircase = Staircase::default();
            points.iter().for_each(|point| staircase.insert(point[0], point[1]));
            staircase.area(reference)
        }
        3 => slices(points, reference),
        _ => exclusive_volumes(points, reference),
    }
}

/// Points of two objectives of which none dominates another, the first objective rising.
#[derive(Default)]
struct Staircase(Vec<(f64, f64)>);

impl Staircase {
    fn insert(&mut self, x: f64, y: f64) {
        let at = self.0.partition_point(|step| step.0 < x);
        if at > 0 && self.0[at - 1].1 <= y || self.0.get(at).is_some_and(|step| step.0 == x && step.1 <= y) {
            return;
        }
        let last = at + self.0[at..].partition_point(|step| step.1 >= y);
        self.0.splice(at..last, [(x, y)]);
    }

    fn area(&self, reference: &[f64]) -> f64 {
        let ends = self.0.iter().skip(1).map(|step| step.0).chain([reference[0]]);
        self.0
            .iter()
            .zip(ends)
            .map(|((x, y), end)| (end - x) * (reference[1] - y))
            .fold(0.0, |total, area| total + area)
    }
}

fn slices(mut points: Vec<&[f64]>, reference: &[f64]) -> f64 {
    points.sort_unstable_by(|a, b| a[2].total_cmp(&b[2]));
    let mut staircase = Staircase::default();
    let ends = points.iter().skip(1).map(|point| point[2]).chain([reference[2]]).collect::<Vec<f64>>();
    let mut total = 0.0;
    for (point, end) in points.iter().zip(ends) {
        staircase.insert(point[0], point[1]);
        if end > point[2] {
            total += (end - point[2]) * staircase.area(reference);
        }
    }
    total
}

/// The sum over the points of what each dominates and none after it does.
fn exclusive_volumes(mut points: Vec<&[f64]>, reference: &[f64]) -> f64 {
    // Worst first in the last objective: the parts that are cut out get small.
    let last = reference.len() - 1;
    points.sort_unstable_by(|a, b| b[last].total_cmp(&a[last]));
    let mut total = 0.0;
    for (at, point) in points.iter().enumerate() {
        let own: f64 = point.iter().zip(reference).map(|(value, limit)| limit - value).product();
        let limited: Vec<Vec<f64>> =
            points[at + 1..].iter().map(|other| point.iter().zip(*other).map(|(a, b)| a.max(*b)).collect()).collect();
        total += own - volume(not_dominated(&limited), reference);
    }
    total
}

fn not_dominated(points: &[Vec<f64>]) -> Vec<&[f64]> {
    let covers = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a <= b);
    let mut kept: Vec<&[f64]> = Vec::new();
    for point in points {
        if !kept.iter().any(|other| covers(other, point)) {
            kept.retain(|other| !covers(point, other));
            kept.push(point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts unit cells: exact for whole coordinates.
    fn by_cells(points: &[Vec<f64>], size: usize, objectives: usize) -> f64 {
        (0..size.pow(objectives as u32))
            .filter(|cell| {
                let corner = |at: usize| (cell / size.pow(at as u32) % size) as f64;
                points.iter().any(|point| point.iter().enumerate().all(|(at, value)| *value <= corner(at)))
            })
            .count() as f64
    }

    proptest! {
        #[test]
        fn it_counts_the_dominated_cells(
            objectives in 1_usize..6,
            rows in prop::collection::vec(prop::collection::vec(0_u8..6, 5), 0..14),
        ) {
            let points: Vec<Vec<f64>> =
                rows.iter().map(|row| row[..objectives].iter().map(|value| f64::from(*value)).collect()).collect();
            prop_assert_eq!(hypervolume(&points, &vec![5.0; objectives]), by_cells(&points, 5, objectives));
        }
    }

    #[test]
    fn points_at_or_beyond_the_reference_add_nothing() {
        assert_eq!(hypervolume(&[vec![1.0, 5.0], vec![f64::NAN, 0.0]], &[4.0, 5.0]), 0.0);
        assert_eq!(hypervolume(&[], &[1.0, 1.0, 1.0]), 0.0);
    }
}
