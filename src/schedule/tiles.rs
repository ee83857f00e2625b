//! The pass over the tiles of connected stages, and its loop over equal tiles; `unequal` has that over measured ones.
//!
//! All times stand in one flat memory, two rows per lane: when each tile left the unit, and when consumers see it. What a
//! tile waits for is then a set of offsets into it, each for one term of the maximum; tiles before the first are minus
//! infinity, and so is a spare row for terms that a lane does not have. When the rows are full, their ends are copied to
//! their fronts.

use super::stage::MAX_BUFFER;
use crate::hardware::MAX_GROUPS;

/// Most lanes of one pass; larger streams are left to the list scheduler.
pub(super) const MAX_LANES: usize = 32;
/// Terms that every lane has: in a chain its producer, its consumer and its own group.
const TERMS: usize = 3;
/// A period is looked for after each so many tiles: looking costs more than a few tiles too many.
const LOOK_EVERY: usize = 4;
/// Tiles before the first one that a row can be asked for; no term looks back further.
const PAD: usize = MAX_BUFFER;
/// Tiles between two moves of the rows.
pub(super) const SPAN: usize = 1024;
/// Length of a row. The odd rest keeps the same tile of different rows from sharing the low bits of its address, which
/// processors take for a conflict of stores and loads.
const ROW: usize = PAD + SPAN + 72;
/// Most period lengths that are looked for.
const MAX_PERIODS: usize = 6;
/// Two steps are the same if they differ by less than this share.
const SAME: f64 = 1e-13;

/// One streamed stage at work.
#[derive(Debug, Clone, Default)]
pub(super) struct Lane {
    /// Producers by tile, as lanes.
    pub producers: Vec<usize>,
    /// Consumers by tile, as lanes, with the tiles that fit between.
    pub consumers: Vec<(usize, usize)>,
    /// No tile starts before.
    pub ready: f64,
    /// Cycles from leaving the unit until consumers see the tile.
    pub latency: f64,
    /// Groups that take whole tiles.
    pub groups: usize,
    /// True if each group owns one block of the tiles and takes no other's.
    pub owned: bool,
    /// Cycles of each tile where all are equal.
    pub occupancy: f64,
    /// End of the last tile.
    pub last_end: f64,
    /// Offsets of the lane's rows.
    left: usize,
    pub(super) ends: usize,
    pub(super) terms: [usize; TERMS],
    /// Terms beyond those: forks and joins.
    pub(super) more_terms: Vec<usize>,
}

impl Lane {
    /// A lane with its neighbours; the caller sets the rest for each run.
    pub(super) fn new(producers: Vec<usize>, consumers: Vec<usize>) -> Self {
        let most_terms = producers.len() + consumers.len() + 1;
        let consumers = consumers.into_iter().map(|lane| (lane, 1)).collect();
        Self { producers, consumers, groups: 1, more_terms: vec![0; most_terms], ..Self::default() }
    }
}

/// The times of all lanes.
#[derive(Clone)]
pub(super) struct Times {
    pub(super) rows: Vec<f64>,
    /// When each group of each lane is free; for unequal tiles on several groups.
    pub(super) free: Vec<[f64; MAX_GROUPS]>,
}

impl Times {
    /// Memory for that many lanes.
    pub(super) fn new(lanes: usize) -> Self {
        Self { rows: vec![f64::NEG_INFINITY; (2 * lanes + 1) * ROW], free: vec![[0.0; MAX_GROUPS]; lanes] }
    }

    /// Forgets the tiles of the run before. The spare row was never written.
    pub(super) fn reset(&mut self, lookback: usize) {
        for row in self.rows.chunks_exact_mut(ROW) {
            row[PAD - lookback..PAD].fill(f64::NEG_INFINITY);
        }
    }

    /// Keeps the last `lookback` tiles of full rows and makes room for [`SPAN`] more.
    pub(super) fn make_room(&mut self, lookback: usize) {
        for row in self.rows.chunks_exact_mut(ROW) {
            row.copy_within(PAD + SPAN - lookback..PAD + SPAN, PAD - lookback);
        }
    }

    /// Offset of the spare row, which holds no time.
    pub(super) fn nothing(&self) -> usize {
        self.rows.len() - ROW + PAD
    }

    fn end(&self, lane: usize, at: usize) -> f64 {
        self.rows[ends_row(lane) + at]
    }
}

/// Offset of the row of times at which a lane's tiles left the unit; the first tile stands there.
fn left_row(lane: usize) -> usize {
    2 * lane * ROW + PAD
}

/// Offset of the row of times at which consumers see a lane's tiles.
pub(super) fn ends_row(lane: usize) -> usize {
    left_row(lane) + ROW
}

/// Writes the terms of each lane and returns how many tiles back they look at most. Of unequal tiles only the loop itself
/// knows which group is free first: there is no term for it.
pub(super) fn prepare(lanes: &mut [Lane], times: &Times, equal: bool) -> usize {
    let none = times.nothing();
    let mut lookback = 1;
    for (at, lane) in lanes.iter_mut().enumerate() {
        // Equal tiles leave their groups in turn, so the group that is free first took the tile `groups` before.
        (lane.left, lane.ends) = (left_row(at), ends_row(at));
        let own = equal.then(|| left_row(at) - lane.groups);
        let producers = lane.producers.iter().map(|producer| ends_row(*producer));
        let consumers = lane.consumers.iter().map(|(consumer, buffer)| ends_row(*consumer) - buffer);
        let mut terms = own.into_iter().chain(producers).chain(consumers);
        lane.terms = std::array::from_fn(|_| terms.next().unwrap_or(none));
        // The room for all terms is there since the lane was made.
        lane.more_terms.clear();
        lane.more_terms.extend(terms);
        lookback = lane.consumers.iter().map(|(_, buffer)| *buffer).fold(lookback.max(lane.groups), usize::max);
    }
    lookback
}

#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// When a lane's tile can start.
#[inline(always)]
fn start(rows: &[f64], lane: &Lane, tile: usize) -> f64 {
    let mut start = lane.ready;
    for term in lane.terms {
        start = larger(start, rows[term + tile]);
    }
    for term in &lane.more_terms {
        start = larger(start, rows[term + tile]);
    }
    start
}

/// Runs `tiles` equal tiles; returns the time that jumped tiles add to every end.
pub(super) fn run_equal(lanes: &mut [Lane], times: &mut Times, tiles: usize) -> f64 {
    let lookback = prepare(lanes, times, true);
    times.reset(lookback);
    let periods = Periods::new(lanes, lookback);
    // Tiles left to simulate, and where the next one stands in the rows.
    let (mut left, mut at) = (tiles, 0);
    let mut added = None;
    while left > 0 {
        if at == SPAN {
            times.make_room(lookback);
            at = 0;
        }
        let rows = times.rows.as_mut_slice();
        for lane in &*lanes {
            let left = start(rows, lane, at) + lane.occupancy;
            rows[lane.left + at] = left;
            rows[lane.ends + at] = left + lane.latency;
        }
        left -= 1;
        if added.is_none()
            && at % LOOK_EVERY == 0
            && let Some((period, shift)) = periods.found(lanes.len(), times, at)
        {
            // What remains after whole periods continues from here: the jump shifts it and changes nothing else.
            added = Some((left / period) as f64 * shift);
            left %= period;
        }
        at += 1;
    }
    if tiles > 0 {
        // Equal tiles end in order.
        for (index, lane) in lanes.iter_mut().enumerate() {
            lane.last_end = times.end(index, at - 1);
        }
    }
    added.unwrap_or(0.0)
}

/// Looks for a number of tiles after which all times repeat, shifted.
struct Periods {
    lengths: [usize; MAX_PERIODS],
    count: usize,
    lookback: usize,
}

impl Periods {
    /// Cycles of the dependency graph hold as many tiles as a buffer or the groups of a stage, so those are the lengths.
    fn new(lanes: &[Lane], lookback: usize) -> Self {
        let mut periods = Self { lengths: [0; MAX_PERIODS], count: 0, lookback };
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

    /// The period and its shift once the last `lookback` tiles of every stage are those one period before, shifted.
    ///
    /// Then the next tile is so too, and by induction all that follow: each of its terms lies in those tiles, but for
    /// `ready`. That one could bind the tile one period before only if it bound no tile of an earlier period, as the
    /// shift is above 0; it does not bind any more. Tiles before `lookback` may lack terms and are not looked at.
    #[inline]
    fn found(&self, lanes: usize, times: &Times, tile: usize) -> Option<(usize, f64)> {
        for &period in &self.lengths[..self.count] {
            if tile + 1 < self.lookback + period {
                continue;
            }
            let shift_at = |lane: usize, tile: usize| times.end(lane, tile) - times.end(lane, tile - period);
            let shift = shift_at(0, tile);
            let tolerance = shift * SAME;
            let same = |lane: usize, tile: usize| (shift_at(lane, tile) - shift).abs() <= tolerance;
            if shift > 0.0
                && (1..lanes).all(|lane| same(lane, tile))
                && (1..self.lookback).all(|back| (0..lanes).all(|lane| same(lane, tile - back)))
            {
                return Some((period, shift));
            }
        }
        None
    }
}
