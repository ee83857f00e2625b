//! `operators/*.toml`: operators, edges, memory traffic.

use std::sync::Arc;

use super::cycle::{cycle_text, find_cycle};
use super::diagnostic::{Collector, did_you_mean};
use super::kind::{KindDecl, Pass, read_kinds};
use super::parameter::{ParameterDecl, read_parameters};
use super::reader::{Quantity, Reader, quantity};
use super::schedule::{self, ScheduleDecl};
use super::source::{Source, Span};
use super::tree::{self, Table};

/// A checked pipeline file.
#[derive(Debug, Clone)]
pub struct PipelineDecl {
    /// Display name.
    pub name: String,
    /// The file.
    pub span: Span,
    /// Parameters that the pipeline owns.
    pub parameters: Vec<ParameterDecl>,
    /// Operator kinds of its own.
    pub kinds: Vec<KindDecl>,
    /// How it streams; `None`: every operator works on the whole frame.
    pub stream: Option<StreamDecl>,
    /// Operators in the order of the file.
    pub operators: Vec<OperatorDecl>,
    /// Edges.
    pub edges: Vec<EdgeDecl>,
    /// Memory traffic.
    pub traffic: Vec<TrafficDecl>,
    /// How many iterations it makes; only of pipelines with carried edges.
    pub training: Option<TrainingDecl>,
    /// Who goes first where operators compete; the sweep may say otherwise.
    pub schedule: Option<ScheduleDecl>,
    /// Explicit mapping: operator, unit, place.
    pub mapping: Vec<(String, String, Span)>,
}

/// How often a training pipeline is executed.
#[derive(Debug, Clone)]
pub struct TrainingDecl {
    /// Where its table stands.
    pub span: Span,
    /// Number of iterations.
    pub iterations: Quantity,
}

/// What streams through the pipeline and which measurement of the scene it is.
#[derive(Debug, Clone)]
pub struct StreamDecl {
    /// Where its table stands.
    pub span: Span,
    /// Which measurement of the scene the tiles are; `None`: batches of rays or samples, all equal.
    pub binning: Option<BinningKey>,
    /// Number of batches, or of tiles of a scene that has totals only.
    pub equal_tiles: Quantity,
}

/// What picks one of a scene's measurements.
#[derive(Debug, Clone)]
pub struct BinningKey {
    /// Tile edge in pixels.
    pub tile: Quantity,
    /// Overlap test; its value is the scene's `test`.
    pub test: Quantity,
}

/// One operator.
#[derive(Debug, Clone)]
pub struct OperatorDecl {
    /// Its name.
    pub name: String,
    /// Where its table stands.
    pub span: Span,
    /// Its kind, with the place.
    pub kind: (String, Span),
    /// Values or gradients.
    pub pass: Pass,
    /// Values of the kind's parameters.
    pub arguments: Vec<(String, Span, Quantity)>,
    /// Counts that it states itself, such as measured ones, in the place of its kind's.
    pub stated: Vec<(String, Span, Quantity)>,
    /// The composite that it is a stage of, over whose parameters its arguments are; `None` for what a file declares.
    pub stage_of: Option<Arc<OperatorDecl>>,
}

impl OperatorDecl {
    /// The operator that the file declares: itself, or the composite that it is a stage of.
    pub fn declared(&self) -> &Self {
        self.stage_of.as_deref().map_or(self, Self::declared)
    }

    /// Its kind, then those of the composites that it is a stage of.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self), |one| one.stage_of.as_deref()).map(|one| one.kind.0.as_str())
    }
}

/// What an edge means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// The consumer starts when the producer has finished altogether.
    Barrier,
    /// Tile by tile through a buffer.
    Stream,
    /// The result feeds the next iteration: no dependency of this one.
    Carried,
}

impl EdgeKind {
    const NAMES: [(&'static str, EdgeKind); 3] =
        [("barrier", EdgeKind::Barrier), ("stream", EdgeKind::Stream), ("carried", EdgeKind::Carried)];
}

/// Tiles that fit between producer and consumer of a stream that does not say so: two, one for each to work on.
pub const DEFAULT_BUFFER: f64 = 2.0;

/// A dependency.
#[derive(Debug, Clone)]
pub struct EdgeDecl {
    /// Where its table stands.
    pub span: Span,
    /// Producer, with the place.
    pub from: (String, Span),
    /// Consumer, with the place.
    pub to: (String, Span),
    /// Barrier or stream.
    pub kind: EdgeKind,
    /// Tiles that fit between producer and consumer, those in work included.
    pub buffer: Quantity,
}

/// Direction of a transfer, seen from the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the memory.
    Read,
    /// To the memory.
    Write,
}

/// One stream of memory traffic of an operator.
#[derive(Debug, Clone)]
pub struct TrafficDecl {
    /// Where its table stands.
    pub span: Span,
    /// What it carries.
    pub name: String,
    /// The operator, with the place.
    pub operator: (String, Span),
    /// `dram` or an SRAM block of the hardware, with the place.
    pub memory: (String, Span),
    /// Read or write.
    pub direction: Direction,
    /// Bytes per tile of a streamed operator, else per frame.
    pub bytes: Quantity,
    /// Access pattern, with the place.
    pub pattern: (String, Span),
    /// Accesses of an SRAM block that the operator issues together, one per lane.
    pub lanes: Option<Quantity>,
    /// Distance of a strided pattern in words of the block's width.
    pub stride_words: Option<Quantity>,
    /// What the block holds of this stream while the operator works on a tile (or the frame).
    pub working_set: Option<WorkingSet>,
}

/// What a stream keeps in an SRAM block.
#[derive(Debug, Clone)]
pub struct WorkingSet {
    /// KiB per tile of a streamed operator, else per frame.
    pub kib: Quantity,
    /// DRAM access pattern of what does not fit; `None`: it cannot spill.
    pub spill: Option<(String, Span)>,
}

/// Reads a pipeline file; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<PipelineDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a pipeline file", diagnostics);
    let name = reader.required_text("name");
    reader.text("doc");
    reader.text("source");
    let parameters = read_parameters(&reader);
    let kinds = read_kinds(&reader);
    let stream = reader.table("stream").map(|table| read_stream(table, diagnostics));
    let schedule = reader.table("schedule").map(|table| schedule::read(table, diagnostics));
    let training = reader.table("training").map(|table| read_training(table, diagnostics));
    let operators: Vec<_> =
        reader.tables("operator").into_iter().filter_map(|table| read_operator(table, diagnostics)).collect();
    if root.get("operator").is_none() {
        reader.error(reader.span(), "this pipeline has no operators", "add at least one [[operator]]");
    }
    super::report_repeated(operators.iter().map(|operator| (&operator.name, &operator.span)), "operator", diagnostics);
    let edges: Vec<_> = reader.tables("edge").into_iter().filter_map(|table| read_edge(table, diagnostics)).collect();
    let traffic: Vec<_> =
        reader.tables("traffic").into_iter().filter_map(|table| read_traffic(table, diagnostics)).collect();
    let mapping = read_mapping(&reader);
    let mentioned =
        edges.iter().flat_map(|edge| [&edge.from, &edge.to]).chain(traffic.iter().map(|traffic| &traffic.operator));
    for (name, span) in mentioned
        .map(|(name, span)| (name.as_str(), span))
        .chain(mapping.iter().map(|(name, _, span)| (name.as_str(), span)))
    {
        if !operators.iter().any(|operator| operator.name == name) {
            let known = operators.iter().map(|operator| operator.name.as_str());
            reader.error(span, format!("there is no operator `{name}` in this pipeline"), did_you_mean(name, known));
        }
    }
    report_cycle(&operators, &edges, &reader);
    reader.finish();
    Some(PipelineDecl {
        name: name?,
        span: Span::new(source, 0..0),
        parameters,
        kinds,
        stream: match stream {
            Some(stream) => Some(stream?),
            None => None,
        },
        operators,
        edges,
        traffic,
        training: match training {
            Some(training) => Some(training?),
            None => None,
        },
        schedule: match schedule {
            Some(schedule) => Some(schedule?),
            None => None,
        },
        mapping,
    })
}

fn read_training(table: &Table, diagnostics: &Collector) -> Option<TrainingDecl> {
    let reader = Reader::new(table, "[training]", diagnostics);
    let iterations = reader.required_quantity("iterations");
    reader.finish();
    Some(TrainingDecl { span: table.span.clone(), iterations: iterations? })
}

fn read_stream(table: &Table, diagnostics: &Collector) -> Option<StreamDecl> {
    let reader = Reader::new(table, "[stream]", diagnostics);
    reader.required("over");
    let by_tile = reader.choice("over", &[("tiles", true), ("batches", false)]);
    let (binning, equal_tiles) = match by_tile {
        Some(true) => {
            let (tile, test) = (reader.required_quantity("tile"), reader.required_quantity("test"));
            (Some(BinningKey { tile: tile?, test: test? }), reader.required_quantity("equal_tiles"))
        }
        Some(false) => (None, reader.required_quantity("batches")),
        None => return None,
    };
    reader.finish();
    Some(StreamDecl { span: table.span.clone(), binning, equal_tiles: equal_tiles? })
}

fn read_operator(table: &Table, diagnostics: &Collector) -> Option<OperatorDecl> {
    let reader = Reader::new(table, "an [[operator]]", diagnostics);
    let name = reader.required_text("name");
    reader.text("doc");
    let kind = named(&reader, "kind");
    let pass = reader.choice("pass", &Pass::NAMES).unwrap_or(Pass::Forward);
    let stated = reader.table("counts").map_or_else(Vec::new, |table| read_stated(table, diagnostics));
    let arguments = reader
        .rest()
        .into_iter()
        .filter_map(|(key, span, node)| Some((key.clone(), span.clone(), quantity(node, key, diagnostics)?)))
        .collect();
    Some(OperatorDecl { name: name?, span: table.span.clone(), kind: kind?, pass, arguments, stated, stage_of: None })
}

fn read_stated(table: &Table, diagnostics: &Collector) -> Vec<(String, Span, Quantity)> {
    let reader = Reader::new(table, "`counts`", diagnostics);
    let entries = reader.rest();
    entries
        .into_iter()
        .filter_map(|(key, span, node)| Some((key.clone(), span.clone(), quantity(node, key, diagnostics)?)))
        .collect()
}

/// A required name with its place.
fn named(reader: &Reader<'_>, key: &str) -> Option<(String, Span)> {
    let span = reader.required(key)?.span.clone();
    Some((reader.text(key)?, span))
}

/// Reports operators of one iteration that wait for each other.
fn report_cycle(operators: &[OperatorDecl], edges: &[EdgeDecl], reader: &Reader<'_>) {
    let at = |name: &str| operators.iter().position(|operator| operator.name == name);
    let edges = edges.iter().filter(|edge| edge.kind != EdgeKind::Carried);
    let ends: Vec<(usize, usize)> = edges.filter_map(|edge| Some((at(&edge.from.0)?, at(&edge.to.0)?))).collect();
    let Some(cycle) = find_cycle(operators.len(), &ends) else { return };
    let last = &operators[cycle[cycle.len() - 1]].span;
    reader.error(
        &last.part(0..last.text().find('\n').unwrap_or(0)),
        format!(
            "these operators wait for each other: {}",
            cycle_text(cycle.iter().map(|at| operators[*at].name.as_str()))
        ),
        "remove one of the edges; one that leads to the next iteration has kind = \"carried\"",
    );
}

fn read_edge(table: &Table, diagnostics: &Collector) -> Option<EdgeDecl> {
    let reader = Reader::new(table, "an [[edge]]", diagnostics);
    let from = named(&reader, "from");
    let to = named(&reader, "to");
    reader.required("kind");
    let kind = reader.choice("kind", &EdgeKind::NAMES);
    let stated = reader.quantity("buffer");
    if let (Some(EdgeKind::Barrier | EdgeKind::Carried), Some(buffer)) = (kind, &stated) {
        reader.error(
            &buffer.span,
            "only a stream has a buffer of tiles; a barrier has no buffer",
            "remove `buffer`, or write kind = \"stream\"",
        );
    }
    let buffer = stated.unwrap_or_else(|| Quantity::constant(DEFAULT_BUFFER, &table.span));
    reader.finish();
    Some(EdgeDecl { span: table.span.clone(), from: from?, to: to?, kind: kind?, buffer })
}

fn read_traffic(table: &Table, diagnostics: &Collector) -> Option<TrafficDecl> {
    let reader = Reader::new(table, "a [[traffic]]", diagnostics);
    let name = reader.required_text("name");
    let operator = named(&reader, "operator");
    let memory = named(&reader, "memory");
    reader.required("direction");
    let direction = reader.choice("direction", &[("read", Direction::Read), ("write", Direction::Write)]);
    let bytes = reader.required_quantity("bytes");
    let pattern_span = reader.node("pattern").map_or_else(|| table.span.clone(), |node| node.span.clone());
    let pattern = reader.text("pattern").unwrap_or_else(|| "stream".into());
    let (lanes, stride_words) = (reader.quantity("lanes"), reader.quantity("stride_words"));
    let working_set = read_working_set(&reader);
    reader.finish();
    Some(TrafficDecl {
        span: table.span.clone(),
        name: name?,
        operator: operator?,
        memory: memory?,
        direction: direction?,
        bytes: bytes?,
        pattern: (pattern, pattern_span),
        lanes,
        stride_words,
        working_set,
    })
}

/// Reads `working_set_kib` and `spill`, of which neither stands alone.
fn read_working_set(reader: &Reader<'_>) -> Option<WorkingSet> {
    let kib = reader.quantity("working_set_kib");
    let spill_span = reader.node("spill").map(|node| node.span.clone());
    let spill = reader.text("spill");
    match (kib, spill.zip(spill_span)) {
        (Some(kib), Some((word, span))) => Some(WorkingSet { kib, spill: (word != "never").then_some((word, span)) }),
        (Some(kib), None) => {
            reader.error(
                &kib.span,
                "a working set must say where it goes if it does not fit",
                "add `spill = \"stream\"` (or another access pattern of the DRAM), or `spill = \"never\"`",
            );
            None
        }
        (None, Some((_, span))) => {
            reader.error(&span, "`spill` needs a working set", "add `working_set_kib = ...`");
            None
        }
        (None, None) => None,
    }
}

fn read_mapping(reader: &Reader<'_>) -> Vec<(String, String, Span)> {
    let Some(table) = reader.table("mapping") else { return Vec::new() };
    let inner = Reader::new(table, "[mapping]", reader.diagnostics());
    inner
        .rest()
        .into_iter()
        .filter_map(|(operator, span, _)| Some((operator.clone(), inner.text(operator)?, span.clone())))
        .collect()
}
