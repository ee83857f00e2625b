//! `nerarch-dse validate`

use std::path::Path;
use std::process::ExitCode;

use super::Failure;
use crate::spec::catalog;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::{Collector, Diagnostics};
use crate::validate::{Format, Outcome, evaluate, missing, notes, read, render, stock, stock_names, totals};

/// Prints the table of one accelerator or of all.
pub fn run(name: Option<&str>, format: Format) -> Result<ExitCode, Failure> {
    let names = name.map_or_else(stock_names, |name| vec![name.to_owned()]);
    let mut outcomes: Vec<Outcome> = Vec::new();
    for name in names {
        let source = if name.ends_with(".toml") {
            catalog::read(Path::new(&name)).map_err(|fault| Diagnostics(vec![fault]))?
        } else {
            stock(&name).ok_or_else(|| {
                let known = stock_names();
                let help = did_you_mean(&name, known.iter().map(String::as_str));
                Failure::input(
                    format!("there are no targets of `{name}`"),
                    format!("{help} (or write the path of a .toml file)"),
                )
            })?
        };
        let diagnostics = Collector::default();
        let file = read(&source, &diagnostics);
        let (file, _) = diagnostics.finish(file)?;
        outcomes.extend(evaluate(&file)?);
    }
    out!("{}", render(&outcomes, format));
    if format != Format::Csv {
        out!("\n{}", totals(&outcomes));
    }
    match format {
        Format::Csv => {}
        Format::Md => out!("\n{}", missing(&outcomes)),
        Format::Text => out!("\n{}", notes(&outcomes)),
    }
    Ok(ExitCode::SUCCESS)
}
