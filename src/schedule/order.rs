//! Who goes first where stages compete for a unit. Ties are broken by declaration order.

use crate::operator::Operator;
use crate::spec::Study;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::program::NodeId;
use crate::spec::schedule::PolicyDecl;
use crate::spec::scope::Scope;

/// The policy of a tile schedule. `V` is a graph node while the plan is compiled, a place when it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Order<V> {
    /// `alpha * successors + beta * critical impact`, highest first.
    Dags {
        /// Weight of the successors.
        alpha: V,
        /// Weight of the critical impact.
        beta: V,
    },
    /// The longest path to the end first.
    CriticalPath,
    /// First ready, first served.
    Fifo,
    /// Highest weight first, one per stage.
    Weights(Vec<V>),
}

/// The DAGS priority: successors, each counted once, as a share of all others; the longest path from here to the end, own work
/// included, as a share of the longest of all.
pub(super) fn dags_priority(
    (alpha, successors, others): (f64, f64, f64),
    (beta, path, longest): (f64, f64, f64),
) -> f64 {
    let critical = if longest > 0.0 { path / longest } else { 0.0 };
    alpha * (successors / others.max(1.0)) + beta * critical
}

impl<V> Order<V> {
    /// The word in files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dags { .. } => "dags",
            Self::CriticalPath => "critical-path",
            Self::Fifo => "fifo",
            Self::Weights(_) => "weights",
        }
    }
}

impl Order<NodeId> {
    /// The policy of the sweep, else of the pipeline, else DAGS with equal weights, for operators in the order of the stages.
    pub(super) fn compile(
        scope: &mut Scope<'_>,
        study: &Study,
        operators: &[Operator],
        order: &[usize],
    ) -> Option<Self> {
        let decl = study.sweep.schedule.as_ref().or(study.pipeline.schedule.as_ref());
        Some(match decl.map(|decl| &decl.policy) {
            None => {
                let one = scope.graph.constant(1.0);
                Self::Dags { alpha: one, beta: one }
            }
            Some(PolicyDecl::Dags { alpha, beta }) => {
                let (alpha, beta) = (scope.compile(alpha, "`alpha`", &[]), scope.compile(beta, "`beta`", &[]));
                Self::Dags { alpha: alpha?, beta: beta? }
            }
            Some(PolicyDecl::CriticalPath) => Self::CriticalPath,
            Some(PolicyDecl::Fifo) => Self::Fifo,
            Some(PolicyDecl::Weights(weights)) => {
                let zero = scope.graph.constant(0.0);
                let mut nodes = vec![zero; order.len()];
                let mut sound = true;
                for (name, span, weight) in weights {
                    // A composite's weight is that of each of its stages.
                    let means = |operator: &Operator| operator.name == *name || operator.declared == *name;
                    let mut stages = (0..order.len()).filter(|stage| means(&operators[order[*stage]])).peekable();
                    let node = scope.compile(weight, &format!("weight of `{name}`"), &[]);
                    match (stages.peek(), node) {
                        (Some(_), Some(node)) => stages.for_each(|stage| nodes[stage] = node),
                        (Some(_), None) => sound = false,
                        (None, _) => {
                            let known = operators.iter().map(|operator| operator.name.as_str());
                            let message = format!("there is no operator `{name}` in this pipeline");
                            scope.error(span, message, did_you_mean(name, known));
                            sound = false;
                        }
                    }
                }
                sound.then_some(Self::Weights(nodes))?
            }
        })
    }

    /// Every node that the policy reads.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        match self {
            Self::Dags { alpha, beta } => vec![*alpha, *beta],
            Self::CriticalPath | Self::Fifo => Vec::new(),
            Self::Weights(weights) => weights.clone(),
        }
    }

    /// The same policy with something else for each node.
    pub(super) fn bind<V>(&self, place: impl Fn(NodeId) -> V) -> Order<V> {
        match self {
            Self::Dags { alpha, beta } => Order::Dags { alpha: place(*alpha), beta: place(*beta) },
            Self::CriticalPath => Order::CriticalPath,
            Self::Fifo => Order::Fifo,
            Self::Weights(weights) => Order::Weights(weights.iter().map(|weight| place(*weight)).collect()),
        }
    }
}
