//! `nerarch-dse roofline`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::set::Setting;
use super::{Failure, file, show_warnings};
use crate::ppa::knobs::give;
use crate::ppa::roofline::{OperatorPoint, Roofline};
use crate::report::figure::roofline_svg;
use crate::report::roofline::{to_csv, to_text};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::source::Origin;
use crate::spec::study::Overrides;
use crate::spec::{Source, Study, traced};
use crate::trace::workload;

/// What `roofline` was told.
#[derive(Debug, clap::Args)]
pub struct RooflineArguments {
    /// A sweep, of which the declared design is taken; or --pipeline and --hardware.
    #[arg(required_unless_present_all = ["pipeline", "hardware"], conflicts_with = "pipeline")]
    sweep: Option<String>,
    /// The pipeline: a file, the name of a stock one, or a trace.
    #[arg(long, value_name = "FILE", requires = "hardware")]
    pipeline: Option<String>,
    /// The hardware: a file (TOML, or the field's JSON), or the name of a stock one; instead of the sweep's own.
    #[arg(long, value_name = "FILE")]
    hardware: Option<String>,
    /// The scene; the first of the sweep, or `plant`, if not given.
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
    /// The camera; the first of the scene if not given.
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// The value of a parameter.
    #[arg(long = "set", value_name = "PARAMETER=VALUE")]
    values: Vec<String>,
    /// Write the figure to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the table to this file as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The scene of a pipeline without a sweep: one that is measured for every overlap test.
const DEFAULT_SCENE: &str = "plant";

/// Prints the table, writes figure and CSV.
pub fn run(arguments: &RooflineArguments) -> Result<ExitCode, Failure> {
    let hardware = arguments.sweep.as_ref().and(arguments.hardware.as_deref());
    let overrides = Overrides { hardware, optimization: None, traces: Some(workload::load_default) };
    let (mut study, warnings) = match &arguments.sweep {
        Some(sweep) => Study::load_with(sweep, &overrides)?,
        None => Study::from_source_with(&own_sweep(arguments), &overrides)?,
    };
    show_warnings(&warnings);
    for value in &arguments.values {
        let setting = Setting::parse(value, &study)?;
        give(&mut study, &setting.name, &setting.span, setting.value());
    }
    let scene = match &arguments.scene {
        Some(name) => study.scenes.iter().find(|scene| scene.name == *name),
        None => study.scenes.first(),
    };
    let Some(scene) = scene else {
        let known = study.scenes.iter().map(|scene| scene.name.as_str());
        let name = arguments.scene.as_deref().unwrap_or_default();
        return Err(Failure::input(format!("the sweep has no scene `{name}`"), did_you_mean(name, known)));
    };
    let cameras = scene.cameras();
    let wanted = arguments.camera.as_ref().or(study.sweep.cameras.first().map(|(name, _)| name));
    let camera = wanted.or(cameras.first()).cloned().unwrap_or_default();
    if !cameras.contains(&camera) {
        let message = format!("scene `{}` has no camera \"{camera}\"", scene.name);
        return Err(Failure::input(message, did_you_mean(&camera, cameras.iter().map(String::as_str))));
    }
    let (roofline, warnings) = Roofline::evaluate(&study, scene, &camera)?;
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
    print!("{}", to_text(&roofline));
    Ok(ExitCode::SUCCESS)
}

/// A sweep of one point: the declared design of hardware and pipeline.
fn own_sweep(arguments: &RooflineArguments) -> Arc<Source> {
    let word = |name: &Option<String>, other: &str| {
        let text = name.as_deref().unwrap_or(other);
        // A string of TOML; a control character in a name finds no file in any case.
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "))
    };
    // A trace brings its own sizes.
    let traced = arguments.pipeline.as_deref().is_some_and(traced::is_trace) && arguments.scene.is_none();
    let scenes = if traced { String::new() } else { word(&arguments.scene, DEFAULT_SCENE) };
    let text = format!(
        "name = \"roofline\"\nhardware = {}\npipeline = {}\nscenes = [{scenes}]\n[search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n",
        word(&arguments.hardware, ""),
        word(&arguments.pipeline, ""),
    );
    let name = "command line".to_owned();
    Arc::new(Source { name, text, origin: Origin::File(PathBuf::from("roofline.toml")) })
}
