//! Evaluating a point allocates nothing.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use nerarch_dse::explore::Space;
use nerarch_dse::ppa::Evaluator;
use nerarch_dse::schedule::tasks::{Policy, Resources, Task, TaskGraph, Workspace, schedule};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn evaluating_allocates_nothing() {
    for name in ["gscore", "gscore_tiles", "gscore_large", "gscore_model", "pe"] {
        let (_, plan) = common::compile(name);
        let space = Space::new(&plan.axes).expect("space");
        let mut evaluator = Evaluator::new(&plan);
        let mut digits = Vec::with_capacity(plan.axes.len());
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for index in (0..space.points()).step_by(1 + space.points() as usize / 300) {
            space.digits(index, &mut digits);
            evaluator.evaluate(&digits);
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{name}");
    }
    // A schedule of an operator graph allocates nothing once its memory has been used.
    let tasks = (0..3000).map(|at| Task { unit: at % 4, cycles: f64::from(at * 7919 % 101) }).collect();
    let edges: Vec<(u32, u32)> = (0..2996).map(|at| (at, at + 1 + at % 4)).collect();
    let graph = TaskGraph::new(tasks, &edges).expect("no cycle");
    let resources = Resources::units(vec![1, 2, 1, 3]);
    let mut workspace = Workspace::default();
    for policy in [Policy::Best, Policy::DAGS, Policy::CriticalPath, Policy::Fifo] {
        schedule(&graph, &resources, &policy, &mut workspace).expect("schedule");
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        schedule(&graph, &resources, &policy, &mut workspace).expect("schedule");
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{policy:?}");
    }
}
