//! Results as Parquet, in row groups of a fixed size, so that the file is the same for any number of threads.

use std::io::{self, Write};

use polars::prelude::*;

use super::table::{Cell, CellType, Rows, Schema as Columns};
use crate::ppa::Plan;

/// Rows of one row group: what is held in memory.
const ROW_GROUP: usize = 1 << 16;

/// Writes rows to a Parquet file.
pub struct ParquetSink<W: Write> {
    writer: polars::io::parquet::write::BatchedWriter<W>,
    buffers: Vec<Buffer>,
    names: Vec<String>,
    rows: usize,
}

enum Buffer {
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

impl<W: Write> ParquetSink<W> {
    /// Opens a file with the columns of a run.
    ///
    /// # Errors
    /// If the output fails.
    pub fn new(output: W, plan: &Plan, columns: &Columns) -> io::Result<Self> {
        let buffers: Vec<Buffer> = columns
            .columns
            .iter()
            .map(|column| match columns.cell_type(plan, column.content) {
                CellType::Whole => Buffer::Whole(Vec::with_capacity(ROW_GROUP)),
                CellType::Number => Buffer::Number(Vec::with_capacity(ROW_GROUP)),
                CellType::Text => Buffer::Text(Vec::with_capacity(ROW_GROUP)),
            })
            .collect();
        let names: Vec<String> = columns.columns.iter().map(|column| column.name.clone()).collect();
        let fields = names.iter().zip(&buffers).map(|(name, buffer)| {
            let kind = match buffer {
                Buffer::Whole(_) => DataType::Int64,
                Buffer::Number(_) => DataType::Float64,
                Buffer::Text(_) => DataType::String,
            };
            Field::new(name.as_str().into(), kind)
        });
        let schema: polars::prelude::Schema = fields.collect();
        let writer = ParquetWriter::new(output)
            .with_compression(ParquetCompression::Zstd(None))
            .batched(&schema)
            .map_err(io::Error::other)?;
        Ok(Self { writer, buffers, names, rows: 0 })
    }

    /// Adds the rows of a block.
    ///
    /// # Errors
    /// If the output fails.
    pub fn rows(&mut self, rows: &Rows<'_>, columns: &Columns) -> io::Result<()> {
        for row in 0..rows.len() {
            for (column, buffer) in columns.columns.iter().zip(&mut self.buffers) {
                buffer.push(rows.cell(row, column.content));
            }
            self.rows += 1;
            if self.rows == ROW_GROUP {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let series: Vec<polars::prelude::Column> =
            self.names.iter().zip(&mut self.buffers).map(|(name, buffer)| buffer.take(name)).collect();
        let frame = DataFrame::new(self.rows, series).map_err(io::Error::other)?;
        self.rows = 0;
        self.writer.write_batch(&frame).map_err(io::Error::other)
    }

    /// Writes the rest and the footer.
    ///
    /// # Errors
    /// If the output fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.writer.finish().map(drop).map_err(io::Error::other)
    }
}

impl Buffer {
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Whole(values), Cell::Whole(value)) => values.push(Some(value)),
            (Self::Whole(values), _) => values.push(None),
            (Self::Number(values), Cell::Number(value)) => values.push(Some(value)),
            (Self::Number(values), Cell::Whole(value)) => values.push(Some(value as f64)),
            (Self::Number(values), _) => values.push(None),
            (Self::Text(values), Cell::Text(text)) => values.push(Some(text.to_owned())),
            (Self::Text(values), _) => values.push(None),
        }
    }

    fn take(&mut self, name: &str) -> polars::prelude::Column {
        let name: PlSmallStr = name.into();
        match self {
            Self::Whole(values) => {
                let column = polars::prelude::Column::new(name, values.as_slice());
                values.clear();
                column
            }
            Self::Number(values) => {
                let column = polars::prelude::Column::new(name, values.as_slice());
                values.clear();
                column
            }
            Self::Text(values) => {
                let column = polars::prelude::Column::new(name, values.as_slice());
                values.clear();
                column
            }
        }
    }
}
