//! `objectives` of a sweep file: metrics, or expressions over metrics.

use super::expr::{self, ExprKind};
use super::reader::{Quantity, Reader, quantity};
use super::source::Span;
use super::sweep::Goal;
use super::tree::{Node, Value};

/// What a sweep makes as good as possible.
#[derive(Debug, Clone)]
pub struct ObjectiveDecl {
    /// The metric, or the name of the expression's column: the expression as written unless the file names it.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Which way is better, if the file says so.
    pub goal: Option<Goal>,
    /// The expression over metrics; `None`: the metric of that name.
    pub value: Option<Quantity>,
    /// How figures call it, with its unit in parentheses, if the file says so.
    pub label: Option<String>,
}

/// The words for which way is better.
const GOALS: [(&str, Goal); 2] = [(Goal::Minimise.name(), Goal::Minimise), (Goal::Maximise.name(), Goal::Maximise)];

/// Reads the list; faults go to the reader's diagnostics.
pub(super) fn read_objectives(node: &Node, reader: &Reader<'_>) -> Vec<ObjectiveDecl> {
    let Value::Array(items) = &node.value else {
        reader.error(&node.span, "`objectives` must be a list", "write `objectives = [\"latency_ms\", \"area_mm2\"]`");
        return Vec::new();
    };
    if items.is_empty() {
        reader.error(&node.span, "`objectives` is empty", "add at least one metric");
    }
    let mut objectives: Vec<ObjectiveDecl> = Vec::new();
    for objective in items.iter().filter_map(|item| read_objective(item, reader)) {
        if objectives.iter().any(|known| known.name == objective.name) {
            reader.error(&objective.span, format!("objective `{}` stands twice", objective.name), "remove one");
        } else {
            objectives.push(objective);
        }
    }
    objectives
}

fn read_objective(item: &Node, reader: &Reader<'_>) -> Option<ObjectiveDecl> {
    let span = item.span.clone();
    match &item.value {
        Value::Text(text) => {
            // A name stays a name even where it is none of the expression language: the plan knows the metrics.
            let is_expression = !matches!(expr::parse(text).map(|expr| expr.kind), Ok(ExprKind::Name(_)));
            let value = if is_expression { Some(quantity(item, "objectives", reader.diagnostics())?) } else { None };
            Some(ObjectiveDecl { name: text.clone(), span, goal: None, value, label: None })
        }
        Value::Table(table) => {
            let inner = Reader::new(table, "an objective", reader.diagnostics());
            let (goal, label) = (inner.choice("goal", &GOALS), inner.text("label"));
            let objective = if table.get("value").is_some() || table.get("name").is_some() {
                let (name, value) = (inner.required_text("name"), inner.required_quantity("value"));
                name.zip(value).map(|(name, value)| ObjectiveDecl { name, span, goal, value: Some(value), label })
            } else {
                inner.required_text("metric").map(|name| ObjectiveDecl { name, span, goal, value: None, label })
            };
            inner.finish();
            objective
        }
        other => {
            reader.error(
                &item.span,
                format!("an objective must be a metric or an expression, not {}", other.kind()),
                "write \"latency_ms\" or \"energy_mj * latency_ms\"",
            );
            None
        }
    }
}
