//! The DRAM of a design point: figures of the file, and of the DRAM model where the file asks for it.

use std::sync::Arc;

use super::clock::Clock;
use super::dram::{self, DramPart, DramUse, Pattern};
use super::process::scaled;
use super::sram_block::{above_zero, not_negative, positive};
use super::stated::{Answer, Stated};
use crate::spec::expr::Function;
use crate::spec::figure::{Figure, Provenance};
use crate::spec::hardware::DramDecl;
use crate::spec::program::bounds::Interval;
use crate::spec::program::{Model, ModelRef, NodeId, Operation};
use crate::spec::request::DramRequest;
use crate::spec::scope::Scope;

/// Off-chip memory at a design point: one channel.
pub struct Dram {
    /// Peak bandwidth, 10^9 bytes per second.
    pub peak_gb_per_s: NodeId,
    /// Cycles per byte at the peak.
    pub cycles_per_byte: NodeId,
    /// What each access pattern gets.
    pub patterns: Vec<DramPattern>,
    /// pJ per byte.
    pub pj_per_byte: NodeId,
    /// Power that burns all the time, mW.
    pub background_mw: NodeId,
    /// Area of the interface, mm2.
    pub phy_area_mm2: NodeId,
    /// Its figures with what they rest on.
    pub figures: Vec<Stated>,
}

/// An access pattern.
pub struct DramPattern {
    /// Its name.
    pub name: String,
    /// Share of the peak that it reaches.
    pub efficiency: NodeId,
    /// Cycles until the first data of a burst arrive.
    pub latency_cycles: NodeId,
}

/// Compiles the DRAM; `None` if it is faulty. `in_use` are the access patterns of the pipeline's traffic.
pub fn compile_dram(scope: &mut Scope<'_>, decl: &DramDecl, clock: &Clock, in_use: &[&str]) -> Option<Dram> {
    let asked = match &decl.model {
        Some(request) => Some(ask(scope, decl, request, in_use)?),
        None => None,
    };
    let mut figures = Vec::new();
    let mut choose = |scope: &mut Scope<'_>, name, figure: Option<(NodeId, &Provenance)>, answer: Option<&Answer>| {
        let chosen = Stated::choose(scope, name, figure, answer, figure.is_none());
        let used = chosen.used;
        figures.push(chosen);
        used
    };
    let stated = match &decl.peak_gb_per_s {
        Some(figure) => Some((positive(scope, figure, "DRAM bandwidth")?, &figure.provenance)),
        None => None,
    };
    let peak_gb_per_s = choose(scope, "peak_gb_per_s", stated, asked.as_ref().map(|asked| &asked.peak));
    let cycles_per_ns = scaled(scope, clock.mhz, 1e-3);
    let latency = optional(scope, decl.latency_ns.as_ref(), "DRAM latency")?;
    let mut patterns = Vec::new();
    for (name, _, figure) in &decl.efficiency {
        let what = format!("DRAM efficiency for pattern `{name}`");
        let value = positive(scope, figure, &what)?;
        let one = scope.graph.constant(1.0);
        let value = scope.at_most(value, one, &figure.quantity.span, &what);
        let model = asked.as_ref().and_then(|asked| asked.pattern(name));
        let used = choose(
            scope,
            labels(name).0,
            Some((value, &figure.provenance)),
            model.map(|(_, efficiency, _)| efficiency),
        );
        patterns.push((name.clone(), used, model.map(|(_, _, latency)| latency)));
    }
    for (name, efficiency, latency_ns) in asked.iter().flat_map(|asked| &asked.patterns) {
        if !patterns.iter().any(|(known, _, _)| known == name) {
            let used = choose(scope, labels(name).0, None, Some(efficiency));
            patterns.push((name.clone(), used, Some(latency_ns)));
        }
    }
    // What the file states holds for every pattern; a model answers for each.
    let for_all = match (latency, &asked) {
        (Some(stated), None) => Some(choose(scope, "latency_ns", Some(stated), None)),
        _ => None,
    };
    let patterns = patterns
        .into_iter()
        .map(|(name, efficiency, model)| {
            let latency_ns = for_all.unwrap_or_else(|| choose(scope, labels(&name).1, latency, model));
            let latency_cycles = scope.graph.binary(Function::Mul, latency_ns, cycles_per_ns);
            DramPattern { name, efficiency, latency_cycles }
        })
        .collect();
    let stated = optional(scope, decl.energy_pj_per_bit.as_ref(), "DRAM energy")?;
    let per_bit = choose(scope, "energy_pj_per_bit", stated, asked.as_ref().map(|asked| &asked.energy));
    let stated = optional(scope, decl.background_mw.as_ref(), "DRAM background power")?;
    let background_mw = choose(scope, "background_mw", stated, asked.as_ref().map(|asked| &asked.background));
    let stated = optional(scope, decl.phy_area_mm2.as_ref(), "PHY area")?;
    let phy_area_mm2 = choose(scope, "phy_area_mm2", stated, None);
    Some(Dram {
        peak_gb_per_s,
        cycles_per_byte: clock.cycles_per_byte(scope, peak_gb_per_s),
        patterns,
        pj_per_byte: scaled(scope, per_bit, 8.0),
        background_mw,
        phy_area_mm2,
        figures,
    })
}

/// Names of the efficiency and the latency of an access pattern.
fn labels(pattern: &str) -> (&'static str, &'static str) {
    match pattern {
        "stream" => ("efficiency.stream", "latency_ns.stream"),
        "random" => ("efficiency.random", "latency_ns.random"),
        "stride" => ("efficiency.stride", "latency_ns.stride"),
        _ => ("efficiency.other", "latency_ns.other"),
    }
}

fn optional<'f>(
    scope: &mut Scope<'_>,
    figure: Option<&'f Figure>,
    what: &str,
) -> Option<Option<(NodeId, &'f Provenance)>> {
    match figure {
        Some(figure) => Some(Some((not_negative(scope, figure, what)?, &figure.provenance))),
        None => Some(None),
    }
}

/// What the model says.
struct Asked {
    peak: Answer,
    energy: Answer,
    background: Answer,
    /// Pattern, efficiency, latency in ns.
    patterns: Vec<(String, Answer, Answer)>,
}

impl Asked {
    fn pattern(&self, name: &str) -> Option<&(String, Answer, Answer)> {
        self.patterns.iter().find(|(known, _, _)| known == name)
    }
}

fn ask(scope: &mut Scope<'_>, decl: &DramDecl, request: &DramRequest, in_use: &[&str]) -> Option<Asked> {
    let refuse = |scope: &Scope<'_>, error: dram::DramError| {
        scope.error(&request.span, error.to_string(), "`part` must name a part that the model knows");
    };
    let part = match dram::part(&decl.part) {
        Ok(part) => part,
        Err(error) => {
            refuse(scope, error);
            return None;
        }
    };
    let (energy, standby) = match (part.energy_per_bit(), part.standby()) {
        (Ok(energy), Ok(standby)) => (energy, standby),
        (Err(error), _) | (_, Err(error)) => {
            refuse(scope, error);
            return None;
        }
    };
    let channels = scope.compile_count(&request.channels, "DRAM channels", 1.0, Some(1024.0))?;
    let request_bytes = above_zero(scope, &request.request_bytes, "bytes of a DRAM request")?;
    let outstanding = above_zero(scope, &request.outstanding, "outstanding DRAM requests")?;
    let arguments = [channels, request_bytes, outstanding];
    let known = scope.combinations(arguments);
    let mut patterns = vec![("stream", Pattern::Stream), ("random", Pattern::Random)];
    patterns.extend(request.stride_bytes.map(|bytes| ("stride", Pattern::Stride { bytes })));
    let mut answers = Vec::new();
    for (name, pattern) in patterns {
        let is_stride = matches!(pattern, Pattern::Stride { .. });
        let error = if is_stride { dram::EXPECTED_STRIDE_ERROR } else { dram::EXPECTED_ERROR };
        let node_of = |scope: &mut Scope<'_>, gives: Gives| {
            let mut node = DramNode { part, pattern, write_share: request.write_share, gives, known: None };
            if let Some(first) = known.as_ref().and_then(|known| known.first())
                && let Err(error) = node.ask(*first)
            {
                refuse(scope, error);
                return None;
            }
            node.known = known.as_ref().map(|known| known.iter().map(|at| (*at, node.value(*at))).collect());
            let model = ModelRef(Arc::new(node));
            let what = format!("DRAM pattern `{name}`");
            Some(scope.checked(Operation::Model(model, arguments), &request.span, &what))
        };
        let (efficiency, latency) = (node_of(scope, Gives::Efficiency)?, node_of(scope, Gives::Latency)?);
        let extrapolated = match in_use.contains(&name) {
            true => Some(node_of(scope, Gives::Extrapolated)?),
            false => None,
        };
        let answer = |node, expected_error| Answer {
            node,
            source: format!("DRAM model of {}: {}", part.name, dram::SOURCE),
            expected_error,
            extrapolated,
        };
        answers.push((name.to_owned(), answer(efficiency, Some(error)), answer(latency, None)));
    }
    let peak = scaled(scope, channels, part.channel_gb_per_s);
    let per_bit = scope.graph.constant(energy.pj_per_bit);
    let energy_source =
        format!("{} ({}; quoted from {} to {})", energy.source, energy.confidence, energy.range.0, energy.range.1);
    let background = scaled(scope, channels, standby.mw_per_channel);
    let (low, high) = standby.range;
    let background_source = format!("{}; {low:.1} to {high:.1} mW per channel", standby.source);
    let answer = |node, source, expected_error| Answer { node, source, expected_error, extrapolated: None };
    Some(Asked {
        peak: answer(peak, format!("{} per channel", part.name), Some(0.0)),
        energy: answer(per_bit, energy_source, None),
        background: answer(background, background_source, None),
        patterns: answers,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Efficiency,
    Latency,
    /// 1 outside the simulated ranges, else 0.
    Extrapolated,
}

/// A figure of the DRAM model: arguments are channels, bytes of a request, requests in flight.
struct DramNode {
    part: &'static DramPart,
    pattern: Pattern,
    write_share: f64,
    gives: Gives,
    /// Every combination of arguments that a study has; `None`: too many.
    known: Option<Vec<([f64; 3], f64)>>,
}

impl DramNode {
    fn ask(&self, [channels, request_bytes, outstanding]: [f64; 3]) -> Result<f64, dram::DramError> {
        let usage = DramUse {
            channels: channels as u32,
            pattern: self.pattern,
            request_bytes,
            outstanding,
            write_share: self.write_share,
        };
        let performance = self.part.performance(usage)?;
        Ok(match self.gives {
            Gives::Efficiency => performance.efficiency,
            Gives::Latency => performance.latency_ns,
            Gives::Extrapolated => f64::from(u8::from(performance.extrapolated)),
        })
    }
}

impl Model for DramNode {
    fn value(&self, arguments: [f64; 3]) -> f64 {
        let known = self.known.iter().flatten().find(|(known, _)| *known == arguments);
        known.map_or_else(|| self.ask(arguments).unwrap_or(f64::NAN), |(_, value)| *value)
    }

    fn why(&self, arguments: [f64; 3]) -> String {
        self.ask(arguments).err().map_or_else(|| "the DRAM model has no value".into(), |error| error.to_string())
    }

    fn bounds(&self, arguments: [Interval; 3]) -> Interval {
        let Some(known) = &self.known else {
            let hi = if self.gives == Gives::Latency { f64::INFINITY } else { 1.0 };
            return Interval { lo: 0.0, hi };
        };
        let inside = |known: &[f64; 3]| known.iter().zip(&arguments).all(|(value, i)| i.lo <= *value && *value <= i.hi);
        let known = known.iter().filter(|(known, _)| inside(known));
        known.fold(Interval::EMPTY, |hull, (_, value)| hull.hull(Interval::point(*value)))
    }
}
