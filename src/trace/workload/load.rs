//! From a file to a description.

use std::path::Path;

use super::from_trace::{Chunks, describe};
use crate::spec::Diagnostic;
use crate::spec::workload::Workload;
use crate::trace::{CallTables, TraceError, TransformOptions, read, transform};

/// Functions that are named where no call is an operator.
const MOST_NAMED: usize = 5;

/// [`load`] with what is assumed of a trace unless somebody says otherwise.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load_default(path: &Path) -> Result<Workload, Diagnostic> {
    load(path, &TransformOptions::default())
}

/// Reads a trace and describes it as a workload. Chunks that repeat the same operators become tiles that stream.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load(path: &Path, options: &TransformOptions) -> Result<Workload, Diagnostic> {
    described(path, options, Chunks::Joined)
}

/// [`load`], but nothing streams: every chunk has operators of its own.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load_apart(path: &Path, options: &TransformOptions) -> Result<Workload, Diagnostic> {
    described(path, options, Chunks::Apart)
}

fn described(path: &Path, options: &TransformOptions, chunks: Chunks) -> Result<Workload, Diagnostic> {
    let fail = |error: TraceError| {
        let place = error.place().map_or(String::new(), |place| format!(" at {place}"));
        Diagnostic::placeless(format!("`{}`{place}: {}", path.display(), error.problem())).help(error.remedy())
    };
    let graph = read::from_path(path).map_err(fail)?;
    let tables = CallTables::stock().map_err(fail)?;
    let pipeline = transform(&graph, &tables, options).map_err(fail)?;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("trace");
    let workload = describe(pipeline, name, chunks);
    if workload.operators.is_empty() {
        return Err(nothing(path, &workload));
    }
    Ok(workload)
}

/// No call became an operator.
fn nothing(path: &Path, workload: &Workload) -> Diagnostic {
    let path = path.display();
    if workload.unrecognised.is_empty() {
        return Diagnostic::placeless(format!("`{path}` holds no call that does work"))
            .help("trace a renderer at work");
    }
    let functions =
        workload.unrecognised.iter().take(MOST_NAMED).map(|call| format!("`{}`: {}", call.function, call.reason));
    let more = workload.unrecognised.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let message =
        format!("no call of `{path}` is a known operator: {}{more}", functions.collect::<Vec<_>>().join("; "));
    Diagnostic::placeless(message).help("known are the functions of the renderers in operators/traces/")
}
