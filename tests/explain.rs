//! `explain` as a user runs it, and the warning of dead knobs after a sweep.

mod common;

use std::path::Path;

use common::{compile, program};
use nerarch_dse::ppa::Evaluator;
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(Path::new("."), &[arguments, &["--format", "json"]].concat())).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Rounding of sums that are added up in another order.
const ROUNDING: f64 = 1e-12;

#[test]
fn the_parts_add_up_to_the_metrics_of_the_same_point() {
    for point in [0, 17, 143] {
        let answer = json(&["explain", "gscore", "--point", &point.to_string()]);
        let (_, plan) = compile("gscore");
        let space = nerarch_dse::explore::Space::new(&plan.axes).expect("space");
        let mut digits = Vec::new();
        space.digits(point, &mut digits);
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&digits);
        let metric = |name: &str| {
            let workload =
                plan.workloads.iter().position(|one| one.name == answer["parts"]["workload"]).expect("workload");
            evaluator.metric(workload, plan.metric_names.iter().position(|known| known == name).expect("metric"))
        };
        let parts = &answer["parts"];
        let blocks = || list(&parts["units"]).iter().chain(list(&parts["srams"]));
        let area: f64 = blocks().map(|part| number(&part["block"]["area_mm2"])).sum();
        assert!((area / metric("area_mm2") - 1.0).abs() < ROUNDING, "{area}");
        let energy = |part: &Value| {
            let access = part.get("access_mj").map_or(0.0, number);
            number(&part["block"]["dynamic_mj"]) + number(&part["block"]["leakage_mj"]) + access
        };
        let dram = number(&parts["dram"]["access_mj"]) + number(&parts["dram"]["background_mj"]);
        let energy = blocks().map(energy).sum::<f64>() + dram;
        assert!((energy / metric("energy_mj") - 1.0).abs() < ROUNDING, "{energy}");
        for (objective, value) in list(&answer["objectives"]).iter().zip(evaluator.objectives()) {
            assert_eq!(number(&objective[1]), *value);
        }
    }
}

fn objectives(arguments: &[&str]) -> Vec<f64> {
    list(&json(&[&["explain", "gscore"], arguments].concat())["objectives"]).iter().map(|one| number(&one[1])).collect()
}

/// An axis, a parameter beside the axes, and an expression of the sweep (`bsu = "qsu / 2"`).
#[test]
fn a_knobs_effect_is_what_two_evaluations_differ_by() {
    let answer = json(&["explain", "gscore", "--set", "ccu=8"]);
    let base = objectives(&["--set", "ccu=8"]);
    for wanted in ["vr_cores", "ccu", "dram_gb_per_s", "bsu", "clock_mhz"] {
        let knob = list(&answer["knobs"]).iter().find(|knob| knob["name"] == wanted).expect(wanted);
        assert_eq!(list(&knob["steps"]).len(), 2, "{knob}");
        for step in list(&knob["steps"]) {
            let setting = format!("{wanted}={}", step["to"].as_str().expect("value"));
            let moved = objectives(&["--set", "ccu=8", "--set", &setting]);
            for ((change, before), after) in list(&step["changes"]).iter().zip(&base).zip(&moved) {
                assert!((number(change) - (after / before - 1.0)).abs() < ROUNDING, "{setting}: {change}");
            }
        }
    }
    let effects = list(&answer["knobs"]).iter().map(|knob| {
        let changes = list(&knob["steps"]).iter().flat_map(|step| list(&step["changes"]));
        changes.filter_map(Value::as_f64).fold(0.0, |most: f64, change| most.max(change.abs()))
    });
    assert!(effects.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b), "strongest first");
}

#[test]
fn a_value_off_the_axis_is_a_point_too() {
    // GSCore Table 7: 0.82 mm2 of four units; one objective of this sweep is the area.
    let area = |ccu: &str| objectives(&["--set", ccu]).last().copied().expect("area");
    assert!((area("ccu=10") - area("ccu=8") - 2.0 * 0.82 / 4.0).abs() < 1e-9);
}

#[test]
fn bad_settings_are_refused_with_a_remedy() {
    for (arguments, expected) in [
        (&["gscore", "--set", "cu=8"][..], "did you mean `ccu`?"),
        (&["gscore", "--set", "ccu=0"], "below the least value 1"),
        (&["gscore", "--set", "ccu=2.5"], "whole number"),
        (&["gscore", "--set", "ccu=many"], "takes a number"),
        (&["gscore", "--set", "ccu"], "sets nothing"),
        (&["gscore", "--set", "ccu=nan"], "no finite number"),
        (&["gscore", "--set", "overlap=obs"], "did you mean `obb`?"),
        (&["gscore", "--point", "144"], "there is no point 144"),
        (&["gscore", "--workload", "legs"], "did you mean `lego`?"),
        (&["gscore", "--name", "other"], "has no sweep `other`"),
    ] {
        let output = program(Path::new("."), &[&["explain"], arguments].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(expected) && text.contains("help: "), "{arguments:?}: {text}");
    }
}

#[test]
fn a_row_of_a_finished_run_is_explained_as_that_point() {
    let folder = tempfile::tempdir().expect("folder");
    run(folder.path(), &["sweep", "gscore", "--quiet"]);
    let of_run = run(folder.path(), &["explain", "out/gscore", "--point", "17"]);
    assert_eq!(of_run, run(folder.path(), &["explain", "gscore", "--point", "17"]));
    let table = std::fs::read_to_string(folder.path().join("out/gscore/results.csv")).expect("results");
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let header = table.headers().expect("header").clone();
    let row = table.records().map(|row| row.expect("row")).find(|row| &row[0] == "17").expect("row 17");
    for axis in ["qsu", "vr_cores", "buffers", "ccu"] {
        let at = header.iter().position(|column| column == axis).expect("axis");
        assert!(of_run.contains(&format!("{axis} {}", &row[at])), "{axis}: {of_run}");
    }
}

/// `ccu` costs no area here and moves its utilization only; `pads` is area only; `vr_cores` moves everything.
#[test]
fn axes_that_move_nothing_of_a_group_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let hardware = include_str!("../hardware/gscore.toml")
        .replacen("[parameters]\n", "[parameters]\npads = { default = 1, min = 0, max = 8, doc = \"pads\" }\n", 1)
        .replacen("each = \"0.82 / 4\"", "each = \"0.82 / 4 * (4 / ccu)\"", 1)
        .replacen("each = \"1.81 / 64\"", "each = \"1.81 / 64 + pads / 1000\"", 1);
    std::fs::write(folder.path().join("hw.toml"), hardware).expect("file");
    let sweep = "name = \"dead\"\nhardware = \"hw.toml\"\npipeline = \"gscore\"\nscenes = [\"lego\"]\n[parameters]\n\
        vr_cores = [32, 64]\nccu = [4, 8]\npads = [1, 2]\noverlap = { choice = [\"unstated\"] }\n\
        subtiles = { choice = [\"none\"] }\n[search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\", \"area_mm2\"]\n";
    std::fs::write(folder.path().join("dead.toml"), sweep).expect("file");
    let text = run(folder.path(), &["sweep", "dead.toml"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("warning")).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "warning     changes no time: pads (nothing leads from it to latency_cycles); ccu (tried at 8 points)",
            "warning     changes no energy: pads (nothing leads from it to energy_mj); ccu (tried at 8 points)",
            "warning     changes no area: ccu (tried at 8 points)",
        ]
    );
    let manifest = std::fs::read_to_string(folder.path().join("out/dead/manifest.json")).expect("manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let named: Vec<String> = list(&manifest["dead_knobs"])
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one["axis"].as_str().expect("axis"),
                one["group"].as_str().expect("group"),
                one["points"]
            )
        })
        .collect();
    assert_eq!(named, ["ccu time 8", "ccu energy 8", "ccu area 8", "pads time null", "pads energy null"]);
    let explained = run(folder.path(), &["explain", "dead.toml"]);
    assert!(explained.contains("move no objective, but other metrics: ") && explained.contains("ccu"), "{explained}");
}

/// The rate of GSCore's rendering cores is assumed, so that latency has a range, which holds it; its areas are all published.
#[test]
fn ranges_of_assumed_figures_reach_the_answer() {
    let arguments = ["explain", "gscore", "--point", "0", "--ranges"];
    let answer = json(&arguments);
    let of = |metric: &str| {
        let all = list(&answer["assumptions"]);
        all.iter().find(|one| one["metric"] == metric).unwrap_or_else(|| panic!("{metric}: {all:?}")).clone()
    };
    let latency = of("latency_ms");
    let (low, high) = (number(&latency["ends"][0]), number(&latency["ends"][1]));
    let ours = number(&answer["parts"]["latency_ms"]);
    assert!(low < ours && ours < high, "{low} {ours} {high}");
    assert!(list(&latency["figures"]).iter().any(|name| name == "vru.rate"), "{latency}");
    let area = of("area_mm2");
    assert_eq!(area["ends"][0], area["ends"][1]);
    assert!(list(&area["figures"]).is_empty());
    let text = run(Path::new("."), &arguments);
    assert!(text.contains("  latency_ms from ") && text.contains("  area_mm2 rests on none"), "{text}");
    // Not asked, not answered.
    assert!(list(&json(&["explain", "gscore", "--point", "0"])["assumptions"]).is_empty());
}
