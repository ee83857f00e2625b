//! `nerarch-dse roofline`

use std::path::PathBuf;
use std::process::ExitCode;

use super::design::{Design, DesignArguments};
use super::{Failure, file, show_warnings};
use crate::ppa::roofline::{OperatorPoint, Roofline};
use crate::report::figure::roofline_svg;
use crate::report::roofline::{to_csv, to_text};

/// What `roofline` was told.
#[derive(Debug, clap::Args)]
pub struct RooflineArguments {
    #[command(flatten)]
    design: DesignArguments,
    /// Write the figure to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the table to this file as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Prints the table, writes figure and CSV.
pub fn run(arguments: &RooflineArguments) -> Result<ExitCode, Failure> {
    let Design { study, scene, camera } = arguments.design.load()?;
    let (roofline, warnings) = Roofline::evaluate(&study, &study.scenes[scene], &camera)?;
    show_warnings(&warnings);
    if let Some(path) = &arguments.csv {
        let text = to_csv(&roofline).map_err(|source| Failure::Write { path: path.clone(), source })?;
        file::write(Some(path), &text)?;
    }
    if let Some(path) = &arguments.svg {
        if !roofline.operators.iter().any(OperatorPoint::has_place) {
            let message = "no operator of this pipeline counts FLOPs: there is nothing to draw";
            return Err(Failure::input(message, "give its kinds a count `flops`"));
        }
        let title = format!("{} on {}", study.pipeline.name, study.hardware.name);
        let svg = roofline_svg(&roofline, &title)
            .map_err(|error| Failure::Write { path: path.clone(), source: std::io::Error::other(error) })?;
        file::write(Some(path), &svg)?;
    }
    out!("{}", to_text(&roofline));
    Ok(ExitCode::SUCCESS)
}
