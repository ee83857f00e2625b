//! What can be known of a study's expressions before anything runs.

use std::collections::HashMap;

use super::parameters::Axis;
use crate::spec::program::NodeId;
use crate::spec::scope::{Root, Scope};

/// Most combinations of axis values that an expression is tried on.
const MAX_TRIED: usize = 1 << 16;

/// Tries every expression that can lack a value on all combinations of the axes that it depends on. One that lacks a
/// value somewhere is reported with the values. Returns those with too many combinations to try: they are guarded at
/// every point instead.
pub fn try_expressions(scope: &mut Scope<'_>, axes: &[Axis]) -> Vec<NodeId> {
    let mut guarded = Vec::new();
    let mut tried: Vec<NodeId> = Vec::new();
    let roots = std::mem::take(&mut scope.roots);
    for root in &roots {
        let graph = &scope.graph;
        if tried.contains(&root.node) || !graph.is_fallible(root.node) || graph.is_tiled(root.node) {
            continue;
        }
        tried.push(root.node);
        let own: Vec<usize> = (0..axes.len()).filter(|axis| graph.axes(root.node) >> axis & 1 == 1).collect();
        let combinations = own.iter().try_fold(1_usize, |product, axis| product.checked_mul(axes[*axis].values.len()));
        match combinations.filter(|count| *count <= MAX_TRIED) {
            Some(count) => {
                if let Some(digits) = (0..count).find_map(|at| fails(scope, root, axes, &own, at)) {
                    report(scope, root, axes, &own, &digits);
                }
            }
            None => guarded.push(root.node),
        }
    }
    scope.roots = roots;
    guarded
}

/// The digits of combination `at` if the expression has no value there.
fn fails(scope: &Scope<'_>, root: &Root, axes: &[Axis], own: &[usize], at: usize) -> Option<Vec<usize>> {
    let mut digits = vec![0; axes.len()];
    let mut rest = at;
    for &axis in own.iter().rev() {
        let count = axes[axis].values.len();
        digits[axis] = rest % count;
        rest /= count;
    }
    let values: Vec<f64> = axes.iter().zip(&digits).map(|(axis, digit)| axis.values[*digit]).collect();
    let value = scope.graph.evaluate(root.node, &values, &mut HashMap::new())?;
    (!value.is_finite()).then_some(digits)
}

fn report(scope: &Scope<'_>, root: &Root, axes: &[Axis], own: &[usize], digits: &[usize]) {
    let values: Vec<f64> = axes.iter().zip(digits).map(|(axis, digit)| axis.values[*digit]).collect();
    let (reason, origin) = scope.graph.blame(root.node, &values);
    let at: Vec<String> =
        own.iter().map(|axis| format!("{} = {}", axes[*axis].name, axes[*axis].labels[digits[*axis]])).collect();
    let place = if at.is_empty() { String::new() } else { format!(" where {}", at.join(", ")) };
    let (span, what) = origin.map_or((&root.span, &root.what), |origin| (&origin.span, &origin.what));
    // With one axis the faulty value itself is the place to look at.
    let span = match own {
        [axis] => &axes[*axis].spans[digits[*axis]],
        _ => span,
    };
    scope.error(span, format!("{reason} in {what}{place}"), help(&reason));
}

fn help(reason: &str) -> String {
    if reason.contains("division by zero") {
        "guard it with if(...), or take that value off the axis".into()
    } else if reason.contains("not a whole number") {
        "counts are integers: use ceil(...) or floor(...), or other values".into()
    } else if reason.contains("not measured") {
        "a scene is measurement: choose what was measured, or measure more".into()
    } else {
        "change the value or the bound".into()
    }
}
