//! What a hardware file asks the models for: SRAM figures, arrays sized by rows and columns, logic made of operations,
//! hit rates, DRAM parts. Nothing here is a default: a model answers only where a file asks.

use super::diagnostic::Collector;
use super::figure::Provenance;
use super::reader::{Quantity, Reader};
use super::source::Span;
use super::tree::{Table, Value};

/// A word with its place; the layer that knows the model checks it.
pub type Word = (String, Span);

/// A figure that the SRAM model can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SramPart {
    /// Area.
    Area,
    /// Energy of reads and writes.
    Energy,
    /// Leakage.
    Leakage,
    /// Bandwidth of the ports, from banks, width and access time.
    Bandwidth,
    /// Latency of the ports, from the access time.
    Latency,
}

impl SramPart {
    const NAMES: [(&'static str, SramPart); 5] = [
        ("area", SramPart::Area),
        ("energy", SramPart::Energy),
        ("leakage", SramPart::Leakage),
        ("bandwidth", SramPart::Bandwidth),
        ("latency", SramPart::Latency),
    ];
}

/// `model = { cell, gives, node_nm, extrapolate }` of an SRAM block.
#[derive(Debug, Clone)]
pub struct SramRequest {
    /// Where it stands.
    pub span: Span,
    /// Transistors: `hp` or `lstp`.
    pub cell: Word,
    /// What the model gives; `None`: what the file leaves out of area, energy and leakage.
    pub gives: Option<Vec<(SramPart, Span)>>,
    /// Technology node, where it is not the hardware's.
    pub node_nm: Option<f64>,
    /// Whether shapes and capacities outside the model's table are wanted.
    pub extrapolate: bool,
}

/// `hit_rate = { capacity_kib, rate, miss_pattern, ... }` of a cache-like block.
#[derive(Debug, Clone)]
pub struct HitRateDecl {
    /// Where it stands.
    pub span: Span,
    /// `(total capacity in KiB, share of the bytes that hit)`, capacities increasing, rates not falling.
    pub points: Vec<(f64, f64)>,
    /// DRAM access pattern of the misses.
    pub miss_pattern: Word,
    /// Where the curve comes from.
    pub provenance: Provenance,
}

/// A figure that the arithmetic models can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayPart {
    /// Cycles of matrix products, fold by fold.
    Cycles,
    /// Area.
    Area,
    /// Energy.
    Energy,
}

impl ArrayPart {
    const NAMES: [(&'static str, ArrayPart); 3] =
        [("cycles", ArrayPart::Cycles), ("area", ArrayPart::Area), ("energy", ArrayPart::Energy)];
}

/// Which measured operations a figure is made of.
#[derive(Debug, Clone)]
pub struct OpChoice {
    /// The set: `horowitz`, `jouppi` or `aladdin`.
    pub set: Word,
    /// Node of the operations, where it is not the hardware's; their figures are then scaled to the hardware's.
    pub node_nm: Option<f64>,
    /// Cycle time for which the operation was made, ns; of `aladdin` only.
    pub cycle_ns: Option<f64>,
}

/// `array = { rows, cols, dataflow, multiply, accumulate, set, ... }` of a unit: multiply-accumulators in a systolic array.
#[derive(Debug, Clone)]
pub struct ArrayDecl {
    /// Where it stands.
    pub span: Span,
    /// Rows of one instance.
    pub rows: Quantity,
    /// Columns of one instance.
    pub cols: Quantity,
    /// `os`, `ws` or `is`, or a parameter that takes these words.
    pub dataflow: Quantity,
    /// Precision of the products: `int8`, `fp16` ...
    pub multiply: Word,
    /// Precision of the sums.
    pub accumulate: Word,
    /// The operations.
    pub ops: OpChoice,
    /// What the models give; `None`: what the file leaves out of cycles, area and energy.
    pub gives: Option<Vec<(ArrayPart, Span)>>,
}

/// `logic = { operations, set, ... }` of a unit: operations that all work in every busy cycle.
#[derive(Debug, Clone)]
pub struct LogicDecl {
    /// Where it stands.
    pub span: Span,
    /// Operations of one instance and how many.
    pub operations: Vec<(Word, Quantity)>,
    /// Where their figures come from.
    pub ops: OpChoice,
    /// What the model gives; `None`: what the file leaves out of area and energy.
    pub gives: Option<Vec<(ArrayPart, Span)>>,
}

/// `model = { channels, request_bytes, outstanding, gives }` of a DRAM.
#[derive(Debug, Clone)]
pub struct DramRequest {
    /// Where it stands.
    pub span: Span,
    /// Channels.
    pub channels: Quantity,
    /// Bytes of one request.
    pub request_bytes: Quantity,
    /// Requests in flight on each channel.
    pub outstanding: Quantity,
    /// Distance in bytes of pattern `stride`; `None`: the pattern is not asked for.
    pub stride_bytes: Option<f64>,
    /// Share of requests that write.
    pub write_share: f64,
}

fn read_gives<T: Copy + PartialEq>(reader: &Reader<'_>, names: &[(&str, T)]) -> Option<Vec<(T, Span)>> {
    reader.node("gives")?;
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let find = |(word, span): (String, Span)| {
        let found = names.iter().find(|(name, _)| *name == word).map(|(_, part)| (*part, span.clone()));
        if found.is_none() {
            let help = format!("known are: {}", known.join(", "));
            reader.error(&span, format!("the model cannot give \"{word}\""), help);
        }
        found
    };
    Some(reader.texts("gives").into_iter().filter_map(find).collect())
}

fn read_word(reader: &Reader<'_>, key: &str) -> Option<Word> {
    let span = reader.required(key)?.span.clone();
    Some((reader.text(key)?, span))
}

/// Reads the `model` of an SRAM block.
pub fn read_sram_request(table: &Table, diagnostics: &Collector) -> Option<SramRequest> {
    let reader = Reader::new(table, "`model` of an [[sram]]", diagnostics);
    let cell = read_word(&reader, "cell");
    let gives = read_gives(&reader, &SramPart::NAMES);
    let node_nm = reader.number("node_nm");
    let extrapolate = reader.boolean("extrapolate").unwrap_or(false);
    reader.finish();
    Some(SramRequest { span: table.span.clone(), cell: cell?, gives, node_nm, extrapolate })
}

/// Reads the `hit_rate` of an SRAM block.
pub fn read_hit_rate(table: &Table, diagnostics: &Collector) -> Option<HitRateDecl> {
    let reader = Reader::new(table, "`hit_rate`", diagnostics);
    let capacities = read_numbers(&reader, "capacity_kib");
    let rates = read_numbers(&reader, "rate");
    let miss_pattern = read_word(&reader, "miss_pattern");
    let provenance = Provenance::read(&reader);
    reader.finish();
    let (capacities, rates) = (capacities?, rates?);
    let rises = |values: &[f64]| values.windows(2).all(|pair| pair[0] <= pair[1]);
    let sound = capacities.len() == rates.len()
        && capacities.len() >= 2
        && capacities.windows(2).all(|pair| pair[0] < pair[1])
        && capacities.first().is_some_and(|first| *first > 0.0)
        && rises(&rates)
        && rates.iter().all(|rate| (0.0..=1.0).contains(rate));
    if !sound {
        reader_error(
            table,
            diagnostics,
            "a hit-rate curve needs as many rates as capacities, at least two; capacities above 0 that rise, rates from \
             0 to 1 that never fall",
            "write `hit_rate = { capacity_kib = [16, 64], rate = [0.7, 0.9], ... }`",
        );
        return None;
    }
    let points = capacities.into_iter().zip(rates).collect();
    Some(HitRateDecl { span: table.span.clone(), points, miss_pattern: miss_pattern?, provenance })
}

fn reader_error(table: &Table, diagnostics: &Collector, message: &str, help: &str) {
    diagnostics.error(super::Diagnostic::new(&table.span, message).help(help));
}

fn read_numbers(reader: &Reader<'_>, key: &str) -> Option<Vec<f64>> {
    let node = reader.required(key)?;
    let numbers = match &node.value {
        Value::Array(items) => items
            .iter()
            .map(|item| match &item.value {
                Value::Number(text) => text.parse::<f64>().ok().filter(|value| value.is_finite()),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    if numbers.is_none() {
        reader.error(&node.span, format!("`{key}` must be a list of numbers"), format!("write `{key} = [1, 2, 4]`"));
    }
    numbers
}

fn read_ops(reader: &Reader<'_>) -> Option<OpChoice> {
    let (node_nm, cycle_ns) = (reader.number("node_nm"), reader.number("cycle_ns"));
    Some(OpChoice { set: read_word(reader, "set")?, node_nm, cycle_ns })
}

/// Reads the `array` of a unit.
pub fn read_array(table: &Table, diagnostics: &Collector) -> Option<ArrayDecl> {
    let reader = Reader::new(table, "`array`", diagnostics);
    let (rows, cols) = (reader.required_quantity("rows"), reader.required_quantity("cols"));
    let dataflow = read_dataflow(&reader);
    let (multiply, accumulate) = (read_word(&reader, "multiply"), read_word(&reader, "accumulate"));
    let ops = read_ops(&reader);
    let gives = read_gives(&reader, &ArrayPart::NAMES);
    reader.finish();
    Some(ArrayDecl {
        span: table.span.clone(),
        rows: rows?,
        cols: cols?,
        dataflow: dataflow?,
        multiply: multiply?,
        accumulate: accumulate?,
        ops: ops?,
        gives,
    })
}

/// `is` is a word of its own here, not the name of a parameter, and so are `os` and `ws`.
fn read_dataflow(reader: &Reader<'_>) -> Option<Quantity> {
    reader.required("dataflow")?;
    reader.quantity("dataflow")
}

/// Reads the `logic` of a unit.
pub fn read_logic(table: &Table, diagnostics: &Collector) -> Option<LogicDecl> {
    let reader = Reader::new(table, "`logic`", diagnostics);
    let ops = read_ops(&reader);
    let gives = read_gives(&reader, &ArrayPart::NAMES);
    if let Some((_, span)) = gives.iter().flatten().find(|(part, _)| *part == ArrayPart::Cycles) {
        reader.error(span, "`logic` has no throughput of its own", "say `rate` or `cycles`, and take \"cycles\" off");
    }
    reader.required("operations");
    let operations = reader.table("operations").map(|table| {
        let inner = Reader::new(table, "`operations`", diagnostics);
        let entries = inner.rest();
        let read = |(name, span, _): &(String, Span, _)| Some(((name.clone(), span.clone()), inner.quantity(name)?));
        entries.into_iter().filter_map(read).collect()
    });
    reader.finish();
    Some(LogicDecl { span: table.span.clone(), operations: operations?, ops: ops?, gives })
}

/// Reads the `model` of a DRAM.
pub fn read_dram_request(table: &Table, diagnostics: &Collector) -> Option<DramRequest> {
    let reader = Reader::new(table, "`model` of [dram]", diagnostics);
    let channels = reader.required_quantity("channels");
    let request_bytes = reader.required_quantity("request_bytes");
    let outstanding = reader.required_quantity("outstanding");
    let stride_bytes = reader.number("stride_bytes");
    let write_share = reader.number("write_share").unwrap_or(0.0);
    reader.finish();
    Some(DramRequest {
        span: table.span.clone(),
        channels: channels?,
        request_bytes: request_bytes?,
        outstanding: outstanding?,
        stride_bytes,
        write_share,
    })
}
