//! The command line: what was typed, and one file per command.

#[macro_use]
mod say;

mod analyze;
mod ask;
mod calibrate;
mod check;
mod cluster;
mod compare;
mod design;
mod effects;
mod explain;
mod fault;
mod file;
mod folder;
mod graph;
mod import;
mod list;
mod lock;
mod marks;
mod merge;
mod operators;
mod output;
mod pe;
mod plan;
mod previous;
mod progress;
mod refine;
mod remedy;
mod results;
mod roofline;
mod shard;
mod show;
mod signals;
mod slurm;
mod study;
mod sweep;
mod tiles;
mod trace;
mod utilization;
mod validate;
mod verify;
mod words;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::explore::{RunError, Shard};
use crate::spec::{Diagnostic, Diagnostics};

/// Exact, reproducible design-space exploration of neural-rendering accelerators.
#[derive(Debug, Parser)]
#[command(name = "nerarch-dse", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Evaluate a design space and write its results, Pareto front and figures.
    Sweep(SweepArguments),
    /// Validate sweep files; show what they resolve to and how many points they have.
    Check {
        /// Sweep files, or names of stock sweeps.
        #[arg(required = true)]
        sweeps: Vec<String>,
        #[command(flatten)]
        instead: study::Instead,
        /// Show what a run would take: points, what constraints exclude, time, memory, disk.
        #[arg(long)]
        plan: bool,
        /// Verify the schedules of the points (of up to 1,000), tile by tile.
        #[arg(long)]
        verify: bool,
        /// Number of threads of that run; all cores if not given.
        #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
    },
    /// Join the shards of a sweep into the result of a single run.
    Merge(merge::MergeArguments),
    /// Print a Slurm job-array script that runs a sweep in shards.
    Slurm(slurm::SlurmArguments),
    /// Compare published figures of accelerators with what the model gives.
    Validate {
        /// An accelerator, or a file of targets; all stock ones if not given.
        name: Option<String>,
        /// How the table is written.
        #[arg(long, value_enum, default_value = "text")]
        format: crate::validate::Format,
    },
    /// Turn a hardware configuration in the field's JSON schema into TOML, with a remark on every suspicious figure.
    Import(import::ImportArguments),
    /// Show what each operator of a pipeline attains on a hardware, and whether memory or compute bounds it.
    Roofline(roofline::RooflineArguments),
    /// Show one design point: time, energy and area by part, what bounds it, and what would move it.
    Explain(explain::ExplainArguments),
    /// Show how busy the units and memories of one design are over time.
    Utilization(utilization::UtilizationArguments),
    /// Draw a pipeline: operators, barriers, streams, and what is carried to the next iteration.
    Graph(graph::GraphArguments),
    /// List the stock sweeps, hardware, pipelines, scenes, operator kinds and optimization techniques.
    List(list::ListArguments),
    /// Print a declaration: a stock one to start from, or one of your own.
    Show(show::ShowArguments),
    /// Show how unevenly the measured tiles of a sweep spread over groups, and draw them.
    Tiles(tiles::TilesArguments),
    /// Show what a traced renderer computes, operator by operator.
    Trace(trace::TraceArguments),
    /// Map and schedule a traced workload on a hardware; write IRs, reports and pictures into a folder.
    Analyze(analyze::AnalyzeArguments),
    /// Bind the operators of a trace to the units of a hardware.
    Map(analyze::MapArguments),
    /// Schedule what `map` wrote.
    Schedule(analyze::ScheduleArguments),
    /// Schedule every operator of a trace as one graph, however many they are.
    Operators(operators::OperatorsArguments),
    /// Write a report of what `schedule` wrote.
    Report(analyze::ReportArguments),
    /// Area, energy, leakage and access time of an SRAM block.
    Sram(ask::SramQuestion),
    /// Cycles of a matrix product on a systolic array.
    Gemm(ask::GemmQuestion),
    /// Bandwidth, latency and energy of a DRAM under an access pattern.
    Dram(ask::DramQuestion),
    /// Composite commands through a programmable processing element, tile by tile.
    Pe(pe::PeArguments),
}

/// What `sweep` was told.
#[derive(Debug, clap::Args)]
pub struct SweepArguments {
    /// The sweep file, or the name of a stock sweep.
    sweep: String,
    #[command(flatten)]
    instead: study::Instead,
    /// Folder that holds the runs; each has its own folder in it.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Number of threads; all cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Start anew, replacing the results of that name.
    #[arg(long)]
    force: bool,
    /// Evaluate only one part of the points, such as 3/16; `merge` joins the parts. In a Slurm job array, by default
    /// the task's part.
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Stop at the first point that fails.
    #[arg(long)]
    fail_fast: bool,
    /// Evaluate again the points of this run that failed, and only those.
    #[arg(long, conflicts_with = "force")]
    retry_failed: bool,
    /// Verify the schedules of the points (of up to 1,000), tile by tile, before the run.
    #[arg(long)]
    verify: bool,
    /// No progress and no summary.
    #[arg(long, short)]
    quiet: bool,
}

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user's files are wrong. Exit status 2.
    #[error("{0}")]
    Input(#[from] Diagnostics),
    /// The run could not go on. Exit status 1.
    #[error("{0}")]
    Run(#[from] RunError),
    /// The run stopped before its end. Exit status 1.
    #[error("{cause}")]
    Halted {
        /// Why.
        cause: RunError,
        /// What is left of it.
        saved: Saved,
    },
    /// Ctrl-C or SIGTERM. Exit status 130.
    #[error("interrupted")]
    Interrupted(Saved),
    /// Another process works on the run. Exit status 1.
    #[error("another process works on `{run}`{}", if owner.is_empty() { String::new() } else { format!(": {owner}") })]
    Busy {
        /// The run.
        run: PathBuf,
        /// Who it is, if known.
        owner: String,
    },
    /// A file could not be read. Exit status 1.
    #[error("failed to read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file could not be written. Exit status 1.
    #[error("failed to write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What a run that stopped has saved.
#[derive(Debug)]
pub struct Saved {
    /// Points that are saved.
    points: u64,
    /// Points of the run.
    total: u64,
    /// Where.
    folder: PathBuf,
}

impl std::fmt::Display for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { points, total, folder } = self;
        write!(f, "{points} of {total} points are saved in `{}`: run the same command again to go on", folder.display())
    }
}

/// Exit status after an interrupt that saved.
const INTERRUPTED: u8 = 130;

impl Failure {
    /// A fault of the user's input without a place in a file.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(Diagnostics(vec![Diagnostic::placeless(message).help(help)]))
    }

    /// Exit status: 2 for wrong input, 130 for an interrupt, 1 for a failure of the run.
    pub fn status(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Interrupted(_) => INTERRUPTED,
            Self::Run(_) | Self::Halted { .. } | Self::Busy { .. } | Self::Read { .. } | Self::Write { .. } => 1,
        }
    }

    /// The text for a terminal (`styled`) or a file.
    pub fn render(&self, styled: bool) -> String {
        match self {
            Self::Input(diagnostics) => diagnostics.render(styled),
            Self::Interrupted(saved) => format!("{self}: {saved}"),
            Self::Halted { cause: cause @ RunError::Record(_), .. } => {
                format!("error: {cause}\nhelp: {}", remedy::of_run(cause))
            }
            Self::Halted { cause, saved } => {
                format!("error: {cause}\nhelp: {saved}\nhelp: {}", remedy::of_run(cause))
            }
            Self::Busy { .. } => format!("error: {self}\nhelp: wait for it, or choose another --out"),
            Self::Run(cause) => format!("error: {cause}\nhelp: {}", remedy::of_run(cause)),
            Self::Read { source, .. } | Self::Write { source, .. } => {
                format!("error: {self}\nhelp: {}", remedy::of_system(source))
            }
        }
    }
}

/// Runs what was typed; the exit status tells how it ended.
pub fn run(arguments: Arguments) -> ExitCode {
    let result = match arguments.command {
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Check { sweeps, instead, plan, verify, threads } => {
            check::run(&sweeps, &instead, plan.then(|| sweep::threads(threads)), verify)
        }
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Slurm(arguments) => slurm::run(&arguments),
        Command::Validate { name, format } => validate::run(name.as_deref(), format),
        Command::Import(arguments) => import::run(&arguments),
        Command::Roofline(arguments) => roofline::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Utilization(arguments) => utilization::run(&arguments),
        Command::Operators(arguments) => operators::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Tiles(arguments) => tiles::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Analyze(arguments) => analyze::analyze(&arguments),
        Command::Map(arguments) => analyze::map(&arguments),
        Command::Schedule(arguments) => analyze::schedule(&arguments),
        Command::Report(arguments) => analyze::report(&arguments),
        Command::Sram(question) => ask::sram(&question),
        Command::Gemm(question) => ask::gemm(&question),
        Command::Dram(question) => ask::dram(&question),
        Command::Pe(arguments) => pe::run(&arguments),
    };
    let said = say::end().map_err(|source| Failure::Write { path: "standard output".into(), source });
    result.and_then(|code| said.map(|()| code)).unwrap_or_else(|failure| {
        note!("{}", failure.render(std::io::stderr().is_terminal()));
        ExitCode::from(failure.status())
    })
}

/// Shows remarks on the user's files.
fn show_warnings(warnings: &[Diagnostic]) {
    if !warnings.is_empty() {
        let styled = std::io::stderr().is_terminal();
        note!("{}\n", crate::spec::diagnostic::render_warnings(warnings, styled));
    }
}
