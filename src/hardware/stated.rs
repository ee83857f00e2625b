//! Figures of units and memories with what they rest on.

use crate::spec::expr::Function;
use crate::spec::figure::{Basis, Provenance, Range};
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// A figure at a design point: what the file states, what a model gives, and which of the two counts.
#[derive(Debug, Clone)]
pub struct Stated {
    /// Name with its unit: `area_mm2`, `read_pj_per_byte` ...
    pub name: &'static str,
    /// What the result is made of.
    pub used: NodeId,
    /// How that is known; `None` if the file does not say.
    pub basis: Option<Basis>,
    /// Paper and table, or the model's source.
    pub source: Option<String>,
    /// Lowest and highest plausible value of what the file states.
    pub range: Option<Range>,
    /// Mean relative error to expect of the model, where one was measured.
    pub expected_error: Option<f64>,
    /// 1 where the model that counts is asked beyond its table, else 0; `None` if it can not be.
    pub extrapolated: Option<NodeId>,
    /// What the file states.
    pub published: Option<NodeId>,
    /// What the model gives.
    pub model: Option<NodeId>,
}

/// A model's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The value.
    pub node: NodeId,
    /// Where the model comes from.
    pub source: String,
    /// Mean relative error to expect, where one was measured.
    pub expected_error: Option<f64>,
    /// 1 where the model is asked beyond its table, else 0; `None` if it can not be.
    pub extrapolated: Option<NodeId>,
}

impl Answer {
    /// The answer times a number.
    pub fn times(&self, scope: &mut Scope<'_>, factor: NodeId) -> Self {
        Self { node: scope.graph.binary(Function::Mul, self.node, factor), ..self.clone() }
    }
}

impl Stated {
    /// Chooses between a file's figure and a model's: the model's where `prefer_model`, else the file's, else nothing.
    /// Where there is neither the figure is 0 and unknown.
    pub fn choose(
        scope: &mut Scope<'_>,
        name: &'static str,
        published: Option<(NodeId, &Provenance)>,
        model: Option<&Answer>,
        prefer_model: bool,
    ) -> Self {
        let provenance = published.map(|(_, provenance)| provenance.clone()).unwrap_or_default();
        let chosen = match (model, published) {
            (Some(answer), _) if prefer_model => Some(answer),
            _ => None,
        };
        let used = match (chosen, published) {
            (Some(answer), _) => answer.node,
            (None, Some((node, _))) => node,
            (None, None) => scope.graph.constant(0.0),
        };
        Self {
            name,
            used,
            basis: if chosen.is_some() { Some(Basis::Model) } else { provenance.basis },
            source: chosen.map(|answer| answer.source.clone()).or(provenance.source),
            range: provenance.range,
            expected_error: model.and_then(|answer| answer.expected_error),
            extrapolated: chosen.and_then(|answer| answer.extrapolated),
            published: published.map(|(node, _)| node),
            model: model.map(|answer| answer.node),
        }
    }
}
