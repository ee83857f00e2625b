//! SRAM blocks and DRAM of the JSON.

use super::build::{Builder, Known, decimal};
use super::module::{AREA, CAPACITY, Figure, Module, POWER, differ, gigabytes, measure, not_understood};
use super::remarks::Remarks;
use super::vocabulary::Vocabulary;
use crate::spec::Span;
use crate::spec::reader::Reader;
use crate::spec::tree::{Table, Value};

/// An SRAM block that belongs to the accelerator.
pub struct Block {
    pub name: String,
    pub span: Span,
    /// Indices of the modules that it belongs to.
    pub modules: Vec<usize>,
    pub capacity_kib: Figure,
    pub area_mm2: Option<Figure>,
    /// The figure as the file has it, where it was read as a 1024th of that.
    area_as_stored: Option<f64>,
    dynamic_mw: Option<Figure>,
    leakage_mw: Option<Figure>,
}

/// Reads `sram_blocks`. Blocks of units that the file does not have are remarked on and left out.
pub fn read_blocks(tables: &[&Table], modules: &[Module], remarks: &Remarks<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = tables.iter().filter_map(|table| read_block(table, modules, remarks)).collect();
    check_densities(&mut blocks, remarks);
    if let Some(silent) = blocks.iter().find(|block| block.area_mm2.is_none()) {
        let count = blocks.iter().filter(|block| block.area_mm2.is_none()).count();
        remarks.warn(
            &silent.span,
            format!("SRAM block `{}` states no area: {count} blocks of this file do not", silent.name),
            "metrics leave their area and power out; `nerarch-dse sram` estimates them",
        );
    }
    blocks
}

fn read_block(table: &Table, modules: &[Module], remarks: &Remarks<'_>) -> Option<Block> {
    let reader = Reader::new(table, "an entry of `sram_blocks`", remarks.diagnostics());
    let name = reader.required_text("name");
    let unit = reader.node("unit").and_then(|node| Some((reader.text("unit")?, node.span.clone())));
    let capacity = measure(&reader, "size", CAPACITY, remarks);
    let area_mm2 = measure(&reader, "area", AREA, remarks);
    let dynamic_mw =
        measure(&reader, "dynamic_power", POWER, remarks).or_else(|| measure(&reader, "power", POWER, remarks));
    let leakage_mw = measure(&reader, "static_power", POWER, remarks);
    not_understood(&reader, "an SRAM block", remarks);
    let name = name?;
    let Some(capacity_kib) = capacity else {
        if !CAPACITY.iter().any(|(suffix, _)| table.get(&format!("size_{suffix}")).is_some()) {
            remarks.error(&table.span, format!("SRAM block `{name}` states no size"), "add `size_kb`");
        }
        return None;
    };
    let Some((unit, unit_span)) = unit else {
        remarks.warn(&table.span, format!("SRAM block `{name}` does not say whose it is"), "no unit is bound to it");
        let span = table.span.clone();
        return Some(Block {
            name,
            span,
            modules: Vec::new(),
            capacity_kib,
            area_mm2,
            area_as_stored: None,
            dynamic_mw,
            leakage_mw,
        });
    };
    let engine = Vocabulary::stock().engine(&unit);
    let owners: Vec<usize> = modules
        .iter()
        .enumerate()
        .filter(|(_, module)| {
            module.name == unit || module.kind == unit || engine.is_some_and(|types| types.contains(&module.kind))
        })
        .map(|(at, _)| at)
        .collect();
    if owners.is_empty() {
        let whose = engine.map_or(String::new(), |types| format!(" (an engine of {} modules)", types.join(" and ")));
        remarks.warn(
            &unit_span,
            format!(
                "SRAM block `{name}` of {} KiB belongs to `{unit}`{whose}, which this accelerator does not have: copied from another one",
                decimal(capacity_kib.value)
            ),
            "it is left out; if it is meant, give it to a module of this file",
        );
        return None;
    }
    let span = table.span.clone();
    Some(Block { name, span, modules: owners, capacity_kib, area_mm2, area_as_stored: None, dynamic_mw, leakage_mw })
}

/// A block a thousand times larger per KiB than its neighbours was computed from another unit than its size stands in.
fn check_densities(blocks: &mut [Block], remarks: &Remarks<'_>) {
    let density =
        |block: &Block| Some(block.area_mm2.as_ref()?.value / block.capacity_kib.value).filter(|d| d.is_finite());
    let mut densities: Vec<f64> = blocks.iter().filter_map(density).collect();
    densities.sort_by(f64::total_cmp);
    if densities.len() < 3 {
        return;
    }
    let median = densities[densities.len() / 2];
    for block in blocks {
        let Some(factor) = density(block).map(|density| density / median) else { continue };
        let Some(area) = &mut block.area_mm2 else { continue };
        if !differ(factor, 1024.0, 0.05) {
            remarks.warn(
                &area.span,
                format!(
                    "the area of `{}` is {factor:.0} times that of the other blocks per KiB: its {} KiB were taken as MiB",
                    block.name,
                    decimal(block.capacity_kib.value)
                ),
                "area and power are divided by 1024 and marked as assumed",
            );
            block.area_as_stored = Some(area.value);
            area.value /= 1024.0;
            for power in [&mut block.dynamic_mw, &mut block.leakage_mw].into_iter().flatten() {
                power.value /= 1024.0;
            }
        } else if !(0.01..=100.0).contains(&factor) {
            remarks.warn(
                &area.span,
                format!("the area of `{}` is {factor:.3} times that of the other blocks per KiB", block.name),
                "the area is taken as it stands; check the units of size and area",
            );
        }
    }
}

impl Block {
    /// The name of the parameter that holds the capacity.
    pub fn parameter_name(identifier: &str) -> String {
        format!("{identifier}_kib")
    }

    /// That parameter.
    pub fn parameter(&self) -> Builder {
        let span = &self.capacity_kib.span;
        Builder::new(span)
            .number("default", self.capacity_kib.value, span)
            .text("type", "real", span)
            .text("doc", format!("capacity of {}", self.name), span)
            .provenance(&Known::Stated, span)
    }

    /// The block; area and power follow its capacity.
    pub fn sram(&self, identifier: &str) -> Builder {
        let capacity = Self::parameter_name(identifier);
        let scaled =
            |figure: &Figure| format!("{} * {capacity} / {}", decimal(figure.value), decimal(self.capacity_kib.value));
        let known = || match self.area_as_stored {
            Some(_) => Known::Within(1.0, 1024.0),
            None => Known::Stated,
        };
        let sram = Builder::new(&self.span).text("name", identifier, &self.span).text(
            "capacity_kib",
            capacity.clone(),
            &self.capacity_kib.span,
        );
        let area = self.area_mm2.as_ref().map(|figure| {
            Builder::new(&figure.span).text("each", scaled(figure), &figure.span).provenance(&known(), &figure.span)
        });
        let power = self.dynamic_mw.as_ref().or(self.leakage_mw.as_ref()).map(|first| {
            let mut table = Builder::new(&first.span);
            if let Some(figure) = &self.dynamic_mw {
                table = table.text("each_dynamic", scaled(figure), &figure.span);
            }
            if let Some(figure) = &self.leakage_mw {
                table = table.text("each_leakage", scaled(figure), &figure.span);
            }
            table.provenance(&known(), &first.span)
        });
        sram.optional("area_mm2", area).optional("power_mw", power)
    }

    /// Area and power at the file's own capacity: mm2 and mW.
    pub fn totals(&self) -> (f64, f64) {
        let value = |figure: &Option<Figure>| figure.as_ref().map_or(0.0, |figure| figure.value);
        (value(&self.area_mm2), value(&self.dynamic_mw) + value(&self.leakage_mw))
    }
}

/// Off-chip memory.
pub struct Memory {
    pub peak_gb_per_s: Figure,
    part: String,
    latency_cycles: Option<Figure>,
    /// Area of the interfaces, mm2, and its place.
    phy: Option<(f64, Span)>,
}

/// What `memory_hierarchy` and the memory interfaces say of the DRAM; `None` if they say no bandwidth.
pub fn read_memory(
    hierarchy: Option<&Table>,
    modules: &[Module],
    root: &Span,
    remarks: &Remarks<'_>,
) -> Option<Memory> {
    let (mut peak, mut part, mut latency) = (None, None, None);
    if let Some(table) = hierarchy {
        let reader = Reader::new(table, "`memory_hierarchy`", remarks.diagnostics());
        peak = gigabytes(&reader, "dram_bandwidth", remarks);
        reader.node("dram_capacity_gb");
        if let Some(main) = reader.table("main_memory") {
            let inner = Reader::new(main, "`main_memory`", remarks.diagnostics());
            part = inner.node("type").and_then(|node| Some((inner.text("type")?, node.span.clone())));
            peak = gigabytes(&inner, "bandwidth", remarks).or(peak);
            latency = super::module::figure(&inner, "latency_cycles", 0.0, remarks);
            inner.node("size_gb");
            not_understood(&inner, "`main_memory`", remarks);
        }
        if let Some((_, span, _)) = reader.rest().into_iter().find(|(_, _, node)| !matches!(node.value, Value::Bool(_)))
        {
            let message = "caches of `memory_hierarchy` are bound to no module";
            remarks.warn(span, message, "they are left out; an SRAM block that is meant stands in `sram_blocks`");
        }
    }
    for controller in modules.iter().filter(|module| module.is_controller) {
        let Some(stated) = &controller.bandwidth else { continue };
        if let Some(other) = &peak
            && differ(other.value, stated.value, 1e-6)
        {
            remarks.warn(
                &other.span,
                format!(
                    "the memory has {} GB/s, its interface `{}` {} GB/s",
                    decimal(other.value),
                    controller.name,
                    decimal(stated.value)
                ),
                "the interface's figure is taken: no more can pass it",
            );
        }
        let Some(interface) = &controller.interface else { continue };
        if let (Some((memory, _)), Some((other, span))) = (&interface.memory, &part)
            && memory != other
        {
            remarks.warn(
                span,
                format!("the main memory is {other}, but the interface `{}` is one of {memory}", controller.name),
                "the interface's type is taken",
            );
        }
        part = interface.memory.clone().or(part);
        // One or two transfers per cycle of the stated frequency.
        if let Some(single) = interface.single_rate_gb_per_s
            && differ(single, stated.value, 0.01)
            && differ(single * 2.0, stated.value, 0.01)
        {
            remarks.warn(
                &stated.span,
                format!(
                    "frequency, width and channels of `{}` give {} GB/s (twice that at double data rate), not {}",
                    controller.name,
                    decimal(single),
                    decimal(stated.value)
                ),
                "the stated bandwidth is taken",
            );
        }
        peak = Some(stated.clone());
    }
    let Some(peak_gb_per_s) = peak else {
        remarks.warn(
            root,
            "the file states no DRAM bandwidth",
            "the hardware has no [dram]; add it for pipelines with DRAM traffic",
        );
        return None;
    };
    let controllers = || modules.iter().filter(|module| module.is_controller);
    let phy: f64 = controllers().map(|module| module.area.total(module.count())).sum();
    let phy = controllers().next().filter(|_| phy > 0.0).map(|module| (phy, module.span.clone()));
    let part = part.map_or_else(|| "DRAM".to_owned(), |(part, _)| part);
    Some(Memory { peak_gb_per_s, part, latency_cycles: latency, phy })
}

impl Memory {
    /// The parameter that holds the bandwidth.
    pub const PARAMETER: &'static str = "dram_gb_per_s";

    /// That parameter.
    pub fn parameter(&self) -> Builder {
        let span = &self.peak_gb_per_s.span;
        Builder::new(span)
            .number("default", self.peak_gb_per_s.value, span)
            .text("type", "real", span)
            .text("doc", "peak DRAM bandwidth", span)
            .provenance(&Known::Stated, span)
    }

    /// `[dram]`, with its latency at the file's clock of `mhz`.
    pub fn dram(&self, mhz: f64, remarks: &Remarks<'_>) -> Builder {
        let span = &self.peak_gb_per_s.span;
        remarks.warn(
            span,
            "the file does not say what share of the peak an access pattern reaches, nor the energy of an access",
            "efficiencies are assumed over a wide range, energy is left out; `nerarch-dse dram` gives measured ones",
        );
        let share = |value: f64, low: f64| {
            Builder::new(span).number("value", value, span).provenance(&Known::Assumed(low, 1.0), span)
        };
        let mut dram = Builder::new(span)
            .text("part", self.part.clone(), span)
            .text("peak_gb_per_s", Self::PARAMETER, span)
            .table("efficiency", Builder::new(span).table("stream", share(0.9, 0.5)).table("random", share(0.4, 0.05)));
        if let Some(latency) = &self.latency_cycles {
            let value = format!("{} * 1000 / {}", decimal(latency.value), decimal(mhz));
            let table = Builder::new(&latency.span)
                .text("value", value, &latency.span)
                .provenance(&Known::Derived, &latency.span);
            dram = dram.table("latency_ns", table);
        }
        if let Some((area, span)) = &self.phy {
            dram = dram.table(
                "phy_area_mm2",
                Builder::new(span).number("value", *area, span).provenance(&Known::Stated, span),
            );
        }
        dram
    }
}
