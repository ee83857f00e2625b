//! Ranks and survival.

/// One member: what selection looks at. Objectives with less being better.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub digits: Vec<u32>,
    pub objectives: Vec<f64>,
    /// 0 if feasible.
    pub violation: f64,
    /// Front, from 0.
    pub rank: u32,
    /// Room around it; more is better.
    pub room: f64,
}

impl Member {
    /// Better in a tournament: lower rank, then more room.
    pub fn beats(&self, other: &Member) -> bool {
        self.rank < other.rank || (self.rank == other.rank && self.room > other.room)
    }
}

/// Keeps the best `count` members, ranked.
pub fn survive(mut members: Vec<Member>, count: usize) -> Vec<Member> {
    members.sort_by(|a, b| a.violation.total_cmp(&b.violation));
    let feasible = members.partition_point(|member| member.violation <= 0.0);
    let mut kept: Vec<Member> = Vec::with_capacity(count);
    let infeasible = members.split_off(feasible);
    let mut rank = 0;
    for mut front in fronts(members) {
        if kept.len() >= count {
            break;
        }
        front.iter_mut().for_each(|member| member.rank = rank);
        thin(&mut front, count - kept.len());
        kept.append(&mut front);
        rank += 1;
    }
    // Each worse than the one before, so that tournaments move towards feasibility.
    for mut member in infeasible.into_iter().take(count - kept.len()) {
        (member.rank, member.room) = (rank, 0.0);
        kept.push(member);
        rank += 1;
    }
    kept
}

fn dominates(a: &[f64], b: &[f64]) -> bool {
    let mut better = false;
    for (a, b) in a.iter().zip(b) {
        if a > b {
            return false;
        }
        better |= a < b;
    }
    better
}

/// The fronts, best first (efficient non-dominated sort, Zhang et al., IEEE Trans. Evol. Comput. 19, 2015): members come
/// in lexicographic order, so one can only be dominated by those that were placed before it.
fn fronts(mut members: Vec<Member>) -> Vec<Vec<Member>> {
    let order = |a: &Member, b: &Member| {
        let unequal = |(a, b): (&f64, &f64)| Some(a.total_cmp(b)).filter(|order| order.is_ne());
        a.objectives.iter().zip(&b.objectives).find_map(unequal).unwrap_or(std::cmp::Ordering::Equal)
    };
    members.sort_by(order);
    let mut fronts: Vec<Vec<Member>> = Vec::new();
    for member in members {
        let is_clear =
            |front: &Vec<Member>| !front.iter().rev().any(|placed| dominates(&placed.objectives, &member.objectives));
        // If a front dominates it, so does every better one.
        let at = fronts.partition_point(|front| !is_clear(front));
        match fronts.get_mut(at) {
            Some(front) => front.push(member),
            None => fronts.push(vec![member]),
        }
    }
    fronts
}

/// Gives each member its room and leaves at most `count`.
fn thin(front: &mut Vec<Member>, count: usize) {
    if front.first().is_some_and(|member| member.objectives.len() > 2) {
        thin_by_neighbours(front, count);
    } else {
        crowd(front);
        if front.len() > count {
            front.sort_by(|a, b| b.room.total_cmp(&a.room));
            front.truncate(count);
        }
    }
}

/// Crowding distance: the gaps to the neighbours in each objective, as shares of its spread.
fn crowd(front: &mut [Member]) {
    let objectives = front.first().map_or(0, |member| member.objectives.len());
    front.iter_mut().for_each(|member| member.room = 0.0);
    for at in 0..objectives {
        front.sort_by(|a, b| a.objectives[at].total_cmp(&b.objectives[at]));
        let value = |member: &Member| member.objectives[at];
        let last = front.len() - 1;
        let spread = value(&front[last]) - value(&front[0]);
        front[0].room = f64::INFINITY;
        front[last].room = f64::INFINITY;
        if spread > 0.0 {
            for middle in 1..last {
                front[middle].room += (value(&front[middle + 1]) - value(&front[middle - 1])) / spread;
            }
        }
    }
}

/// Removes one of the two nearest members again and again (as the truncation of SPEA2, Zitzler et al., TIK 103, 2001); the
/// best of each objective stay.
fn thin_by_neighbours(front: &mut Vec<Member>, count: usize) {
    let objectives = front[0].objectives.len();
    let ends: Vec<(f64, f64)> = (0..objectives)
        .map(|at| {
            let values = || front.iter().map(|member| member.objectives[at]);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        })
        .collect();
    let scale: Vec<f64> = ends.iter().map(|(low, high)| if high > low { 1.0 / (high - low) } else { 0.0 }).collect();
    let distance = |a: &Member, b: &Member| -> f64 {
        let squares =
            a.objectives.iter().zip(&b.objectives).zip(&scale).map(|((a, b), scale)| ((a - b) * scale).powi(2));
        squares.sum()
    };
    let mut alive: Vec<usize> = (0..front.len()).collect();
    let nearest_of = |at: usize, alive: &[usize]| {
        let others = alive.iter().filter(|other| **other != at);
        others
            .map(|other| (distance(&front[at], &front[*other]), *other))
            .fold((f64::INFINITY, at), |best, next| if next.0 < best.0 { next } else { best })
    };
    let mut nearest: Vec<(f64, usize)> = (0..front.len()).map(|at| nearest_of(at, &alive)).collect();
    let is_end: Vec<bool> =
        front.iter().map(|member| member.objectives.iter().zip(&ends).any(|(value, (low, _))| value <= low)).collect();
    while alive.len() > count {
        let candidates = || alive.iter().filter(|at| alive.len() <= objectives || !is_end[**at]);
        let Some(&victim) = candidates().min_by(|a, b| nearest[**a].0.total_cmp(&nearest[**b].0)).or(alive.last())
        else {
            break;
        };
        alive.retain(|at| *at != victim);
        for at in &alive {
            if nearest[*at].1 == victim {
                nearest[*at] = nearest_of(*at, &alive);
            }
        }
    }
    for at in &alive {
        // Also with others that were kept all along: parents are drawn where there is room.
        front[*at].room = if is_end[*at] { f64::INFINITY } else { nearest[*at].0 };
    }
    let mut kept = vec![false; front.len()];
    alive.iter().for_each(|at| kept[*at] = true);
    let mut kept = kept.into_iter();
    front.retain(|_| kept.next().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member(objectives: Vec<f64>, violation: f64) -> Member {
        Member { digits: Vec::new(), objectives, violation, rank: 0, room: 0.0 }
    }

    proptest! {
        #[test]
        fn ranks_follow_the_definition(rows in prop::collection::vec(prop::collection::vec(0_u8..6, 3), 1..40)) {
            let points: Vec<Vec<f64>> = rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect();
            let ranked = survive(points.iter().map(|point| member(point.clone(), 0.0)).collect(), points.len());
            prop_assert_eq!(ranked.len(), points.len());
            for one in &ranked {
                let above = ranked.iter().filter(|other| dominates(&other.objectives, &one.objectives));
                prop_assert_eq!(one.rank, above.map(|other| other.rank + 1).max().unwrap_or(0));
            }
        }
    }

    #[test]
    fn feasible_members_go_first_and_the_least_violation_next() {
        let members = vec![member(vec![0.0, 0.0], 2.0), member(vec![9.0, 9.0], 0.0), member(vec![1.0, 1.0], 1.0)];
        let kept = survive(members, 2);
        assert_eq!(kept[0].objectives, [9.0, 9.0]);
        assert_eq!(kept[1].violation, 1.0);
    }

    #[test]
    fn thinning_keeps_the_ends_and_spreads_the_rest() {
        for third in [None, Some(0.0)] {
            let row = |at: i32| [f64::from(at), f64::from(100 - at)].into_iter().chain(third).collect::<Vec<f64>>();
            let mut members: Vec<Member> = (40..60).map(|at| member(row(at), 0.0)).collect();
            members.extend([0, 20, 80, 100].map(|at| member(row(at), 0.0)));
            // A third objective that is the same for all would make every member an end of it.
            let mut kept: Vec<f64> = survive(members, 6).iter().map(|member| member.objectives[0]).collect();
            kept.sort_by(f64::total_cmp);
            if third.is_none() {
                assert_eq!([kept[0], kept[1], kept[4], kept[5]], [0.0, 20.0, 80.0, 100.0], "{kept:?}");
            }
            assert_eq!(kept.len(), 6);
        }
    }
}
