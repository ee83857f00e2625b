//! What there is: unit instances, and what several units share.

use thiserror::Error;

use super::graph::TaskGraph;

/// Share by which rounding may overdraw a resource.
const ROUNDING: f64 = 1e-12;

/// The whole of a pool. What tasks and edges take is counted in whole parts of it, rounded down, so that sums are exact:
/// whatever is taken and given back, in whatever order and however often, nothing stays behind.
const WHOLE: u64 = 1 << 52;
/// Parts that may be in use: with the rounding of the demands' own sums.
pub(super) const MOST_IN_USE: u64 = WHOLE + (1 << 13);

/// A demand as parts of a pool; demands were checked to lie within the capacity.
fn parts(amount: f64, capacity: f64) -> u64 {
    if amount > 0.0 { (amount / capacity * WHOLE as f64) as u64 } else { 0 }
}

/// Something that running tasks use a share of: DRAM bandwidth, the ports of an SRAM block.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// What there is of it, in a unit of its own: GB/s, ports.
    pub capacity: f64,
    /// Task and what it uses from its start to its end.
    pub demands: Vec<(u32, f64)>,
}

/// Room that edges take in one buffer: from the start of the producer to the end of the consumer.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Room in all, in a unit of its own: bytes, tiles.
    pub capacity: f64,
    /// Declared edge (its index) and the room it takes.
    pub edges: Vec<(u32, f64)>,
}

/// Why resources do not fit a graph.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ResourceError {
    /// Tasks are bound to a unit without instances.
    #[error("unit {unit} has no instance, but tasks are bound to it")]
    NoInstance {
        /// Index of the unit.
        unit: usize,
    },
    /// A demand names a task or an edge that is not there.
    #[error("resource {resource} is used by task or edge {index}, which is not there")]
    Unknown {
        /// Index among the shared resources, then the buffers.
        resource: usize,
        /// The task or edge.
        index: u32,
    },
    /// A task holds its inputs and its results at once, and they are more than a buffer holds: no order can fit that.
    #[error(
        "task {task} needs {needed} of resource {resource} for its inputs and results together: {needed} > {capacity}"
    )]
    NoRoom {
        /// Index among the shared resources, then the buffers.
        resource: usize,
        /// The task.
        task: u32,
        /// What its edges take.
        needed: f64,
        /// What there is.
        capacity: f64,
    },
    /// A task or edge needs more than there is, or no number from 0.
    #[error("resource {resource} has {capacity}, and task or edge {index} alone needs {amount}")]
    TooMuch {
        /// Index among the shared resources, then the buffers.
        resource: usize,
        /// The task or edge.
        index: u32,
        /// What it needs.
        amount: f64,
        /// What there is.
        capacity: f64,
    },
}

/// Per task or edge, which pools it takes from and how many parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Demands {
    offsets: Vec<u32>,
    entries: Vec<(u32, u64)>,
}

impl Demands {
    /// `lists`: of each pool its capacity, and who takes how much.
    fn new<'a>(count: usize, pools: u32, lists: impl Iterator<Item = (f64, &'a [(u32, f64)])> + Clone) -> Self {
        let mut offsets = vec![0_u32; count + 1];
        lists.clone().flat_map(|list| list.1).for_each(|(index, _)| offsets[*index as usize + 1] += 1);
        for at in 0..count {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut entries = vec![(0, 0); offsets[count] as usize];
        for (pool, (capacity, list)) in (pools..).zip(lists) {
            for (index, amount) in list {
                let place = &mut next[*index as usize];
                entries[*place as usize] = (pool, parts(*amount, capacity));
                *place += 1;
            }
        }
        Self { offsets, entries }
    }

    /// Pools and parts of one task or edge.
    #[inline]
    pub fn of(&self, index: u32) -> &[(u32, u64)] {
        match self.offsets.get(index as usize..index as usize + 2) {
            Some(&[from, to]) => &self.entries[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// Instances of each unit, shared resources, buffers.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    pub(super) instances: Vec<u32>,
    pub(super) shared: Vec<Shared>,
    pub(super) buffers: Vec<Buffer>,
    /// What tasks take of pools `0..shared`.
    pub(super) task_demands: Demands,
    /// What edges take of the pools behind those, the buffers.
    pub(super) edge_demands: Demands,
}

impl Resources {
    /// Units only: how many instances each has.
    pub fn units(instances: Vec<u32>) -> Self {
        Self { instances, ..Self::default() }
    }

    /// The same units with what they share when they execute a graph.
    ///
    /// # Errors
    /// Demands of tasks or edges that are not there, or that can never be met.
    pub fn sharing(
        mut self,
        graph: &TaskGraph,
        shared: Vec<Shared>,
        buffers: Vec<Buffer>,
    ) -> Result<Self, ResourceError> {
        for (resource, Shared { capacity, demands }) in shared.iter().enumerate() {
            check_demands(resource, *capacity, demands, graph.tasks().len())?;
        }
        for (at, Buffer { capacity, edges }) in buffers.iter().enumerate() {
            check_demands(shared.len() + at, *capacity, edges, graph.edges().len())?;
            check_room(shared.len() + at, *capacity, edges, graph)?;
        }
        let tasks = shared.iter().map(|shared| (shared.capacity, shared.demands.as_slice()));
        self.task_demands = Demands::new(graph.tasks().len(), 0, tasks);
        let edges = buffers.iter().map(|buffer| (buffer.capacity, buffer.edges.as_slice()));
        self.edge_demands = Demands::new(graph.edges().len(), shared.len() as u32, edges);
        (self.shared, self.buffers) = (shared, buffers);
        Ok(self)
    }

    /// Instances of each unit.
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Shared resources.
    pub fn shared(&self) -> &[Shared] {
        &self.shared
    }

    /// Buffers.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// True if there is nothing but units.
    pub(super) fn units_only(&self) -> bool {
        self.shared.is_empty() && self.buffers.is_empty()
    }

    /// Pools: shared resources, then buffers.
    pub(super) fn pools(&self) -> usize {
        self.shared.len() + self.buffers.len()
    }
}

/// While a task runs, the room of the edges into it and of those out of it is taken.
fn check_room(resource: usize, capacity: f64, rooms: &[(u32, f64)], graph: &TaskGraph) -> Result<(), ResourceError> {
    let mut held = vec![0.0; graph.tasks().len()];
    for &(edge, room) in rooms {
        // Edges were checked, and the graph has no edge from a task to itself.
        let (from, to) = graph.edges()[edge as usize];
        held[from as usize] += room;
        held[to as usize] += room;
    }
    match (0..).zip(held).find(|(_, needed)| *needed > capacity * (1.0 + ROUNDING)) {
        Some((task, needed)) => Err(ResourceError::NoRoom { resource, task, needed, capacity }),
        None => Ok(()),
    }
}

fn check_demands(resource: usize, capacity: f64, demands: &[(u32, f64)], count: usize) -> Result<(), ResourceError> {
    for &(index, amount) in demands {
        if index as usize >= count {
            return Err(ResourceError::Unknown { resource, index });
        }
        let fits = amount.is_finite() && amount >= 0.0 && amount <= capacity;
        if !fits {
            return Err(ResourceError::TooMuch { resource, index, amount, capacity });
        }
    }
    Ok(())
}
