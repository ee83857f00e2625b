//! Reading typed values out of a table: every key is asked for once, and what nobody asked for is an error.

use std::cell::RefCell;
use std::collections::HashSet;

use super::diagnostic::{Collector, Diagnostic, did_you_mean};
use super::expr::{self, Expr};
use super::source::Span;
use super::tree::{Node, Table, Value};

/// A number or an expression as written, with its place.
#[derive(Debug, Clone)]
pub struct Quantity {
    /// The syntax tree.
    pub expr: Expr,
    /// The whole value in the file.
    pub span: Span,
    /// The text of the expression.
    pub text: String,
}

impl Quantity {
    /// A constant that stands nowhere in the file; `span` is the place that implies it.
    pub fn constant(value: f64, span: &Span) -> Self {
        let expr = Expr { kind: expr::ExprKind::Number(value), range: 0..0 };
        Self { expr, span: span.clone(), text: value.to_string() }
    }

    /// Its value if no name is in it.
    pub fn number(&self) -> Option<f64> {
        self.expr.number()
    }

    /// The quantity times a number; it stands at the same place.
    pub fn times(&self, factor: f64) -> Self {
        let range = self.expr.range.clone();
        let number = Expr { kind: expr::ExprKind::Number(factor), range: range.clone() };
        let kind = expr::ExprKind::Apply(expr::Function::Mul, vec![self.expr.clone(), number]);
        Self { expr: Expr { kind, range }, ..self.clone() }
    }

    /// The place of a part of the expression.
    pub fn part(&self, range: std::ops::Range<usize>) -> Span {
        let raw = self.span.text();
        if raw.len() == self.text.len() + 2 && raw[1..].starts_with(self.text.as_str()) {
            self.span.part(range.start + 1..range.end + 1)
        } else {
            self.span.clone()
        }
    }
}

/// Reads one table. Call [`Reader::finish`] at the end: it reports the keys that no call asked for.
pub struct Reader<'a> {
    table: &'a Table,
    diagnostics: &'a Collector,
    what: String,
    asked: RefCell<Vec<String>>,
}

impl<'a> Reader<'a> {
    /// A reader of `table`, called `what` in errors ("a [[unit]]").
    pub fn new(table: &'a Table, what: impl Into<String>, diagnostics: &'a Collector) -> Self {
        Self { table, diagnostics, what: what.into(), asked: RefCell::new(Vec::new()) }
    }

    /// The table's place.
    pub fn span(&self) -> &Span {
        &self.table.span
    }

    /// Where faults go.
    pub fn diagnostics(&self) -> &'a Collector {
        self.diagnostics
    }

    /// Reports a fault.
    pub fn error(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    /// The raw value of `key`.
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.asked.borrow_mut().push(key.to_owned());
        self.table.get(key)
    }

    /// The raw value of a key that must be there.
    pub fn required(&self, key: &str) -> Option<&'a Node> {
        let node = self.node(key);
        if node.is_none() {
            self.error(&self.header(), format!("{} needs the key `{key}`", self.what), format!("add `{key} = ...`"));
        }
        node
    }

    /// The first line of the table, so that a missing key does not mark the whole of it.
    fn header(&self) -> Span {
        let length = self.table.span.text().find('\n').unwrap_or(self.table.span.text().len());
        self.table.span.part(0..length)
    }

    fn mismatch(&self, key: &str, node: &Node, wanted: &str) {
        self.error(
            &node.span,
            format!("`{key}` must be {wanted}, not {}", node.value.kind()),
            format!("write {wanted}"),
        );
    }

    /// A string.
    pub fn text(&self, key: &str) -> Option<String> {
        self.text_of(key, self.node(key)?)
    }

    /// A string that must be there.
    pub fn required_text(&self, key: &str) -> Option<String> {
        self.text_of(key, self.required(key)?)
    }

    fn text_of(&self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Text(_) => {
                self.error(&node.span, format!("`{key}` is empty"), "write a name");
                None
            }
            _ => {
                self.mismatch(key, node, "a string");
                None
            }
        }
    }

    /// One of `choices`.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let node = self.node(key)?;
        let text = self.text_of(key, node)?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            self.error(
                &node.span,
                format!("`{key}` cannot be \"{text}\""),
                did_you_mean(&text, choices.iter().map(|(name, _)| *name)),
            );
        }
        found
    }

    /// `true` or `false`.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        let node = self.node(key)?;
        match node.value {
            Value::Bool(value) => Some(value),
            _ => {
                self.mismatch(key, node, "true or false");
                None
            }
        }
    }

    /// A whole number of at least `least`.
    pub fn whole(&self, key: &str, least: u64) -> Option<u64> {
        let node = self.node(key)?;
        match &node.value {
            Value::Number(text) => match text.parse::<u64>() {
                Ok(value) if value >= least => Some(value),
                _ => {
                    self.error(
                        &node.span,
                        format!("`{key}` must be a whole number of at least {least}, not {text}"),
                        "write an integer",
                    );
                    None
                }
            },
            _ => {
                self.mismatch(key, node, "a whole number");
                None
            }
        }
    }

    /// A plain number.
    pub fn number(&self, key: &str) -> Option<f64> {
        let node = self.node(key)?;
        match &node.value {
            Value::Number(text) => text.parse().ok(),
            _ => {
                self.mismatch(key, node, "a number");
                None
            }
        }
    }

    /// A number or an expression.
    pub fn quantity(&self, key: &str) -> Option<Quantity> {
        let node = self.node(key)?;
        quantity(node, key, self.diagnostics)
    }

    /// A number or an expression that must be there.
    pub fn required_quantity(&self, key: &str) -> Option<Quantity> {
        let node = self.required(key)?;
        quantity(node, key, self.diagnostics)
    }

    /// A list of strings, each with its place; one string stands for a list of one.
    pub fn texts(&self, key: &str) -> Vec<(String, Span)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        match &node.value {
            Value::Text(_) => self.text_of(key, node).map(|text| (text, node.span.clone())).into_iter().collect(),
            Value::Array(items) => {
                let mut seen = HashSet::new();
                items
                    .iter()
                    .filter_map(|item| {
                        let text = self.text_of(key, item)?;
                        if !seen.insert(text.clone()) {
                            self.error(&item.span, format!("\"{text}\" stands twice in `{key}`"), "remove one");
                            return None;
                        }
                        Some((text, item.span.clone()))
                    })
                    .collect()
            }
            _ => {
                self.mismatch(key, node, "a list of strings");
                Vec::new()
            }
        }
    }

    /// A sub-table.
    pub fn table(&self, key: &str) -> Option<&'a Table> {
        let node = self.node(key)?;
        match &node.value {
            Value::Table(table) => Some(table),
            _ => {
                self.mismatch(key, node, "a table");
                None
            }
        }
    }

    /// The tables of `[[key]]`.
    pub fn tables(&self, key: &str) -> Vec<&'a Table> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let Value::Array(items) = &node.value else {
            self.mismatch(key, node, "a list of tables (`[[...]]`)");
            return Vec::new();
        };
        items
            .iter()
            .filter_map(|item| match &item.value {
                Value::Table(table) => Some(table),
                _ => {
                    self.mismatch(key, item, "a table");
                    None
                }
            })
            .collect()
    }

    /// The entries that no call has asked for yet, which the caller takes as a free-form part of the table.
    pub fn rest(&self) -> Vec<&'a (String, Span, Node)> {
        let rest: Vec<_> = {
            let asked = self.asked.borrow();
            self.table.entries.iter().filter(|(key, _, _)| !asked.contains(key)).collect()
        };
        self.asked.borrow_mut().extend(rest.iter().map(|(key, _, _)| key.clone()));
        rest
    }

    /// Reports every key that nobody asked for.
    pub fn finish(self) {
        let asked = self.asked.into_inner();
        for (key, span, _) in self.table.entries.iter().filter(|(key, _, _)| !asked.contains(key)) {
            let help = ambiguous_unit(key).unwrap_or_else(|| did_you_mean(key, asked.iter().map(String::as_str)));
            self.diagnostics.error(Diagnostic::new(span, format!("{} has no key `{key}`", self.what)).help(help));
        }
    }
}

/// What to write instead of a key whose unit means different things to different people.
fn ambiguous_unit(key: &str) -> Option<String> {
    const UNITS: [(&str, &str, &str); 6] = [
        ("_gbps", "_gb_per_s", "10^9 bytes per second; `gbps` can be read as bits"),
        ("_mbps", "_gb_per_s", "10^9 bytes per second; `mbps` can be read as bits"),
        ("_kb", "_kib", "1024 bytes; `kb` can be read as 1000"),
        ("_mb", "_kib", "1024 bytes; `mb` can be read as 10^6"),
        ("_ghz", "_mhz", "MHz is the unit of every clock here"),
        ("_w", "_mw", "milliwatts are the unit of every power here"),
    ];
    UNITS.iter().find_map(|(suffix, right, why)| {
        let stem = key.strip_suffix(suffix)?;
        Some(format!("write `{stem}{right}` ({why})"))
    })
}

/// A node as a number or an expression.
pub fn quantity(node: &Node, key: &str, diagnostics: &Collector) -> Option<Quantity> {
    let text = match &node.value {
        Value::Number(text) | Value::Text(text) => text.clone(),
        other => {
            diagnostics.error(
                Diagnostic::new(&node.span, format!("`{key}` must be a number or an expression, not {}", other.kind()))
                    .help("write a number, or an expression in quotes such as \"ccu * 2\""),
            );
            return None;
        }
    };
    match expr::parse(&text) {
        Ok(expr) => Some(Quantity { expr, span: node.span.clone(), text }),
        Err(fault) => {
            let whole = Quantity::constant(0.0, &node.span);
            let place = Quantity { text, ..whole }.part(fault.range);
            diagnostics.error(Diagnostic::new(&place, fault.message).help(fault.help));
            None
        }
    }
}
