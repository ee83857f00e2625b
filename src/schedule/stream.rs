//! The schedule of stages that never compete for a unit: one pass over the tiles.
//!
//! Stage `s` starts tile `t` at the maximum of: its barriers' end, its producers' end of tile `t`, the end of tile `t - B`
//! at each consumer with a buffer of `B` tiles, and the moment at which one of its `G` groups is free. These are sums and
//! maxima only, so with equal tiles the times repeat, shifted by a constant, once the last `max(B, G)` tiles of every
//! stage did so together: the rest is jumped. See Baccelli et al., Synchronization and Linearity, 1992, for the theory.

use super::stage::{MAX_BUFFER, StagePlaces};
use crate::spec::hardware::Assign;
use crate::spec::program::{Columns, Place};

/// Ring of remembered tiles per stage; a power of two above every look-back.
const RING: usize = 2 * MAX_BUFFER;
/// Most period lengths that are looked for.
const MAX_PERIODS: usize = 6;
/// Two steps are the same if they differ by less than this share.
const SAME: f64 = 1e-13;

/// Working memory of the pass.
#[derive(Clone)]
pub(super) struct StreamScheduler {
    /// Stages by part: a part is one frame operator or the streamed stages that are connected.
    parts: Vec<Vec<usize>>,
    /// For each stage its consumers by tile: stage, index of the input there.
    consumers: Vec<Vec<(usize, usize)>>,
    contiguous: Option<usize>,
    end: Vec<f64>,
    lanes: Vec<Lane>,
}

/// One streamed stage at work.
#[derive(Clone)]
struct Lane {
    /// No tile starts before.
    ready: f64,
    latency: f64,
    groups: usize,
    /// Producers: lane index.
    producers: Vec<usize>,
    /// Consumers: lane index, buffer.
    consumers: Vec<(usize, usize)>,
    /// End of the last tiles, latency included, by tile modulo the ring.
    ends: Box<[f64; RING]>,
    /// When each group is free.
    free: Vec<f64>,
    last_end: f64,
}

impl StreamScheduler {
    /// `None` if two stages can want the same unit at the same time, or the graph has no order of parts.
    pub(super) fn new(stages: &[StagePlaces], assign: &[Assign]) -> Option<Self> {
        let parts = ordered_parts(stages)?;
        if stages.iter().any(|stage| stage.candidates.len() > 1) || competing(stages) {
            return None;
        }
        let mut consumers = vec![Vec::new(); stages.len()];
        for (at, stage) in stages.iter().enumerate() {
            for (input, (producer, _)) in stage.inputs.iter().enumerate() {
                consumers[*producer].push((at, input));
            }
        }
        let mut contiguous = stages
            .iter()
            .filter(|stage| stage.streamed)
            .map(|stage| stage.candidates[0])
            .filter(|unit| assign[*unit] == Assign::Contiguous);
        let first = contiguous.next();
        if contiguous.next().is_some() {
            return None;
        }
        let widest = parts.iter().map(Vec::len).max().unwrap_or(0);
        let lane = Lane {
            ready: 0.0,
            latency: 0.0,
            groups: 1,
            producers: Vec::with_capacity(stages.len()),
            consumers: Vec::with_capacity(stages.len()),
            ends: Box::new([0.0; RING]),
            free: Vec::with_capacity(crate::hardware::MAX_GROUPS),
            last_end: 0.0,
        };
        // `clone` would drop the reserved room.
        let lanes = (0..widest)
            .map(|_| Lane {
                producers: Vec::with_capacity(stages.len()),
                consumers: Vec::with_capacity(stages.len()),
                free: Vec::with_capacity(crate::hardware::MAX_GROUPS),
                ..lane.clone()
            })
            .collect();
        Some(Self { parts, consumers, contiguous: first, end: vec![0.0; stages.len()], lanes })
    }

    /// Makespan in cycles.
    pub(super) fn run(&mut self, stages: &[StagePlaces], groups: &[Place], tiles: usize, columns: Columns<'_>) -> f64 {
        for part in 0..self.parts.len() {
            let first = self.parts[part][0];
            if stages[first].streamed {
                self.run_stream(part, stages, groups, tiles, columns);
            } else {
                let stage = &stages[first];
                let start = self.barrier_end(stage);
                self.end[first] = start + columns.scalar(stage.occupancy) + columns.scalar(stage.latency);
            }
        }
        self.end.iter().copied().fold(0.0, f64::max)
    }

    fn barrier_end(&self, stage: &StagePlaces) -> f64 {
        stage.barriers.iter().map(|producer| self.end[*producer]).fold(0.0, f64::max)
    }

    fn run_stream(
        &mut self,
        part: usize,
        stages: &[StagePlaces],
        groups: &[Place],
        tiles: usize,
        columns: Columns<'_>,
    ) {
        let members = std::mem::take(&mut self.parts[part]);
        // Times are counted from the first moment at which a stage of this part can start: small numbers stay exact.
        let origin = members.iter().map(|at| self.barrier_end(&stages[*at])).fold(f64::INFINITY, f64::min);
        let mut lookback = 1;
        let mut equal = true;
        for (lane_index, &at) in members.iter().enumerate() {
            let stage = &stages[at];
            let lane_of = |stage: usize| members.iter().position(|member| *member == stage).unwrap_or(0);
            let ready = self.barrier_end(stage) - origin;
            let lane = &mut self.lanes[lane_index];
            lane.ready = ready;
            lane.latency = columns.scalar(stage.latency);
            lane.groups = columns.scalar(groups[stage.candidates[0]]) as usize;
            lane.producers.clear();
            lane.producers.extend(stage.inputs.iter().map(|(producer, _)| lane_of(*producer)));
            lane.consumers.clear();
            lane.consumers.extend(self.consumers[at].iter().map(|(consumer, input)| {
                (lane_of(*consumer), columns.scalar(stages[*consumer].inputs[*input].1) as usize)
            }));
            lane.free.clear();
            lane.free.resize(lane.groups, ready);
            lane.last_end = 0.0;
            lookback = lane.consumers.iter().map(|(_, buffer)| *buffer).fold(lookback.max(lane.groups), usize::max);
            equal &= columns.get(stage.occupancy).len() == 1;
        }
        let lanes = &mut self.lanes[..members.len()];
        let shift = if equal {
            run_equal(lanes, tiles, lookback, |lane| columns.scalar(stages[members[lane]].occupancy))
        } else {
            let order = TileOrder::new(self.contiguous.map(|unit| columns.scalar(groups[unit]) as usize), tiles);
            run_unequal(lanes, tiles, &order, |lane| columns.get(stages[members[lane]].occupancy));
            0.0
        };
        for (lane, at) in lanes.iter().zip(&members) {
            self.end[*at] = origin + lane.last_end + shift;
        }
        self.parts[part] = members;
    }
}

/// Advances one lane by one tile.
#[inline(always)]
fn step(lanes: &mut [Lane], at: usize, tile: usize, occupancy: f64) {
    let lane = &lanes[at];
    let mut start = lane.ready;
    for &producer in &lane.producers {
        start = larger(start, lanes[producer].ends[tile % RING]);
    }
    for &(consumer, buffer) in &lane.consumers {
        if tile >= buffer {
            start = larger(start, lanes[consumer].ends[(tile - buffer) % RING]);
        }
    }
    let lane = &mut lanes[at];
    let mut earliest = 0;
    for group in 1..lane.free.len() {
        if lane.free[group] < lane.free[earliest] {
            earliest = group;
        }
    }
    let begin = larger(start, lane.free[earliest]);
    let busy_until = begin + occupancy;
    lane.free[earliest] = busy_until;
    let end = busy_until + lane.latency;
    lane.ends[tile % RING] = end;
    lane.last_end = larger(lane.last_end, end);
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Runs equal tiles, returns the time that the jumped tiles add.
fn run_equal(lanes: &mut [Lane], tiles: usize, lookback: usize, occupancy: impl Fn(usize) -> f64) -> f64 {
    let mut periods = Periods::new(lanes, lookback);
    let mut tile = 0;
    while tile < tiles {
        for lane in 0..lanes.len() {
            step(lanes, lane, tile, occupancy(lane));
        }
        if let Some((period, shift)) = periods.observe(lanes, tile) {
            let left = tiles - 1 - tile;
            let jumps = left / period;
            // What remains after whole periods continues from here: the jump shifts it and changes nothing else.
            for rest in 1..=left % period {
                for lane in 0..lanes.len() {
                    step(lanes, lane, tile + rest, occupancy(lane));
                }
            }
            return jumps as f64 * shift;
        }
        tile += 1;
    }
    0.0
}

/// Looks for a number of tiles after which all times repeat, shifted.
struct Periods {
    lengths: [usize; MAX_PERIODS],
    count: usize,
    /// Per length: shift of the last tile, and how many tiles in a row have had it.
    runs: [(f64, usize); MAX_PERIODS],
    lookback: usize,
}

impl Periods {
    /// Cycles of the dependency graph hold as many tiles as a buffer or the groups of a stage, so those are the lengths.
    fn new(lanes: &[Lane], lookback: usize) -> Self {
        let mut periods = Self { lengths: [0; MAX_PERIODS], count: 0, runs: [(0.0, 0); MAX_PERIODS], lookback };
        periods.add(1);
        for lane in lanes {
            periods.add(lane.groups);
            lane.consumers.iter().for_each(|(_, buffer)| periods.add(*buffer));
        }
        periods
    }

    fn add(&mut self, length: usize) {
        if self.count < MAX_PERIODS && !self.lengths[..self.count].contains(&length) {
            self.lengths[self.count] = length;
            self.count += 1;
        }
    }

    /// The period and its shift once the last `lookback` tiles of every stage repeat.
    #[inline]
    fn observe(&mut self, lanes: &[Lane], tile: usize) -> Option<(usize, f64)> {
        for at in 0..self.count {
            let period = self.lengths[at];
            // Before that, starts may hang on `ready` or on buffers that were never full.
            if tile < period + self.lookback {
                continue;
            }
            let shift_of = |lane: &Lane| lane.ends[tile % RING] - lane.ends[(tile - period) % RING];
            let shift = shift_of(&lanes[0]);
            let tolerance = shift * SAME;
            let (last, run) = self.runs[at];
            let together = lanes[1..].iter().all(|lane| (shift_of(lane) - shift).abs() <= tolerance);
            if together && shift > 0.0 && run > 0 && (shift - last).abs() <= tolerance {
                self.runs[at].1 += 1;
            } else {
                self.runs[at] = (shift, usize::from(together && shift > 0.0));
            }
            if self.runs[at].1 >= self.lookback + period {
                return Some((period, shift));
            }
        }
        None
    }
}

fn run_unequal<'a>(lanes: &mut [Lane], tiles: usize, order: &TileOrder, occupancy: impl Fn(usize) -> &'a [f64]) {
    let occupancies: [&[f64]; 16] = std::array::from_fn(|lane| if lane < lanes.len() { occupancy(lane) } else { &[] });
    for tile in 0..tiles {
        let measured = order.tile(tile);
        for lane in 0..lanes.len() {
            let values = if lane < 16 { occupancies[lane] } else { occupancy(lane) };
            let cycles = if values.len() == 1 { values[0] } else { values[measured] };
            step(lanes, lane, tile, cycles);
        }
    }
}

/// In which order the tiles of the screen enter the stream.
struct TileOrder {
    tiles: usize,
    /// Blocks that take turns; 1 for row-major order.
    blocks: usize,
}

impl TileOrder {
    fn new(blocks: Option<usize>, tiles: usize) -> Self {
        Self { tiles, blocks: blocks.unwrap_or(1).clamp(1, tiles.max(1)) }
    }

    /// The measured tile at a position of the stream: contiguous blocks of nearly equal length take turns.
    fn tile(&self, position: usize) -> usize {
        if self.blocks == 1 {
            return position;
        }
        let (length, longer) = (self.tiles / self.blocks, self.tiles % self.blocks);
        let (block, offset) = if position < length * self.blocks {
            (position % self.blocks, position / self.blocks)
        } else {
            (position - length * self.blocks, length)
        };
        block * length + block.min(longer) + offset
    }
}

/// Whether two stages can want one unit at the same time.
fn competing(stages: &[StagePlaces]) -> bool {
    (0..stages.len()).any(|a| {
        (0..a).any(|b| {
            stages[a].candidates[0] == stages[b].candidates[0]
                && !waits_for_all(stages, a, b)
                && !waits_for_all(stages, b, a)
        })
    })
}

/// Whether `late` starts after `early` has finished altogether.
fn waits_for_all(stages: &[StagePlaces], late: usize, early: usize) -> bool {
    let through = |producer: usize| producer == early || reaches(stages, producer, early);
    stages[late].barriers.iter().any(|producer| through(*producer))
        || stages[late].inputs.iter().any(|(producer, _)| waits_for_all(stages, *producer, early))
}

/// Whether `from` comes before `to` on some path.
fn reaches(stages: &[StagePlaces], to: usize, from: usize) -> bool {
    let stage = &stages[to];
    let producers = stage.barriers.iter().copied().chain(stage.inputs.iter().map(|(producer, _)| *producer));
    producers.into_iter().any(|producer| producer == from || reaches(stages, producer, from))
}

/// Connected streamed stages and single frame operators, producers first; `None` if a part would wait for itself.
fn ordered_parts(stages: &[StagePlaces]) -> Option<Vec<Vec<usize>>> {
    let mut part: Vec<usize> = (0..stages.len()).collect();
    for (at, stage) in stages.iter().enumerate() {
        for (producer, _) in &stage.inputs {
            let (old, new) = (part[at].max(part[*producer]), part[at].min(part[*producer]));
            part.iter_mut().filter(|id| **id == old).for_each(|id| *id = new);
        }
    }
    let mut ids = part.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut done = vec![false; stages.len()];
    while parts.len() < ids.len() {
        let next = ids.iter().find(|id| {
            let members = || (0..stages.len()).filter(|at| part[*at] == **id);
            members().all(|at| !done[at])
                && members().all(|at| stages[at].barriers.iter().all(|producer| done[*producer]))
        })?;
        let members: Vec<usize> = (0..stages.len()).filter(|at| part[*at] == *next).collect();
        members.iter().for_each(|at| done[*at] = true);
        parts.push(members);
    }
    Some(parts)
}
