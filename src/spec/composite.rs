//! Composite operators on a hardware: whole where a unit executes them, else taken apart into their stages.
//!
//! A composite of which no unit executes the whole becomes its stages if every one of these has a unit (which may be a
//! composite again). What led to it leads to its first stage, what came from it comes from its last; the stages follow each
//! other tile by tile where it streams, else one after the other. Its traffic stays what it declared, counted by the
//! composite's counts: a read belongs to the first stage that has a unit bound to the memory, a write to the last.

use std::sync::Arc;

use super::ability;
use super::diagnostic::{Collector, Diagnostic};
use super::hardware::HardwareDecl;
use super::kind::KindDecl;
use super::pipeline::{DEFAULT_BUFFER, Direction, EdgeDecl, EdgeKind, OperatorDecl, PipelineDecl, TrafficDecl};
use super::reader::Quantity;
use super::tree::MAX_ITEMS;

/// Takes composites of the pipeline apart where the hardware wants it.
pub fn expand(pipeline: &mut PipelineDecl, hardware: &HardwareDecl, kinds: &[KindDecl], diagnostics: &Collector) {
    let expansion = Expansion { hardware, kinds };
    let mut operators = Vec::with_capacity(pipeline.operators.len());
    for operator in std::mem::take(&mut pipeline.operators) {
        let own: Vec<TrafficDecl> =
            pipeline.traffic.iter().filter(|stream| stream.operator.0 == operator.name).cloned().collect();
        let unit = pipeline.mapping.iter().find(|(name, _, _)| *name == operator.name);
        let unit = unit.map(|(_, unit, _)| unit.as_str());
        let Some(parts) = expansion.parts(&operator, own, unit) else {
            operators.push(operator);
            continue;
        };
        if parts.len() > MAX_ITEMS {
            let message = format!("`{}` comes apart into {} stages", operator.name, parts.len());
            diagnostics.error(Diagnostic::new(&operator.span, message).help(format!("keep below {MAX_ITEMS}")));
        }
        if let Some((_, span, _)) = operator.stated.first() {
            let message = format!(
                "the counts that `{}` states are not used: hardware `{}` executes the stages of its kind only",
                operator.name, hardware.name
            );
            diagnostics.warning(Diagnostic::new(span, message).help("write the stages as operators of their own"));
        }
        expansion.rewire(pipeline, &operator, &parts);
        operators.extend(parts);
    }
    pipeline.operators = operators;
    let names = pipeline.operators.iter().map(|operator| (&operator.name, &operator.span));
    super::report_repeated(names, "operator", diagnostics);
}

/// The stages of an operator's kind as operators; empty if it is no composite in its pass.
pub fn stages(operator: &OperatorDecl, kinds: &[KindDecl]) -> Vec<OperatorDecl> {
    let find = |name: &str| kinds.iter().find(|kind| kind.name == name);
    let Some(composite) = find(&operator.kind.0) else { return Vec::new() };
    let outer = Arc::new(operator.clone());
    let decls = composite.stages_of(operator.pass);
    let stages = decls.iter().enumerate().filter_map(|(at, stage)| {
        let kind = find(&stage.kind)?;
        let before = decls[..at].iter().filter(|other| other.kind == stage.kind).count();
        let number = if before > 0 { (before + 1).to_string() } else { String::new() };
        Some(OperatorDecl {
            name: format!("{}.{}{number}", operator.name, stage.kind),
            span: operator.span.clone(),
            kind: (stage.kind.clone(), stage.span.clone()),
            pass: stage.pass,
            arguments: stage.all_arguments(composite, kind),
            stated: Vec::new(),
            stage_of: Some(Arc::clone(&outer)),
        })
    });
    stages.collect()
}

/// What operators are taken apart for.
struct Expansion<'a> {
    hardware: &'a HardwareDecl,
    kinds: &'a [KindDecl],
}

impl Expansion<'_> {
    /// The parts of an operator of which no unit executes the whole; `None` if one does, or not every part has a unit.
    /// `traffic` is its own, `unit` the one that the pipeline chose for it.
    fn parts(
        &self,
        operator: &OperatorDecl,
        mut traffic: Vec<TrafficDecl>,
        unit: Option<&str>,
    ) -> Option<Vec<OperatorDecl>> {
        let kind = self.kinds.iter().find(|kind| kind.name == operator.kind.0)?;
        if !ability::of(self.hardware, operator, kind, &traffic, unit).able.is_empty() {
            return None;
        }
        let stages = stages(operator, self.kinds);
        self.give(&mut traffic, &stages);
        let mut parts = Vec::new();
        for stage in stages {
            let kind = self.kinds.iter().find(|kind| kind.name == stage.kind.0)?;
            let own: Vec<TrafficDecl> =
                traffic.iter().filter(|stream| stream.operator.0 == stage.name).cloned().collect();
            if ability::of(self.hardware, &stage, kind, &own, unit).able.is_empty() {
                parts.extend(self.parts(&stage, own, unit)?);
            } else {
                parts.push(stage);
            }
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Gives streams of an operator to its parts.
    fn give<'t>(&self, traffic: impl IntoIterator<Item = &'t mut TrafficDecl>, parts: &[OperatorDecl]) {
        for stream in traffic {
            let reaches = |part: &&OperatorDecl| {
                let able = |kind: &KindDecl, unit| {
                    ability::refuse_kind(unit, part, kind).is_none() && ability::is_bound(unit, stream)
                };
                let kind = self.kinds.iter().find(|kind| kind.name == part.kind.0);
                kind.is_some_and(|kind| self.hardware.units.iter().any(|unit| able(kind, unit)))
            };
            let end = match stream.direction {
                Direction::Read => parts.iter().find(reaches).or(parts.first()),
                Direction::Write => parts.iter().rev().find(reaches).or(parts.last()),
            };
            if let Some(end) = end {
                stream.operator.0.clone_from(&end.name);
            }
        }
    }

    /// Puts the parts in the place of their operator in edges, traffic and mapping.
    fn rewire(&self, pipeline: &mut PipelineDecl, operator: &OperatorDecl, parts: &[OperatorDecl]) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let mut streams = false;
        for edge in &mut pipeline.edges {
            for (end, part) in [(&mut edge.from, last), (&mut edge.to, first)] {
                if end.0 == operator.name {
                    streams |= edge.kind == EdgeKind::Stream;
                    end.0.clone_from(&part.name);
                }
            }
        }
        for pair in parts.windows(2) {
            let end = |part: &OperatorDecl| (part.name.clone(), operator.span.clone());
            pipeline.edges.push(EdgeDecl {
                span: operator.span.clone(),
                from: end(&pair[0]),
                to: end(&pair[1]),
                kind: if streams { EdgeKind::Stream } else { EdgeKind::Barrier },
                buffer: Quantity::constant(DEFAULT_BUFFER, &operator.span),
            });
        }
        self.give(pipeline.traffic.iter_mut().filter(|stream| stream.operator.0 == operator.name), parts);
        let chosen: Vec<_> = pipeline.mapping.iter().filter(|(name, _, _)| *name == operator.name).cloned().collect();
        for (_, unit, span) in chosen {
            let each = parts.iter().map(|part| (part.name.clone(), unit.clone(), span.clone()));
            pipeline.mapping.extend(each);
        }
        pipeline.mapping.retain(|(name, _, _)| *name != operator.name);
    }
}
