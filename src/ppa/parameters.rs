//! The study's parameters: what hardware, pipeline and sweep say of them together.

use super::branches::Condition;
use super::conditions::resolve_conditions;
use super::group::{Groups, Slot};
use crate::spec::diagnostic::{Collector, Diagnostic, did_you_mean};
use crate::spec::figure::Provenance;
use crate::spec::parameter::{ParameterDecl, ParameterType};
use crate::spec::reader::Quantity;
use crate::spec::scope::{Definition, Parameter};
use crate::spec::sweep::{SweepParameter, SweepValue};
use crate::spec::technique::TechniqueDecl;
use crate::spec::{Span, Study};

/// Most axes of a sweep.
pub const MAX_AXES: usize = 64;

/// An axis of the design space.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values; for words their indices.
    pub values: Vec<f64>,
    /// How each value is written.
    pub labels: Vec<String>,
    /// Where each value stands.
    pub spans: Vec<Span>,
    /// True if the values are words.
    pub is_words: bool,
    /// True if every value is a whole number.
    pub is_whole: bool,
    /// True if the values stand for all between the first and the last.
    pub is_continuous: bool,
    /// The value of the declared design: the parameter's default, if that is a constant.
    pub default: Option<f64>,
    /// The parameters of a group, in order; empty for an axis of one parameter.
    pub members: Vec<String>,
    /// Where it exists; `None`: everywhere.
    pub condition: Option<Condition>,
}

impl Axis {
    /// True if it varies the parameter.
    pub fn varies(&self, parameter: &str) -> bool {
        self.name == parameter || self.members.iter().any(|member| member == parameter)
    }

    /// The digit of the declared design if that is among its values, else of its first value.
    pub fn declared_digit(&self) -> usize {
        self.default.and_then(|default| self.values.iter().position(|value| *value == default)).unwrap_or(0)
    }
}

/// Parameters and axes of a study. Faults go to `diagnostics`.
pub fn collect(study: &Study, diagnostics: &Collector) -> (Vec<Parameter>, Vec<Axis>) {
    let mut parameters: Vec<Parameter> = Vec::new();
    let of_techniques: Vec<ParameterDecl> = study.techniques.iter().flat_map(TechniqueDecl::study_parameters).collect();
    for decl in study.hardware.parameters.iter().chain(&study.pipeline.parameters).chain(&of_techniques) {
        if let Some(first) = parameters.iter().find(|parameter| parameter.decl.name == decl.name) {
            diagnostics.error(
                Diagnostic::new(&decl.span, format!("parameter `{}` is declared twice", decl.name)).help(format!(
                    "the first stands at {}; the file that owns it declares it, the other only uses it",
                    first.decl.span
                )),
            );
            continue;
        }
        parameters.push(Parameter { decl: decl.clone(), definition: Definition::Value(decl.default.clone()) });
    }
    let mut groups = Groups::new(&study.sweep, diagnostics);
    for given in &study.sweep.parameters {
        let declared = parameters.iter().position(|parameter| parameter.decl.name == given.name);
        if let (None, Some(when)) = (declared, &given.when) {
            let message = format!("`{}` has no value where this does not hold: it is declared nowhere", given.name);
            let help = "declare it in the hardware or the pipeline with a default, or remove `when`";
            diagnostics.error(Diagnostic::new(&when.span, message).help(help));
        }
        let at = declared.unwrap_or_else(|| {
            parameters.push(own_parameter(given));
            parameters.len() - 1
        });
        if let Some(axis) = apply(given, &mut parameters[at], diagnostics) {
            groups.add(at, axis, given);
        }
    }
    let mut axes = Vec::new();
    let mut slots: Vec<Slot> = groups.finish().into_iter().collect();
    let count = slots.len();
    // What is beyond the limit stays as declared: the plan is refused all the same.
    slots.truncate(MAX_AXES);
    for slot in slots {
        let index = axes.len();
        match slot {
            Slot::Alone(at, axis, when) => {
                parameters[at].definition = match (when, &axis.values[..]) {
                    (Some(when), _) => Definition::When(index, when),
                    (None, [only]) => Definition::Only(*only),
                    (None, _) => Definition::Axis(index),
                };
                axes.push(axis);
            }
            Slot::Zipped(members, axis) => {
                for (at, values) in members {
                    parameters[at].definition = Definition::Zipped(index, values);
                }
                axes.push(axis);
            }
        }
    }
    if count > MAX_AXES
        && let Some(given) = study.sweep.parameters.last()
    {
        diagnostics.error(
            Diagnostic::new(&given.span, format!("this sweep has {count} axes, more than {MAX_AXES}"))
                .help("fix some of them"),
        );
    } else {
        resolve_conditions(&parameters, &mut axes, diagnostics);
    }
    (parameters, axes)
}

/// A parameter that only the sweep knows; something must use it.
fn own_parameter(given: &SweepParameter) -> Parameter {
    let decl = ParameterDecl {
        name: given.name.clone(),
        span: given.span.clone(),
        default: Quantity::constant(0.0, &given.span),
        min: None,
        max: None,
        kind: match &given.value {
            SweepValue::Words(words) => ParameterType::Choice(words.iter().map(|(word, _)| word.clone()).collect()),
            _ => ParameterType::Real,
        },
        doc: String::new(),
        provenance: Provenance::default(),
    };
    Parameter { definition: Definition::Value(decl.default.clone()), decl }
}

/// The axis of a parameter, if the sweep gives it one; a fixed value becomes its definition.
fn apply(given: &SweepParameter, parameter: &mut Parameter, diagnostics: &Collector) -> Option<Axis> {
    let error =
        |span: &Span, message: String, help: String| diagnostics.error(Diagnostic::new(span, message).help(help));
    let name = &given.name;
    let axis = match (&given.value, &parameter.decl.kind) {
        (SweepValue::Fixed(quantity), _) => {
            parameter.definition = Definition::Value(quantity.clone());
            return None;
        }
        (SweepValue::Words(words), ParameterType::Choice(known)) => {
            let index = |word: &str| known.iter().position(|choice| choice == word);
            for (word, span) in words.iter().filter(|(word, _)| index(word).is_none()) {
                let help = did_you_mean(word, known.iter().map(String::as_str));
                error(span, format!("`{name}` cannot be \"{word}\""), help);
            }
            Axis {
                name: name.clone(),
                values: words.iter().map(|(word, _)| index(word).unwrap_or(0) as f64).collect(),
                labels: words.iter().map(|(word, _)| word.clone()).collect(),
                spans: words.iter().map(|(_, span)| span.clone()).collect(),
                is_words: true,
                is_whole: false,
                is_continuous: false,
                default: default_word(&parameter.decl, known),
                members: Vec::new(),
                condition: None,
            }
        }
        (SweepValue::Numbers(numbers), ParameterType::Integer | ParameterType::Real) => {
            let whole = |value: f64| value.fract() == 0.0 && value.abs() < 9.0e15;
            if parameter.decl.kind == ParameterType::Integer {
                for (value, span) in numbers.iter().filter(|(value, _)| !whole(*value)) {
                    error(
                        span,
                        format!("`{name}` counts something: {value} is not a whole number"),
                        format!("write whole numbers, or declare `{name}` with type = \"real\""),
                    );
                }
            }
            Axis {
                name: name.clone(),
                values: numbers.iter().map(|(value, _)| *value).collect(),
                labels: numbers.iter().map(|(value, _)| value.to_string()).collect(),
                spans: numbers.iter().map(|(_, span)| span.clone()).collect(),
                is_words: false,
                is_whole: numbers.iter().all(|(value, _)| whole(*value)),
                is_continuous: false,
                default: default_number(&parameter.decl),
                members: Vec::new(),
                condition: None,
            }
        }
        (SweepValue::Continuous(values, span), ParameterType::Real) => Axis {
            name: name.clone(),
            labels: values.iter().map(f64::to_string).collect(),
            spans: vec![span.clone(); values.len()],
            values: values.clone(),
            is_words: false,
            is_whole: false,
            is_continuous: true,
            default: default_number(&parameter.decl),
            members: Vec::new(),
            condition: None,
        },
        (SweepValue::Continuous(_, span), ParameterType::Integer) => {
            let help = format!("write `{name} = {{ from = 1, to = 8, step = 1 }}`, or declare it with type = \"real\"");
            error(span, format!("`{name}` counts something and cannot be continuous"), help);
            return None;
        }
        (SweepValue::Words(words), _) => {
            error(&words[0].1, format!("`{name}` takes numbers, not words"), format!("write `{name} = [1, 2]`"));
            return None;
        }
        (SweepValue::Numbers(_) | SweepValue::Continuous(..), ParameterType::Choice(known)) => {
            error(
                given.place(),
                format!("`{name}` takes words, not numbers"),
                format!("write `{name} = {{ choice = [\"{}\"] }}`", known.join("\", \"")),
            );
            return None;
        }
    };
    Some(axis)
}

fn default_number(decl: &ParameterDecl) -> Option<f64> {
    match decl.default.expr.kind {
        crate::spec::expr::ExprKind::Number(value) => Some(value),
        _ => None,
    }
}

fn default_word(decl: &ParameterDecl, known: &[String]) -> Option<f64> {
    known.iter().position(|word| *word == decl.default.text).map(|at| at as f64)
}
