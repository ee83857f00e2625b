//! Names and their meaning: parameters, scene and tile fields, and expressions turned into graph nodes.

mod sum;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::diagnostic::{Collector, Diagnostic, did_you_mean};
use super::expr::{Expr, ExprKind, Function};
use super::parameter::{ParameterDecl, ParameterType};
use super::program::{Graph, NodeId, Operation, Origin};
use super::reader::Quantity;
use super::source::Span;

/// A node with its type.
#[derive(Debug, Clone)]
pub struct Typed {
    /// The node; for a choice, the index of the word.
    pub node: NodeId,
    /// The words of a choice; `None` for a number.
    pub words: Option<Rc<Vec<String>>>,
}

impl Typed {
    /// A number.
    pub fn number(node: NodeId) -> Self {
        Self { node, words: None }
    }
}

/// What a parameter's value is in one study.
#[derive(Debug, Clone)]
pub enum Definition {
    /// Varied: the axis of that index.
    Axis(usize),
    /// Varied together with others: the value at the digit of the axis of that index.
    Zipped(usize, Arc<[f64]>),
    /// Varied by the axis of that index where the condition holds; elsewhere the declared default.
    When(usize, Quantity),
    /// An axis of one value, which is as good as a constant.
    Only(f64),
    /// A number or an expression, from the sweep or the declaration's default.
    Value(Quantity),
}

/// A parameter of the study.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Name, type, bounds.
    pub decl: ParameterDecl,
    /// Its value.
    pub definition: Definition,
}

enum Resolution {
    Untouched,
    InWork,
    Done(Typed),
    Failed,
}

/// A compiled expression whose value must exist at every point.
pub struct Root {
    /// The node.
    pub node: NodeId,
    /// The expression.
    pub span: Span,
    /// What it gives.
    pub what: Arc<str>,
}

/// The names of one workload and the graph that their expressions build.
pub struct Scope<'a> {
    /// The graph.
    pub graph: Graph,
    /// Every expression compiled so far.
    pub roots: Vec<Root>,
    parameters: Vec<(Parameter, Resolution)>,
    in_work: Vec<usize>,
    dotted: HashMap<String, Typed>,
    used: Vec<bool>,
    /// The values of each axis, those of the declared design included.
    pub(super) axis_values: Vec<Vec<f64>>,
    /// Terms of sums so far.
    terms: usize,
    diagnostics: &'a Collector,
}

impl<'a> Scope<'a> {
    /// A scope over the parameters; faults go to `diagnostics`.
    pub fn new(parameters: Vec<Parameter>, diagnostics: &'a Collector) -> Self {
        let used = vec![false; parameters.len()];
        Self {
            graph: Graph::new(),
            roots: Vec::new(),
            parameters: parameters.into_iter().map(|parameter| (parameter, Resolution::Untouched)).collect(),
            in_work: Vec::new(),
            dotted: HashMap::new(),
            used,
            axis_values: Vec::new(),
            terms: 0,
            diagnostics,
        }
    }

    /// Says which values each axis takes.
    pub fn set_axis_values(&mut self, values: Vec<Vec<f64>>) {
        self.axis_values = values;
    }

    /// Where faults go.
    pub fn diagnostics(&self) -> &'a Collector {
        self.diagnostics
    }

    /// Reports a fault.
    pub fn error(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    /// Defines a dotted name such as `scene.pairs`.
    pub fn define(&mut self, name: impl Into<String>, value: Typed) {
        self.dotted.insert(name.into(), value);
    }

    /// The value of a dotted name.
    pub fn dotted(&self, name: &str) -> Option<NodeId> {
        self.dotted.get(name).map(|typed| typed.node)
    }

    /// Parameters that no expression has mentioned, by name.
    pub fn unused(&self) -> Vec<&str> {
        self.parameters
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !**used)
            .map(|((parameter, _), _)| parameter.decl.name.as_str())
            .collect()
    }

    /// Resolves every parameter and returns them in order; `None` for the faulty ones.
    pub fn resolve_all(&mut self) -> Vec<Option<Typed>> {
        (0..self.parameters.len()).map(|at| self.parameter(at)).collect()
    }

    /// The resolved parameter of that name, if there is one; it counts as used.
    pub fn parameter_named(&mut self, name: &str) -> Option<Typed> {
        let at = self.parameters.iter().position(|(parameter, _)| parameter.decl.name == name)?;
        self.used[at] = true;
        self.parameter(at)
    }

    fn parameter(&mut self, at: usize) -> Option<Typed> {
        match &self.parameters[at].1 {
            Resolution::Done(typed) => return Some(typed.clone()),
            Resolution::Failed => return None,
            Resolution::InWork => {
                let start = self.in_work.iter().position(|index| *index == at).unwrap_or(0);
                let name = |index: &usize| self.parameters[*index].0.decl.name.clone();
                let mut chain: Vec<String> = self.in_work[start..].iter().map(name).collect();
                chain.push(name(&at));
                let span = self.parameters[at].0.decl.span.clone();
                self.error(
                    &span,
                    format!("parameter `{}` follows itself: {}", chain[0], chain.join(" -> ")),
                    "give one of them a number",
                );
                return None;
            }
            Resolution::Untouched => {}
        }
        self.parameters[at].1 = Resolution::InWork;
        self.in_work.push(at);
        let parameter = self.parameters[at].0.clone();
        let outer = self.graph.set_origin(None);
        let resolved = self.resolve(&parameter);
        self.graph.set_origin(outer);
        self.in_work.pop();
        self.parameters[at].1 = resolved.clone().map_or(Resolution::Failed, Resolution::Done);
        resolved
    }

    fn resolve(&mut self, parameter: &Parameter) -> Option<Typed> {
        let decl = &parameter.decl;
        let what = format!("parameter `{}`", decl.name);
        let (value, span) = match &parameter.definition {
            definition
            @ (Definition::Axis(_) | Definition::Zipped(..) | Definition::When(..) | Definition::Only(_)) => {
                let words = match &decl.kind {
                    ParameterType::Choice(words) => Some(Rc::new(words.clone())),
                    _ => None,
                };
                let node = match definition {
                    Definition::Axis(index) => self.graph.axis(*index),
                    Definition::Zipped(index, values) => {
                        let axis = self.graph.axis(*index);
                        self.graph.push(Operation::Lookup(Arc::clone(values), axis))
                    }
                    Definition::When(index, condition) => self.conditional(*index, condition, decl)?,
                    Definition::Only(value) => self.graph.constant(*value),
                    Definition::Value(_) => return None,
                };
                (Typed { node, words }, decl.span.clone())
            }
            Definition::Value(quantity) => {
                if let ParameterType::Choice(words) = &decl.kind {
                    return self.resolve_choice(quantity, words, &what);
                }
                let node = self.compile_as(quantity, &what, &[])?;
                (Typed::number(node), quantity.span.clone())
            }
        };
        if value.words.is_some() {
            return Some(value);
        }
        let mut node = value.node;
        if decl.kind == ParameterType::Integer {
            node = self.whole(node, &span, &what);
        }
        for (bound, least) in [(&decl.min, true), (&decl.max, false)] {
            let Some(bound) = bound else { continue };
            let limit = self.compile_as(bound, &format!("bound of {what}"), &[])?;
            let check = if least { Operation::CheckLeast(node, limit) } else { Operation::CheckMost(node, limit) };
            node = self.checked(check, &span, &what);
        }
        self.roots.push(Root { node, span, what: what.into() });
        Some(Typed::number(node))
    }

    /// The value of an axis where it exists, else the declared default.
    fn conditional(&mut self, axis: usize, condition: &Quantity, decl: &ParameterDecl) -> Option<NodeId> {
        let what = format!("parameter `{}`", decl.name);
        let holds = self.compile_as(condition, &format!("the condition of {what}"), &[]);
        let otherwise = match &decl.kind {
            ParameterType::Choice(words) => self.resolve_choice(&decl.default, words, &what).map(|typed| typed.node),
            _ => self.compile_as(&decl.default, &what, &[]),
        };
        let axis = self.graph.axis(axis);
        Some(self.graph.select(holds?, axis, otherwise?))
    }

    /// A choice is one of its words, or another parameter with the same words.
    fn resolve_choice(&mut self, quantity: &Quantity, words: &[String], what: &str) -> Option<Typed> {
        let word = match &quantity.expr.kind {
            ExprKind::Text(word) => Some(word),
            ExprKind::Name(word) if words.contains(word) => Some(word),
            _ => None,
        };
        let Some(word) = word else {
            self.error(
                &quantity.span,
                format!("{what} takes words, not the expression `{}`", quantity.text),
                format!("write one of: {}", words.join(", ")),
            );
            return None;
        };
        match words.iter().position(|known| known == word) {
            Some(at) => {
                let node = self.graph.constant(at as f64);
                Some(Typed { node, words: Some(Rc::new(words.to_vec())) })
            }
            None => {
                let help = did_you_mean(word, words.iter().map(String::as_str));
                self.error(&quantity.span, format!("{what} cannot be \"{word}\""), help);
                None
            }
        }
    }

    /// Compiles a number; `what` names it in errors, `locals` are names that hold in this expression only.
    pub fn compile(&mut self, quantity: &Quantity, what: &str, locals: &[(String, Typed)]) -> Option<NodeId> {
        let node = self.compile_as(quantity, what, locals)?;
        self.roots.push(Root { node, span: quantity.span.clone(), what: what.into() });
        Some(node)
    }

    fn compile_as(&mut self, quantity: &Quantity, what: &str, locals: &[(String, Typed)]) -> Option<NodeId> {
        let typed = self.compile_typed(quantity, what, locals)?;
        if typed.words.is_some() {
            self.error(
                &quantity.span,
                format!("{what} must be a number, `{}` is a word", quantity.text),
                "compare the word with ==",
            );
            return None;
        }
        Some(typed.node)
    }

    /// Compiles a whole number of at least `least` and at most `most`.
    pub fn compile_count(&mut self, quantity: &Quantity, what: &str, least: f64, most: Option<f64>) -> Option<NodeId> {
        let value = self.compile(quantity, what, &[])?;
        let value = self.whole(value, &quantity.span, what);
        let value = self.at_least(value, least, &quantity.span, what);
        Some(match most {
            Some(most) => {
                let most = self.graph.constant(most);
                self.at_most(value, most, &quantity.span, what)
            }
            None => value,
        })
    }

    /// `node` where it is at least `least`; a point below has no value, for the reason that `what` gives.
    pub fn at_least(&mut self, node: NodeId, least: f64, span: &Span, what: &str) -> NodeId {
        let least = self.graph.constant(least);
        self.checked(Operation::CheckLeast(node, least), span, what)
    }

    /// As [`Scope::at_least`], an upper bound.
    pub fn at_most(&mut self, node: NodeId, most: NodeId, span: &Span, what: &str) -> NodeId {
        self.checked(Operation::CheckMost(node, most), span, what)
    }

    /// As [`Scope::at_least`], for whole numbers.
    pub fn whole(&mut self, node: NodeId, span: &Span, what: &str) -> NodeId {
        self.checked(Operation::CheckWhole(node), span, what)
    }

    /// An operation whose value must exist at every point; `what` names it in reasons.
    pub fn checked(&mut self, operation: Operation, span: &Span, what: &str) -> NodeId {
        let what: Arc<str> = what.into();
        let origin = Origin { span: span.clone(), what: Arc::clone(&what) };
        let outer = self.graph.set_origin(Some(Arc::new(origin)));
        let node = self.graph.push(operation);
        self.graph.set_origin(outer);
        self.roots.push(Root { node, span: span.clone(), what });
        node
    }

    /// Compiles a number or a word.
    pub fn compile_typed(&mut self, quantity: &Quantity, what: &str, locals: &[(String, Typed)]) -> Option<Typed> {
        let origin = Origin { span: quantity.span.clone(), what: what.into() };
        let outer = self.graph.set_origin(Some(Arc::new(origin)));
        let mut locals = locals.to_vec();
        let typed = self.expr(&quantity.expr, quantity, &mut locals);
        self.graph.set_origin(outer);
        typed
    }

    fn expr(&mut self, expr: &Expr, quantity: &Quantity, locals: &mut Vec<(String, Typed)>) -> Option<Typed> {
        match &expr.kind {
            ExprKind::Number(value) => Some(Typed::number(self.graph.constant(*value))),
            ExprKind::Name(name) => self.name(name, &quantity.part(expr.range.clone()), locals),
            ExprKind::Text(word) => {
                self.error(
                    &quantity.part(expr.range.clone()),
                    format!("'{word}' can only be compared with a parameter that takes words"),
                    "write it beside == or !=",
                );
                None
            }
            ExprKind::Apply(function @ (Function::Eq | Function::Ne), arguments) => {
                self.comparison(*function, arguments, quantity, locals)
            }
            ExprKind::Apply(function, arguments) => {
                let mut nodes = Vec::with_capacity(3);
                for argument in arguments {
                    nodes.push(self.number(argument, quantity, locals));
                }
                let nodes: Option<Vec<NodeId>> = nodes.into_iter().collect();
                let node = match nodes?[..] {
                    [a] => self.graph.unary(*function, a),
                    [a, b] => self.graph.binary(*function, a, b),
                    [a, b, c] => self.graph.select(a, b, c),
                    _ => return None,
                };
                Some(Typed::number(node))
            }
            ExprKind::Sum { variable, parts } => {
                let node = self.sum(variable, parts, quantity, locals)?;
                Some(Typed::number(node))
            }
        }
    }

    fn number(&mut self, expr: &Expr, quantity: &Quantity, locals: &mut Vec<(String, Typed)>) -> Option<NodeId> {
        let typed = self.expr(expr, quantity, locals)?;
        if typed.words.is_some() {
            self.error(
                &quantity.part(expr.range.clone()),
                "a word cannot be calculated with",
                "compare it with == or !=",
            );
            return None;
        }
        Some(typed.node)
    }

    fn name(&mut self, name: &str, span: &Span, locals: &[(String, Typed)]) -> Option<Typed> {
        if let Some((_, typed)) = locals.iter().rev().find(|(local, _)| local == name) {
            return Some(typed.clone());
        }
        if let Some(at) = self.parameters.iter().position(|(parameter, _)| parameter.decl.name == name) {
            self.used[at] = true;
            return self.parameter(at);
        }
        if let Some(typed) = self.dotted.get(name) {
            return Some(typed.clone());
        }
        let known = self
            .parameters
            .iter()
            .map(|(parameter, _)| parameter.decl.name.as_str())
            .chain(self.dotted.keys().map(String::as_str))
            .chain(locals.iter().map(|(local, _)| local.as_str()));
        let help = did_you_mean(name, known);
        self.error(span, format!("`{name}` is not defined here"), help);
        None
    }

    fn comparison(
        &mut self,
        function: Function,
        arguments: &[Expr],
        quantity: &Quantity,
        locals: &mut Vec<(String, Typed)>,
    ) -> Option<Typed> {
        let [left, right] = arguments else { return None };
        let (value, word) = match (&left.kind, &right.kind) {
            (_, ExprKind::Text(word)) => (left, Some((word, right))),
            (ExprKind::Text(word), _) => (right, Some((word, left))),
            _ => (left, None),
        };
        let Some((word, place)) = word else {
            let (a, b) = (self.expr(left, quantity, locals), self.expr(right, quantity, locals));
            let (a, b) = (a?, b?);
            if a.words != b.words {
                self.error(
                    &quantity.part(left.range.start..right.range.end),
                    "these two have different types",
                    "compare numbers with numbers, words with words",
                );
                return None;
            }
            return Some(Typed::number(self.graph.binary(function, a.node, b.node)));
        };
        let typed = self.expr(value, quantity, locals)?;
        let at = typed.words.as_ref().and_then(|words| words.iter().position(|known| known == word));
        match (at, &typed.words) {
            (Some(at), _) => {
                let constant = self.graph.constant(at as f64);
                Some(Typed::number(self.graph.binary(function, typed.node, constant)))
            }
            (None, Some(words)) => {
                let help = did_you_mean(word, words.iter().map(String::as_str));
                self.error(
                    &quantity.part(place.range.clone()),
                    format!("'{word}' is none of this parameter's words"),
                    help,
                );
                None
            }
            (None, None) => {
                self.error(
                    &quantity.part(place.range.clone()),
                    format!("'{word}' is compared with a number"),
                    "compare it with a parameter that takes words",
                );
                None
            }
        }
    }
}
