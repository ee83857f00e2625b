//! What can be known of a study's expressions before anything runs.

use std::collections::{HashMap, HashSet};

use super::parameters::Axis;
use crate::spec::program::NodeId;
use crate::spec::scope::{Root, Scope};

/// Most combinations of axis values that an expression is tried on.
const MAX_TRIED: usize = 1 << 16;
/// Steps of a continuous axis at which an expression is tried.
const CONTINUOUS_TRIED: usize = 1 << 8;

/// What trying the expressions showed.
pub struct Tried {
    /// Expressions with too many combinations to try: they are guarded at every point.
    pub guards: Vec<NodeId>,
    /// Expressions that have a value at every point.
    pub passed: HashSet<NodeId>,
}

/// Tries every expression that can lack a value on all combinations of the axes that it depends on. One that lacks a
/// value somewhere is reported with the values.
pub fn try_expressions(scope: &mut Scope<'_>, axes: &[Axis]) -> Tried {
    let mut guards = Vec::new();
    let mut passed = HashSet::new();
    let mut tried: HashSet<NodeId> = HashSet::new();
    let roots = std::mem::take(&mut scope.roots);
    for root in &roots {
        let graph = &scope.graph;
        if !graph.is_fallible(root.node) || graph.is_tiled(root.node) || !tried.insert(root.node) {
            continue;
        }
        let own: Vec<usize> = (0..axes.len()).filter(|axis| graph.axes(root.node) >> axis & 1 == 1).collect();
        let combinations =
            own.iter().try_fold(1_usize, |product, axis| product.checked_mul(tried_values(&axes[*axis])));
        let is_sampled = own.iter().any(|axis| axes[*axis].is_continuous);
        match combinations.filter(|count| *count <= MAX_TRIED) {
            Some(count) => match (0..count).find_map(|at| try_at(scope, root, axes, &own, at)) {
                None if is_sampled => guards.push(root.node),
                None => drop(passed.insert(root.node)),
                Some(Failing::At(digits)) => report(scope, root, axes, &own, &digits),
                Some(Failing::Unknown) => {}
            },
            None => guards.push(root.node),
        }
    }
    scope.roots = roots;
    Tried { guards, passed }
}

/// Values of an axis that are tried: of a continuous one some of them.
fn tried_values(axis: &Axis) -> usize {
    if axis.is_continuous { axis.values.len().min(CONTINUOUS_TRIED + 1) } else { axis.values.len() }
}

/// Why an expression is not known to have a value everywhere.
enum Failing {
    /// It has none at these digits.
    At(Vec<usize>),
    /// It depends on tiles or on the schedule.
    Unknown,
}

/// What speaks against the expression at combination `at`.
fn try_at(scope: &Scope<'_>, root: &Root, axes: &[Axis], own: &[usize], at: usize) -> Option<Failing> {
    let mut digits = vec![0; axes.len()];
    let mut rest = at;
    for &axis in own.iter().rev() {
        let count = tried_values(&axes[axis]);
        // The first, the last and what lies evenly between.
        digits[axis] = rest % count * (axes[axis].values.len() - 1) / (count - 1).max(1);
        rest /= count;
    }
    let values: Vec<f64> = axes.iter().zip(&digits).map(|(axis, digit)| axis.values[*digit]).collect();
    match scope.graph.evaluate(root.node, &values, &mut HashMap::new()) {
        None => Some(Failing::Unknown),
        Some(value) if value.is_finite() => None,
        Some(_) => Some(Failing::At(digits)),
    }
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
