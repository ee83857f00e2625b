//! `nerarch-dse show`

use std::process::ExitCode;

use super::Failure;
use super::list::parse_category;
use crate::spec::Diagnostics;
use crate::spec::catalog::{self, Category};

/// What `show` was told.
#[derive(Debug, clap::Args)]
pub struct ShowArguments {
    /// What it declares: sweep, hardware, pipeline, scene, kinds, technique or commands.
    #[arg(value_name = "CATEGORY", value_parser = parse_category)]
    category: Category,
    /// A stock name, or the path of a file.
    name: String,
}

/// Prints a declaration as it stands in its file.
pub fn run(arguments: &ShowArguments) -> Result<ExitCode, Failure> {
    let source = catalog::find(arguments.category, &arguments.name, None).map_err(|fault| Diagnostics(vec![fault]))?;
    out!("{}", source.text);
    Ok(ExitCode::SUCCESS)
}
