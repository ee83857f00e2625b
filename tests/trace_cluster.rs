//! A cluster of a grouped DOT: how it is named, what belongs to it, what is written, and what is said where there is none.

mod common;

use std::fs;

use common::{program, reference};
use nerarch_dse::trace::{Format, Problem, TraceGraph, cluster, read};

const GROUPED: &str = r#"digraph ExecutionDAG { rankdir=LR; node [shape=box];
    subgraph cluster_coarse { label="coarse";
        a -> b;
        subgraph cluster_coarse_0 { a [func_name="nerf.Field.forward" input_shapes="(4, 3)" count=2 label="one\ntwo"]; b }
        subgraph cluster_coarse_1 { c [note="a \"quote\" and a \\"] }
        loose;
    }
    subgraph cluster_fine { d; subgraph { rank=same; e } }
    subgraph "cluster_7" { f }
    b -> a -> c -> d [weight=1.5]; e -> f; outside -> a;
}"#;

fn graph(text: &str) -> TraceGraph {
    read::from_bytes(text.as_bytes(), Format::Dot).unwrap_or_else(|fault| panic!("{fault}"))
}

fn names(graph: &TraceGraph) -> Vec<&str> {
    graph.nodes().iter().map(|node| &*node.id).collect()
}

#[test]
fn a_cluster_is_found_by_name_stage_and_index_or_number() {
    let graph = graph(GROUPED);
    for (selector, name, nodes) in [
        ("coarse", "cluster_coarse", "a b c loose"),
        ("cluster_coarse", "cluster_coarse", "a b c loose"),
        ("coarse:0", "cluster_coarse_0", "a b"),
        ("coarse : 1", "cluster_coarse_1", "c"),
        ("coarse_1", "cluster_coarse_1", "c"),
        ("fine", "cluster_fine", "d e"),
        ("0", "cluster_coarse", "a b c loose"),
        ("1", "cluster_fine", "d e"),
        // A name comes before a number.
        ("7", "cluster_7", "f"),
        ("2", "cluster_7", "f"),
    ] {
        let (found, part) = cluster::extract(&graph, selector).unwrap_or_else(|fault| panic!("{selector}: {fault}"));
        assert_eq!((&*found, names(&part).join(" ")), (name, nodes.to_owned()), "{selector}");
    }
}

#[test]
fn edges_between_its_nodes_belong_to_it() {
    let (_, part) = cluster::extract(&graph(GROUPED), "coarse").expect("a cluster");
    let edges: Vec<_> = part.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(0, 1), (0, 2), (1, 0)], "a -> b, a -> c, b -> a, and none from outside or to d");
    assert_eq!(part.edges()[1].attributes.get("weight").and_then(|value| value.as_number()), Some(1.5));
}

#[test]
fn what_is_written_reads_as_the_same_graph_and_is_grouped_again() {
    let (_, part) = cluster::extract(&graph(GROUPED), "coarse").expect("a cluster");
    let dot = cluster::to_dot(&part);
    let again = graph(&dot);
    let sorted = |graph: &TraceGraph| {
        let mut nodes = graph.nodes().to_vec();
        nodes.sort_by(|left, right| left.id.cmp(&right.id));
        nodes
    };
    assert_eq!(sorted(&again), sorted(&part), "{dot}");
    assert_eq!(again.edges().len(), part.edges().len());
    assert_eq!(names(&cluster::extract(&again, "coarse:1").expect("a cluster").1), ["c"]);
    assert!(dot.contains(r#""label"="one\ntwo""#), "a line break of the drawing stays one: {dot}");
}

#[test]
fn a_cluster_that_is_not_there_lists_those_that_are() {
    for selector in ["corse", "coarse:2", "coarse:x", ":", "3", "-1", "", "99999999999999999999999"] {
        let fault = cluster::extract(&graph(GROUPED), selector).expect_err(selector);
        let Problem::NoCluster { known, .. } = fault.problem() else { panic!("{fault}") };
        assert_eq!(known.join(" "), "`coarse` `coarse_0` `coarse_1` `fine` `7`", "{selector}");
    }
    let fault = cluster::extract(&graph("digraph { a -> b }"), "coarse").expect_err("no clusters");
    assert!(fault.to_string().contains("it has none; name one of them, or give a DOT"), "{fault}");
    let many: String = (0..5000).map(|at| format!("subgraph cluster_{at} {{ n{at} }} ")).collect();
    let fault =
        cluster::extract(&graph(&format!("digraph {{ {many} }}")), "x").expect_err("no such cluster").to_string();
    assert!(fault.contains("`19`, 4980 more") && fault.len() < 500, "{fault}");
}

#[test]
fn a_cluster_named_twice_or_within_itself_stands_where_it_is_named_first() {
    let graph = graph(
        "digraph { subgraph cluster_a { subgraph cluster_b { subgraph cluster_a { x } } } subgraph cluster_b { y } }",
    );
    assert_eq!(names(&cluster::extract(&graph, "b").expect("a cluster").1), ["x", "y"]);
    assert_eq!(names(&cluster::extract(&graph, "a").expect("a cluster").1), ["x", "y"]);
}

#[test]
fn report_and_analyze_write_it_as_dot_and_as_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("grouped.dot"), GROUPED).expect("a DOT");
    let cluster = |index: &'static str| ["--plot-dot-subgraph", "--dot", "grouped.dot", "--cluster-index", index];
    let run = |arguments: &[&str]| program(folder.path(), arguments);
    let output = run(&[&["report"][..], &cluster("coarse:0"), &["--subgraph-out-prefix", "deep/part"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let dot = fs::read_to_string(folder.path().join("deep/part.dot")).expect("a DOT");
    assert_eq!(names(&graph(&dot)), ["a", "b"]);
    let svg = fs::read_to_string(folder.path().join("deep/part.svg")).expect("an SVG");
    assert!(svg.contains(">Field.forward</text>") && svg.contains(">b</text>") && !svg.contains(">c</text>"), "{svg}");
    assert_eq!(svg.matches("marker-end").count(), 2, "a line for each edge");
    assert!(run(&[&["report"][..], &cluster("fine")].concat()).status.success());
    assert!(folder.path().join("cluster_fine.dot").is_file());

    for (arguments, wanted) in [
        (cluster("corse").to_vec(), "it has `coarse`, `coarse_0`"),
        (vec!["--plot-dot-subgraph", "--dot", "no.dot", "--cluster-index", "0"], "cannot be read"),
        (vec!["--plot-dot-subgraph", "--dot", "grouped.dot"], "--cluster-index"),
        (vec!["--cluster-index", "0"], "--plot-dot-subgraph"),
        (vec![], "SCHEDULED"),
    ] {
        let output = run(&[&["report"][..], &arguments].concat());
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && shown.contains(wanted), "{arguments:?}: {shown}");
    }

    let Some(reference) = reference() else { return };
    let trace = reference.join("traces").join("splatfacto_playbot_lod4_800.pkl").display().to_string();
    let analyze = |out: &'static str, index: &'static str| {
        let place = ["analyze", &trace, out, "--hardware", "programmable"];
        run(&[&place[..], &cluster(index), &["--subgraph-out-prefix", "component0"]].concat())
    };
    let output = analyze("bad", "corse");
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("bad").exists(), "nothing is written before the cluster is known");
    assert!(analyze("out", "fine").status.success());
    for file in ["component0.dot", "component0.svg", "timeline.svg"] {
        assert!(folder.path().join("out/visuals").join(file).is_file(), "{file}");
    }
}
