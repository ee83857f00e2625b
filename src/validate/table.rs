//! Tables of targets as text, CSV and Markdown.

use super::evaluate::Outcome;
use super::target::Role;
use crate::report::columns::column_width;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned columns.
    Text,
    /// Comma-separated values.
    Csv,
    /// Markdown.
    Md,
}

const HEADER: [&str; 9] =
    ["design", "quantity", "published", "ours", "error_percent", "interval", "width_percent", "basis", "source"];

/// The table of all outcomes.
pub fn render(outcomes: &[Outcome], format: Format) -> String {
    let rows: Vec<[String; 9]> = outcomes.iter().map(row).collect();
    match format {
        Format::Csv => lines(&rows, |cells| cells.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>().join(",")),
        Format::Md => {
            let text = lines(&rows, |cells| format!("| {} |", cells.join(" | ")));
            let rule = format!("|{}\n", " --- |".repeat(HEADER.len()));
            match text.split_once('\n') {
                Some((header, rest)) => format!("{header}\n{rule}{rest}"),
                None => text,
            }
        }
        Format::Text => {
            let width =
                |at: usize| column_width(rows.iter().map(|row| row[at].as_str()).chain(std::iter::once(HEADER[at])));
            let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
            lines(&rows, |cells| {
                let padded: Vec<String> =
                    cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
                padded.join("  ").trim_end().to_owned()
            })
        }
    }
}

fn lines(rows: &[[String; 9]], write: impl Fn(&[String]) -> String) -> String {
    let header = HEADER.map(str::to_owned);
    std::iter::once(&header).chain(rows).map(|cells| write(cells) + "\n").collect()
}

fn csv_cell(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

fn row(outcome: &Outcome) -> [String; 9] {
    let target = &outcome.target;
    let interval = outcome.interval.map_or_else(String::new, |[low, high]| {
        let inside = if outcome.inside() == Some(true) { "holds it" } else { "MISSES it" };
        format!("{} to {} {inside}", short(low), short(high))
    });
    let basis = match &target.same_as {
        Some((other, _)) => format!("{} (same as {other})", target.role.name()),
        None => target.role.name().to_owned(),
    };
    [
        outcome.design.clone(),
        target.quantity.clone(),
        short(target.published),
        short(outcome.ours),
        // An interval is judged by what it holds, not by the distance of its nominal value.
        if outcome.interval.is_some() {
            String::new()
        } else {
            format!("{:+.2}", (outcome.error_percent() * 100.0).round() / 100.0 + 0.0)
        },
        interval,
        outcome.width_percent().map_or_else(String::new, |width| format!("{width:.0}")),
        basis,
        target.source.clone(),
    ]
}

fn short(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-300).log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.digits$}")
}

/// One paragraph over the predictions: those free of assumptions by their errors, the others by what their intervals hold.
pub fn totals(outcomes: &[Outcome]) -> String {
    let predicted: Vec<&Outcome> = outcomes
        .iter()
        .filter(|outcome| outcome.target.role == Role::Predicted && outcome.target.same_as.is_none())
        .collect();
    let errors: Vec<f64> = predicted
        .iter()
        .filter(|outcome| outcome.interval.is_none())
        .map(|outcome| outcome.error_percent().abs())
        .collect();
    let held: Vec<bool> = predicted.iter().filter_map(|outcome| outcome.inside()).collect();
    let mut text = match errors.iter().copied().reduce(f64::max) {
        Some(worst) => {
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            format!("{} predictions without assumptions: mean error {mean:.2} %, largest {worst:.2} %", errors.len())
        }
        None => "no prediction without assumptions".to_owned(),
    };
    if !held.is_empty() {
        let inside = held.iter().filter(|held| **held).count();
        text += &format!(
            "\n{} predictions that rest on assumptions: {inside} intervals hold the published value",
            held.len()
        );
    }
    text + "\n"
}
