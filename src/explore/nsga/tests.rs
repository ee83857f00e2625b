//! Survival against its definition.

use proptest::prelude::*;

use super::population::Population;
use super::select::Selector;

fn population(members: &[(Vec<f64>, f64)]) -> Population {
    let goals = members.first().map_or(0, |(objectives, _)| objectives.len());
    let mut population = Population::new(1, goals, members.len());
    for (at, (objectives, violation)) in members.iter().enumerate() {
        population.push(&[at as u32], objectives.iter().copied(), *violation);
    }
    population
}

fn survive(members: &[(Vec<f64>, f64)], count: usize) -> Population {
    let mut all = population(members);
    let mut kept = Population::new(1, all.goals(), count);
    Selector::default().survive(&mut all, count, &mut kept);
    kept
}

fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a != b
}

proptest! {
    #[test]
    fn ranks_follow_the_definition(
        goals in 1_usize..6,
        rows in prop::collection::vec(prop::collection::vec(0_u8..6, 5), 1..60),
    ) {
        let points: Vec<(Vec<f64>, f64)> =
            rows.into_iter().map(|row| (row[..goals].iter().map(|value| f64::from(*value)).collect(), 0.0)).collect();
        let ranked = survive(&points, points.len());
        prop_assert_eq!(ranked.len(), points.len());
        for one in 0..ranked.len() {
            let above = (0..ranked.len())
                .filter(|other| dominates(ranked.objectives_of(*other), ranked.objectives_of(one)));
            prop_assert_eq!(ranked.rank[one], above.map(|other| ranked.rank[other] + 1).max().unwrap_or(0));
        }
    }
}

#[test]
fn feasible_members_go_first_and_the_least_violation_next() {
    let kept = survive(&[(vec![0.0, 0.0], 2.0), (vec![9.0, 9.0], 0.0), (vec![1.0, 1.0], 1.0)], 2);
    assert_eq!(kept.objectives_of(0), [9.0, 9.0]);
    assert_eq!(kept.violation[1], 1.0);
    assert!(kept.beats(0, 1));
}

#[test]
fn thinning_keeps_the_ends_and_spreads_the_rest() {
    let row = |at: i32| vec![f64::from(at), f64::from(100 - at)];
    let mut members: Vec<(Vec<f64>, f64)> = (40..60).map(|at| (row(at), 0.0)).collect();
    members.extend([0, 20, 80, 100].map(|at| (row(at), 0.0)));
    let kept = survive(&members, 6);
    let mut first: Vec<f64> = (0..kept.len()).map(|at| kept.objectives_of(at)[0]).collect();
    first.sort_by(f64::total_cmp);
    assert_eq!([first[0], first[1], first[4], first[5]], [0.0, 20.0, 80.0, 100.0], "{first:?}");
}

/// On a simplex of three objectives: 3 corners, a cluster, and two lone members between, which must stay.
#[test]
fn thinning_by_neighbours_thins_the_cluster() {
    let row = |a: f64, b: f64| (vec![a, b, 1.0 - a - b], 0.0);
    let mut members = vec![row(0.0, 0.0), row(1.0, 0.0), row(0.0, 1.0), row(0.1, 0.6), row(0.6, 0.1)];
    members.extend((0..10).map(|at| row(0.3 + 0.001 * f64::from(at), 0.3 - 0.0005 * f64::from(at))));
    let kept = survive(&members, 6);
    assert_eq!(kept.len(), 6);
    let digits: Vec<u32> = (0..6).map(|at| kept.digits_of(at)[0]).collect();
    assert!((0..5).all(|lone| digits.contains(&lone)), "{digits:?}");
}

#[test]
fn more_members_are_wanted_than_there_are() {
    let kept = survive(&[(vec![1.0], 0.0), (vec![1.0], f64::INFINITY)], 9);
    assert_eq!(kept.len(), 2);
    assert_eq!(survive(&[], 3).len(), 0);
}
