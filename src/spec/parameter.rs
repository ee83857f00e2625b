//! Declared parameters of hardware and pipelines.

use super::figure::Provenance;
use super::reader::{Quantity, Reader};
use super::source::Span;
use super::tree::{Node, Table, Value};

/// What values a parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterType {
    /// Whole numbers: counts.
    Integer,
    /// Any finite number.
    Real,
    /// One of these words.
    Choice(Vec<String>),
}

/// A named knob with its default, bounds and meaning.
#[derive(Debug, Clone)]
pub struct ParameterDecl {
    /// The name in expressions.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Number, expression (then it follows other parameters) or one of the choices.
    pub default: Quantity,
    /// Least value.
    pub min: Option<Quantity>,
    /// Greatest value.
    pub max: Option<Quantity>,
    /// What values it takes.
    pub kind: ParameterType,
    /// What it means.
    pub doc: String,
    /// Where the default comes from.
    pub provenance: Provenance,
}

/// Reads `[parameters]`: `name = number`, `name = "expression"` or `name = { default = ..., min, max, type, choice, doc }`.
pub fn read_parameters(reader: &Reader<'_>) -> Vec<ParameterDecl> {
    let Some(table) = reader.table("parameters") else { return Vec::new() };
    table.entries.iter().filter_map(|(name, span, node)| read_parameter(reader, name, span, node)).collect()
}

fn read_parameter(reader: &Reader<'_>, name: &str, span: &Span, node: &Node) -> Option<ParameterDecl> {
    check_name(reader, name, span);
    let Value::Table(table) = &node.value else {
        let default = super::reader::quantity(node, name, reader.diagnostics())?;
        return Some(ParameterDecl {
            name: name.into(),
            span: span.clone(),
            default,
            min: None,
            max: None,
            kind: ParameterType::Integer,
            doc: String::new(),
            provenance: Provenance::default(),
        });
    };
    let inner = Reader::new(table, format!("parameter `{name}`"), reader.diagnostics());
    let kind = read_kind(&inner, table);
    let default = match (&kind, inner.node("default").map(|node| (&node.value, &node.span))) {
        // A choice's default is a word, not an expression.
        (ParameterType::Choice(_), Some((Value::Text(word), span))) => {
            let expr = super::expr::Expr { kind: super::expr::ExprKind::Text(word.clone()), range: 0..word.len() };
            Some(Quantity { expr, span: span.clone(), text: word.clone() })
        }
        _ => inner.required_quantity("default"),
    };
    let provenance = Provenance::read(&inner);
    provenance.check(&inner, &default.iter().collect::<Vec<_>>());
    let decl = ParameterDecl {
        name: name.into(),
        span: span.clone(),
        min: inner.quantity("min"),
        max: inner.quantity("max"),
        doc: inner.text("doc").unwrap_or_default(),
        provenance,
        default: default.clone().unwrap_or_else(|| Quantity::constant(0.0, span)),
        kind,
    };
    inner.finish();
    default.map(|_| decl)
}

fn read_kind(reader: &Reader<'_>, table: &Table) -> ParameterType {
    let choices = reader.texts("choice");
    let stated = reader.choice("type", &[("integer", ParameterKindWord::Integer), ("real", ParameterKindWord::Real)]);
    match (stated, table.get("choice")) {
        (Some(_), Some(node)) => {
            reader.error(&node.span, "a parameter with choices has no `type`", "remove `type`");
            ParameterType::Choice(choices.into_iter().map(|(choice, _)| choice).collect())
        }
        (None, Some(node)) => {
            if choices.is_empty() {
                reader.error(&node.span, "`choice` is empty", "list the words that it can be");
            }
            ParameterType::Choice(choices.into_iter().map(|(choice, _)| choice).collect())
        }
        (Some(ParameterKindWord::Real), None) => ParameterType::Real,
        _ => ParameterType::Integer,
    }
}

#[derive(Clone, Copy)]
enum ParameterKindWord {
    Integer,
    Real,
}

/// Reports names that no expression could mention.
pub fn check_name(reader: &Reader<'_>, name: &str, span: &Span) {
    const TAKEN: [&str; 4] = ["and", "or", "not", "sum"];
    let plain =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.chars().next().is_some_and(|c| !c.is_numeric());
    if !plain || TAKEN.contains(&name) {
        reader.error(
            span,
            format!("`{name}` cannot be a parameter's name"),
            "use letters, digits and _, a letter first, and no word of the expression language",
        );
    }
}
