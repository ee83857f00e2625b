//! List scheduling of stages that compete for units, in order of time.
//!
//! Again and again the stage whose next tile can start first is started; of those that could start at the same moment the
//! one with the highest priority, then the one declared first. Priorities follow the policy.
//! No period is looked for: every tile is simulated.

use super::iterate::Span;
use super::order::{Order, dags_priority};
use super::stage::{MAX_BUFFER, StagePlaces};
use super::tasks;
use super::timeline::Record;
use crate::hardware::MAX_GROUPS;
use crate::spec::program::{Columns, Place};

/// Ring of remembered tiles per stage.
const RING: usize = 2 * MAX_BUFFER;

/// Working memory of the scheduler.
#[derive(Clone)]
pub(super) struct ListScheduler {
    /// For each stage its consumers by tile: stage, index of the input there.
    consumers: Vec<Vec<(usize, usize)>>,
    /// For each stage how many others come after it on some path.
    successors: Vec<f64>,
    /// For each stage every direct successor, by tile or behind a barrier.
    next: Vec<Vec<usize>>,
    progress: Vec<Progress>,
    /// For each unit when each group is free.
    free: Vec<[f64; MAX_GROUPS]>,
    /// Groups of each unit.
    groups: Vec<usize>,
    priority: Vec<f64>,
    order: Order<Place>,
}

#[derive(Clone)]
struct Progress {
    /// Tiles started.
    started: usize,
    /// Tiles in all.
    tiles: usize,
    /// End of the last tiles, by tile modulo the ring.
    ends: Box<[f64; RING]>,
    last_end: f64,
    /// Start of the tile that started first.
    first_start: f64,
}

impl ListScheduler {
    pub(super) fn new(stages: &[StagePlaces], units: usize, order: Order<Place>) -> Self {
        let mut consumers = vec![Vec::new(); stages.len()];
        let mut next = vec![Vec::new(); stages.len()];
        for (at, stage) in stages.iter().enumerate() {
            for (input, (producer, _)) in stage.inputs.iter().enumerate() {
                consumers[*producer].push((at, input));
                next[*producer].push(at);
            }
            stage.barriers.iter().for_each(|producer| next[*producer].push(at));
        }
        let progress = Progress { started: 0, tiles: 0, ends: Box::new([0.0; RING]), last_end: 0.0, first_start: 0.0 };
        Self {
            consumers,
            successors: tasks::count_successors(&next),
            order,
            next,
            progress: vec![progress; stages.len()],
            free: vec![[0.0; MAX_GROUPS]; units],
            groups: vec![1; units],
            priority: vec![0.0; stages.len()],
        }
    }

    /// Makespan in cycles; NaN if nothing can start although work is left (buffers that wait for each other).
    /// `record` is told of everything that runs.
    pub(super) fn run(
        &mut self,
        stages: &[StagePlaces],
        groups: &[Place],
        tiles: usize,
        columns: Columns<'_>,
        record: &mut impl Record,
    ) -> f64 {
        for ((free, count), groups) in self.free.iter_mut().zip(&mut self.groups).zip(groups) {
            *count = (columns.scalar(*groups) as usize).clamp(1, MAX_GROUPS);
            free[..*count].fill(0.0);
        }
        for (progress, stage) in self.progress.iter_mut().zip(stages) {
            progress.started = 0;
            progress.tiles = if stage.streamed { tiles } else { 1 };
            progress.last_end = 0.0;
            progress.first_start = f64::INFINITY;
        }
        self.set_priorities(stages, columns);
        let mut left: usize = self.progress.iter().map(|progress| progress.tiles).sum();
        while left > 0 {
            let Some((at, start, group)) = self.first_ready(stages, columns) else { return f64::NAN };
            self.start(stages, at, start, group, columns, record);
            left -= 1;
        }
        self.progress.iter().map(|progress| progress.last_end).fold(0.0, f64::max)
    }

    /// When each stage worked in the last run.
    pub(super) fn spans(&self, stages: &[StagePlaces], columns: Columns<'_>, spans: &mut [Span]) {
        for ((span, progress), stage) in spans.iter_mut().zip(&self.progress).zip(stages) {
            let latency = columns.scalar(stage.latency);
            *span = Span { start: progress.first_start, end: progress.last_end, latency };
        }
    }

    fn set_priorities(&mut self, stages: &[StagePlaces], columns: Columns<'_>) {
        let mut longest = 0.0_f64;
        for at in (0..stages.len()).rev() {
            let after = self.next[at].iter().map(|successor| self.priority[*successor]).fold(0.0, f64::max);
            self.priority[at] = after + columns.scalar(stages[at].work) + columns.scalar(stages[at].latency);
            longest = longest.max(self.priority[at]);
        }
        match &self.order {
            // Of `Fifo` the moment at which work is ready decides, not a priority.
            Order::CriticalPath | Order::Fifo => {}
            Order::Dags { alpha, beta } => {
                let (alpha, beta) = (columns.scalar(*alpha), columns.scalar(*beta));
                let others = stages.len() as f64 - 1.0;
                for (priority, successors) in self.priority.iter_mut().zip(&self.successors) {
                    *priority = dags_priority((alpha, *successors, others), (beta, *priority, longest));
                }
            }
            Order::Weights(weights) => {
                for (priority, weight) in self.priority.iter_mut().zip(weights) {
                    *priority = columns.scalar(*weight);
                }
            }
        }
    }

    /// The policy's name.
    pub(super) fn policy(&self) -> &'static str {
        self.order.name()
    }

    /// Stage, start and group of the work that can start first.
    fn first_ready(&self, stages: &[StagePlaces], columns: Columns<'_>) -> Option<(usize, f64, usize)> {
        let mut best: Option<(usize, f64, usize)> = None;
        let mut best_rank = 0.0;
        for at in 0..stages.len() {
            let Some(ready) = self.ready(stages, at, columns) else { continue };
            let unit = columns.scalar(stages[at].unit) as usize;
            let free = &self.free[unit][..self.groups[unit]];
            let (group, free_at) = if stages[at].streamed { earliest(free) } else { latest(free) };
            let start = ready.max(free_at);
            let rank = if self.order == Order::Fifo { -ready } else { self.priority[at] };
            let wins = best.is_none_or(|(_, at_time, _)| start < at_time || (start == at_time && rank > best_rank));
            if wins {
                (best, best_rank) = (Some((at, start, group)), rank);
            }
        }
        best
    }

    /// When the stage's next tile has its inputs and room; `None` if that is not known yet or nothing is left.
    fn ready(&self, stages: &[StagePlaces], at: usize, columns: Columns<'_>) -> Option<f64> {
        let progress = &self.progress[at];
        let tile = progress.started;
        if tile == progress.tiles {
            return None;
        }
        let mut ready = 0.0_f64;
        for &producer in &stages[at].barriers {
            let producer = &self.progress[producer];
            if producer.started < producer.tiles {
                return None;
            }
            ready = ready.max(producer.last_end);
        }
        for (producer, _) in &stages[at].inputs {
            let producer = &self.progress[*producer];
            if producer.started <= tile {
                return None;
            }
            ready = ready.max(producer.ends[tile % RING]);
        }
        for &(consumer, input) in &self.consumers[at] {
            let buffer = columns.scalar(stages[consumer].inputs[input].1) as usize;
            if tile >= buffer {
                let consumer = &self.progress[consumer];
                if consumer.started <= tile - buffer {
                    return None;
                }
                ready = ready.max(consumer.ends[(tile - buffer) % RING]);
            }
        }
        Some(ready)
    }

    fn start(
        &mut self,
        stages: &[StagePlaces],
        at: usize,
        start: f64,
        group: usize,
        columns: Columns<'_>,
        record: &mut impl Record,
    ) {
        let stage = &stages[at];
        let tile = self.progress[at].started;
        let occupancy = columns.get(stage.occupancy);
        let busy_until = start + occupancy.get(tile).or(occupancy.first()).copied().unwrap_or(f64::NAN);
        record.tile(at, tile, stage.streamed.then_some(group), start, busy_until);
        let unit = columns.scalar(stage.unit) as usize;
        let free = &mut self.free[unit][..self.groups[unit]];
        if stage.streamed {
            free[group] = busy_until;
        } else {
            free.fill(busy_until);
        }
        let end = busy_until + columns.scalar(stage.latency);
        let progress = &mut self.progress[at];
        progress.ends[tile % RING] = end;
        progress.last_end = progress.last_end.max(end);
        progress.first_start = progress.first_start.min(start);
        progress.started += 1;
    }
}

fn earliest(free: &[f64]) -> (usize, f64) {
    let mut best = (0, free.first().copied().unwrap_or(0.0));
    for (group, at) in free.iter().enumerate() {
        if *at < best.1 {
            best = (group, *at);
        }
    }
    best
}

/// A frame operator uses every group of its unit.
fn latest(free: &[f64]) -> (usize, f64) {
    (0, free.iter().copied().fold(0.0, f64::max))
}
