//! `operators/kinds/*.toml`: operator kinds, their parameters and their counts.

use std::sync::{Arc, OnceLock};

use super::catalog::{self, Category};
use super::diagnostic::Collector;
use super::expr;
use super::reader::{Quantity, Reader};
use super::source::{Source, Span};
use super::stage::{StageDecl, read_stages};
use super::tree::{self, Table};

/// Whether an operator computes values or gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Values.
    Forward,
    /// Gradients.
    Backward,
}

impl Pass {
    /// Both and their words.
    pub const NAMES: [(&'static str, Pass); 2] = [("forward", Pass::Forward), ("backward", Pass::Backward)];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// A count: name, place, expression over the parameters and earlier counts.
pub type CountDecl = (String, Span, Quantity);

/// Matrix products of an operator kind, all of one shape: expressions over its parameters and forward counts.
#[derive(Debug, Clone)]
pub struct GemmDecl {
    /// Rows of the inputs and of the result.
    pub m: Quantity,
    /// Columns of the weights and of the result.
    pub n: Quantity,
    /// What is summed over.
    pub k: Quantity,
    /// How many of them, one after the other.
    pub times: Quantity,
    /// Element-wise operations on the inputs before the product: 0 unless the kind says otherwise.
    pub prologue: Quantity,
    /// Element-wise operations on the result, such as an activation: 0 unless the kind says otherwise.
    pub epilogue: Quantity,
}

/// What an operator kind counts, as expressions over its parameters.
#[derive(Debug, Clone)]
pub struct KindDecl {
    /// Its name, as in the literature: `Sorting`.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// What it does.
    pub doc: String,
    /// The family: sampling, encoding, computation, blending, optimization.
    pub category: String,
    /// What a composite does one after the other; empty: it is no composite.
    pub stages: Vec<StageDecl>,
    /// What its backward pass does one after the other; empty: only a unit that executes the whole can do that.
    pub backward_stages: Vec<StageDecl>,
    /// Parameters: name, place, default (`None`: must be given). `bits` is among them always.
    pub parameters: Vec<(String, Span, Option<Quantity>)>,
    /// Counts of the forward pass; empty: it runs backward only.
    pub counts: Vec<CountDecl>,
    /// Matrix products of the forward pass; empty: it is none for a systolic array.
    pub gemms: Vec<GemmDecl>,
    /// Counts of the backward pass, which may use `forward.*`; empty: it has no gradient.
    pub backward: Vec<CountDecl>,
}

impl KindDecl {
    /// The stages of a pass; empty: in that pass it is no composite.
    pub fn stages_of(&self, pass: Pass) -> &[StageDecl] {
        match pass {
            Pass::Forward => &self.stages,
            Pass::Backward => &self.backward_stages,
        }
    }

    /// The counts of a pass; empty if the kind does not run in it.
    pub fn counts_of(&self, pass: Pass) -> &[CountDecl] {
        match pass {
            Pass::Forward => &self.counts,
            Pass::Backward => &self.backward,
        }
    }
}

/// Categories of operators.
pub const CATEGORIES: [&str; 5] = ["sampling", "encoding", "computation", "blending", "optimization"];

/// Bits of an element where neither kind nor operator says otherwise: half precision.
const DEFAULT_BITS: f64 = 16.0;

/// Bytes that follow from elements: count, elements it needs, expression.
const BYTES: [(&str, &str, &str); 3] = [
    ("read_bytes", "input", "input * bits / 8"),
    ("weight_bytes", "weight", "weight * bits / 8"),
    ("write_bytes", "output", "output * bits / 8"),
];

/// The stock libraries and their kinds. They are read once: every study needs them, and they never change.
pub fn stock() -> (&'static [Arc<Source>], &'static [KindDecl]) {
    static STOCK: OnceLock<(Vec<Arc<Source>>, Vec<KindDecl>)> = OnceLock::new();
    let (sources, kinds) = STOCK.get_or_init(|| {
        let names = catalog::stock_names(Category::Kinds);
        let sources: Vec<_> = names.iter().filter_map(|name| catalog::stock(Category::Kinds, name)).collect();
        let faults = Collector::default();
        let kinds = sources.iter().flat_map(|source| read(source, &faults)).collect();
        debug_assert_eq!(faults.error_count(), 0, "a stock library is wrong");
        (sources, kinds)
    });
    (sources, kinds)
}

/// Reads an operator library; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Vec<KindDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "an operator library", diagnostics);
    let kinds = read_kinds(&reader);
    reader.finish();
    kinds
}

/// Reads the `[[kind]]` tables of a library or a pipeline file.
pub fn read_kinds(reader: &Reader<'_>) -> Vec<KindDecl> {
    reader.tables("kind").into_iter().filter_map(|table| read_kind(table, reader.diagnostics())).collect()
}

fn read_kind(table: &Table, diagnostics: &Collector) -> Option<KindDecl> {
    let reader = Reader::new(table, "a [[kind]]", diagnostics);
    let name = reader.required_text("name");
    let doc = reader.text("doc").unwrap_or_default();
    reader.text("source");
    let category_node = reader.required("category").map(|node| node.span.clone());
    let category = reader.text("category").unwrap_or_default();
    if let (Some(span), false) = (&category_node, CATEGORIES.contains(&category.as_str())) {
        let help = super::diagnostic::did_you_mean(&category, CATEGORIES);
        reader.error(span, format!("there is no category \"{category}\""), help);
    }
    let stages = read_stages(&reader, "stages", Pass::Forward);
    let backward_stages = read_stages(&reader, "backward_stages", Pass::Backward);
    let mut parameters = reader.table("parameters").map_or_else(Vec::new, |table| {
        let inner = Reader::new(table, "`parameters`", diagnostics);
        inner.rest().into_iter().map(|entry| read_parameter(&inner, entry)).collect()
    });
    if !parameters.iter().any(|(name, _, _)| name == "bits") {
        let bits = Quantity::constant(DEFAULT_BITS, &table.span);
        parameters.push(("bits".into(), table.span.clone(), Some(bits)));
    }
    let counts = read_counts(&reader, "counts");
    let backward = read_counts(&reader, "backward");
    if counts.is_empty() && backward.is_empty() {
        reader.error(reader.span(), "this kind counts nothing", "add `counts = { gaussian = \"gaussians\" }`");
    }
    let gemms = reader.tables("gemm").into_iter().filter_map(|table| read_gemm(table, diagnostics)).collect();
    reader.finish();
    Some(KindDecl {
        name: name?,
        span: table.span.clone(),
        doc,
        category,
        stages,
        backward_stages,
        parameters,
        counts,
        gemms,
        backward,
    })
}

fn read_gemm(table: &Table, diagnostics: &Collector) -> Option<GemmDecl> {
    let reader = Reader::new(table, "a `gemm`", diagnostics);
    let [m, n, k] = ["m", "n", "k"].map(|key| reader.required_quantity(key));
    let or = |key: &str, default: f64| reader.quantity(key).unwrap_or_else(|| Quantity::constant(default, &table.span));
    let (times, prologue, epilogue) = (or("times", 1.0), or("prologue", 0.0), or("epilogue", 0.0));
    reader.finish();
    Some(GemmDecl { m: m?, n: n?, k: k?, times, prologue, epilogue })
}

fn read_parameter(reader: &Reader<'_>, entry: &(String, Span, tree::Node)) -> (String, Span, Option<Quantity>) {
    let (name, span, node) = entry;
    super::parameter::check_name(reader, name, span);
    if name == "pass" {
        reader.error(span, "`pass` cannot be a parameter's name", "operators say with it whether they run backward");
    }
    if name == "counts" {
        reader.error(span, "`counts` cannot be a parameter's name", "operators state measured counts in it");
    }
    let default = match &node.value {
        tree::Value::Text(text) if text == "required" => None,
        _ => super::reader::quantity(node, name, reader.diagnostics()),
    };
    (name.clone(), span.clone(), default)
}

/// The counts of one pass, with the bytes that follow from them.
fn read_counts(reader: &Reader<'_>, key: &str) -> Vec<CountDecl> {
    let Some(table) = reader.table(key) else { return Vec::new() };
    let inner = Reader::new(table, format!("`{key}`"), reader.diagnostics());
    let mut counts: Vec<CountDecl> = inner
        .rest()
        .into_iter()
        .filter_map(|(name, span, _)| Some((name.clone(), span.clone(), inner.quantity(name)?)))
        .collect();
    if counts.is_empty() && table.entries.is_empty() {
        reader.error(&table.span, format!("`{key}` counts nothing"), "add a count, or remove the table");
    }
    for (name, elements, text) in BYTES {
        let has = |wanted: &str| counts.iter().position(|(count, _, _)| count == wanted);
        if let (None, Some(at), Ok(expr)) = (has(name), has(elements), expr::parse(text)) {
            let span = counts[at].1.clone();
            counts.push((name.into(), span.clone(), Quantity { expr, span, text: text.into() }));
        }
    }
    counts
}
