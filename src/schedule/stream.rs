//! The schedule of stages that never compete for a unit: one pass over the tiles.
//!
//! Stage `s` starts tile `t` at the maximum of: its barriers' end, its producers' end of tile `t`, the end of tile `t - B`
//! at each consumer with a buffer of `B` tiles, and the moment at which one of its `G` groups is free. These are sums and
//! maxima only, so with equal tiles the times repeat, shifted by a constant, once the last `max(B, G)` tiles of every
//! stage did so together: the rest is jumped. See Baccelli et al., Synchronization and Linearity, 1992, for the theory.

use super::stage::{MAX_BUFFER, StagePlaces};
use crate::hardware::MAX_GROUPS;
use crate::spec::hardware::Assign;
use crate::spec::program::{Columns, Place};

/// Ring of remembered tiles per stage; a power of two above every look-back.
const RING: usize = 2 * MAX_BUFFER;
/// Most period lengths that are looked for.
const MAX_PERIODS: usize = 6;
/// Two steps are the same if they differ by less than this share.
const SAME: f64 = 1e-13;

/// The pass and its working memory.
#[derive(Clone)]
pub(super) struct StreamScheduler {
    parts: Vec<Part>,
    /// The unit whose groups own contiguous blocks of the tiles.
    contiguous: Option<usize>,
    /// End of each stage.
    end: Vec<f64>,
}

/// One frame operator, or the streamed stages that are connected.
#[derive(Clone)]
struct Part {
    /// Stages, producers first; the lanes of a stream are in the same order.
    members: Vec<usize>,
    lanes: Vec<Lane>,
}

/// One streamed stage at work.
#[derive(Clone)]
struct Lane {
    /// Producers by tile, as lanes.
    producers: Vec<usize>,
    /// Consumers by tile.
    consumers: Vec<Consumer>,
    /// No tile starts before.
    ready: f64,
    latency: f64,
    groups: usize,
    /// End of the last tiles, latency included, by tile modulo the ring.
    ends: Box<[f64; RING]>,
    /// When each group is free.
    free: Box<[f64; MAX_GROUPS]>,
    last_end: f64,
}

#[derive(Clone)]
struct Consumer {
    lane: usize,
    /// Stage of the lane and which of its inputs this is.
    stage: usize,
    input: usize,
    /// Tiles that fit between.
    buffer: usize,
}

impl StreamScheduler {
    /// `None` if two stages can want the same unit at the same time, or the graph has no order of parts.
    pub(super) fn new(stages: &[StagePlaces], assign: &[Assign]) -> Option<Self> {
        let parts = ordered_parts(stages)?;
        if stages.iter().any(|stage| stage.candidates.len() > 1) || competing(stages) {
            return None;
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
        let parts = parts.into_iter().map(|members| Part::new(members, stages)).collect();
        Some(Self { parts, contiguous: first, end: vec![0.0; stages.len()] })
    }

    /// The unit whose groups own contiguous blocks of the tiles.
    pub(super) fn contiguous(&self) -> Option<usize> {
        self.contiguous
    }

    /// Makespan in cycles.
    pub(super) fn run(&mut self, stages: &[StagePlaces], groups: &[Place], tiles: usize, columns: Columns<'_>) -> f64 {
        let blocks = self.contiguous.map_or(1, |unit| columns.scalar(groups[unit]) as usize);
        for part in &mut self.parts {
            let first = part.members[0];
            if stages[first].streamed {
                part.run(&mut self.end, stages, groups, TileOrder::new(blocks, tiles), columns);
            } else {
                let stage = &stages[first];
                let start = barrier_end(&self.end, stage);
                self.end[first] = start + columns.scalar(stage.occupancy) + columns.scalar(stage.latency);
            }
        }
        self.end.iter().copied().fold(0.0, f64::max)
    }
}

fn barrier_end(end: &[f64], stage: &StagePlaces) -> f64 {
    stage.barriers.iter().map(|producer| end[*producer]).fold(0.0, f64::max)
}

impl Part {
    fn new(members: Vec<usize>, stages: &[StagePlaces]) -> Self {
        let lane_of = |stage: usize| members.iter().position(|member| *member == stage).unwrap_or(0);
        let lanes = members
            .iter()
            .filter(|at| stages[**at].streamed)
            .map(|&at| Lane {
                producers: stages[at].inputs.iter().map(|(producer, _)| lane_of(*producer)).collect(),
                consumers: members
                    .iter()
                    .flat_map(|&consumer| {
                        let inputs = stages[consumer].inputs.iter().enumerate();
                        inputs
                            .filter(move |(_, (producer, _))| *producer == at)
                            .map(move |(input, _)| (consumer, input))
                    })
                    .map(|(stage, input)| Consumer { lane: lane_of(stage), stage, input, buffer: 1 })
                    .collect(),
                ready: 0.0,
                latency: 0.0,
                groups: 1,
                ends: Box::new([0.0; RING]),
                free: Box::new([0.0; MAX_GROUPS]),
                last_end: 0.0,
            })
            .collect();
        Self { members, lanes }
    }

    /// Runs the tiles of the part and notes the end of each of its stages.
    fn run(
        &mut self,
        end: &mut [f64],
        stages: &[StagePlaces],
        groups: &[Place],
        order: TileOrder,
        columns: Columns<'_>,
    ) {
        let members = &self.members;
        // Times are counted from the first moment at which a tile can enter this part: small numbers stay exact.
        let sources = members.iter().filter(|at| stages[**at].inputs.is_empty());
        let origin = sources.map(|at| barrier_end(end, &stages[*at])).fold(f64::INFINITY, f64::min);
        let mut lookback = 1;
        let mut equal = true;
        for (lane, &at) in self.lanes.iter_mut().zip(members) {
            let stage = &stages[at];
            lane.ready = barrier_end(end, stage) - origin;
            lane.latency = columns.scalar(stage.latency);
            lane.groups = (columns.scalar(groups[stage.candidates[0]]) as usize).clamp(1, MAX_GROUPS);
            for consumer in &mut lane.consumers {
                let (_, buffer) = stages[consumer.stage].inputs[consumer.input];
                consumer.buffer = (columns.scalar(buffer) as usize).clamp(1, MAX_BUFFER);
                lookback = lookback.max(consumer.buffer);
            }
            lane.free[..lane.groups].fill(lane.ready);
            lane.last_end = 0.0;
            lookback = lookback.max(lane.groups);
            equal &= columns.get(stage.occupancy).len() == 1;
        }
        let shift = if equal {
            run_equal(&mut self.lanes, order.tiles, lookback, |lane| columns.scalar(stages[members[lane]].occupancy))
        } else {
            run_unequal(&mut self.lanes, &order, |lane| columns.get(stages[members[lane]].occupancy));
            0.0
        };
        for (lane, at) in self.lanes.iter().zip(members) {
            end[*at] = origin + lane.last_end + shift;
        }
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
    for consumer in &lane.consumers {
        if tile >= consumer.buffer {
            start = larger(start, lanes[consumer.lane].ends[(tile - consumer.buffer) % RING]);
        }
    }
    let lane = &mut lanes[at];
    let mut earliest = 0;
    for group in 1..lane.groups.min(MAX_GROUPS) {
        if lane.free[group] < lane.free[earliest] {
            earliest = group;
        }
    }
    let busy_until = larger(start, lane.free[earliest]) + occupancy;
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
            lane.consumers.iter().for_each(|consumer| periods.add(consumer.buffer));
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

/// Lanes whose durations are looked up before the tiles are walked; more are looked up again at each tile.
const QUICK_LANES: usize = 16;

fn run_unequal<'a>(lanes: &mut [Lane], order: &TileOrder, occupancy: impl Fn(usize) -> &'a [f64]) {
    let quick: [&[f64]; QUICK_LANES] =
        std::array::from_fn(|lane| if lane < lanes.len() { occupancy(lane) } else { &[] });
    for tile in 0..order.tiles {
        let measured = order.tile(tile);
        for lane in 0..lanes.len() {
            let values = if lane < QUICK_LANES { quick[lane] } else { occupancy(lane) };
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
    fn new(blocks: usize, tiles: usize) -> Self {
        Self { tiles, blocks: blocks.clamp(1, tiles.max(1)) }
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
