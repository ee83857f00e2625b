//! Metrics that a sweep computes from others: objectives and constraints that are expressions over metrics.

use super::metric::METRICS;
use crate::spec::expr::{Expr, ExprKind, Function};
use crate::spec::program::NodeId;
use crate::spec::reader::Quantity;
use crate::spec::scope::{Scope, Typed};
use crate::spec::sweep::{Goal, SweepDecl};

/// A metric that the sweep defines.
pub struct Computed<'a> {
    /// Its column.
    pub name: &'a str,
    /// The expression.
    pub value: &'a Quantity,
    /// What errors call it.
    what: String,
}

/// The computed metrics of a sweep: those of its objectives, then those of its constraints that mention a metric. `names`
/// are the metrics of the model.
pub fn computed<'a>(sweep: &'a SweepDecl, names: &[String], is_parameter: &dyn Fn(&str) -> bool) -> Vec<Computed<'a>> {
    let objectives = sweep.search.objectives.iter().filter_map(|decl| {
        let value = decl.value.as_ref()?;
        Some(Computed { name: &decl.name, value, what: format!("objective `{}`", decl.name) })
    });
    let constraints = sweep.constraints.iter().filter_map(|decl| {
        let value = decl.value.as_ref()?;
        let is_metric = |name: &str| !is_parameter(name) && names.iter().any(|known| known == name);
        let over_metrics = mentions(&value.expr, &is_metric);
        over_metrics.then(|| Computed { name: &decl.name, value, what: format!("constraint `{}`", decl.name) })
    });
    objectives.chain(constraints).collect()
}

/// True if the expression mentions a name that is `wanted`.
fn mentions(expr: &Expr, wanted: &dyn Fn(&str) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Text(_) => false,
        ExprKind::Name(name) => wanted(name),
        ExprKind::Apply(_, arguments) => arguments.iter().any(|argument| mentions(argument, wanted)),
        ExprKind::Sum { parts, .. } => parts.iter().any(|part| mentions(part, wanted)),
    }
}

/// Compiles the computed metrics into the graph that holds the model's own, `metrics`, called `names`. A parameter of the
/// same name hides a metric.
pub fn compile_computed(
    scope: &mut Scope<'_>,
    computed: &[Computed<'_>],
    names: &[String],
    metrics: &[NodeId],
    is_parameter: &dyn Fn(&str) -> bool,
) -> Option<Vec<NodeId>> {
    let numbers = |name: &str| METRICS.iter().all(|metric| metric.name != name || name != "bottleneck");
    let locals: Vec<(String, Typed)> = names
        .iter()
        .zip(metrics)
        .filter(|(name, _)| !is_parameter(name) && numbers(name))
        .map(|(name, node)| (name.clone(), Typed::number(*node)))
        .collect();
    let nodes: Vec<Option<NodeId>> =
        computed.iter().map(|metric| scope.compile(metric.value, &metric.what, &locals)).collect();
    nodes.into_iter().collect()
}

/// Which way an expression over metrics is better where its parts agree: more frames per second and less area are both
/// better, so `fps / area_mm2` is to be maximised. `None` where they disagree or say nothing. Metrics are not negative.
pub fn natural_goal(expr: &Expr) -> Option<Goal> {
    match direction(expr) {
        Direction::Towards(goal) => Some(goal),
        Direction::Neutral | Direction::Mixed => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    /// Says nothing: a number, a parameter.
    Neutral,
    Towards(Goal),
    Mixed,
}

impl Direction {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Neutral, one) | (one, Self::Neutral) => one,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::Towards(Goal::Minimise) => Self::Towards(Goal::Maximise),
            Self::Towards(Goal::Maximise) => Self::Towards(Goal::Minimise),
            other => other,
        }
    }
}

fn direction(expr: &Expr) -> Direction {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Text(_) => Direction::Neutral,
        ExprKind::Name(name) => METRICS
            .iter()
            .find(|metric| metric.name == name)
            .and_then(|metric| metric.goal)
            .map_or(Direction::Neutral, Direction::Towards),
        ExprKind::Apply(function, arguments) => {
            let parts: Vec<Direction> = arguments.iter().map(direction).collect();
            match (function, &parts[..]) {
                (Function::Add | Function::Mul | Function::Min | Function::Max, [a, b]) => a.join(*b),
                (Function::Sub | Function::Div, [a, b]) => a.join(b.turned()),
                (Function::Ceil | Function::Floor | Function::Round | Function::Sqrt | Function::Log2, [a]) => *a,
                (Function::Pow, [a, Direction::Neutral]) if is_positive(arguments.get(1)) => *a,
                _ if parts.iter().all(|part| *part == Direction::Neutral) => Direction::Neutral,
                _ => Direction::Mixed,
            }
        }
        ExprKind::Sum { .. } => Direction::Mixed,
    }
}

fn is_positive(expr: Option<&Expr>) -> bool {
    matches!(expr.map(|expr| &expr.kind), Some(ExprKind::Number(value)) if *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::expr::parse;

    #[test]
    fn the_direction_of_an_expression_is_that_of_its_parts_where_they_agree() {
        let goal = |text: &str| natural_goal(&parse(text).expect("expression"));
        assert_eq!(goal("energy_mj * latency_ms"), Some(Goal::Minimise));
        assert_eq!(goal("energy_mj * latency_ms ^ 2"), Some(Goal::Minimise));
        assert_eq!(goal("fps / area_mm2"), Some(Goal::Maximise));
        assert_eq!(goal("1000 / latency_ms"), Some(Goal::Maximise));
        assert_eq!(goal("0.5 * fps - area_mm2"), Some(Goal::Maximise));
        assert_eq!(goal("fps * area_mm2"), None);
        assert_eq!(goal("latency_ms ^ -1"), None);
        assert_eq!(goal("abs(latency_ms - 3)"), None);
        assert_eq!(goal("ccu * 2"), None);
    }
}
