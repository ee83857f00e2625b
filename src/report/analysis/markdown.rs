//! The report as Markdown and as plain text.

use std::fmt::Write;

use super::ir::ScheduledIr;
use super::roofline::{Placed, bound_words, share_of_time};
use super::summary::sentences;
use super::words::{bytes, digits, percent, scaled, time};
use crate::ppa::breakdown::Sourced;

/// A table: header, rows; columns from `right` on are numbers.
pub(super) struct Sheet {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    pub right: usize,
}

/// The report as Markdown.
pub fn markdown(ir: &ScheduledIr) -> String {
    write(ir, true)
}

/// The report as text for a terminal.
pub fn text(ir: &ScheduledIr) -> String {
    write(ir, false)
}

fn write(ir: &ScheduledIr, markdown: bool) -> String {
    let mut out = String::new();
    let heading = |out: &mut String, level: usize, title: &str| {
        let _ = if markdown { writeln!(out, "\n{} {title}\n", "#".repeat(level)) } else { writeln!(out, "\n{title}") };
    };
    heading(&mut out, 1, &format!("{} on {}", ir.workload.name, ir.hardware.name));
    for sentence in sentences(ir) {
        let _ = writeln!(out, "{sentence}");
    }
    for (title, sheet) in [("Operators", operators(ir)), ("Units and memories", blocks(ir))] {
        heading(&mut out, 2, title);
        out.push_str(&if markdown { as_markdown(&sheet) } else { as_text(&sheet) });
    }
    if !ir.warnings.is_empty() {
        heading(&mut out, 2, "What to know");
        for warning in &ir.warnings {
            let _ = writeln!(out, "- {warning}");
        }
    }
    out.trim_start().to_owned()
}

pub(super) fn operators(ir: &ScheduledIr) -> Sheet {
    let clock = ir.ppa.clock_mhz;
    let row = |operator: &crate::ppa::breakdown::OperatorShare| {
        let place = Placed::of(operator, clock);
        let moved: f64 = operator.memory.iter().map(|memory| memory.read_bytes + memory.written_bytes).sum();
        vec![
            operator.name.clone(),
            operator.kind.clone(),
            operator.unit_name.clone(),
            bound_words(&operator.bound),
            time(operator.start_cycles, clock),
            time(operator.busy_cycles, clock),
            percent(share_of_time(ir, operator)),
            operator.flops.map_or("-".into(), scaled),
            bytes(moved),
            place.intensity.map_or("-".into(), digits),
        ]
    };
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
            "FLOP/DRAM byte",
        ],
        rows: ir.ppa.operators.iter().map(row).collect(),
        right: 4,
    }
}

/// How well a figure is known, in a word.
fn basis(figure: &Sourced) -> String {
    match (&figure.basis, figure.given) {
        (_, false) => "no figure".into(),
        (Some(basis), true) => basis.clone(),
        (None, true) => "not said".into(),
    }
}

pub(super) fn blocks(ir: &ScheduledIr) -> Sheet {
    let block = |what: &str, block: &crate::ppa::breakdown::BlockShare, access: f64| {
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
            percent(dram.utilization),
        ]);
    }
    Sheet { header: vec!["block", "is", "known", "mm2", "work mJ", "standing mJ", "busy"], rows, right: 3 }
}

fn as_markdown(sheet: &Sheet) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let mut out = line(&mut sheet.header.iter().map(|cell| (*cell).to_owned()));
    let rule = |at: usize| if at < sheet.right { "---" } else { "---:" };
    out.push_str(&line(&mut (0..sheet.header.len()).map(|at| rule(at).to_owned())));
    for row in &sheet.rows {
        out.push_str(&line(&mut row.iter().map(|cell| cell.replace('|', "\\|"))));
    }
    out
}

fn as_text(sheet: &Sheet) -> String {
    let width = |at: usize| {
        let cells = sheet.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(sheet.header.get(at).map_or(0, |cell| cell.chars().count()))
    };
    let widths: Vec<usize> = (0..sheet.header.len()).map(width).collect();
    let mut out = String::new();
    let header = sheet.header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(&sheet.rows) {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if at < sheet.right { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let _ = writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}
