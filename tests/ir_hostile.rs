//! IRs that were changed by hand or by chance: each ends with the place and a remedy, none with a crash or without an end.

mod common;

use std::fs;

use common::{program, reference};
use nerarch_dse::report::analysis::{self, MappedIr, ScheduledIr};
use nerarch_dse::spec::Diagnostics;
use nerarch_dse::trace::{MAX_CALLS, TransformOptions, workload};
use serde_json::{Value as Json, json};

fn irs() -> Option<(Json, Json)> {
    let trace = reference()?.join("traces/vanilla_nerf_100x100_3chunks.pkl");
    let workload = workload::load(&trace, &TransformOptions::default()).expect("a workload");
    let mapped = analysis::map(workload, "t", "programmable").expect("a mapped IR");
    let scheduled = analysis::schedule(&mapped, "m", "programmable", None).expect("a scheduled IR");
    Some((serde_json::to_value(&mapped).expect("JSON"), serde_json::to_value(&scheduled).expect("JSON")))
}

/// `ir` with `value` at the place `at`.
fn with(ir: &Json, at: &str, value: Json) -> String {
    let mut ir = ir.clone();
    *ir.pointer_mut(at).unwrap_or_else(|| panic!("no {at}")) = value;
    ir.to_string()
}

/// What reading and, for a mapped IR, scheduling says.
fn shown(fault: nerarch_dse::spec::Diagnostic) -> String {
    Diagnostics(vec![fault]).to_string()
}

#[test]
fn a_mapped_ir_that_is_wrong_is_refused_with_place_and_remedy() {
    let Some((mapped, _)) = irs() else { return };
    let second = mapped["workload"]["operators"][1]["name"].clone();
    let last =
        mapped["workload"]["edges"].as_array().and_then(|edges| Some(edges.last()?["to"].clone())).expect("edges");
    let first = "/workload/operators/0";
    let cases: Vec<(String, Json, &[&str])> = vec![
        ("/workload/tiles".into(), json!(0), &["/workload/tiles", "a trace has 1 to"]),
        ("/workload/tiles".into(), json!(MAX_CALLS + 1), &["/workload/tiles", "131073 tiles"]),
        ("/workload/tiles".into(), json!(u64::MAX), &["/workload/tiles"]),
        ("/workload/tiles".into(), json!(1.5), &["expected u64", "m.json:1:"]),
        (format!("{first}/name"), second, &["/workload/operators/1/name", "/workload/operators/0 too"]),
        (format!("{first}/name"), json!(""), &["`name` is empty"]),
        (format!("{first}/name"), json!("a\"b\n]"), &["there is no operator `coarse_uniform_sampler`"]),
        (format!("{first}/kind"), json!("Nothing"), &["there is no operator kind `Nothing`"]),
        (format!("{first}/kind"), json!("x\"\n[[unit]]"), &["there is no operator kind"]),
        (format!("{first}/pass"), json!("sideways"), &["`pass` cannot be \"sideways\"", "backward, forward"]),
        (format!("{first}/unit"), json!("attic"), &["names unit `attic`", "known are: array"]),
        (format!("{first}/parameters"), json!({ "size": 1 }), &["has no parameter `size`"]),
        (format!("{first}/parameters"), json!({}), &["does not say its `rays`", "add `rays"]),
        (format!("{first}/counts"), json!({ "colour": 1 }), &["counts no `colour`", "known are: flops"]),
        (format!("{first}/counts/flops"), json!(-5), &["/workload/operators/0/counts/flops", "below 0"]),
        (format!("{first}/counts/read_bytes"), json!(1e300), &["too large for a number"]),
        (format!("{first}/inputs"), json!([[-1]]), &["expected u64", "m.json:1:"]),
        ("/workload/operators".into(), json!([]), &["this pipeline has no operators"]),
        ("/workload/edges/0/from".into(), json!("nobody"), &["there is no operator `nobody`"]),
        ("/workload/edges/0/from".into(), last, &["these operators wait for each other"]),
        ("/workload/edges/0/kind".into(), json!("wish"), &["unknown variant `wish`", "`barrier` or `stream`"]),
        ("/workload/traffic/0/operator".into(), json!("nobody"), &["there is no operator `nobody`"]),
        ("/workload/traffic/0/memory".into(), json!("attic"), &["no memory `attic`", "buffer, dram"]),
        ("/workload/traffic/0/bytes".into(), json!(-1), &["/workload/traffic/0/bytes", "below 0"]),
        ("/workload/traffic/0/bytes".into(), json!(1e300), &["too large for a number"]),
        ("/hardware/name".into(), json!("Other"), &["was mapped to hardware `Other`"]),
        ("/version".into(), json!(2), &["/version", "version 2 is not known", "write it anew"]),
        ("/format".into(), json!("x"), &["/format", "not \"nerarch-dse/mapped-ir\""]),
    ];
    for (at, value, wanted) in cases {
        let text = with(&mapped, &at, value.clone());
        let fault = match MappedIr::from_json("m.json", &text) {
            Err(fault) => shown(fault),
            Ok(ir) => analysis::schedule(&ir, "m.json", "programmable", None).expect_err(&at).to_string(),
        };
        for word in wanted.iter().chain(&["help: "]) {
            assert!(fault.contains(word), "{at} = {value} does not say `{word}`:\n{fault}");
        }
    }
}

#[test]
fn a_scheduled_ir_that_is_wrong_is_refused_with_its_place() {
    let Some((_, scheduled)) = irs() else { return };
    let cases: [(&str, Json, &str); 22] = [
        ("/schedule/makespan_cycles", json!(0), "/schedule/makespan_cycles: 0, but a schedule"),
        ("/schedule/makespan_cycles", json!(1.0), "/schedule/intervals/0/end: it must lie"),
        ("/schedule/intervals/0/stage", json!(1_000_000_000), "/schedule/intervals/0/stage: there are 22 operators"),
        ("/schedule/intervals/0/stage", json!(-1), "integer `-1`"),
        ("/schedule/intervals/0/group", json!(1_u64 << 50), "/schedule/intervals/0/group: unit `sampler` has 1 groups"),
        ("/schedule/intervals/0/start", json!(-1), "/schedule/intervals/0/start: -1, but"),
        ("/schedule/intervals/0/start", json!(1e300), "/schedule/intervals/0/end: it must lie"),
        ("/schedule/intervals/0/end", json!(1e300), "/schedule/intervals/0/end: it must lie"),
        ("/schedule/operators", json!([]), "/schedule/operators: 0 operators, but 22"),
        ("/schedule/units", json!([]), "/schedule/units: 0 units, but 4"),
        ("/schedule/units/1/occupied", json!([]), "/schedule/units/1/occupied: 0 bins"),
        ("/schedule/units/0/computing", json!([0.5]), "/schedule/units/0/computing: 1 bins"),
        ("/schedule/ports/0/bytes", json!([1]), "/schedule/ports/0/bytes: 1 bins"),
        ("/ppa/clock_mhz", json!(0), "/ppa/clock_mhz: 0, but a schedule"),
        ("/ppa/operators/3/unit", json!(4), "/ppa/operators/3/unit: there are 4 units"),
        ("/ppa/operators", json!([]), "/schedule/operators: 22 operators, but 0"),
        ("/ppa/units", json!([]), "/schedule/units: 4 units, but 0"),
        ("/ppa/units/0/groups", json!(0), "/schedule/intervals/0/group: unit `sampler` has 0 groups"),
        ("/ppa/operators/0/flops", json!(-1.5), "/ppa/operators/0/flops: -1.5, but"),
        ("/ppa/operators/0/bound", json!("luck"), "unknown variant `luck`"),
        ("/workload/tiles", json!(u64::MAX), "/workload/tiles"),
        ("/warnings", json!("none"), "expected a sequence"),
    ];
    for (at, value, wanted) in cases {
        let fault = shown(ScheduledIr::from_json("s.json", &with(&scheduled, at, value)).expect_err(at));
        for word in [wanted, "s.json", "help: "] {
            assert!(fault.contains(word), "{at} does not say `{word}`:\n{fault}");
        }
    }
}

#[test]
fn what_a_scheduled_ir_may_hold_every_report_can_write() {
    let Some((_, scheduled)) = irs() else { return };
    for (at, value) in [
        ("/schedule/makespan_cycles", json!(1e308)),
        ("/schedule/ports", json!([])),
        ("/schedule/intervals", json!([])),
        ("/schedule/bin_cycles", json!(0)),
        ("/schedule/operators/0/instance", json!([u64::MAX])),
        ("/ppa/units/0/groups", json!(1e300)),
        ("/ppa/latency_cycles", json!(0)),
        ("/ppa/energy_mj", json!(0)),
        ("/ppa/area_mm2", json!(0)),
        ("/ppa/bottleneck", json!("")),
        ("/ppa/srams", json!([])),
        ("/ppa/dram", json!(null)),
        ("/ppa/operators/0/tiles", json!(0)),
        ("/ppa/operators/0/flops", json!(1e308)),
        ("/ppa/operators/0/memory", json!([])),
        ("/workload/edges", json!([{ "from": "x", "to": "y", "kind": "stream", "bytes": null, "inferred": true }])),
        ("/workload/operators", json!([])),
        ("/workload/name", json!("</title>")),
    ] {
        let ir = ScheduledIr::from_json("s", &with(&scheduled, at, value))
            .unwrap_or_else(|fault| panic!("{}", shown(fault)));
        let written = [
            analysis::html(&ir).expect("a page"),
            analysis::markdown(&ir),
            analysis::text(&ir),
            analysis::perfetto(&ir),
        ];
        let pictures = [analysis::timeline_svg(&ir), analysis::graph_svg(&ir).expect("a picture")];
        for text in written.iter().chain(&pictures) {
            assert!(
                !text.is_empty() && !["NaN", "\"inf\"", ">inf", " inf "].iter().any(|bad| text.contains(bad)),
                "{at}"
            );
        }
        assert!(!written[0].contains("</title></title>"));
    }
}

#[test]
fn files_that_are_no_ir_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.json");
    let deep = "[".repeat(100_000);
    let objects = "{\"format\":".repeat(100_000);
    let texts: [(&[u8], &str); 9] = [
        (b"", "EOF while parsing"),
        (b"\xff\xfe{}", "is not UTF-8 text"),
        (deep.as_bytes(), "expected a string"),
        (objects.as_bytes(), "expected a string"),
        (b"{\"format\": NaN}", "x.json:1:12"),
        (b"{\"format\":\n 1e999}", "x.json:2:"),
        (b"null", "expected struct"),
        (b"{\"format\":\"a\",\"format\":\"b\"}", "duplicate field `format`"),
        (b"\x80\x04}q\x00.", "is not UTF-8 text"),
    ];
    for (bytes, wanted) in texts {
        fs::write(&path, bytes).expect("a file");
        for arguments in [&["schedule", "x.json", "--hardware", "programmable"][..], &["report", "x.json"]] {
            let output = program(folder.path(), arguments);
            let shown = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && shown.contains("help: "), "{arguments:?}: {shown}");
            assert!(shown.contains(wanted), "{arguments:?} does not say `{wanted}`: {shown}");
            assert!(shown.len() < 4000, "{} bytes of message", shown.len());
        }
    }
    fs::File::create(&path).expect("a file").set_len((256 << 20) + 1).expect("a length");
    let output = program(folder.path(), &["report", "x.json"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("larger than 256 MiB"));
    assert!(!folder.path().join("scheduled_ir.json").exists(), "nothing is written");
}
