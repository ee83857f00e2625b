//! Whole runs of the program: same bytes, same memory, the README's commands.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{contents, program};

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?} ends with {:?}\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_same_sweep_gives_the_same_bytes_with_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, sweep) in [("grid", "gscore_tiles"), ("sample", "sample.toml")] {
        if name == "sample" {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore_large.toml"))
                .expect("sweep");
            let text = text
                .replace("gscore_large", "sample")
                .replace("strategy   = \"grid\"", "strategy = \"random\"\nsamples = 30000\nseed = 7")
                .replace("formats = [\"parquet\"]", "formats = [\"csv\", \"parquet\"]");
            fs::write(folder.path().join("sample.toml"), text).expect("write");
        }
        let mut runs = Vec::new();
        for (out, threads) in [("one", "1"), ("two", "2"), ("seven", "7"), ("again", "1")] {
            succeeds(folder.path(), &["sweep", sweep, "--out", out, "--threads", threads, "--quiet"]);
            let run = if name == "grid" { "gscore_tiles" } else { "sample" };
            runs.push(contents(&folder.path().join(out).join(run)));
        }
        let names: Vec<&PathBuf> = runs[0].iter().map(|(path, _)| path).collect();
        assert_eq!(names.len(), 6, "{names:?}");
        for run in &runs[1..] {
            for (ours, first) in run.iter().zip(&runs[0]) {
                assert!(ours == first, "{} differs", ours.0.display());
            }
        }
    }
}

#[test]
fn a_finished_run_is_confirmed_and_changed_inputs_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    fs::write(folder.path().join("mine.toml"), &text).expect("write");
    succeeds(folder.path(), &["sweep", "mine.toml"]);
    assert!(succeeds(folder.path(), &["sweep", "mine.toml"]).contains("is finished"));
    fs::write(folder.path().join("mine.toml"), text.replace("[32, 64, 128]", "[32, 64]")).expect("write");
    let refused = program(folder.path(), &["sweep", "mine.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        message.contains("changed: mine.toml: `parameters.vr_cores` was [32, 64, 128], is [32, 64]")
            && message.contains("--force"),
        "{message}"
    );
    let text = succeeds(folder.path(), &["sweep", "mine.toml", "--force"]);
    assert!(text.contains("96 of 96"), "{text}");
}

/// The program works from any folder: stock files are inside it, and one name has three spellings.
#[test]
fn stock_sweeps_run_from_an_empty_folder_under_each_of_their_names() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["gscore", "gscore.toml", "sweeps/gscore.toml"] {
        assert!(succeeds(folder.path(), &["check", name]).contains("144 of 144"), "{name}");
    }
    assert!(succeeds(folder.path(), &["list"]).contains("gscore_tiles"));
}

/// What `show` prints is the file, and a sweep can start from it.
#[test]
fn a_stock_file_is_shown_and_one_category_is_listed() {
    let folder = tempfile::tempdir().expect("folder");
    let text = succeeds(folder.path(), &["show", "hardware", "neurex"]);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware/neurex.toml");
    assert_eq!(text, fs::read_to_string(file).expect("file"));
    let kinds = succeeds(folder.path(), &["list", "kinds"]);
    assert!(!kinds.contains("gscore_tiles"));
    let lines = kinds.lines().filter(|line| line.starts_with("  "));
    for line in lines {
        assert!(line.contains("counts ") || line.contains("backward "), "no count: {line}");
    }
}

/// A first hardware file without any area or power is swept too; what is per area is 0, not a failure.
#[test]
fn hardware_without_areas_and_powers_is_swept() {
    let folder = tempfile::tempdir().expect("folder");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware/gscore.toml")).expect("file");
    let bare: Vec<&str> = text
        .lines()
        .filter(|line| {
            !["area_mm2", "power_mw", "energy_pj_per_bit", "background_mw"].iter().any(|key| line.starts_with(key))
        })
        .collect();
    fs::write(folder.path().join("bare.toml"), bare.join("\n")).expect("write");
    let sweep = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("file");
    let sweep = sweep
        .replace("\"gscore\"\npipeline", "\"bare.toml\"\npipeline")
        .replace("\"power_mw\", \"area_mm2\"", "\"fps_per_mm2\"");
    fs::write(folder.path().join("mine.toml"), sweep).expect("write");
    let text = succeeds(folder.path(), &["sweep", "mine.toml"]);
    assert!(text.contains("144 feasible, 0 failed") && text.contains("fps_per_mm2 0 at"), "{text}");
}

#[test]
fn a_file_in_the_users_folder_wins_over_a_stock_one() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("hardware")).expect("folder");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware/gscore.toml")).expect("file");
    fs::write(folder.path().join("hardware/gscore.toml"), text.replace("\"GSCore\"", "\"Mine\"")).expect("write");
    assert!(succeeds(folder.path(), &["check", "gscore"]).contains("hardware \"Mine\", 28 nm"));
}

/// Points stream to disk: memory does not grow with their number. Sampled here; a whole million is in the docs.
#[cfg(target_os = "linux")]
#[test]
fn a_large_sweep_runs_in_bounded_memory() {
    let folder = tempfile::tempdir().expect("folder");
    let stock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore_large.toml")).expect("sweep");
    let mut peaks = Vec::new();
    for samples in ["100000", "400000"] {
        let text = stock.replace("strategy   = \"grid\"", &format!("strategy = \"random\"\nsamples = {samples}"));
        fs::write(folder.path().join("large.toml"), text).expect("write");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_nerarch-dse"))
            .args(["sweep", "large.toml", "--quiet", "--force", "--threads", "2"])
            .current_dir(folder.path())
            .spawn()
            .expect("program");
        let mut peak_kib = 0_u64;
        while child.try_wait().expect("wait").is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with("VmHWM"));
            let kib = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kib| kib.parse().ok());
            peak_kib = peak_kib.max(kib.unwrap_or(0));
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        peaks.push(peak_kib >> 10);
    }
    println!("peak memory {peaks:?} MiB");
    assert!(peaks.iter().all(|peak| *peak < 1024), "{peaks:?} MiB");
    assert!(peaks[1] < peaks[0] + 200, "memory grows with the number of points: {peaks:?} MiB");
}

/// Every command of the README but the two that build.
#[test]
fn the_readme_commands_work() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README");
    let folder = tempfile::tempdir().expect("folder");
    let mut run = 0;
    for line in readme.lines().map(str::trim) {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let arguments = line
            .strip_prefix("cargo run --release -- ")
            .or_else(|| line.strip_prefix("nerarch-dse "))
            .map(|rest| rest.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>());
        if let Some(arguments) = arguments {
            succeeds(folder.path(), &arguments);
            run += 1;
        }
    }
    assert!(run >= 2, "the README shows {run} commands");
    assert!(folder.path().join("out/gscore/figures/pareto.svg").exists());
}
