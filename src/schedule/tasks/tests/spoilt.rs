//! Sound schedules, spoilt in one place each: the checker names what was spoilt.

use proptest::prelude::*;

use super::super::*;
use super::random::{Case, cases};

fn placed(case: &Case) -> Option<Vec<Placement>> {
    let mut workspace = Workspace::default();
    schedule(&case.graph, &case.resources, &Policy::Best, &mut workspace).ok()?;
    Some(workspace.placements().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_spoilt_schedule_is_refused_for_what_is_wrong_with_it(case in cases(60, false, false), at in any::<prop::sample::Index>()) {
        let Case { graph, resources } = &case;
        let sound = placed(&case).expect("units alone never stop");
        let task = at.index(sound.len());
        let spoil = |change: &dyn Fn(&mut Placement)| {
            let mut spoilt = sound.clone();
            change(&mut spoilt[task]);
            check(graph, resources, &spoilt)
        };
        let lost = check(graph, resources, &sound[1..]);
        prop_assert_eq!(lost, Err(Violation::Count { tasks: sound.len(), found: sound.len() - 1 }));
        let early = spoil(&|placement| placement.start = -1.0);
        prop_assert!(matches!(early, Err(Violation::Start { task: found, .. }) if found as usize == task), "not that");
        let never = spoil(&|placement| placement.start = f64::NAN);
        prop_assert!(matches!(never, Err(Violation::Start { .. })), "not that");
        let long = spoil(&|placement| placement.end += 1.0);
        prop_assert!(matches!(long, Err(Violation::Duration { task: found, .. }) if found as usize == task), "not that");
        let nowhere = spoil(&|placement| placement.instance = 9);
        prop_assert!(matches!(nowhere, Err(Violation::Instance { instance: 9, .. })), "not that");
    }

    #[test]
    fn a_consumer_that_starts_too_early_is_found(case in cases(60, false, false)) {
        let mut spoilt = placed(&case).expect("units alone never stop");
        for &(from, to) in case.graph.edges() {
            let before = spoilt[from as usize];
            let cycles = case.graph.tasks()[to as usize].cycles;
            if before.end < 1.0 {
                continue;
            }
            let start = before.end - 0.5;
            spoilt[to as usize] = Placement { start, end: start + cycles, ..spoilt[to as usize] };
            prop_assert!(matches!(check(&case.graph, &case.resources, &spoilt), Err(Violation::Dependency { .. })), "not that");
            break;
        }
    }

    #[test]
    fn two_tasks_on_one_instance_are_found(case in cases(60, false, false)) {
        let free = TaskGraph::new(case.graph.tasks().to_vec(), &[]).expect("no cycle");
        let mut spoilt = placed(&Case { graph: free.clone(), resources: case.resources.clone() }).expect("schedule");
        let long: Vec<usize> = (0..spoilt.len()).filter(|at| free.tasks()[*at].cycles >= 1.0).collect();
        let pair = long.iter().flat_map(|a| long.iter().map(move |b| (*a, *b)))
            .find(|(a, b)| a != b && free.tasks()[*a].unit == free.tasks()[*b].unit);
        if let Some((a, b)) = pair {
            let Placement { start, instance, .. } = spoilt[a];
            spoilt[b] = Placement { start, end: start + free.tasks()[b].cycles, instance };
            prop_assert!(matches!(check(&free, &case.resources, &spoilt), Err(Violation::Overlap { .. })), "not that");
        }
    }
}

/// Two tasks on two units, side by side.
fn side_by_side() -> (TaskGraph, Vec<Placement>) {
    let tasks = vec![Task { unit: 0, cycles: 4.0 }, Task { unit: 1, cycles: 4.0 }, Task { unit: 0, cycles: 2.0 }];
    let graph = TaskGraph::new(tasks, &[(1, 2)]).expect("no cycle");
    let place = |start, end| Placement { start, end, instance: 0 };
    (graph, vec![place(0.0, 4.0), place(0.0, 4.0), place(4.0, 6.0)])
}

#[test]
fn more_bandwidth_than_there_is_is_found() {
    let (graph, placements) = side_by_side();
    let with = |capacity| {
        let shared = Shared { capacity, demands: vec![(0, 3.0), (1, 2.0), (2, 3.0)] };
        let resources = Resources::units(vec![1, 1]).sharing(&graph, vec![shared], vec![]).expect("fits");
        check(&graph, &resources, &placements)
    };
    assert_eq!(with(5.0), Ok(()));
    assert_eq!(with(4.0), Err(Violation::Shared { resource: 0, time: 0.0, used: 5.0, capacity: 4.0 }));
}

#[test]
fn a_buffer_that_overflows_is_found() {
    let tasks = [0, 0, 1, 1].map(|unit| Task { unit, cycles: 1.0 }).to_vec();
    let graph = TaskGraph::new(tasks, &[(0, 2), (1, 3)]).expect("no cycle");
    let place = |start| Placement { start, end: start + 1.0, instance: 0 };
    let placements = [place(0.0), place(1.0), place(2.0), place(3.0)];
    let with = |capacity| {
        let buffer = Buffer { capacity, edges: vec![(0, 1.0), (1, 1.0)] };
        let resources = Resources::units(vec![1, 1]).sharing(&graph, vec![], vec![buffer]).expect("fits");
        check(&graph, &resources, &placements)
    };
    assert_eq!(with(2.0), Ok(()));
    assert_eq!(with(1.0), Err(Violation::Room { buffer: 0, time: 1.0, used: 2.0, capacity: 1.0 }));
}
