//! A surrounding that wishes the program ill: things that are no files, readers that are gone, names that hurt, links.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::program;

const PROGRAM: &str = env!("CARGO_BIN_EXE_nerarch-dse");
const TRACE: &str = r#"{ "directed": true, "nodes": [{ "id": "w",
    "func_name": "nerfstudio.cameras.rays.RaySamples.get_weights", "input_shapes": "(4096, 64),(4096, 64, 1)",
    "output_shapes": "(4096, 64, 1)", "stage": "coarse" }], "links": [] }"#;

fn stock(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a stock file")
}

/// Ends with one of these statuses and a remedy, without a panic, and ends at all.
fn refuses(folder: &Path, arguments: &[&str], statuses: &[i32]) {
    let mut child = Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("program");
    let started = Instant::now();
    while child.try_wait().expect("wait").is_none() {
        if started.elapsed() > Duration::from_secs(120) {
            child.kill().expect("kill");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("output");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| statuses.contains(&code)),
        "{arguments:?}: {:?} {text}",
        output.status
    );
    assert!(text.contains("error: ") && text.contains("help") && !text.contains("panicked"), "{arguments:?}: {text}");
    assert!(text.len() < 20_000, "{arguments:?}: {} bytes of message", text.len());
}

fn succeeds(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !text.contains("panicked"), "{:?} {text}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_is_no_file_is_refused_by_every_command_that_reads_one() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    fs::create_dir(folder.join("dir")).expect("folder");
    for name in ["pipe.toml", "pipe.json", "pipe.pkl"] {
        assert!(Command::new("mkfifo").arg(folder.join(name)).status().expect("mkfifo").success());
    }
    let junk: Vec<u8> = (0..3000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["junk.toml", "junk.json", "junk.pkl"] {
        fs::write(folder.join(name), &junk).expect("write");
    }
    for name in ["empty.toml", "empty.json", "empty.pkl"] {
        fs::write(folder.join(name), "").expect("write");
    }
    symlink("loop.toml", folder.join("loop.toml")).expect("link");
    let things = [
        "dir",
        "pipe.toml",
        "pipe.json",
        "pipe.pkl",
        "junk.toml",
        "junk.json",
        "junk.pkl",
        "empty.toml",
        "empty.json",
        "empty.pkl",
        "loop.toml",
        "missing.pkl",
        "dir/missing.json",
        "junk.toml/x.toml",
        "/dev/zero",
        "/dev/null",
        "",
    ];
    for thing in things {
        let commands: [&[&str]; 17] = [
            &["check", thing],
            &["sweep", thing],
            &["merge", thing],
            &["slurm", thing],
            &["explain", thing, "--point", "3"],
            &["tiles", thing],
            &["graph", thing],
            &["pe", thing],
            &["import", thing],
            &["trace", thing],
            &["map", thing, "programmable"],
            &["analyze", thing, "analysis", "--hardware", "programmable"],
            &["schedule", thing, "--hardware", "programmable"],
            &["report", thing],
            &["check", "gscore", "--hardware", thing],
            &["check", "gscore", "--optimization-config", thing],
            &["roofline", "--pipeline", "gscore", "--hardware", thing],
        ];
        commands.iter().for_each(|arguments| refuses(folder, arguments, &[1, 2]));
    }
    refuses(folder, &["validate", "pipe.toml"], &[2]);
    assert!(!folder.join("out").exists() && !folder.join("mapped_ir.json").exists(), "nothing was begun");
}

#[test]
fn a_reader_that_has_enough_ends_nothing_and_a_full_disk_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let commands: [&[&str]; 7] = [
        &["list"],
        &["check", "gscore", "--plan"],
        &["validate"],
        &["explain", "gscore"],
        &["sweep", "gscore", "--out", "gone", "--force"],
        &["slurm", "gscore"],
        &["pe", "blending"],
    ];
    for arguments in commands {
        let start = |stdout: Stdio| {
            let mut command = Command::new(PROGRAM);
            command.args(arguments).current_dir(folder).stdout(stdout).stderr(Stdio::piped());
            command.spawn().expect("program")
        };
        let mut child = start(Stdio::piped());
        drop(child.stdout.take());
        succeeds(&child.wait_with_output().expect("output"));
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output = start(full.into()).wait_with_output().expect("output");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("standard output") && text.contains("help: make room"), "{arguments:?}: {text}");
    }
    assert!(folder.join("gone/gscore/results.csv").exists(), "the run is whole all the same");
}

#[test]
fn paths_with_spaces_and_quotes_and_no_environment() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let odd = folder.join("a b'\"c $d");
    fs::create_dir(&odd).expect("folder");
    fs::write(odd.join("my sweep.toml"), stock("sweeps/gscore.toml")).expect("write");
    let sweep = odd.join("my sweep.toml").display().to_string();
    let run = |folder: &Path, arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).current_dir(folder).env_clear().output().expect("program");
        succeeds(&output)
    };
    run(folder, &["sweep", &sweep, "--out", "o u't"]);
    assert!(run(folder, &["explain", "o u't/gscore", "--point", "3"]).contains("point 3"));
    assert!(run(folder, &["sweep", &sweep, "--out", "o u't"]).contains("is finished"));
    assert!(run(Path::new("/"), &["check", &sweep]).contains("144 of 144"));
}

/// What is typed may be anywhere; what a file names may not.
#[test]
fn typed_paths_go_anywhere_and_paths_in_files_do_not() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    fs::create_dir_all(folder.join("in/below")).expect("folder");
    fs::create_dir(folder.join("work")).expect("folder");
    fs::write(folder.join("in/hw.toml"), stock("hardware/programmable.toml")).expect("write");
    fs::write(folder.join("in/trace.json"), TRACE).expect("write");
    let absolute = |name: &str| folder.join(name).display().to_string();
    for hardware in [absolute("in/hw.toml"), "../in/hw.toml".into()] {
        for trace in [absolute("in/trace.json"), "../in/trace.json".into()] {
            succeeds(&program(&folder.join("work"), &["map", &trace, &hardware]));
            succeeds(&program(&folder.join("work"), &["roofline", "--pipeline", &trace, "--hardware", &hardware]));
        }
    }
    let sweep = |trace: &str| {
        let text = format!(
            "name = \"t\"\nhardware = \"programmable\"\npipeline = {trace:?}\n[search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n"
        );
        fs::write(folder.join("in/sweep.toml"), text).expect("write");
        program(folder, &["check", "in/sweep.toml"])
    };
    succeeds(&sweep("trace.json"));
    succeeds(&sweep("./trace.json"));
    for trace in ["../in/trace.json", &absolute("in/trace.json"), "below/../../in/trace.json"] {
        let output = sweep(trace);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains("leaves the folders"), "{trace}: {text}");
    }
    // A link is as good as what it leads to, in or out; one that leads nowhere is no file.
    symlink("../trace.json", folder.join("in/below/out.json")).expect("link");
    symlink("below", folder.join("in/other")).expect("link");
    succeeds(&sweep("below/out.json"));
    succeeds(&sweep("other/out.json"));
    symlink("nowhere.json", folder.join("in/dangling.json")).expect("link");
    assert_eq!(sweep("dangling.json").status.code(), Some(2));
}

#[test]
fn links_in_the_place_of_runs() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).expect("folder");
    // The folder that holds the runs may be a link.
    symlink("elsewhere", folder.join("linked")).expect("link");
    succeeds(&program(folder, &["sweep", "gscore", "--out", "linked"]));
    assert!(folder.join("elsewhere/gscore/results.csv").exists());
    for (out, name) in [("run", "gscore"), ("work", "gscore~unfinished"), ("lock", ".gscore.lock")] {
        fs::create_dir(folder.join(out)).expect("folder");
        fs::write(folder.join("victim"), "mine").expect("write");
        symlink("../victim", folder.join(out).join(name)).expect("link");
        refuses(folder, &["sweep", "gscore", "--out", out], &[2]);
        refuses(folder, &["sweep", "gscore", "--out", out, "--force"], &[2]);
        assert_eq!(fs::read_to_string(folder.join("victim")).expect("victim"), "mine", "{name}");
    }
    for out in ["dangling", "loop", "file", "file/below"] {
        match out {
            "dangling" => symlink("nowhere", folder.join(out)).expect("link"),
            "loop" => symlink("loop", folder.join(out)).expect("link"),
            "file" => fs::write(folder.join(out), "").expect("write"),
            _ => {}
        }
        refuses(folder, &["sweep", "gscore", "--out", out], &[1]);
    }
    // A file in the place of a run is replaced only if that is asked for.
    fs::create_dir(folder.join("taken")).expect("folder");
    fs::write(folder.join("taken/gscore"), "mine").expect("write");
    refuses(folder, &["sweep", "gscore", "--out", "taken"], &[2]);
    succeeds(&program(folder, &["sweep", "gscore", "--out", "taken", "--force"]));
    assert!(folder.join("taken/gscore/results.csv").exists());
    assert_eq!(fs::read_dir(folder.join("taken")).expect("folder").count(), 2, "the run and its lock");
}

/// What is written to a pipe stays a pipe.
#[test]
fn output_may_be_a_pipe() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    fs::write(folder.join("trace.json"), TRACE).expect("write");
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().expect("mkfifo").success());
    let path = folder.join("pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text)).expect("read");
        text
    });
    succeeds(&program(folder, &["map", "trace.json", "programmable", "-o", "pipe"]));
    assert!(reader.join().expect("reader").contains("nerarch-dse/mapped-ir"));
    assert!(fs::symlink_metadata(folder.join("pipe")).expect("pipe").file_type().is_fifo());
}

/// Sizes that would take all memory or all time are refused before they do.
#[test]
fn commands_of_a_processing_element_are_bounded() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let product = |edge: u64, times: usize| {
        let tensor = |name: &str| format!("[[tensor]]\nname = \"{name}\"\nrows = {edge}\ncols = {edge}\n");
        let command = "[[command]]\nname = \"c\"\ngemm = { a = \"a\", b = \"b\", out = \"o\" }\n".repeat(times);
        let text = format!("name = \"p\"\n{}{}{}{command}", tensor("a"), tensor("b"), tensor("o"));
        fs::write(folder.join("p.toml"), text).expect("write");
    };
    product(64, 2);
    succeeds(&program(folder, &["pe", "p.toml", "--data", "1"]));
    product(90_000_000, 1);
    refuses(folder, &["pe", "p.toml"], &[2]);
    product(10_000, 1);
    refuses(folder, &["pe", "p.toml", "--data", "1"], &[2]);
    // Each alone would do, all together would not.
    product(16_384, 8);
    refuses(folder, &["pe", "p.toml"], &[2]);
    product(1, 513);
    refuses(folder, &["pe", "p.toml"], &[2]);
}
