//! Declarations: what people write, checked and typed, every value with its place in a file.
//!
//! A file becomes a [`tree`] in which keys and values know their places; a [`reader`] takes typed values out of it and
//! reports what it does not know; `sweep`, `hardware`, `pipeline`, `kind` and `scene` are the checked declarations;
//! [`Study`] is a sweep with everything that it names. [`scope`] resolves names and turns expressions into a
//! [`program`] that evaluates design points. Faults are collected and shown together by [`diagnostic`].
//!
//! This layer depends on no other; every other layer stands on it.

pub mod catalog;
pub mod diagnostic;
pub mod expr;
pub mod figure;
pub mod hardware;
pub mod kind;
pub mod parameter;
pub mod pipeline;
pub mod program;
pub mod range;
pub mod reader;
pub mod resolved;
mod scalar;
pub mod scene;
pub mod scope;
mod search;
pub mod source;
mod study;
pub mod sweep;
pub mod tree;

pub use diagnostic::{Collector, Diagnostic, Diagnostics};
pub use source::{Source, Span};
pub use study::Study;

/// Reports each name that was declared before.
pub(crate) fn report_repeated<'a>(
    names: impl Iterator<Item = (&'a String, &'a Span)>,
    what: &str,
    diagnostics: &Collector,
) {
    let mut seen: Vec<(&String, &Span)> = Vec::new();
    for (name, span) in names {
        match seen.iter().find(|(known, _)| *known == name) {
            Some((_, first)) => diagnostics.error(
                Diagnostic::new(
                    &span.part(0..span.text().find('\n').unwrap_or(span.range().len())),
                    format!("there are two of the {what} `{name}`"),
                )
                .help(format!("the first stands at {first}; rename or remove one")),
            ),
            None => seen.push((name, span)),
        }
    }
}
