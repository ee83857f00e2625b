//! Traces as graphs of whole operators: `nerarch-dse operators`.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use nerarch_dse::report::analysis::{self, OperatorSchedule, schedule_operators};
use nerarch_dse::schedule::tasks::Policy;
use nerarch_dse::spec::workload::{Workload, WorkloadOperator};
use nerarch_dse::trace::TransformOptions;
use nerarch_dse::trace::workload;

/// Function, inputs, outputs.
type Call = (&'static str, &'static str, &'static str);

/// Sampling, encoding, field, blending.
const CALLS: [Call; 4] = [
    ("nerfstudio.model_components.ray_samplers.VolumetricSampler.forward", "(64,)", "(1800,),(1800,)"),
    ("nerfstudio.field_components.encodings.HashEncoding.forward", "(1800, 3)", "(1800, 32)"),
    ("nerfstudio.field_components.mlp.MLP.forward", "(1800, 32)", "(1800, 16)"),
    ("nerfstudio.model_components.renderers.RGBRenderer.forward", "(1800, 3),(1800, 1),(1800,)", "(64, 3)"),
];

/// A node-link trace of `chunks` calls of a model, each of which makes these calls so many `times`, one after the other.
fn trace(calls: &[Call], chunks: usize, times: usize) -> String {
    let (mut nodes, mut links) = (Vec::new(), Vec::new());
    let mut node = |(function, inputs, outputs): Call, number: usize| {
        let id = format!("{function}[{inputs}->{outputs}]#{number}");
        nodes.push(format!(
            r#"{{"func_name":"{function}","input_shapes":"{inputs}","output_shapes":"{outputs}","stage":null,"count":1,"id":"{id}"}}"#
        ));
        id
    };
    for chunk in 1..=chunks {
        let model = ("nerfstudio.models.instant_ngp.NGPModel.get_outputs", "(64,)", "(64, 3),(64, 1)");
        let caller = node(model, chunk);
        for time in 0..times {
            for call in calls {
                let called = node(*call, (chunk - 1) * times + time + 1);
                links.push(format!(r#"{{"weight":1,"source":"{caller}","target":"{called}"}}"#));
            }
        }
    }
    let mut text = r#"{"directed":true,"multigraph":false,"graph":{},"nodes":["#.to_owned();
    let _ = write!(text, "{}],\"links\":[{}]}}", nodes.join(","), links.join(","));
    text
}

fn scheduled(path: &Path, hardware: &str, policy: &Policy) -> OperatorSchedule {
    let workload = workload::load_apart(path, &TransformOptions::default()).expect("a workload");
    schedule_operators(&workload, "the trace", hardware, policy).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Twelve thousand operators are four classes; no two are on a unit at once, and the busiest unit is nearly always busy.
#[test]
fn thousands_of_operators_are_scheduled_close_to_the_bound() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("chains.json");
    std::fs::write(&path, trace(&CALLS, 3_000, 1)).expect("written");
    for policy in [Policy::Best, Policy::DAGS, Policy::CriticalPath, Policy::Fifo] {
        let schedule = scheduled(&path, "programmable", &policy);
        assert_eq!((schedule.calls, schedule.operators.len(), schedule.edges), (12_000, 12_000, 9_000));
        // Four kinds; the first chunk also reads the weights of the encoding and the field.
        assert_eq!(schedule.classes, 6);
        assert!(schedule.outcome.gap() < 0.025, "{policy:?}: {}", schedule.outcome.gap());
        // Each unit's operators follow each other; each chain's as well.
        for unit in 0..schedule.units.len() {
            let mut spans: Vec<(f64, f64)> = schedule
                .operators
                .iter()
                .filter(|operator| operator.unit == unit)
                .map(|operator| (operator.start, operator.end))
                .collect();
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(spans.windows(2).all(|pair| pair[1].0 >= pair[0].1 - 1e-6));
            let busy: f64 = spans.iter().map(|span| span.1 - span.0).sum();
            assert!((busy - schedule.units[unit].2).abs() <= 1e-9 * busy.max(1.0));
        }
        for chain in schedule.operators.chunks(4) {
            assert!(chain.windows(2).all(|pair| pair[1].start >= pair[0].result - 1e-6), "{chain:?}");
        }
    }
}

/// A chain has nothing to share or to choose: the graph of operators takes as long as the pipeline that is scheduled stage by
/// stage, by another scheduler. NeuRex executes hash encoding in three stages.
#[test]
fn a_chain_takes_as_long_as_its_pipeline() {
    let folder = tempfile::tempdir().expect("folder");
    for (hardware, calls, parts) in
        [("programmable", &CALLS[..], 4), ("neurex", &CALLS[1..], 5), ("srender", &CALLS[1..], 5)]
    {
        let file = folder.path().join(format!("{hardware}.json"));
        std::fs::write(&file, trace(calls, 1, 1)).expect("written");
        let path = file.display().to_string();
        let whole = workload::load(&file, &TransformOptions::default()).expect("a workload");
        let mapped = analysis::map(whole, &path, hardware).unwrap_or_else(|faults| panic!("{faults}"));
        let pipeline = analysis::schedule(&mapped, &path, hardware, None).unwrap_or_else(|faults| panic!("{faults}"));
        let graph = scheduled(&file, hardware, &Policy::Best);
        let (found, expected) = (graph.outcome.makespan, pipeline.schedule.makespan_cycles);
        assert!((found - expected).abs() <= 1e-9 * expected, "{hardware}: {found} {expected}");
        assert_eq!(graph.operators.len(), parts, "{hardware}");
        let mut names: Vec<(&String, &String)> =
            graph.operators.iter().map(|one| (&one.name, &graph.units[one.unit].0)).collect();
        let mut others: Vec<(&String, &String)> =
            pipeline.schedule.operators.iter().map(|other| (&other.name, &other.unit)).collect();
        names.sort();
        others.sort();
        assert_eq!(names, others);
    }
}

/// Two iterations of a real training: the second one starts when the first has left its weights.
#[test]
fn iterations_of_a_training_follow_each_other() {
    let Some(reference) = common::reference() else { return };
    let text = std::fs::read_to_string(reference.join("traces/vanilla_nerf_train_1024_bwdhooks.node_link.json"));
    let once: serde_json::Value = serde_json::from_str(&text.expect("reads")).expect("JSON");
    // The calls once more, numbered on.
    let ids = |list: &str| once[list].as_array().expect("a list").clone();
    let mut most: std::collections::BTreeMap<String, u64> = Default::default();
    for node in ids("nodes") {
        let (call, number) = node["id"].as_str().and_then(|id| id.rsplit_once('#')).expect("numbered");
        let most = most.entry(call.to_owned()).or_default();
        *most = number.parse::<u64>().expect("a number").max(*most);
    }
    let on = |value: &serde_json::Value| {
        let (call, number) = value.as_str().and_then(|id| id.rsplit_once('#')).expect("numbered");
        serde_json::Value::from(format!("{call}#{}", number.parse::<u64>().expect("a number") + most[call]))
    };
    let mut twice = once.clone();
    for (list, keys) in [("nodes", &["id"][..]), ("links", &["source", "target"][..])] {
        for mut entry in ids(list) {
            keys.iter().for_each(|key| entry[*key] = on(&entry[*key]));
            twice[list].as_array_mut().expect("a list").push(entry);
        }
    }
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("twice.json");
    std::fs::write(&path, twice.to_string()).expect("written");
    let schedule = scheduled(&path, "programmable", &Policy::Best);
    let half = schedule.operators.len() / 2;
    let update =
        schedule.operators[..half].iter().find(|operator| operator.name.starts_with("adam")).expect("an update");
    // Rays can be drawn before; whatever has weights cannot.
    let mut waiting = 0;
    for operator in schedule.operators[half..].iter().filter(|operator| operator.name.contains("_mlp")) {
        waiting += 1;
        assert!(operator.start >= update.result - 1e-6, "{} {}, {}", operator.name, operator.start, update.result);
    }
    assert!(waiting >= 4);
    // The pipeline of the same trace does not stream iterations either.
    let whole = workload::load(&path, &TransformOptions::default()).expect("a workload");
    assert_eq!((whole.tiles, whole.operators.iter().filter(|operator| operator.streamed).count()), (1, 0));
    let said = "the 2 chunks are iterations, each with the weights of the one before";
    assert!(whole.remarks.iter().any(|remark| remark.starts_with(said)), "{:?}", whole.remarks);
}

/// The real trace of three chunks: every call of every chunk is an operator, and chunks do not wait for each other.
#[test]
fn chunks_of_a_real_trace_are_scheduled_side_by_side() {
    let Some(reference) = common::reference() else { return };
    let path = reference.join("traces/vanilla_nerf_100x100_3chunks.node_link.json");
    let joined = workload::load(&path, &TransformOptions::default()).expect("a workload");
    assert_eq!(joined.tiles, 3);
    let apart = workload::load_apart(&path, &TransformOptions::default()).expect("a workload");
    assert_eq!(apart.tiles, 1);
    let streamed = joined.operators.iter().filter(|operator| operator.streamed).count();
    assert_eq!(apart.operators.len(), joined.operators.len() + 2 * streamed);
    let total = |workload: &Workload| {
        let tiles = |operator: &WorkloadOperator| {
            if operator.streamed { workload.tiles as f64 } else { 1.0 }
        };
        workload.operators.iter().map(|operator| operator.counts["flops"] * tiles(operator)).sum::<f64>()
    };
    assert!((total(&apart) / total(&joined) - 1.0).abs() < 1e-9);
    // Weights are read once, by the first chunk, whether the others stream or not.
    let moved = |workload: &Workload| {
        let tiles = |name: &str| {
            let operator = workload.operators.iter().find(|operator| operator.name == name).expect("operator");
            if operator.streamed { workload.tiles as f64 } else { 1.0 }
        };
        workload.traffic.iter().map(|transfer| transfer.bytes * tiles(&transfer.operator)).sum::<f64>()
    };
    assert!((moved(&apart) / moved(&joined) - 1.0).abs() < 1e-9, "{} {}", moved(&apart), moved(&joined));
    let schedule = scheduled(&path, "programmable", &Policy::Best);
    assert!(schedule.operators.len() >= apart.operators.len());
    assert!(schedule.outcome.gap() < 0.2, "{}", schedule.outcome.gap());
}

#[test]
fn the_command_says_what_a_pipeline_cannot_hold_and_writes_every_operator() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("long.json"), trace(&CALLS, 1, 200)).expect("written");
    let run = |arguments: &[&str]| common::program(folder.path(), arguments);
    let refused = run(&["map", "long.json", "programmable"]);
    assert_eq!(refused.status.code(), Some(2));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("`long.json` has 800 operators, 600 dependencies and "), "{error}");
    assert!(error.contains("a pipeline has at most 512 of each"), "{error}");
    assert!(error.contains("`nerarch-dse operators`"), "{error}");
    let done = run(&["operators", "long.json", "--hardware", "programmable", "--csv", "all.csv"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(text.starts_with("long on ") && text.contains("800 operators of 4 classes, 600 dependencies"), "{text}");
    let rows = std::fs::read_to_string(folder.path().join("all.csv")).expect("written");
    assert_eq!(rows.lines().next(), Some("operator,unit,start_cycles,end_cycles,result_cycles"));
    assert_eq!(rows.lines().count(), 801);
    let again = run(&["operators", "long.json", "--hardware", "programmable", "--csv", "again.csv"]);
    assert_eq!(again.stdout, done.stdout);
    assert_eq!(std::fs::read_to_string(folder.path().join("again.csv")).expect("written"), rows);
    let weights = run(&["operators", "long.json", "--hardware", "programmable", "--alpha", "2"]);
    assert_eq!(weights.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&weights.stderr).contains("add --policy dags"));
    // Every kind that no unit executes is named, always in the same order, without a place that nobody can look at.
    let nobody = run(&["operators", "long.json", "--hardware", "gscore"]);
    assert_eq!(nobody.status.code(), Some(2));
    let error = String::from_utf8_lossy(&nobody.stderr).into_owned();
    let named: Vec<usize> = ["occupancy_sampler", "hash_encoding", "mlp", "rgb_renderer"]
        .iter()
        .map(|operator| error.find(&format!("can execute operator `{operator}`")).unwrap_or_else(|| panic!("{error}")))
        .collect();
    assert!(named.is_sorted() && !error.contains("as a pipeline"), "{error}");
    // The trace is not overwritten by what is made of it.
    let before = std::fs::read(folder.path().join("long.json")).expect("reads");
    let over = run(&["operators", "long.json", "--hardware", "programmable", "--csv", "./long.json"]);
    assert_eq!(over.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&over.stderr).contains("`./long.json` is what this was made from"));
    assert_eq!(std::fs::read(folder.path().join("long.json")).expect("reads"), before);
    // What is no operator is said.
    let unknown = trace(&CALLS, 1, 1).replace("MLP.forward", "Riddle.forward");
    std::fs::write(folder.path().join("riddle.json"), unknown).expect("written");
    let said = run(&["operators", "riddle.json", "--hardware", "programmable"]);
    assert!(said.status.success());
    let error = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(error.contains("Riddle.forward`") && error.contains("is not in the pipeline and costs nothing"), "{error}");
}
