//! The result files of a run, written block by block, and the saving of what was evaluated.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::Failure;
use super::folder::RunFolder;
use super::progress::Progress;
use crate::explore::record::{Layout, RecordWriter};
use crate::explore::sensitivity::{Collector, Sensitivity};
use crate::explore::{Block, Digest, Observer, Space};
use crate::ppa::Plan;
use crate::report::csv::CsvWriter;
use crate::report::parquet::ParquetSink;
use crate::report::table::{Rows, Schema};
use crate::spec::sweep::{RowsKept, Strategy, SweepDecl};

/// The large result files.
pub const CSV: &str = "results.csv";
/// See [`CSV`].
pub const PARQUET: &str = "results.parquet";

/// Takes what a run evaluates: saves it, and writes the result files.
pub struct Session<'a> {
    /// Where fresh blocks are saved; a merge has none.
    pub record: Option<RecordWriter>,
    /// How they are packed.
    pub layout: &'a Layout,
    /// The result files; a shard has none.
    pub files: Option<ResultFiles<'a>>,
    /// Shows how far it is.
    pub progress: Progress,
    /// Points that were evaluated since the start.
    pub fresh: u64,
    /// Points that were evaluated or known.
    pub taken: u64,
}

impl Observer for Session<'_> {
    fn evaluated(&mut self, number: u64, block: &Block) -> io::Result<()> {
        if let Some(record) = &mut self.record {
            let result = record.block(number, block, self.layout);
            result.map_err(|error| named(record.path(), &error))?;
        }
        self.fresh += block.indices.len() as u64;
        Ok(())
    }

    fn state(&mut self, blocks: u64, state: &[u8]) -> io::Result<()> {
        self.record
            .as_mut()
            .map_or(Ok(()), |record| record.state(blocks, state).map_err(|error| named(record.path(), &error)))
    }

    fn clock(&mut self, seconds: f64) -> io::Result<()> {
        self.record
            .as_mut()
            .map_or(Ok(()), |record| record.clock(seconds).map_err(|error| named(record.path(), &error)))
    }

    fn digested(&mut self, number: u64, digest: &Digest) -> io::Result<()> {
        if let Some(record) = &mut self.record {
            let result = record.digest(number, digest);
            result.map_err(|error| named(record.path(), &error))?;
        }
        self.fresh += digest.counts.points;
        Ok(())
    }

    fn block(&mut self, block: &Block) -> io::Result<()> {
        self.taken += block.indices.len() as u64;
        self.files.as_mut().map_or(Ok(()), |files| files.block(block))
    }

    fn progress(&mut self, done: u64, front: usize) {
        let synced = self.record.as_ref().map_or(self.fresh, RecordWriter::synced);
        if done > self.taken {
            // A proof settles points without evaluating them: its progress is theirs.
            self.progress.show(done, done, front);
            return;
        }
        self.progress.show(done.saturating_sub(self.fresh) + synced, synced, front);
    }
}

/// The error with the file that it is about.
pub fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// Writes results to the files that a sweep wants.
pub struct ResultFiles<'a> {
    folder: &'a RunFolder,
    plan: &'a Plan,
    space: &'a Space,
    schema: &'a Schema,
    csv: Option<CsvWriter<BufWriter<File>>>,
    parquet: Option<ParquetSink<BufWriter<File>>>,
    /// Thinned feasible points for the figure: scrambled index, objectives.
    cloud: Vec<(u64, Vec<f64>)>,
    stride: u64,
    rows: RowsKept,
    sensitivity: Option<Collector>,
}

/// Most background points of a figure that are held in memory.
const CLOUD: usize = 20_000;

impl<'a> ResultFiles<'a> {
    /// Opens the files.
    pub fn create(
        folder: &'a RunFolder,
        plan: &'a Plan,
        space: &'a Space,
        schema: &'a Schema,
        sweep: &SweepDecl,
    ) -> Result<Self, Failure> {
        let output = &sweep.output;
        let is_grid = sweep.search.strategy == Strategy::Grid;
        let sensitivity = output.sensitivity.as_ref().map(|_| Collector::new(plan, space, is_grid));
        let fail = |name: &str| {
            let path = folder.work().join(name);
            move |source| Failure::Write { path, source }
        };
        let csv = match output.csv {
            true => Some(folder.create(CSV).and_then(|file| CsvWriter::new(file, schema, &[])).map_err(fail(CSV))?),
            false => None,
        };
        let parquet = match output.parquet {
            true => {
                let sink = folder.create(PARQUET).and_then(|file| ParquetSink::new(file, plan, schema));
                Some(sink.map_err(fail(PARQUET))?)
            }
            false => None,
        };
        Ok(Self {
            folder,
            plan,
            space,
            schema,
            csv,
            parquet,
            cloud: Vec::new(),
            stride: 1,
            rows: output.rows,
            sensitivity,
        })
    }

    /// Finishes the files; gives the thinned feasible points, and the effects of the axes if they are wanted.
    pub fn finish(self) -> Result<(Vec<Vec<f64>>, Option<Sensitivity>), Failure> {
        let folder = self.folder;
        let fail = |name: &str| {
            let path = folder.work().join(name);
            move |source| Failure::Write { path, source }
        };
        if let Some(csv) = self.csv {
            let written = csv.finish().and_then(|mut output| output.flush()).and_then(|()| folder.finish(CSV));
            written.map_err(fail(CSV))?;
        }
        if let Some(parquet) = self.parquet {
            parquet.finish().and_then(|()| folder.finish(PARQUET)).map_err(fail(PARQUET))?;
        }
        let effects = self.sensitivity.map(|collector| collector.finish(self.space));
        Ok((self.cloud.into_iter().map(|(_, objectives)| objectives).collect(), effects))
    }

    /// Keeps the feasible points whose scrambled index is a multiple of a stride that doubles whenever there are too
    /// many: a fair sample, where every n-th point of a grid would show its pattern.
    fn thin(&mut self, block: &Block) {
        let width = self.plan.objectives.len();
        for (row, outcome) in block.outcomes.iter().enumerate() {
            let key = scrambled(block.indices[row]);
            if *outcome != crate::ppa::Outcome::Feasible || !key.is_multiple_of(self.stride) {
                continue;
            }
            self.cloud.push((key, block.objectives[row * width..(row + 1) * width].to_vec()));
            if self.cloud.len() > CLOUD {
                self.stride *= 2;
                self.cloud.retain(|(key, _)| key.is_multiple_of(self.stride));
            }
        }
    }
}

/// A bijection that mixes the bits of an index (the finalizer of SplitMix64; Steele et al., OOPSLA 2014).
fn scrambled(index: u64) -> u64 {
    let mut mixed = index.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl ResultFiles<'_> {
    fn block(&mut self, block: &Block) -> io::Result<()> {
        if self.rows == RowsKept::Front {
            return Ok(());
        }
        self.thin(block);
        if let Some(collector) = &mut self.sensitivity {
            collector.block(block, scrambled);
        }
        if self.csv.is_none() && self.parquet.is_none() {
            return Ok(());
        }
        let digits: Vec<Vec<u32>> = block
            .indices
            .iter()
            .map(|index| {
                let mut digits = Vec::new();
                self.space.digits(*index, &mut digits);
                digits
            })
            .collect();
        let rows = Rows::new(self.plan, self.schema, block, &digits);
        if let Some(csv) = &mut self.csv {
            for row in 0..rows.len() {
                csv.row(&rows, row, self.schema, &[]).map_err(|error| named(Path::new(CSV), &error))?;
            }
        }
        if let Some(parquet) = &mut self.parquet {
            parquet.rows(&rows, self.schema).map_err(|error| named(Path::new(PARQUET), &error))?;
        }
        Ok(())
    }
}
