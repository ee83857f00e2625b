//! What area and energy are made of, figure by figure, and what each figure is known from.

use super::ir::ScheduledIr;
use super::words::{digits, percent, plain};
use crate::ppa::breakdown::{BlockShare, DramShare, Sourced, SramShare, UnitShare};

/// What a figure adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// Area within the boundary.
    Area,
    /// Energy within the boundary.
    Energy,
    /// To nothing: a rate.
    Rate,
}

/// One figure.
#[derive(Debug, Clone)]
pub(super) struct FigureLine {
    /// The unit, SRAM block, or DRAM part.
    pub block: String,
    /// `area`, `energy at work` ...
    pub name: &'static str,
    /// Value with its unit.
    pub value: String,
    /// What it adds up to.
    pub amount: Amount,
    /// Share of the sum; `None`: it is outside the boundary, or a rate.
    pub share: Option<f64>,
    /// What stands in the place of a share.
    pub remark: String,
    /// `published`, `assumed` ...
    pub basis: String,
    /// Where it comes from.
    pub source: String,
}

/// The basis of what the hardware file leaves to a model of the program.
const MODEL: &str = "model";

/// How well a figure is known, in a word.
pub(super) fn basis(figure: &Sourced) -> String {
    match (&figure.basis, figure.given) {
        (_, false) => "no figure".into(),
        (Some(basis), true) => basis.clone(),
        (None, true) => "not said".into(),
    }
}

/// Every figure of the hardware that is given or adds something, block by block.
pub(super) fn figures(ir: &ScheduledIr) -> Vec<FigureLine> {
    let list = List { ir, lines: Vec::new() };
    let list = ir.ppa.units.iter().fold(list, List::unit);
    let list = ir.ppa.srams.iter().fold(list, List::sram);
    let list = ir.ppa.dram.iter().fold(list, List::dram);
    list.lines
}

/// Blocks of which the hardware file states neither area nor power, so that they count as nothing.
pub(super) fn unstated(ir: &ScheduledIr) -> Vec<String> {
    let blocks = ir.ppa.units.iter().map(|unit| &unit.block).chain(ir.ppa.srams.iter().map(|sram| &sram.block));
    blocks.filter(|block| !block.area.given && !block.power.given).map(|block| block.name.clone()).collect()
}

struct List<'a> {
    ir: &'a ScheduledIr,
    lines: Vec<FigureLine>,
}

impl List<'_> {
    fn unit(mut self, unit: &UnitShare) -> Self {
        let block = &unit.block;
        self.area(&block.name, "area", block.area_mm2, true, &block.area);
        self.power(block);
        let count =
            format!("{} {}", plain(unit.instances), if unit.instances == 1.0 { "instance" } else { "instances" });
        self.rate(&block.name, "throughput", count, block.utilization, &unit.rate);
        self
    }

    fn sram(mut self, sram: &SramShare) -> Self {
        let block = &sram.block;
        self.area(&block.name, "area", block.area_mm2, true, &block.area);
        self.energy(&block.name, "energy of accesses", sram.access_mj, true, &sram.access);
        self.power(block);
        self
    }

    fn dram(mut self, dram: &DramShare) -> Self {
        let busy = dram.busy_cycles / self.ir.schedule.makespan_cycles;
        let peak = format!("{} GB/s", digits(dram.peak_gb_per_s));
        self.rate(&dram.part, "peak bandwidth", peak, busy, &dram.bandwidth);
        self.energy(&dram.part, "energy of accesses", dram.access_mj, dram.energy_in_boundary, &dram.access);
        self.energy(&dram.part, "energy at rest", dram.background_mj, dram.energy_in_boundary, &dram.background);
        self.area(&dram.part, "area of the interface", dram.phy_area_mm2, dram.phy_in_boundary, &dram.phy_area);
        self
    }

    fn power(&mut self, block: &BlockShare) {
        if block.dynamic_mj > 0.0 || block.leakage_mj == 0.0 {
            self.energy(&block.name, "energy at work", block.dynamic_mj, true, &block.power);
        }
        if block.leakage_mj > 0.0 {
            self.energy(&block.name, "energy at rest", block.leakage_mj, true, &block.power);
        }
    }

    fn area(&mut self, block: &str, name: &'static str, value: f64, counts: bool, from: &Sourced) {
        let share = share(value, self.ir.ppa.area_mm2, counts);
        self.push(block, name, (value, "mm2"), (Amount::Area, share), from);
    }

    fn energy(&mut self, block: &str, name: &'static str, value: f64, counts: bool, from: &Sourced) {
        let share = share(value, self.ir.ppa.energy_mj, counts);
        self.push(block, name, (value, "mJ"), (Amount::Energy, share), from);
    }

    fn push(
        &mut self,
        block: &str,
        name: &'static str,
        (value, unit): (f64, &str),
        (amount, share): (Amount, Option<f64>),
        from: &Sourced,
    ) {
        if from.given || value > 0.0 {
            self.lines.push(FigureLine {
                block: block.to_owned(),
                name,
                value: format!("{} {unit}", digits(value)),
                amount,
                share,
                remark: share.map_or("not counted".into(), percent),
                basis: if from.given { basis(from) } else { MODEL.into() },
                source: if from.given { source(from) } else { "no figure in the hardware file, by the model".into() },
            });
        }
    }

    fn rate(&mut self, block: &str, name: &'static str, value: String, busy: f64, from: &Sourced) {
        self.lines.push(FigureLine {
            block: block.to_owned(),
            name,
            value,
            amount: Amount::Rate,
            share: None,
            remark: format!("busy {}", percent(busy)),
            // A systolic array's throughput follows from its size, a DRAM's from its part.
            basis: if from.given { basis(from) } else { MODEL.into() },
            source: if from.given { source(from) } else { "by the model".into() },
        });
    }
}

fn share(value: f64, all: f64, counts: bool) -> Option<f64> {
    (counts && all > 0.0).then(|| value / all)
}

/// The source, and how far the stated value may lie off.
fn source(from: &Sourced) -> String {
    let source = from.source.clone().unwrap_or_else(|| "the hardware file".into());
    match (from.range, from.factor) {
        (Some([low, high]), _) => format!("{source}; plausible from {} to {}", plain(low), plain(high)),
        (None, Some([low, high])) => format!("{source}; plausible from {} to {} times that", plain(low), plain(high)),
        (None, None) => source,
    }
}
