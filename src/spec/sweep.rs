//! `sweeps/*.toml`: what is varied, searched for and written.

use std::collections::HashSet;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::continuous::read_continuous;
use super::diagnostic::{Collector, Diagnostic};
pub use super::objective::ObjectiveDecl;
use super::optimization::{OptimizationDecl, read_optimization};
use super::output::read_output;
pub use super::output::{MarkDecl, OutputDecl, RowsKept};
use super::range::{self, Walk};
use super::reader::{Quantity, Reader, quantity};
pub use super::scalar::ScalarDecl;
use super::schedule::{self, ScheduleDecl};
use super::search::read_search;
pub use super::search::{Budget, SearchDecl, Strategy};
use super::several;
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
    /// Techniques that it applies.
    pub optimization: OptimizationDecl,
    /// Axes, fixed and derived parameters in the order of the file.
    pub parameters: Vec<SweepParameter>,
    /// Axes that move together.
    pub groups: Vec<GroupDecl>,
    /// Constraints.
    pub constraints: Vec<ConstraintDecl>,
    /// Who goes first where operators compete, if not as the pipeline says.
    pub schedule: Option<ScheduleDecl>,
    /// How to search.
    pub search: SearchDecl,
    /// What to write.
    pub output: OutputDecl,
    /// Which tiles the search takes.
    pub tiles: Tiles,
    /// Where the front is to be evaluated again with the tiles as measured: the place that says so.
    pub refine: Option<Span>,
    /// The name that all sweeps of the file have in common, if there are several.
    pub family: Option<String>,
    /// All that the file says of this sweep.
    pub table: Table,
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
    /// Where the axis exists; elsewhere the parameter has its declared default.
    pub when: Option<Quantity>,
}

/// A `[[group]]`: axes that move together.
#[derive(Debug, Clone)]
pub struct GroupDecl {
    /// The axes.
    pub axes: Vec<(String, Span)>,
    /// Where it stands.
    pub span: Span,
}

impl SweepParameter {
    /// True if it has values to choose from.
    pub fn is_axis(&self) -> bool {
        !matches!(self.value, SweepValue::Fixed(_))
    }

    /// Where its first value stands.
    pub fn place(&self) -> &Span {
        match &self.value {
            SweepValue::Fixed(quantity) => &quantity.span,
            SweepValue::Numbers(numbers) => numbers.first().map_or(&self.span, |(_, span)| span),
            SweepValue::Words(words) => words.first().map_or(&self.span, |(_, span)| span),
            SweepValue::Continuous(_, span) => span,
        }
    }
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
    /// An axis of any value of a range, rising, with its place.
    Continuous(Vec<f64>, Span),
}

/// Which tiles of a scene are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiles {
    /// As they were measured, where they were.
    Measured,
    /// All equal, from the totals: one closed form instead of a simulation of each.
    Equal,
}

impl Tiles {
    const NAMES: [(&'static str, Tiles); 2] = [("measured", Tiles::Measured), ("equal", Tiles::Equal)];
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

/// Reads the sweeps of a file, most often one; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<Vec<SweepDecl>> {
    let root = tree::parse(source, diagnostics);
    let (tables, family) = several::expand(&root, diagnostics);
    let sweeps: Vec<Option<SweepDecl>> =
        tables.into_iter().map(|table| read_sweep(source, table, family.clone(), diagnostics)).collect();
    sweeps.into_iter().collect()
}

fn read_sweep(source: &Arc<Source>, root: Table, family: Option<String>, diagnostics: &Collector) -> Option<SweepDecl> {
    let reader = Reader::new(&root, "a sweep file", diagnostics);
    let name = reader.required_text("name");
    if let (Some(name), Some(node)) = (&name, root.get("name")) {
        check_run_name(&reader, name, &node.span);
    }
    reader.text("doc");
    let hardware = reader.required("hardware").and_then(|node| Some((reader.text("hardware")?, node.span.clone())));
    let pipeline = reader.required("pipeline").and_then(|node| Some((reader.text("pipeline")?, node.span.clone())));
    // A trace brings its own sizes.
    let traced = pipeline.as_ref().is_some_and(|(name, _)| super::traced::is_trace(name));
    let no_scene = || (traced && reader.node("scenes").is_none()).then(|| (Vec::new(), reader.span().clone()));
    let scenes =
        no_scene().or_else(|| reader.required("scenes").map(|node| (reader.texts("scenes"), node.span.clone())));
    if let Some((list, span)) = &scenes
        && list.is_empty()
        && !traced
    {
        reader.error(span, "`scenes` names no scene", "add a scene; `nerarch-dse list` shows the stock ones");
    }
    let cameras = reader.texts("cameras");
    let aggregate = reader.choice("aggregate", &Aggregate::NAMES).unwrap_or(Aggregate::Worst);
    let parameters = reader.table("parameters").map_or_else(Vec::new, |table| read_axes(table, diagnostics));
    let optimization = read_optimization(&reader);
    let groups = reader.tables("group").into_iter().map(|table| read_group(table, diagnostics)).collect();
    let constraints = reader.table("constraints").map_or_else(Vec::new, |table| read_constraints(table, diagnostics));
    let schedule = reader.table("schedule").map(|table| schedule::read(table, diagnostics));
    let tiles = reader.choice("tiles", &Tiles::NAMES).unwrap_or(Tiles::Measured);
    let refine = reader.table("refine").and_then(|table| read_refine(&reader, table, tiles, diagnostics));
    reader.required("search");
    let search = reader.table("search").and_then(|table| read_search(table, diagnostics));
    let output = reader.table("output").map_or_else(OutputDecl::default, |table| read_output(table, diagnostics));
    reader.finish();
    Some(SweepDecl {
        name: name?,
        span: Span::new(source, 0..0),
        hardware: hardware?,
        pipeline: pipeline?,
        scenes: scenes?.0,
        cameras,
        aggregate,
        optimization,
        parameters,
        groups,
        constraints,
        schedule: match schedule {
            Some(schedule) => Some(schedule?),
            None => None,
        },
        search: search?,
        output,
        tiles,
        refine,
        family,
        table: root,
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

fn read_refine(outer: &Reader<'_>, table: &Table, tiles: Tiles, diagnostics: &Collector) -> Option<Span> {
    let reader = Reader::new(table, "[refine]", diagnostics);
    let node = reader.required("tiles");
    reader.choice("tiles", &[("measured", Tiles::Measured)]);
    reader.finish();
    let node = node?;
    if tiles == Tiles::Measured {
        let help = "write `tiles = \"equal\"` above the first table, or remove [refine]";
        outer.error(&node.span, "there is nothing to refine: the search takes the tiles as measured already", help);
    }
    Some(node.span.clone())
}

fn read_group(table: &Table, diagnostics: &Collector) -> GroupDecl {
    let reader = Reader::new(table, "a [[group]]", diagnostics);
    let axes = reader.required("axes").map_or_else(Vec::new, |_| reader.texts("axes"));
    if axes.len() == 1 {
        reader.error(&axes[0].1, "a group of one axis joins nothing", "name at least two axes");
    }
    reader.finish();
    GroupDecl { axes, span: table.span.clone() }
}

fn read_axes(table: &Table, diagnostics: &Collector) -> Vec<SweepParameter> {
    let reader = Reader::new(table, "[parameters]", diagnostics);
    reader
        .rest()
        .into_iter()
        .filter_map(|(name, span, node)| {
            super::parameter::check_name(&reader, name, span);
            let value = read_value(name, node, &reader)?;
            let when = read_condition(node, diagnostics);
            Some(SweepParameter { name: name.clone(), span: span.clone(), value, when })
        })
        .collect()
}

/// The condition under which an axis exists.
pub(super) fn read_condition(node: &Node, diagnostics: &Collector) -> Option<Quantity> {
    match &node.value {
        Value::Table(table) => table.get("when").and_then(|when| quantity(when, "when", diagnostics)),
        _ => None,
    }
}

/// Reads what a sweep says of a parameter.
pub(super) fn read_value(name: &str, node: &Node, reader: &Reader<'_>) -> Option<SweepValue> {
    match &node.value {
        Value::Array(items) => read_list(name, items, node, reader),
        Value::Table(table) if table.get("values").is_some() => {
            let inner = Reader::new(table, format!("axis `{name}`"), reader.diagnostics());
            let list = inner.node("values");
            inner.node("when");
            inner.finish();
            match list {
                Some(list @ Node { value: Value::Array(items), .. }) => read_list(name, items, list, reader),
                _ => {
                    reader.error(
                        &node.span,
                        format!("`values` of axis `{name}` must be a list"),
                        "write `values = [1, 2]`",
                    );
                    None
                }
            }
        }
        Value::Table(table) if table.get("choice").is_some() => {
            let inner = Reader::new(table, format!("axis `{name}`"), reader.diagnostics());
            let words = inner.texts("choice");
            inner.node("when");
            if words.is_empty() {
                reader.error(&node.span, format!("axis `{name}` has no values"), "list at least one word");
            }
            inner.finish();
            (!words.is_empty()).then_some(SweepValue::Words(words))
        }
        Value::Table(table) if table.get("min").is_some() || table.get("max").is_some() => {
            read_continuous(name, table, node, reader)
        }
        Value::Table(table) => read_range(name, table, node, reader),
        _ => Some(SweepValue::Fixed(quantity(node, name, reader.diagnostics())?)),
    }
}

fn read_list(name: &str, items: &[Node], node: &Node, reader: &Reader<'_>) -> Option<SweepValue> {
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
        reader.error(&node.span, format!("axis `{name}` has no values"), "list at least one value, or remove the axis");
    }
    // By bits, with one zero: a list may have a million values.
    let mut seen: HashSet<u64> = HashSet::new();
    for (value, span) in &numbers {
        if !seen.insert((value + 0.0).to_bits()) {
            reader.error(
                span,
                format!("{value} stands twice on axis `{name}`"),
                "remove one: a point is evaluated once",
            );
        }
    }
    (numbers.len() == items.len() && !numbers.is_empty()).then_some(SweepValue::Numbers(numbers))
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
    inner.node("when");
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
                Scale::Linear => {
                    "a linear range needs `step` or `num`, one of them; `min` and `max` in place of `from` and `to` make it continuous"
                }
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

/// A number in exact decimals.
pub(super) fn decimal(reader: &Reader<'_>, key: &str, needed: bool) -> Option<Decimal> {
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
