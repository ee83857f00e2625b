//! The report as Markdown and as plain text.

use std::fmt::Write;

use super::ir::ScheduledIr;
use super::sheet::{Sheet, blocks, operators, sources};
use super::summary::{sentences, warnings};
use crate::report::columns::column_width;

/// The report as Markdown.
pub fn markdown(ir: &ScheduledIr) -> String {
    let sheets =
        [("Operators", operators(ir)), ("Units and memories", blocks(ir)), ("What the figures rest on", sources(ir))];
    write(ir, &sheets, true)
}

/// The report as text for a terminal: without the sources of figures, which are long.
pub fn text(ir: &ScheduledIr) -> String {
    write(ir, &[("Operators", operators(ir)), ("Units and memories", blocks(ir))], false)
}

fn write(ir: &ScheduledIr, sheets: &[(&str, Sheet)], markdown: bool) -> String {
    let mut out = String::new();
    let heading = |out: &mut String, level: usize, title: &str| {
        let _ = if markdown { writeln!(out, "\n{} {title}\n", "#".repeat(level)) } else { writeln!(out, "\n{title}") };
    };
    heading(&mut out, 1, &format!("{} on {}", ir.workload.name, ir.hardware.name));
    for sentence in sentences(ir) {
        let _ = writeln!(out, "{sentence}");
    }
    for (title, sheet) in sheets {
        heading(&mut out, 2, title);
        out.push_str(&if markdown { as_markdown(sheet) } else { as_text(sheet) });
    }
    let warnings = warnings(ir);
    if !warnings.is_empty() {
        heading(&mut out, 2, "What to know");
        for warning in warnings {
            let _ = writeln!(out, "- {warning}");
        }
    }
    out.trim_start().to_owned()
}

fn as_markdown(sheet: &Sheet) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let mut out = line(&mut sheet.header.iter().map(|cell| (*cell).to_owned()));
    let rule = |at: usize| if sheet.numbers.contains(&at) { "---:" } else { "---" };
    out.push_str(&line(&mut (0..sheet.header.len()).map(|at| rule(at).to_owned())));
    for row in &sheet.rows {
        out.push_str(&line(&mut row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " "))));
    }
    out
}

fn as_text(sheet: &Sheet) -> String {
    let width = |at: usize| {
        let cells = sheet.rows.iter().filter_map(|row| row.get(at)).map(String::as_str);
        column_width(cells.chain(sheet.header.get(at).copied()))
    };
    let widths: Vec<usize> = (0..sheet.header.len()).map(width).collect();
    let mut out = String::new();
    let header = sheet.header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(&sheet.rows) {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if sheet.numbers.contains(&at) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let _ = writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}
