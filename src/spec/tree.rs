//! A TOML file as a tree in which every key and value knows its place.

use std::sync::Arc;

use toml::de::{DeArray, DeTable, DeValue};

use super::diagnostic::{Collector, Diagnostic};
use super::range::MAX_VALUES;
use super::source::{Source, Span};

/// Most keys of a table.
pub const MAX_KEYS: usize = 1024;
/// Most tables, strings or arrays in an array; an array of plain numbers may be as long as an axis.
pub const MAX_ITEMS: usize = 512;

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
    if table.len() > MAX_KEYS {
        too_many(&span, &format!("this table has {} keys", table.len()), MAX_KEYS, diagnostics);
    }
    let entries = table
        .iter()
        .take(MAX_KEYS)
        .filter_map(|(key, value)| {
            let node = convert(source, value.get_ref(), Span::new(source, value.span()), diagnostics)?;
            Some((key.get_ref().to_string(), Span::new(source, key.span()), node))
        })
        .collect();
    Table { entries, span }
}

fn convert_array(source: &Arc<Source>, array: &DeArray<'_>, span: &Span, diagnostics: &Collector) -> Vec<Node> {
    let is_number = |value: &DeValue<'_>| matches!(value, DeValue::Integer(_) | DeValue::Float(_));
    let most = if array.iter().all(|item| is_number(item.get_ref())) { MAX_VALUES } else { MAX_ITEMS };
    if array.len() > most {
        too_many(span, &format!("this array has {} items", array.len()), most, diagnostics);
    }
    let nodes = array.iter().take(most);
    nodes.filter_map(|item| convert(source, item.get_ref(), Span::new(source, item.span()), diagnostics)).collect()
}

fn too_many(span: &Span, what: &str, most: usize, diagnostics: &Collector) {
    let line = span.part(0..span.text().find('\n').unwrap_or(span.range().len()));
    diagnostics.error(
        Diagnostic::new(&line, format!("{what}, more than {most}"))
            .help("write fewer; docs/declarations.md has a table of all limits"),
    );
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
        DeValue::Array(array) => Value::Array(convert_array(source, array, &span, diagnostics)),
        DeValue::Table(table) => Value::Table(convert_table(source, table, span.clone(), diagnostics)),
    };
    Some(Node { value, span })
}
