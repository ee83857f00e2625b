//! What no schedule can beat.

use super::graph::TaskGraph;
use super::resources::Resources;

/// What a unit has to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitWork {
    cycles: f64,
    /// Least cycles before any of its tasks can start, and after any of them has ended.
    before: f64,
    after: f64,
}

/// The largest of: the longest path; for each unit the least time before its first task, its work divided by its
/// instances, and the least time after its last; for each shared resource what is used of it over time, divided by its
/// capacity. `heads` and `tails` are the longest paths through each task from the start and to the end.
pub(super) fn lower_bound(
    graph: &TaskGraph,
    resources: &Resources,
    heads: &[f64],
    tails: &[f64],
    units: &mut Vec<UnitWork>,
) -> f64 {
    units.clear();
    units.resize(resources.instances.len(), UnitWork { cycles: 0.0, before: f64::INFINITY, after: f64::INFINITY });
    let mut longest = 0.0_f64;
    for ((task, head), tail) in graph.tasks.iter().zip(heads).zip(tails) {
        let unit = &mut units[task.unit as usize];
        unit.cycles += task.cycles;
        unit.before = unit.before.min(head - task.cycles);
        unit.after = unit.after.min(tail - task.cycles);
        longest = longest.max(*tail);
    }
    for (unit, instances) in units.iter().zip(&resources.instances) {
        if unit.before.is_finite() {
            longest = longest.max(unit.before + unit.cycles / f64::from(*instances) + unit.after);
        }
    }
    for shared in &resources.shared {
        let used = shared.demands.iter().map(|(task, amount)| amount * graph.tasks[*task as usize].cycles);
        let used: f64 = used.sum();
        if used > 0.0 {
            longest = longest.max(used / shared.capacity);
        }
    }
    longest
}
