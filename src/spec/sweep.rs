//! `sweeps/*.toml`: what is varied, searched for and written.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::diagnostic::{Collector, Diagnostic};
use super::range::{self, Walk};
use super::reader::{Quantity, Reader, quantity};
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

/// How the space is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Every point.
    Grid,
    /// A sample without repeats.
    Random,
    /// A Latin hypercube: every axis evenly.
    Lhs,
    /// The Sobol sequence: every axis and many subspaces evenly.
    Sobol,
    /// The evolutionary algorithm NSGA-II.
    Nsga2,
    /// Branch and bound: the exact front without walking the space.
    Exact,
}

impl Strategy {
    /// All strategies and their words.
    pub const NAMES: [(&'static str, Strategy); 6] = [
        ("grid", Strategy::Grid),
        ("random", Strategy::Random),
        ("lhs", Strategy::Lhs),
        ("sobol", Strategy::Sobol),
        ("nsga2", Strategy::Nsga2),
        ("exact", Strategy::Exact),
    ];

    /// True if it takes a number of `samples`.
    pub fn is_sample(self) -> bool {
        matches!(self, Self::Random | Self::Lhs | Self::Sobol)
    }

    /// True if earlier results decide which points come next.
    pub fn chooses_as_it_goes(self) -> bool {
        matches!(self, Self::Nsga2 | Self::Exact)
    }

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, strategy)| *strategy == self).map_or("", |(name, _)| name)
    }
}

/// `[search]`.
#[derive(Debug, Clone)]
pub struct SearchDecl {
    /// The strategy.
    pub strategy: Strategy,
    /// Metrics, their places, and the goal if the file states one.
    pub objectives: Vec<(String, Span, Option<Goal>)>,
    /// Seed of everything random.
    pub seed: u64,
    /// Points of a random sample.
    pub samples: Option<u64>,
    /// Where the strategy stands.
    pub span: Span,
    /// Members of a generation of NSGA-II.
    pub population: usize,
    /// How much a search may do.
    pub budget: Budget,
    /// Share of an objective within which points count as equally good; 0 keeps all.
    pub epsilon: f64,
}

impl SearchDecl {
    /// The tolerance of one comparison. A search drops what is within it of a point, and the front what is within it of
    /// another point: together that is at most `epsilon`.
    pub fn tolerance(&self) -> f64 {
        (1.0 + self.epsilon).sqrt() - 1.0
    }
}

/// Members of a generation where the file does not say.
const DEFAULT_POPULATION: u64 = 100;
/// Most points of a sample that spreads over the axes.
const MAX_SPREAD: u64 = 100_000_000;

/// How much a search may do; without limits it ends by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Most evaluations.
    pub evaluations: Option<u64>,
    /// Most seconds; gives up that two runs are the same.
    pub seconds: Option<f64>,
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

fn read_search(table: &Table, diagnostics: &Collector) -> Option<SearchDecl> {
    let reader = Reader::new(table, "[search]", diagnostics);
    let stated = table.get("strategy").is_some();
    let strategy = reader.choice("strategy", &Strategy::NAMES);
    let samples = reader.whole("samples", 1);
    let seed = reader.whole("seed", 0).unwrap_or(0);
    let epsilon = reader.number("epsilon");
    if let (Some(epsilon), Some(node)) = (epsilon, table.get("epsilon"))
        && !(0.0..1.0).contains(&epsilon)
    {
        reader.error(
            &node.span,
            format!("`epsilon` is {epsilon}, not a share from 0 to below 1"),
            "write `epsilon = 0.01` to merge points within one percent of each other in every objective",
        );
    }
    let population = reader.whole("population", 4);
    let budget = reader.table("budget").map_or_else(Budget::default, |table| read_budget(table, diagnostics));
    let strategy = if stated { strategy } else { Some(Strategy::Grid) };
    if let Some(strategy) = strategy {
        check_search(&reader, table, strategy, samples);
    }
    let objectives = reader.required("objectives").map(|node| read_objectives(node, &reader));
    reader.finish();
    let population = usize::try_from(population.unwrap_or(DEFAULT_POPULATION)).ok()?;
    let span = table.get("strategy").map_or(&table.span, |node| &node.span).clone();
    Some(SearchDecl {
        strategy: strategy?,
        span,
        objectives: objectives?,
        seed,
        samples,
        population,
        budget,
        epsilon: epsilon.unwrap_or(0.0),
    })
}

/// Each key belongs to some strategies and is refused by the others.
fn check_search(reader: &Reader<'_>, table: &Table, strategy: Strategy, samples: Option<u64>) {
    let name = strategy.name();
    match (strategy.is_sample(), table.get("samples")) {
        (true, None) => reader.error(
            reader.span(),
            format!("strategy \"{name}\" needs the number of its points"),
            "add `samples = 10000`",
        ),
        (true, Some(node)) if strategy != Strategy::Random && samples.is_some_and(|samples| samples > MAX_SPREAD) => {
            reader.error(
                &node.span,
                format!("strategy \"{name}\" holds its points in memory and takes at most {MAX_SPREAD}"),
                "use fewer, or walk all points with strategy = \"grid\"",
            );
        }
        (false, Some(node)) => reader.error(
            &node.span,
            format!("strategy \"{name}\" takes no `samples`"),
            match strategy {
                Strategy::Grid => "remove it, or write strategy = \"random\"",
                _ => "write `budget = { evaluations = 10000 }` to limit it",
            },
        ),
        _ => {}
    }
    if let (false, Some(node)) = (strategy.chooses_as_it_goes(), table.get("budget")) {
        reader.error(
            &node.span,
            format!("strategy \"{name}\" knows its points beforehand and takes no `budget`"),
            "remove it, or choose a search that can stop early, such as strategy = \"exact\"",
        );
    }
    if strategy == Strategy::Nsga2 && table.get("budget").is_none() {
        reader.error(
            reader.span(),
            "strategy \"nsga2\" never ends by itself",
            "add `budget = { evaluations = 10000 }`, or `seconds`",
        );
    }
    if let (false, Some(node)) = (strategy == Strategy::Nsga2, table.get("population")) {
        reader.error(
            &node.span,
            format!("strategy \"{name}\" has no `population`"),
            "remove it, or write strategy = \"nsga2\"",
        );
    }
}

fn read_budget(table: &Table, diagnostics: &Collector) -> Budget {
    let reader = Reader::new(table, "`budget`", diagnostics);
    let evaluations = reader.whole("evaluations", 0);
    let seconds = reader.number("seconds");
    match table.get("seconds") {
        Some(node) if seconds.is_some_and(|seconds| seconds < 0.0) => {
            reader.error(
                &node.span,
                "`seconds` is negative",
                "write how long the search may take, as 0 or more seconds",
            );
        }
        _ => {}
    }
    if table.get("evaluations").is_none() && table.get("seconds").is_none() {
        reader.error(reader.span(), "`budget` limits nothing", "add `evaluations = 10000`, `seconds = 60`, or both");
    }
    reader.finish();
    Budget { evaluations, seconds }
}

fn read_objectives(node: &Node, reader: &Reader<'_>) -> Vec<(String, Span, Option<Goal>)> {
    let Value::Array(items) = &node.value else {
        reader.error(&node.span, "`objectives` must be a list", "write `objectives = [\"latency_ms\", \"area_mm2\"]`");
        return Vec::new();
    };
    if items.is_empty() {
        reader.error(&node.span, "`objectives` is empty", "add at least one metric");
    }
    let mut objectives: Vec<(String, Span, Option<Goal>)> = Vec::new();
    for item in items {
        let (name, goal) = match &item.value {
            Value::Text(name) => (Some(name.clone()), None),
            Value::Table(table) => {
                let inner = Reader::new(table, "an objective", reader.diagnostics());
                let name = inner.required_text("metric");
                let goal = inner.choice("goal", &[("minimise", Goal::Minimise), ("maximise", Goal::Maximise)]);
                inner.finish();
                (name, goal)
            }
            other => {
                reader.error(
                    &item.span,
                    format!("an objective must be a metric's name, not {}", other.kind()),
                    "write \"latency_ms\"",
                );
                (None, None)
            }
        };
        let Some(name) = name else { continue };
        if objectives.iter().any(|(known, _, _)| *known == name) {
            reader.error(&item.span, format!("objective `{name}` stands twice"), "remove one");
        } else {
            objectives.push((name, item.span.clone(), goal));
        }
    }
    objectives
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
