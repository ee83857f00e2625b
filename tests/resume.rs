//! Runs that are interrupted, continued, shared out, or fail: the result is that of a single run, or an error says why.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{contents, program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nerarch-dse");

/// A sweep of 2,880 points named `mine` in `folder`.
fn sweep(folder: &Path) -> String {
    let stock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    let text = stock
        .replace("\"gscore\"\ndoc", "\"mine\"\ndoc")
        .replace("ccu      = { from = 4, to = 32, scale = \"log2\" }", "ccu = { from = 1, to = 80, step = 1 }");
    fs::write(folder.join("mine.toml"), &text).expect("write");
    text
}

fn with_faults(folder: &Path, faults: &str, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .env("NERARCH_DSE_FAULTS", faults)
        .output()
        .expect("program")
}

fn ends(output: &Output, status: i32, with: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(status), "{text}");
    for part in with {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// Starts the sweep, slowed down, and waits until some of it is recorded.
fn start(folder: &Path, extra: &[&str]) -> std::process::Child {
    let mut child = Command::new(PROGRAM)
        .args(["sweep", "mine.toml", "--threads", "2"])
        .args(extra)
        .current_dir(folder)
        .env("NERARCH_DSE_FAULTS", "sleep_us:1000")
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("program");
    let record = folder.join("out/mine~unfinished/record.bin");
    for _ in 0..2000 {
        if fs::metadata(&record).is_ok_and(|file| file.len() > 80_000) {
            return child;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().and_then(|()| child.wait()).expect("kill");
    panic!("nothing was recorded");
}

fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

fn reference(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    ends(&program(folder, &["sweep", "mine.toml", "--out", "whole"]), 0, &["2880 of 2880"]);
    contents(&folder.join("whole/mine"))
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_and_the_same_command_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("folder");
    let text = sweep(folder.path());
    let whole = reference(folder.path());
    for name in ["INT", "TERM"] {
        let child = start(folder.path(), &[]);
        signal(&child, name);
        let output = child.wait_with_output().expect("output");
        ends(&output, 130, &["interrupted: ", "of 2880 points are saved", "run the same command again to go on"]);
        assert!(!folder.path().join("out/mine").exists());
        let files: Vec<_> = fs::read_dir(folder.path().join("out/mine~unfinished")).expect("folder").collect();
        assert_eq!(files.len(), 1, "only the record is left: {files:?}");
        // Comments and the order of keys are no change.
        fs::write(
            folder.path().join("mine.toml"),
            text.replace("strategy   = \"grid\"\n", "# a comment\n") + "strategy = 'grid'\n",
        )
        .expect("write");
        let output = program(folder.path(), &["sweep", "mine.toml", "--threads", "1"]);
        ends(&output, 0, &["going on with", "2880 of 2880"]);
        let resumed = contents(&folder.path().join("out/mine"));
        for (ours, theirs) in resumed.iter().zip(&whole) {
            // The manifest has the hash of the text, comments included.
            assert!(ours == theirs || ours.0.ends_with("manifest.json"), "{} differs", ours.0.display());
        }
        fs::remove_dir_all(folder.path().join("out")).expect("remove");
        sweep(folder.path());
    }
}

#[cfg(unix)]
#[test]
fn an_unfinished_run_of_other_inputs_is_refused_until_forced() {
    let folder = tempfile::tempdir().expect("folder");
    let text = sweep(folder.path());
    let mut child = start(folder.path(), &[]);
    signal(&child, "KILL");
    child.wait().expect("wait");
    fs::write(folder.path().join("mine.toml"), text.replace("[4, 8, 16]", "[4, 8]")).expect("write");
    let refused = program(folder.path(), &["sweep", "mine.toml"]);
    ends(
        &refused,
        2,
        &["an unfinished run of other inputs", "`parameters.buffers` was [4, 8, 16], is [4, 8]", "--force"],
    );
    ends(&program(folder.path(), &["sweep", "mine.toml", "--force"]), 0, &["1920 of 1920"]);
}

#[cfg(unix)]
#[test]
fn a_second_process_stops_and_a_dead_one_does_not_block() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let mut child = start(folder.path(), &[]);
    let owner = format!("process {}", child.id());
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 1, &["another process works on `out/mine`", &owner]);
    ends(&program(folder.path(), &["sweep", "mine.toml", "--force"]), 1, &["another process works on"]);
    signal(&child, "KILL");
    child.wait().expect("wait");
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 0, &["going on with", "2880 of 2880"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_vanishes_ends_the_run_with_an_error() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let child = start(folder.path(), &[]);
    fs::remove_dir_all(folder.path().join("out")).expect("remove");
    let output = child.wait_with_output().expect("output");
    ends(&output, 1, &["error: failed to write", "0 of 2880 points are saved"]);
}

#[test]
fn a_run_that_cannot_be_written_ends_with_status_1_and_the_path() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    fs::write(folder.path().join("file"), "").expect("write");
    ends(&program(folder.path(), &["sweep", "mine.toml", "--out", "file"]), 1, &["failed to write `file"]);
}

/// A disk of its own in memory, mounted on a folder. Needs root.
#[cfg(target_os = "linux")]
struct Disk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Disk {
    /// `None`, said loudly, where nothing can be mounted.
    fn mounted(folder: &Path, options: &str) -> Option<Self> {
        fs::create_dir(folder).expect("folder");
        let disk = Self(folder.to_path_buf());
        if disk.mount(options) {
            return Some(disk);
        }
        eprintln!("SKIPPED: a file system cannot be mounted here");
        std::mem::forget(disk);
        None
    }

    fn mount(&self, options: &str) -> bool {
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&self.0).output();
        done.is_ok_and(|done| done.status.success())
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

/// A disk that is read-only from the start, or becomes so while a run is unfinished.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_stops_a_run_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let out = folder.path().join("out");
    let Some(disk) = Disk::mounted(&out, "ro,size=64m") else { return };
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 1, &["Read-only file system", "out", "help: "]);
    assert!(disk.mount("remount,rw"));
    let stopped = with_faults(folder.path(), "panic:1500", &["sweep", "mine.toml", "--fail-fast", "--threads", "1"]);
    ends(&stopped, 1, &["points are saved in"]);
    assert!(disk.mount("remount,ro"));
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 1, &["Read-only file system", "out"]);
    assert!(disk.mount("remount,rw"));
    let resumed = program(folder.path(), &["sweep", "mine.toml", "--retry-failed"]);
    ends(&resumed, 0, &["going on with", "2880 of 2880"]);
    assert!(contents(&out.join("mine")) == whole, "the result differs");
}

/// A disk of 256 KiB: the record does not fit.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing_that_was_saved() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let out = folder.path().join("out");
    let Some(disk) = Disk::mounted(&out, "size=256k") else { return };
    let full = program(folder.path(), &["sweep", "mine.toml"]);
    ends(&full, 1, &["No space left on device", "points are saved in `out/mine~unfinished`", "help: make room"]);
    assert!(disk.mount("remount,size=64m"));
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 0, &["going on with", "2880 of 2880"]);
    assert!(contents(&out.join("mine")) == whole, "the result differs");
}

/// A search on a full disk, and a limit on the size of files instead of a disk: both end with a reason, and go on.
#[cfg(target_os = "linux")]
#[test]
fn a_search_that_runs_out_of_room_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("folder");
    let text = sweep(folder.path());
    let search = "strategy = \"nsga2\"\nseed = 3\nbudget = { evaluations = 1500 }";
    fs::write(folder.path().join("mine.toml"), text.replace("strategy   = \"grid\"", search)).expect("write");
    ends(&program(folder.path(), &["sweep", "mine.toml", "--out", "whole"]), 0, &[]);
    let whole = contents(&folder.path().join("whole/mine"));
    let limited = |out: &str| {
        let line = format!("ulimit -f 200; exec {PROGRAM} sweep mine.toml --out {out}");
        Command::new("bash").args(["-c", &line]).current_dir(folder.path()).output().expect("bash")
    };
    ends(&limited("few"), 1, &["File too large", "points are saved in `few/mine~unfinished`", "help: make room"]);
    ends(&program(folder.path(), &["sweep", "mine.toml", "--out", "few"]), 0, &["going on with"]);
    assert!(contents(&folder.path().join("few/mine")) == whole, "the result differs");
    let out = folder.path().join("out");
    let Some(disk) = Disk::mounted(&out, "size=256k") else { return };
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 1, &["No space left on device", "points are saved in"]);
    assert!(disk.mount("remount,size=64m"));
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 0, &["going on with"]);
    assert!(contents(&out.join("mine")) == whole, "the result differs");
}

#[test]
fn a_panic_is_a_row_with_its_reason_and_can_be_retried() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let faults = "panic:0,panic:77,panic:2879";
    let arguments = ["sweep", "mine.toml"];
    ends(
        &with_faults(folder.path(), faults, &arguments),
        0,
        &["3 failed", "point 77", "a fault on purpose at point 77"],
    );
    let text = fs::read_to_string(folder.path().join("out/mine/results.csv")).expect("results");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(",failed,")).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[1].starts_with("77,failed,") && rows[1].ends_with("a fault on purpose at point 77"), "{}", rows[1]);
    // Every other row is as ever.
    let good = fs::read_to_string(folder.path().join("whole/mine/results.csv")).expect("results");
    let same = text.lines().zip(good.lines()).filter(|(ours, theirs)| ours == theirs).count();
    assert_eq!(same, 2881 - 3);
    // Finished is finished; but the failed points can be evaluated again, first with a fault that stays.
    ends(&program(folder.path(), &arguments), 0, &["is finished"]);
    let retry = ["sweep", "mine.toml", "--retry-failed"];
    ends(&with_faults(folder.path(), "panic:77", &retry), 0, &["1 failed"]);
    ends(&program(folder.path(), &retry), 0, &["0 failed"]);
    assert!(contents(&folder.path().join("out/mine")) == whole, "the result differs");
    ends(&program(folder.path(), &retry), 0, &["no failed points"]);
}

#[test]
fn fail_fast_stops_at_a_failed_point_and_the_run_can_go_on() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let output = with_faults(folder.path(), "panic:1000", &["sweep", "mine.toml", "--fail-fast"]);
    ends(&output, 1, &["error: point 1000 failed", "a fault on purpose", "points are saved"]);
    ends(&program(folder.path(), &["sweep", "mine.toml", "--retry-failed"]), 0, &["2880 of 2880", "0 failed"]);
    assert!(contents(&folder.path().join("out/mine")) == whole, "the result differs");
}

#[test]
fn shards_merge_into_the_bytes_of_a_single_run() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let run = |part: &str, out: &str| program(folder.path(), &["sweep", "mine.toml", "--shard", part, "--out", out]);
    for part in ["1/7", "2/7", "4/7", "5/7", "6/7"] {
        ends(&run(part, "out"), 0, &["shard"]);
    }
    let merge = ["merge", "mine.toml", "out", "far"];
    ends(&run("7/7", "far"), 0, &["shard 7/7"]);
    ends(&program(folder.path(), &merge), 2, &["points are missing: shard 3/7 is not there"]);
    // An unfinished shard is named too.
    let stopped = with_faults(
        folder.path(),
        "panic:1000",
        &["sweep", "mine.toml", "--shard", "3/7", "--fail-fast", "--threads", "1"],
    );
    let text = String::from_utf8_lossy(&stopped.stderr).into_owned();
    if stopped.status.code() == Some(1) {
        ends(&program(folder.path(), &merge), 2, &["shard 3/7 is unfinished ("]);
    } else {
        ends(&stopped, 0, &["shard 3/7"]);
    }
    println!("{text}");
    ends(&program(folder.path(), &["sweep", "mine.toml", "--shard", "3/7", "--retry-failed"]), 0, &["shard"]);
    ends(&program(folder.path(), &merge), 0, &["2880 of 2880"]);
    assert!(contents(&folder.path().join("out/mine")) == whole, "the result differs");
    ends(&program(folder.path(), &merge), 0, &["is finished"]);
    ends(&program(folder.path(), &["merge", "mine.toml", "--out", "empty"]), 2, &["no shards of mine"]);
}

#[test]
fn shards_of_other_inputs_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let text = sweep(folder.path());
    ends(&program(folder.path(), &["sweep", "mine.toml", "--shard", "1/2"]), 0, &[]);
    fs::write(folder.path().join("mine.toml"), text.replace("[4, 8, 16]", "[4, 8]")).expect("write");
    ends(&program(folder.path(), &["sweep", "mine.toml", "--shard", "2/2"]), 0, &[]);
    let refused = program(folder.path(), &["merge", "mine.toml"]);
    ends(&refused, 2, &["`out/mine~1-of-2` has other inputs", "`parameters.buffers` was [4, 8, 16], is [4, 8]"]);
}

#[test]
fn a_slurm_array_task_evaluates_its_shard_and_the_script_names_it() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    for task in ["5", "6", "7"] {
        let output = Command::new(PROGRAM)
            .args(["sweep", "mine.toml"])
            .current_dir(folder.path())
            .envs([("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_MIN", "5"), ("SLURM_ARRAY_TASK_COUNT", "3")])
            .output()
            .expect("program");
        ends(&output, 0, &["Slurm job array", "/3"]);
    }
    ends(&program(folder.path(), &["merge", "mine.toml"]), 0, &["2880 of 2880"]);
    assert!(contents(&folder.path().join("out/mine")) == whole, "the result differs");
    let script = program(folder.path(), &["slurm", "mine.toml", "--shards", "2", "--out", "o u't"]);
    ends(&script, 0, &["#SBATCH --array=1-2", "--requeue", "sweep mine.toml"]);
    // The script is one that a shell runs.
    fs::write(folder.path().join("job.sh"), &script.stdout).expect("write");
    for task in ["1", "2"] {
        let job = Command::new("bash")
            .arg("job.sh")
            .current_dir(folder.path())
            .envs([("SLURM_ARRAY_TASK_ID", task), ("NERARCH_DSE", PROGRAM)])
            .output()
            .expect("bash");
        ends(&job, 0, &[&format!("shard {task}/2 of mine")]);
    }
    ends(&program(folder.path(), &["merge", "mine.toml", "--out", "o u't"]), 0, &["2880 of 2880"]);
}

/// Every state in which a process can die while it publishes a run.
#[test]
fn a_publication_that_was_cut_off_is_completed() {
    let folder = tempfile::tempdir().expect("folder");
    sweep(folder.path());
    let whole = reference(folder.path());
    let out = |name: &str| folder.path().join("out").join(name);
    ends(&program(folder.path(), &["sweep", "mine.toml"]), 0, &[]);
    let confirmed = || {
        ends(&program(folder.path(), &["sweep", "mine.toml"]), 0, &["is finished"]);
        assert!(contents(&out("mine")) == whole, "the result differs");
        assert!(!out("mine~unfinished").exists() && !out(".mine.replaced").exists());
    };
    let copy = |from: &str, to: &str| {
        assert!(Command::new("cp").arg("-r").args([out(from), out(to)]).status().expect("cp").success());
    };
    // Everything written, not yet renamed.
    fs::rename(out("mine"), out("mine~unfinished")).expect("rename");
    confirmed();
    // The same, and the record not yet deleted.
    fs::rename(out("mine"), out("mine~unfinished")).expect("rename");
    fs::write(out("mine~unfinished/record.bin"), "of no use any more").expect("write");
    confirmed();
    // The older run is out of the way, the new one not yet in its place.
    fs::rename(out("mine"), out("mine~unfinished")).expect("rename");
    fs::create_dir(out(".mine.replaced")).expect("folder");
    fs::write(out(".mine.replaced/old"), "old").expect("write");
    confirmed();
    // The new one is in its place, the older one not yet deleted.
    copy("mine", ".mine.replaced");
    confirmed();
    // Nothing but the older one is left of both: it comes back.
    fs::rename(out("mine"), out(".mine.replaced")).expect("rename");
    confirmed();
}
