//! From a file to a description.

use std::path::Path;

use super::describe;
use crate::spec::Diagnostic;
use crate::spec::workload::Workload;
use crate::trace::{CallTables, TraceError, TransformOptions, read, transform};

/// [`load`] with what is assumed of a trace unless somebody says otherwise.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load_default(path: &Path) -> Result<Workload, Diagnostic> {
    load(path, &TransformOptions::default())
}

/// Reads a trace and describes it as a workload.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load(path: &Path, options: &TransformOptions) -> Result<Workload, Diagnostic> {
    let fail = |error: TraceError| {
        let place = error.place().map_or(String::new(), |place| format!(" at {place}"));
        Diagnostic::placeless(format!("`{}`{place}: {}", path.display(), error.problem())).help(error.remedy())
    };
    let graph = read::from_path(path).map_err(fail)?;
    let tables = CallTables::stock().map_err(fail)?;
    let pipeline = transform(&graph, &tables, options).map_err(fail)?;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("trace");
    Ok(describe(&pipeline, name))
}
