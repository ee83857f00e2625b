//! What a point costs: evaluating some blocks, and writing them to nowhere.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::Failure;
use super::study::Ready;
use crate::explore::record::digest;
use crate::explore::{Block, Digest, Points, run_block};
use crate::report::csv::CsvWriter;
use crate::report::parquet::ParquetSink;
use crate::report::table::Rows;
use crate::spec::sweep::RowsKept;

/// Time that evaluation may take.
const BUDGET: Duration = Duration::from_millis(250);
/// Points that are written at most: one row group.
const MOST_ROWS: usize = 1 << 16;

/// What a point costs on this machine.
pub struct Cost {
    /// Points that were evaluated.
    pub sampled: u64,
    /// Seconds on one core to evaluate a point.
    pub evaluate: f64,
    /// Seconds on one core to write a point.
    pub write: f64,
    /// Bytes of a point in the record.
    pub record: f64,
    /// Bytes of a point in `results.csv`.
    pub csv: f64,
    /// Bytes of a point in `results.parquet`.
    pub parquet: f64,
}

/// Measures it on blocks all over the search.
///
/// # Errors
/// If a table cannot be made.
pub fn measure(ready: &Ready, points: &Points) -> Result<Cost, Failure> {
    let stop = AtomicBool::new(false);
    let job = ready.job(1, &stop);
    let blocks = points.blocks();
    let mut sampled: Vec<Block> = Vec::new();
    let mut digests = Vec::new();
    let (mut rows, mut number) = (0, 0);
    let started = Instant::now();
    while sampled.is_empty() || (started.elapsed() < BUDGET && (sampled.len() as u64) < blocks && rows < MOST_ROWS) {
        // The golden ratio spreads any number of blocks evenly.
        number += 1;
        let share = (f64::from(number) * 0.618_033_988_749_894_9).fract();
        let block = run_block(&job, points, ((share * blocks as f64) as u64).min(blocks - 1));
        rows += block.indices.len();
        // A run finds the front of each block on the thread that evaluates it.
        digest::pack(&Digest::of(&job, &block), &mut digests);
        sampled.push(block);
    }
    let evaluate = started.elapsed().as_secs_f64() / rows as f64;
    // As a run does it: in order.
    sampled.sort_by_key(|block| block.indices.first().copied());
    let started = Instant::now();
    let bytes =
        written(ready, &sampled).map_err(|source| Failure::Write { path: "a sample of results".into(), source })?;
    let write = started.elapsed().as_secs_f64() / rows as f64;
    let per_row = |bytes: u64| bytes as f64 / rows as f64;
    let record = match job.rows {
        RowsKept::All => ready.layout.bytes_per_point() as f64,
        RowsKept::Front => per_row(digests.len() as u64),
    };
    Ok(Cost { sampled: rows as u64, evaluate, write, record, csv: per_row(bytes.0), parquet: per_row(bytes.1) })
}

/// Writes blocks as a run would; gives the bytes of CSV and Parquet.
fn written(ready: &Ready, blocks: &[Block]) -> io::Result<(u64, u64)> {
    let Ready { study, plan, space, schema, .. } = ready;
    let (csv_bytes, parquet_bytes) = (Counter::default(), Counter::default());
    let output = &study.sweep.output;
    let mut csv = if output.csv { Some(CsvWriter::new(csv_bytes.clone(), schema, &[])?) } else { None };
    let mut parquet = if output.parquet { Some(ParquetSink::new(parquet_bytes.clone(), plan, schema)?) } else { None };
    for block in blocks {
        let digits: Vec<Vec<u32>> = block
            .indices
            .iter()
            .map(|index| {
                let mut digits = Vec::new();
                space.digits(*index, &mut digits);
                digits
            })
            .collect();
        let rows = Rows::new(plan, schema, block, &digits);
        if let Some(csv) = &mut csv {
            for row in 0..rows.len() {
                csv.row(&rows, row, schema, &[])?;
            }
        }
        if let Some(parquet) = &mut parquet {
            parquet.rows(&rows, schema)?;
        }
    }
    if let Some(csv) = csv {
        csv.finish()?;
    }
    if let Some(parquet) = parquet {
        parquet.finish()?;
    }
    Ok((csv_bytes.0.get(), parquet_bytes.0.get()))
}

/// Counts bytes and forgets them.
#[derive(Clone, Default)]
struct Counter(Rc<Cell<u64>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
