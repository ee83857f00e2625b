//! Roofline and graph of pipelines.

mod common;

use std::fs;

use common::{error, program};
use nerarch_dse::ppa::roofline::{Bound, Roofline};
use nerarch_dse::report::figure::{pipeline_svg, roofline_svg};
use nerarch_dse::report::graph::{ArrowKind, Detail, PipelineGraph};
use nerarch_dse::report::roofline::to_csv;
use nerarch_dse::spec::catalog::{Category, stock, stock_names};
use nerarch_dse::spec::kind::{self, KindDecl};
use nerarch_dse::spec::pipeline::{self, EdgeKind, PipelineDecl};
use nerarch_dse::spec::{Collector, Study};

const HARDWARE: &str = r#"
name = "four lanes"
node_nm = 28
[clock]
mhz = 1000
reference_mhz = 1000
[[unit]]
name = "blender"
executes = ["blending"]
passes = ["forward", "backward"]
instances = 4
rate = { item = "pixel_gaussian", per_cycle = 2 }
reads = ["buffer"]
[[sram]]
name = "buffer"
capacity_kib = 16
read_gb_per_s = 100
read_latency_cycles = 1
[dram]
peak_gb_per_s = 10
efficiency = { stream = 0.5 }
"#;

const PIPELINE: &str = r#"
name = "two"
[[operator]]
name = "blend"
kind = "GaussianAlphaBlend"
pixel_gaussians = 1000000
[[operator]]
name = "gradient"
kind = "GaussianAlphaBlend"
pass = "backward"
pixel_gaussians = 1000000
[[edge]]
from = "blend"
to = "gradient"
kind = "barrier"
[[traffic]]
name = "in"
operator = "blend"
memory = "dram"
direction = "read"
bytes = 4000000
[[traffic]]
name = "again"
operator = "gradient"
memory = "buffer"
direction = "read"
bytes = 1000000
"#;

const SWEEP: &str = "name = \"s\"\nhardware = \"hw.toml\"\npipeline = \"p.toml\"\nscenes = [\"lego\"]\n\
    [search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n";

#[test]
fn roofs_and_intensity_are_what_a_derivation_by_hand_gives() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, text) in [("hw.toml", HARDWARE), ("p.toml", PIPELINE), ("s.toml", SWEEP)] {
        fs::write(folder.path().join(name), text).expect("file");
    }
    let sweep = folder.path().join("s.toml").display().to_string();
    let (study, _) = Study::load(&sweep).unwrap_or_else(|faults| panic!("{faults}"));
    let scene = &study.scenes[0];
    let (roofline, _) =
        Roofline::evaluate(&study, scene, &scene.cameras()[0]).unwrap_or_else(|faults| panic!("{faults}"));
    let roofs: Vec<(&str, f64)> = roofline.roofs.iter().map(|roof| (roof.name.as_str(), roof.gb_per_s)).collect();
    assert_eq!(roofs, [("DRAM", 10.0), ("buffer read", 100.0)]);

    // Forward: 6 FLOPs for each of 10^6 pairs over 4 x 10^6 bytes = 1.5 FLOP/byte. 4 lanes do 2 pairs each per cycle, at
    // 1 GHz 8 x 6 = 48 GFLOP/s; half of 10 GB/s times 1.5 = 7.5 GFLOP/s.
    let [blend, gradient] = &roofline.operators[..] else { panic!("two operators") };
    assert!(error(blend.flop_per_byte, 1.5) < 1e-12);
    assert!(error(blend.compute_gflop_per_s, 48.0) < 1e-12);
    assert!(error(blend.attainable_gflop_per_s(), 7.5) < 1e-12);
    assert_eq!(blend.bound(), Bound::Memory);

    // Backward: 12 FLOPs a pair over 10^6 bytes of the buffer = 12 FLOP/byte: 100 GB/s allow 1200, the unit does 96.
    assert!(error(gradient.flop_per_byte, 12.0) < 1e-12);
    assert!(error(gradient.memory.as_ref().expect("the buffer").gflop_per_s, 1200.0) < 1e-12);
    assert!(error(gradient.attainable_gflop_per_s(), 96.0) < 1e-12);
    assert_eq!(gradient.bound(), Bound::Compute);

    let output = program(folder.path(), &["roofline", "s.toml", "--svg", "r.svg", "--csv", "r.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("memory-bound") && table.contains("compute-bound"), "{table}");
    let csv = fs::read_to_string(folder.path().join("r.csv")).expect("CSV");
    assert!(csv.lines().nth(1).is_some_and(|row| row.ends_with(",1.5,48,7.5,7.5,memory-bound")), "{csv}");
    let svg = fs::read_to_string(folder.path().join("r.svg")).expect("SVG");
    for text in ["blend", "gradient", "DRAM 10 GB/s", "memory-bound", "compute-bound, backward"] {
        assert!(svg.contains(text), "{text}");
    }
}

/// GSCore: 64 cores do one pair of 6 FLOPs per cycle at 1 GHz; without skipping a tile of 256 pixels does 6 x 256 FLOPs for
/// each of its Gaussians, whose 32 bytes of features come from the buffers.
#[test]
fn gscore_blends_at_the_roof_of_its_cores() {
    let (study, _) = Study::load("gscore").expect("stock");
    let scene = study.scenes.iter().find(|scene| scene.name == "lego").expect("lego");
    let (roofline, _) =
        Roofline::evaluate(&study, scene, &scene.cameras()[0]).unwrap_or_else(|faults| panic!("{faults}"));
    let blend = roofline.operators.iter().find(|point| point.name == "blend").expect("blend");
    assert!(error(blend.compute_gflop_per_s, 384.0) < 1e-12);
    assert!(error(blend.flop_per_byte, 6.0 * 256.0 / 32.0) < 1e-12);
    let cull = roofline.operators.iter().find(|point| point.name == "cull").expect("cull");
    // 167,894 Gaussians of 118 bytes in and 32 out, 1,570,804 list entries of 8 bytes, all streamed at 94 % of 51.2 GB/s.
    let bytes = 167_894.0 * 150.0 + 1_570_804.0 * 8.0;
    let memory = cull.memory.as_ref().expect("DRAM");
    assert!(error(memory.bytes, bytes) < 1e-12);
    assert!(error(memory.gflop_per_s, cull.flops / bytes * 51.2 * 0.94) < 1e-12);
    assert!(to_csv(&roofline).expect("CSV").lines().count() == 6);
    let load = roofline.operators.iter().find(|point| point.name == "load").expect("load");
    assert!(!load.has_place());
    assert!(roofline_svg(&roofline, "t").expect("SVG").contains("without arithmetic or traffic: load"));
}

#[test]
fn a_parameter_can_be_set_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |arguments: &[&str]| {
        let output = program(folder.path(), &[&["roofline"], arguments].concat());
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&text).into_owned())
    };
    let pair = ["--pipeline", "gsarch", "--hardware", "gsarch"];
    assert_eq!(run(&pair).0, Some(0));
    assert_eq!(run(&["gscore", "--set", "vr_cores=128"]).0, Some(0));
    assert!(run(&["gscore", "--set", "vr_cores=128"]).1.contains("768"), "twice the cores, twice 384 GFLOP/s");
    for (arguments, wanted) in [
        (&["gscore", "--set", "vr_core=1"][..], "did you mean `vr_cores`?"),
        (&["gscore", "--set", "vr_cores=inf"], "no finite number"),
        (&["gscore", "--set", "vr_cores"], "sets nothing"),
        (&["gscore", "--scene", "leg"], "did you mean `lego`?"),
        (&["gscore", "--camera", "x"], "has no camera \"x\""),
        (&["gscore", "--pipeline", "gscore"], "cannot be used with"),
        (&["--pipeline", "gscore"], "--hardware"),
        (&["--pipeline", "instant_ngp", "--hardware", "gscore"], "no unit of hardware `GSCore` can execute"),
    ] {
        let (status, text) = run(arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(wanted), "{arguments:?}: {text}");
    }
}

fn stock_pipelines() -> Vec<(PipelineDecl, Vec<KindDecl>)> {
    let names = stock_names(Category::Pipeline);
    assert!(names.len() >= 10);
    let read = |name: String| {
        let collector = Collector::default();
        let decl = pipeline::read(&stock(Category::Pipeline, &name).expect("stock"), &collector);
        let mut kinds = kind::stock().1.to_vec();
        let (decl, _) = collector.finish(decl).unwrap_or_else(|faults| panic!("{faults}"));
        kinds.extend(decl.kinds.iter().cloned());
        (decl, kinds)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn a_graph_has_a_box_for_each_operator_and_an_arrow_for_each_edge() {
    for (decl, kinds) in stock_pipelines() {
        let graph = PipelineGraph::new(&decl, &kinds, Detail::Coarse).unwrap_or_else(|faults| panic!("{faults}"));
        let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
        let operators: Vec<&str> = decl.operators.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, operators);
        assert_eq!(graph.arrows.len(), decl.edges.len(), "{}", decl.name);
        for (arrow, edge) in graph.arrows.iter().zip(&decl.edges) {
            assert_eq!((names[arrow.from], names[arrow.to]), (edge.from.0.as_str(), edge.to.0.as_str()));
            let kind = match edge.kind {
                EdgeKind::Barrier => ArrowKind::Barrier,
                EdgeKind::Stream => ArrowKind::Stream,
                EdgeKind::Carried => ArrowKind::Carried,
            };
            assert_eq!(arrow.kind, kind);
        }
        let dot = graph.to_dot();
        assert_eq!(dot.matches(" -> ").count(), decl.edges.len());
        let svg = pipeline_svg(&graph).expect("SVG");
        for operator in operators {
            assert!(dot.contains(&format!("label=\"{operator}\\n")), "{dot}");
            assert!(svg.contains(&format!("\n{operator}\n")), "{operator}: {svg}");
        }
        let carried = decl.edges.iter().any(|edge| edge.kind == EdgeKind::Carried);
        assert_eq!(svg.contains("next iteration"), carried, "{}", decl.name);
        assert_eq!(dot.contains("constraint=false"), carried, "{}", decl.name);
    }
}

#[test]
fn an_expanded_graph_has_a_box_for_each_stage_of_a_composite() {
    let mut composites = 0;
    for (decl, kinds) in stock_pipelines() {
        let stages = |name: &str| kinds.iter().find(|kind| kind.name == name).map_or(0, |kind| kind.stages.len());
        let expected: usize = decl.operators.iter().map(|operator| stages(&operator.kind.0).max(1)).sum();
        let graph = PipelineGraph::new(&decl, &kinds, Detail::Expanded).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(graph.nodes.len(), expected, "{}", decl.name);
        let inside = graph.arrows.iter().filter(|arrow| arrow.kind == ArrowKind::Inside).count();
        assert_eq!(inside, expected - decl.operators.len(), "{}", decl.name);
        assert_eq!(graph.arrows.len(), decl.edges.len() + inside);
        composites += graph.groups.len();
        pipeline_svg(&graph).expect("SVG");
    }
    assert!(composites > 0);
    // GSCore: cull stands for four stages, and what waits for it waits for the last.
    let (decl, kinds) = stock_pipelines().into_iter().find(|(decl, _)| decl.name == "3DGS on GSCore").expect("GSCore");
    let graph = PipelineGraph::new(&decl, &kinds, Detail::Expanded).expect("graph");
    let barrier = graph.arrows.iter().find(|arrow| arrow.kind == ArrowKind::Barrier).expect("barrier");
    assert_eq!(
        (graph.nodes[barrier.from].name.as_str(), graph.nodes[barrier.to].name.as_str()),
        ("OBBIntersection", "load")
    );
}

#[test]
fn graphs_are_written_where_the_user_says_and_faults_are_told() {
    let folder = tempfile::tempdir().expect("folder");
    let output = program(folder.path(), &["graph", "gsarch", "-o", "g.svg"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(fs::read_to_string(folder.path().join("g.svg")).expect("SVG").starts_with("<svg"));
    let output = program(folder.path(), &["graph", "gsarch"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("digraph"));
    let circle = PIPELINE
        .replace("[[traffic]]", "[[edge]]\nfrom = \"gradient\"\nto = \"blend\"\nkind = \"barrier\"\n[[traffic]]");
    fs::write(folder.path().join("circle.toml"), circle).expect("file");
    fs::write(folder.path().join("unknown.toml"), PIPELINE.replace("GaussianAlphaBlend", "GaussianAlfaBlend"))
        .expect("file");
    for (name, wanted) in [
        ("gsarc", "did you mean"),
        ("circle.toml", "blend -> gradient -> blend"),
        ("unknown.toml", "did you mean `GaussianAlphaBlend`?"),
    ] {
        let output = program(folder.path(), &["graph", name]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(wanted), "{name}: {text}");
    }
    let output = program(folder.path(), &["graph", "gscore", "-o", "circle.toml/g.svg"]);
    assert_eq!(output.status.code(), Some(1));
}

/// Operators that wait for each other are listed by name, whatever reads the pipeline.
#[test]
fn every_command_that_reads_a_pipeline_lists_a_circle_by_name() {
    let folder = tempfile::tempdir().expect("folder");
    let circle = PIPELINE
        .replace("[[traffic]]", "[[edge]]\nfrom = \"gradient\"\nto = \"blend\"\nkind = \"barrier\"\n[[traffic]]");
    fs::write(folder.path().join("p.toml"), circle).expect("file");
    fs::write(folder.path().join("h.toml"), HARDWARE).expect("file");
    let sweep = "name = \"s\"\nhardware = \"h.toml\"\npipeline = \"p.toml\"\nscenes = [\"lego\"]\n[search]\nobjectives = [\"latency_ms\"]\n";
    fs::write(folder.path().join("s.toml"), sweep).expect("file");
    for arguments in [
        &["sweep", "s.toml"][..],
        &["check", "s.toml"],
        &["explain", "s.toml"],
        &["roofline", "s.toml"],
        &["utilization", "s.toml"],
        &["tiles", "s.toml"],
        &["slurm", "s.toml", "--shards", "2"],
        &["graph", "p.toml"],
    ] {
        let output = program(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains("blend -> gradient -> blend"), "{arguments:?}: {text}");
        assert_eq!(text.matches("wait for each other").count(), 1, "{arguments:?}: {text}");
    }
}
