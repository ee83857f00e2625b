//! Stages of composite kinds: what a composite does one after the other, and with which arguments.
//!
//! A stage's arguments are expressions over the composite's parameters. A parameter of the stage that the composite has
//! too, under the same name, takes its value unless the stage says otherwise.

use super::diagnostic::{Collector, Diagnostic, did_you_mean};
use super::expr::{self, Expr, ExprKind};
use super::kind::{KindDecl, Pass};
use super::reader::{Quantity, Reader, quantity};
use super::source::Span;
use super::tree::Value;

/// One stage.
#[derive(Debug, Clone)]
pub struct StageDecl {
    /// Its kind.
    pub kind: String,
    /// Where it is named.
    pub span: Span,
    /// Its pass: a backward pass may compute values anew.
    pub pass: Pass,
    /// Arguments that the composite states: name, place, expression over the composite's parameters.
    pub arguments: Vec<(String, Span, Quantity)>,
}

impl StageDecl {
    /// Every argument of the stage: stated ones, and those that it inherits from the composite by their name.
    pub fn all_arguments(&self, composite: &KindDecl, kind: &KindDecl) -> Vec<(String, Span, Quantity)> {
        let mut all = self.arguments.clone();
        for (name, _, _) in &kind.parameters {
            let stated = self.arguments.iter().any(|(argument, _, _)| argument == name);
            let shared = composite.parameters.iter().any(|(parameter, _, _)| parameter == name);
            if let (false, true, Ok(expr)) = (stated, shared, expr::parse(name)) {
                let value = Quantity { expr, span: self.span.clone(), text: name.clone() };
                all.push((name.clone(), self.span.clone(), value));
            }
        }
        all
    }
}

/// Reads a list of stages: the name of a kind, or a table with `kind`, `pass` and `arguments`. `pass` is theirs unless they
/// say otherwise.
pub(super) fn read_stages(reader: &Reader<'_>, key: &str, pass: Pass) -> Vec<StageDecl> {
    let Some(node) = reader.node(key) else { return Vec::new() };
    let Value::Array(items) = &node.value else {
        let help = format!("write `{key} = [\"FrustumCulling\", {{ kind = \"Projection\", arguments = {{ ... }} }}]`");
        reader.error(&node.span, format!("`{key}` must be a list of stages, not {}", node.value.kind()), help);
        return Vec::new();
    };
    let stages = items.iter().filter_map(|item| match &item.value {
        Value::Text(kind) => {
            Some(StageDecl { kind: kind.clone(), span: item.span.clone(), pass, arguments: Vec::new() })
        }
        Value::Table(table) => {
            let inner = Reader::new(table, "a stage", reader.diagnostics());
            let kind = inner.required_text("kind");
            let pass = inner.choice("pass", &Pass::NAMES).unwrap_or(pass);
            let arguments = inner.table("arguments").map_or_else(Vec::new, |table| {
                let entries = table.entries.iter();
                let read = |(name, span, node): &(String, Span, super::tree::Node)| {
                    Some((name.clone(), span.clone(), quantity(node, name, reader.diagnostics())?))
                };
                entries.filter_map(read).collect()
            });
            inner.finish();
            Some(StageDecl { kind: kind?, span: item.span.clone(), pass, arguments })
        }
        other => {
            let message = format!("a stage of `{key}` must be a kind or a table, not {}", other.kind());
            reader.error(&item.span, message, "write the name of an operator kind");
            None
        }
    });
    stages.collect()
}

/// Reports stages that name no kind, a kind that has not the pass, or the composite itself; arguments that the stage does
/// not have, or that rest on what the composite does not have; and parameters that get no value.
pub fn check_stages(kinds: &[KindDecl], diagnostics: &Collector) {
    for composite in kinds {
        for stage in composite.stages.iter().chain(&composite.backward_stages) {
            Check { kinds, composite, stage, diagnostics }.run();
        }
    }
}

/// One stage that is checked.
struct Check<'a> {
    kinds: &'a [KindDecl],
    composite: &'a KindDecl,
    stage: &'a StageDecl,
    diagnostics: &'a Collector,
}

impl Check<'_> {
    fn fault(&self, span: &Span, message: String, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    fn run(&self) {
        let Self { kinds, composite, stage, .. } = self;
        let Some(kind) = kinds.iter().find(|known| known.name == stage.kind && known.name != composite.name) else {
            let known = kinds.iter().map(|known| known.name.as_str()).filter(|name| *name != composite.name);
            let message = format!(
                "`{}` can be no stage of kind `{}`: there is no other kind so named",
                stage.kind, composite.name
            );
            self.fault(&stage.span, message, did_you_mean(&stage.kind, known));
            return;
        };
        if contains(kinds, kind, &composite.name) {
            let message =
                format!("`{}` can be no stage of kind `{}`, which is a stage of it", kind.name, composite.name);
            self.fault(&stage.span, message, "name only kinds that do not contain this one");
        }
        if kind.counts_of(stage.pass).is_empty() {
            let message =
                format!("stage `{}` of kind `{}` has no {} pass", kind.name, composite.name, stage.pass.name());
            self.fault(&stage.span, message, "leave it out of this pass, or give it another `pass`");
        }
        self.arguments(kind);
    }

    fn arguments(&self, kind: &KindDecl) {
        let Self { composite, stage, .. } = self;
        let own = || kind.parameters.iter().map(|(name, _, _)| name.as_str());
        let outer = || composite.parameters.iter().map(|(name, _, _)| name.as_str());
        for (name, span, value) in &stage.arguments {
            if !own().any(|known| known == name) {
                self.fault(span, format!("kind `{}` has no parameter `{name}`", kind.name), did_you_mean(name, own()));
            }
            for (name, range) in names(&value.expr) {
                if !outer().any(|known| known == name) {
                    let message = format!("kind `{}` has no parameter `{name}` to give its stage", composite.name);
                    self.fault(&value.part(range), message, did_you_mean(name, outer()));
                }
            }
        }
        let given = stage.all_arguments(composite, kind);
        for (name, _, default) in &kind.parameters {
            if default.is_none() && !given.iter().any(|(argument, _, _)| argument == name) {
                let message = format!("stage `{}` of kind `{}` gets no `{name}`", kind.name, composite.name);
                let help = format!("write {{ kind = \"{}\", arguments = {{ {name} = ... }} }}", kind.name);
                self.fault(&stage.span, message, help);
            }
        }
    }
}

/// Whether `name` is among the stages of `kind`, or theirs.
fn contains(kinds: &[KindDecl], kind: &KindDecl, name: &str) -> bool {
    let mut open = vec![kind];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(kind) = open.pop() {
        for stage in kind.stages.iter().chain(&kind.backward_stages) {
            if stage.kind == name {
                return true;
            }
            let inner = kinds.iter().find(|known| known.name == stage.kind);
            if let Some(inner) = inner.filter(|inner| !seen.contains(&inner.name.as_str())) {
                seen.push(&inner.name);
                open.push(inner);
            }
        }
    }
    false
}

/// The names in an expression with their places, running variables of sums left out.
fn names(expr: &Expr) -> Vec<(&str, std::ops::Range<usize>)> {
    match &expr.kind {
        ExprKind::Name(name) => vec![(name, expr.range.clone())],
        ExprKind::Apply(_, arguments) => arguments.iter().flat_map(names).collect(),
        ExprKind::Sum { variable, parts } => {
            parts.iter().flat_map(names).filter(|(name, _)| name != variable).collect()
        }
        ExprKind::Number(_) | ExprKind::Text(_) => Vec::new(),
    }
}
