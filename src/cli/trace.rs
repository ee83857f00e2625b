//! `nerarch-dse trace`: what a traced renderer computes, operator by operator.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use super::Failure;
use crate::report::summary::short;
use crate::trace::{CallTables, Pass, TraceError, TracedOperator, TracedPipeline, TransformOptions, read, transform};

/// How the operators are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table and a summary.
    Text,
    /// A row per operator.
    Csv,
}

/// What `trace` was told.
#[derive(Debug, clap::Args)]
pub struct TraceArguments {
    /// A pickled networkx graph, node-link JSON, GraphML, GML or DOT.
    trace: PathBuf,
    /// Bytes per element where the trace does not say the type.
    #[arg(long, default_value_t = 4.0)]
    element_bytes: f64,
    /// How to write the operators.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Reads and transforms a trace, prints its operators.
pub fn run(arguments: &TraceArguments) -> Result<ExitCode, Failure> {
    if !(arguments.element_bytes > 0.0 && arguments.element_bytes <= 64.0) {
        return Err(Failure::input("--element-bytes must lie above 0 and be at most 64", "write 2 for half precision"));
    }
    let fail = |error| failure(&arguments.trace, &error);
    let graph = read::from_path(&arguments.trace).map_err(fail)?;
    let tables = CallTables::stock().map_err(fail)?;
    let options = TransformOptions { element_bytes: arguments.element_bytes };
    let pipeline = transform(&graph, &tables, &options).map_err(fail)?;
    match arguments.format {
        Format::Text => print_text(&pipeline),
        Format::Csv => {
            let text = to_csv(&pipeline).map_err(|source| Failure::Write { path: "standard output".into(), source })?;
            out!("{}", String::from_utf8_lossy(&text));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A fault of a trace as the command's.
pub(super) fn failure(path: &Path, error: &TraceError) -> Failure {
    let place = error.place().map_or(String::new(), |place| format!(" at {place}"));
    Failure::input(format!("`{}`{place}: {}", path.display(), error.problem()), error.remedy())
}

fn pass_name(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::Backward => "backward",
        Pass::Update => "update",
    }
}

/// What of an operator is concluded, not traced.
fn inferred(operator: &TracedOperator) -> String {
    let words = operator.inferred.iter().map(|inference| inference.word());
    words.collect::<Vec<_>>().join(", ")
}

fn print_text(pipeline: &TracedPipeline) {
    outln!("{:<36} {:<9} {:>10} {:>10} {:>10}  inferred", "operator", "pass", "FLOP", "bytes in", "bytes out");
    for operator in &pipeline.operators {
        outln!(
            "{:<36} {:<9} {:>10} {:>10} {:>10}  {}",
            operator.name,
            pass_name(operator.pass),
            short(operator.flops as f64),
            short(operator.bytes_in as f64),
            short(operator.bytes_out as f64),
            inferred(operator)
        );
    }
    let totals = &pipeline.totals;
    outln!(
        "\n{} operators, {} FLOP in all, {} of them backward",
        pipeline.operators.len(),
        totals.flops,
        totals.flops_backward
    );
    if let Some(streamed) = &pipeline.streamed {
        let equal = if streamed.equal { "equal" } else { "unequal" };
        outln!(
            "{} chunks stream through one pipeline of {} operators ({equal})",
            streamed.tiles,
            streamed.operators.len()
        );
    }
    for call in &pipeline.unrecognised {
        outln!(
            "not recognised: {} ({} calls, {:.1} % of all): {}",
            call.function,
            call.calls,
            call.share_of_calls * 100.0,
            call.reason
        );
    }
}

fn to_csv(pipeline: &TracedPipeline) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "name",
        "kind",
        "category",
        "function",
        "stage",
        "chunk",
        "pass",
        "repeat",
        "flops",
        "macs",
        "bytes_in",
        "bytes_out",
        "bytes_weights",
        "inferred",
    ])?;
    for operator in &pipeline.operators {
        writer.write_record([
            operator.name.as_str(),
            &operator.kind,
            &operator.category,
            &operator.function,
            operator.stage.as_deref().unwrap_or(""),
            &operator.chunk.map_or(String::new(), |chunk| chunk.to_string()),
            pass_name(operator.pass),
            &operator.repeat.to_string(),
            &operator.flops.to_string(),
            &operator.macs.to_string(),
            &operator.bytes_in.to_string(),
            &operator.bytes_out.to_string(),
            &operator.bytes_weights.to_string(),
            &inferred(operator),
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}
