//! A TOML file as a tree in which every key and value knows its place.

use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::diagnostic::{Collector, Diagnostic};
use super::source::{Source, Span};

/// A value and its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its place.
    pub span: Span,
}

/// A TOML value. Numbers keep their text, since decimal steps are computed exactly.
#[derive(Debug, Clone)]
pub enum Value {
    /// `true` or `false`
    Bool(bool),
    /// An integer or a float, finite, as written without underscores.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Node>),
    /// A table, inline or not.
    Table(Table),
}

impl Value {
    /// What to call the value in an error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

/// A table in the order of the file.
#[derive(Debug, Clone)]
pub struct Table {
    /// Key, place of the key, value.
    pub entries: Vec<(String, Span, Node)>,
    /// The table's place, for what is missing in it.
    pub span: Span,
}

impl Table {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(name, _, _)| name == key).map(|(_, _, node)| node)
    }
}

/// Parses a file. Syntax errors go to `diagnostics`; what could be read is returned all the same.
pub fn parse(source: &Arc<Source>, diagnostics: &Collector) -> Table {
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or("invalid TOML").to_owned();
        diagnostics.error(
            Diagnostic::new(&Span::new(source, range), format!("this is not valid TOML: {message}"))
                .help("see https://toml.io for the syntax; strings need quotes, a key stands once in a table"),
        );
    }
    let span = Span::new(source, document.span());
    convert_table(source, document.get_ref(), span, diagnostics)
}

fn convert_table(source: &Arc<Source>, table: &DeTable<'_>, span: Span, diagnostics: &Collector) -> Table {
    let entries = table
        .iter()
        .filter_map(|(key, value)| {
            let node = convert(source, value.get_ref(), Span::new(source, value.span()), diagnostics)?;
            Some((key.get_ref().to_string(), Span::new(source, key.span()), node))
        })
        .collect();
    Table { entries, span }
}

fn convert(source: &Arc<Source>, value: &DeValue<'_>, span: Span, diagnostics: &Collector) -> Option<Node> {
    let value = match value {
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => Value::Number(value.to_string()),
            Err(_) => {
                diagnostics.error(
                    Diagnostic::new(&span, "this integer does not fit into 64 bits")
                        .help("write it as a float, for instance 1e20"),
                );
                return None;
            }
        },
        DeValue::Float(float) => match float.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() => Value::Number(float.as_str().to_owned()),
            _ => {
                diagnostics.error(
                    Diagnostic::new(&span, "a number must be finite here, `nan` and `inf` are not")
                        .help("leave the key out if there is no bound"),
                );
                return None;
            }
        },
        DeValue::Datetime(_) => {
            diagnostics.error(Diagnostic::new(&span, "a date has no meaning here").help("put it in quotes"));
            return None;
        }
        DeValue::Array(array) => Value::Array(
            array
                .iter()
                .filter_map(|item| convert(source, item.get_ref(), Span::new(source, item.span()), diagnostics))
                .collect(),
        ),
        DeValue::Table(table) => Value::Table(convert_table(source, table, span.clone(), diagnostics)),
    };
    Some(Node { value, span })
}
