//! What a run keeps of a block whose rows nobody wants: what was counted there, and its front.

use super::block::front;
use super::pareto::Archive;
use super::runner::{Block, Job, Summary};

/// The counts and the front of a block.
#[derive(Debug, Clone)]
pub struct Digest {
    /// What was counted; its own `front` is empty.
    pub counts: Summary,
    /// The front of the block's points.
    pub front: Archive,
}

impl Digest {
    /// What there is to keep of a block.
    pub fn of(job: &Job<'_>, block: &Block) -> Self {
        let mut counts = Summary::new(job.plan);
        counts.count(block);
        Self { counts, front: front(job, block) }
    }
}
