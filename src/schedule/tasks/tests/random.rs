//! Random graphs on random resources: every schedule is whole, and the checker accepts it.

use proptest::prelude::*;

use super::super::*;

/// A graph with the resources that execute it.
#[derive(Debug, Clone)]
pub struct Case {
    pub graph: TaskGraph,
    pub resources: Resources,
}

/// Graphs of up to `most` tasks, edges in any direction that makes no cycle; whole and fractional cycles, some of them 0.
/// `shared`: two shared resources; `buffers`: one buffer.
pub fn cases(most: usize, shared: bool, buffers: bool) -> impl Strategy<Value = Case> {
    let task = (0_u32..4, prop_oneof![Just(0.0), (1_u32..50).prop_map(f64::from), 0.1..50.0]);
    (prop::collection::vec((task, any::<u32>()), 1..most), prop::collection::vec(1_u32..4, 4)).prop_flat_map(
        move |(tasks, instances)| {
            let count = tasks.len() as u32;
            let edges = prop::collection::vec((0..count, 0..count), 0..3 * tasks.len());
            let demands = prop::collection::vec((0..count, 0.0..10.0), 0..tasks.len());
            let room = prop::collection::vec(1_u32..5, 3 * tasks.len());
            (Just((tasks, instances)), edges, demands, room, 4_u32..30).prop_map(
                move |((tasks, instances), edges, demands, room, capacity)| {
                    // An edge leads from the lower random key to the higher one: any numbering, never a cycle.
                    let key = |task: u32| (tasks[task as usize].1, task);
                    let edges: Vec<(u32, u32)> = edges
                        .into_iter()
                        .filter(|(a, b)| a != b)
                        .map(|(a, b)| if key(a) < key(b) { (a, b) } else { (b, a) })
                        .collect();
                    let tasks = tasks.iter().map(|((unit, cycles), _)| Task { unit: *unit, cycles: *cycles }).collect();
                    let graph = TaskGraph::new(tasks, &edges).expect("no cycle");
                    let mut pools = Vec::new();
                    if shared {
                        let ports = demands.iter().map(|(task, _)| (*task, 1.0)).collect();
                        pools.push(Shared { capacity: 10.0 * count as f64, demands: demands.clone() });
                        pools.push(Shared { capacity: 2.0 * count as f64, demands: ports });
                        // Each demand fits; several of one task must fit together.
                        for pool in &mut pools {
                            pool.demands.sort_by_key(|demand| demand.0);
                            pool.demands.dedup_by_key(|demand| demand.0);
                            pool.capacity = pool.demands.iter().map(|demand| demand.1).fold(0.5, f64::max) * 1.5;
                        }
                    }
                    let mut stores = Vec::new();
                    if buffers {
                        let edges = (0..edges.len() as u32).zip(&room).map(|(edge, room)| (edge, f64::from(*room)));
                        let mut store = Buffer { capacity: f64::from(capacity), edges: edges.collect() };
                        // What one task holds at once must fit.
                        store.capacity = store.capacity.max(most_held(&graph, &store));
                        stores.push(store);
                    }
                    let resources = Resources::units(instances).sharing(&graph, pools, stores).expect("fits");
                    Case { graph, resources }
                },
            )
        },
    )
}

/// Graphs of up to ten tasks and a buffer that holds little more than one task needs.
fn tight_cases() -> impl Strategy<Value = Case> {
    (cases(10, false, true), 1.0..1.5).prop_map(|(Case { graph, resources }, slack)| {
        let mut buffer = resources.buffers()[0].clone();
        buffer.capacity = most_held(&graph, &buffer) * slack;
        let units = Resources::units(resources.instances().to_vec());
        let resources = units.sharing(&graph, vec![], vec![buffer]).expect("each fits");
        Case { graph, resources }
    })
}

/// The most room that the edges into and out of one task take together.
fn most_held(graph: &TaskGraph, buffer: &Buffer) -> f64 {
    let of = |task: u32| {
        let edges = buffer.edges.iter().filter(|(edge, _)| {
            let (from, to) = graph.edges()[*edge as usize];
            from == task || to == task
        });
        edges.map(|(_, room)| room).sum()
    };
    (0..graph.tasks().len() as u32).map(of).fold(0.0, f64::max)
}

/// Every policy; weights that follow no order.
fn policies(tasks: usize) -> [Policy; 6] {
    let weights = (0..tasks).map(|task| ((task * 7919) % 31) as f64 - 15.0).collect();
    let dags = Policy::Dags { alpha: 0.3, beta: 2.0 };
    [Policy::Best, Policy::DAGS, dags, Policy::CriticalPath, Policy::Fifo, Policy::Weights(weights)]
}

fn verify(case: &Case, may_stick: bool) -> Result<(), TestCaseError> {
    let Case { graph, resources } = case;
    let mut workspace = Workspace::default();
    for policy in policies(graph.tasks().len()) {
        match schedule(graph, resources, &policy, &mut workspace) {
            Ok(outcome) => {
                prop_assert_eq!(check(graph, resources, workspace.placements()), Ok(()), "{:?}", policy);
                let last = workspace.placements().iter().map(|placement| placement.end).fold(0.0, f64::max);
                prop_assert!((outcome.makespan - last).abs() <= 1e-9 * last);
                prop_assert!(outcome.lower_bound <= outcome.makespan && outcome.gap() >= 0.0);
            }
            // That no order fits must be true, and graphs of this size are searched to the end.
            Err(ScheduleError::Stuck { waiting, is_proven }) if may_stick => {
                prop_assert!(!waiting.is_empty());
                prop_assert!(!is_proven || graph.tasks().len() > 12 || !some_order_fits(case));
            }
            Err(other) => return Err(TestCaseError::fail(format!("{policy:?}: {other}"))),
        }
    }
    Ok(())
}

/// Whether the tasks fit one after the other in any order, by trying all of them.
fn some_order_fits(Case { graph, resources }: &Case) -> bool {
    let count = graph.tasks().len();
    let held = |ended: u32, running: usize| {
        let full = |buffer: &Buffer| {
            let taken = buffer.edges.iter().filter(|(edge, _)| {
                let (from, to) = graph.edges()[*edge as usize];
                let has_started = |task: u32| ended >> task & 1 == 1 || task as usize == running;
                has_started(from) && ended >> to & 1 == 0
            });
            taken.map(|(_, room)| room).sum::<f64>() > buffer.capacity * (1.0 + 1e-9)
        };
        resources.buffers().iter().any(full)
    };
    let mut can_be = vec![false; 1 << count];
    can_be[0] = true;
    for ended in 0..1_u32 << count {
        if !can_be[ended as usize] {
            continue;
        }
        for task in (0..count).filter(|task| ended >> task & 1 == 0) {
            let has_inputs = graph.edges().iter().all(|(from, to)| *to as usize != task || ended >> from & 1 == 1);
            if has_inputs && !held(ended, task) {
                can_be[(ended | 1 << task) as usize] = true;
            }
        }
    }
    can_be[(1 << count) - 1]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn units_alone_never_stop_and_never_overlap(case in cases(120, false, false)) {
        verify(&case, false)?;
    }

    #[test]
    fn shared_resources_are_never_overdrawn_and_never_stop_work(case in cases(80, true, false)) {
        verify(&case, false)?;
    }

    #[test]
    fn buffers_hold_what_they_can_and_a_dead_end_is_said(case in cases(40, true, true)) {
        verify(&case, true)?;
    }

    /// Whatever the graph: if the tasks fit in some order, they are placed; if not, that is said, and it is known.
    #[test]
    fn of_few_tasks_every_order_is_looked_at(case in tight_cases()) {
        let fits = some_order_fits(&case);
        let mut workspace = Workspace::default();
        for policy in policies(case.graph.tasks().len()) {
            match schedule(&case.graph, &case.resources, &policy, &mut workspace) {
                Ok(_) => prop_assert!(fits),
                Err(ScheduleError::Stuck { is_proven, .. }) => prop_assert!(is_proven && !fits, "{:?}", policy),
                Err(other) => return Err(TestCaseError::fail(format!("{policy:?}: {other}"))),
            }
        }
    }

    /// Chains never stop where each of their tasks fits alone: one chain after the other is an order for them.
    #[test]
    fn chains_never_wait_for_room_for_ever(
        (chains, length, seed, units) in (1_u32..12, 1_u32..8, any::<u64>(), prop::collection::vec(1_u32..4, 3))
    ) {
        let mut random = seed | 1;
        let mut below = |most: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u32 % most
        };
        let count = chains * length;
        let tasks = (0..count).map(|_| Task { unit: below(3), cycles: f64::from(below(20)) }).collect();
        // Chains lie side by side: what can be started first is all of their first tasks.
        let edges: Vec<(u32, u32)> = (chains..count).map(|to| (to - chains, to)).collect();
        let graph = TaskGraph::new(tasks, &edges).expect("no cycle");
        let rooms = (0..edges.len() as u32).map(|edge| (edge, f64::from(1 + below(4)))).collect();
        let mut buffer = Buffer { capacity: 0.0, edges: rooms };
        buffer.capacity = most_held(&graph, &buffer);
        let resources = Resources::units(units).sharing(&graph, vec![], vec![buffer]).expect("each fits");
        verify(&Case { graph, resources }, false)?;
    }

    /// The bound is below every schedule, so below one task after the other at the latest.
    #[test]
    fn the_default_is_no_longer_than_the_critical_path_pass(case in cases(60, true, false)) {
        let mut workspace = Workspace::default();
        let best = schedule(&case.graph, &case.resources, &Policy::Best, &mut workspace).expect("schedule");
        let plain = schedule(&case.graph, &case.resources, &Policy::CriticalPath, &mut workspace).expect("schedule");
        prop_assert!(best.makespan <= plain.makespan);
        let serial: f64 = case.graph.tasks().iter().map(|task| task.cycles).sum();
        prop_assert!(best.makespan <= serial * (1.0 + 1e-12));
    }
}

#[test]
fn dags_prefers_what_more_tasks_wait_for() {
    // Tasks 0 and 1 want one unit; behind 1 come three short tasks, behind 0 one long one.
    let cycles = [1.0, 1.0, 10.0, 1.0, 1.0, 1.0];
    let tasks =
        cycles.iter().enumerate().map(|(at, cycles)| Task { unit: u32::from(at > 1), cycles: *cycles }).collect();
    let graph = TaskGraph::new(tasks, &[(0, 2), (1, 3), (1, 4), (1, 5)]).expect("no cycle");
    let resources = Resources::units(vec![1, 1]);
    let mut workspace = Workspace::default();
    let mut first = |policy| {
        schedule(&graph, &resources, &policy, &mut workspace).expect("schedule");
        (0..2).find(|task| workspace.placements()[*task].start == 0.0)
    };
    assert_eq!(first(Policy::Dags { alpha: 1.0, beta: 0.0 }), Some(1));
    assert_eq!(first(Policy::Dags { alpha: 0.0, beta: 1.0 }), Some(0));
    assert_eq!(first(Policy::CriticalPath), Some(0));
    assert_eq!(first(Policy::Weights(vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0])), Some(1));
    // Nothing tells them apart: the one declared first.
    assert_eq!(first(Policy::Dags { alpha: 0.0, beta: 0.0 }), Some(0));
    assert_eq!(first(Policy::Fifo), Some(0));
}

#[test]
fn equal_instances_share_the_load() {
    let graph = TaskGraph::new(vec![Task { unit: 0, cycles: 5.0 }; 8], &[]).expect("no cycle");
    let resources = Resources::units(vec![4]);
    let mut workspace = Workspace::default();
    let outcome = schedule(&graph, &resources, &Policy::Best, &mut workspace).expect("schedule");
    assert_eq!((outcome.makespan, outcome.gap()), (10.0, 0.0));
    for instance in 0..4 {
        assert_eq!(workspace.placements().iter().filter(|placement| placement.instance == instance).count(), 2);
    }
}

#[test]
fn a_cycle_is_an_error_that_lists_it() {
    let task = Task { unit: 0, cycles: 1.0 };
    let found = TaskGraph::new(vec![task; 5], &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]);
    let Err(GraphError::Cycle(mut cycle)) = found else { panic!("{found:?}") };
    // Each waits for the one before it.
    for (at, task) in cycle.iter().enumerate() {
        let before = cycle[(at + cycle.len() - 1) % cycle.len()];
        assert!([(1, 2), (2, 3), (3, 1)].contains(&(before, *task)));
    }
    cycle.sort_unstable();
    assert_eq!(cycle, [1, 2, 3]);
    assert_eq!(TaskGraph::new(vec![task], &[(0, 0)]).err(), Some(GraphError::Cycle(vec![0])));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let task = Task { unit: 0, cycles: 1.0 };
    assert_eq!(TaskGraph::new(vec![task], &[(0, 3)]).err(), Some(GraphError::UnknownTask { edge: 0, task: 3 }));
    for cycles in [-1.0, f64::INFINITY, f64::NAN] {
        let found = TaskGraph::new(vec![Task { unit: 0, cycles }], &[]);
        assert!(matches!(found, Err(GraphError::BadCycles { task: 0, .. })));
    }
    let far = Task { unit: u32::MAX, cycles: 1.0 };
    assert!(matches!(TaskGraph::new(vec![far], &[]), Err(GraphError::BadUnit { .. })));
    let graph = TaskGraph::new(vec![task; 2], &[(0, 1)]).expect("no cycle");
    let mut workspace = Workspace::default();
    let none = schedule(&graph, &Resources::units(vec![0]), &Policy::Best, &mut workspace);
    assert_eq!(none, Err(ResourceError::NoInstance { unit: 0 }.into()));
    let one = Resources::units(vec![1]);
    let weights = schedule(&graph, &one, &Policy::Weights(vec![1.0, f64::NAN]), &mut workspace);
    assert_eq!(weights, Err(ScheduleError::Weights { weights: 1, tasks: 2 }));
    let shared = |task, amount| vec![Shared { capacity: 2.0, demands: vec![(task, amount)] }];
    assert!(matches!(one.clone().sharing(&graph, shared(5, 1.0), vec![]), Err(ResourceError::Unknown { .. })));
    assert!(matches!(one.sharing(&graph, shared(0, 3.0), vec![]), Err(ResourceError::TooMuch { .. })));
}

/// Two producers of one consumer and a buffer for one result: no order can fit that, and it is said before any is tried.
#[test]
fn a_buffer_that_can_not_hold_what_one_task_needs_is_said() {
    let graph = TaskGraph::new(vec![Task { unit: 0, cycles: 1.0 }; 3], &[(0, 2), (1, 2)]).expect("no cycle");
    let buffer = Buffer { capacity: 1.0, edges: vec![(0, 1.0), (1, 1.0)] };
    let found = Resources::units(vec![2]).sharing(&graph, vec![], vec![buffer]).expect_err("too small");
    assert_eq!(found, ResourceError::NoRoom { resource: 0, task: 2, needed: 2.0, capacity: 1.0 });
    assert!(found.to_string().contains("task 2") && found.to_string().contains("2 > 1"), "{found}");
}

/// 0, 1 and 3 feed 4, and 2 feeds 3. Every task fits alone into a buffer of three; with the results of 0 and 1 in it there is
/// no room left for that of 2, on which 3 and so 4 wait. 2 and 3 have to go first, whatever the weights say.
#[test]
fn a_way_around_a_full_buffer_is_found() {
    let tasks = vec![Task { unit: 0, cycles: 1.0 }; 5];
    let graph = TaskGraph::new(tasks, &[(0, 4), (1, 4), (2, 3), (3, 4)]).expect("no cycle");
    let buffer = Buffer { capacity: 3.0, edges: vec![(0, 1.0), (1, 1.0), (2, 1.5), (3, 1.0)] };
    let resources = Resources::units(vec![1]).sharing(&graph, vec![], vec![buffer]).expect("each fits");
    let weights = Policy::Weights(vec![5.0, 4.0, 1.0, 1.0, 1.0]);
    let mut workspace = Workspace::default();
    assert_eq!(schedule(&graph, &resources, &weights, &mut workspace).map(|outcome| outcome.makespan), Ok(5.0));
    assert_eq!(check(&graph, &resources, workspace.placements()), Ok(()));
    assert!(workspace.placements()[2].start < 2.0);
}

/// 0 and 1 each have a result for 2 and one for 3. Each task alone holds two of them, but before 2 or 3 can start all four
/// are there.
#[test]
fn what_no_order_fits_is_said() {
    let tasks = vec![Task { unit: 0, cycles: 1.0 }; 4];
    let graph = TaskGraph::new(tasks, &[(0, 2), (0, 3), (1, 2), (1, 3)]).expect("no cycle");
    let buffer = Buffer { capacity: 3.0, edges: (0..4).map(|edge| (edge, 1.0)).collect() };
    let resources = Resources::units(vec![1]).sharing(&graph, vec![], vec![buffer]).expect("each fits");
    for policy in policies(4) {
        let found = schedule(&graph, &resources, &policy, &mut Workspace::default());
        let Err(error @ ScheduleError::Stuck { is_proven: true, .. }) = found else { panic!("{found:?}") };
        assert!(error.to_string().ends_with("no order of the tasks fits them"), "{error}");
    }
}

/// Shares that are no binary fractions are taken and given back a hundred thousand times; nothing of them stays behind, so
/// that what needs the whole resource starts as soon as nothing runs.
#[test]
fn nothing_stays_taken_however_often_a_resource_is_used() {
    let rounds = 100_000;
    let tasks = (0..2 * rounds).map(|at| Task { unit: at % 2, cycles: 1.0 });
    let tasks: Vec<Task> = tasks.chain([Task { unit: 2, cycles: 1.0 }]).collect();
    let graph = TaskGraph::new(tasks, &[]).expect("no cycle");
    let share = |task: u32| {
        if task.is_multiple_of(2) { 0.1 + 1e-3 * f64::from(task % 7) } else { 0.7 - 1e-3 * f64::from(task % 5) }
    };
    let mut demands: Vec<(u32, f64)> = (0..2 * rounds).map(|task| (task, share(task))).collect();
    demands.push((2 * rounds, 1.0));
    let shared = vec![Shared { capacity: 1.0, demands }];
    let resources = Resources::units(vec![1, 1, 1]).sharing(&graph, shared, vec![]).expect("fits");
    let mut workspace = Workspace::default();
    let outcome = schedule(&graph, &resources, &Policy::Fifo, &mut workspace).expect("a schedule");
    assert_eq!(outcome.makespan, f64::from(rounds) + 1.0);
    assert_eq!(check(&graph, &resources, workspace.placements()), Ok(()));
}

#[test]
fn the_empty_graph_takes_no_time() {
    let graph = TaskGraph::new(vec![], &[]).expect("no cycle");
    let outcome = schedule(&graph, &Resources::units(vec![]), &Policy::Best, &mut Workspace::default());
    assert_eq!(outcome, Ok(Outcome { makespan: 0.0, lower_bound: 0.0 }));
}
