//! A whole hardware file.

use std::sync::Arc;

use super::clock::{ClockDecl, read_clock};
use super::dram::{DramDecl, read_dram};
use super::sram::{SramDecl, read_sram};
use super::unit::{UnitDecl, read_unit};
use crate::spec::diagnostic::Collector;
use crate::spec::import;
use crate::spec::parameter::{ParameterDecl, read_parameters};
use crate::spec::reader::Reader;
use crate::spec::report_repeated;
use crate::spec::source::{Source, Span};
use crate::spec::tree;

/// A checked hardware file.
#[derive(Debug, Clone)]
pub struct HardwareDecl {
    /// Display name.
    pub name: String,
    /// The file.
    pub span: Span,
    /// Where the file's figures come from, those apart that name a source of their own.
    pub source: Option<String>,
    /// Technology node in nm, for which the file's figures hold.
    pub node_nm: f64,
    /// Node that they are to be scaled to, with its place.
    pub scale_to_nm: Option<(f64, Span)>,
    /// What energy and power metrics include: `core`, `dram`, `phy`.
    pub boundary: Vec<Boundary>,
    /// What techniques may require.
    pub features: Features,
    /// Declared parameters.
    pub parameters: Vec<ParameterDecl>,
    /// Units in the order of the file.
    pub units: Vec<UnitDecl>,
    /// SRAM blocks in the order of the file.
    pub srams: Vec<SramDecl>,
    /// Off-chip memory; `None` if the hardware has none.
    pub dram: Option<DramDecl>,
    /// Clock and operating points.
    pub clock: ClockDecl,
}

impl HardwareDecl {
    /// Whether a model that it asks may answer beyond its table: an SRAM block says that it may, a DRAM part always does.
    pub fn may_extrapolate(&self) -> bool {
        self.srams.iter().any(|sram| sram.model.as_ref().is_some_and(|request| request.extrapolate))
            || self.dram.as_ref().is_some_and(|dram| dram.model.is_some())
    }
}

/// What the hardware can do for optimization techniques.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// Features that a technique may use.
    pub offered: Vec<(String, Span)>,
    /// Features whose effect the file's own rates and counts contain: a technique would count it twice.
    pub built_in: Vec<(String, Span)>,
}

/// A part of the system that a result can include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Units and on-chip SRAM.
    Core,
    /// DRAM devices: access energy and background power.
    Dram,
    /// The memory interface on the chip.
    Phy,
}

impl Boundary {
    const NAMES: [(&'static str, Boundary); 3] =
        [("core", Boundary::Core), ("dram", Boundary::Dram), ("phy", Boundary::Phy)];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, boundary)| *boundary == self).map_or("", |(name, _)| name)
    }
}

/// Reads a hardware file, in TOML or the field's JSON; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<HardwareDecl> {
    let root =
        if import::is_json(source) { import::read(source, diagnostics)? } else { tree::parse(source, diagnostics) };
    let reader = Reader::new(&root, "a hardware file", diagnostics);
    let name = reader.required_text("name");
    let node_nm = reader.required("node_nm").and_then(|_| reader.number("node_nm"));
    let scale_to_nm =
        reader.node("scale_to_nm").and_then(|node| Some((reader.number("scale_to_nm")?, node.span.clone())));
    reader.text("doc");
    let origin = reader.text("source");
    let boundary = read_boundary(&reader);
    let features = read_features(&reader);
    let parameters = read_parameters(&reader);
    let units: Vec<_> = reader.tables("unit").into_iter().filter_map(|table| read_unit(table, diagnostics)).collect();
    let srams: Vec<_> = reader.tables("sram").into_iter().filter_map(|table| read_sram(table, diagnostics)).collect();
    let dram = reader.table("dram").map(|table| read_dram(table, diagnostics));
    let clock = read_clock(&reader);
    if root.get("unit").is_none() {
        reader.error(reader.span(), "this hardware has no units", "add at least one [[unit]]");
    }
    let names =
        units.iter().map(|unit| (&unit.name, &unit.span)).chain(srams.iter().map(|sram| (&sram.name, &sram.span)));
    report_repeated(names, "unit or SRAM block", diagnostics);
    report_sram_twice(&units, &srams, &reader);
    reader.finish();
    Some(HardwareDecl {
        name: name?,
        span: Span::new(source, 0..0),
        source: origin,
        node_nm: node_nm?,
        scale_to_nm,
        boundary,
        features,
        parameters,
        units,
        srams,
        dram: match dram {
            Some(dram) => Some(dram?),
            None => None,
        },
        clock: clock?,
    })
}

/// A unit whose power includes its SRAM may not reach a block of its own, which no other unit reaches, that has energy too.
fn report_sram_twice(units: &[UnitDecl], srams: &[SramDecl], reader: &Reader<'_>) {
    let reaches = |unit: &UnitDecl, block: &str| unit.reads.iter().chain(&unit.writes).any(|(name, _)| name == block);
    for unit in units {
        let includes = unit.power.iter().flat_map(|power| &power.includes).find(|(part, _)| part == "sram");
        let Some((_, span)) = includes else { continue };
        let own = |sram: &&SramDecl| {
            let shared = units.iter().any(|other| other.name != unit.name && reaches(other, &sram.name));
            reaches(unit, &sram.name) && !shared && sram.has_energy()
        };
        if let Some(sram) = srams.iter().find(own) {
            reader.error(
                span,
                format!(
                    "energy of SRAM block `{}` would be counted twice: the power of unit `{}` includes its SRAM",
                    sram.name, unit.name
                ),
                "take the block's power and energy away (and \"energy\", \"leakage\" off what its model gives), or \
                 \"sram\" off `includes` if the power is without it",
            );
        }
    }
}

fn read_boundary(reader: &Reader<'_>) -> Vec<Boundary> {
    let words = reader.texts("boundary");
    if words.is_empty() {
        return vec![Boundary::Core];
    }
    words
        .into_iter()
        .filter_map(|(word, span)| {
            let found = Boundary::NAMES.iter().find(|(name, _)| *name == word).map(|(_, boundary)| *boundary);
            if found.is_none() {
                reader.error(&span, format!("a boundary cannot include \"{word}\""), "known are: core, dram, phy");
            }
            found
        })
        .collect()
}

fn read_features(reader: &Reader<'_>) -> Features {
    let features = Features { offered: reader.texts("features"), built_in: reader.texts("built_in_features") };
    for (name, span) in &features.built_in {
        if features.offered.iter().any(|(known, _)| known == name) {
            reader.error(
                span,
                format!("\"{name}\" stands in `features` and in `built_in_features`"),
                "keep it in `built_in_features` if the rates of this file contain its effect, else in `features`",
            );
        }
    }
    features
}
