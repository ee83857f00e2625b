//! The assumed figures of a study, and what it is at an end of their ranges.

use crate::spec::figure::{Basis, Figure, Provenance, Range};
use crate::spec::hardware::RateDecl;
use crate::spec::parameter::ParameterDecl;
use crate::spec::reader::Quantity;
use crate::spec::{Span, Study};

/// An end of a range, or the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The value as declared.
    Nominal,
    /// The least plausible value.
    Low,
    /// The greatest plausible value.
    High,
}

impl End {
    /// The quantity there.
    pub fn of(self, quantity: &Quantity, range: Range) -> Quantity {
        match self {
            Self::Nominal => quantity.clone(),
            Self::Low => range.end(quantity, false),
            Self::High => range.end(quantity, true),
        }
    }
}

/// Names of the assumed figures of hardware and pipeline, in the order of [`move_to`].
///
/// Figures in force only: a parameter that the sweep sets is no assumption of this study.
pub fn names(study: &Study) -> Vec<String> {
    let mut names = Vec::new();
    each(&mut study.clone(), &mut |name, provenance, _| {
        if assumed(provenance).is_some() {
            names.push(name);
        }
    });
    names
}

fn assumed(provenance: &Provenance) -> Option<Range> {
    provenance.range.filter(|_| provenance.basis == Some(Basis::Assumed))
}

/// Names and places of the figures that were computed from the published target `id`, and the study with each of them a
/// little larger: what a value makes of that tells whether it rests on them.
pub fn derived_from(study: &Study, id: &str) -> (Vec<(String, Span)>, Study) {
    let mut found = Vec::new();
    let mut larger = study.clone();
    each(&mut larger, &mut |name, provenance, quantities| {
        if provenance.derived_from.as_deref() == Some(id) {
            for quantity in quantities {
                found.push((name.clone(), quantity.span.clone()));
                *quantity = quantity.times(1.001);
            }
        }
    });
    (found, larger)
}

/// The study with each assumed figure at the end wanted.
pub fn move_to(study: &Study, ends: &[End]) -> Study {
    let mut moved = study.clone();
    let mut ends = ends.iter();
    each(&mut moved, &mut |_, provenance, quantities| {
        let Some(range) = assumed(provenance) else { return };
        let end = ends.next().copied().unwrap_or(End::Nominal);
        for quantity in quantities {
            *quantity = end.of(quantity, range);
        }
    });
    moved
}

type Visit<'a> = dyn FnMut(String, &Provenance, Vec<&mut Quantity>) + 'a;

/// Calls `visit` with the name, provenance and quantities of each figure.
fn each(study: &mut Study, visit: &mut Visit<'_>) {
    let given: Vec<String> = study.sweep.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let hardware = &mut study.hardware;
    for ParameterDecl { name, default, provenance, .. } in
        hardware.parameters.iter_mut().chain(&mut study.pipeline.parameters)
    {
        if !given.contains(name) {
            visit(name.clone(), provenance, vec![default]);
        }
    }
    for unit in &mut hardware.units {
        let name = &unit.name;
        match &mut unit.rate {
            RateDecl::Item { per_cycle, provenance, .. } => {
                visit(format!("{name}.rate"), provenance, vec![per_cycle]);
            }
            RateDecl::Cycles(figure) => offer_figure(format!("{name}.cycles"), Some(figure), visit),
            RateDecl::Array => {}
            RateDecl::Element(element) => {
                for (key, figure) in element.figures_mut() {
                    offer_figure(format!("{name}.{key}"), Some(figure), visit);
                }
            }
        }
        if let Some(area) = &mut unit.area {
            visit(format!("{name}.area_mm2"), &area.provenance, vec![&mut area.share.quantity]);
        }
        if let Some(power) = &mut unit.power {
            let shares = [&mut power.dynamic, &mut power.leakage].into_iter().flatten();
            let quantities = shares.map(|share| &mut share.quantity).collect();
            visit(format!("{name}.power_mw"), &power.provenance, quantities);
        }
    }
    for sram in &mut hardware.srams {
        let name = &sram.name;
        for (key, figure) in [
            ("read_gb_per_s", &mut sram.read_gb_per_s),
            ("write_gb_per_s", &mut sram.write_gb_per_s),
            ("read_latency_cycles", &mut sram.read_latency_cycles),
            ("write_latency_cycles", &mut sram.write_latency_cycles),
            ("read_pj_per_byte", &mut sram.read_pj_per_byte),
            ("write_pj_per_byte", &mut sram.write_pj_per_byte),
        ] {
            offer_figure(format!("{name}.{key}"), figure.as_mut(), visit);
        }
        if let Some(area) = &mut sram.area {
            visit(format!("{name}.area_mm2"), &area.provenance, vec![&mut area.share.quantity]);
        }
        if let Some(power) = &mut sram.power {
            let shares = [&mut power.dynamic, &mut power.leakage].into_iter().flatten();
            let quantities = shares.map(|share| &mut share.quantity).collect();
            visit(format!("{name}.power_mw"), &power.provenance, quantities);
        }
    }
    if let Some(dram) = &mut hardware.dram {
        offer_figure("dram.peak_gb_per_s".into(), dram.peak_gb_per_s.as_mut(), visit);
        for (pattern, _, figure) in &mut dram.efficiency {
            offer_figure(format!("dram.efficiency.{pattern}"), Some(figure), visit);
        }
        for (key, figure) in [
            ("latency_ns", &mut dram.latency_ns),
            ("energy_pj_per_bit", &mut dram.energy_pj_per_bit),
            ("background_mw", &mut dram.background_mw),
            ("phy_area_mm2", &mut dram.phy_area_mm2),
        ] {
            offer_figure(format!("dram.{key}"), figure.as_mut(), visit);
        }
    }
}

fn offer_figure(name: String, figure: Option<&mut Figure>, visit: &mut Visit<'_>) {
    if let Some(Figure { quantity, provenance }) = figure {
        visit(name, provenance, vec![quantity]);
    }
}
