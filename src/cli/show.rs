//! `nerarch-dse show`

use std::process::ExitCode;

use super::Failure;
use super::list::parse_category;
use crate::spec::Diagnostics;
use crate::spec::catalog::{self, Category};
use crate::spec::kind;

/// What `show` was told.
#[derive(Debug, clap::Args)]
pub struct ShowArguments {
    /// What it declares: sweep, hardware, pipeline, scene, kinds, technique or commands.
    #[arg(value_name = "CATEGORY", value_parser = parse_category)]
    category: Category,
    /// A stock name, or the path of a file. For kinds also the name of one of them.
    name: String,
}

/// Prints a declaration as it stands in its file.
pub fn run(arguments: &ShowArguments) -> Result<ExitCode, Failure> {
    if let Some(text) = stock_kind(arguments) {
        outln!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    let source = catalog::find(arguments.category, &arguments.name, None).map_err(|fault| Diagnostics(vec![fault]))?;
    // `show hardware gscore > hardware/gscore.toml`: the shell has made the file, empty, before anything is read, and
    // one's own file wins. What declares nothing is not what was asked for.
    let stock = catalog::stock(arguments.category, &arguments.name).filter(|_| source.text.trim().is_empty());
    out!("{}", stock.unwrap_or(source).text);
    Ok(ExitCode::SUCCESS)
}

/// A single stock kind, as it stands in its library: from its `[[kind]]` to the next one.
fn stock_kind(arguments: &ShowArguments) -> Option<&'static str> {
    let (_, kinds) = kind::stock();
    let wanted = kinds.iter().filter(|_| arguments.category == Category::Kinds);
    let kind = wanted.into_iter().find(|kind| kind.name == arguments.name)?;
    let rest = kind.span.source().text.get(kind.span.range().start..)?;
    let length = rest.match_indices("\n[[kind]]").next().map_or(rest.len(), |(at, _)| at);
    rest.get(..length).map(str::trim_end)
}
