//! Continuous axes, and spaces of more points than 64 bits can number.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{contents, program};
use nerarch_dse::spec::range::{CONTINUOUS_STEPS, continuous};

const SEARCHES: [&str; 4] = ["nsga2", "anneal", "pso", "nelder-mead"];

/// GSCore with clock and bandwidth between two values; `more` stands among the parameters.
fn sweep(name: &str, search: &str, more: &str) -> String {
    format!(
        "name = \"{name}\"\nhardware = \"gscore\"\npipeline = \"gscore\"\nscenes = [\"lego\"]\n[parameters]\n\
         ccu = [4, 8]\nqsu = [4, 8, 16]\nbsu = \"qsu / 2\"\nclock_mhz = {{ min = 460, max = 1600 }}\n{more}\
         overlap = {{ choice = [\"unstated\"] }}\nsubtiles = {{ choice = [\"none\"] }}\n\
         [search]\nobjectives = [\"latency_ms\", \"power_mw\", \"area_mm2\"]\n{search}\n[output]\nformats = [\"csv\"]\n"
    )
}

/// Four more continuous axes, one of them under a condition: about 10^24 points.
const LARGE: &str = "dram_gb_per_s = { min = 25.6, max = 102.4, scale = \"log\", when = \"ccu == 8\" }\n\
                     a = { min = 0, max = 1 }\nb = { min = 0, max = 1 }\nc = { min = 0, max = 1 }\n";
const USED: &str = "[constraints]\nsum = { value = \"a + b + c\", min = 0.1 }\n";

fn large(name: &str, search: &str) -> String {
    sweep(name, search, LARGE) + USED
}

fn searched(strategy: &str, evaluations: u64) -> String {
    format!("strategy = \"{strategy}\"\nbudget = {{ evaluations = {evaluations} }}")
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

#[test]
fn values_are_the_ends_and_exact_shares_between() {
    let decimal = |text: &str| text.parse().expect("decimal");
    let values = continuous(decimal("0.5"), decimal("4.5"), false).expect("values");
    assert_eq!(values.len(), CONTINUOUS_STEPS + 1);
    // Quarters of 4 from 0.5 on.
    assert_eq!([0, 1, 2, 3, 4].map(|part| values[part * CONTINUOUS_STEPS / 4]), [0.5, 1.5, 2.5, 3.5, 4.5]);
    let log = continuous(decimal("1"), decimal("16"), true).expect("values");
    // The square root of the ratio is 4, that of 4 is 2.
    for (part, expected) in [(0, 1.0), (1, 2.0), (2, 4.0), (3, 8.0), (4, 16.0)] {
        assert!((log[part * CONTINUOUS_STEPS / 4] / expected - 1.0).abs() < 1e-14, "{part}");
    }
}

#[test]
fn searches_move_along_continuous_axes_and_name_points_by_their_place() {
    let folder = tempfile::tempdir().expect("folder");
    for search in SEARCHES {
        fs::write(folder.path().join("mine.toml"), sweep("mine", &searched(search, 300), "")).expect("write");
        let text = run(folder.path(), &["sweep", "mine.toml", "--force"]);
        // 2 x 3 x 65,537 points.
        assert!(text.contains("of 393222;"), "{search}: {text}");
        let mut reader = csv::Reader::from_path(folder.path().join("out/mine/results.csv")).expect("results");
        let at = reader.headers().expect("header").iter().position(|name| name == "clock_mhz").expect("column");
        for row in reader.records() {
            let row = row.expect("row");
            let (index, clock): (u64, f64) = (row[0].parse().expect("index"), row[at].parse().expect("clock"));
            // The clock moves fastest; every share of the range is exact.
            assert_eq!(clock, 460.0 + 1140.0 * ((index % 65_537) as f64 / 65_536.0), "{search}");
        }
    }
}

#[test]
fn a_search_of_a_space_beyond_64_bits_does_the_same_with_any_threads_and_after_a_kill() {
    let folder = tempfile::tempdir().expect("folder");
    for search in SEARCHES {
        fs::write(folder.path().join("mine.toml"), large("mine", &searched(search, 400))).expect("write");
        let text = run(folder.path(), &["sweep", "mine.toml", "--threads", "1", "--out", "one"]);
        assert!(text.contains("of up to 10^2"), "{search}: {text}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_nerarch-dse"))
            .args(["sweep", "mine.toml", "--threads", "2", "--out", "two"])
            .current_dir(folder.path())
            .env("NERARCH_DSE_FAULTS", "sleep_us:2000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("program");
        std::thread::sleep(std::time::Duration::from_millis(400));
        child.kill().and_then(|()| child.wait()).expect("kill");
        run(folder.path(), &["sweep", "mine.toml", "--threads", "2", "--out", "two"]);
        let [one, two] = ["one", "two"].map(|out| {
            let files = contents(&folder.path().join(out).join("mine"));
            files.into_iter().filter(|(name, _)| name.ends_with("results.csv") || name.ends_with("pareto.csv"))
        });
        assert!(one.eq(two), "{search}");
        fs::remove_dir_all(folder.path().join("one")).expect("remove");
        fs::remove_dir_all(folder.path().join("two")).expect("remove");
    }
}

#[test]
fn samples_of_a_space_beyond_64_bits_are_shared_out_and_joined() {
    let folder = tempfile::tempdir().expect("folder");
    for search in ["random", "lhs", "sobol"] {
        let text = large("mine", &format!("strategy = \"{search}\"\nsamples = 300"));
        fs::write(folder.path().join("mine.toml"), text).expect("write");
        run(folder.path(), &["sweep", "mine.toml", "--out", "one", "--force"]);
        for shard in ["1/2", "2/2"] {
            run(folder.path(), &["sweep", "mine.toml", "--out", "two", "--shard", shard, "--force"]);
        }
        run(folder.path(), &["merge", "mine.toml", "--out", "two", "--force"]);
        let [one, two] = ["one", "two"].map(|out| fs::read(folder.path().join(out).join("mine/results.csv")));
        let one = one.expect("results");
        assert_eq!(one, two.expect("results"), "{search}");
        assert_eq!(one.iter().filter(|byte| **byte == b'\n').count(), 301, "{search}");
    }
}

#[test]
fn sweeps_beyond_64_bits_are_compared_and_their_points_named_by_values() {
    let folder = tempfile::tempdir().expect("folder");
    let text = large("mine", "");
    let (head, tail) = text.split_once("[search]").expect("search");
    let tail = tail.split_once("[output]").expect("output").0;
    let sweeps: String = ["nsga2", "pso"]
        .map(|search| format!("[[sweep]]\nname = \"{search}\"\nsearch = {{ strategy = \"{search}\" }}\n"))
        .concat();
    let budget = "budget = { evaluations = 200 }\nstrategy = \"nsga2\"\n";
    fs::write(folder.path().join("mine.toml"), format!("{head}{USED}[search]{tail}{budget}{sweeps}")).expect("write");
    let text = run(folder.path(), &["sweep", "mine.toml"]);
    assert!(text.contains("2 sweeps compared"), "{text}");
    let table = fs::read_to_string(folder.path().join("out/mine/comparison.csv")).expect("comparison");
    for search in ["nsga2", "pso"] {
        let front = fs::read_to_string(folder.path().join(format!("out/mine-{search}/pareto.csv"))).expect("front");
        let area = front.lines().next().expect("header").split(',').position(|name| name == "area_mm2").expect("area");
        for row in front.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let found = table.lines().any(|line| {
                line.starts_with(&format!("mine-{search},{},", cells[0]))
                    && line.ends_with(&format!(",{}", cells[area]))
            });
            assert!(found, "{search} {row}");
        }
    }
    let output = program(folder.path(), &["explain", "out/mine-nsga2", "--point", "3"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("--set name=value"), "{text}");
}
