//! Traced workloads on hardware: every trace on every stock hardware, its IRs, and what is said where it does not fit.

mod common;
mod trace_support;

use std::fs;

use common::program;
use nerarch_dse::report::analysis::{self, MappedIr, ScheduledIr};
use nerarch_dse::spec::catalog::{Category, stock_names};
use nerarch_dse::spec::traced;
use nerarch_dse::trace::TransformOptions;
use serde_json::Value as Json;
use trace_support::{files, traces};

/// Pairs that fit: hardware and the beginning of the traces' names.
const FITS: [(&str, &[&str]); 7] = [
    ("programmable", &[""]),
    ("pe_renderer", &[""]),
    ("icarus", &["vanilla_nerf_4096", "vanilla_nerf_100x100", "vanilla_nerf_train_1024_stockcfg"]),
    ("gaurast", &["splatfacto"]),
    ("gbu", &["splatfacto"]),
    // Its elements are declared for every kind.
    (
        "unirender",
        &[
            "instant",
            "nerfacto",
            "splatfacto",
            "vanilla_nerf_4096",
            "vanilla_nerf_100x100",
            "vanilla_nerf_train_1024_stockcfg",
        ],
    ),
    ("metavrain", &["vanilla_nerf_4096", "vanilla_nerf_100x100", "vanilla_nerf_train_1024_stockcfg"]),
];

#[test]
fn every_trace_runs_on_every_hardware_that_fits_and_the_others_say_why() {
    let Some(folder) = traces() else { return };
    let traces = files(&folder, |name| name.ends_with(".pkl"));
    assert_eq!(traces.len(), 8);
    let mut ran = 0;
    for path in &traces {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let summary = fs::read_to_string(folder.join(format!("{name}.summary.json"))).expect("a summary");
        let summary: Json = serde_json::from_str(&summary).expect("JSON");
        let total = summary["total_flops"].as_f64().expect("a total");
        for hardware in stock_names(Category::Hardware) {
            let workload = traced::load(path, &TransformOptions::default()).expect("a workload");
            let fits = FITS
                .iter()
                .any(|(known, starts)| *known == hardware && starts.iter().any(|start| name.starts_with(start)));
            let mapped = analysis::map(workload, name, &hardware);
            assert!(
                mapped.is_ok() == fits,
                "{name} on {hardware}: {:?}",
                mapped.err().map(|faults| faults.to_string())
            );
            let Ok(mapped) = mapped.map_err(|faults| {
                assert!(faults.to_string().contains("no unit of hardware"), "{faults}");
            }) else {
                continue;
            };
            let scheduled = analysis::schedule(&mapped, name, &hardware).unwrap_or_else(|faults| panic!("{faults}"));
            let flops: f64 = scheduled.ppa.operators.iter().filter_map(|operator| operator.flops).sum();
            assert!((flops / total - 1.0).abs() < 0.01, "{name} on {hardware}: {flops} instead of {total}");
            assert!(scheduled.ppa.latency_cycles >= scheduled.ppa.lower_bound_cycles * (1.0 - 1e-9));
            let page = analysis::html(&scheduled).expect("a page");
            assert!(
                page.contains("The bottleneck is") && !page.contains("src=\"http") && !page.contains("href=\"http")
            );
            // What is written is read back.
            let text = serde_json::to_string(&mapped).expect("JSON");
            // But for the last bit of a fraction, which serde_json does not keep.
            let again = MappedIr::from_json("m", &text).expect("a mapped IR");
            assert_eq!(again.workload.edges, mapped.workload.edges);
            let bound = |ir: &MappedIr| -> Vec<_> {
                ir.workload.operators.iter().map(|operator| (operator.name.clone(), operator.unit.clone())).collect()
            };
            assert_eq!(bound(&again), bound(&mapped));
            let text = serde_json::to_string(&scheduled).expect("JSON");
            assert_eq!(
                ScheduledIr::from_json("s", &text).expect("a scheduled IR").ppa.operators.len(),
                mapped.resources.len()
            );
            ran += 1;
        }
    }
    assert_eq!(ran, 8 + 8 + 3 + 1 + 1 + 6 + 3);
}

#[test]
fn three_chunks_are_one_streamed_pipeline() {
    let Some(folder) = traces() else { return };
    let path = folder.join("vanilla_nerf_100x100_3chunks.pkl");
    let workload = traced::load(&path, &TransformOptions::default()).expect("a workload");
    assert_eq!((workload.tiles, workload.operators.len()), (3, 22));
    assert!(workload.operators.iter().all(|operator| operator.streamed));
    assert!(workload.remarks.iter().any(|remark| remark.contains("unequal")), "{:?}", workload.remarks);
}

#[test]
fn the_commands_write_the_known_layout_and_pass_their_files_on() {
    let Some(traces) = traces() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = traces.join("vanilla_nerf_4096x192.pkl").display().to_string();
    let run = |arguments: &[&str]| {
        let output = program(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    run(&["analyze", &trace, "out", "--hardware", "programmable"]);
    for file in [
        "inputs/vanilla_nerf_4096x192.pkl",
        "inputs/pipeline.toml",
        "mapping/mapped_ir.json",
        "scheduling/scheduled_ir.json",
        "scheduling/perfetto.json",
        "reports/report.html",
        "reports/report.json",
        "reports/report.md",
        "reports/report.txt",
        "visuals/timeline.svg",
        "visuals/graph.svg",
    ] {
        assert!(folder.path().join("out").join(file).is_file(), "{file}");
    }
    run(&["map", &trace, "programmable", "-o", "mapped_ir.json"]);
    run(&[
        "schedule",
        "mapped_ir.json",
        "-o",
        "scheduled_ir.json",
        "--hardware",
        "programmable",
        "--perfetto",
        "p.json",
    ]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(read("mapped_ir.json"), read("out/mapping/mapped_ir.json"));
    assert_eq!(read("scheduled_ir.json"), read("out/scheduling/scheduled_ir.json"));
    let events: Json = serde_json::from_str(&read("p.json")).expect("JSON");
    let bars = events["traceEvents"].as_array().expect("events").iter().filter(|event| event["ph"] == "X");
    assert_eq!(bars.count(), 22, "an operator on the whole frame is one bar");
    for (format, part) in
        [("html", "<!doctype html>"), ("json", "\"operators\""), ("md", "| operator |"), ("text", "operator")]
    {
        assert!(run(&["report", "scheduled_ir.json", "--format", format]).contains(part), "{format}");
    }
}

#[test]
fn a_trace_is_a_pipeline_of_a_sweep() {
    let Some(traces) = traces() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = traces.join("vanilla_nerf_4096x192.pkl").display().to_string();
    let sweep = format!(
        "name = \"traced\"\nhardware = \"programmable\"\npipeline = \"{trace}\"\n[parameters]\nmacs = [1024, 4096]\n[search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\", \"area_mm2\"]\n"
    );
    fs::write(folder.path().join("traced.toml"), sweep).expect("a sweep");
    let output = program(folder.path(), &["sweep", "traced.toml", "-q"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = fs::read_to_string(folder.path().join("out/traced/results.csv")).expect("results");
    assert_eq!(rows.lines().count(), 3);
}

#[test]
fn a_wrong_ir_is_refused_with_its_place() {
    for (text, wanted) in [
        ("{", "EOF"),
        ("{\"format\": 3}", "expected a string"),
        ("{\"format\": \"x\", \"colour\": 1}", "unknown field `colour`"),
        ("[]", "invalid length"),
    ] {
        let fault = MappedIr::from_json("m.json", text).expect_err(text);
        let shown = format!("{}", nerarch_dse::spec::Diagnostics(vec![fault]));
        assert!(shown.contains(wanted) && shown.contains("m.json"), "{shown}");
    }
    let Some(traces) = traces() else { return };
    let workload = traced::load(&traces.join("splatfacto_playbot_lod4_800.pkl"), &TransformOptions::default());
    let mapped = analysis::map(workload.expect("a workload"), "t", "programmable").expect("a mapped IR");
    let mut other = mapped.clone();
    other.version = 9;
    let text = serde_json::to_string(&other).expect("JSON");
    assert!(format!("{:?}", MappedIr::from_json("m", &text).expect_err("a version")).contains("version 9"));
    let mut other = mapped.clone();
    other.workload.operators[0].unit = Some("nowhere".into());
    let faults = analysis::schedule(&other, "m", "programmable").expect_err("no such unit").to_string();
    assert!(faults.contains("nowhere"), "{faults}");
    assert!(analysis::schedule(&mapped, "m", "gaurast").is_err());
    let mut scheduled = analysis::schedule(&mapped, "m", "programmable").expect("a schedule");
    scheduled.schedule.intervals[0].stage = 99;
    let text = serde_json::to_string(&scheduled).expect("JSON");
    let fault = format!("{:?}", ScheduledIr::from_json("s", &text).expect_err("no such stage"));
    assert!(fault.contains("/schedule/intervals/0/stage"), "{fault}");
}
