//! `nerarch-dse operators`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::{Failure, analyze, file};
use crate::report::analysis::schedule_operators;
use crate::schedule::tasks::Policy;

/// What `operators` was told.
#[derive(Debug, clap::Args)]
pub struct OperatorsArguments {
    /// A pickled networkx graph, node-link JSON, GraphML, GML or DOT.
    trace: PathBuf,
    /// Hardware file, or the name of a stock one.
    #[arg(long)]
    hardware: String,
    /// Which operator goes first.
    #[arg(long, value_enum, default_value_t = Order::Best)]
    policy: Order,
    /// Weight of the successors under `--policy dags`.
    #[arg(long, value_name = "NUMBER", value_parser = weight)]
    alpha: Option<f64>,
    /// Weight of the longest path to the end under `--policy dags`.
    #[arg(long, value_name = "NUMBER", value_parser = weight)]
    beta: Option<f64>,
    /// Bytes per element where the trace does not say the type.
    #[arg(long, default_value_t = 4.0)]
    element_bytes: f64,
    /// Write unit, start and end of every operator to this file as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The policies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The best of a forward and a backward critical-path pass and one in the order found.
    Best,
    /// Successors and longest path, weighted.
    Dags,
    /// The longest path to the end first.
    CriticalPath,
    /// First ready, first served.
    Fifo,
}

/// A weight that is finite and not negative.
fn weight(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        _ => Err("a number from 0".into()),
    }
}

/// Schedules every operator of a trace.
pub fn run(arguments: &OperatorsArguments) -> Result<ExitCode, Failure> {
    let OperatorsArguments { trace, hardware, policy, alpha, beta, element_bytes, csv } = arguments;
    if *policy != Order::Dags && (alpha.is_some() || beta.is_some()) {
        return Err(Failure::input("--alpha and --beta weigh what --policy dags looks at", "add --policy dags"));
    }
    let order = match policy {
        Order::Best => Policy::Best,
        Order::Dags => Policy::Dags { alpha: alpha.unwrap_or(1.0), beta: beta.unwrap_or(1.0) },
        Order::CriticalPath => Policy::CriticalPath,
        Order::Fifo => Policy::Fifo,
    };
    let workload = analyze::workload_apart(trace, *element_bytes)?;
    let schedule = schedule_operators(&workload, &trace.display().to_string(), hardware, &order)?;
    for warning in &schedule.warnings {
        note!("warning: {warning}");
    }
    if let Some(path) = csv {
        let text = schedule.to_csv().map_err(|source| Failure::Write { path: path.clone(), source })?;
        file::write(Some(path), &text)?;
    }
    let name = policy.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    file::write(None, &schedule.to_text(&name))?;
    Ok(ExitCode::SUCCESS)
}
