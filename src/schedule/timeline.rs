//! A schedule written out: when every stage works on every tile, on which group of which unit, and how busy units and
//! memory ports are over time.
//!
//! It comes from the schedulers themselves, which tell a [`Record`] what they start; in an evaluation the record is `()`
//! and costs nothing. Tiles that the pass over equal tiles would jump are simulated here, so times of a timeline and the
//! makespan agree to the cycle on integer durations and to 1e-12 otherwise.

use serde::{Deserialize, Serialize};

use super::kernel::Schedule;
use crate::spec::program::{Columns, Place};

/// What wants to know of everything that a scheduler starts.
pub(super) trait Record {
    /// Whether equal tiles must not be jumped.
    const EVERY_TILE: bool;

    /// A stage occupies a group of its unit with a tile from `start` until `left`; `None`: the whole unit with the frame.
    fn tile(&mut self, stage: usize, tile: usize, group: Option<usize>, start: f64, left: f64);
}

impl Record for () {
    const EVERY_TILE: bool = false;

    #[inline(always)]
    fn tile(&mut self, _: usize, _: usize, _: Option<usize>, _: f64, _: f64) {}
}

/// Passes on what a part of the schedule records by lane and in its own time.
pub(super) struct Shifted<'a, R> {
    pub record: &'a mut R,
    /// Stage of each lane.
    pub stages: &'a [usize],
    /// Start of the part's time.
    pub by: f64,
}

impl<R: Record> Record for Shifted<'_, R> {
    const EVERY_TILE: bool = R::EVERY_TILE;

    #[inline(always)]
    fn tile(&mut self, lane: usize, tile: usize, group: Option<usize>, start: f64, left: f64) {
        if R::EVERY_TILE
            && let Some(stage) = self.stages.get(lane)
        {
            self.record.tile(*stage, tile, group, start + self.by, left + self.by);
        }
    }
}

/// One stretch of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Index of the stage.
    pub stage: usize,
    /// Tile; 0 for work on the whole frame.
    pub tile: usize,
    /// Group of the unit; `None`: all of them.
    pub group: Option<usize>,
    /// Start in cycles.
    pub start: f64,
    /// Cycle at which the group is free again.
    pub end: f64,
}

/// A stage's place in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageSpan {
    /// Index of the executing unit.
    pub unit: usize,
    /// Start of its first tile in cycles.
    pub start: f64,
    /// When its last result is there: the latest end of a tile and the unit's and memories' latency, in cycles.
    pub end: f64,
    /// Tiles that it worked on.
    pub tiles: usize,
}

/// What a stage wants while it occupies a group, at places of the compiled program: per tile of a streamed stage.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    /// Cycles of compute.
    pub compute: Option<Place>,
    /// What passes memory ports.
    pub ports: Vec<PortDemand>,
}

/// What a stage wants of one memory port, per tile of a streamed stage.
#[derive(Debug, Clone, Copy)]
pub struct PortDemand {
    /// The port, by the caller's numbers.
    pub port: usize,
    /// Bytes.
    pub bytes: Place,
    /// Cycles that they take at the stage's share of the port, from the start of the tile.
    pub cycles: Place,
}

/// How much of a schedule is written out.
#[derive(Debug, Clone, Copy)]
pub struct TimelineOptions {
    /// Most intervals that are kept; the first ones in the order of the schedule.
    pub intervals: usize,
    /// Bins of equal width over the window.
    pub bins: usize,
    /// First cycle of the window that the bins cover.
    pub from: f64,
    /// Its last; the window ends with the schedule at the latest.
    pub to: f64,
}

impl Default for TimelineOptions {
    fn default() -> Self {
        Self { intervals: 20_000, bins: 120, from: 0.0, to: f64::INFINITY }
    }
}

/// A schedule written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Length in cycles.
    pub makespan: f64,
    /// One entry per stage, producers first.
    pub stages: Vec<StageSpan>,
    /// Stretches of work, up to [`TimelineOptions::intervals`].
    pub intervals: Vec<Interval>,
    /// Stretches that were not kept.
    pub omitted: usize,
    /// First cycle of the first bin.
    pub from: f64,
    /// Width of a bin in cycles.
    pub bin_cycles: f64,
    /// `[unit][bin]`: share of the unit's groups that are occupied, from 0 to 1.
    pub occupied: Vec<Vec<f64>>,
    /// `[unit][bin]`: share of the unit's groups that compute and do not wait for a memory.
    pub computing: Vec<Vec<f64>>,
    /// `[port][bin]`: bytes that pass: each tile's from its start on, as fast as its stage's share of the port allows.
    pub port_bytes: Vec<Vec<f64>>,
}

impl Schedule {
    /// Writes out the schedule of the values in `columns`. `demands` has one entry per stage, `ports` is the number of
    /// memory ports in them. Empty where the schedule has no finite length.
    pub fn timeline(
        &mut self,
        columns: Columns<'_>,
        makespan: f64,
        demands: &[Demand],
        ports: usize,
        options: TimelineOptions,
    ) -> Timeline {
        let groups: Vec<f64> = self.groups.iter().map(|place| columns.scalar(*place).max(1.0)).collect();
        let units: Vec<usize> = self.stages.iter().map(|stage| columns.scalar(stage.unit) as usize).collect();
        let bins = options.bins.max(1);
        let empty = |rows: usize| vec![vec![0.0; bins]; rows];
        let from = options.from.clamp(0.0, makespan);
        let to = options.to.clamp(from, makespan);
        let mut recorder = Recorder {
            columns,
            demands,
            units: &units,
            groups: &groups,
            keep: options.intervals,
            timeline: Timeline {
                makespan,
                stages: units
                    .iter()
                    .map(|unit| StageSpan { unit: *unit, start: f64::INFINITY, end: 0.0, tiles: 0 })
                    .collect(),
                intervals: Vec::new(),
                omitted: 0,
                from,
                bin_cycles: (to - from) / bins as f64,
                occupied: empty(groups.len()),
                computing: empty(groups.len()),
                port_bytes: empty(ports),
            },
        };
        self.replay(columns, &mut recorder);
        let mut timeline = recorder.timeline;
        for (span, stage) in timeline.stages.iter_mut().zip(&self.stages) {
            span.start = if span.tiles == 0 { 0.0 } else { span.start };
            span.end += columns.scalar(stage.latency);
        }
        timeline
    }
}

struct Recorder<'a> {
    columns: Columns<'a>,
    demands: &'a [Demand],
    /// Unit of each stage.
    units: &'a [usize],
    /// Groups of each unit.
    groups: &'a [f64],
    /// Intervals to keep.
    keep: usize,
    timeline: Timeline,
}

impl Recorder<'_> {
    /// The value of a tile: a place without tiles holds for all.
    fn value(&self, place: Place, tile: usize) -> f64 {
        let values = self.columns.get(place);
        values.get(tile).or(values.first()).copied().unwrap_or(0.0)
    }
}

impl Record for Recorder<'_> {
    const EVERY_TILE: bool = true;

    fn tile(&mut self, stage: usize, tile: usize, group: Option<usize>, start: f64, left: f64) {
        let (Some(&unit), demand) = (self.units.get(stage), self.demands.get(stage)) else { return };
        let Some(&groups) = self.groups.get(unit) else { return };
        let share = if group.is_some() { 1.0 / groups } else { 1.0 };
        let compute = demand.and_then(|demand| demand.compute).map(|place| self.value(place, tile));
        let values =
            |wanted: &PortDemand| (wanted.port, self.value(wanted.bytes, tile), self.value(wanted.cycles, tile));
        let ports: Vec<(usize, f64, f64)> =
            demand.map(|demand| demand.ports.iter().map(values).collect()).unwrap_or_default();
        let timeline = &mut self.timeline;
        if let Some(span) = timeline.stages.get_mut(stage) {
            span.start = span.start.min(start);
            span.end = span.end.max(left);
            span.tiles += 1;
        }
        if timeline.intervals.len() < self.keep {
            timeline.intervals.push(Interval { stage, tile, group, start, end: left });
        } else {
            timeline.omitted += 1;
        }
        let (duration, width) = (left - start, timeline.bin_cycles);
        if !(duration > 0.0 && width > 0.0) {
            return;
        }
        let (start, left) = (start - timeline.from, left - timeline.from);
        let busy = compute.map_or(0.0, |cycles| (cycles / duration).min(1.0));
        if let Some(row) = timeline.occupied.get_mut(unit) {
            spread(row, width, start, left, share / width);
        }
        if let Some(row) = timeline.computing.get_mut(unit) {
            spread(row, width, start, left, share * busy / width);
        }
        for (port, bytes, cycles) in ports {
            if let Some(row) = timeline.port_bytes.get_mut(port)
                && bytes > 0.0
            {
                // A transfer lasts as long as the tile at most, or the tile would last longer.
                let lasts = if cycles > 0.0 { cycles.min(duration) } else { duration };
                spread(row, width, start, start + lasts, bytes / lasts);
            }
        }
    }
}

/// Adds `density` times the cycles that `start..end` shares with each bin of `width` cycles.
fn spread(row: &mut [f64], width: f64, start: f64, end: f64, density: f64) {
    let first = (start / width) as usize;
    for (at, bin) in row.iter_mut().enumerate().skip(first) {
        let (from, to) = (at as f64 * width, (at + 1) as f64 * width);
        if from >= end {
            break;
        }
        *bin += density * (end.min(to) - start.max(from)).max(0.0);
    }
}
