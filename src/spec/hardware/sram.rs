//! `[[sram]]`: on-chip memory.

use super::unit::{IDLE, Idle};
use crate::spec::diagnostic::Collector;
use crate::spec::figure::{AreaFigure, Figure, PowerFigure};
use crate::spec::reader::{Quantity, Reader};
use crate::spec::request::{HitRateDecl, SramPart, SramRequest, Word, read_hit_rate, read_sram_request};
use crate::spec::source::Span;
use crate::spec::tree;

/// An SRAM block.
#[derive(Debug, Clone)]
pub struct SramDecl {
    /// Its name.
    pub name: String,
    /// Where its table stands.
    pub span: Span,
    /// Blocks of this kind.
    pub instances: Quantity,
    /// Capacity of one instance in KiB.
    pub capacity_kib: Quantity,
    /// Read bandwidth of all instances together, 10^9 bytes per second.
    pub read_gb_per_s: Option<Figure>,
    /// Write bandwidth of all instances together, 10^9 bytes per second.
    pub write_gb_per_s: Option<Figure>,
    /// Cycles until a read's data arrive.
    pub read_latency_cycles: Option<Figure>,
    /// Cycles until a write is done.
    pub write_latency_cycles: Option<Figure>,
    /// Area.
    pub area: Option<AreaFigure>,
    /// Power.
    pub power: Option<PowerFigure>,
    /// Energy per byte read, pJ.
    pub read_pj_per_byte: Option<Figure>,
    /// Energy per byte written, pJ.
    pub write_pj_per_byte: Option<Figure>,
    /// Behaviour without work.
    pub idle: Idle,
    /// Banks of one instance.
    pub banks: Option<Quantity>,
    /// Ports of every bank: `1rw` or `1r1w`.
    pub ports: Option<Word>,
    /// Bytes of one access to one bank.
    pub width_bytes: Option<Quantity>,
    /// What the SRAM model is asked for.
    pub model: Option<SramRequest>,
    /// Share of the bytes read that a cache-like block holds.
    pub hit_rate: Option<HitRateDecl>,
}

impl SramDecl {
    /// Whether the file states power or energy of the block, or asks the model for them.
    pub(super) fn has_energy(&self) -> bool {
        let asked = self.model.as_ref().is_some_and(|model| match &model.gives {
            Some(gives) => gives.iter().any(|(part, _)| matches!(part, SramPart::Energy | SramPart::Leakage)),
            None => true,
        });
        asked || self.power.is_some() || self.read_pj_per_byte.is_some() || self.write_pj_per_byte.is_some()
    }
}

pub(super) fn read_sram(table: &tree::Table, diagnostics: &Collector) -> Option<SramDecl> {
    let reader = Reader::new(table, "an [[sram]]", diagnostics);
    let name = reader.required_text("name");
    let capacity_kib = reader.required_quantity("capacity_kib");
    reader.text("doc");
    let ports = reader.node("ports").and_then(|node| Some((reader.text("ports")?, node.span.clone())));
    let model = reader.table("model").map(|table| read_sram_request(table, diagnostics));
    let hit_rate = reader.table("hit_rate").map(|table| read_hit_rate(table, diagnostics));
    let sram = SramDecl {
        name: name.clone().unwrap_or_default(),
        span: table.span.clone(),
        instances: reader.quantity("instances").unwrap_or_else(|| Quantity::constant(1.0, &table.span)),
        capacity_kib: capacity_kib.clone().unwrap_or_else(|| Quantity::constant(0.0, &table.span)),
        read_gb_per_s: Figure::read(&reader, "read_gb_per_s"),
        write_gb_per_s: Figure::read(&reader, "write_gb_per_s"),
        read_latency_cycles: Figure::read(&reader, "read_latency_cycles"),
        write_latency_cycles: Figure::read(&reader, "write_latency_cycles"),
        area: AreaFigure::read(&reader, "area_mm2"),
        power: PowerFigure::read(&reader, "power_mw"),
        read_pj_per_byte: Figure::read(&reader, "read_pj_per_byte"),
        write_pj_per_byte: Figure::read(&reader, "write_pj_per_byte"),
        idle: reader.choice("idle", &IDLE).unwrap_or(Idle::Gated),
        banks: reader.quantity("banks"),
        ports,
        width_bytes: reader.quantity("width_bytes"),
        model: model.clone().flatten(),
        hit_rate: hit_rate.clone().flatten(),
    };
    reader.finish();
    let sound = model.is_none_or(|model| model.is_some()) && hit_rate.is_none_or(|rate| rate.is_some());
    (name.is_some() && capacity_kib.is_some() && sound).then_some(sram)
}
