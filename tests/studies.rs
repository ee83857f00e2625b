//! What a study can ask beyond one space and its front: objectives over metrics, joint and conditional axes, marked designs,
//! refined fronts, several sweeps.

mod common;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use common::{compile, error, program};
use nerarch_dse::explore::Space;
use nerarch_dse::ppa::{Evaluator, Outcome, evaluate_marks};

const HEAD: &str = "hardware = \"gscore\"\npipeline = \"gscore\"\nscenes = [\"plant\"]\ncameras = [\"az000\"]\n";

/// Runs a sweep file and gives its output.
fn sweep(folder: &Path, text: &str) -> String {
    fs::write(folder.join("s.toml"), text).expect("write");
    let output = program(folder, &["sweep", "s.toml"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

/// The rows of a table as maps from column to text.
fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("table");
    let header: Vec<String> = reader.headers().expect("header").iter().map(str::to_owned).collect();
    let row = |record: csv::StringRecord| header.iter().cloned().zip(record.iter().map(str::to_owned)).collect();
    reader.records().map(|record| row(record.expect("row"))).collect()
}

fn value(row: &HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
}

#[test]
fn an_expression_over_metrics_is_a_column_and_finds_the_front_of_the_metric_that_it_equals() {
    let folder = tempfile::tempdir().expect("folder");
    let text = |name: &str, strategy: &str, first: &str| {
        format!(
            "name = \"{name}\"\n{HEAD}[parameters]\nvr_cores = [32, 64, 128]\nbuffers = [4, 8, 16]\nclock_mhz = [800, 1000]\n\
             [constraints]\nhalf = {{ value = \"energy_mj * latency_ms / 2\", max = 5 }}\n\
             [search]\nstrategy = \"{strategy}\"\nobjectives = [{first}, \"area_mm2\"]\n"
        )
    };
    sweep(folder.path(), &text("metric", "grid", "\"edp\""));
    sweep(folder.path(), &text("grid", "grid", "\"energy_mj * latency_ms\""));
    sweep(folder.path(), &text("exact", "exact", "{ name = \"mine\", value = \"energy_mj * latency_ms\" }"));
    let front = |name: &str| rows(&folder.path().join("out").join(name).join("pareto.csv"));
    let (metric, grid, exact) = (front("metric"), front("grid"), front("exact"));
    assert!(metric.len() > 2);
    let indices = |rows: &[HashMap<String, String>]| rows.iter().map(|row| row["index"].clone()).collect::<Vec<_>>();
    assert_eq!(indices(&metric), indices(&grid));
    assert_eq!(indices(&metric), indices(&exact));
    for (grid, exact) in grid.iter().zip(&exact) {
        assert_eq!(grid["energy_mj * latency_ms"], grid["edp"]);
        assert_eq!(exact["mine"], exact["edp"]);
        assert_eq!(value(grid, "half"), value(grid, "edp") / 2.0);
    }
    let all = rows(&folder.path().join("out/grid/results.csv"));
    let outside = |row: &&HashMap<String, String>| value(row, "edp") / 2.0 > 5.0;
    assert!(all.iter().any(|row| outside(&row)), "the constraint excludes nothing");
    assert!(all.iter().filter(outside).all(|row| row["status"] == "infeasible" && row["reason"] == "half"));
    assert!(all.iter().filter(|row| !outside(row)).all(|row| row["status"] == "ok"));
}

/// Three choices of sub-tiles, two tests, and pairs of cores and buffers (3): 18; under "decoupled" three numbers of cores:
/// 6 + 18 + 6 = 30.
const JOINT: &str = "[parameters]\nsubtiles = { choice = [\"none\", \"decoupled\", \"lockstep\"] }\noverlap = { choice = [\"circle\", \"obb\"] }\ncores = { values = [1, 2, 8], when = \"subtiles == 'decoupled'\" }\nvr_cores = [32, 64, 128]\nbuffers = [4, 8, 16]\n[[group]]\naxes = [\"vr_cores\", \"buffers\"]\n[constraints]\nsmall = { value = \"vr_cores * if(subtiles == 'decoupled', cores, 1)\", max = 130 }\n";

#[test]
fn joint_and_conditional_axes_give_every_design_once() {
    let folder = tempfile::tempdir().expect("folder");
    let objectives = "objectives = [\"latency_ms\", \"area_mm2\"]\n";
    let text = |name: &str, search: &str| format!("name = \"{name}\"\n{HEAD}{JOINT}[search]\n{search}{objectives}");
    sweep(folder.path(), &text("grid", ""));
    let all = rows(&folder.path().join("out/grid/results.csv"));
    assert_eq!(all.len(), 30);
    let designs: HashSet<Vec<&str>> = all
        .iter()
        .map(|row| ["subtiles", "overlap", "cores", "vr_cores", "buffers"].map(|name| row[name].as_str()).to_vec())
        .collect();
    assert_eq!(designs.len(), 30);
    for row in &all {
        assert_eq!(value(row, "vr_cores") / 8.0, value(row, "buffers"), "they move together");
        // Elsewhere the declared four.
        assert!(row["subtiles"] == "decoupled" || row["cores"] == "4", "{row:?}");
    }
    // 12 points without cores: all of 128 and less pass. With cores c: 32 c, 64 c, 128 c up to 130 pass for c = 1 (3), 2 (2)
    // and not for 8, times two tests: 12 + 10.
    let passing = all.iter().filter(|row| row["status"] == "ok").count();
    assert_eq!(passing, 22);
    let checked = program(folder.path(), &["check", "s.toml", "--plan"]);
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.contains("points     30 of 30"), "{checked}");
    assert!(checked.contains("small: 8 of 30 points"), "{checked}");
    assert!(checked.contains("passing    22 of 30"), "{checked}");
    // Searches see the same space: each of its points at most once, and the same front.
    sweep(folder.path(), &text("exact", "strategy = \"exact\"\n"));
    sweep(folder.path(), &text("nsga2", "strategy = \"nsga2\"\npopulation = 8\nbudget = { evaluations = 1000 }\n"));
    sweep(folder.path(), &text("lhs", "strategy = \"lhs\"\nsamples = 12\n"));
    let vectors = |name: &str| -> HashSet<(String, String)> {
        let front = rows(&folder.path().join("out").join(name).join("pareto.csv"));
        front
            .into_iter()
            .map(|mut row| (row.remove("latency_ms").expect("metric"), row.remove("area_mm2").expect("metric")))
            .collect()
    };
    assert_eq!(vectors("grid"), vectors("exact"));
    assert_eq!(vectors("grid"), vectors("nsga2"));
    for (name, count) in [("exact", None), ("nsga2", Some(30)), ("lhs", Some(12))] {
        let seen = rows(&folder.path().join("out").join(name).join("results.csv"));
        let indices: HashSet<&str> = seen.iter().map(|row| row["index"].as_str()).collect();
        assert_eq!(indices.len(), seen.len(), "{name} evaluates a point twice");
        assert!(count.is_none_or(|count| count == seen.len()), "{name}: {}", seen.len());
    }
    // Shards merge into the same run.
    let whole = common::contents(&folder.path().join("out/grid"));
    fs::write(folder.path().join("s.toml"), text("grid", "")).expect("write");
    for shard in ["1/2", "2/2"] {
        assert!(
            program(folder.path(), &["sweep", "s.toml", "--out", "parts", "--shard", shard, "-q"]).status.success()
        );
    }
    assert!(program(folder.path(), &["merge", "s.toml", "--out", "parts", "-q"]).status.success());
    assert!(common::contents(&folder.path().join("parts/grid")) == whole);
}

/// GSCore Table 7: 0.82 / 4 mm2 each culling unit, 0.01 / 8 quick and 0.06 / 4 bitonic sort unit, 1.81 / 64 rendering core,
/// 1.25 / 8 buffer. The published design is 3.95 mm2; (16, 8, 4, 32, 4) is 0.205 * 16 + 0.01 + 0.06 + 0.905 + 0.625 = 4.88,
/// larger, and with 4 culling units 2.42.
#[test]
fn the_published_optimum_is_larger_than_the_published_design_by_the_papers_own_areas() {
    let (study, plan) = compile("gscore_case_study");
    let marks = evaluate_marks(&study).expect("marks");
    let area = |label: &str| {
        let mark = marks.iter().find(|mark| mark.label.contains(label)).expect("mark");
        assert_eq!(mark.outcome, Outcome::Feasible);
        mark.objectives[1]
    };
    assert!(error(area("(16, 8, 4, 32, 4)"), 4.88) < 1e-9);
    assert!(error(area("(4, 8, 4, 32, 4)"), 2.42) < 1e-9);
    let digit = |axis: &str, label: &str| {
        let axis = plan.axes.iter().find(|known| known.name == axis).expect("axis");
        axis.labels.iter().position(|known| known == label).expect("value") as u32
    };
    let digits: Vec<u32> = plan
        .axes
        .iter()
        .map(|axis| match axis.name.as_str() {
            "ccu" | "bsu" => digit(&axis.name, "4"),
            "qsu" | "buffers" => digit(&axis.name, "8"),
            "vr_cores" => digit(&axis.name, "64"),
            _ => 0,
        })
        .collect();
    let mut evaluator = Evaluator::new(&plan);
    evaluator.evaluate(&digits);
    assert!(error(evaluator.objectives()[1], 3.95) < 1e-9);
    // Half the cores on a frame that the cores limit: nearly twice as long, so the energy-delay product more than doubles.
    assert!(marks[0].objectives[0] > 2.0 * evaluator.objectives()[0]);
    assert_eq!(Space::new(&plan.axes).expect("space").points(), 1600);
}

#[test]
fn marked_designs_stand_in_the_table_the_figure_and_the_summary() {
    let folder = tempfile::tempdir().expect("folder");
    let output = program(folder.path(), &["sweep", "gscore_case_study"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("marked      published optimum"), "{text}");
    let run = folder.path().join("out/gscore_case_study");
    let marks = rows(&run.join("marks.csv"));
    assert_eq!(marks.len(), 2);
    let front = rows(&run.join("pareto.csv"));
    for mark in &marks {
        assert_eq!(mark["dominated"], "true");
        // The margin by hand: the best over the front of the worst share by which an objective is lower.
        let share = |row: &HashMap<String, String>| {
            let lower = |own: &str, front: &str| 1.0 - value(row, front) / value(mark, own);
            lower("objective.edp_mj_ms", "edp_mj_ms").min(lower("objective.area_mm2", "area_mm2"))
        };
        let best = front.iter().map(share).fold(f64::NEG_INFINITY, f64::max);
        assert!((best - value(mark, "front_better_by")).abs() < 1e-12);
    }
    let svg = fs::read_to_string(run.join("figures/pareto.svg")).expect("figure");
    assert!(svg.contains("published optimum (16, 8, 4, 32, 4)"));
    // Area is a sum over units: no interactions, and effects that sum to one.
    let effects = rows(&run.join("sensitivity.csv"));
    let of_area: Vec<_> = effects.iter().filter(|row| row["objective"] == "area_mm2").collect();
    assert_eq!(of_area.len(), 5);
    assert!((of_area.iter().map(|row| value(row, "main")).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(of_area.iter().all(|row| (value(row, "main") - value(row, "total")).abs() < 1e-9));
    // Of the terms 0.205 ccu and 1.81/64 vr_cores over (2 .. 32) and (16 .. 256): variances 0.205^2 * 119.04 and
    // (1.81 / 64)^2 * 7618.56, as the squares of 2, 4, 8, 16, 32 have the mean 272.8 and the values 12.4.
    let ratio = 0.205_f64.powi(2) * 119.04 / ((1.81_f64 / 64.0).powi(2) * 7618.56);
    let main = |axis: &str| value(of_area.iter().find(|row| row["axis"] == axis).expect("axis"), "main");
    assert!((main("ccu") / main("vr_cores") - ratio).abs() < 1e-9);
}

#[test]
fn a_front_found_with_equal_tiles_is_refined_with_the_measured_ones() {
    let folder = tempfile::tempdir().expect("folder");
    let axes = "[parameters]\nvr_cores = [32, 64, 128]\ncores = [1, 2, 4]\noverlap = { choice = [\"circle\"] }\n\
                [search]\nobjectives = [\"latency_ms\", \"area_mm2\"]\n";
    let text = format!("name = \"coarse\"\n{HEAD}tiles = \"equal\"\n[refine]\ntiles = \"measured\"\n{axes}");
    let said = sweep(folder.path(), &text);
    assert!(said.contains("refined     "), "{said}");
    sweep(folder.path(), &format!("name = \"fine\"\n{HEAD}{axes}"));
    let fine = rows(&folder.path().join("out/fine/results.csv"));
    let coarse = rows(&folder.path().join("out/coarse/results.csv"));
    let refined = rows(&folder.path().join("out/coarse/refined.csv"));
    assert!(!refined.is_empty());
    for row in &refined {
        let at = row["index"].parse::<usize>().expect("index");
        assert_eq!(row["latency_ms"], coarse[at]["latency_ms"]);
        assert_eq!(row["latency_ms_refined"], fine[at]["latency_ms"]);
        let expected = value(row, "latency_ms_refined") / value(row, "latency_ms") - 1.0;
        assert!((value(row, "latency_ms_error") - expected).abs() < 1e-12);
        assert!(expected > 0.0, "unequal tiles leave units idle");
    }
    // Totals alone, as of `lego`, leave nothing to refine with.
    fs::write(folder.path().join("s.toml"), text.replace("plant", "lego").replace("cameras = [\"az000\"]\n", ""))
        .expect("write");
    let refused = program(folder.path(), &["check", "s.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("has no measured tiles to refine with"));
}

#[test]
fn several_sweeps_of_a_file_run_each_in_its_folder_and_are_compared() {
    let folder = tempfile::tempdir().expect("folder");
    let text = format!(
        "name = \"both\"\n{HEAD}[parameters]\nvr_cores = [32, 64, 128]\n[search]\nobjectives = [\"latency_ms\", \"area_mm2\"]\n\
         [[sweep]]\nname = \"none\"\nparameters = {{ subtiles = \"none\" }}\n\
         [[sweep]]\nname = \"decoupled\"\nparameters = {{ subtiles = \"decoupled\", vr_cores = [32, 64] }}\n"
    );
    let said = sweep(folder.path(), &text);
    assert!(said.contains("both: 2 sweeps compared"), "{said}");
    let out = folder.path().join("out");
    assert_eq!(rows(&out.join("both-none/results.csv")).len(), 3);
    assert_eq!(rows(&out.join("both-decoupled/results.csv")).len(), 2);
    let compared = rows(&out.join("both/comparison.csv"));
    for row in &compared {
        let beats = |other: &&HashMap<String, String>| {
            let less = |column: &str| value(other, column) - value(row, column);
            less("latency_ms") <= 0.0 && less("area_mm2") <= 0.0 && less("latency_ms") + less("area_mm2") < 0.0
        };
        assert_eq!(row["on_common_front"] == "true", !compared.iter().any(|other| beats(&other)), "{row:?}");
    }
    assert!(fs::read_to_string(out.join("both/figures/comparison.svg")).expect("figure").contains(">\ndecoupled\n"));
    // A change of one leaves the other's run as it is.
    fs::write(folder.path().join("s.toml"), text.replace("[32, 64] }", "[32] }")).expect("write");
    let again = program(folder.path(), &["sweep", "s.toml"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stdout).contains("both-none is finished"));
    assert!(String::from_utf8_lossy(&again.stderr).contains("`parameters.vr_cores` was [32, 64], is [32]"));
}

#[test]
fn the_page_on_the_case_study_says_what_the_program_finds() {
    let folder = tempfile::tempdir().expect("folder");
    assert!(program(folder.path(), &["sweep", "gscore_case_study", "-q"]).status.success());
    let run = folder.path().join("out/gscore_case_study");
    let page = include_str!("../docs/case-study.md");
    let design = |row: &HashMap<String, String>| {
        ["ccu", "qsu", "bsu", "vr_cores", "buffers"].map(|name| row[name].as_str()).join(", ")
    };
    let line = |row: &HashMap<String, String>| {
        format!("| {} | {:.0} | {:.2} |", design(row), value(row, "edp_mj_ms"), value(row, "area_mm2"))
    };
    let front = rows(&run.join("pareto.csv"));
    assert_eq!(page.matches("| front |").count(), front.len());
    for row in &front {
        assert!(page.contains(&format!("{} front |", line(row))), "{}", line(row));
    }
    let all = rows(&run.join("results.csv"));
    let of = |wanted: &str| all.iter().find(|row| design(row) == wanted).expect("design");
    let (published, optimum, small) = (of("4, 8, 4, 64, 8"), of("16, 8, 4, 32, 4"), of("4, 8, 4, 32, 4"));
    for row in [published, optimum, small] {
        assert!(page.contains(&line(row)), "{}", line(row));
    }
    let ratio =
        |a: &HashMap<String, String>, b: &HashMap<String, String>, column: &str| value(a, column) / value(b, column);
    assert_eq!(format!("{:.2}", ratio(optimum, published, "edp_mj_ms")), "2.07");
    assert_eq!(format!("{:.2}", ratio(optimum, published, "latency_ms")), "1.86");
    assert_eq!(format!("{:.2}", ratio(published, small, "area_mm2")), "1.63");
    let better = of("2, 4, 2, 64, 2");
    assert_eq!(format!("{:.0}", 100.0 * (1.0 - ratio(better, published, "area_mm2"))), "35");
    assert_eq!(format!("{:.1}", 100.0 * (1.0 - ratio(better, published, "edp_mj_ms"))), "1.7");
    assert_eq!(format!("{:.2}", value(optimum, "utilization.vru")), "0.92");
    let effects = rows(&run.join("sensitivity.csv"));
    let main = |objective: &str, axis: &str| {
        value(effects.iter().find(|row| row["objective"] == objective && row["axis"] == axis).expect("effect"), "main")
    };
    assert_eq!(format!("{:.1}", 100.0 * main("edp_mj_ms", "vr_cores")), "99.6");
    assert_eq!(format!("{:.0}", 100.0 * main("area_mm2", "ccu")), "42");
    assert!(main("edp_mj_ms", "ccu") < 1e-6);
}
