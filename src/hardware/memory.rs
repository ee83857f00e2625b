//! SRAM blocks and DRAM.

use super::block::{Power, TotalArea, compile_area, compile_power};
use super::clock::Clock;
use crate::spec::expr::Function;
use crate::spec::figure::Figure;
use crate::spec::hardware::{DramDecl, SramDecl};
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// An SRAM block at a design point.
pub struct Sram {
    /// Its name.
    pub name: String,
    /// Cycles per byte read; `None` if the file states no bandwidth.
    pub read_cycles_per_byte: Option<NodeId>,
    /// Cycles per byte written; `None` if the file states no bandwidth.
    pub write_cycles_per_byte: Option<NodeId>,
    /// Cycles until read data arrive.
    pub read_latency_cycles: Option<NodeId>,
    /// Cycles until a write is done.
    pub write_latency_cycles: Option<NodeId>,
    /// pJ per byte read.
    pub read_pj_per_byte: NodeId,
    /// pJ per byte written.
    pub write_pj_per_byte: NodeId,
    /// Area of all instances, mm2.
    pub area_mm2: TotalArea,
    /// Power of all instances.
    pub power: Power,
}

/// Off-chip memory at a design point: one channel.
pub struct Dram {
    /// Peak bandwidth, 10^9 bytes per second.
    pub peak_gb_per_s: NodeId,
    /// Cycles per byte at the peak.
    pub cycles_per_byte: NodeId,
    /// Share of the peak by access pattern.
    pub efficiency: Vec<(String, NodeId)>,
    /// Cycles until the first data of a burst arrive.
    pub latency_cycles: NodeId,
    /// pJ per byte.
    pub pj_per_byte: NodeId,
    /// Power that burns all the time, mW.
    pub background_mw: NodeId,
    /// Area of the interface, mm2.
    pub phy_area_mm2: NodeId,
}

/// Compiles an SRAM block; `None` if it is faulty.
pub fn compile_sram(scope: &mut Scope<'_>, decl: &SramDecl, clock: &Clock) -> Option<Sram> {
    let what = format!("SRAM block `{}`", decl.name);
    let instances = scope.compile_count(&decl.instances, &format!("instances of {what}"), 1.0, None)?;
    let capacity = scope.compile(&decl.capacity_kib, &format!("capacity of {what}"), &[])?;
    scope.at_least(capacity, f64::MIN_POSITIVE, &decl.capacity_kib.span, &format!("capacity of {what}"));
    let mut bandwidth = |figure: &Option<Figure>, name: &str| match figure {
        Some(figure) => {
            let value = positive(scope, figure, &format!("{name} bandwidth of {what}"))?;
            Some(Some(clock.cycles_per_byte(scope, value)))
        }
        None => Some(None),
    };
    let read_cycles_per_byte = bandwidth(&decl.read_gb_per_s, "read")?;
    let write_cycles_per_byte = bandwidth(&decl.write_gb_per_s, "write")?;
    let mut latency = |figure: &Option<Figure>, name: &str| match figure {
        Some(figure) => Some(Some(not_negative(scope, figure, &format!("{name} latency of {what}"))?)),
        None => Some(None),
    };
    let read_latency_cycles = latency(&decl.read_latency_cycles, "read")?;
    let write_latency_cycles = latency(&decl.write_latency_cycles, "write")?;
    Some(Sram {
        name: decl.name.clone(),
        read_cycles_per_byte,
        write_cycles_per_byte,
        read_latency_cycles,
        write_latency_cycles,
        read_pj_per_byte: optional(scope, decl.read_pj_per_byte.as_ref(), &format!("read energy of {what}"))?,
        write_pj_per_byte: optional(scope, decl.write_pj_per_byte.as_ref(), &format!("write energy of {what}"))?,
        area_mm2: compile_area(scope, decl.area.as_ref(), instances, &what)?,
        power: compile_power(scope, decl.power.as_ref(), decl.idle, instances, &what)?,
    })
}

/// Compiles the DRAM; `None` if it is faulty.
pub fn compile_dram(scope: &mut Scope<'_>, decl: &DramDecl, clock: &Clock) -> Option<Dram> {
    let peak_gb_per_s = positive(scope, &decl.peak_gb_per_s, "DRAM bandwidth")?;
    let cycles_per_byte = clock.cycles_per_byte(scope, peak_gb_per_s);
    let efficiency: Option<Vec<_>> = decl
        .efficiency
        .iter()
        .map(|(pattern, _, figure)| {
            let what = format!("DRAM efficiency for pattern `{pattern}`");
            let value = positive(scope, figure, &what)?;
            let one = scope.graph.constant(1.0);
            Some((pattern.clone(), scope.at_most(value, one, &figure.quantity.span, &what)))
        })
        .collect();
    let nanoseconds = optional(scope, decl.latency_ns.as_ref(), "DRAM latency")?;
    let thousandth = scope.graph.constant(1e-3);
    let cycles_per_ns = scope.graph.binary(Function::Mul, clock.mhz, thousandth);
    let per_bit = optional(scope, decl.energy_pj_per_bit.as_ref(), "DRAM energy")?;
    let eight = scope.graph.constant(8.0);
    Some(Dram {
        peak_gb_per_s,
        cycles_per_byte,
        efficiency: efficiency?,
        latency_cycles: scope.graph.binary(Function::Mul, nanoseconds, cycles_per_ns),
        pj_per_byte: scope.graph.binary(Function::Mul, per_bit, eight),
        background_mw: optional(scope, decl.background_mw.as_ref(), "DRAM background power")?,
        phy_area_mm2: optional(scope, decl.phy_area_mm2.as_ref(), "PHY area")?,
    })
}

fn positive(scope: &mut Scope<'_>, figure: &Figure, what: &str) -> Option<NodeId> {
    let value = scope.compile(&figure.quantity, what, &[])?;
    Some(scope.at_least(value, f64::MIN_POSITIVE, &figure.quantity.span, what))
}

fn not_negative(scope: &mut Scope<'_>, figure: &Figure, what: &str) -> Option<NodeId> {
    let value = scope.compile(&figure.quantity, what, &[])?;
    Some(scope.at_least(value, 0.0, &figure.quantity.span, what))
}

/// 0 where the file gives nothing.
fn optional(scope: &mut Scope<'_>, figure: Option<&Figure>, what: &str) -> Option<NodeId> {
    match figure {
        Some(figure) => not_negative(scope, figure, what),
        None => Some(scope.graph.constant(0.0)),
    }
}
