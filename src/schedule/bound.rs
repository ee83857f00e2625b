//! The lower bound on the schedule's length.

use super::stage::StagePlaces;
use crate::spec::program::{Columns, Place};

/// Whose work adds up on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// No unit has two stages.
    Nobody,
    /// All that are mapped to a unit at this point.
    Mapped,
    /// Those that can run nowhere else: of a box of points, on each of which the mapping may be another.
    Fixed,
}

/// Working memory of [`lower_bound`].
#[derive(Debug, Clone)]
pub(super) struct BoundMemory {
    /// Start and end of each stage.
    stages: Vec<[f64; 2]>,
    units: Vec<UnitLoad>,
}

/// What a unit has to do.
#[derive(Debug, Clone, Copy)]
struct UnitLoad {
    /// Before which none of its stages can start.
    first: f64,
    /// Cycles of all its stages.
    busy: f64,
    /// Until the result of its last tile is out, at least.
    latency: f64,
}

impl UnitLoad {
    const NONE: Self = Self { first: f64::INFINITY, busy: 0.0, latency: f64::INFINITY };
}

impl BoundMemory {
    /// Memory for so many stages on so many units.
    pub fn new(stages: usize, units: usize) -> Self {
        Self { stages: vec![[0.0; 2]; stages], units: vec![UnitLoad::NONE; units] }
    }
}

/// Cycles that no schedule of the same stages can beat: along every path of the graph, each stage starts no earlier than
/// its producers' first tile (or, behind a barrier, their whole work) allows, and then needs its work divided by its
/// groups, or at least its last tile after its producers' last one. And a unit that stages share needs the work of all of
/// them, after the first can start and before the last result is out.
pub(super) fn lower_bound(
    stages: &[StagePlaces],
    groups: &[Place],
    sharing: Sharing,
    columns: Columns<'_>,
    memory: &mut BoundMemory,
) -> f64 {
    let BoundMemory { stages: memory, units } = memory;
    units.fill(UnitLoad::NONE);
    let mut longest = 0.0_f64;
    for (at, stage) in stages.iter().enumerate() {
        let latency = columns.scalar(stage.latency);
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
        let busy = unit_cycles(stage, groups, columns);
        let end = (start + busy + latency).max(after_producers);
        memory[at] = [start, end];
        longest = longest.max(end);
        let unit = match (sharing, &stage.candidates[..]) {
            (Sharing::Nobody, _) => None,
            (_, [only]) => Some(*only),
            (Sharing::Mapped, _) => Some(columns.scalar(stage.unit) as usize),
            (Sharing::Fixed, _) => None,
        };
        if let Some(load) = unit.and_then(|unit| units.get_mut(unit)) {
            load.first = load.first.min(start);
            load.busy += busy;
            load.latency = load.latency.min(latency);
        }
    }
    let loaded = units.iter().filter(|load| load.first.is_finite());
    loaded.fold(longest, |longest, load| longest.max(load.first + load.busy + load.latency))
}

/// Cycles for which a stage needs its whole unit: the tiles divide among the groups, an operator of the frame takes all.
fn unit_cycles(stage: &StagePlaces, groups: &[Place], columns: Columns<'_>) -> f64 {
    let servers = if stage.streamed { columns.scalar(groups[columns.scalar(stage.unit) as usize]) } else { 1.0 };
    columns.scalar(stage.work) / servers
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
