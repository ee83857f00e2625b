//! Composite operators: whole where a unit executes them, in stages where units execute these, else refused with reasons.

mod common;

use std::collections::HashMap;

use nerarch_dse::operator::count;
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::report::analysis;
use nerarch_dse::spec::kind::{self, KindDecl, Pass};
use nerarch_dse::spec::{Study, stage};
use nerarch_dse::trace::{TransformOptions, workload};

/// A frame of 1,000 samples (one level, two features) through whatever units execute the hash grid.
const PIPELINE: &str = r#"
name = "grid"
[stream]
over = "batches"
batches = 10
[[operator]]
name = "place"
kind = "UniformSampler"
rays = 10
samples = 100
[[operator]]
name = "encode"
kind = "HashEncoding"
samples = 100
levels = 2
table_entries = 64
[[operator]]
name = "network"
kind = "MLP"
samples = 100
inputs = 4
width = 8
layers = 2
[[edge]]
from = "place"
to = "encode"
kind = "stream"
[[edge]]
from = "encode"
to = "network"
kind = "stream"
[[traffic]]
name = "table"
operator = "encode"
memory = "table"
direction = "read"
bytes = "count.lookup * 4"
"#;

/// The same with the stages written out.
const WRITTEN: &str = r#"
[[operator]]
name = "index"
kind = "IndexGeneration"
samples = 100
levels = 2
[[operator]]
name = "look"
kind = "HashLookup"
samples = 100
levels = 2
table_entries = 64
[[operator]]
name = "join"
kind = "Interpolation"
samples = 100
levels = 2
[[edge]]
from = "place"
to = "index"
kind = "stream"
[[edge]]
from = "index"
to = "look"
kind = "stream"
[[edge]]
from = "look"
to = "join"
kind = "stream"
[[edge]]
from = "join"
to = "network"
kind = "stream"
[[traffic]]
name = "table"
operator = "look"
memory = "table"
direction = "read"
bytes = "count.lookup * 4"
"#;

const HARDWARE: &str = r#"
name = "hw"
node_nm = 28
[clock]
mhz = 1000
reference_mhz = 1000
[[unit]]
name = "sampler"
executes = ["sampling"]
rate = { item = "sample", per_cycle = 4 }
[[unit]]
name = "indexer"
executes = ["IndexGeneration"]
rate = { item = "index", per_cycle = 8 }
[[unit]]
name = "looker"
executes = ["HashLookup"]
rate = { item = "lookup", per_cycle = 4 }
reads = ["table"]
[[unit]]
name = "joiner"
executes = ["Interpolation"]
rate = { item = "sample", per_cycle = 1 }
[[unit]]
name = "array"
executes = ["MLP"]
rate = { item = "macs", per_cycle = 64 }
area_mm2 = { total = 1, basis = "derived" }
power_mw = { total_dynamic = 100, basis = "derived" }
[[sram]]
name = "table"
capacity_kib = 64
read_gb_per_s = 8
read_latency_cycles = 0
"#;

const WHOLE: &str = r#"
[[unit]]
name = "encoder"
executes = ["HashEncoding"]
rate = { item = "sample", per_cycle = 100 }
reads = ["table"]
"#;

fn study(pipeline: &str, hardware: &str) -> Result<Study, String> {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("file");
    write("pipeline.toml", pipeline);
    write("hardware.toml", hardware);
    write(
        "sweep.toml",
        "name = \"s\"\nhardware = \"hardware.toml\"\npipeline = \"pipeline.toml\"\nscenes = [\"lego\"]\n[search]\nobjectives = [\"latency_ms\"]\n",
    );
    let path = folder.path().join("sweep.toml");
    Study::load(path.to_str().expect("path")).map(|(study, _)| study).map_err(|faults| faults.to_string())
}

fn metrics(pipeline: &str, hardware: &str) -> Result<HashMap<String, f64>, String> {
    let study = study(pipeline, hardware)?;
    let (plan, _) = Plan::compile(&study).map_err(|faults| faults.to_string())?;
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate(&[]), Outcome::Feasible, "{}", evaluator.reason());
    let names = plan.metric_names.iter().enumerate();
    Ok(names.map(|(at, name)| (name.clone(), evaluator.metric(0, at))).collect())
}

/// The pipeline with the stages in the place of the composite.
fn written() -> String {
    let (before, rest) = PIPELINE.split_once("[[operator]]\nname = \"encode\"").expect("encode");
    let network = rest.find("[[operator]]\nname = \"network\"").expect("network");
    let (network, _) = rest[network..].split_once("[[edge]]").expect("edges");
    format!("{before}{network}{WRITTEN}")
}

#[test]
fn a_composite_in_stages_is_the_pipeline_with_its_stages_written_out() {
    let apart = metrics(PIPELINE, HARDWARE).unwrap_or_else(|faults| panic!("{faults}"));
    let by_hand = metrics(&written(), HARDWARE).unwrap_or_else(|faults| panic!("{faults}"));
    for (name, value) in &by_hand {
        let ours = apart.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(ours == value || (ours.is_nan() && value.is_nan()), "{name}: {ours} and {value}");
    }
    // 100 samples x 2 levels x 8 corners at four a cycle are 400 cycles, and ten batches of it 4,000: the slowest unit.
    // Their 6,400 bytes at 8 bytes a cycle take 800 cycles of the table's port, which is slower still.
    assert!(apart["latency_cycles"] >= 8000.0 && apart["latency_cycles"] < 9000.0, "{}", apart["latency_cycles"]);
}

#[test]
fn a_unit_for_the_whole_goes_first_and_the_mapping_before_that() {
    let both = format!("{HARDWARE}{WHOLE}");
    let names = |pipeline: &str, hardware: &str| -> Vec<String> {
        let study = study(pipeline, hardware).unwrap_or_else(|faults| panic!("{faults}"));
        study.pipeline.operators.iter().map(|operator| operator.name.clone()).collect()
    };
    assert_eq!(names(PIPELINE, &both), ["place", "encode", "network"]);
    let stages = ["place", "encode.IndexGeneration", "encode.HashLookup", "encode.Interpolation", "network"];
    assert_eq!(names(PIPELINE, HARDWARE), stages);
    // A unit of the whole that does not reach the table is none.
    assert_eq!(names(PIPELINE, &both.replace("per_cycle = 100 }\nreads = [\"table\"]", "per_cycle = 100 }")), stages);
    // A category is the whole, too.
    let encoder =
        HARDWARE.replace("\"Interpolation\"", "\"encoding\"").replace("joiner\"", "joiner\"\nreads = [\"table\"]");
    assert_eq!(names(PIPELINE, &encoder), ["place", "encode", "network"]);
    // One unit for all stages, by the pipeline's choice.
    let one = HARDWARE.replace("\"Interpolation\"", "\"IndexGeneration\", \"HashLookup\", \"Interpolation\"");
    let one = one.replace("joiner\"", "joiner\"\nreads = [\"table\"]");
    let mapped = format!("{PIPELINE}\n[mapping]\nencode = \"joiner\"\n");
    let study = study(&mapped, &one).unwrap_or_else(|faults| panic!("{faults}"));
    let units: Vec<&str> = study.pipeline.mapping.iter().map(|(_, unit, _)| unit.as_str()).collect();
    assert_eq!(units, ["joiner"; 3]);
    assert!(metrics(&mapped, &one).is_ok());
}

#[test]
fn what_neither_the_whole_nor_every_stage_can_be_says_why_for_each() {
    let fault = metrics(PIPELINE, &HARDWARE.replace("\"HashLookup\"", "\"DenseGridEncoding\"")).expect_err("no lookup");
    for wanted in [
        "no unit of hardware `hw` can execute operator `encode` (HashEncoding)",
        "`looker`: executes DenseGridEncoding",
        "and its stage IndexGeneration:\n",
        "`indexer`: can",
        "and its stage HashLookup:\n",
        "`indexer`: executes IndexGeneration",
        "and its stage Interpolation:\n",
        "`joiner`: can",
    ] {
        assert!(fault.contains(wanted.trim_end()), "{wanted:?} is not in\n{fault}");
    }
}

#[test]
fn a_backward_pass_comes_apart_into_its_own_stages() {
    let pipeline = PIPELINE.replace("kind = \"HashEncoding\"", "kind = \"HashEncoding\"\npass = \"backward\"");
    let hardware = HARDWARE
        .replace("executes = [\"HashLookup\"]", "executes = [\"HashLookup\"]\npasses = [\"backward\"]")
        .replace("executes = [\"Interpolation\"]", "executes = [\"Interpolation\"]\npasses = [\"backward\"]");
    let study = study(&pipeline, &hardware).unwrap_or_else(|faults| panic!("{faults}"));
    let stages: Vec<(&str, Pass)> =
        study.pipeline.operators[1..4].iter().map(|operator| (operator.kind.0.as_str(), operator.pass)).collect();
    let wanted =
        [("IndexGeneration", Pass::Forward), ("Interpolation", Pass::Backward), ("HashLookup", Pass::Backward)];
    assert_eq!(stages, wanted);
    assert!(metrics(&pipeline, &hardware).is_ok());
}

/// A traced hash grid comes apart by the same rule, with the trace's numbers.
#[test]
fn a_traced_composite_comes_apart_too() {
    let Some(reference) = common::reference() else { return };
    let path = reference.join("traces/instant_ngp_4096.pkl");
    let workload = workload::load(&path, &TransformOptions::default()).expect("workload");
    let samples =
        workload.operators.iter().find(|operator| operator.kind == "HashEncoding").expect("grid").parameters["samples"];
    let rest = "[[unit]]\nname = \"rest\"\nexecutes = [\"sampling\", \"computation\", \"blending\", \"DirectionEncoding\"]\ncycles = { value = 1, basis = \"derived\" }\n";
    let folder = tempfile::tempdir().expect("folder");
    let hardware = folder.path().join("hardware.toml");
    std::fs::write(&hardware, format!("{HARDWARE}{rest}")).expect("file");
    let mapped =
        analysis::map(workload, "trace", hardware.to_str().expect("path")).unwrap_or_else(|faults| panic!("{faults}"));
    let stages: Vec<(&str, f64, Option<&str>)> = mapped
        .workload
        .operators
        .iter()
        .filter(|operator| operator.name.starts_with("hash_encoding."))
        .map(|operator| (operator.kind.as_str(), operator.parameters["samples"], operator.unit.as_deref()))
        .collect();
    let wanted = [
        ("IndexGeneration", samples, Some("indexer")),
        ("HashLookup", samples, Some("looker")),
        ("Interpolation", samples, Some("joiner")),
    ];
    assert_eq!(stages, wanted);
    assert!(mapped.workload.operators.iter().all(|operator| operator.unit.is_some()));
}

fn get(counts: &[(String, f64)], name: &str) -> f64 {
    counts.iter().find(|(count, _)| count == name).map_or(0.0, |(_, value)| *value)
}

/// Arguments that tell the parameters of each composite apart.
fn arguments(composite: &KindDecl) -> Vec<(&str, f64)> {
    match composite.name.as_str() {
        "FrustumCullProject" => {
            vec![("gaussians", 1000.0), ("visible", 400.0), ("binned", 900.0), ("tests", 1100.0), ("tiles", 64.0)]
        }
        "HashEncoding" => vec![("samples", 500.0), ("levels", 3.0), ("features", 4.0), ("table_entries", 128.0)],
        "HierarchicalSort" => vec![("keys", 5000.0), ("leaf", 8.0), ("subsets", 4.0)],
        other => panic!("say the arguments of {other}"),
    }
}

/// FLOPs and multiply-adds of the stages are the composite's, in both passes, for arguments that differ. So are the bytes
/// of the weights and of the inputs where the composite counts all of them.
#[test]
fn the_stages_of_a_composite_do_its_work() {
    let (_, kinds) = kind::stock();
    let mut passes = 0;
    for composite in kinds.iter().filter(|kind| !kind.stages.is_empty()) {
        let given = arguments(composite);
        for pass in [Pass::Forward, Pass::Backward] {
            let stages = composite.stages_of(pass);
            assert_eq!(stages.is_empty(), composite.counts_of(pass).is_empty(), "{} {}", composite.name, pass.name());
            if stages.is_empty() {
                continue;
            }
            passes += 1;
            let whole = count(composite, pass, &given).unwrap_or_else(|faults| panic!("{faults}"));
            let parts: Vec<Vec<(String, f64)>> = stages
                .iter()
                .map(|stage| {
                    let kind = kinds.iter().find(|kind| kind.name == stage.kind).expect("stage");
                    // The composite's arguments are plain numbers here, so that a name is one of them.
                    let value = |text: &str| {
                        let found = given.iter().find(|(name, _)| *name == text);
                        found.map(|(_, value)| *value)
                    };
                    let all = stage.all_arguments(composite, kind);
                    let numbers: Vec<(&str, f64)> =
                        all.iter().filter_map(|(name, _, of)| Some((name.as_str(), value(&of.text)?))).collect();
                    count(kind, stage.pass, &numbers).unwrap_or_else(|faults| panic!("{faults}"))
                })
                .collect();
            let sum = |name: &str| parts.iter().map(|counts| get(counts, name)).sum::<f64>();
            for name in ["flops", "test", "update"] {
                let ours = get(&whole, name);
                assert!(ours == sum(name) || ours == 0.0, "{} {} {name}", composite.name, pass.name());
            }
            if composite.name != "HashEncoding" {
                for name in ["input", "weight", "read_bytes"] {
                    assert_eq!(get(&whole, name), sum(name), "{} {} {name}", composite.name, pass.name());
                }
            } else if pass == Pass::Forward {
                // It keeps what passes between its stages: positions go in, features come out.
                assert_eq!(get(&whole, "input"), get(&parts[0], "input"));
                assert_eq!(get(&whole, "lookup"), get(&parts[1], "lookup"));
                assert_eq!(get(&whole, "output"), get(&parts[2], "output"));
            }
        }
    }
    assert!(passes >= 5, "{passes}");
}

/// Wrong stages are refused with place and remedy.
#[test]
fn wrong_stages_are_refused() {
    let kind = |stages: &str| {
        format!(
            "{PIPELINE}\n[[kind]]\nname = \"K\"\ncategory = \"encoding\"\nparameters = {{ samples = \"required\", n = 2 }}\ncounts = {{ sample = \"samples\" }}\n{stages}\n"
        )
    };
    for (stages, wanted, help) in [
        ("stages = \"MLP\"", "`stages` must be a list of stages", "write `stages = ["),
        ("stages = [3]", "a stage of `stages` must be a kind or a table, not a number", "name of an operator kind"),
        ("stages = [{ pass = \"forward\" }]", "a stage needs the key `kind`", "kind"),
        ("stages = [{ kind = \"MLP\", argument = {} }]", "a stage has no key `argument`", "arguments"),
        ("stages = [\"K\"]", "`K` can be no stage of kind `K`", "known are"),
        (
            "stages = [{ kind = \"Interpolation\", arguments = { level = 1 } }]",
            "kind `Interpolation` has no parameter `level`",
            "did you mean `levels`?",
        ),
        (
            "stages = [{ kind = \"Interpolation\", arguments = { levels = \"2 * m\" } }]",
            "kind `K` has no parameter `m` to give its stage",
            "did you mean `n`?",
        ),
        ("stages = [\"GEMM\"]", "stage `GEMM` of kind `K` gets no `m`", "arguments = { m = ... }"),
        (
            "backward_stages = [\"IndexGeneration\"]",
            "stage `IndexGeneration` of kind `K` has no backward pass",
            "`pass`",
        ),
        (
            "stages = [\"L\"]\n[[kind]]\nname = \"L\"\ncategory = \"encoding\"\nparameters = { samples = \"required\" }\ncounts = { sample = \"samples\" }\nstages = [\"K\"]",
            "`L` can be no stage of kind `K`, which is a stage of it",
            "do not contain this one",
        ),
    ] {
        let fault = study(&kind(stages), HARDWARE).expect_err(stages);
        assert!(
            fault.contains(wanted) && fault.contains(help) && fault.contains("pipeline.toml:"),
            "{stages}:\n{fault}"
        );
    }
    // The stock kinds are sound.
    let faults = nerarch_dse::spec::Collector::default();
    stage::check_stages(kind::stock().1, &faults);
    assert_eq!(faults.error_count(), 0);
}

/// A composite of composites comes apart as far as the units ask for, and a kind of which a stage is used twice is two
/// operators.
#[test]
fn composites_nest() {
    let pipeline = PIPELINE
        .replace("kind = \"HashEncoding\"", "kind = \"Both\"")
        .replace("count.lookup * 4", "count.sample")
        + "\n[[kind]]\nname = \"Both\"\ncategory = \"optimization\"\nparameters = { samples = \"required\", levels = 1, table_entries = 8 }\ncounts = { sample = \"samples\" }\nstages = [\"HashEncoding\", { kind = \"Interpolation\", arguments = { levels = \"2 * levels\" } }, \"Interpolation\"]\n";
    let study = study(&pipeline, HARDWARE).unwrap_or_else(|faults| panic!("{faults}"));
    let names: Vec<&str> = study.pipeline.operators.iter().map(|operator| operator.name.as_str()).collect();
    let wanted = [
        "place",
        "encode.HashEncoding.IndexGeneration",
        "encode.HashEncoding.HashLookup",
        "encode.HashEncoding.Interpolation",
        "encode.Interpolation",
        "encode.Interpolation2",
        "network",
    ];
    assert_eq!(names, wanted);
    assert!(metrics(&pipeline, HARDWARE).is_ok());
}
