//! The schedule of stages that never compete for a unit: one pass over the tiles.
//!
//! Stage `s` starts tile `t` at the maximum of: its barriers' end, its producers' end of tile `t`, the end of tile `t - B`
//! at each consumer with a buffer of `B` tiles, and the moment at which one of its `G` groups is free. These are sums and
//! maxima only, so with equal tiles the times repeat, shifted by a constant, once the last `max(B, G)` tiles of every
//! stage did so together: the rest is jumped. See Baccelli et al., Synchronization and Linearity, 1992, for the theory.

use super::bound::first_out;
use super::iterate::Span;
use super::stage::{MAX_BUFFER, StagePlaces};
use super::tiles::{Lane, MAX_LANES, Times, run_equal};
use super::timeline::{Record, Shifted};
use super::unequal::{TileOrder, run_unequal};
use crate::hardware::MAX_GROUPS;
use crate::spec::hardware::Assign;
use crate::spec::program::{Columns, Place};

/// The pass and its working memory.
#[derive(Clone)]
pub(super) struct StreamScheduler {
    parts: Vec<Part>,
    /// The unit whose groups own contiguous blocks of the tiles.
    contiguous: Option<usize>,
    /// End of each stage.
    end: Vec<f64>,
    times: Times,
}

/// One frame operator, or the streamed stages that are connected.
#[derive(Clone)]
struct Part {
    /// Stages, producers first; the lanes of a stream are in the same order.
    members: Vec<usize>,
    lanes: Vec<Lane>,
    /// For each lane the stage and input of each of its consumers.
    consumers: Vec<Vec<(usize, usize)>>,
}

impl StreamScheduler {
    /// `None` if two stages can want the same unit at the same time, the graph has no order of parts, or a part has more
    /// than [`MAX_LANES`] stages.
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
        let parts: Vec<Part> = parts.into_iter().map(|members| Part::new(members, stages)).collect();
        let widest = parts.iter().map(|part| part.lanes.len()).max().unwrap_or(0);
        if widest > MAX_LANES {
            return None;
        }
        Some(Self { parts, contiguous: first, end: vec![0.0; stages.len()], times: Times::new(widest) })
    }

    /// The unit whose groups own contiguous blocks of the tiles.
    pub(super) fn contiguous(&self) -> Option<usize> {
        self.contiguous
    }

    /// The parts: frame operators and connected streamed stages, each as stages, producers first.
    pub(super) fn parts(&self) -> Vec<Vec<usize>> {
        self.parts.iter().map(|part| part.members.clone()).collect()
    }

    /// When each stage worked in the last run. A later tile may overtake the first on several groups, so a start is the
    /// earliest that the producers allow.
    pub(super) fn spans(&self, stages: &[StagePlaces], groups: &[Place], columns: Columns<'_>, spans: &mut [Span]) {
        for &at in self.parts.iter().flat_map(|part| &part.members) {
            let stage = &stages[at];
            let latency = columns.scalar(stage.latency);
            let start = stage.inputs.iter().fold(barrier_end(&self.end, stage), |start, (producer, _)| {
                start.max(
                    spans[*producer].start + first_out(&stages[*producer], groups, columns) + spans[*producer].latency,
                )
            });
            spans[at] = Span { start, end: self.end[at], latency };
        }
    }

    /// Makespan in cycles; `record` is told of everything that runs.
    pub(super) fn run(
        &mut self,
        stages: &[StagePlaces],
        groups: &[Place],
        tiles: usize,
        columns: Columns<'_>,
        record: &mut impl Record,
    ) -> f64 {
        let blocks = self.contiguous.map_or(1, |unit| columns.scalar(groups[unit]) as usize);
        for part in &mut self.parts {
            let first = part.members[0];
            if stages[first].streamed {
                let order = TileOrder::new(blocks, tiles);
                part.run(&mut self.end, &mut self.times, stages, groups, &order, self.contiguous, columns, record);
            } else {
                let stage = &stages[first];
                let start = barrier_end(&self.end, stage);
                let left = start + columns.scalar(stage.occupancy);
                record.tile(first, 0, None, start, left);
                self.end[first] = left + columns.scalar(stage.latency);
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
        let streamed = || members.iter().copied().filter(|at| stages[*at].streamed);
        let consumers: Vec<Vec<(usize, usize)>> = streamed()
            .map(|at| {
                streamed()
                    .flat_map(|consumer| (0..stages[consumer].inputs.len()).map(move |input| (consumer, input)))
                    .filter(|(consumer, input)| stages[*consumer].inputs[*input].0 == at)
                    .collect()
            })
            .collect();
        let lanes = streamed()
            .zip(&consumers)
            .map(|(at, consumers)| {
                let producers = stages[at].inputs.iter().map(|(producer, _)| lane_of(*producer)).collect();
                Lane::new(producers, consumers.iter().map(|(stage, _)| lane_of(*stage)).collect())
            })
            .collect();
        Self { members, lanes, consumers }
    }

    /// The first moment at which a tile can enter this part. Times are counted from it: small numbers stay exact.
    fn origin(&self, end: &[f64], stages: &[StagePlaces]) -> f64 {
        let sources = self.members.iter().filter(|at| stages[**at].inputs.is_empty());
        sources.map(|at| barrier_end(end, &stages[*at])).fold(f64::INFINITY, f64::min)
    }

    /// Runs the tiles of the part and notes the end of each of its stages. The groups of unit `owner` own blocks of them.
    #[allow(clippy::too_many_arguments)]
    fn run<R: Record>(
        &mut self,
        end: &mut [f64],
        times: &mut Times,
        stages: &[StagePlaces],
        groups: &[Place],
        order: &TileOrder,
        owner: Option<usize>,
        columns: Columns<'_>,
        record: &mut R,
    ) {
        let members = &self.members;
        let origin = self.origin(end, stages);
        let mut equal = true;
        for ((lane, &at), consumers) in self.lanes.iter_mut().zip(members).zip(&self.consumers) {
            let stage = &stages[at];
            lane.ready = barrier_end(end, stage) - origin;
            lane.latency = columns.scalar(stage.latency);
            lane.groups = (columns.scalar(groups[stage.candidates[0]]) as usize).clamp(1, MAX_GROUPS);
            lane.owned = owner == Some(stage.candidates[0]);
            for ((_, buffer), (stage, input)) in lane.consumers.iter_mut().zip(consumers) {
                *buffer = (columns.scalar(stages[*stage].inputs[*input].1) as usize).clamp(1, MAX_BUFFER);
            }
            let occupancy = columns.get(stage.occupancy);
            equal &= occupancy.len() == 1;
            lane.occupancy = occupancy.first().copied().unwrap_or(f64::NAN);
        }
        // Tiles that are jumped over cannot be recorded.
        let shift = if equal && !R::EVERY_TILE {
            run_equal(&mut self.lanes, times, order.tiles)
        } else {
            let durations: [&[f64]; MAX_LANES] = std::array::from_fn(|lane| match members.get(lane) {
                Some(at) => columns.get(stages[*at].occupancy),
                None => &[],
            });
            run_unequal(
                &mut self.lanes,
                times,
                order,
                &durations,
                &mut Shifted { record, stages: members, by: origin },
            );
            0.0
        };
        for (lane, at) in self.lanes.iter().zip(members) {
            end[*at] = origin + lane.last_end + shift;
        }
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
