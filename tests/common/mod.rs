//! What several test programs share.
#![allow(dead_code)]

pub mod page;

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

/// Every file of a run but the manifest's runtime and columns of seconds.
pub fn contents(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![run.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let mut bytes = std::fs::read(&path).expect("file");
            if path.ends_with("manifest.json") {
                let mut manifest: serde_json::Value = serde_json::from_slice(&bytes).expect("manifest");
                manifest.as_object_mut().expect("object").remove("runtime").expect("runtime");
                bytes = manifest.to_string().into_bytes();
            }
            if path.ends_with("search.csv") {
                // Its last column is seconds.
                let text = String::from_utf8(bytes).expect("text");
                let rows = text.lines().map(|line| line.rsplit_once(',').expect("columns").0);
                bytes = rows.collect::<Vec<_>>().join("\n").into_bytes();
            }
            files.push((path.strip_prefix(run).expect("prefix").to_path_buf(), bytes));
        }
    }
    files.sort();
    files
}

/// Runs a search to its end.
pub fn search(
    plan: &Plan,
    space: &nerarch_dse::explore::Space,
    search: &nerarch_dse::spec::sweep::SearchDecl,
    threads: usize,
    observer: &mut dyn nerarch_dse::explore::Observer,
) -> nerarch_dse::explore::Summary {
    use nerarch_dse::explore::{End, Job, Shard, run};
    let job = Job {
        plan,
        space,
        search,
        shown: &[],
        rows: nerarch_dse::spec::sweep::RowsKept::All,
        threads,
        shard: Shard::WHOLE,
        known: None,
        retry_failed: false,
        fail_fast: false,
        stop: &std::sync::atomic::AtomicBool::new(false),
        probe: None,
    };
    match run(&job, observer).expect("run") {
        End::Complete(summary) => *summary,
        End::Stopped => panic!("stopped"),
    }
}

/// The scene `lego` does not say which overlap test its totals hold for: a pipeline of tiles must not either.
pub fn overlap(pipeline: &str) -> &'static str {
    match pipeline {
        "gscore" => "[parameters]\noverlap = { choice = [\"unstated\"] }\nsubtiles = { choice = [\"none\"] }",
        "3dgs" | "4dgs" | "gaurast" | "gbu" | "gs_processor" | "gsarch" | "lumina" => {
            "[parameters]\noverlap = { choice = [\"unstated\"] }"
        }
        _ => "",
    }
}
