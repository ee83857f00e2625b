//! What techniques save at a point, for reports.

use crate::operator::{Applied, Operator, Stream};
use crate::spec::expr::Function;
use crate::spec::program::{NodeId, Place, Program};
use crate::spec::scope::Scope;

/// What one technique leaves of one operator at a point: shares in (0, 1], over the whole frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saving {
    /// Index in [`Study::techniques`](crate::spec::Study::techniques).
    pub technique: usize,
    /// Index of the operator in the pipeline.
    pub operator: usize,
    /// Share of the compute.
    pub s_comp: f64,
    /// Share of the bytes that the technique is about.
    pub r_bytes: f64,
    /// Share of the dynamic energy of a cycle.
    pub energy: f64,
}

/// A technique on an operator with what is computed for it: nodes while the plan is compiled, places when it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct SavingPlan<V> {
    pub technique: usize,
    pub operator: usize,
    /// Compute, bytes, energy.
    pub shares: [V; 3],
}

/// Shares of the frame: those of the tiles, weighted by the first count of the operator.
pub(super) fn frame_shares(
    scope: &mut Scope<'_>,
    applied: &[Applied],
    operators: &[Operator],
    stream: Option<&Stream>,
) -> Vec<SavingPlan<NodeId>> {
    let mut plans = Vec::with_capacity(applied.len());
    for one in applied {
        let weight = operators[one.operator].counts.0.first().map(|(_, node)| *node);
        let shares = [one.s_comp, one.r_bytes, one.energy].map(|share| match (stream, weight) {
            (Some(stream), Some(weight)) if scope.graph.is_tiled(share) => {
                let left = scope.graph.binary(Function::Mul, weight, share);
                let (left, all) = (stream.total(scope, left), stream.total(scope, weight));
                scope.graph.binary(Function::Div, left, all)
            }
            _ => share,
        });
        plans.push(SavingPlan { technique: one.technique, operator: one.operator, shares });
    }
    plans
}

impl SavingPlan<NodeId> {
    /// The same where the program has its nodes; `None` if it does not have them.
    pub fn place(self, program: &Program) -> Option<SavingPlan<Place>> {
        let [s_comp, r_bytes, energy] = self.shares.map(|node| program.place_of(node));
        let shares = [s_comp?, r_bytes?, energy?];
        Some(SavingPlan { technique: self.technique, operator: self.operator, shares })
    }
}
