//! `[output]` of a sweep file: what is written and drawn.

use super::diagnostic::{Collector, did_you_mean};
use super::reader::{Reader, quantity};
use super::source::Span;
use super::sweep::{SweepParameter, SweepValue};
use super::tree::{Node, Table, Value};

/// Most marked designs: a figure has as many shapes.
pub const MAX_MARKS: usize = 5;

/// What a run keeps of the points that it evaluates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowsKept {
    /// Every point: a row of the result files, and of the record.
    #[default]
    All,
    /// The front only, and what was counted.
    Front,
}

/// `[output]`.
#[derive(Debug, Clone)]
pub struct OutputDecl {
    /// What is kept of the points.
    pub rows: RowsKept,
    /// Write `results.csv`.
    pub csv: bool,
    /// Write `results.parquet`.
    pub parquet: bool,
    /// Write `figures/pareto.svg`.
    pub pareto_figure: bool,
    /// Write `figures/tiles.svg`.
    pub tiles_figure: bool,
    /// Write `figures/convergence.svg`; where the file says so, the place.
    pub convergence_figure: Option<Span>,
    /// Decompose the objectives' variance; where the file says so, the place.
    pub sensitivity: Option<Span>,
    /// Metrics to write, with their places; empty: all.
    pub metrics: Vec<(String, Span)>,
    /// Designs that are evaluated beside the space and marked in its figure.
    pub marks: Vec<MarkDecl>,
}

impl Default for OutputDecl {
    fn default() -> Self {
        Self {
            rows: RowsKept::All,
            csv: true,
            parquet: true,
            pareto_figure: true,
            tiles_figure: false,
            convergence_figure: None,
            sensitivity: None,
            metrics: Vec::new(),
            marks: Vec::new(),
        }
    }
}

/// A design of interest, such as a published one.
#[derive(Debug, Clone)]
pub struct MarkDecl {
    /// What the figure's legend calls it.
    pub label: String,
    /// Where it stands.
    pub span: Span,
    /// Its parameters; those that it does not name are as the sweep derives them or as they are declared.
    pub parameters: Vec<SweepParameter>,
}

const FIGURES: [&str; 4] = ["pareto", "tiles", "convergence", "sensitivity"];

/// Reads `[output]`; faults go to `diagnostics`.
pub(super) fn read_output(table: &Table, diagnostics: &Collector) -> OutputDecl {
    let reader = Reader::new(table, "[output]", diagnostics);
    let rows = reader.choice("rows", &[("all", RowsKept::All), ("front", RowsKept::Front)]).unwrap_or_default();
    let formats = reader.texts("formats");
    for (format, span) in &formats {
        if !matches!(format.as_str(), "csv" | "parquet") {
            reader.error(span, format!("there is no format \"{format}\""), "known are: csv, parquet");
        }
    }
    let figures = reader.texts("figures");
    for (figure, span) in figures.iter().filter(|(figure, _)| !FIGURES.contains(&figure.as_str())) {
        reader.error(span, format!("there is no figure \"{figure}\""), did_you_mean(figure, FIGURES));
    }
    if rows == RowsKept::Front {
        let needed = formats.first().map(|(format, span)| (format!("results.{format}"), span));
        let sensitivity = figures.iter().find(|(figure, _)| figure == "sensitivity");
        for (what, span) in needed.into_iter().chain(sensitivity.map(|(_, span)| ("the sensitivity".into(), span))) {
            reader.error(
                span,
                format!("{what} needs every point, but rows = \"front\" keeps the front only"),
                "remove it, or write rows = \"all\"",
            );
        }
    }
    let metrics = reader.texts("metrics");
    let marks: Vec<MarkDecl> =
        reader.tables("mark").into_iter().filter_map(|table| read_mark(table, diagnostics)).collect();
    if let Some(mark) = marks.get(MAX_MARKS) {
        reader.error(&mark.span, format!("a figure has room for {MAX_MARKS} marks"), "remove some");
    }
    let has = |format: &str| match table.get("formats") {
        None => rows == RowsKept::All,
        Some(_) => formats.iter().any(|(name, _)| name == format),
    };
    let figure = |name: &str| figures.iter().find(|(figure, _)| figure == name).map(|(_, span)| span.clone());
    reader.finish();
    OutputDecl {
        rows,
        csv: has("csv"),
        parquet: has("parquet"),
        pareto_figure: table.get("figures").is_none() || figure("pareto").is_some(),
        tiles_figure: figure("tiles").is_some(),
        convergence_figure: figure("convergence"),
        sensitivity: figure("sensitivity"),
        metrics,
        marks,
    }
}

fn read_mark(table: &Table, diagnostics: &Collector) -> Option<MarkDecl> {
    let reader = Reader::new(table, "a [[output.mark]]", diagnostics);
    let label = reader.required_text("label");
    let parameters: Vec<SweepParameter> =
        reader.rest().into_iter().filter_map(|(name, span, node)| read_value(name, span, node, &reader)).collect();
    if parameters.is_empty() {
        reader.error(reader.span(), "this mark says nothing of its design", "add its parameters, such as `ccu = 4`");
    }
    Some(MarkDecl { label: label?, span: table.span.clone(), parameters })
}

fn read_value(name: &str, span: &Span, node: &Node, reader: &Reader<'_>) -> Option<SweepParameter> {
    if !matches!(node.value, Value::Number(_) | Value::Text(_)) {
        let message = format!("`{name}` of a marked design must be one value, not {}", node.value.kind());
        reader.error(&node.span, message, "a mark is one design; write one number, word or expression");
        return None;
    }
    let value = SweepValue::Fixed(quantity(node, name, reader.diagnostics())?);
    Some(SweepParameter { name: name.to_owned(), span: span.clone(), value, when: None })
}
