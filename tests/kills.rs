//! Killed at random moments, over and over, a run ends with the bytes of one that was left alone.
//!
//! 20 kills over every strategy; `NERARCH_DSE_KILLS=200` sets another number, `NERARCH_DSE_KILL_SEED` other moments.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{contents, program};
use rand::{Rng, SeedableRng};

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn killed_at_random_moments_a_run_ends_with_the_same_bytes() {
    let kills = variable("NERARCH_DSE_KILLS", 20);
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(variable("NERARCH_DSE_KILL_SEED", 1));
    let folder = tempfile::tempdir().expect("folder");
    let stock = |name: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps").join(name)).expect("sweep")
    };
    let csv = "formats = [\"csv\", \"parquet\"]";
    let large = stock("gscore_large.toml").replace("formats = [\"parquet\"]", csv);
    let sample = |samples: u64| {
        large.replace("strategy   = \"grid\"", &format!("strategy = \"random\"\nsamples = {samples}\nseed = 3"))
    };
    let search = |name: &str, search: &str| {
        large.replace("strategy   = \"grid\"", search).replace("\"gscore_large\"", &format!("\"{name}\""))
    };
    // Name, text, pause before each point: so that a run takes about a second.
    let sweeps = [
        ("small", stock("gscore.toml").replace("\"gscore\"\ndoc", "\"small\"\ndoc"), 5000),
        ("tiles", stock("gscore_tiles.toml").replace("\"gscore_tiles\"", "\"tiles\""), 1000),
        ("sample", sample(100_000).replace("\"gscore_large\"", "\"sample\""), 0),
        ("sobol", search("sobol", "strategy = \"sobol\"\nsamples = 20000\nseed = 3"), 20),
        ("nsga2", search("nsga2", "strategy = \"nsga2\"\nseed = 3\nbudget = { evaluations = 5000 }"), 100),
        ("lhs", search("lhs", "strategy = \"lhs\"\nsamples = 20000\nseed = 3"), 20),
        (
            "front",
            search("front", "strategy = \"random\"\nsamples = 200000\nseed = 3").replace(csv, "rows = \"front\""),
            0,
        ),
        ("exact", search("exact", "strategy = \"exact\""), 50),
        ("descent", search("descent", "strategy = \"nelder-mead\"\nseed = 3\nbudget = { evaluations = 2000 }"), 300),
        ("anneal", search("anneal", "strategy = \"anneal\"\nseed = 3\nbudget = { evaluations = 2000 }"), 300),
        ("pso", search("pso", "strategy = \"pso\"\nseed = 3\nbudget = { evaluations = 3000 }"), 200),
    ];
    let mut lengths = Vec::new();
    for (name, text, pause) in &sweeps {
        fs::write(folder.path().join(format!("{name}.toml")), text).expect("write");
        let started = Instant::now();
        let mut child = start(folder.path(), name, "whole", 2, *pause);
        assert!(child.wait().expect("wait").success());
        lengths.push(started.elapsed());
    }
    let (mut killed, mut rounds, mut resumed) = (0, 0, 0);
    while killed < kills {
        let (name, _, pause) = &sweeps[rounds % sweeps.len()];
        let length = lengths[rounds % sweeps.len()];
        let out = format!("out{rounds}");
        loop {
            let threads = 1 + random.next_u32() % 4;
            // Now and then while the program starts or a moment before its end.
            let moment = length.mul_f64(f64::from(random.next_u32() % 1100) / 1000.0);
            let mut child = start(folder.path(), name, &out, threads, *pause);
            std::thread::sleep(moment.max(Duration::from_millis(1)));
            if child.try_wait().expect("wait").is_some() {
                break;
            }
            child.kill().expect("kill");
            killed += u64::from(!child.wait().expect("wait").success());
            let run = folder.path().join(&out).join(name);
            assert!(!run.exists() || run.join("inputs.json").exists(), "a run is half there");
            resumed += 1;
            if killed >= kills {
                break;
            }
        }
        let arguments = ["sweep", &format!("{name}.toml"), "--out", &out, "--quiet"];
        let last = program(folder.path(), &arguments);
        assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
        let ours = contents(&folder.path().join(&out).join(name));
        let whole = contents(&folder.path().join("whole").join(name));
        assert_eq!(ours.len(), whole.len());
        for (ours, theirs) in ours.iter().zip(&whole) {
            assert!(ours == theirs, "{name} in round {rounds}: {} differs", ours.0.display());
        }
        let left: Vec<_> = fs::read_dir(folder.path().join(&out)).expect("folder").flatten().collect();
        assert_eq!(left.len(), 2, "the run and its lock: {left:?}");
        fs::remove_dir_all(folder.path().join(&out)).expect("remove");
        rounds += 1;
    }
    println!("{killed} kills in {rounds} runs, {resumed} times continued: the same bytes each time");
}

fn start(folder: &Path, name: &str, out: &str, threads: u32, pause: u64) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_nerarch-dse"))
        .args(["sweep", &format!("{name}.toml"), "--out", out, "--quiet", "--threads", &threads.to_string()])
        .current_dir(folder)
        .env("NERARCH_DSE_FAULTS", format!("sleep_us:{pause}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("program")
}
