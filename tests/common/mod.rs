//! What several test programs share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nerarch_dse::ppa::Plan;
use nerarch_dse::spec::Study;

/// The reference folder; `None`, said loudly, where it is missing. In CI that is a failure.
pub fn reference() -> Option<PathBuf> {
    let path = std::env::var_os("NERARCH_REFERENCE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reference"), PathBuf::from);
    if path.join("published.toml").exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "no reference data at {}", path.display());
    eprintln!("SKIPPED: no reference data at {}; set NERARCH_REFERENCE", path.display());
    None
}

/// The rows of a reference table as maps from column name to number.
pub fn numbers(path: &Path) -> Vec<std::collections::HashMap<String, f64>> {
    let mut reader = csv::Reader::from_path(path).expect("reference table");
    let header: Vec<String> = reader.headers().expect("header").iter().map(str::to_owned).collect();
    reader
        .records()
        .map(|record| {
            let record = record.expect("row");
            header.iter().cloned().zip(record.iter().map(|cell| cell.parse().expect("number"))).collect()
        })
        .collect()
}

/// A compiled sweep; panics with its diagnostics.
pub fn compile(sweep: &str) -> (Study, Plan) {
    let (study, _) = Study::load(sweep).unwrap_or_else(|faults| panic!("{faults}"));
    let (plan, _) = Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}"));
    (study, plan)
}

/// Runs the program in `folder`.
pub fn program(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nerarch-dse")).args(arguments).current_dir(folder).output().expect("program")
}

/// Relative error.
pub fn error(ours: f64, theirs: f64) -> f64 {
    (ours / theirs - 1.0).abs()
}

/// The scene `lego` does not say which overlap test its totals hold for: a pipeline of tiles must not either.
pub fn overlap(pipeline: &str) -> &'static str {
    match pipeline {
        "gscore" => "[parameters]\noverlap = { choice = [\"unstated\"] }\nsubtiles = { choice = [\"none\"] }",
        "3dgs" | "4dgs" | "gaurast" | "gbu" | "gsarch" => "[parameters]\noverlap = { choice = [\"unstated\"] }",
        _ => "",
    }
}
