//! Which techniques a sweep applies, and what it says of their parameters: `optimizations` and `[optimization]` of a sweep
//! file, or a file of its own that holds nothing but the tables of `[optimization]`.

use std::sync::Arc;

use super::diagnostic::{Collector, Diagnostic};
use super::reader::Reader;
use super::source::{Source, Span};
use super::sweep::{SweepParameter, read_condition, read_value};
use super::tree::{self, Table, Value};

/// Techniques to apply, in order, and parameters of the study that are theirs.
#[derive(Debug, Clone, Default)]
pub struct OptimizationDecl {
    /// Names of techniques, with their places.
    pub techniques: Vec<(String, Span)>,
    /// Axes, fixed and derived parameters, under the study's names.
    pub parameters: Vec<SweepParameter>,
}

impl OptimizationDecl {
    /// Adds what another place says; a technique stands in one of them.
    pub fn extend(&mut self, other: Self, diagnostics: &Collector) {
        for (name, span) in &other.techniques {
            if let Some((_, first)) = self.techniques.iter().find(|(known, _)| known == name) {
                diagnostics.error(
                    Diagnostic::new(span, format!("technique `{name}` is chosen twice"))
                        .help(format!("the first stands at {first}; keep one")),
                );
            }
        }
        self.techniques.extend(other.techniques);
        self.parameters.extend(other.parameters);
    }
}

/// Reads `optimizations` and `[optimization]` of a sweep file.
pub fn read_optimization(reader: &Reader<'_>) -> OptimizationDecl {
    let mut chosen = OptimizationDecl { techniques: reader.texts("optimizations"), parameters: Vec::new() };
    if let Some(table) = reader.table("optimization") {
        chosen.extend(read_tables(table, "[optimization]", reader.diagnostics()), reader.diagnostics());
    }
    chosen
}

/// Reads an optimization file; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> OptimizationDecl {
    let root = tree::parse(source, diagnostics);
    let chosen = read_tables(&root, "an optimization file", diagnostics);
    if root.entries.is_empty() {
        diagnostics.error(
            Diagnostic::new(&Span::new(source, 0..0), "this optimization file names no technique")
                .help("write a table for each, such as [gaussian_skipping]; `nerarch-dse list` shows the stock ones"),
        );
    }
    chosen
}

fn read_tables(table: &Table, what: &str, diagnostics: &Collector) -> OptimizationDecl {
    let reader = Reader::new(table, what, diagnostics);
    let mut chosen = OptimizationDecl::default();
    for (name, span, node) in reader.rest() {
        let Value::Table(own) = &node.value else {
            reader.error(
                &node.span,
                format!("technique `{name}` must be a table of its parameters, not {}", node.value.kind()),
                format!("write [{name}], with `enabled` and the technique's parameters below it"),
            );
            continue;
        };
        chosen.techniques.push((name.clone(), span.clone()));
        let inner = Reader::new(own, format!("technique `{name}`"), diagnostics);
        for (key, span, node) in inner.rest() {
            let full = if key == "enabled" { name.clone() } else { format!("{name}_{key}") };
            if let Some(value) = read_value(key, node, &inner) {
                let when = read_condition(node, diagnostics);
                chosen.parameters.push(SweepParameter { name: full, span: span.clone(), value, when });
            }
        }
    }
    chosen
}
