//! `nerarch-dse tiles`

use std::path::PathBuf;
use std::process::ExitCode;

use super::Failure;
use super::study::{Instead, Ready, choose};
use crate::ppa::Plan;
use crate::report::figure::TileFigure;
use crate::report::summary::point_text;
use crate::report::tiles::{TileLoad, loads, operators, table};
use crate::spec::Study;
use crate::spec::diagnostic::did_you_mean;

/// What `tiles` was told.
#[derive(Debug, clap::Args)]
pub struct TilesArguments {
    /// The sweep file, or the name of a stock sweep; its first point is looked at.
    sweep: String,
    #[command(flatten)]
    instead: Instead,
    /// Which sweep of a file of several; the first if not given.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The operator whose tiles are spread; the one with the most work if not given.
    #[arg(long, value_name = "NAME")]
    operator: Option<String>,
    /// Numbers of groups that take whole tiles.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [64, 128, 256],
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    groups: Vec<u32>,
    /// Draw the tiles as a heat map into this SVG file.
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
}

/// Prints how the measured tiles of a sweep's first point spread over groups, and draws them.
pub fn run(arguments: &TilesArguments) -> Result<ExitCode, Failure> {
    let sweeps = Ready::load(&arguments.sweep, &arguments.instead, false)?;
    let ready = choose(sweeps, &arguments.sweep, arguments.name.as_deref(), |ready| &ready.study.sweep)?;
    let Ready { study, plan, space, .. } = &ready;
    if let Some(wanted) = &arguments.operator {
        let known = operators(plan);
        if !known.contains(wanted) {
            return Err(Failure::input(
                format!("`{wanted}` is no operator of pipeline `{}` that works tile by tile", study.pipeline.name),
                did_you_mean(wanted, known.iter().map(String::as_str)),
            ));
        }
    }
    let loads = loads(study, plan, &vec![0; plan.axes.len()], arguments.operator.as_deref());
    if loads.is_empty() {
        return Err(Failure::input(
            format!("sweep `{}` has no tiles that were measured for its first point", study.sweep.name),
            "name scenes with a tiles_file, such as plant, and put what was measured first on each axis",
        ));
    }
    outln!("{}: {}", study.sweep.name, point_text(plan, space, 0));
    outln!("Cycles of `{}` by tile, spread over groups of the same size that take whole tiles.", loads[0].operator);
    outln!("measured / average: tiles in order, each to the group that is free first, against tiles of average length");
    outln!("blocks / ideal: each group owns one contiguous block, against all work evenly\n");
    let groups: Vec<usize> = arguments.groups.iter().map(|count| *count as usize).collect();
    out!("{}", table(&loads, &groups));
    if let Some(path) = &arguments.figure {
        let svg = draw(study, plan, &point_text(plan, space, 0), &loads).ok_or_else(|| {
            Failure::input("there are too many screens for one figure", "name fewer scenes or cameras")
        })?;
        std::fs::write(path, svg).map_err(|source| Failure::Write { path: path.clone(), source })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The heat map of a sweep's tiles at a point; `None` if there is nothing to draw or too much for one figure.
pub fn draw(study: &Study, plan: &Plan, point: &str, loads: &[TileLoad]) -> Option<String> {
    let title = format!("{} ({})", study.hardware.name, study.sweep.name);
    let axes = if plan.axes.iter().any(|axis| axis.values.len() > 1) { format!(" at {point}") } else { String::new() };
    let note = format!("Measured tiles{axes}; screens of {}", study.pipeline.name);
    TileFigure { title: &title, loads, note: &note }.svg().ok()
}
