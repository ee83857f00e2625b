//! Every kind of wrong input ends with status 2, the place, what is wrong and what to do, and leaves nothing behind.
//!
//! The cases are in `bad_input_cases`.

mod bad_input_cases;
mod common;

use std::fs;
use std::path::Path;

use common::program;

fn prepare(folder: &Path) {
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input");
    for entry in fs::read_dir(&sound).expect("folder") {
        let entry = entry.expect("entry");
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("copy");
    }
    fs::create_dir(folder.join("folder.toml")).expect("folder");
}

fn is_refused(folder: &Path, case: &str, wanted: &[&str]) -> Result<(), String> {
    for command in [["sweep", "sweep.toml"], ["check", "sweep.toml"]] {
        let output = program(folder, &command);
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(2) {
            return Err(format!("{case}: {command:?} ends with {:?}\n{text}", output.status.code()));
        }
        if let Some(missing) = wanted.iter().find(|wanted| !text.contains(**wanted)) {
            return Err(format!("{case}: {command:?} does not say `{missing}`:\n{text}"));
        }
        if !text.contains("help: ") {
            return Err(format!("{case}: no remedy:\n{text}"));
        }
    }
    if folder.join("out").exists() { Err(format!("{case}: something is left under out/")) } else { Ok(()) }
}

#[test]
fn the_unchanged_files_are_sound() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let output = program(folder.path(), &["sweep", "sweep.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("out/bad/pareto.csv").exists());
}

#[test]
fn every_broken_file_is_refused_with_place_and_remedy() {
    let mut faults = Vec::new();
    for (at, (file, old, new, wanted)) in bad_input_cases::all().enumerate() {
        let folder = tempfile::tempdir().expect("folder");
        prepare(folder.path());
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).expect("text");
        assert!(text.contains(old), "case {at}: {file} does not contain {old:?}");
        fs::write(&path, text.replacen(old, new, 1)).expect("write");
        faults.extend(is_refused(folder.path(), &format!("case {at}, {file}, {new:?}"), wanted).err());
    }
    assert!(faults.is_empty(), "{} cases:\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn files_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let sweep = folder.path().join("sweep.toml");
    fs::write(&sweep, b"name = \"\xff\xfe\"\n").expect("write");
    is_refused(folder.path(), "not UTF-8", &["not UTF-8", "line 1", "save the file"]).expect("refused");
    let file = fs::File::create(&sweep).expect("file");
    file.set_len(100 << 20).expect("length");
    is_refused(folder.path(), "100 MB", &["larger than 16 MiB"]).expect("refused");
    fs::remove_file(&sweep).expect("remove");
    is_refused(folder.path(), "missing", &["there is no sweep `sweep.toml`"]).expect("refused");
    fs::create_dir(&sweep).expect("folder");
    is_refused(folder.path(), "folder", &["is a folder"]).expect("refused");
    fs::remove_dir(&sweep).expect("remove");
    let deep = format!("name = {}1{}", "[".repeat(5000), "]".repeat(5000));
    fs::write(&sweep, deep).expect("write");
    is_refused(folder.path(), "deep nesting", &["sweep.toml:1"]).expect("refused");
    fs::write(&sweep, format!("x = \"{}1{}\"", "(".repeat(3000), ")".repeat(3000))).expect("write");
    is_refused(folder.path(), "deep expression", &["sweep.toml"]).expect("refused");
}

#[test]
fn all_faults_of_all_files_are_reported_at_once() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    for (file, old, new) in [
        ("sweep.toml", "strategy ", "stratgy "),
        ("hardware.toml", "node_nm", "node"),
        ("pipeline.toml", "[stream]", "[straem]"),
        ("scene.toml", "width ", "wdith "),
    ] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).expect("text");
        fs::write(&path, text.replacen(old, new, 1)).expect("write");
    }
    is_refused(folder.path(), "four files", &["stratgy", "node_nm", "straem", "width"]).expect("refused");
}

#[test]
fn a_constraint_that_nothing_satisfies_keeps_the_results_and_ends_with_status_3() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let path = folder.path().join("sweep.toml");
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, text.replace("fps = { min = 1 }", "fps = { min = 1e9 }\narea_mm2 = { min = 1.9 }"))
        .expect("write");
    let output = program(folder.path(), &["sweep", "sweep.toml"]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("`fps` excludes 9 points"), "{text}");
    assert!(text.contains("nearest     point"), "{text}");
    let results = fs::read_to_string(folder.path().join("out/bad/results.csv")).expect("results");
    assert_eq!(results.lines().count(), 10);
    assert!(results.contains("infeasible"));
}
