//! `hardware/*.toml`: units, SRAM blocks, DRAM, clock.

use std::sync::Arc;

use super::diagnostic::Collector;
use super::figure::{AreaFigure, Figure, PowerFigure, Provenance};
use super::import;
use super::kind::Pass;
use super::parameter::{ParameterDecl, read_parameters};
use super::reader::{Quantity, Reader};
use super::request::{
    ArrayDecl, ArrayPart, DramRequest, HitRateDecl, LogicDecl, SramRequest, Word, read_array, read_dram_request,
    read_hit_rate, read_logic, read_sram_request,
};
use super::source::{Source, Span};
use super::tree;

/// A checked hardware file.
#[derive(Debug, Clone)]
pub struct HardwareDecl {
    /// Display name.
    pub name: String,
    /// The file.
    pub span: Span,
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

/// How the tiles of a stream are given to the groups of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assign {
    /// The next tile goes to the group that is free first.
    Dynamic,
    /// Each group owns one contiguous block of the tiles.
    Contiguous,
}

/// What a unit burns when it has no work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing but leakage.
    Gated,
    /// Its full active power.
    Full,
}

const IDLE: [(&str, Idle); 2] = [("gated", Idle::Gated), ("full", Idle::Full)];

/// How long one group of a unit takes for the work of one tile.
#[derive(Debug, Clone)]
pub enum RateDecl {
    /// Counted items per cycle of one instance.
    Item {
        /// The count of the operator that the rate is in.
        item: String,
        /// Where the item's name stands.
        span: Span,
        /// Items per cycle of one instance.
        per_cycle: Quantity,
        /// Where the rate comes from.
        provenance: Provenance,
    },
    /// Cycles of the whole unit as an expression over `count.*` and parameters.
    Cycles(Figure),
    /// Matrix products on the unit's array, fold by fold.
    Array,
}

/// A hardware module.
#[derive(Debug, Clone)]
pub struct UnitDecl {
    /// Its name.
    pub name: String,
    /// Where its table stands.
    pub span: Span,
    /// Operator kinds or categories that it executes, with their places.
    pub executes: Vec<(String, Span)>,
    /// Passes that it executes them in; forward unless the file says otherwise.
    pub passes: Vec<Pass>,
    /// Instances in all.
    pub instances: Quantity,
    /// Groups that take whole tiles each; the instances divide among them.
    pub groups: Quantity,
    /// How tiles go to groups.
    pub assign: Assign,
    /// Throughput.
    pub rate: RateDecl,
    /// Pipeline depth in cycles: delays every burst, occupies nothing.
    pub latency_cycles: Quantity,
    /// SRAM blocks that it reads.
    pub reads: Vec<(String, Span)>,
    /// SRAM blocks that it writes.
    pub writes: Vec<(String, Span)>,
    /// Area.
    pub area: Option<AreaFigure>,
    /// Power at the reference clock.
    pub power: Option<PowerFigure>,
    /// Behaviour without work.
    pub idle: Idle,
    /// Multiply-accumulators that the models size.
    pub array: Option<ArrayDecl>,
    /// Other operations that the models size.
    pub logic: Option<LogicDecl>,
}

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

/// The clock and the voltages that it needs.
#[derive(Debug, Clone)]
pub struct ClockDecl {
    /// Clock in MHz.
    pub mhz: Quantity,
    /// Clock at which the file's power figures hold, MHz.
    pub reference_mhz: Quantity,
    /// `(clock in MHz, voltage in V)`, clocks increasing; empty: the voltage never changes.
    pub points: Vec<(f64, f64)>,
    /// Where the points come from.
    pub provenance: Provenance,
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
    reader.text("source");
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
    super::report_repeated(names, "unit or SRAM block", diagnostics);
    reader.finish();
    Some(HardwareDecl {
        name: name?,
        span: Span::new(source, 0..0),
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

fn read_unit(table: &tree::Table, diagnostics: &Collector) -> Option<UnitDecl> {
    let reader = Reader::new(table, "a [[unit]]", diagnostics);
    let name = reader.required_text("name");
    let one = || Quantity::constant(1.0, &table.span);
    reader.text("doc");
    let executes = reader.texts("executes");
    if executes.is_empty() {
        reader.error(reader.span(), "this unit executes nothing", "add `executes = [\"Sorting\", ...]`");
    }
    let array = reader.table("array").map(|table| read_array(table, diagnostics));
    let logic = reader.table("logic").map(|table| read_logic(table, diagnostics));
    let wanted = array.as_ref().and_then(Option::as_ref).and_then(|array| array.gives.as_ref());
    let array_cycles = match wanted {
        Some(gives) => gives.iter().any(|(part, _)| *part == ArrayPart::Cycles),
        None => array.is_some(),
    };
    let rate = match (reader.table("rate"), Figure::read(&reader, "cycles")) {
        (None, None) if array_cycles => Some(RateDecl::Array),
        (Some(_), _) | (_, Some(_)) if wanted.is_some() && array_cycles => {
            reader.error(
                reader.span(),
                "the array gives the cycles, but `rate` or `cycles` is stated too",
                "keep one: take \"cycles\" off the array's `gives`, or the rate away",
            );
            None
        }
        (Some(table), None) => read_rate(table, diagnostics),
        (None, Some(cycles)) => Some(RateDecl::Cycles(cycles)),
        (Some(_), Some(cycles)) => {
            reader.error(&cycles.quantity.span, "`rate` and `cycles` are both given", "keep one");
            None
        }
        (None, None) => {
            reader.error(
                reader.span(),
                "this unit has no throughput",
                "add `rate = { item = \"gaussian\", per_cycle = 1 }`, or `cycles` as an expression over count.*",
            );
            None
        }
    };
    let passes = read_passes(&reader);
    let unit = UnitDecl {
        name: name.clone().unwrap_or_default(),
        span: table.span.clone(),
        executes,
        passes,
        instances: reader.quantity("instances").unwrap_or_else(one),
        groups: reader.quantity("groups").unwrap_or_else(one),
        assign: reader
            .choice("assign", &[("dynamic", Assign::Dynamic), ("contiguous", Assign::Contiguous)])
            .unwrap_or(Assign::Dynamic),
        rate: rate.clone().unwrap_or(RateDecl::Cycles(Figure { quantity: one(), provenance: Provenance::default() })),
        latency_cycles: reader.quantity("latency_cycles").unwrap_or_else(|| Quantity::constant(0.0, &table.span)),
        reads: reader.texts("reads"),
        writes: reader.texts("writes"),
        area: AreaFigure::read(&reader, "area_mm2"),
        power: PowerFigure::read(&reader, "power_mw"),
        idle: reader.choice("idle", &IDLE).unwrap_or(Idle::Gated),
        array: array.clone().flatten(),
        logic: logic.clone().flatten(),
    };
    reader.finish();
    let sound = array.is_none_or(|array| array.is_some()) && logic.is_none_or(|logic| logic.is_some());
    (name.is_some() && rate.is_some() && sound).then_some(unit)
}

fn read_passes(reader: &Reader<'_>) -> Vec<Pass> {
    let words = reader.texts("passes");
    if words.is_empty() {
        return vec![Pass::Forward];
    }
    words
        .into_iter()
        .filter_map(|(word, span)| {
            let found = Pass::NAMES.iter().find(|(name, _)| *name == word).map(|(_, pass)| *pass);
            if found.is_none() {
                reader.error(&span, format!("there is no pass \"{word}\""), "known are: forward, backward");
            }
            found
        })
        .collect()
}

fn read_rate(table: &tree::Table, diagnostics: &Collector) -> Option<RateDecl> {
    let reader = Reader::new(table, "a `rate`", diagnostics);
    let span = reader.node("item").map_or_else(|| table.span.clone(), |node| node.span.clone());
    let item = reader.required_text("item");
    let per_cycle = reader.required_quantity("per_cycle");
    let provenance = Provenance::read(&reader);
    provenance.check(&reader, &per_cycle.iter().collect::<Vec<_>>());
    reader.finish();
    Some(RateDecl::Item { item: item?, span, per_cycle: per_cycle?, provenance })
}

fn read_sram(table: &tree::Table, diagnostics: &Collector) -> Option<SramDecl> {
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

fn read_dram(table: &tree::Table, diagnostics: &Collector) -> Option<DramDecl> {
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

fn read_clock(reader: &Reader<'_>) -> Option<ClockDecl> {
    reader.required("clock");
    let table = reader.table("clock")?;
    let inner = Reader::new(table, "[clock]", reader.diagnostics());
    let mhz = inner.required_quantity("mhz");
    let reference_mhz = inner.required_quantity("reference_mhz");
    let mut points: Vec<(f64, f64)> = Vec::new();
    for point in inner.tables("operating_point") {
        let entry = Reader::new(point, "an operating point", reader.diagnostics());
        let (clock, voltage) = (entry.number("mhz"), entry.number("voltage_v"));
        entry.finish();
        match (clock, voltage) {
            (Some(clock), Some(voltage)) if clock > 0.0 && voltage > 0.0 => {
                if points.last().is_some_and(|(last, _)| *last >= clock) {
                    reader.error(&point.span, "operating points must have increasing clocks", "sort them");
                }
                points.push((clock, voltage));
            }
            _ => reader.error(
                &point.span,
                "an operating point needs a clock and a voltage above 0",
                "write { mhz = 1000, voltage_v = 0.9 }",
            ),
        }
    }
    let provenance = Provenance::read(&inner);
    inner.finish();
    Some(ClockDecl { mhz: mhz?, reference_mhz: reference_mhz?, points, provenance })
}
