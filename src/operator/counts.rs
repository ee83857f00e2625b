//! The counts of each operator of a pipeline.

use crate::spec::Study;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::kind::KindDecl;
use crate::spec::pipeline::{EdgeKind, OperatorDecl};
use crate::spec::program::NodeId;
use crate::spec::scope::{Scope, Typed};

/// An operator of the pipeline with its counts.
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The family of its kind.
    pub category: String,
    /// What it counts: per tile if it streams, else per frame.
    pub counts: Counts,
    /// True if it works tile by tile.
    pub streamed: bool,
}

/// Named counts.
#[derive(Debug, Clone, Default)]
pub struct Counts(pub Vec<(String, NodeId)>);

impl Counts {
    /// The count of that name.
    pub fn get(&self, name: &str) -> Option<NodeId> {
        self.0.iter().find(|(count, _)| count == name).map(|(_, node)| *node)
    }

    /// The counts as the names `count.*` of an expression.
    pub fn locals(&self) -> Vec<(String, Typed)> {
        self.0.iter().map(|(name, node)| (format!("count.{name}"), Typed::number(*node))).collect()
    }
}

/// Compiles every operator; `None` for the faulty ones, whose faults are reported.
pub fn compile_operators(scope: &mut Scope<'_>, study: &Study) -> Vec<Option<Operator>> {
    study.pipeline.operators.iter().map(|decl| compile_operator(scope, study, decl)).collect()
}

fn compile_operator(scope: &mut Scope<'_>, study: &Study, decl: &OperatorDecl) -> Option<Operator> {
    let (kind_name, kind_span) = &decl.kind;
    let Some(kind) = study.kinds.iter().find(|kind| kind.name == *kind_name) else {
        let help = did_you_mean(kind_name, study.kinds.iter().map(|kind| kind.name.as_str()));
        scope.error(kind_span, format!("there is no operator kind `{kind_name}`"), help);
        return None;
    };
    let mut locals = arguments(scope, decl, kind)?;
    let mut counts = Counts::default();
    for (name, span, quantity) in &kind.counts {
        let what = format!("count `{name}` of operator `{}`", decl.name);
        let node = scope.compile(quantity, &what, &locals)?;
        let node = scope.at_least(node, 0.0, span, &what);
        locals.push((name.clone(), Typed::number(node)));
        counts.0.push((name.clone(), node));
    }
    let tiled = counts.0.iter().any(|(_, node)| scope.graph.is_tiled(*node));
    let streams = study
        .pipeline
        .edges
        .iter()
        .any(|edge| edge.kind == EdgeKind::Stream && (edge.from.0 == decl.name || edge.to.0 == decl.name));
    if tiled && !streams {
        scope.error(
            &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
            format!("operator `{}` counts by tile but no stream edge leads to or from it", decl.name),
            "add an [[edge]] with kind = \"stream\"",
        );
        return None;
    }
    Some(Operator {
        name: decl.name.clone(),
        kind: kind.name.clone(),
        category: kind.category.clone(),
        counts,
        streamed: streams,
    })
}

/// The values of a kind's parameters: what the operator gives, else the kind's defaults.
fn arguments(scope: &mut Scope<'_>, decl: &OperatorDecl, kind: &KindDecl) -> Option<Vec<(String, Typed)>> {
    let known = || kind.parameters.iter().map(|(name, _, _)| name.as_str());
    for (name, span, _) in &decl.arguments {
        if !known().any(|parameter| parameter == name) {
            scope.error(span, format!("kind `{}` has no parameter `{name}`", kind.name), did_you_mean(name, known()));
        }
    }
    let mut locals: Vec<(String, Typed)> = Vec::new();
    let mut complete = true;
    for (name, _, default) in &kind.parameters {
        let given = decl.arguments.iter().find(|(argument, _, _)| argument == name);
        let what = format!("`{name}` of operator `{}`", decl.name);
        let node = match (given, default) {
            (Some((_, _, quantity)), _) => scope.compile(quantity, &what, &[]),
            // A default may use the parameters before it.
            (None, Some(default)) => scope.compile(default, &what, &locals),
            (None, None) => {
                scope.error(
                    &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
                    format!("operator `{}` does not say its `{name}`", decl.name),
                    format!("add `{name} = ...`; kind `{}` needs it", kind.name),
                );
                None
            }
        };
        match node {
            Some(node) => locals.push((name.clone(), Typed::number(node))),
            None => complete = false,
        }
    }
    complete.then_some(locals)
}
