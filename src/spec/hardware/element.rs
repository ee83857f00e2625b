//! `pe` of a `[[unit]]`: a programmable processing element.

use crate::spec::diagnostic::{Collector, did_you_mean};
use crate::spec::figure::{Figure, Provenance};
use crate::spec::reader::{Quantity, Reader};
use crate::spec::source::Span;
use crate::spec::tree::Table;

/// `pe = { rows, cols, dataflow, tile_m, ... }` of a unit.
#[derive(Debug, Clone)]
pub struct ElementDecl {
    /// Where it stands.
    pub span: Span,
    /// Rows of the GEMM engine.
    pub rows: Quantity,
    /// Columns of the GEMM engine.
    pub cols: Quantity,
    /// `os`, `ws` or `is`, or a parameter that takes these words.
    pub dataflow: Quantity,
    /// Rows of a GEMM tile.
    pub tile_m: Quantity,
    /// Inner length of a GEMM tile.
    pub tile_k: Quantity,
    /// Columns of a GEMM tile.
    pub tile_n: Quantity,
    /// Most rows of a command; `None`: all of them.
    pub command_rows: Option<Quantity>,
    /// Tokens that each engine's queue takes from the feeder.
    pub queue_depth: Quantity,
    /// Rate of the DMA engine that reads.
    pub read_bytes_per_cycle: Figure,
    /// Rate of the DMA engine that writes.
    pub write_bytes_per_cycle: Figure,
    /// Rate of the math engine.
    pub math_elements_per_cycle: Figure,
    /// Cycles of every transfer beside its bytes.
    pub transfer_cycles: Figure,
    /// Cycles that the feeder spends on a command.
    pub command_cycles: Figure,
    /// What no DMA moves.
    pub resident: Vec<Operand>,
}

/// What an operator's commands work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// What the first product takes in.
    Input,
    /// The second operand of each product.
    Weights,
    /// What one product hands to the next.
    Between,
    /// What the last product gives.
    Output,
}

const OPERANDS: [(&str, Operand); 4] = [
    ("input", Operand::Input),
    ("weights", Operand::Weights),
    ("between", Operand::Between),
    ("output", Operand::Output),
];

impl ElementDecl {
    /// Its figures by name: rates, then overheads.
    pub fn figures(&self) -> [(&'static str, &Figure); 5] {
        [
            ("read_bytes_per_cycle", &self.read_bytes_per_cycle),
            ("write_bytes_per_cycle", &self.write_bytes_per_cycle),
            ("math_elements_per_cycle", &self.math_elements_per_cycle),
            ("transfer_cycles", &self.transfer_cycles),
            ("command_cycles", &self.command_cycles),
        ]
    }

    /// As [`ElementDecl::figures`], to be changed.
    pub fn figures_mut(&mut self) -> [(&'static str, &mut Figure); 5] {
        [
            ("read_bytes_per_cycle", &mut self.read_bytes_per_cycle),
            ("write_bytes_per_cycle", &mut self.write_bytes_per_cycle),
            ("math_elements_per_cycle", &mut self.math_elements_per_cycle),
            ("transfer_cycles", &mut self.transfer_cycles),
            ("command_cycles", &mut self.command_cycles),
        ]
    }
}

/// Reads the `pe` of a unit.
pub(super) fn read_element(table: &Table, diagnostics: &Collector) -> Option<ElementDecl> {
    let reader = Reader::new(table, "`pe`", diagnostics);
    let [rows, cols, tile_m, tile_k, tile_n, queue_depth] =
        ["rows", "cols", "tile_m", "tile_k", "tile_n", "queue_depth"].map(|key| reader.required_quantity(key));
    // The dataflows are words of their own here, not names of parameters.
    let dataflow = reader.required_quantity("dataflow");
    let command_rows = reader.quantity("command_rows");
    let [read, write, math, command] =
        ["read_bytes_per_cycle", "write_bytes_per_cycle", "math_elements_per_cycle", "command_cycles"]
            .map(|key| reader.required(key).and_then(|_| Figure::read(&reader, key)));
    let none = || Figure { quantity: Quantity::constant(0.0, &table.span), provenance: Provenance::default() };
    let transfer_cycles = Figure::read(&reader, "transfer_cycles").unwrap_or_else(none);
    let resident = match reader.node("resident") {
        Some(_) => read_resident(&reader),
        None => vec![Operand::Between],
    };
    reader.finish();
    Some(ElementDecl {
        span: table.span.clone(),
        rows: rows?,
        cols: cols?,
        dataflow: dataflow?,
        tile_m: tile_m?,
        tile_k: tile_k?,
        tile_n: tile_n?,
        command_rows,
        queue_depth: queue_depth?,
        read_bytes_per_cycle: read?,
        write_bytes_per_cycle: write?,
        math_elements_per_cycle: math?,
        transfer_cycles,
        command_cycles: command?,
        resident,
    })
}

fn read_resident(reader: &Reader<'_>) -> Vec<Operand> {
    let find = |(word, span): (String, Span)| {
        let found = OPERANDS.iter().find(|(name, _)| *name == word).map(|(_, operand)| *operand);
        if found.is_none() {
            let help = did_you_mean(&word, OPERANDS.map(|(name, _)| name));
            reader.error(&span, format!("no operand is called \"{word}\""), help);
        }
        found
    };
    reader.texts("resident").into_iter().filter_map(find).collect()
}
