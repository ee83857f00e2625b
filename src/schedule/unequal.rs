//! The loop over tiles of which each lasts as long as was measured: what a point with measured tiles spends its time in.
//!
//! What it touches of a lane stands side by side in a [`Walker`]. Which group of several is free first is asked for every
//! tile: the times at which they are free are kept sorted, four of them without a branch, more of them in a ring, since a tile
//! that started last mostly ends among the last. Which group that is only a record wants to know; then they are searched.

use super::tiles::{Lane, MAX_LANES, SPAN, Times, ends_row, larger, prepare};
use super::timeline::Record;
use crate::hardware::MAX_GROUPS;

/// Groups that are kept sorted without a branch.
const FEW: usize = 4;

const _: () = assert!(MAX_GROUPS.is_power_of_two(), "a ring of groups wraps by a mask");

/// How a lane's tiles come to groups.
#[derive(Clone, Copy, PartialEq)]
enum Take {
    /// There is one.
    One,
    /// The first of up to [`FEW`] that is free.
    Few,
    /// The first of more.
    Many,
    /// The first, and which that is.
    Search,
    /// The one that owns the tile.
    Owned,
}

/// A lane at work.
#[derive(Clone, Copy)]
struct Walker<'a> {
    /// Cycles of each tile, or of all.
    durations: &'a [f64],
    /// All ones where each tile has its own, else 0.
    each: usize,
    /// Offset of the row that its consumer's room is read from.
    room: usize,
    /// Offset of its producer's row, and whether that is the lane before: what is computed last is waited for last.
    input: usize,
    follows: bool,
    /// Whether there are more producers or consumers than these.
    forks: bool,
    take: Take,
    ready: f64,
    latency: f64,
    /// Offset of the row of ends.
    ends: usize,
    /// When its groups are free, earliest first, [`Take::One`] and [`Take::Few`].
    free: [f64; FEW],
    /// Groups, and where the ring of [`Take::Many`] begins.
    groups: usize,
    head: usize,
}

impl<'a> Walker<'a> {
    /// `nothing` is the offset of a row that holds no time.
    fn new(at: usize, lane: &Lane, nothing: usize, durations: &'a [f64], recorded: bool) -> Self {
        let input = lane.producers.last().copied();
        let take = match lane.groups {
            1 => Take::One,
            _ if lane.owned => Take::Owned,
            _ if recorded => Take::Search,
            2..=FEW => Take::Few,
            _ => Take::Many,
        };
        let mut free = [f64::INFINITY; FEW];
        free[..lane.groups.min(FEW)].fill(lane.ready);
        Self {
            durations,
            each: if durations.len() == 1 { 0 } else { usize::MAX },
            room: lane.consumers.first().map_or(nothing, |(consumer, buffer)| ends_row(*consumer) - buffer),
            input: input.map_or(nothing, ends_row),
            follows: input.is_some_and(|input| input + 1 == at),
            forks: lane.producers.len().max(lane.consumers.len()) > 1,
            take,
            ready: lane.ready,
            latency: lane.latency,
            ends: lane.ends,
            free,
            groups: lane.groups,
            head: 0,
        }
    }

    /// When a tile leaves that can start at `start` and has its input at `input`, and the group that it was on, if that was
    /// asked for.
    #[inline(always)]
    fn leave(
        &mut self,
        (start, input): (f64, f64),
        cycles: f64,
        ring: &mut [f64; MAX_GROUPS],
        block: usize,
    ) -> (f64, usize) {
        let from = |free: f64| larger(larger(start, free), input) + cycles;
        match self.take {
            Take::One => {
                self.free[0] = from(self.free[0]);
                (self.free[0], 0)
            }
            Take::Few => {
                let [first, second, third, fourth] = self.free;
                let left = from(first);
                let (second, rest) = sorted(left, second);
                let (third, rest) = sorted(rest, third);
                let (fourth, rest) = sorted(rest, fourth);
                self.free = [second, third, fourth, rest];
                (left, 0)
            }
            Take::Many => {
                let left = from(ring[self.head % MAX_GROUPS]);
                self.replace(left, ring);
                (left, 0)
            }
            Take::Search => {
                let free = &mut ring[..self.groups];
                let (mut earliest, mut least) = (0, free[0]);
                for (group, time) in free.iter().enumerate().skip(1) {
                    if *time < least {
                        (earliest, least) = (group, *time);
                    }
                }
                let left = from(least);
                free[earliest] = left;
                (left, earliest)
            }
            Take::Owned => {
                ring[block % MAX_GROUPS] = from(ring[block % MAX_GROUPS]);
                (ring[block % MAX_GROUPS], block)
            }
        }
    }

    /// Takes the earliest time off the ring and puts the new one where it belongs, from behind.
    #[inline(always)]
    fn replace(&mut self, left: f64, ring: &mut [f64; MAX_GROUPS]) {
        self.head += 1;
        let mut at = self.head + self.groups - 1;
        while at > self.head && ring[(at - 1) % MAX_GROUPS] > left {
            ring[at % MAX_GROUPS] = ring[(at - 1) % MAX_GROUPS];
            at -= 1;
        }
        ring[at % MAX_GROUPS] = left;
    }
}

/// The smaller and the larger of two times.
#[inline(always)]
fn sorted(a: f64, b: f64) -> (f64, f64) {
    (if a < b { a } else { b }, larger(a, b))
}

/// Runs tiles of which each lasts as long as was measured. `durations` of a lane are one value per tile, or one for all.
/// `record` is told of every tile, by lane.
pub(super) fn run_unequal<R: Record>(
    lanes: &mut [Lane],
    times: &mut Times,
    order: &TileOrder,
    durations: &[&[f64]; MAX_LANES],
    record: &mut R,
) {
    let lookback = prepare(lanes, times, false);
    times.reset(lookback);
    for (lane, free) in lanes.iter_mut().zip(&mut times.free) {
        free[..lane.groups].fill(lane.ready);
        lane.last_end = 0.0;
    }
    let (nothing, idle) = (times.nothing(), Lane::default());
    let mut walkers: [Walker<'_>; MAX_LANES] = std::array::from_fn(|at| {
        Walker::new(at, lanes.get(at).unwrap_or(&idle), nothing, durations[at], R::EVERY_TILE)
    });
    let chain =
        walkers[..lanes.len()].iter().enumerate().all(|(at, walker)| !walker.forks && walker.follows == (at > 0));
    let mut first = 0;
    while first < order.tiles {
        if first > 0 {
            times.make_room(lookback);
        }
        let tiles = first..order.tiles.min(first + SPAN);
        let count = tiles.len();
        let walkers = &mut walkers[..lanes.len()];
        match (order.blocks, chain) {
            (1, true) => walk::<R, false, true>(walkers, lanes, times, order, tiles, record),
            (1, false) => walk::<R, false, false>(walkers, lanes, times, order, tiles, record),
            _ => walk::<R, true, false>(walkers, lanes, times, order, tiles, record),
        }
        for lane in lanes.iter_mut() {
            let ends = &times.rows[lane.ends..lane.ends + count];
            lane.last_end = ends.iter().copied().fold(lane.last_end, larger);
        }
        first += SPAN;
    }
}

/// Runs tiles that stand in the rows from their front on. `BLOCKS` of them take turns; `CHAIN`: each lane follows the one
/// before and no other.
#[inline(always)]
fn walk<R: Record, const BLOCKS: bool, const CHAIN: bool>(
    walkers: &mut [Walker<'_>],
    lanes: &[Lane],
    times: &mut Times,
    order: &TileOrder,
    tiles: std::ops::Range<usize>,
    record: &mut R,
) {
    let (rows, free) = (times.rows.as_mut_slice(), times.free.as_mut_slice());
    for (at, position) in tiles.enumerate() {
        let (measured, block) = if BLOCKS { (order.tile(position), order.block(position)) } else { (position, 0) };
        let mut before = f64::NEG_INFINITY;
        for (index, ((walker, lane), ring)) in walkers.iter_mut().zip(lanes).zip(free.iter_mut()).enumerate() {
            let cycles = walker.durations[measured & walker.each];
            let mut start = larger(walker.ready, rows[walker.room + at]);
            if !CHAIN && walker.forks {
                for term in lane.terms.iter().chain(&lane.more_terms) {
                    start = larger(start, rows[term + at]);
                }
            }
            let input = if CHAIN || walker.follows { before } else { rows[walker.input + at] };
            let (left, group) = walker.leave((start, input), cycles, ring, block);
            record.tile(index, measured, Some(group), left - cycles, left);
            before = left + walker.latency;
            rows[walker.ends + at] = before;
        }
    }
}

/// In which order the tiles of the screen enter the stream.
pub(super) struct TileOrder {
    /// Number of tiles.
    pub tiles: usize,
    /// Blocks that take turns; 1 for row-major order.
    blocks: usize,
}

impl TileOrder {
    /// `blocks` contiguous blocks of nearly equal length take turns; one is row-major order.
    pub(super) fn new(blocks: usize, tiles: usize) -> Self {
        Self { tiles, blocks: blocks.clamp(1, tiles.max(1)) }
    }

    /// The block whose turn a position of the stream is.
    #[inline(always)]
    fn block(&self, position: usize) -> usize {
        let whole = self.tiles / self.blocks * self.blocks;
        if position < whole { position % self.blocks } else { position - whole }
    }

    /// The measured tile at a position of the stream.
    #[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for the group that is free first, as a record makes it.
    struct Searched;

    impl Record for Searched {
        const EVERY_TILE: bool = true;

        fn tile(&mut self, _: usize, _: usize, group: Option<usize>, start: f64, left: f64) {
            assert!(group.is_some() && start <= left);
        }
    }

    /// Lanes in a row, the last also fed by the first if they fork; tiles enough for several moves of the rows.
    #[test]
    fn groups_that_are_kept_sorted_give_what_searching_gives_to_the_bit() {
        let mut random = 7_u64;
        let mut below = |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % most
        };
        for groups in [[1, 4, 1], [2, 3, 4], [1, 5, 64], [256, 1, 17], [1, 1, 1]] {
            for forks in [false, true] {
                let mut lanes: Vec<Lane> = (0..3_usize)
                    .map(|at| {
                        let mut producers: Vec<usize> = at.checked_sub(1).into_iter().collect();
                        let mut consumers: Vec<usize> = (at < 2).then_some(at + 1).into_iter().collect();
                        if forks && at == 2 {
                            producers.push(0);
                        }
                        if forks && at == 0 {
                            consumers.push(2);
                        }
                        let mut lane = Lane::new(producers, consumers);
                        (lane.groups, lane.ready, lane.latency) = (groups[at], 2.5 * at as f64, 3.0);
                        lane.consumers.iter_mut().for_each(|consumer| consumer.1 = 2 + at);
                        lane
                    })
                    .collect();
                let tiles = 1 + below(2500) as usize;
                // Whole cycles, so that many ends are equal, and fractions.
                let cycles: Vec<Vec<f64>> = (0..3)
                    .map(|lane| (0..tiles).map(|_| below(90) as f64 / if lane == 1 { 7.0 } else { 1.0 }).collect())
                    .collect();
                let durations = std::array::from_fn(|lane| cycles.get(lane).map_or(&[][..], Vec::as_slice));
                let (mut times, order) = (Times::new(3), TileOrder::new(1, tiles));
                run_unequal(&mut lanes, &mut times, &order, &durations, &mut ());
                let sorted: Vec<u64> = lanes.iter().map(|lane| lane.last_end.to_bits()).collect();
                run_unequal(&mut lanes, &mut times, &order, &durations, &mut Searched);
                let searched: Vec<u64> = lanes.iter().map(|lane| lane.last_end.to_bits()).collect();
                assert_eq!(sorted, searched, "{groups:?}, {tiles} tiles, forks: {forks}");
            }
        }
    }

    #[test]
    fn blocks_that_take_turns_visit_every_tile_once() {
        for tiles in 1..40 {
            for blocks in 1..9 {
                let order = TileOrder::new(blocks, tiles);
                let mut seen: Vec<usize> = (0..tiles).map(|position| order.tile(position)).collect();
                // With 7 tiles in 3 blocks the first three are the blocks' first tiles: 0, 3, 5.
                if (tiles, blocks) == (7, 3) {
                    assert_eq!(seen, [0, 3, 5, 1, 4, 6, 2]);
                }
                seen.sort_unstable();
                assert!(seen.iter().enumerate().all(|(at, tile)| at == *tile), "{tiles} tiles, {blocks} blocks");
            }
        }
    }
}
