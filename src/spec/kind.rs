//! `operators/kinds/*.toml`: operator kinds, their parameters and their counts.

use std::sync::Arc;

use super::diagnostic::Collector;
use super::reader::{Quantity, Reader};
use super::source::{Source, Span};
use super::tree::{self, Table};

/// What an operator kind counts, as expressions over its parameters.
#[derive(Debug, Clone)]
pub struct KindDecl {
    /// Its name, as in the literature: `Sorting`.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The family: sampling, encoding, computation, blending, optimization.
    pub category: String,
    /// Parameters: name, place, default (`None`: must be given).
    pub parameters: Vec<(String, Span, Option<Quantity>)>,
    /// Counts: name, place, expression over the parameters and earlier counts.
    pub counts: Vec<(String, Span, Quantity)>,
}

/// Categories of operators.
pub const CATEGORIES: [&str; 5] = ["sampling", "encoding", "computation", "blending", "optimization"];

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
    reader.text("doc");
    reader.text("source");
    let category_node = reader.required("category").map(|node| node.span.clone());
    let category = reader.text("category").unwrap_or_default();
    if let (Some(span), false) = (&category_node, CATEGORIES.contains(&category.as_str())) {
        let help = super::diagnostic::did_you_mean(&category, CATEGORIES);
        reader.error(span, format!("there is no category \"{category}\""), help);
    }
    let parameters = reader.table("parameters").map_or_else(Vec::new, |table| {
        let inner = Reader::new(table, "`parameters`", diagnostics);
        inner
            .rest()
            .into_iter()
            .map(|(name, span, node)| {
                super::parameter::check_name(&inner, name, span);
                let default = match &node.value {
                    tree::Value::Text(text) if text == "required" => None,
                    _ => super::reader::quantity(node, name, diagnostics),
                };
                (name.clone(), span.clone(), default)
            })
            .collect()
    });
    let counts = reader.table("counts").map_or_else(Vec::new, |table| {
        let inner = Reader::new(table, "`counts`", diagnostics);
        inner
            .rest()
            .into_iter()
            .filter_map(|(name, span, _)| Some((name.clone(), span.clone(), inner.quantity(name)?)))
            .collect()
    });
    if counts.is_empty() {
        reader.error(reader.span(), "this kind counts nothing", "add `counts = { gaussian = \"gaussians\" }`");
    }
    reader.finish();
    Some(KindDecl { name: name?, span: table.span.clone(), category, parameters, counts })
}
