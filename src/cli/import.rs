//! `nerarch-dse import`

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Failure, file, show_warnings};
use crate::spec::{Collector, Diagnostics, catalog, hardware, import};

/// What `import` was told.
#[derive(Debug, clap::Args)]
pub struct ImportArguments {
    /// The JSON file.
    json: PathBuf,
    /// The TOML file to write; printed if not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if there is one.
    #[arg(long)]
    force: bool,
}

/// Reads the JSON, shows the remarks on it, and writes it as TOML.
pub fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let source = catalog::read(&arguments.json).map_err(|fault| Diagnostics(vec![fault]))?;
    if !import::is_json(&source) {
        let message = format!("`{}` is no .json file", source.name);
        return Err(Failure::input(message, "give the file in the field's JSON schema; TOML needs no import"));
    }
    if let Some(path) = arguments.output.as_ref().filter(|path| path.exists() && !arguments.force) {
        let message = format!("`{}` exists", path.display());
        return Err(Failure::input(message, "write to another file, or replace it with --force"));
    }
    let diagnostics = Collector::default();
    let tree = import::read(&source, &diagnostics);
    let (tree, remarks) = diagnostics.finish(tree)?;
    show_warnings(&remarks);
    // What the file says is checked as every hardware file is, before anything is written.
    let checks = Collector::default();
    let hardware = hardware::read(&source, &checks);
    checks.finish(hardware)?;
    file::write(arguments.output.as_deref(), &import::to_toml(&tree, &remarks))?;
    if let Some(path) = &arguments.output {
        outln!("{} ({} remarks, also on top of the file)", path.display(), remarks.len());
    }
    Ok(ExitCode::SUCCESS)
}
