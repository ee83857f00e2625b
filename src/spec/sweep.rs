//! `sweeps/*.toml`: what is varied, searched for and written.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::diagnostic::{Collector, Diagnostic};
use super::range::{self, Walk};
use super::reader::{Quantity, Reader, quantity};
pub use super::scalar::ScalarDecl;
use super::search::read_search;
pub use super::search::{Budget, SearchDecl, Strategy};
use super::source::{Source, Span};
use super::tree::{self, Node, Table, Value};

/// A checked sweep file.
#[derive(Debug, Clone)]
pub struct SweepDecl {
    /// The run's name and folder.
    pub name: String,
    /// The file.
    pub span: Span,
    /// Hardware, with the place.
    pub hardware: (String, Span),
    /// Pipeline, with the place.
    pub pipeline: (String, Span),
    /// Scenes, with their places.
    pub scenes: Vec<(String, Span)>,
    /// Cameras to evaluate; empty: all of each scene.
    pub cameras: Vec<(String, Span)>,
    /// How objectives join scenes and cameras.
    pub aggregate: Aggregate,
    /// Axes, fixed and derived parameters in the order of the file.
    pub parameters: Vec<SweepParameter>,
    /// Constraints.
    pub constraints: Vec<ConstraintDecl>,
    /// How to search.
    pub search: SearchDecl,
    /// What to write.
    pub output: OutputDecl,
}

/// How an objective's values on several scenes and cameras become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The worst value.
    Worst,
    /// Arithmetic mean.
    Mean,
    /// Geometric mean.
    Geomean,
    /// The value that 99 % of the workloads do not exceed (nearest rank).
    P99,
    /// Each workload is an objective of its own.
    Each,
}

impl Aggregate {
    const NAMES: [(&'static str, Aggregate); 5] = [
        ("worst", Aggregate::Worst),
        ("mean", Aggregate::Mean),
        ("geomean", Aggregate::Geomean),
        ("p99", Aggregate::P99),
        ("each", Aggregate::Each),
    ];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, aggregate)| *aggregate == self).map_or("", |(name, _)| name)
    }
}

/// One entry of `[parameters]`.
#[derive(Debug, Clone)]
pub struct SweepParameter {
    /// The parameter.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its values.
    pub value: SweepValue,
}

/// What a sweep says of a parameter.
#[derive(Debug, Clone)]
pub enum SweepValue {
    /// One number or expression.
    Fixed(Quantity),
    /// An axis of numbers, each with its place.
    Numbers(Vec<(f64, Span)>),
    /// An axis of words, each with its place.
    Words(Vec<(String, Span)>),
}

/// Bounds on a metric or an expression.
#[derive(Debug, Clone)]
pub struct ConstraintDecl {
    /// The metric, or a name for the expression.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// The expression over parameters; `None`: the metric of that name.
    pub value: Option<Quantity>,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
}

/// Better is less or better is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Less is better.
    Minimise,
    /// More is better.
    Maximise,
}

/// `[output]`.
#[derive(Debug, Clone)]
pub struct OutputDecl {
    /// Write `results.csv`.
    pub csv: bool,
    /// Write `results.parquet`.
    pub parquet: bool,
    /// Write `figures/pareto.svg`.
    pub pareto_figure: bool,
    /// Metrics to write, with their places; empty: all.
    pub metrics: Vec<(String, Span)>,
}

/// Reads a sweep file; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<SweepDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a sweep file", diagnostics);
    let name = reader.required_text("name");
    if let (Some(name), Some(node)) = (&name, root.get("name")) {
        check_run_name(&reader, name, &node.span);
    }
    reader.text("doc");
    let hardware = reader.required("hardware").and_then(|node| Some((reader.text("hardware")?, node.span.clone())));
    let pipeline = reader.required("pipeline").and_then(|node| Some((reader.text("pipeline")?, node.span.clone())));
    let scenes = reader.required("scenes").map(|node| (reader.texts("scenes"), node.span.clone()));
    if let Some((list, span)) = &scenes
        && list.is_empty()
    {
        reader.error(span, "`scenes` names no scene", "add a scene; `nerarch-dse list` shows the stock ones");
    }
    let cameras = reader.texts("cameras");
    let aggregate = reader.choice("aggregate", &Aggregate::NAMES).unwrap_or(Aggregate::Worst);
    let parameters = reader.table("parameters").map_or_else(Vec::new, |table| read_axes(table, diagnostics));
    let constraints = reader.table("constraints").map_or_else(Vec::new, |table| read_constraints(table, diagnostics));
    reader.required("search");
    let search = reader.table("search").and_then(|table| read_search(table, diagnostics));
    let output = reader
        .table("output")
        .map_or(Some(OutputDecl { csv: true, parquet: true, pareto_figure: true, metrics: Vec::new() }), |table| {
            read_output(table, diagnostics)
        });
    reader.finish();
    Some(SweepDecl {
        name: name?,
        span: Span::new(source, 0..0),
        hardware: hardware?,
        pipeline: pipeline?,
        scenes: scenes?.0,
        cameras,
        aggregate,
        parameters,
        constraints,
        search: search?,
        output: output?,
    })
}

fn check_run_name(reader: &Reader<'_>, name: &str, span: &Span) {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if !plain || name.starts_with('.') || name.len() > 100 {
        reader.error(
            span,
            format!("`{name}` cannot name a folder under out/"),
            "use up to 100 letters, digits, `-`, `_` and `.`, and do not start with `.`",
        );
    }
}

fn read_axes(table: &Table, diagnostics: &Collector) -> Vec<SweepParameter> {
    let reader = Reader::new(table, "[parameters]", diagnostics);
    reader
        .rest()
        .into_iter()
        .filter_map(|(name, span, node)| {
            super::parameter::check_name(&reader, name, span);
            let value = read_value(name, node, &reader)?;
            Some(SweepParameter { name: name.clone(), span: span.clone(), value })
        })
        .collect()
}

fn read_value(name: &str, node: &Node, reader: &Reader<'_>) -> Option<SweepValue> {
    match &node.value {
        Value::Array(items) => {
            let numbers: Vec<(f64, Span)> = items
                .iter()
                .filter_map(|item| match &item.value {
                    Value::Number(text) => Some((text.parse().ok()?, item.span.clone())),
                    other => {
                        let help = match other {
                            Value::Text(_) => {
                                format!("a list holds numbers; words go into `{name} = {{ choice = [...] }}`")
                            }
                            _ => "a list holds numbers".into(),
                        };
                        reader.error(&item.span, format!("{} cannot be a value of an axis", other.kind()), help);
                        None
                    }
                })
                .collect();
            if items.is_empty() {
                reader.error(
                    &node.span,
                    format!("axis `{name}` has no values"),
                    "list at least one value, or remove the axis",
                );
            }
            let mut seen: Vec<f64> = Vec::new();
            for (value, span) in &numbers {
                if seen.contains(value) {
                    reader.error(
                        span,
                        format!("{value} stands twice on axis `{name}`"),
                        "remove one: a point is evaluated once",
                    );
                }
                seen.push(*value);
            }
            (numbers.len() == items.len() && !numbers.is_empty()).then_some(SweepValue::Numbers(numbers))
        }
        Value::Table(table) if table.get("choice").is_some() => {
            let inner = Reader::new(table, format!("axis `{name}`"), reader.diagnostics());
            let words = inner.texts("choice");
            if words.is_empty() {
                reader.error(&node.span, format!("axis `{name}` has no values"), "list at least one word");
            }
            inner.finish();
            (!words.is_empty()).then_some(SweepValue::Words(words))
        }
        Value::Table(table) => read_range(name, table, node, reader),
        _ => Some(SweepValue::Fixed(quantity(node, name, reader.diagnostics())?)),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Linear,
    Log,
    Log2,
}

fn read_range(name: &str, table: &Table, node: &Node, reader: &Reader<'_>) -> Option<SweepValue> {
    let inner = Reader::new(table, format!("axis `{name}`"), reader.diagnostics());
    let from = decimal(&inner, "from", true);
    let to = decimal(&inner, "to", true);
    let step = decimal(&inner, "step", false);
    let num = inner.whole("num", 1);
    let scale = inner
        .choice("scale", &[("linear", Scale::Linear), ("log", Scale::Log), ("log2", Scale::Log2)])
        .unwrap_or(Scale::Linear);
    let stated = (table.get("step").is_some(), table.get("num").is_some());
    inner.finish();
    let (from, to) = (from?, to?);
    let walk = match (scale, stated) {
        (Scale::Linear, (true, false)) => Walk::Step(step?),
        (Scale::Linear, (false, true)) => Walk::Linear(usize::try_from(num?).unwrap_or(usize::MAX)),
        (Scale::Log, (false, true)) => Walk::Log(usize::try_from(num?).unwrap_or(usize::MAX)),
        (Scale::Log2, (false, false)) => Walk::Log2,
        _ => {
            let help = match scale {
                Scale::Linear => "a linear range needs `step` or `num`, one of them",
                Scale::Log => "a log range needs `num` and no `step`",
                Scale::Log2 => "a log2 range doubles: it takes neither `step` nor `num`",
            };
            reader.error(&node.span, format!("the range of `{name}` is not determined"), help);
            return None;
        }
    };
    match range::values(from, to, walk) {
        Ok(values) => {
            if !values.hits_end {
                let last = values.values.last().copied().unwrap_or(f64::NAN);
                reader.diagnostics().warning(
                    Diagnostic::new(
                        &node.span,
                        format!("the range of `{name}` does not hit its end: the last value is {last}, not {to}"),
                    )
                    .help("move `to` or the step if the end was meant"),
                );
            }
            Some(SweepValue::Numbers(values.values.into_iter().map(|value| (value, node.span.clone())).collect()))
        }
        Err(fault) => {
            reader.error(&node.span, fault.message, fault.help);
            None
        }
    }
}

fn decimal(reader: &Reader<'_>, key: &str, needed: bool) -> Option<Decimal> {
    let node = if needed { reader.required(key)? } else { reader.node(key)? };
    let parsed = match &node.value {
        Value::Number(text) => text.parse().ok().or_else(|| Decimal::from_scientific(text).ok()),
        _ => None,
    };
    if parsed.is_none() {
        reader.error(&node.span, format!("`{key}` must be a number of at most 28 digits"), "write a plain number");
    }
    parsed
}

fn read_constraints(table: &Table, diagnostics: &Collector) -> Vec<ConstraintDecl> {
    let reader = Reader::new(table, "[constraints]", diagnostics);
    let mut constraints = Vec::new();
    for (name, span, node) in reader.rest() {
        let Value::Table(bounds) = &node.value else {
            reader.error(
                &node.span,
                format!("constraint `{name}` must be a table"),
                format!("write `{name} = {{ min = 30 }}`"),
            );
            continue;
        };
        let inner = Reader::new(bounds, format!("constraint `{name}`"), diagnostics);
        let value = inner.quantity("value");
        let (min, max) = (inner.number("min"), inner.number("max"));
        inner.finish();
        match (min, max) {
            (None, None) => {
                reader.error(&node.span, format!("constraint `{name}` bounds nothing"), "add `min`, `max` or both")
            }
            (Some(min), Some(max)) if min > max => {
                reader.error(
                    &node.span,
                    format!("constraint `{name}`: nothing lies between {min} and {max}"),
                    "swap them",
                );
            }
            _ => constraints.push(ConstraintDecl { name: name.clone(), span: span.clone(), value, min, max }),
        }
    }
    constraints
}

fn read_output(table: &Table, diagnostics: &Collector) -> Option<OutputDecl> {
    let reader = Reader::new(table, "[output]", diagnostics);
    let formats = reader.texts("formats");
    for (format, span) in &formats {
        if !matches!(format.as_str(), "csv" | "parquet") {
            reader.error(span, format!("there is no format \"{format}\""), "known are: csv, parquet");
        }
    }
    let figures = reader.texts("figures");
    for (figure, span) in &figures {
        if figure != "pareto" {
            reader.error(span, format!("there is no figure \"{figure}\""), "known is: pareto");
        }
    }
    let metrics = reader.texts("metrics");
    let has = |format: &str| table.get("formats").is_none() || formats.iter().any(|(name, _)| name == format);
    let output = OutputDecl {
        csv: has("csv"),
        parquet: has("parquet"),
        pareto_figure: table.get("figures").is_none() || !figures.is_empty(),
        metrics,
    };
    reader.finish();
    Some(output)
}
