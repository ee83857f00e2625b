//! `[dram]`: off-chip memory.

use crate::spec::diagnostic::Collector;
use crate::spec::figure::Figure;
use crate::spec::reader::Reader;
use crate::spec::request::{DramRequest, read_dram_request};
use crate::spec::source::Span;
use crate::spec::tree;

/// Off-chip memory: one channel that all streams share.
#[derive(Debug, Clone)]
pub struct DramDecl {
    /// Where its table stands.
    pub span: Span,
    /// Part name, for reports.
    pub part: String,
    /// Peak bandwidth, 10^9 bytes per second; `None`: the part's, by the model.
    pub peak_gb_per_s: Option<Figure>,
    /// Share of the peak that an access pattern reaches: pattern name, place, figure.
    pub efficiency: Vec<(String, Span, Figure)>,
    /// Latency of a burst in ns.
    pub latency_ns: Option<Figure>,
    /// Access energy.
    pub energy_pj_per_bit: Option<Figure>,
    /// Power that burns all the time, mW.
    pub background_mw: Option<Figure>,
    /// Area of the interface on the chip, mm2; counts if the boundary includes `phy`.
    pub phy_area_mm2: Option<Figure>,
    /// What the DRAM model is asked for.
    pub model: Option<DramRequest>,
}

pub(super) fn read_dram(table: &tree::Table, diagnostics: &Collector) -> Option<DramDecl> {
    let reader = Reader::new(table, "[dram]", diagnostics);
    let model = reader.table("model").map(|table| read_dram_request(table, diagnostics));
    if model.is_none() {
        reader.required("peak_gb_per_s");
    }
    let peak = Figure::read(&reader, "peak_gb_per_s");
    let efficiency = match reader.table("efficiency") {
        Some(patterns) => {
            let inner = Reader::new(patterns, "`efficiency`", diagnostics);
            inner
                .rest()
                .into_iter()
                .filter_map(|(pattern, span, _)| Some((pattern.clone(), span.clone(), Figure::read(&inner, pattern)?)))
                .collect()
        }
        None if model.is_some() => Vec::new(),
        None => {
            reader.error(
                reader.span(),
                "[dram] needs the share of its peak that each access pattern reaches",
                "add `efficiency = { stream = 0.94, random = 0.46 }`, or { stream = 1 } for an ideal channel",
            );
            Vec::new()
        }
    };
    let sound = (peak.is_some() || model.is_some()) && model.as_ref().is_none_or(Option::is_some);
    let dram = DramDecl {
        span: table.span.clone(),
        part: reader.text("part").unwrap_or_else(|| "DRAM".into()),
        peak_gb_per_s: peak,
        efficiency,
        latency_ns: Figure::read(&reader, "latency_ns"),
        energy_pj_per_bit: Figure::read(&reader, "energy_pj_per_bit"),
        background_mw: Figure::read(&reader, "background_mw"),
        phy_area_mm2: Figure::read(&reader, "phy_area_mm2"),
        model: model.flatten(),
    };
    reader.finish();
    sound.then_some(dram)
}
