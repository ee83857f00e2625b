//! Results as CSV: every number in the shortest form that reads back as the same f64.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::table::{Cell, Rows, Schema};

/// Writes rows to any output.
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
    text: String,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header, with the names of further columns that the caller appends to each row.
    ///
    /// # Errors
    /// If the output fails.
    pub fn new(output: W, schema: &Schema, further: &[&str]) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(schema.columns.iter().map(|column| column.name.as_str()).chain(further.iter().copied()))?;
        Ok(Self { writer, text: String::new() })
    }

    /// Writes one row.
    ///
    /// # Errors
    /// If the output fails.
    pub fn row(&mut self, rows: &Rows<'_>, row: usize, schema: &Schema, further: &[u64]) -> io::Result<()> {
        for column in &schema.columns {
            self.text.clear();
            // Writing to a string cannot fail.
            let _ = match rows.cell(row, column.content) {
                Cell::Whole(value) => write!(self.text, "{value}"),
                Cell::Number(value) => write!(self.text, "{value}"),
                Cell::Text(text) => self.text.write_str(text),
                Cell::Empty => Ok(()),
            };
            self.writer.write_field(&self.text)?;
        }
        for value in further {
            self.writer.write_field(value.to_string())?;
        }
        self.writer.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Flushes and gives the output back.
    ///
    /// # Errors
    /// If the output fails.
    pub fn finish(self) -> io::Result<W> {
        self.writer.into_inner().map_err(|error| error.into_error())
    }
}
