//! `--set NAME=VALUE`: a value for a parameter.

use std::sync::Arc;

use super::knobs::declared_parameters;
use crate::spec::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use crate::spec::parameter::ParameterType;
use crate::spec::reader::Quantity;
use crate::spec::source::Origin;
use crate::spec::sweep::SweepValue;
use crate::spec::{Source, Span, Study};

/// A parameter and its value.
pub struct Setting {
    /// The parameter.
    pub name: String,
    /// The number or word as it was typed.
    pub text: String,
    /// The same as a number; `None`: a word.
    pub number: Option<f64>,
    /// The value on the command line.
    pub span: Span,
}

impl Setting {
    /// Reads what was typed.
    ///
    /// # Errors
    /// If it is no name and value, or the study has no such parameter.
    pub fn parse(text: &str, study: &Study) -> Result<Self, Diagnostics> {
        let placeless = |message: String, help: String| Diagnostics(vec![Diagnostic::placeless(message).help(help)]);
        let fail = |message| placeless(message, "write --set NAME=NUMBER, or a word where it takes words".into());
        let Some((name, value)) = text.split_once('=') else { return Err(fail(format!("`{text}` sets nothing"))) };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        let number = value.parse::<f64>().ok();
        if value.is_empty() || number.is_some_and(|number| !number.is_finite()) {
            return Err(fail(format!("`{value}` is no finite number")));
        }
        let decls = declared_parameters(study);
        let own = study.sweep.parameters.iter().map(|one| one.name.as_str());
        let known: Vec<&str> = decls.iter().map(|decl| decl.name.as_str()).chain(own).collect();
        if !known.contains(&name.as_str()) {
            return Err(placeless(format!("there is no parameter `{name}`"), did_you_mean(&name, known)));
        }
        let text = format!("--set {name}={value}");
        let range = text.len() - value.len()..text.len();
        let source = Arc::new(Source { name: "command line".to_owned(), text, origin: Origin::CommandLine });
        let span = Span::new(&source, range);
        let fail = |message: String, help: String| Err(Diagnostics(vec![Diagnostic::new(&span, message).help(help)]));
        match decls.iter().find(|decl| decl.name == name).map(|decl| &decl.kind) {
            Some(ParameterType::Choice(words)) if !words.contains(&value) => {
                let help = did_you_mean(&value, words.iter().map(String::as_str));
                return fail(format!("`{name}` cannot be \"{value}\""), help);
            }
            Some(ParameterType::Integer | ParameterType::Real) if number.is_none() => {
                return fail(format!("`{name}` takes a number, not \"{value}\""), format!("write --set {name}=NUMBER"));
            }
            _ => {}
        }
        Ok(Self { name, text: value, number, span })
    }

    /// For the study: a fixed number, or an axis of one word.
    pub fn value(&self) -> SweepValue {
        match self.number {
            Some(number) => SweepValue::Fixed(Quantity::constant(number, &self.span)),
            None => SweepValue::Words(vec![(self.text.clone(), self.span.clone())]),
        }
    }
}
