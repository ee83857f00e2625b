//! Tables of targets as text, CSV and Markdown.

use super::evaluate::{INFORMATIVE, Outcome};
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

const HEADER: [&str; 10] = [
    "design",
    "quantity",
    "published",
    "ours",
    "error_percent",
    "interval",
    "width_percent",
    "basis",
    "source",
    "note",
];

/// The table of all outcomes.
pub fn render(outcomes: &[Outcome], format: Format) -> String {
    let rows: Vec<[String; 10]> = outcomes.iter().map(row).collect();
    match format {
        // Notes are longer than a terminal is wide: `notes` writes them below.
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
            let widths: Vec<usize> = (0..HEADER.len() - 1).map(width).collect();
            lines(&rows, |cells| {
                let padded: Vec<String> =
                    cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
                padded.join("  ").trim_end().to_owned()
            })
        }
    }
}

fn lines(rows: &[[String; 10]], write: impl Fn(&[String]) -> String) -> String {
    let header = HEADER.map(str::to_owned);
    std::iter::once(&header).chain(rows).map(|cells| write(cells) + "\n").collect()
}

fn csv_cell(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

fn row(outcome: &Outcome) -> [String; 10] {
    let target = &outcome.target;
    let interval = outcome
        .interval
        .map_or_else(String::new, |[low, high]| format!("{} to {} {}", short(low), short(high), judgement(outcome)));
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
        note(outcome).unwrap_or_default(),
    ]
}

/// What an interval is worth.
fn judgement(outcome: &Outcome) -> &'static str {
    match (outcome.inside(), outcome.is_informative()) {
        (Some(true), Some(false)) => "holds it but says little",
        (Some(true), _) => "holds it",
        _ => "MISSES it",
    }
}

/// The fact that an interval lacks, or why another model's output differs.
fn note(outcome: &Outcome) -> Option<String> {
    let target = &outcome.target;
    let missing = (!target.missing.is_empty()).then(|| format!("missing: {}", target.missing));
    missing.or_else(|| (!target.differs.is_empty()).then(|| target.differs.clone()))
}

/// The notes of all outcomes, a line each; targets that share a note share its line.
pub fn notes(outcomes: &[Outcome]) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for outcome in outcomes {
        let Some(note) = note(outcome) else { continue };
        match lines.iter_mut().find(|(_, known)| *known == note) {
            Some((who, _)) => *who = format!("{who}; {}", outcome.target.quantity),
            None => lines.push((format!("{}, {}", outcome.design, outcome.target.quantity), note)),
        }
    }
    lines.into_iter().map(|(who, note)| format!("{who}: {note}\n")).collect()
}

/// The targets that lack a fact, as a table in Markdown.
pub fn missing(outcomes: &[Outcome]) -> String {
    let mut text = "| target | published | interval | it | the fact that would make it a number |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for outcome in outcomes {
        let (Some([low, high]), target) = (outcome.interval, &outcome.target) else { continue };
        text += &format!(
            "| {}, {} | {} | {} to {} | {} | {} |\n",
            outcome.design,
            target.quantity,
            short(target.published),
            short(low),
            short(high),
            judgement(outcome),
            target.missing
        );
    }
    text
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
    let intervals: Vec<&&Outcome> = predicted.iter().filter(|outcome| outcome.interval.is_some()).collect();
    let (telling, wide): (Vec<&&Outcome>, Vec<&&Outcome>) =
        intervals.iter().partition(|outcome| outcome.is_informative() == Some(true));
    let inside = |outcomes: &[&&Outcome]| outcomes.iter().filter(|outcome| outcome.inside() == Some(true)).count();
    let mut text = match errors.iter().copied().reduce(f64::max) {
        Some(worst) => {
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            format!("{} predictions without assumptions: mean error {mean:.2} %, largest {worst:.2} %", errors.len())
        }
        None => "no prediction without assumptions".to_owned(),
    };
    if !intervals.is_empty() {
        text += &format!(
            "\n{} predictions that rest on assumptions: {} have ends within a factor of {INFORMATIVE}, and {} of these intervals \
             hold the published value;\n{} are wider and say little, {} of them hold it",
            intervals.len(),
            telling.len(),
            inside(&telling),
            wide.len(),
            inside(&wide)
        );
    }
    text + "\n"
}
