//! Traced workloads on hardware: every trace on every stock hardware, its IRs, and what is said where it does not fit.

mod common;
mod trace_support;

use std::fs;
use std::path::Path;

use common::program;
use nerarch_dse::report::analysis::{self, MappedIr, ScheduledIr};
use nerarch_dse::spec::catalog::{Category, stock_names};
use nerarch_dse::trace::{TransformOptions, workload};
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
            let workload = workload::load(path, &TransformOptions::default()).expect("a workload");
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
            let scheduled =
                analysis::schedule(&mapped, name, &hardware, None).unwrap_or_else(|faults| panic!("{faults}"));
            let flops: f64 = scheduled.ppa.operators.iter().filter_map(|operator| operator.flops).sum();
            assert!((flops / total - 1.0).abs() < 0.01, "{name} on {hardware}: {flops} instead of {total}");
            assert!(scheduled.ppa.latency_cycles >= scheduled.ppa.lower_bound_cycles * (1.0 - 1e-9));
            // No bandwidth is promised twice.
            let seconds = scheduled.schedule.bin_cycles / (scheduled.ppa.clock_mhz * 1e6);
            let peak = scheduled.ppa.dram.as_ref().map_or(0.0, |dram| dram.peak_gb_per_s * 1e9 * seconds);
            let dram = scheduled.schedule.ports.iter().filter(|port| port.memory == "dram");
            for bytes in dram.flat_map(|port| &port.bytes) {
                assert!(*bytes <= peak * (1.0 + 1e-9), "{name} on {hardware}: {bytes} of {peak}");
            }
            let page = analysis::html(&scheduled).expect("a page");
            assert!(
                page.contains("The bottleneck is") && !page.contains("src=\"http") && !page.contains("href=\"http")
            );
            // What is written is read back.
            let text = serde_json::to_string(&mapped).expect("JSON");
            assert_eq!(MappedIr::from_json("m", &text).expect("a mapped IR"), mapped);
            let text = serde_json::to_string(&scheduled).expect("JSON");
            assert_eq!(ScheduledIr::from_json("s", &text).expect("a scheduled IR"), scheduled);
            ran += 1;
        }
    }
    assert_eq!(ran, 8 + 8 + 3 + 1 + 1 + 6 + 3);
}

#[test]
fn operators_that_never_run_together_do_not_share_a_port() {
    let Some(folder) = traces() else { return };
    let workload = workload::load_default(&folder.join("vanilla_nerf_train_1024_bwdhooks.pkl")).expect("a workload");
    let mapped = analysis::map(workload, "t", "programmable").expect("a mapped IR");
    let ppa = analysis::schedule(&mapped, "t", "programmable", None).expect("a schedule").ppa;
    // One after the other, each with the whole DRAM, the operators take at most compute and transfers together.
    let compute: f64 = ppa.operators.iter().map(|operator| operator.compute_cycles).sum();
    let transfers = ppa.dram.as_ref().map_or(0.0, |dram| dram.busy_cycles);
    assert!(ppa.latency_cycles < compute + transfers, "{} of {compute} and {transfers}", ppa.latency_cycles);
}

/// A trace of these functions in node-link JSON; `stage` is that of all.
fn calls(functions: &[&str], stage: &str) -> String {
    let node = |(at, function): (usize, &&str)| serde_json::json!({ "id": at, "func_name": function, "input_shapes": "(4096, 64),(4096, 64, 1)", "output_shapes": "(4096, 64, 1)", "stage": stage });
    let nodes: Vec<Json> = functions.iter().enumerate().map(node).collect();
    serde_json::json!({ "directed": true, "nodes": nodes, "links": [] }).to_string()
}

#[test]
fn traces_at_the_edge_end_in_a_report_or_say_what_is_missing() {
    let weights = "nerfstudio.cameras.rays.RaySamples.get_weights";
    let long = "x".repeat(100_000);
    for (text, wanted) in [
        (calls(&[], ""), Err("holds no call that does work")),
        (calls(&["lib.one", "lib.two"], ""), Err("`lib.one`: not in the call tables; `lib.two`")),
        (calls(&[weights], "coarse"), Ok("1 operator with 1.57 MFLOP takes")),
        (calls(&[weights, "lib.one"], "coarse"), Ok("`lib.one` (1 call, 50.0 % of all calls")),
        // Longer than what a text table pads.
        (calls(&[weights], &long), Ok("1 operator with 1.57 MFLOP takes")),
        (calls(&[weights], "a\"]\n[x]</script>"), Ok("1 operator with 1.57 MFLOP takes")),
        (calls(&[weights], "coarse").replace("4096", "0"), Ok("No operator has any work")),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("t.json"), &text).expect("a trace");
        let output = program(folder.path(), &["analyze", "t.json", "out", "--hardware", "programmable"]);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(if wanted.is_ok() { 0 } else { 2 }), "{said}");
        assert!(said.contains(wanted.unwrap_or_else(|part| part)), "{wanted:?}: {said}");
    }
}

#[test]
fn three_chunks_are_one_streamed_pipeline() {
    let Some(folder) = traces() else { return };
    let path = folder.join("vanilla_nerf_100x100_3chunks.pkl");
    let workload = workload::load(&path, &TransformOptions::default()).expect("a workload");
    assert_eq!((workload.tiles, workload.operators.len()), (3, 22));
    assert!(workload.operators.iter().all(|operator| operator.streamed));
    assert!(workload.remarks.iter().any(|remark| remark.contains("unequal")), "{:?}", workload.remarks);
}

/// What the program prints, which must end well.
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_commands_write_the_known_layout_and_pass_their_files_on() {
    let Some(traces) = traces() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = traces.join("vanilla_nerf_4096x192.pkl").display().to_string();
    let run = |arguments: &[&str]| succeeds(folder.path(), arguments);
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
        "visuals/roofline.svg",
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
    run(&["report", "scheduled_ir.json", "--visuals", "pictures"]);
    for file in ["timeline.svg", "graph.svg", "roofline.svg"] {
        assert_eq!(read(&format!("pictures/{file}")), read(&format!("out/visuals/{file}")));
    }
}

#[test]
fn a_trace_is_a_pipeline_of_a_sweep() {
    let Some(traces) = traces() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = "vanilla_nerf_4096x192.pkl";
    fs::copy(traces.join(trace), folder.path().join(trace)).expect("a copy");
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
    let workload = workload::load(&traces.join("splatfacto_playbot_lod4_800.pkl"), &TransformOptions::default());
    let mapped = analysis::map(workload.expect("a workload"), "t", "programmable").expect("a mapped IR");
    let mut other = mapped.clone();
    other.version = 9;
    let text = serde_json::to_string(&other).expect("JSON");
    assert!(format!("{:?}", MappedIr::from_json("m", &text).expect_err("a version")).contains("version 9"));
    let mut other = mapped.clone();
    other.workload.operators[0].unit = Some("nowhere".into());
    let faults = analysis::schedule(&other, "m", "programmable", None).expect_err("no such unit").to_string();
    assert!(faults.contains("nowhere"), "{faults}");
    assert!(analysis::schedule(&mapped, "m", "gaurast", None).is_err());
    let mut scheduled = analysis::schedule(&mapped, "m", "programmable", None).expect("a schedule");
    scheduled.schedule.intervals[0].stage = 99;
    let text = serde_json::to_string(&scheduled).expect("JSON");
    let fault = format!("{:?}", ScheduledIr::from_json("s", &text).expect_err("no such stage"));
    assert!(fault.contains("/schedule/intervals/0/stage"), "{fault}");
}

/// Runs `analyze` with an optimization file; the folder, whether it went well, and what it said.
fn optimized(trace: &str, hardware: &str, optimization: &str) -> Option<(tempfile::TempDir, bool, String)> {
    let trace = traces()?.join(trace).display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("o.toml"), optimization).expect("a file");
    let arguments = ["analyze", &trace, "out", "--hardware", hardware, "--optimization-config", "o.toml"];
    let output = program(folder.path(), &arguments);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Some((folder, output.status.success(), said))
}

#[test]
fn techniques_apply_to_traced_operators_and_stand_in_the_ir() {
    let trace = "vanilla_nerf_4096x192.pkl";
    let Some((folder, ok, said)) = optimized(trace, "programmable", "[exponential_value_reuse]\n") else { return };
    assert!(
        ok && said.contains("exponential_value_reuse on coarse_rgb_renderer and fine_rgb_renderer leaves 64 %"),
        "{said}"
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert!(read("out/inputs/optimization.toml").contains("exponential_value_reuse"));
    let ir: Json = serde_json::from_str(&read("out/scheduling/scheduled_ir.json")).expect("JSON");
    for operator in ir["schedule"]["operators"].as_array().expect("operators") {
        let applied = operator["applied_optimizations"].as_array().expect("a list");
        if !operator["name"].as_str().expect("a name").ends_with("rgb_renderer") {
            assert!(applied.is_empty(), "{operator}");
            continue;
        }
        assert_eq!((applied.len(), &applied[0]["type"]), (1, &"reuse".into()));
        // Six FLOPs and one exponential of eight instead of two: 14 of 22.
        assert!((applied[0]["s_comp"].as_f64().expect("a share") - 14.0 / 22.0).abs() < 1e-12, "{operator}");
        assert_eq!((applied[0]["r_bytes"].as_f64(), applied[0]["energy"].as_f64()), (Some(1.0), Some(1.0)));
    }
    // The same in two steps.
    let run = |arguments: &[&str]| {
        let output = program(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let mapped = "out/mapping/mapped_ir.json";
    run(&["schedule", mapped, "-o", "s.json", "--hardware", "programmable", "--optimization-config", "o.toml"]);
    assert_eq!(read("s.json"), read("out/scheduling/scheduled_ir.json"));
    run(&["schedule", mapped, "-o", "plain.json", "--hardware", "programmable"]);
    assert!(!read("plain.json").contains("exponential_value_reuse"));
}

#[test]
fn low_precision_takes_bytes_and_energy_of_a_trace() {
    let trace = "instant_ngp_4096.pkl";
    let totals = |optimization: &str| {
        let (folder, ok, said) = optimized(trace, "programmable", optimization)?;
        assert!(ok, "{said}");
        let text = fs::read_to_string(folder.path().join("out/scheduling/scheduled_ir.json")).expect("a file");
        let ir = ScheduledIr::from_json("s", &text).expect("a scheduled IR");
        Some((ir.ppa.dram.as_ref().map(|dram| dram.read_bytes), ir.ppa.energy_mj))
    };
    let (Some(off), Some(on)) = (
        totals("[low_precision_sampling]\nenabled = \"off\"\n"),
        totals("[low_precision_sampling]\n[sensitivity_driven_precision]\n"),
    ) else {
        return;
    };
    assert!(on.0 < off.0 && on.1 < off.1, "{off:?} {on:?}");
}

#[test]
fn a_technique_that_does_not_fit_stops_the_run_naming_both() {
    let (splats, nerf) = ("splatfacto_playbot_lod4_800.pkl", "vanilla_nerf_4096x192.pkl");
    for (trace, hardware, optimization, wanted) in [
        (splats, "gaurast", "[gaussian_skipping]\n", &["`gaussian_skipping`", "`GauRast`", "gaussian-skipping"][..]),
        (splats, "gbu", "[row_processing]\n", &["row_processing", "counted twice", "GBU"]),
        (splats, "programmable", "[exponential_value_reuse]\n", &["applies to no operator", "RGBRenderer"]),
        (splats, "programmable", "[nothing]\n", &["nothing"]),
        (
            nerf,
            "programmable",
            "[early_ray_termination]\nneeded = [0.1, 0.2]\n",
            &["early_ray_termination_needed", "2 values"],
        ),
        (nerf, "programmable", "[early_ray_termination]\ncolour = 3\n", &["colour"]),
        (splats, "programmable", "", &["names no technique"]),
    ] {
        let Some((folder, ok, said)) = optimized(trace, hardware, optimization) else { return };
        assert!(!ok && wanted.iter().all(|part| said.contains(part)), "{optimization:?} on {hardware}: {said}");
        assert!(!folder.path().join("out").exists(), "nothing is written before all is known to fit");
    }
}

#[test]
fn a_trace_is_a_pipeline_of_graph_and_roofline() {
    let Some(traces) = traces() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = traces.join("vanilla_nerf_4096x192.pkl").display().to_string();
    let run = |arguments: &[&str]| succeeds(folder.path(), arguments);
    let dot = run(&["graph", &trace]);
    assert!(dot.contains("coarse_mlp") && dot.matches("label=").count() == 22, "{dot}");
    let table = run(&["roofline", "--pipeline", &trace, "--hardware", "programmable"]);
    assert!(table.contains("workload   vanilla_nerf_4096x192"), "{table}");
}
