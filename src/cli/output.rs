//! The folder of a run while it is written: under a temporary name until everything is in it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Failure;
use crate::explore::{Block, Observer, Space};
use crate::ppa::Plan;
use crate::report::csv::CsvWriter;
use crate::report::parquet::ParquetSink;
use crate::report::table::{Rows, Schema};
use crate::spec::sweep::OutputDecl;

/// A run's folder in the making. Dropped before [`RunFolder::publish`], it vanishes.
pub struct RunFolder {
    partial: PathBuf,
    target: PathBuf,
    published: bool,
}

impl RunFolder {
    /// Starts a folder for run `name` under `out`.
    pub fn create(out: &Path, name: &str) -> Result<Self, Failure> {
        let partial = out.join(format!(".{name}.partial"));
        let fail = |source| Failure::Write { path: partial.clone(), source };
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(fail)?;
        }
        fs::create_dir_all(partial.join("figures")).map_err(fail)?;
        Ok(Self { target: out.join(name), partial, published: false })
    }

    /// Writes a whole file.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let path = self.partial.join(name);
        let result = File::create(&path).and_then(|mut file| {
            file.write_all(contents)?;
            file.sync_all()
        });
        result.map_err(|source| Failure::Write { path, source })
    }

    /// Opens a file to be written bit by bit.
    pub fn open(&self, name: &str) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::with_capacity(1 << 20, File::create(self.partial.join(name))?))
    }

    /// Gives the folder its final name, replacing an older run.
    pub fn publish(mut self) -> Result<PathBuf, Failure> {
        let fail = |source| Failure::Write { path: self.target.clone(), source };
        let old = self.partial.with_extension("replaced");
        if self.target.exists() {
            if old.exists() {
                fs::remove_dir_all(&old).map_err(fail)?;
            }
            fs::rename(&self.target, &old).map_err(fail)?;
        }
        fs::rename(&self.partial, &self.target).map_err(fail)?;
        self.published = true;
        if old.exists() {
            fs::remove_dir_all(&old).map_err(fail)?;
        }
        Ok(self.target.clone())
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.published {
            // Nothing better can be done with a folder that cannot be removed.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// Writes results to the files that a sweep wants.
pub struct ResultFiles<'a> {
    plan: &'a Plan,
    space: &'a Space,
    schema: &'a Schema,
    csv: Option<CsvWriter<BufWriter<File>>>,
    parquet: Option<ParquetSink<BufWriter<File>>>,
    progress: Box<dyn FnMut(u64, usize) + Send + 'a>,
    /// Thinned feasible points for the figure: scrambled index, objectives.
    cloud: Vec<(u64, Vec<f64>)>,
    stride: u64,
}

/// Most background points of a figure that are held in memory.
const CLOUD: usize = 20_000;

impl<'a> ResultFiles<'a> {
    /// Opens the files.
    pub fn create(
        folder: &RunFolder,
        plan: &'a Plan,
        space: &'a Space,
        schema: &'a Schema,
        output: &OutputDecl,
        progress: Box<dyn FnMut(u64, usize) + Send + 'a>,
    ) -> Result<Self, Failure> {
        let open =
            |name: &str| folder.open(name).map_err(|source| Failure::Write { path: folder.partial.join(name), source });
        let fail = |name: &str| {
            let path = folder.partial.join(name);
            move |source| Failure::Write { path, source }
        };
        let csv = match output.csv {
            true => Some(CsvWriter::new(open("results.csv")?, schema, &[]).map_err(fail("results.csv"))?),
            false => None,
        };
        let parquet = match output.parquet {
            true => Some(ParquetSink::new(open("results.parquet")?, plan, schema).map_err(fail("results.parquet"))?),
            false => None,
        };
        Ok(Self { plan, space, schema, csv, parquet, progress, cloud: Vec::new(), stride: 1 })
    }

    /// Finishes the files; gives the thinned feasible points.
    pub fn finish(self) -> io::Result<Vec<Vec<f64>>> {
        if let Some(csv) = self.csv {
            let mut output = csv.finish()?;
            output.flush()?;
            output.get_ref().sync_all()?;
        }
        if let Some(parquet) = self.parquet {
            parquet.finish()?;
        }
        Ok(self.cloud.into_iter().map(|(_, objectives)| objectives).collect())
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

impl Observer for ResultFiles<'_> {
    fn block(&mut self, block: &Block) -> io::Result<()> {
        self.thin(block);
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
                csv.row(&rows, row, self.schema, &[])?;
            }
        }
        if let Some(parquet) = &mut self.parquet {
            parquet.rows(&rows, self.schema)?;
        }
        Ok(())
    }

    fn progress(&mut self, done: u64, front: usize) {
        (self.progress)(done, front);
    }
}
