//! Records whose end is damaged, of every strategy: a run goes on from what is whole, says what is lost, and ends with the same
//! bytes.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{contents, program};
use nerarch_dse::explore::record::RecordReader;

/// A sweep of 2,880 points, with another end of its `[search]`.
fn sweep(folder: &Path, search: &str) {
    let stock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    let text = stock
        .replace("\"gscore\"\ndoc", "\"mine\"\ndoc")
        .replace("ccu      = { from = 4, to = 32, scale = \"log2\" }", "ccu = { from = 1, to = 80, step = 1 }")
        .replace("strategy   = \"grid\"", search);
    assert!(text.contains(search));
    fs::write(folder.join("mine.toml"), text).expect("write");
}

fn start(folder: &Path, pause: u32) -> Child {
    Command::new(env!("CARGO_BIN_EXE_nerarch-dse"))
        .args(["sweep", "mine.toml", "--threads", "2", "--quiet"])
        .current_dir(folder)
        .env("NERARCH_DSE_FAULTS", format!("sleep_us:{pause}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("program")
}

fn record(folder: &Path) -> PathBuf {
    folder.join("out/mine~unfinished/record.bin")
}

/// Waits until the record of a run holds what `enough` asks for.
fn wait(child: &mut Child, folder: &Path, enough: impl Fn(&RecordReader) -> bool) {
    let started = Instant::now();
    while !RecordReader::open(&record(folder)).is_ok_and(|reader| enough(&reader)) {
        assert!(child.try_wait().expect("wait").is_none(), "the run ended too soon");
        if started.elapsed() > Duration::from_secs(300) {
            child.kill().expect("kill");
            panic!("nothing was recorded");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Goes on from these bytes of a record, and compares what comes out.
fn goes_on(folder: &Path, bytes: &[u8], said: &str, whole: &[(PathBuf, Vec<u8>)]) {
    let path = record(folder);
    fs::create_dir_all(path.parent().expect("folder")).expect("folder");
    fs::write(&path, bytes).expect("write");
    let output = program(folder, &["sweep", "mine.toml"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("going on with") && text.contains(said), "{text}");
    assert!(contents(&folder.join("out/mine")) == whole, "{} bytes of a record: the result differs", bytes.len());
    fs::remove_dir_all(folder.join("out/mine")).expect("remove");
}

/// What a reader takes of a record.
fn taken(path: &Path) -> (usize, Option<(u64, usize)>, u64, u64) {
    let reader = RecordReader::open(path).expect("record");
    let state = reader.state().map(|(blocks, state)| (blocks, state.len()));
    (reader.blocks().count(), state, reader.seconds().to_bits(), reader.damage().lost)
}

/// Cut at every byte of its last entry, and with each byte changed there, a record loses that entry and nothing else.
fn damage(name: &str, search: &str, pause: u32, interrupt: bool) {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    sweep(folder, search);
    assert!(program(folder, &["sweep", "mine.toml", "--out", "whole", "--quiet"]).status.success());
    let whole = contents(&folder.join("whole/mine"));
    let mut child = start(folder, pause);
    wait(&mut child, folder, |reader| reader.blocks().count() >= 3);
    let signal = if interrupt { "-INT" } else { "-KILL" };
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
    child.wait().expect("wait");
    let bytes = fs::read(record(folder)).expect("record");
    let end = RecordReader::open(&record(folder)).expect("record").damage().whole as usize;
    let cut = folder.join("cut");
    fs::write(&cut, &bytes[..end]).expect("write");
    let before = taken(&cut);
    assert_eq!(before.3, 0, "{name}");
    let last = (0..end).rev().find(|at| {
        fs::write(&cut, &bytes[..*at]).expect("write");
        let after = taken(&cut);
        assert!((after.0, after.1, after.2) != (before.0, before.1, before.2), "{name}: cut at {at} was not seen");
        after.3 == 0
    });
    let last = last.expect("an entry");
    fs::write(&cut, &bytes[..last]).expect("write");
    let shorter = taken(&cut);
    for at in last..end {
        let mut changed = bytes[..end].to_vec();
        changed[at] ^= 0x10;
        fs::write(&cut, &changed).expect("write");
        let after = taken(&cut);
        assert_eq!((after.0, after.1, after.2), (shorter.0, shorter.1, shorter.2), "{name}: changed at {at}");
        assert_eq!(after.3, (end - last) as u64, "{name}: changed at {at}");
    }
    println!("{name}: {} bytes of the last entry, {} blocks, state {:?}", end - last, before.0, before.1);
    if interrupt {
        assert!(before.1.is_some() && shorter.1 != before.1, "{name}: the last entry is no state");
    }
    for at in [last + 1, (last + end) / 2, end - 1] {
        goes_on(folder, &bytes[..at], &format!("{} bytes behind them were not whole", at - last), &whole);
    }
    goes_on(folder, &bytes[..end], "points are there\n", &whole);
    // A damaged header is refused, and what to do is right.
    let mut changed = bytes;
    changed[100] ^= 1;
    fs::create_dir_all(record(folder).parent().expect("folder")).expect("folder");
    fs::write(record(folder), &changed).expect("write");
    let refused = program(folder, &["sweep", "mine.toml"]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(
        refused.status.code() == Some(2) && text.contains("header is damaged") && text.contains("--force"),
        "{text}"
    );
    assert!(program(folder, &["sweep", "mine.toml", "--force"]).status.success());
}

#[test]
fn grids_and_samples() {
    damage("grid", "strategy = \"grid\"", 1000, false);
    damage("sobol", "strategy = \"sobol\"\nsamples = 1000\nseed = 3", 2000, false);
    damage("lhs", "strategy = \"lhs\"\nsamples = 1000\nseed = 3", 2000, false);
    damage("random", "strategy = \"random\"\nsamples = 1000\nseed = 3", 2000, false);
}

#[test]
fn searches() {
    damage("nsga2", "strategy = \"nsga2\"\nseed = 3\nbudget = { evaluations = 1000 }", 2000, false);
    damage("anneal", "strategy = \"anneal\"\nseed = 3\nbudget = { evaluations = 800 }", 3000, false);
    damage("pso", "strategy = \"pso\"\nseed = 3\nbudget = { evaluations = 800 }", 3000, false);
    damage("nelder-mead", "strategy = \"nelder-mead\"\nseed = 3\nbudget = { evaluations = 800 }", 3000, false);
}

/// An interrupt makes the exact search save its state: the last entry is that state.
#[test]
fn exact_searches() {
    damage("exact, killed", "strategy = \"exact\"", 20_000, false);
    damage("exact, interrupted", "strategy = \"exact\"", 20_000, true);
}

/// The exact search saves its state first after ten seconds. Killed right after that, and as it was right before, it goes on to
/// the same bytes.
#[test]
fn an_exact_search_is_killed_around_a_timed_save() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let stock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore_large.toml")).expect("sweep");
    let text = stock.replace("strategy   = \"grid\"", "strategy = \"exact\"").replace("\"gscore_large\"", "\"mine\"");
    fs::write(folder.join("mine.toml"), text).expect("write");
    assert!(program(folder, &["sweep", "mine.toml", "--out", "whole", "--quiet"]).status.success());
    let whole = contents(&folder.join("whole/mine"));
    let mut child = start(folder, 5000);
    let before = std::cell::RefCell::new(Vec::new());
    wait(&mut child, folder, |reader| {
        let is_saved = reader.state().is_some();
        if !is_saved {
            before.replace(fs::read(reader.path()).expect("record"));
        }
        is_saved
    });
    child.kill().expect("kill");
    child.wait().expect("wait");
    let after = fs::read(record(folder)).expect("record");
    let before = before.into_inner();
    assert!(before.len() < after.len() && after.starts_with(&before), "a record only grows");
    println!("{} bytes before the state was saved, {} after", before.len(), after.len());
    goes_on(folder, &before, "", &whole);
    goes_on(folder, &after, "", &whole);
}
