//! `nerarch-dse utilization`

use std::path::PathBuf;
use std::process::ExitCode;

use super::design::{Design, DesignArguments};
use super::{Failure, file, show_warnings};
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::report::figure::UtilizationFigure;
use crate::report::utilization::{MOST_BINS, UtilizationOverTime};
use crate::spec::sweep::Strategy;

/// What `utilization` was told.
#[derive(Debug, clap::Args)]
pub struct UtilizationArguments {
    #[command(flatten)]
    design: DesignArguments,
    /// Start of the time that is shown, in ms.
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = milliseconds)]
    from_ms: f64,
    /// Its end; the end of the frame if not given.
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    to_ms: Option<f64>,
    /// Steps of time.
    #[arg(long, value_name = "N", default_value_t = 400,
          value_parser = clap::value_parser!(u32).range(1..=MOST_BINS as i64))]
    bins: u32,
    /// Write the figure to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write every step to this file as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// A time that is finite and not negative.
fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && time >= 0.0 => Ok(time),
        _ => Err("a time in ms, from 0".into()),
    }
}

/// Prints the table, writes figure and CSV.
pub fn run(arguments: &UtilizationArguments) -> Result<ExitCode, Failure> {
    let Design { mut study, scene, camera } = arguments.design.load()?;
    // Nothing is searched, and one workload is looked at.
    study.sweep.search.strategy = Strategy::Grid;
    study.scenes = vec![study.scenes.swap_remove(scene)];
    study.sweep.cameras.clear();
    let (plan, warnings) = Plan::compile_detailed(&study)?;
    show_warnings(&warnings);
    let mut evaluator = Evaluator::new(&plan);
    if evaluator.evaluate(&plan.declared()) == Outcome::Failed {
        let message = format!("the model has no value for this point: {}", evaluator.reason());
        return Err(Failure::input(message, "choose other values with --set"));
    }
    let workload = plan.workloads.iter().position(|workload| workload.camera == camera).unwrap_or(0);
    let window = (arguments.from_ms, arguments.to_ms.unwrap_or(f64::INFINITY));
    let courses = UtilizationOverTime::of(&mut evaluator, workload, window, arguments.bins as usize);
    let Some(courses) = courses else {
        return Err(Failure::input("the model has no schedule for this point", "choose other values with --set"));
    };
    if courses.bin_ms <= 0.0 {
        let message = format!("nothing lies between --from-ms and --to-ms: the frame takes {} ms", courses.latency_ms);
        return Err(Failure::input(message, "choose a time within the frame"));
    }
    if let Some(path) = &arguments.csv {
        let text = courses.to_csv().map_err(|source| Failure::Write { path: path.clone(), source })?;
        file::write(Some(path), &text)?;
    }
    if let Some(path) = &arguments.svg {
        let (pipeline, hardware) = (&study.pipeline.name, &study.hardware.name);
        // Many a pipeline is named after its hardware.
        let title = if pipeline.contains(hardware) { pipeline.clone() } else { format!("{pipeline} on {hardware}") };
        let note = note(&courses, plan.workloads[workload].equal_tiles);
        let svg = UtilizationFigure { title: &title, courses: &courses, note: &note }
            .svg()
            .map_err(|error| Failure::Write { path: path.clone(), source: std::io::Error::other(error) })?;
        file::write(Some(path), &svg)?;
    }
    file::write(None, &courses.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// What stands below the figure.
fn note(courses: &UtilizationOverTime, equal_tiles: bool) -> String {
    let idle = courses.units.iter().filter(|unit| unit.occupied.iter().all(|share| *share == 0.0));
    let idle: Vec<&str> = idle.map(|unit| unit.name.as_str()).collect();
    let tiles = if equal_tiles { ", equal tiles" } else { "" };
    let mut note = format!(
        "{}{tiles}. Units: dark computes, pale waits for a memory. DRAM: dark mean, pale fastest sixteenth of a step.",
        courses.workload
    );
    if !idle.is_empty() {
        note.push_str(&format!(" Idle: {}.", idle.join(", ")));
    }
    note
}
