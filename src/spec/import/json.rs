//! JSON text as a spanned tree.

use std::collections::HashMap;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectPropName, Value as Json};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::spec::tree::{Node, Table, Value};
use crate::spec::{Collector, Diagnostic, Source, Span};

/// Faults of one file after which reading stops: a file with more is not what it should be.
const MOST_FAULTS: usize = 20;

/// Strict JSON: no comments, no trailing commas, no `NaN`.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a file whose root is an object; faults go to `diagnostics`. A `null` counts as absent.
pub fn parse(source: &Arc<Source>, diagnostics: &Collector) -> Option<Table> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let root = match parse_to_ast(&source.text, &collect, &STRICT) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let range = error.range();
            diagnostics.error(
                Diagnostic::new(
                    &Span::new(source, range.start..range.end),
                    format!("this is not valid JSON: {}", error.kind()),
                )
                .help("see https://www.json.org for the syntax"),
            );
            return None;
        }
    };
    let faults = diagnostics.error_count();
    let converter = Converter { source, diagnostics, faults };
    match root {
        Some(Json::Object(object)) => Some(converter.object(&object)),
        other => {
            let span = other.map_or_else(|| Span::new(source, 0..0), |value| converter.span(value.range()));
            converter.error(
                &span,
                "a hardware configuration is a JSON object".into(),
                "write { \"accelerator_name\": ... }",
            );
            None
        }
    }
}

struct Converter<'a> {
    source: &'a Arc<Source>,
    diagnostics: &'a Collector,
    /// Faults of other files.
    faults: usize,
}

impl Converter<'_> {
    fn span(&self, range: Range) -> Span {
        Span::new(self.source, range.start..range.end)
    }

    fn is_hopeless(&self) -> bool {
        self.diagnostics.error_count() - self.faults >= MOST_FAULTS
    }

    fn error(&self, span: &Span, message: String, help: &str) {
        if !self.is_hopeless() {
            self.diagnostics.error(Diagnostic::new(span, message).help(help));
        }
    }

    fn object(&self, object: &Object<'_>) -> Table {
        let mut places: HashMap<&str, Span> = HashMap::new();
        let mut entries = Vec::new();
        for property in &object.properties {
            let (name, range) = match &property.name {
                ObjectPropName::String(name) => (name.value.as_ref(), name.range),
                ObjectPropName::Word(name) => (name.value, name.range),
            };
            let span = self.span(range);
            if let Some(first) = places.get(name) {
                self.error(
                    &span,
                    format!("`{}` stands twice in this object, first at {first}", name.escape_debug()),
                    "remove one",
                );
                continue;
            }
            places.insert(name, span.clone());
            if let Some(node) = self.node(&property.value) {
                entries.push((name.to_owned(), span, node));
            }
        }
        Table { entries, span: self.span(object.range) }
    }

    fn node(&self, value: &Json<'_>) -> Option<Node> {
        if self.is_hopeless() {
            return None;
        }
        let span = self.span(value.range());
        let value = match value {
            Json::NullKeyword(_) => return None,
            Json::BooleanLit(literal) => Value::Bool(literal.value),
            Json::StringLit(literal) => Value::Text(literal.value.to_string()),
            Json::NumberLit(literal) => match literal.value.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::Number(literal.value.to_owned()),
                _ => {
                    self.error(
                        &span,
                        format!("{} is no finite number", literal.value),
                        "write a number of at most 1e308",
                    );
                    return None;
                }
            },
            Json::Array(array) => Value::Array(array.elements.iter().filter_map(|item| self.node(item)).collect()),
            Json::Object(object) => Value::Table(self.object(object)),
        };
        Some(Node { value, span })
    }
}
