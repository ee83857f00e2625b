//! The schedule of one design point.

use super::bound::{BoundMemory, Sharing, lower_bound};
use super::graph::StageGraph;
use super::iterate::Iterations;
use super::list::ListScheduler;
use super::stage::StagePlaces;
use super::stream::StreamScheduler;
use super::timeline::Record;
use super::verify::{Recorded, TileViolation, Visits, verify};
use crate::spec::program::bounds::Direction;
use crate::spec::program::{Columns, Kernel, NodeId, Place, Program};

/// What a schedule gives, in the order of its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Cycles until everything has finished.
    Makespan,
    /// Cycles that no schedule of the same work can beat.
    LowerBound,
    /// Cycles from one iteration to the next in the steady state; this one and those below only where edges are carried.
    Iteration,
    /// Cycles of all iterations.
    Total,
    /// Cycles from the start until the last forward operator has ended.
    Forward,
    /// Cycles from the start of the first backward operator until the last has ended.
    Backward,
}

impl Output {
    /// All outputs in their order.
    pub const ALL: [Output; 6] =
        [Output::Makespan, Output::LowerBound, Output::Iteration, Output::Total, Output::Forward, Output::Backward];

    /// The outputs of a schedule.
    pub fn of(graph: &StageGraph) -> &'static [Output] {
        if graph.training.is_some() { &Self::ALL } else { &Self::ALL[..2] }
    }
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
    pub(super) iterations: Option<Iterations>,
    pub(super) bound_memory: BoundMemory,
    last: Last,
}

/// The run before: along the grid many points differ in area or energy only and have the same schedule.
#[derive(Clone)]
struct Last {
    /// Every place that the schedule reads.
    places: Vec<Place>,
    /// What stood there; NaN before the first run.
    values: Vec<f64>,
    outputs: [f64; Output::ALL.len()],
}

/// What changed since the run before.
#[derive(PartialEq)]
enum Change {
    Nothing,
    Something,
    /// A value is not finite: there is no schedule.
    Broken,
}

impl Last {
    /// Compares everything with the run before and notes what is there now. Where tiles differ from each other there is
    /// always something new; their sums, which are among the places, tell whether one of them is not finite.
    fn update(&mut self, columns: Columns<'_>) -> Change {
        let (mut same, mut finite) = (true, true);
        for (place, value) in self.places.iter().zip(&mut self.values) {
            let now = columns.scalar(*place);
            same &= matches!(place, Place::Scalar(_)) && now == *value;
            finite &= now.is_finite();
            *value = now;
        }
        match (finite, same) {
            (false, _) => Change::Broken,
            (true, true) => Change::Nothing,
            (true, false) => Change::Something,
        }
    }
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
        inputs.extend(graph.order.nodes());
        inputs.extend(graph.training.iter().map(|training| training.iterations));
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
            None => Scheduler::List(ListScheduler::new(&stages, graph.groups.len(), graph.order.bind(place))),
        };
        let places: Vec<Place> = Self::inputs(graph).into_iter().map(place).collect();
        let values = vec![f64::NAN; places.len()];
        let parts = match &scheduler {
            Scheduler::Stream(scheduler) => scheduler.parts(),
            Scheduler::List(_) => vec![(0..stages.len()).collect()],
        };
        Self {
            iterations: Iterations::new(graph, &parts, place),
            last: Last { places, values, outputs: [f64::NAN; Output::ALL.len()] },
            bound_memory: BoundMemory::new(stages.len(), graph.groups.len()),
            groups: graph.groups.iter().map(|node| place(*node)).collect(),
            tiles: place(graph.tiles),
            stages,
            scheduler,
        }
    }

    /// The same schedule by the list scheduler, which needs no assumption on who competes.
    #[cfg(test)]
    pub(super) fn by_list(mut self) -> Self {
        let order = super::Order::Fifo;
        self.scheduler = Scheduler::List(ListScheduler::new(&self.stages, self.groups.len(), order));
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

    /// The policy of stages that compete.
    pub fn policy(&self) -> &'static str {
        match &self.scheduler {
            Scheduler::Stream(_) => "none",
            Scheduler::List(scheduler) => scheduler.policy(),
        }
    }

    /// The streamed stages: operator and cycles for which a tile occupies its group.
    pub fn streamed(&self) -> impl Iterator<Item = (&str, Place)> {
        self.stages.iter().filter(|stage| stage.streamed).map(|stage| (stage.name.as_str(), stage.occupancy))
    }

    /// Makespan in cycles, NaN if an input is not finite.
    pub(super) fn finite_makespan(&mut self, columns: Columns<'_>) -> f64 {
        if self.last.places.iter().all(|place| columns.scalar(*place).is_finite()) {
            self.makespan(columns, &mut ())
        } else {
            f64::NAN
        }
    }

    /// The schedule of one point with every tile of every stage, nothing jumped; `None` if an input is not finite or the
    /// buffers wait for each other.
    pub fn record(&self, columns: Columns<'_>) -> Option<Recorded> {
        let mut visits = Visits::new(&self.stages, columns);
        let makespan = self.clone().replay(columns, &mut visits)?;
        makespan.is_finite().then(|| visits.finish(makespan))
    }

    /// Records the schedule of one point and has it verified; `makespan` is what [`Kernel::run`] gave. An error says what is
    /// wrong; `Ok(false)`: there is no schedule at this point.
    ///
    /// # Errors
    /// The first violation found.
    pub fn verify(&self, columns: Columns<'_>, makespan: f64) -> Result<bool, TileViolation> {
        let Some(recorded) = self.record(columns) else { return Ok(false) };
        let recorded = Recorded { makespan, ..recorded };
        let tiles = columns.scalar(self.tiles) as usize;
        verify(&self.stages, &self.groups, tiles, columns, &recorded).map(|()| true)
    }

    /// Runs the schedule once more, tells `record` of everything that runs and gives the makespan; `None` if an input is not
    /// finite.
    pub(super) fn replay(&mut self, columns: Columns<'_>, record: &mut impl Record) -> Option<f64> {
        let finite = self.last.places.iter().all(|place| columns.scalar(*place).is_finite());
        finite.then(|| self.makespan(columns, record))
    }

    /// Cycles that no schedule can beat, at a point or at an end of a box of points.
    pub(super) fn lower_bound(&mut self, is_point: bool, columns: Columns<'_>) -> f64 {
        let sharing = match self.method() {
            Method::Stream => Sharing::Nobody,
            Method::List if is_point => Sharing::Mapped,
            Method::List => Sharing::Fixed,
        };
        lower_bound(&self.stages, &self.groups, sharing, columns, &mut self.bound_memory)
    }

    /// Makespan in cycles; every input is finite.
    fn makespan(&mut self, columns: Columns<'_>, record: &mut impl Record) -> f64 {
        let tiles = columns.scalar(self.tiles) as usize;
        match &mut self.scheduler {
            Scheduler::Stream(scheduler) => scheduler.run(&self.stages, &self.groups, tiles, columns, record),
            Scheduler::List(scheduler) => scheduler.run(&self.stages, &self.groups, tiles, columns, record),
        }
    }
}

impl Schedule {
    /// The outputs of training, from the iteration that was just scheduled.
    fn iterate(&mut self, columns: Columns<'_>) {
        let Some(iterations) = &mut self.iterations else { return };
        match &self.scheduler {
            Scheduler::Stream(scheduler) => scheduler.spans(&self.stages, &self.groups, columns, &mut iterations.spans),
            Scheduler::List(scheduler) => scheduler.spans(&self.stages, columns, &mut iterations.spans),
        }
        let times = iterations.times(&self.stages, columns);
        self.last.outputs[Output::Iteration as usize] = times.iteration;
        self.last.outputs[Output::Total as usize] = times.total;
        self.last.outputs[Output::Forward as usize] = times.forward;
        self.last.outputs[Output::Backward as usize] = times.backward;
    }
}

impl Kernel for Schedule {
    fn run(&mut self, columns: Columns<'_>, outputs: &mut [f64]) {
        match self.last.update(columns) {
            Change::Nothing => {}
            Change::Broken => self.last.outputs = [f64::NAN; Output::ALL.len()],
            Change::Something => {
                let bound = self.lower_bound(true, columns);
                self.last.outputs[Output::Makespan as usize] = self.makespan(columns, &mut ());
                self.last.outputs[Output::LowerBound as usize] = bound;
                self.iterate(columns);
            }
        }
        for (output, value) in outputs.iter_mut().zip(&self.last.outputs) {
            *output = *value;
        }
    }
}
