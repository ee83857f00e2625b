//! `nerarch-dse analyze`, `map`, `schedule` and `report`: a traced workload on one hardware.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use super::Failure;
use super::cluster::ClusterArguments;
use super::file::save;
use crate::input::{self, InputError};
use crate::report::analysis::{self, MappedIr, ScheduledIr};
use crate::report::figure::FigureError;
use crate::spec::workload::Workload;
use crate::spec::{Diagnostic, Diagnostics};
use crate::trace::TransformOptions;
use crate::trace::workload;

/// Largest IR that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// What `analyze` was told.
#[derive(Debug, clap::Args)]
pub struct AnalyzeArguments {
    /// A pickled networkx graph, node-link JSON, GraphML, GML or DOT.
    trace: PathBuf,
    /// Folder for `inputs mapping scheduling reports visuals`.
    out: PathBuf,
    /// Hardware file, or the name of a stock one.
    #[arg(long)]
    hardware: String,
    /// File of optimization techniques to apply.
    #[arg(long, value_name = "FILE")]
    optimization_config: Option<PathBuf>,
    /// Bytes per element where the trace does not say the type.
    #[arg(long, default_value_t = 4.0)]
    element_bytes: f64,
    #[command(flatten)]
    cluster: ClusterArguments,
}

/// What `map` was told.
#[derive(Debug, clap::Args)]
pub struct MapArguments {
    /// A trace.
    trace: PathBuf,
    /// Hardware file, or the name of a stock one.
    hardware: String,
    /// The file to write.
    #[arg(short, long, default_value = "mapped_ir.json")]
    output: PathBuf,
    /// Bytes per element where the trace does not say the type.
    #[arg(long, default_value_t = 4.0)]
    element_bytes: f64,
}

/// What `schedule` was told.
#[derive(Debug, clap::Args)]
pub struct ScheduleArguments {
    /// What `map` wrote.
    mapped: PathBuf,
    /// The file to write.
    #[arg(short, long, default_value = "scheduled_ir.json")]
    output: PathBuf,
    /// The hardware that it was mapped to.
    #[arg(long)]
    hardware: String,
    /// File of optimization techniques to apply.
    #[arg(long, value_name = "FILE")]
    optimization_config: Option<PathBuf>,
    /// Write the schedule for Perfetto (or chrome://tracing) too.
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
}

/// What `report` was told.
#[derive(Debug, clap::Args)]
pub struct ReportArguments {
    /// What `schedule` wrote; may be left out with --plot-dot-subgraph.
    #[arg(required_unless_present = "plot_dot_subgraph")]
    scheduled: Option<PathBuf>,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The file to write; standard output if not given.
    #[arg(short, long, requires = "scheduled")]
    output: Option<PathBuf>,
    /// Folder for the pictures: timeline, operator graph and roofline as SVG.
    #[arg(long, value_name = "DIR", requires = "scheduled")]
    visuals: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArguments,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One page that opens in any browser, offline.
    Html,
    /// The figures of the breakdown.
    Json,
    /// Markdown.
    Md,
    /// Plain text.
    Text,
}

/// From a trace to a folder with everything.
pub fn analyze(arguments: &AnalyzeArguments) -> Result<ExitCode, Failure> {
    let AnalyzeArguments { trace, out, hardware, optimization_config, element_bytes, cluster } = arguments;
    // What is wrong with the cluster is said before anything is written.
    let cluster = cluster.drawn()?;
    let mapped = mapped(trace, hardware, *element_bytes)?;
    let scheduled =
        analysis::schedule(&mapped, &trace.display().to_string(), hardware, optimization_config.as_deref())?;
    let name = trace.file_name().map_or_else(|| "trace".into(), PathBuf::from);
    let bytes = input::bytes(trace, MAX_BYTES).map_err(|error| unreadable(trace, error))?;
    save(&out.join("inputs").join(name), &bytes)?;
    if let Some(path) = optimization_config {
        let bytes = input::bytes(path, MAX_BYTES).map_err(|error| unreadable(path, error))?;
        save(&out.join("inputs/optimization.toml"), &bytes)?;
    }
    save(&out.join("inputs/pipeline.toml"), mapped.workload.to_toml().as_bytes())?;
    save(&out.join("mapping/mapped_ir.json"), json(&mapped)?.as_bytes())?;
    save(&out.join("scheduling/scheduled_ir.json"), json(&scheduled)?.as_bytes())?;
    save(&out.join("scheduling/perfetto.json"), analysis::perfetto(&scheduled).as_bytes())?;
    for (file, format) in [
        ("report.html", Format::Html),
        ("report.json", Format::Json),
        ("report.md", Format::Md),
        ("report.txt", Format::Text),
    ] {
        save(&out.join("reports").join(file), rendered(&scheduled, format)?.as_bytes())?;
    }
    visuals(&scheduled, &out.join("visuals"))?;
    if let Some(cluster) = &cluster {
        cluster.write(&out.join("visuals"))?;
    }
    out!("{}", analysis::text(&scheduled));
    outln!("\nthe page: {}", out.join("reports/report.html").display());
    Ok(ExitCode::SUCCESS)
}

/// Binds a trace's operators to units.
pub fn map(arguments: &MapArguments) -> Result<ExitCode, Failure> {
    let mapped = mapped(&arguments.trace, &arguments.hardware, arguments.element_bytes)?;
    for warning in &mapped.warnings {
        note!("warning: {warning}");
    }
    save(&arguments.output, json(&mapped)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Schedules what was mapped.
pub fn schedule(arguments: &ScheduleArguments) -> Result<ExitCode, Failure> {
    let (name, text) = read(&arguments.mapped)?;
    let mapped = MappedIr::from_json(&name, &text).map_err(one)?;
    let scheduled = analysis::schedule(&mapped, &name, &arguments.hardware, arguments.optimization_config.as_deref())?;
    save(&arguments.output, json(&scheduled)?.as_bytes())?;
    if let Some(path) = &arguments.perfetto {
        save(path, analysis::perfetto(&scheduled).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a report of what was scheduled.
pub fn report(arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    if let Some(cluster) = arguments.cluster.drawn()? {
        cluster.write(Path::new(""))?;
    }
    let Some(path) = &arguments.scheduled else { return Ok(ExitCode::SUCCESS) };
    let (name, text) = read(path)?;
    let scheduled = ScheduledIr::from_json(&name, &text).map_err(one)?;
    if let Some(folder) = &arguments.visuals {
        visuals(&scheduled, folder)?;
    }
    let report = rendered(&scheduled, arguments.format)?;
    match &arguments.output {
        Some(path) => save(path, report.as_bytes())?,
        None => out!("{report}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pictures into a folder. An operator graph without operators and a roofline without a point are left out.
fn visuals(ir: &ScheduledIr, folder: &Path) -> Result<(), Failure> {
    let failed = |name: &str| {
        let path = folder.join(name);
        |error: FigureError| Failure::Write { path, source: std::io::Error::other(error) }
    };
    let graph = match analysis::graph_svg(ir) {
        Err(FigureError::NoPoint) => None,
        drawn => Some(drawn.map_err(failed("graph.svg"))?),
    };
    let roofline = analysis::roofline_svg(ir).map_err(failed("roofline.svg"))?;
    let timeline = Some(analysis::timeline_svg(ir));
    for (name, svg) in [("timeline.svg", timeline), ("graph.svg", graph), ("roofline.svg", roofline)] {
        if let Some(svg) = svg {
            save(&folder.join(name), svg.as_bytes())?;
        }
    }
    Ok(())
}

fn one(fault: Diagnostic) -> Failure {
    Failure::Input(Diagnostics(vec![fault]))
}

fn options(element_bytes: f64) -> Result<TransformOptions, Failure> {
    if element_bytes > 0.0 && element_bytes <= 64.0 {
        Ok(TransformOptions { element_bytes })
    } else {
        Err(Failure::input("--element-bytes must lie above 0 and be at most 64", "write 2 for half precision"))
    }
}

/// The operators of a trace, those of every chunk apart.
pub(super) fn workload_apart(trace: &Path, element_bytes: f64) -> Result<Workload, Failure> {
    workload::load_apart(trace, &options(element_bytes)?).map_err(one)
}

fn mapped(trace: &Path, hardware: &str, element_bytes: f64) -> Result<MappedIr, Failure> {
    let workload = workload::load(trace, &options(element_bytes)?).map_err(one)?;
    Ok(analysis::map(workload, &trace.display().to_string(), hardware)?)
}

fn rendered(ir: &ScheduledIr, format: Format) -> Result<String, Failure> {
    match format {
        Format::Html => analysis::html(ir).map_err(unwritable),
        Format::Json => json(&ir.ppa),
        Format::Md => Ok(analysis::markdown(ir)),
        Format::Text => Ok(analysis::text(ir)),
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> Failure {
    Failure::Write { path: "the report".into(), source: error.into() }
}

fn read(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let bytes = input::bytes(path, MAX_BYTES).map_err(|error| unreadable(path, error))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::input(format!("`{name}` is not UTF-8 text"), WANTED))?;
    Ok((name, text))
}

const WANTED: &str = "`map` and `schedule` write the files that are wanted here; a trace goes to `map` or `analyze`";

fn unreadable(path: &Path, error: InputError) -> Failure {
    match error {
        InputError::System(source) => Failure::Read { path: path.to_owned(), source },
        other => Failure::input(format!("`{}` cannot be read: {other}", path.display()), WANTED),
    }
}
