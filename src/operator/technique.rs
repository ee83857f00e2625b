//! Optimization techniques on the operators of a pipeline: what they leave of compute, bytes and bits.
//!
//! Techniques of one operator multiply, in the order in which they were chosen. One that a measurement bounds does not:
//! it is written against `count.*` and `before.s_comp`, so that what is skipped already is not counted twice.

use super::counts::{Operator, recount};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::figure::Figure;
use crate::spec::program::NodeId;
use crate::spec::scope::{Scope, Typed};
use crate::spec::technique::{BytesOf, FactorDecl, SWITCH, TechniqueDecl};
use crate::spec::{Span, Study};

/// What techniques leave of an operator's work; every share is in (0, 1].
#[derive(Debug, Clone)]
pub struct Savings {
    /// Share of the compute.
    pub s_comp: NodeId,
    /// Share of the dynamic energy of a cycle of compute.
    pub energy: NodeId,
    /// Shares of parts of the traffic.
    bytes: Vec<(BytesOf, NodeId)>,
}

impl Savings {
    /// Nothing saved.
    pub fn none(scope: &mut Scope<'_>) -> Self {
        let one = scope.graph.constant(1.0);
        Self { s_comp: one, energy: one, bytes: Vec::new() }
    }

    /// Share of the bytes of one stream of traffic, by where it goes: DRAM or SRAM, read or written.
    pub fn r_bytes(&self, scope: &mut Scope<'_>, dram: bool, read: bool) -> NodeId {
        let one = scope.graph.constant(1.0);
        let shares = self.bytes.iter().filter(|(bytes, _)| bytes.includes(dram, read));
        shares.fold(one, |product, (_, share)| scope.graph.binary(Function::Mul, product, *share))
    }
}

/// What one technique leaves of one operator, for reports: per tile where the operator streams.
#[derive(Debug, Clone, Copy)]
pub struct Applied {
    /// Index in [`Study::techniques`].
    pub technique: usize,
    /// Index of the operator.
    pub operator: usize,
    /// Share of the compute.
    pub s_comp: NodeId,
    /// Share of the bytes that the technique is about.
    pub r_bytes: NodeId,
    /// Share of the dynamic energy of a cycle.
    pub energy: NodeId,
}

/// Applies the study's techniques. Faults are reported and give `None`.
pub fn apply_techniques(scope: &mut Scope<'_>, study: &Study, operators: &mut [Operator]) -> Option<Vec<Applied>> {
    let mut applied = Some(Vec::new());
    for at in 0..study.techniques.len() {
        let chosen = &study.sweep.optimization.techniques[at].1;
        match apply(scope, study, at, chosen, operators) {
            Some(more) => applied.iter_mut().for_each(|all: &mut Vec<_>| all.extend(more.iter().copied())),
            None => applied = None,
        }
    }
    applied
}

fn apply(
    scope: &mut Scope<'_>,
    study: &Study,
    at: usize,
    chosen: &Span,
    operators: &mut [Operator],
) -> Option<Vec<Applied>> {
    let technique = &study.techniques[at];
    let sound = supports(scope, study, technique, chosen) & knows_kinds(scope, study, technique);
    if !sound {
        return None;
    }
    let switch = scope.parameter_named(&technique.name)?.node;
    let on = scope.graph.constant(SWITCH.iter().position(|word| *word == "on").unwrap_or(0) as f64);
    let on = scope.graph.binary(Function::Eq, switch, on);
    let mut parameters = Vec::new();
    for decl in &technique.parameters {
        parameters.push((decl.name.clone(), scope.parameter_named(&technique.full_name(&decl.name))?));
    }
    if scope.graph.constant_value(on) == Some(0.0) {
        return Some(Vec::new());
    }
    let mut applied = Vec::new();
    let mut any = false;
    for factor in &technique.factors {
        for (index, operator) in operators.iter_mut().enumerate() {
            let is_kind = |kind: &str| study.pipeline.operators[index].kinds().any(|own| own == kind);
            let fits = factor.kinds.iter().any(|(kind, _)| is_kind(kind))
                && factor.pass.is_none_or(|pass| pass == operator.pass);
            if !fits {
                continue;
            }
            any = true;
            let mut one = One { scope, study, technique, operator, on };
            let (s_comp, r_bytes, energy) = one.factor(index, factor, &parameters)?;
            applied.push(Applied { technique: at, operator: index, s_comp, r_bytes, energy });
        }
    }
    if !any {
        scope.error(
            chosen,
            format!("technique `{}` applies to no operator of pipeline `{}`", technique.name, study.pipeline.name),
            format!("it is for {}; take it out", technique.kinds().join(", ")),
        );
        return None;
    }
    Some(applied)
}

/// Whether the hardware can do it, and does not do it already.
fn supports(scope: &Scope<'_>, study: &Study, technique: &TechniqueDecl, chosen: &Span) -> bool {
    let (hardware, feature) = (&study.hardware, &technique.requires);
    let has = |features: &[(String, Span)]| features.iter().any(|(name, _)| name == feature);
    if has(&hardware.features.offered) {
        return true;
    }
    if has(&hardware.features.built_in) {
        scope.error(
            chosen,
            format!(
                "technique `{}` would be counted twice: the rates and counts of hardware `{}` contain its \"{feature}\" already",
                technique.name, hardware.name
            ),
            "take the technique out",
        );
        return false;
    }
    let offered: Vec<&str> = hardware.features.offered.iter().map(|(name, _)| name.as_str()).collect();
    let list = if offered.is_empty() { "it has none".into() } else { format!("it has {}", offered.join(", ")) };
    scope.error(
        chosen,
        format!(
            "technique `{}` needs the feature \"{feature}\", which hardware `{}` does not have",
            technique.name, hardware.name
        ),
        format!("{list}; take the technique out, or add the feature to `features` of the hardware file"),
    );
    false
}

fn knows_kinds(scope: &Scope<'_>, study: &Study, technique: &TechniqueDecl) -> bool {
    let mut sound = true;
    for (kind, span) in technique.factors.iter().flat_map(|factor| &factor.kinds) {
        if !study.kinds.iter().any(|known| known.name == *kind) {
            let help = did_you_mean(kind, study.kinds.iter().map(|known| known.name.as_str()));
            scope.error(span, format!("there is no operator kind `{kind}`"), help);
            sound = false;
        }
    }
    sound
}

/// One technique on one operator.
struct One<'o, 'a, 's> {
    scope: &'o mut Scope<'s>,
    study: &'a Study,
    technique: &'a TechniqueDecl,
    operator: &'o mut Operator,
    /// 1 where the technique is on.
    on: NodeId,
}

impl One<'_, '_, '_> {
    /// Compiles a factor and joins it to the operator's savings; gives compute, bytes and energy.
    fn factor(
        &mut self,
        index: usize,
        factor: &FactorDecl,
        parameters: &[(String, Typed)],
    ) -> Option<(NodeId, NodeId, NodeId)> {
        let locals = self.locals(factor.bytes, parameters);
        let one = self.scope.graph.constant(1.0);
        let (mut s_comp, mut r_bytes, mut energy) = (one, one, one);
        if let Some(figure) = &factor.s_comp {
            s_comp = self.share(figure, "s_comp", &locals)?;
        }
        if let Some(figure) = &factor.r_bytes {
            r_bytes = self.share(figure, "r_bytes", &locals)?;
        }
        if let Some(figure) = &factor.bits {
            r_bytes = self.bits(index, figure, &locals)?;
            energy = r_bytes;
        }
        let savings = &mut self.operator.savings;
        savings.s_comp = self.scope.graph.binary(Function::Mul, savings.s_comp, s_comp);
        savings.energy = self.scope.graph.binary(Function::Mul, savings.energy, energy);
        if r_bytes != one {
            savings.bytes.push((factor.bytes, r_bytes));
        }
        Some((s_comp, r_bytes, energy))
    }

    fn locals(&mut self, bytes: BytesOf, parameters: &[(String, Typed)]) -> Vec<(String, Typed)> {
        let mut locals = parameters.to_vec();
        locals.extend(self.operator.counts.locals());
        let savings = self.operator.savings.clone();
        let before = savings.r_bytes(self.scope, bytes.dram.unwrap_or(true), bytes.read.unwrap_or(true));
        locals.push(("element_bits".into(), Typed::number(self.operator.element_bits)));
        locals.push(("before.s_comp".into(), Typed::number(savings.s_comp)));
        locals.push(("before.r_bytes".into(), Typed::number(before)));
        locals
    }

    /// The figure where the technique is on, in (0, 1]; 1 elsewhere.
    fn share(&mut self, figure: &Figure, name: &str, locals: &[(String, Typed)]) -> Option<NodeId> {
        let one = self.scope.graph.constant(1.0);
        let (share, what) = self.where_on(figure, name, locals, one)?;
        let share = self.scope.at_least(share, f64::MIN_POSITIVE, &figure.quantity.span, &what);
        Some(self.scope.at_most(share, one, &figure.quantity.span, &what))
    }

    /// Bits of an element, never more than it has, over those that it has; the operator's counts for its unit follow.
    fn bits(&mut self, index: usize, figure: &Figure, locals: &[(String, Typed)]) -> Option<NodeId> {
        let own = self.operator.element_bits;
        let (bits, what) = self.where_on(figure, "bits", locals, own)?;
        let bits = self.scope.at_least(bits, 1.0, &figure.quantity.span, &what);
        let bits = self.scope.graph.binary(Function::Min, bits, own);
        let decl = &self.study.pipeline.operators[index];
        self.operator.unit_counts = recount(self.scope, self.study, decl, bits)?;
        self.operator.element_bits = bits;
        Some(self.scope.graph.binary(Function::Div, bits, own))
    }

    fn where_on(
        &mut self,
        figure: &Figure,
        name: &str,
        locals: &[(String, Typed)],
        off: NodeId,
    ) -> Option<(NodeId, String)> {
        let Self { technique, operator, .. } = self;
        let what = format!("`{name}` of technique `{}` for operator `{}`", technique.name, operator.name);
        let typed = self.scope.compile_typed(&figure.quantity, &what, locals)?;
        if typed.words.is_some() {
            self.scope.error(&figure.quantity.span, format!("{what} must be a number"), "compare the word with ==");
            return None;
        }
        if self.scope.graph.is_tiled(typed.node) && !operator.streamed {
            self.scope.error(
                &figure.quantity.span,
                format!("{what} is counted by tile, but the operator works on the whole frame"),
                "use scene.* here",
            );
            return None;
        }
        Some((self.scope.graph.select(self.on, typed.node, off), what))
    }
}
