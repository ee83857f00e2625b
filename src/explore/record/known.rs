//! What one or several records know of a run.

use std::io;

use super::layout::Layout;
use super::reader::RecordReader;
use crate::explore::digest::Digest;
use crate::explore::runner::Block;
use crate::spec::sweep::Goal;

/// The blocks of one or several records: an interrupted run's own, or those of its shards.
#[derive(Debug)]
pub struct Known {
    readers: Vec<RecordReader>,
    layout: Layout,
}

impl Known {
    /// What `readers` hold. Where several hold a block, the first one counts.
    pub fn new(readers: Vec<RecordReader>, layout: Layout) -> Self {
        Self { readers, layout }
    }

    /// True if the block is known.
    pub fn has(&self, number: u64) -> bool {
        self.readers.iter().any(|reader| reader.has(number))
    }

    /// The state of a search and the blocks before it, if one was saved.
    pub fn state(&self) -> Option<(u64, &[u8])> {
        self.readers.first().and_then(RecordReader::state)
    }

    /// The seconds that a search had taken.
    pub fn seconds(&self) -> f64 {
        self.readers.first().map_or(0.0, RecordReader::seconds)
    }

    /// What was kept of the block, if that is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn digest(&self, number: u64, goals: &[Goal]) -> io::Result<Option<Digest>> {
        match self.readers.iter().find(|reader| reader.has(number)) {
            Some(reader) => reader.digest(number, &self.layout, goals),
            None => Ok(None),
        }
    }

    /// The block, if it is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn block(&self, number: u64) -> io::Result<Option<Block>> {
        match self.readers.iter().find(|reader| reader.has(number)) {
            Some(reader) => reader.block(number, &self.layout),
            None => Ok(None),
        }
    }
}
