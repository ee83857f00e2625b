//! Declarations: what people write, checked and typed, every value with its place in a file.
//!
//! A file becomes a [`tree`] in which keys and values know their places; a [`reader`] takes typed values out of it and
//! reports what it does not know; [`import`] makes such a tree of the field's JSON; `sweep`, `hardware`, `pipeline`, `kind`,
//! `technique` and `scene` are the checked declarations;
//! [`ability`] says which units can execute an operator as declared, and [`composite`] takes operators apart that only stages
//! can execute; [`Study`] is a sweep with everything that it names. [`scope`] resolves names and turns expressions into a
//! [`program`] that evaluates design points. Faults are collected and shown together by [`diagnostic`].
//!
//! This layer depends on no other; every other layer stands on it.

pub mod ability;
pub mod arguments;
pub mod catalog;
mod combinations;
pub mod composite;
mod continuous;
pub(crate) mod cycle;
pub mod diagnostic;
pub mod expr;
pub mod figure;
pub mod hardware;
pub mod import;
pub mod kind;
mod objective;
pub mod optimization;
mod output;
pub mod parameter;
pub mod pipeline;
pub mod program;
pub mod range;
pub mod reader;
pub mod refine;
pub mod request;
pub mod resolved;
mod scalar;
pub mod scene;
pub mod schedule;
pub mod scope;
mod search;
mod several;
pub mod source;
pub mod stage;
pub mod study;
pub mod sweep;
pub mod technique;
pub mod traced;
pub mod tree;
pub mod workload;

pub use diagnostic::{Collector, Diagnostic, Diagnostics};
pub use source::{Source, Span};
pub use study::Study;

/// Reports each name that was declared before.
pub(crate) fn report_repeated<'a>(
    names: impl Iterator<Item = (&'a String, &'a Span)>,
    what: &str,
    diagnostics: &Collector,
) {
    let mut seen: std::collections::HashMap<&String, &Span> = std::collections::HashMap::new();
    for (name, span) in names {
        match seen.get(name) {
            Some(first) => diagnostics.error(
                Diagnostic::new(
                    &span.part(0..span.text().find('\n').unwrap_or(span.range().len())),
                    format!("there are two of the {what} `{name}`"),
                )
                .help(format!("the first stands at {first}; rename or remove one")),
            ),
            None => drop(seen.insert(name, span)),
        }
    }
}
