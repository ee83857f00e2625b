//! Stages: operators as the schedulers see them.

use crate::spec::program::{NodeId, Place};

/// Most tiles that one buffer can hold.
pub const MAX_BUFFER: usize = 512;

/// One operator of the schedule. `V` is a graph node while the plan is compiled, a place when it runs.
#[derive(Debug, Clone)]
pub struct Stage<V> {
    /// Name of the operator.
    pub name: String,
    /// True if it works tile by tile.
    pub streamed: bool,
    /// Units that may execute it; one if the mapping is the same at every point.
    pub candidates: Vec<usize>,
    /// Index of the executing unit.
    pub unit: V,
    /// Cycles for which a tile (or the frame) occupies its group (or unit).
    pub occupancy: V,
    /// Sum of the occupancy over all tiles.
    pub work: V,
    /// Cycles from the end of the occupancy until consumers see the result.
    pub latency: V,
    /// Stages that must have finished altogether.
    pub barriers: Vec<usize>,
    /// Producers by tile, with the tiles that fit between.
    pub inputs: Vec<(usize, V)>,
}

/// A stage that is ready to run.
pub type StagePlaces = Stage<Place>;

impl Stage<NodeId> {
    /// Every node that the schedule reads.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = vec![self.unit, self.occupancy, self.work, self.latency];
        nodes.extend(self.inputs.iter().map(|(_, buffer)| *buffer));
        nodes
    }

    /// The same stage with the places of its nodes.
    pub fn bind(&self, place: impl Fn(NodeId) -> Place) -> StagePlaces {
        Stage {
            name: self.name.clone(),
            streamed: self.streamed,
            candidates: self.candidates.clone(),
            unit: place(self.unit),
            occupancy: place(self.occupancy),
            work: place(self.work),
            latency: place(self.latency),
            barriers: self.barriers.clone(),
            inputs: self.inputs.iter().map(|(stage, buffer)| (*stage, place(*buffer))).collect(),
        }
    }
}
