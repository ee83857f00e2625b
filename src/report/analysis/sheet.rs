//! The tables of a report.

use super::figures::{basis, figures};
use super::ir::ScheduledIr;
use super::roofline::{bound_words, reached, share_of_time};
use super::words::{bytes, digits, percent, scaled, time};
use crate::ppa::breakdown::BlockShare;

/// A table: header, rows; the columns that `numbers` holds are numbers.
pub(super) struct Sheet {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    pub numbers: std::ops::Range<usize>,
}

/// Operators: where and when they run, what they move, and where they stand on the roofline.
pub(super) fn operators(ir: &ScheduledIr) -> Sheet {
    let clock = ir.ppa.clock_mhz;
    let dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let rows = ir.ppa.operators.iter().zip(reached(ir)).map(|(operator, place)| {
        let moved: f64 = operator.memory.iter().map(|memory| memory.read_bytes + memory.written_bytes).sum();
        vec![
            operator.name.clone(),
            operator.kind.clone(),
            operator.unit_name.clone(),
            bound_words(&operator.bound),
            time(operator.start_cycles, clock),
            time(operator.busy_cycles, clock),
            percent(share_of_time(ir, operator)),
            dash(operator.flops.map(scaled)),
            bytes(moved),
            dash(place.flop_per_byte.map(scaled)),
            dash(place.flops_per_s.map(scaled)),
            dash(place.of_roof.map(percent)),
        ]
    });
    Sheet {
        header: vec![
            "operator",
            "kind",
            "unit",
            "bound by",
            "start",
            "busy",
            "share",
            "FLOP",
            "bytes",
            "FLOP/byte",
            "FLOP/s",
            "of roof",
        ],
        rows: rows.collect(),
        numbers: 4..12,
    }
}

/// Units and memories at a glance.
pub(super) fn blocks(ir: &ScheduledIr) -> Sheet {
    let block = |what: &str, block: &BlockShare, access: f64| {
        vec![
            block.name.clone(),
            what.to_owned(),
            format!("area {}, power {}", basis(&block.area), basis(&block.power)),
            digits(block.area_mm2),
            digits(block.dynamic_mj + access),
            digits(block.leakage_mj),
            percent(block.utilization),
        ]
    };
    let mut rows: Vec<Vec<String>> = ir.ppa.units.iter().map(|unit| block("unit", &unit.block, 0.0)).collect();
    rows.extend(ir.ppa.srams.iter().map(|sram| block("SRAM", &sram.block, sram.access_mj)));
    if let Some(dram) = &ir.ppa.dram {
        rows.push(vec![
            dram.part.clone(),
            "DRAM".into(),
            format!("bandwidth {}, energy {}", basis(&dram.bandwidth), basis(&dram.access)),
            digits(dram.phy_area_mm2),
            digits(dram.access_mj),
            digits(dram.background_mj),
            percent(dram.busy_cycles / ir.schedule.makespan_cycles),
        ]);
    }
    Sheet { header: vec!["block", "is", "known", "mm2", "work mJ", "rest mJ", "busy"], rows, numbers: 3..7 }
}

/// Every figure that area, energy and time rest on, with the sums.
pub(super) fn sources(ir: &ScheduledIr) -> Sheet {
    let mut last = String::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for figure in figures(ir) {
        // The block is named once.
        let block = if figure.block == last { String::new() } else { figure.block.clone() };
        last = figure.block;
        rows.push(vec![block, figure.name.to_owned(), figure.value, figure.remark, figure.basis, figure.source]);
    }
    for (name, value) in
        [("area", format!("{} mm2", digits(ir.ppa.area_mm2))), ("energy", format!("{} mJ", digits(ir.ppa.energy_mj)))]
    {
        let block = if name == "area" { "in all" } else { "" };
        rows.push(vec![block.into(), name.into(), value, "100 %".into(), String::new(), String::new()]);
    }
    Sheet { header: vec!["block", "figure", "value", "share", "basis", "source"], rows, numbers: 2..4 }
}
