//! Runs that keep the front only: the same front and the same counts as one that keeps every row, whatever happens on the way.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::program;

/// The GSCore sweep with 2,880 points, as `all` and, keeping the front only, as `front`.
fn sweeps(folder: &Path, more: &str) {
    let stock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    let (head, _) = stock.split_once("[output]").unwrap_or((&stock, ""));
    let text = head
        .replace("ccu      = { from = 4, to = 32, scale = \"log2\" }", "ccu = { from = 1, to = 80, step = 1 }")
        .replace("[parameters]", &format!("{more}\n[parameters]"));
    for (name, output) in [("all", ""), ("front", "\n[output]\nrows = \"front\"\n")] {
        let text = text.replace("\"gscore\"\ndoc", &format!("\"{name}\"\ndoc")) + output;
        fs::write(folder.join(format!("{name}.toml")), text).expect("write");
    }
}

/// What both kinds of run have in common: the front, and what was counted.
fn common_part(run: &Path) -> (Vec<u8>, Vec<serde_json::Value>) {
    let manifest = fs::read_to_string(run.join("manifest.json")).expect("manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let counts = ["points", "feasible", "failed", "failures", "constraints"].map(|key| manifest[key].clone());
    (fs::read(run.join("pareto.csv")).expect("front"), counts.to_vec())
}

fn run(folder: &Path, faults: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nerarch-dse"))
        .args(arguments)
        .current_dir(folder)
        .env("NERARCH_DSE_FAULTS", faults)
        .output()
        .expect("program");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn the_front_and_the_counts_are_those_of_a_full_run() {
    let folder = tempfile::tempdir().expect("folder");
    sweeps(folder.path(), "[constraints]\nfps = { min = 20 }\nwide = { value = \"vr_cores - ccu\", min = 0 }\n");
    for (sweep, faults) in [("all.toml", "panic:77"), ("front.toml", "panic:77")] {
        let (status, text) = run(folder.path(), faults, &["sweep", sweep, "--threads", "2"]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("1 failed"), "{text}");
    }
    let out = folder.path().join("out");
    assert_eq!(common_part(&out.join("all")), common_part(&out.join("front")));
    assert!(out.join("all/results.csv").exists());
    for file in ["results.csv", "results.parquet"] {
        assert!(!out.join("front").join(file).exists(), "{file}");
    }
    // To evaluate the failed point again is to evaluate its block again.
    for sweep in ["all.toml", "front.toml"] {
        let (status, text) = run(folder.path(), "", &["sweep", sweep, "--retry-failed"]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("0 failed"), "{text}");
    }
    assert_eq!(common_part(&out.join("all")), common_part(&out.join("front")));
}

#[test]
fn stopped_and_continued_or_in_shards_it_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("folder");
    sweeps(folder.path(), "");
    let path = folder.path();
    assert!(program(path, &["sweep", "front.toml", "--out", "whole"]).status.success());
    let whole = common::contents(&path.join("whole/front"));
    // The plan knows: a few bytes for each point.
    let plan = program(path, &["check", "front.toml", "--plan"]);
    let plan = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert!(plan.contains("kB: record") && !plan.contains("results."), "{plan}");
    // A point at which a run stops: what is behind it is evaluated by the next attempt.
    let (status, text) = run(path, "panic:1500", &["sweep", "front.toml", "--fail-fast", "--threads", "1"]);
    assert_eq!(status, Some(1), "{text}");
    let record = fs::metadata(path.join("out/front~unfinished/record.bin")).expect("record").len();
    // Blocks of 16 points: 93 before that point, of a few hundred bytes each; rows would be 93 * 16 * 150 bytes.
    assert!(record < 150_000, "{record} bytes");
    let (status, text) = run(path, "", &["sweep", "front.toml", "--retry-failed"]);
    assert!(status == Some(0) && text.contains("going on with"), "{text}");
    assert!(common::contents(&path.join("out/front")) == whole);
    for shard in ["1/3", "2/3", "3/3"] {
        assert!(program(path, &["sweep", "front.toml", "--out", "parts", "--shard", shard]).status.success());
    }
    let merged = program(path, &["merge", "front.toml", "--out", "parts"]);
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    assert!(common::contents(&path.join("parts/front")) == whole);
}
