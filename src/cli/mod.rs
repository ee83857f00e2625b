//! The command line: what was typed, and one file per command.

mod check;
mod list;
mod output;
mod sweep;
mod validate;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::explore::RunError;
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
    },
    /// Compare published figures of accelerators with what the model gives.
    Validate {
        /// An accelerator, or a file of targets; all stock ones if not given.
        name: Option<String>,
        /// How the table is written.
        #[arg(long, value_enum, default_value = "text")]
        format: crate::validate::Format,
    },
    /// List the stock sweeps, hardware, pipelines, scenes and operator kinds.
    List,
}

/// What `sweep` was told.
#[derive(Debug, clap::Args)]
pub struct SweepArguments {
    /// The sweep file, or the name of a stock sweep.
    sweep: String,
    /// Folder that holds the runs; each has its own folder in it.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Number of threads; all cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Run again, replacing the results of that name.
    #[arg(long)]
    force: bool,
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
    /// A file could not be written. Exit status 1.
    #[error("failed to write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Failure {
    /// A fault of the user's input without a place in a file.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(Diagnostics(vec![Diagnostic::placeless(message).help(help)]))
    }

    /// Exit status: 2 for wrong input, 1 for a failure of the run.
    pub fn status(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Run(_) | Self::Write { .. } => 1,
        }
    }

    /// The text for a terminal (`styled`) or a file.
    pub fn render(&self, styled: bool) -> String {
        match self {
            Self::Input(diagnostics) => diagnostics.render(styled),
            other => format!("error: {other}"),
        }
    }
}

/// Runs what was typed; the exit status tells how it ended.
pub fn run(arguments: Arguments) -> ExitCode {
    let result = match arguments.command {
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Check { sweeps } => check::run(&sweeps),
        Command::Validate { name, format } => validate::run(name.as_deref(), format),
        Command::List => list::run(),
    };
    result.unwrap_or_else(|failure| {
        eprintln!("{}", failure.render(std::io::stderr().is_terminal()));
        ExitCode::from(failure.status())
    })
}

/// Shows remarks on the user's files.
fn show_warnings(warnings: &[Diagnostic]) {
    if !warnings.is_empty() {
        let styled = std::io::stderr().is_terminal();
        eprintln!("{}\n", crate::spec::diagnostic::render_warnings(warnings, styled));
    }
}
