//! The roofline as a table: for people, and as CSV.

use crate::ppa::roofline::{OperatorPoint, Roofline};
use crate::report::columns::column_width;
use crate::report::summary::short;

const COLUMNS: [&str; 12] = [
    "operator",
    "kind",
    "pass",
    "unit",
    "flops",
    "memory",
    "bytes",
    "flop_per_byte",
    "compute_gflop_per_s",
    "memory_gflop_per_s",
    "attainable_gflop_per_s",
    "bound",
];

/// The rows of a roofline as CSV; a figure that an operator does not have is empty.
///
/// # Errors
/// If the CSV cannot be written, which memory alone decides.
pub fn to_csv(roofline: &Roofline) -> std::io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for point in &roofline.operators {
        writer.write_record(cells(point, &|value: f64| {
            if value.is_finite() { value.to_string() } else { String::new() }
        }))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// The table for people, with the roofs below it.
pub fn to_text(roofline: &Roofline) -> String {
    let header = [
        "operator",
        "kind",
        "pass",
        "unit",
        "FLOP",
        "memory",
        "bytes",
        "FLOP/byte",
        "compute",
        "memory",
        "attainable",
        "bound",
    ];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    let dash = |value: f64| if value.is_finite() { short(value) } else { "-".into() };
    rows.extend(roofline.operators.iter().map(|point| {
        let cells = cells(point, &dash);
        cells.into_iter().map(|cell| if cell.is_empty() { "-".into() } else { cell }).collect()
    }));
    let widths: Vec<usize> =
        (0..header.len()).map(|at| column_width(rows.iter().map(|row| row[at].as_str()))).collect();
    let mut text = String::new();
    for row in &rows {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| {
                let is_number = (4..11).contains(&at) && at != 5;
                if is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            })
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text.push_str("\nworkload   ");
    text.push_str(&roofline.workload);
    for (name, value) in &roofline.at {
        text.push_str(&format!(", {name} = {value}"));
    }
    text.push('\n');
    for roof in &roofline.roofs {
        text.push_str(&format!("roof       {}: {} GB/s\n", roof.name, short(roof.gb_per_s)));
    }
    text.push_str("compute, memory and attainable are GFLOP/s; an operator alone, ports shared with nobody\n");
    if roofline.operands_only {
        text.push_str("the pipeline declares no traffic: all operands count as coming from DRAM, weights once\n");
    }
    text
}

fn cells(point: &OperatorPoint, number: &dyn Fn(f64) -> String) -> [String; 12] {
    let memory = point.memory.as_ref();
    let bound = if point.has_place() { point.bound().name() } else { "no arithmetic" };
    [
        point.name.clone(),
        point.kind.clone(),
        point.pass.name().to_owned(),
        point.unit.clone(),
        number(point.flops),
        memory.map_or_else(String::new, |memory| memory.name.clone()),
        memory.map_or_else(String::new, |memory| number(memory.bytes)),
        number(point.flop_per_byte),
        number(point.compute_gflop_per_s),
        memory.map_or_else(String::new, |memory| number(memory.gflop_per_s)),
        number(point.attainable_gflop_per_s()),
        bound.to_owned(),
    ]
}
