//! The description.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The memory outside the chip, as pipelines name it.
pub const DRAM: &str = "dram";

/// A traced workload. Counts, parameters and bytes of streamed operators are per tile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Its name: the trace's file without folder and extension.
    pub name: String,
    /// Tiles that stream through the pipeline, one per traced chunk; 1 if nothing streams.
    pub tiles: u64,
    /// Operators, producers first.
    pub operators: Vec<WorkloadOperator>,
    /// Dependencies.
    pub edges: Vec<Dependency>,
    /// Memory traffic.
    pub traffic: Vec<Transfer>,
    /// Calls that are in no operator and cost nothing.
    pub unrecognised: Vec<LeftOut>,
    /// What was assumed, as sentences.
    pub remarks: Vec<String>,
    /// Sums over the whole trace.
    pub totals: WorkloadTotals,
}

/// One operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadOperator {
    /// Unique name.
    pub name: String,
    /// Its kind in the operator library.
    pub kind: String,
    /// The family of its kind.
    pub category: String,
    /// `forward` or `backward`; an optimizer's step is forward work.
    pub pass: String,
    /// The traced function.
    pub function: String,
    /// Stage that the tracer named, such as `coarse`.
    pub stage: Option<String>,
    /// Traced calls that it stands for, in each tile.
    pub calls: u64,
    /// Whether it works tile by tile.
    pub streamed: bool,
    /// Shapes of its inputs in the first tile.
    pub inputs: Vec<Vec<u64>>,
    /// Shapes of its outputs in the first tile.
    pub outputs: Vec<Vec<u64>>,
    /// Values of its kind's parameters.
    pub parameters: BTreeMap<String, f64>,
    /// Counts of the trace: `flops macs read_bytes weight_bytes write_bytes`.
    pub counts: BTreeMap<String, f64>,
    /// What the trace does not say about it.
    pub inferred: Vec<String>,
    /// Where values come from that the trace does not say.
    pub sources: Vec<String>,
    /// The unit that executes it; none before mapping.
    pub unit: Option<String>,
}

/// What a dependency makes wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The consumer for all of the producer.
    Barrier,
    /// Each tile for the same tile.
    Stream,
}

impl Order {
    /// The word in pipeline files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Stream => "stream",
        }
    }
}

/// A dependency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// Producer.
    pub from: String,
    /// Consumer.
    pub to: String,
    /// What it makes wait.
    pub kind: Order,
    /// Bytes that pass, where the tensor is known.
    pub bytes: Option<u64>,
    /// Whether it was concluded and does not stand in the trace.
    pub inferred: bool,
}

/// Direction of a transfer, seen from the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    /// From the memory.
    Read,
    /// To the memory.
    Write,
}

impl Movement {
    /// The word in pipeline files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// Memory traffic of an operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// What it carries.
    pub name: String,
    /// The operator.
    pub operator: String,
    /// `dram` or an SRAM block.
    pub memory: String,
    /// Direction.
    pub direction: Movement,
    /// Bytes per tile of a streamed operator, else of the whole.
    pub bytes: f64,
}

/// Calls that are in no operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The function.
    pub function: String,
    /// Its calls.
    pub calls: usize,
    /// Why.
    pub reason: String,
    /// Its share of all calls that do work, from 0 to 1.
    pub share_of_calls: f64,
    /// Its share of the bytes that these calls read and write, from 0 to 1.
    pub share_of_bytes: f64,
}

/// Sums over the whole trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTotals {
    /// FLOPs.
    pub flops: u64,
    /// FLOPs of the backward pass.
    pub flops_backward: u64,
    /// Multiply-adds.
    pub macs: u64,
}
