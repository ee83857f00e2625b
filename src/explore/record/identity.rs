//! What a record belongs to.

use serde::{Deserialize, Serialize};

use crate::explore::points::{block_points, count_points};
use crate::explore::space::Space;
use crate::spec::Study;
use crate::spec::resolved::{self, ResolvedFile};

/// What makes two runs the same: inputs, program, and how points become blocks and columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The program and its version.
    pub program: String,
    /// The run.
    pub name: String,
    /// Points of the search.
    pub points: u64,
    /// Points of a block.
    pub block_points: u64,
    /// Columns of the results.
    pub columns: Vec<String>,
    /// The values of every input.
    pub inputs: Vec<ResolvedFile>,
}

impl Identity {
    /// The identity of a study's run.
    pub fn new(study: &Study, space: &Space, columns: Vec<String>) -> Self {
        let points = count_points(space, &study.sweep.search);
        Self {
            program: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            name: study.sweep.name.clone(),
            points,
            block_points: block_points(points),
            columns,
            inputs: resolved::resolve(study),
        }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.points.div_ceil(self.block_points.max(1))
    }

    /// Points of the blocks with these numbers.
    pub fn points_of(&self, blocks: impl Iterator<Item = u64>) -> u64 {
        let end = |block: u64| block.saturating_mul(self.block_points).min(self.points);
        blocks.map(|block| end(block.saturating_add(1)) - end(block)).sum()
    }

    /// What is different now from `before`, one text for each value. Empty: the two are the same.
    pub fn changes(&self, before: &Self) -> Vec<String> {
        let mut changes = resolved::changes(&before.inputs, &self.inputs);
        if self.program != before.program {
            changes.push(format!("the program was {}, is {}", before.program, self.program));
        }
        if changes.is_empty() && self != &(Self { inputs: self.inputs.clone(), ..before.clone() }) {
            changes.push("the program lays out its results in another way".into());
        }
        changes
    }
}
