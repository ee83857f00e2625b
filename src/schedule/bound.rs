//! The lower bound on the schedule's length.

use super::stage::StagePlaces;
use crate::spec::program::{Columns, Place};

/// Cycles that no schedule of the same stages can beat: along every path of the graph, each stage starts no earlier than
/// its producers' first tile (or, behind a barrier, their whole work) allows, and then needs its work divided by its
/// groups, or at least its last tile after its producers' last one; and a unit that several stages share starts with the
/// earliest of them and does the work of all. `memory` is scratch: start and end of each stage, then earliest start and work
/// of each unit.
pub(super) fn lower_bound(
    stages: &[StagePlaces],
    groups: &[Place],
    columns: Columns<'_>,
    memory: &mut [[f64; 2]],
) -> f64 {
    let (memory, units) = memory.split_at_mut(stages.len());
    units.fill([f64::INFINITY, 0.0]);
    let mut longest = 0.0_f64;
    for (at, stage) in stages.iter().enumerate() {
        let latency = columns.scalar(stage.latency);
        let work = columns.scalar(stage.work);
        let occupancy = columns.get(stage.occupancy);
        let mut start = 0.0_f64;
        let mut after_producers = 0.0_f64;
        for &producer in &stage.barriers {
            start = start.max(memory[producer][1]);
        }
        for &(producer, _) in &stage.inputs {
            let first = first_out(&stages[producer], groups, columns);
            start = start.max(memory[producer][0] + first + columns.scalar(stages[producer].latency));
            // Unequal tiles finish out of order on several groups, so the last one may be any of them.
            let last = if let [equal] = occupancy { *equal } else { 0.0 };
            after_producers = after_producers.max(memory[producer][1] + last + latency);
        }
        let unit = columns.scalar(stage.unit) as usize;
        // An operator of the frame takes all groups for its whole work.
        let busy = if stage.streamed { work / columns.scalar(groups[unit]) } else { work };
        let end = (start + busy + latency).max(after_producers);
        memory[at] = [start, end];
        let [earliest, all] = &mut units[unit];
        *earliest = earliest.min(start);
        *all += busy;
        longest = longest.max(end).max(*earliest + *all);
    }
    longest
}

/// Cycles after its own start before which a stage cannot have finished any tile: on several groups a later tile of
/// unequal ones may overtake the first.
pub(super) fn first_out(stage: &StagePlaces, groups: &[Place], columns: Columns<'_>) -> f64 {
    match columns.get(stage.occupancy) {
        [equal] => *equal,
        [first, ..] if columns.scalar(groups[columns.scalar(stage.unit) as usize]) == 1.0 => *first,
        _ => 0.0,
    }
}
