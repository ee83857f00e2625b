//! Map and schedule of a loaded operator graph, one thread: each operator bound to the better of two units, then placed.
//!
//! Families: chains of sampling, encoding, field, blending; the same with a barrier between a coarse and a fine pass.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nerarch_dse::schedule::tasks::{Choices, Policy, Resources, Task, TaskGraph, Workspace, schedule};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Sampling, encoding, field, blending: mean cycles of each.
const STAGES: [u32; 4] = [40, 160, 300, 60];
/// Each stage has a fast unit with one instance and a slower one with two.
const INSTANCES: [u32; 8] = [1, 2, 1, 2, 1, 2, 1, 2];

struct Case {
    graph: TaskGraph,
    choices: Choices,
    resources: Resources,
}

/// `chains` chains of four, what remains of `tasks` as a chain before them; a barrier in the middle if wanted.
fn case(tasks: usize, barrier: bool) -> Case {
    let chains = tasks / 4;
    let extra = (tasks - 4 * chains) as u32;
    let mut edges: Vec<(u32, u32)> = (1..extra).map(|to| (to - 1, to)).collect();
    let mut options = Vec::with_capacity(tasks);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut option = |stage: usize| {
        let cycles = f64::from(STAGES[stage] / 2 + random.next_u32() % STAGES[stage]);
        let unit = 2 * stage as u32;
        [Task { unit, cycles }, Task { unit: unit + 1, cycles: cycles * 3.0 }]
    };
    options.extend((0..extra).map(|_| option(0)));
    for chain in 0..chains as u32 {
        let first = extra + 4 * chain;
        if extra > 0 {
            edges.push((extra - 1, first));
        }
        edges.extend([(first, first + 1), (first + 1, first + 2), (first + 2, first + 3)]);
        options.extend((0..4).map(&mut option));
    }
    if barrier {
        // The first half of the chains is the coarse pass; one more operator waits for all of it, and the fine pass for that.
        let middle = tasks as u32;
        options.push(option(3));
        for chain in 0..chains as u32 {
            let first = extra + 4 * chain;
            edges.push(if (chain as usize) < chains / 2 { (first + 3, middle) } else { (middle, first) });
        }
    }
    let graph = TaskGraph::new(options.iter().map(|option| option[0]).collect(), &edges).expect("no cycle");
    let choices = Choices::new(options.iter().map(<[Task; 2]>::as_slice));
    Case { graph, choices, resources: Resources::units(INSTANCES.to_vec()) }
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("map_and_schedule");
    let policies = [("best", Policy::Best), ("dags", Policy::DAGS)];
    for (policy_name, policy) in &policies {
        for tasks in [5, 72, 2_501, 15_000, 30_000, 60_000, 120_000, 180_000] {
            for barrier in [false, true] {
                if barrier && tasks < 15_000 {
                    continue;
                }
                let Case { mut graph, choices, resources } = case(tasks, barrier);
                let mut workspace = Workspace::default();
                let name = format!("{policy_name}, {tasks} operators{}", if barrier { ", barrier" } else { "" });
                group.throughput(Throughput::Elements(tasks as u64));
                group.bench_function(name, |bencher| {
                    bencher.iter(|| {
                        choices.bind(&mut graph, &resources).expect("durations");
                        std::hint::black_box(schedule(&graph, &resources, policy, &mut workspace))
                    });
                });
            }
        }
    }
    group.finish();
}

/// What the default costs beside one pass: 200 random graphs of nine operators on three units.
fn small(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(2024);
    let mut graph = || {
        let tasks =
            (0..9).map(|_| Task { unit: random.next_u32() % 3, cycles: f64::from(1 + random.next_u32() % 100) });
        let tasks = tasks.collect();
        let pairs = (1..9_u32).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges: Vec<(u32, u32)> = pairs.filter(|_| random.next_u32() % 10 < 3).collect();
        TaskGraph::new(tasks, &edges).expect("no cycle")
    };
    let graphs: Vec<TaskGraph> = (0..200).map(|_| graph()).collect();
    let resources = Resources::units(vec![1; 3]);
    let mut workspace = Workspace::default();
    let mut group = criterion.benchmark_group("nine_operators");
    for (name, policy) in [("best", Policy::Best), ("one pass", Policy::CriticalPath)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for graph in &graphs {
                    std::hint::black_box(schedule(graph, &resources, &policy, &mut workspace)).expect("schedule");
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = group;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = small, benches
}
criterion_main!(group);
