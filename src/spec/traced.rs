//! Traces of real renderers where a pipeline is named: found, and checked like a pipeline that somebody wrote.
//!
//! Reading a trace is the task of a later layer, which hands its function in as a [`TraceReader`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::{self, Category};
use super::diagnostic::{Collector, Diagnostic};
use super::pipeline::{self, PipelineDecl};
use super::source::{Origin, Source, Span};
use super::workload::Workload;

/// Reads a trace and describes it as a workload, or says what is wrong with it and what to do.
pub type TraceReader = fn(&Path) -> Result<Workload, Diagnostic>;

/// Extensions of files that are traces and not declarations.
const EXTENSIONS: [&str; 9] = ["pkl", "pickle", "gpickle", "json", "graphml", "xml", "gml", "dot", "gv"];

/// Whether the name of a pipeline is that of a trace.
pub fn is_trace(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// Finds a trace: from the folder of the file that names it, then from here.
///
/// # Errors
/// If the name leaves the folders that files may name.
pub fn find(name: &str, referrer: &Span) -> Result<PathBuf, Diagnostic> {
    catalog::stays(name, referrer, Category::Pipeline)?;
    if let Origin::File(path) = &referrer.source().origin
        && let Some(folder) = path.parent()
        && folder.join(name).exists()
    {
        return Ok(folder.join(name));
    }
    Ok(PathBuf::from(name))
}

/// What the pipeline file of a workload is called in messages.
pub fn source_name(name: &str) -> String {
    format!("{name} (as a pipeline)")
}

/// Checks a workload's description like a pipeline file; `name` is what its faults are called after.
pub fn check(workload: &Workload, name: &str, diagnostics: &Collector) -> Option<(Arc<Source>, PipelineDecl)> {
    let name = source_name(name);
    let origin = Origin::Stock(name.clone());
    let source = Arc::new(Source { name, text: workload.to_toml(), origin });
    let pipeline = pipeline::read(&source, diagnostics)?;
    Some((source, pipeline))
}
