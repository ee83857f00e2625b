//! The commands that ask one model one question, and the trace command, as a user runs them.

mod common;

use std::path::Path;

use common::{error, program, reference};

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = program(Path::new("."), &[arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(answer: &serde_json::Value, key: &str) -> f64 {
    answer[key].as_f64().unwrap_or_else(|| panic!("{key} in {answer}"))
}

/// SCALE-Sim's closed form for weight stationary: ceil(K/R) ceil(N/C) (M + 2R + C - 2) - 1.
#[test]
fn gemm_gives_the_fold_by_fold_cycles() {
    let answer =
        json(&["gemm", "--m", "4096", "--n", "64", "--k", "64", "--rows", "32", "--cols", "32", "--dataflow", "ws"]);
    assert_eq!(number(&answer, "total_cycles"), 2.0 * 2.0 * (4096.0 + 64.0 + 32.0 - 2.0) - 1.0);
}

#[test]
fn sram_gives_a_reference_point_back() {
    let Some(folder) = reference() else { return };
    let mut table = csv::Reader::from_path(folder.join("sram_cacti_40_28nm.csv")).expect("table");
    let header = table.headers().expect("header").clone();
    let column = |name: &str| header.iter().position(|column| column == name).expect("column");
    let wanted = [
        ("node_nm", "28"),
        ("size_kib", "32"),
        ("banks", "4"),
        ("block_bytes", "16"),
        ("ports", "1RW"),
        ("device", "itrs-hp"),
    ];
    let row = table
        .records()
        .map(|row| row.expect("row"))
        .find(|row| wanted.iter().all(|(name, value)| &row[column(name)] == *value))
        .expect("reference point");
    let answer = json(&["sram", "--capacity-kib", "32", "--banks", "4", "--width-bytes", "16", "--node-nm", "28"]);
    for (ours, theirs) in [("area_mm2", "area_mm2"), ("read_pj", "read_energy_pj"), ("access_ns", "access_ns")] {
        let theirs: f64 = row[column(theirs)].parse().expect("number");
        assert!(error(number(&answer, ours), theirs) < 1e-3, "{ours}: {answer} against {theirs}");
    }
}

#[test]
fn dram_stays_within_its_expected_error_of_a_reference_point() {
    // dram_effective.csv: LPDDR4-3200, 2 channels, random reads of 64 bytes, 32 outstanding: 0.9255 of the peak on one
    // channel (5.923 of 6.4 GB/s).
    let answer = json(&["dram", "--part", "LPDDR4-3200", "--pattern", "random", "--request-bytes", "64"]);
    assert!(error(number(&answer, "efficiency"), 0.9255) < 0.05, "{answer}");
}

#[test]
fn a_question_outside_a_model_is_refused() {
    for arguments in [
        &["sram", "--capacity-kib", "nan"][..],
        &["sram", "--capacity-kib", "34", "--node-nm", "3"],
        &["gemm", "--m", "0", "--n", "1", "--k", "1", "--rows", "1", "--cols", "1", "--dataflow", "ws"],
        &["dram", "--part", "LPDDR9"],
        &["dram", "--part", "LPDDR4-3200", "--channels", "0"],
        &["trace", "missing.pkl"],
        &["trace", "Cargo.toml"],
    ] {
        let output = program(Path::new(env!("CARGO_MANIFEST_DIR")), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("help: "), "{arguments:?}");
    }
}

/// The totals stand in the traces' summaries: 1.146 TFLOP for one chunk of vanilla NeRF.
#[test]
fn trace_lists_the_operators_with_the_exact_total() {
    let Some(folder) = reference() else { return };
    let trace = folder.join("traces/vanilla_nerf_4096x192.pkl");
    let output = program(Path::new("."), &["trace", &trace.display().to_string()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1146002960384 FLOP in all"), "{text}");
    let output = program(Path::new("."), &["trace", &trace.display().to_string(), "--format", "csv"]);
    let mut table = csv::Reader::from_reader(&output.stdout[..]);
    let flops = table.headers().expect("header").iter().position(|column| column == "flops").expect("column");
    let total: u64 = table.records().map(|row| row.expect("row")[flops].parse::<u64>().expect("number")).sum();
    assert_eq!(total, 1_146_002_960_384);
}

#[test]
fn what_lies_beyond_the_tables_says_so_and_claims_no_error() {
    for (arguments, beyond) in [
        (["sram", "--capacity-kib", "1048576", "--banks", "8", "--width-bytes", "64"], true),
        (["sram", "--capacity-kib", "34", "--banks", "8", "--width-bytes", "64"], false),
        (["dram", "--part", "LPDDR4-3200", "--channels", "64", "--pattern", "random"], true),
        (["dram", "--part", "LPDDR4-3200", "--channels", "2", "--pattern", "random"], false),
    ] {
        let answer = json(&arguments);
        assert_eq!(answer["extrapolated"], beyond, "{answer}");
        let figure = if arguments[0] == "sram" { "area_mm2" } else { "efficiency" };
        assert_eq!(answer.get(format!("{figure}_expected_error")).is_none(), beyond, "{answer}");
    }
}

#[test]
fn dram_gives_the_background_power_of_its_channels() {
    // dram_standby.csv by hand: 43.61 mW a channel, 40.13 with all banks precharged.
    let answer = json(&["dram", "--part", "LPDDR4-3200", "--channels", "2"]);
    assert!((number(&answer, "background_mw") - 87.2).abs() < 0.05, "{answer}");
    assert_eq!(answer["background_range_mw"], "80.26 to 87.22");
}

/// LPDDR4 was simulated with up to eight channels.
#[test]
fn a_sweep_beyond_a_table_names_the_memory_and_counts_the_points() {
    let folder = tempfile::tempdir().expect("folder");
    let sweep = "name = \"far\"\nhardware = \"gscore_model\"\npipeline = \"gscore\"\nscenes = [\"lego\"]\n[parameters]\n\
        channels = [4, 8, 16]\noverlap = { choice = [\"unstated\"] }\nsubtiles = { choice = [\"none\"] }\n[search]\n\
        strategy = \"grid\"\nobjectives = [\"latency_ms\", \"power_mw\"]\n";
    std::fs::write(folder.path().join("far.toml"), sweep).expect("sweep");
    let output = program(folder.path(), &["sweep", "far.toml"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("dram extrapolated beyond the model's table at 1 of 3 points looked at"), "{said}");
    let run = folder.path().join("out/far");
    let mut table = csv::Reader::from_path(run.join("results.csv")).expect("results");
    let column =
        table.headers().expect("header").iter().position(|name| name.ends_with("extrapolated")).expect("column");
    let flags: Vec<String> = table.records().map(|row| row.expect("row")[column].to_owned()).collect();
    assert_eq!(flags, ["0", "0", "1"]);
    let manifest = std::fs::read_to_string(run.join("manifest.json")).expect("manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["extrapolated"]["memories"][0], "dram");
    assert_eq!(manifest["extrapolated"]["points"], 1);
}
