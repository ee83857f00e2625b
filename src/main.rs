//! The `nerarch-dse` command.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    nerarch_dse::cli::run(nerarch_dse::cli::Arguments::parse())
}
