//! The schedule of one design point.

use super::bound::lower_bound;
use super::graph::StageGraph;
use super::list::ListScheduler;
use super::stage::StagePlaces;
use super::stream::StreamScheduler;
use crate::spec::program::bounds::Direction;
use crate::spec::program::{Columns, Kernel, NodeId, Place, Program};

/// What a schedule gives, in the order of its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Cycles until everything has finished.
    Makespan,
    /// Cycles that no schedule of the same work can beat.
    LowerBound,
}

impl Output {
    /// All outputs in their order.
    pub const ALL: [Output; 2] = [Output::Makespan, Output::LowerBound];
}

/// How the schedule is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One pass over the tiles: no unit is wanted by two stages at once.
    Stream,
    /// List scheduling in order of time.
    List,
}

/// A compiled schedule with its working memory.
#[derive(Clone)]
pub struct Schedule {
    pub(super) stages: Vec<StagePlaces>,
    pub(super) groups: Vec<Place>,
    pub(super) tiles: Place,
    scheduler: Scheduler,
    pub(super) bound_memory: Vec<[f64; 2]>,
}

#[derive(Clone)]
enum Scheduler {
    Stream(StreamScheduler),
    List(ListScheduler),
}

impl Schedule {
    /// The nodes that a program must keep for the schedule.
    pub fn inputs(graph: &StageGraph) -> Vec<NodeId> {
        let mut inputs: Vec<NodeId> = graph.stages.iter().flat_map(|stage| stage.nodes()).collect();
        inputs.extend(&graph.groups);
        inputs.push(graph.tiles);
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Binds the stages to a program.
    pub fn new(graph: &StageGraph, program: &Program) -> Self {
        let place = |node| program.place_of(node).unwrap_or(Place::Scalar(0));
        let stages: Vec<StagePlaces> = graph.stages.iter().map(|stage| stage.bind(place)).collect();
        let scheduler = match StreamScheduler::new(&stages, &graph.assign) {
            Some(scheduler) => Scheduler::Stream(scheduler),
            None => Scheduler::List(ListScheduler::new(&stages, graph.groups.len())),
        };
        Self {
            bound_memory: vec![[0.0; 2]; stages.len()],
            groups: graph.groups.iter().map(|node| place(*node)).collect(),
            tiles: place(graph.tiles),
            stages,
            scheduler,
        }
    }

    /// The same schedule by the list scheduler, which needs no assumption on who competes.
    #[cfg(test)]
    pub(super) fn by_list(mut self) -> Self {
        self.scheduler = Scheduler::List(ListScheduler::new(&self.stages, self.groups.len()));
        self
    }

    /// The nodes of [`Schedule::inputs`], each with what it does to the length.
    pub fn directions(graph: &StageGraph) -> Vec<(NodeId, Direction)> {
        super::enclose::directions(graph)
    }

    /// The unit whose groups own contiguous blocks of tiles.
    pub(super) fn contiguous_unit(&self) -> Option<usize> {
        match &self.scheduler {
            Scheduler::Stream(scheduler) => scheduler.contiguous(),
            Scheduler::List(_) => None,
        }
    }

    /// How it is computed.
    pub fn method(&self) -> Method {
        match self.scheduler {
            Scheduler::Stream(_) => Method::Stream,
            Scheduler::List(_) => Method::List,
        }
    }

    /// Makespan in cycles, NaN if a duration has no value.
    pub fn makespan(&mut self, columns: Columns<'_>) -> f64 {
        let valid = |place: Place| columns.scalar(place).is_finite();
        let sound = self.stages.iter().all(|stage| {
            valid(stage.work)
                && valid(stage.latency)
                && valid(stage.unit)
                && stage.inputs.iter().all(|(_, buffer)| valid(*buffer))
        });
        let tiles = columns.scalar(self.tiles);
        if !sound || !tiles.is_finite() || !self.groups.iter().all(|groups| valid(*groups)) {
            return f64::NAN;
        }
        match &mut self.scheduler {
            Scheduler::Stream(scheduler) => scheduler.run(&self.stages, &self.groups, tiles as usize, columns),
            Scheduler::List(scheduler) => scheduler.run(&self.stages, &self.groups, tiles as usize, columns),
        }
    }
}

impl Kernel for Schedule {
    fn run(&mut self, columns: Columns<'_>, outputs: &mut [f64]) {
        outputs[Output::Makespan as usize] = self.makespan(columns);
        outputs[Output::LowerBound as usize] = lower_bound(&self.stages, &self.groups, columns, &mut self.bound_memory);
    }
}
