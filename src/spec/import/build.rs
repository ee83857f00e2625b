//! Building the tree of a hardware file.

use crate::spec::Span;
use crate::spec::tree::{Node, Table, Value};

/// A table under construction; every entry has the place in the JSON that it comes from.
pub struct Builder {
    entries: Vec<(String, Span, Node)>,
    span: Span,
}

impl Builder {
    /// An empty table that stands for `span`.
    pub fn new(span: &Span) -> Self {
        Self { entries: Vec::new(), span: span.clone() }
    }

    /// Adds a value.
    pub fn value(mut self, key: &str, value: Value, span: &Span) -> Self {
        self.entries.push((key.to_owned(), span.clone(), Node { value, span: span.clone() }));
        self
    }

    /// Adds a string or an expression.
    pub fn text(self, key: &str, text: impl Into<String>, span: &Span) -> Self {
        self.value(key, Value::Text(text.into()), span)
    }

    /// Adds a number.
    pub fn number(self, key: &str, number: f64, span: &Span) -> Self {
        self.value(key, Value::Number(decimal(number)), span)
    }

    /// Adds a list of strings.
    pub fn texts(self, key: &str, texts: &[String], span: &Span) -> Self {
        let items = texts.iter().map(|text| Node { value: Value::Text(text.clone()), span: span.clone() });
        self.value(key, Value::Array(items.collect()), span)
    }

    /// Adds a list of numbers.
    pub fn numbers(self, key: &str, numbers: &[f64], span: &Span) -> Self {
        let items = numbers.iter().map(|number| Node { value: Value::Number(decimal(*number)), span: span.clone() });
        self.value(key, Value::Array(items.collect()), span)
    }

    /// Adds an inline table.
    pub fn table(self, key: &str, table: Builder) -> Self {
        let span = table.span.clone();
        self.value(key, Value::Table(table.finish()), &span)
    }

    /// Adds an inline table if there is one.
    pub fn optional(self, key: &str, table: Option<Builder>) -> Self {
        match table {
            Some(table) => self.table(key, table),
            None => self,
        }
    }

    /// Adds `[[key]]` tables; none if there are none.
    pub fn tables(self, key: &str, tables: Vec<Builder>) -> Self {
        if tables.is_empty() {
            return self;
        }
        let span = self.span.clone();
        let items = tables.into_iter().map(|table| {
            let span = table.span.clone();
            Node { value: Value::Table(table.finish()), span }
        });
        self.value(key, Value::Array(items.collect()), &span)
    }

    /// Adds the keys of a provenance: the basis, the source, and the range of an assumed figure.
    pub fn provenance(self, known: &Known, span: &Span) -> Self {
        let named = match known {
            Known::Stated => self.text("basis", "published", span),
            Known::Derived => self.text("basis", "derived", span),
            Known::Assumed(low, high) => self.text("basis", "assumed", span).numbers("range", &[*low, *high], span),
            Known::Within(low, high) => self.text("basis", "assumed", span).numbers("factor", &[*low, *high], span),
        };
        let source = place(span);
        named.text("source", source, span)
    }

    /// The table.
    pub fn finish(self) -> Table {
        Table { entries: self.entries, span: self.span }
    }
}

/// How a figure of the JSON is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    /// It stands in the file.
    Stated,
    /// It is arithmetic on what stands in the file.
    Derived,
    /// The file can be read in several ways, or has a placeholder: lowest and highest reading.
    Assumed(f64, f64),
    /// The same as multiples of a value that follows the file's parameters.
    Within(f64, f64),
}

/// `file.json, line 12`: the source of a figure.
pub fn place(span: &Span) -> String {
    let name = span.source().name.as_str();
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    format!("{file}, line {}", span.line_column().0)
}

/// A number as TOML and expressions write it, to twelve digits: no more than any configuration has, and without the noise
/// of a change of unit.
pub fn decimal(number: f64) -> String {
    let rounded = format!("{number:.11e}").parse().unwrap_or(number);
    let size: f64 = rounded;
    if size != 0.0 && !(1e-9..1e15).contains(&size.abs()) { format!("{size:e}") } else { size.to_string() }
}
