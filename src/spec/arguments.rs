//! The values of an operator's arguments.

use super::diagnostic::did_you_mean;
use super::kind::KindDecl;
use super::pipeline::OperatorDecl;
use super::program::NodeId;
use super::scope::{Scope, Typed};

/// The values of the parameters of `kind`, the kind of the operator: what the operator gives, else the kind's defaults;
/// `bits` where it is stated. A stage gives expressions over the parameters of its composite. `None` if one has no value,
/// which is reported.
pub fn values(
    scope: &mut Scope<'_>,
    kinds: &[KindDecl],
    decl: &OperatorDecl,
    kind: &KindDecl,
    bits: Option<NodeId>,
) -> Option<Vec<(String, Typed)>> {
    let outer = match &decl.stage_of {
        Some(composite) => {
            let kind = kinds.iter().find(|kind| kind.name == composite.kind.0)?;
            values(scope, kinds, composite, kind, None)?
        }
        None => Vec::new(),
    };
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
            _ if name == "bits" && bits.is_some() => bits,
            (Some((_, _, quantity)), _) => scope.compile(quantity, &what, &outer),
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
