//! Whether a schedule of tiles is one: verified from what stages and tiles need, with nothing that the schedulers use.

use thiserror::Error;

use super::stage::StagePlaces;
use super::timeline::Record;
use crate::spec::program::{Columns, Place};

/// Rounding that is forgiven, as a share of the schedule's length.
const ROUNDING: f64 = 1e-9;

/// One tile (or the frame) at a stage, in cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// Which measured tile it is; 0 for a frame.
    pub tile: usize,
    /// Its group is busy from here.
    pub start: f64,
    /// Its group is free.
    pub left: f64,
    /// Consumers see the result.
    pub end: f64,
}

/// Every visit of every stage, tiles in the order of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// One list per stage.
    pub visits: Vec<Vec<Visit>>,
    /// What the scheduler gave as its length.
    pub makespan: f64,
}

/// Collects visits from a scheduler.
pub(super) struct Visits {
    visits: Vec<Vec<Visit>>,
    /// Latency of each stage.
    latency: Vec<f64>,
}

impl Visits {
    pub(super) fn new(stages: &[StagePlaces], columns: Columns<'_>) -> Self {
        let latency = stages.iter().map(|stage| columns.scalar(stage.latency)).collect();
        Self { visits: vec![Vec::new(); stages.len()], latency }
    }

    pub(super) fn finish(self, makespan: f64) -> Recorded {
        Recorded { visits: self.visits, makespan }
    }
}

impl Record for Visits {
    const EVERY_TILE: bool = true;

    fn tile(&mut self, stage: usize, tile: usize, _: Option<usize>, start: f64, left: f64) {
        self.visits[stage].push(Visit { tile, start, left, end: left + self.latency[stage] });
    }
}

/// What is wrong with a schedule of tiles.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TileViolation {
    /// A stage did not see every tile once.
    #[error("`{stage}` does not see each of its {tiles} tiles once")]
    Tiles {
        /// The stage.
        stage: String,
        /// Tiles that it has to see.
        tiles: usize,
    },
    /// A tile takes another time than its work.
    #[error(
        "tile {position} of `{stage}` is busy for {lasts} cycles and seen after {delay}, instead of {cycles} and {latency}"
    )]
    Duration {
        /// The stage.
        stage: String,
        /// Position in the stream.
        position: usize,
        /// Cycles that it occupies its group.
        lasts: f64,
        /// Cycles that it should.
        cycles: f64,
        /// Cycles until the result is seen.
        delay: f64,
        /// Cycles that it should take.
        latency: f64,
    },
    /// A tile starts before its inputs are there.
    #[error("tile {position} of `{stage}` starts at {start}, before `{producer}` ends at {end}")]
    Dependency {
        /// The stage.
        stage: String,
        /// Position in the stream.
        position: usize,
        /// When it starts.
        start: f64,
        /// Whom it should have waited for.
        producer: String,
        /// When that one ends.
        end: f64,
    },
    /// A tile is started into a buffer that is full.
    #[error(
        "tile {position} of `{stage}` starts at {start}, but its buffer of {buffer} tiles has no room before {end}"
    )]
    Room {
        /// The stage.
        stage: String,
        /// Position in the stream.
        position: usize,
        /// When it starts.
        start: f64,
        /// Tiles that fit.
        buffer: usize,
        /// When the consumer frees the slot.
        end: f64,
    },
    /// More groups of a unit are busy than it has.
    #[error("unit {unit} has {groups} groups, and {busy} are busy at {time}")]
    Groups {
        /// Index of the unit.
        unit: usize,
        /// Its groups.
        groups: usize,
        /// Groups in use.
        busy: usize,
        /// When.
        time: f64,
    },
    /// The length is not the end of the last tile.
    #[error("the schedule is said to last {makespan} cycles, but its last tile ends at {end}")]
    Length {
        /// What the scheduler says.
        makespan: f64,
        /// The last end.
        end: f64,
    },
}

/// Verifies a schedule of stages with `tiles` tiles on units with so many groups.
///
/// # Errors
/// The first violation found.
pub fn verify(
    stages: &[StagePlaces],
    groups: &[Place],
    tiles: usize,
    columns: Columns<'_>,
    record: &Recorded,
) -> Result<(), TileViolation> {
    let end = record.visits.iter().flatten().map(|visit| visit.end).fold(0.0, f64::max);
    let slack = end * ROUNDING;
    let length = (record.makespan - end).abs() <= slack;
    if !length {
        return Err(TileViolation::Length { makespan: record.makespan, end });
    }
    for (stage, visits) in stages.iter().zip(&record.visits) {
        check_work(stage, if stage.streamed { tiles } else { 1 }, columns, visits, slack)?;
        check_waits(stages, stage, columns, (visits, record), slack)?;
    }
    (0..groups.len()).try_for_each(|unit| check_groups(stages, unit, groups, columns, record, slack))
}

/// Every tile once, for its own cycles.
fn check_work(
    stage: &StagePlaces,
    tiles: usize,
    columns: Columns<'_>,
    visits: &[Visit],
    slack: f64,
) -> Result<(), TileViolation> {
    let mut seen: Vec<usize> = visits.iter().map(|visit| visit.tile).collect();
    seen.sort_unstable();
    if seen.len() != tiles || seen.iter().enumerate().any(|(at, tile)| at != *tile) {
        return Err(TileViolation::Tiles { stage: stage.name.clone(), tiles });
    }
    let occupancy = columns.get(stage.occupancy);
    let latency = columns.scalar(stage.latency);
    for (position, visit) in visits.iter().enumerate() {
        let cycles =
            if let [equal] = occupancy { *equal } else { occupancy.get(visit.tile).copied().unwrap_or(f64::NAN) };
        let (lasts, delay) = (visit.left - visit.start, visit.end - visit.left);
        let right = (lasts - cycles).abs() <= slack && (delay - latency).abs() <= slack && visit.start >= -slack;
        if !right {
            let stage = stage.name.clone();
            return Err(TileViolation::Duration { stage, position, lasts, cycles, delay, latency });
        }
    }
    Ok(())
}

/// No tile before its barriers, its inputs, and the room for it.
fn check_waits(
    stages: &[StagePlaces],
    stage: &StagePlaces,
    columns: Columns<'_>,
    (visits, record): (&[Visit], &Recorded),
    slack: f64,
) -> Result<(), TileViolation> {
    let late = |position: usize, start: f64, producer: &str, end: f64| TileViolation::Dependency {
        stage: stage.name.clone(),
        position,
        start,
        producer: producer.to_owned(),
        end,
    };
    for &producer in &stage.barriers {
        let end = record.visits[producer].iter().map(|visit| visit.end).fold(0.0, f64::max);
        if let Some(position) = visits.iter().position(|visit| visit.start < end - slack) {
            return Err(late(position, visits[position].start, &stages[producer].name, end));
        }
    }
    for &(producer, buffer) in &stage.inputs {
        let buffer = columns.scalar(buffer) as usize;
        for (position, (visit, input)) in visits.iter().zip(&record.visits[producer]).enumerate() {
            if visit.start < input.end - slack {
                return Err(late(position, visit.start, &stages[producer].name, input.end));
            }
            let Some(next) = record.visits[producer].get(position + buffer) else { continue };
            if next.start < visit.end - slack {
                let (stage, position) = (stages[producer].name.clone(), position + buffer);
                return Err(TileViolation::Room { stage, position, start: next.start, buffer, end: visit.end });
            }
        }
    }
    Ok(())
}

/// Never more tiles at work on a unit than it has groups; a frame operator takes all of them.
fn check_groups(
    stages: &[StagePlaces],
    unit: usize,
    groups: &[Place],
    columns: Columns<'_>,
    record: &Recorded,
    slack: f64,
) -> Result<(), TileViolation> {
    let count = columns.scalar(groups[unit]) as usize;
    let mut changes: Vec<(f64, i64)> = Vec::new();
    for (stage, visits) in stages.iter().zip(&record.visits) {
        if columns.scalar(stage.unit) as usize != unit {
            continue;
        }
        let takes = if stage.streamed { 1 } else { count as i64 };
        // What leaves within the rounding of a start has left before it.
        changes.extend(
            visits
                .iter()
                .filter(|visit| visit.left - visit.start > slack)
                .flat_map(|visit| [(visit.start, takes), (visit.left - slack, -takes)]),
        );
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut busy = 0;
    for (time, change) in changes {
        busy += change;
        if busy > count as i64 {
            return Err(TileViolation::Groups { unit, groups: count, busy: busy as usize, time });
        }
    }
    Ok(())
}
