//! Reading traces: every pickle variant equals its expected graph, every format is the same graph, every fault is told.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nerarch_dse::trace::{Attributes, Format, TraceGraph, Value, read};
use serde_json::Value as Json;
use trace_support::{files, traces};

mod trace_support;

/// `expected.json` writes a tuple as `{"__tuple__": [...]}`.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => number.as_i64().map_or_else(
            || {
                let float = number.as_f64().expect("a number");
                let whole = float.fract() == 0.0 && !number.to_string().contains(['.', 'e']);
                if whole { Value::Int(float as i128) } else { Value::Float(float) }
            },
            |integer| Value::Int(integer.into()),
        ),
        Json::String(text) => Value::text(text),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(fields) => match fields.get("__tuple__") {
            Some(Json::Array(items)) => Value::Tuple(items.iter().map(value).collect()),
            _ => Value::Dict(fields.iter().map(|(name, json)| (Value::text(name), value(json))).collect()),
        },
    }
}

fn attributes(json: &Json) -> Attributes {
    let fields = json.as_object().expect("an object");
    Attributes::from_pairs(fields.iter().map(|(name, json)| (Arc::from(name.as_str()), value(json))))
}

fn assert_is_expected(graph: &TraceGraph, expected: &Json, file: &Path) {
    let file = file.display();
    let nodes = expected["nodes"].as_object().expect("nodes");
    let names: Vec<&str> = graph.nodes().iter().map(|node| &*node.id).collect();
    assert_eq!(names, nodes.keys().map(String::as_str).collect::<Vec<_>>(), "{file}");
    for node in graph.nodes() {
        let wanted = attributes(&nodes[&*node.id]);
        for (name, value) in node.attributes.iter() {
            let equal = match (value, wanted.get(name)) {
                // 2^70 passes through a float in the JSON of the test.
                (Value::Int(big), Some(other)) if *big > 1 << 64 => other.as_number() == Some(*big as f64),
                (value, other) => Some(value) == other,
            };
            assert!(equal, "{file}: {} {name}: {value:?} is not {:?}", node.id, wanted.get(name));
        }
        assert_eq!(node.attributes.len(), wanted.len(), "{file}: {}", node.id);
    }
    let edges: Vec<(&str, &str, &Attributes)> = graph
        .edges()
        .iter()
        .map(|edge| (&*graph.nodes()[edge.from].id, &*graph.nodes()[edge.to].id, &edge.attributes))
        .collect();
    let wanted = expected["edges"].as_array().expect("edges");
    assert_eq!(edges.len(), wanted.len(), "{file}");
    for ((from, to, found), wanted) in edges.into_iter().zip(wanted) {
        assert_eq!((Some(from), Some(to)), (wanted[0].as_str(), wanted[1].as_str()), "{file}");
        assert_eq!(*found, attributes(&wanted[2]), "{file}: {from} -> {to}");
    }
    assert_eq!(*graph.attributes(), attributes(&expected["graph"]), "{file}");
}

#[test]
fn every_pickle_variant_equals_the_expected_graph() {
    let Some(folder) = traces() else { return };
    let pickles = folder.join("pickles");
    let expected: Json =
        serde_json::from_str(&std::fs::read_to_string(pickles.join("expected.json")).expect("expected.json"))
            .expect("JSON");
    let variants = files(&pickles, |name| name.starts_with("nx_"));
    assert!(variants.len() >= 25, "only {} variants", variants.len());
    for path in variants {
        let graph = read::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_is_expected(&graph, &expected, &path);
    }
}

#[test]
fn cyclic_graphs_are_read_whatever_version_wrote_them() {
    let Some(folder) = traces() else { return };
    let cyclic = files(&folder.join("pickles"), |name| name.starts_with("cycle_"));
    let graphs: Vec<_> = cyclic.iter().map(|path| read::from_path(path).expect("a graph")).collect();
    assert!(graphs.len() >= 5);
    assert!(graphs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_pickle_and_its_node_link_file_are_the_same_graph() {
    let Some(folder) = traces() else { return };
    let pickles = files(&folder, |name| name.ends_with(".pkl"));
    assert_eq!(pickles.len(), 8);
    for path in pickles {
        let pickle = read::from_path(&path).expect("a graph");
        let json = read::from_path(&path.with_extension("node_link.json")).expect("a graph");
        assert_eq!(pickle, json, "{}", path.display());
    }
}

#[test]
fn a_forbidden_object_is_named_with_its_place() {
    let error = read::from_bytes(b"\x80\x02cposix\nsystem\nq\x00.", Format::Pickle).expect_err("hostile");
    assert!(error.to_string().starts_with("the pickle asks for `posix.system`"), "{error}");
    assert!(error.to_string().contains("(at byte 2)"), "{error}");
}

#[test]
fn a_short_pickle_cannot_unfold_to_an_endless_value() {
    // Forty tuples, each holding the one before it twice: 2^40 values if it were written out.
    let mut bytes = b"\x80\x02cnetworkx.classes.digraph\nDiGraph\n)\x81}(U\x05_node}U\x01a}U\x01x)".to_vec();
    bytes.extend(b"2\x86".repeat(40));
    bytes.extend(b"ssU\x05_succ}ub.");
    let start = Instant::now();
    let error = read::from_bytes(&bytes, Format::Pickle).expect_err("hostile");
    assert!(error.to_string().contains("unfolds to"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn what_networkx_writes_as_graphml_gml_and_dot_is_one_graph() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces");
    let graphs: Vec<_> = ["graphml", "gml", "dot"]
        .iter()
        .map(|extension| read::from_path(&data.join("instant_ngp_4096").with_extension(extension)).expect("a graph"))
        .collect();
    assert_eq!(graphs[0].nodes().len(), 14);
    assert_eq!(graphs[0], graphs[1]);
    assert_eq!(graphs[0].nodes(), graphs[2].nodes());
    let Some(folder) = traces() else { return };
    let pickle = read::from_path(&folder.join("instant_ngp_4096.pkl")).expect("a graph");
    let names = |graph: &TraceGraph| graph.nodes().iter().map(|node| node.id.clone()).collect::<Vec<_>>();
    let edges = |graph: &TraceGraph| graph.edges().iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>();
    assert!(graphs.iter().all(|graph| names(graph) == names(&pickle) && edges(graph) == edges(&pickle)));
}

#[test]
fn node_link_edges_may_be_called_links_or_edges() {
    let text = r#"{"nodes": [{"id": 1}, {"id": "b", "x": [1, 2.5, null]}], "NAME": [{"source": 1, "target": "b", "weight": 1}]}"#;
    let links = read::from_bytes(text.replace("NAME", "links").as_bytes(), Format::NodeLink).expect("a graph");
    let edges = read::from_bytes(text.replace("NAME", "edges").as_bytes(), Format::NodeLink).expect("a graph");
    assert_eq!(links, edges);
    assert_eq!(&*links.nodes()[0].id, "1");
    assert_eq!(links.edges()[0].attributes.get("weight"), Some(&Value::Int(1)));
}

#[test]
fn a_dot_file_may_use_subgraphs_ports_comments_and_joined_text() {
    let text = r#"
        strict digraph "a graph" { // a comment
            rankdir = LR; node [shape=box]
            subgraph cluster_coarse_0 { label="coarse"; a [func_name="x." + "y" count=2]; b }
            /* another */ a:out -> { b c:in } -> d [weight=1];
        }"#;
    let graph = read::from_bytes(text.as_bytes(), Format::Dot).expect("a graph");
    let names: Vec<_> = graph.nodes().iter().map(|node| &*node.id).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(graph.nodes()[0].attributes.text("func_name"), Some("x.y"));
    assert_eq!(graph.nodes()[0].attributes.text("cluster"), Some("cluster_coarse_0"));
    let edges: Vec<_> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(0, 1), (0, 2), (1, 3), (2, 3)]);
}

#[test]
fn every_fault_says_what_where_and_what_to_do() {
    let cases: [(Format, &str, &str); 12] = [
        (Format::NodeLink, "{\"nodes\": [}", "this is not JSON: expected value (at line 1, column 12)"),
        (Format::NodeLink, "{\"nodes\": [{}], \"links\": []}", "a node has no `id` (at nodes[0])"),
        (
            Format::NodeLink,
            "{\"directed\": false, \"nodes\": [], \"links\": []}",
            "the graph is undirected (at `directed`)",
        ),
        (
            Format::NodeLink,
            "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 2}]}",
            "an edge names node `2`, which is not in the graph (at links[0])",
        ),
        (
            Format::NodeLink,
            "{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"links\": []}",
            "two nodes are called `1` (at nodes[1])",
        ),
        (Format::Dot, "digraph {\n a -- b }", "the graph is undirected (at line 2, column 4)"),
        (Format::Dot, "digraph { a -> ", "the file ends in the middle of a statement (at line 1, column 16)"),
        (
            Format::GraphMl,
            "<graphml><graph edgedefault=\"undirected\">",
            "the graph is undirected (at line 1, column 42)",
        ),
        (Format::GraphMl, "<graphml>", "the file ends in the middle of an XML element (at line 1, column 10)"),
        (
            Format::Gml,
            "graph [ node [ id 1 ]",
            "the file ends in the middle of a list in brackets (at line 1, column 22)",
        ),
        (Format::Pickle, "<html>", "byte 0x3c is no operation of a pickle: is this a pickle? (at byte 0)"),
        (Format::Pickle, "", "the file is empty"),
    ];
    for (format, text, message) in cases {
        let error = read::from_bytes(text.as_bytes(), format).expect_err(text);
        let shown = error.to_string();
        assert!(shown.starts_with(message), "{text}: {shown}");
        assert!(shown.ends_with(&format!("; {}", error.remedy())), "{shown}");
    }
}

#[test]
fn nesting_that_would_overflow_a_stack_is_refused_in_every_format() {
    let deep = 100_000;
    let cases = [
        (Format::NodeLink, "[".repeat(deep)),
        (Format::Dot, format!("digraph {}", "{".repeat(deep))),
        (Format::Gml, "graph [ ".repeat(deep)),
        (Format::GraphMl, "<graph>".repeat(deep)),
        (Format::Pickle, "(".repeat(deep)),
        (Format::Pickle, format!("({}", ")\u{6c}".repeat(deep))),
    ];
    for (format, text) in cases {
        assert!(read::from_bytes(text.as_bytes(), format).is_err(), "{format:?}");
    }
}

#[test]
fn python_objects_that_hold_plain_values_are_read() {
    let parts: [&[u8]; 7] = [
        b"\x80\x02cnetworkx.classes.digraph\nDiGraph\n)\x81}(U\x05_node}U\x01a}(",
        b"U\x04dictccollections\nOrderedDict\n)RU\x01kK\x07s",
        b"U\x04sizectorch\nSize\nK\x02K\x03\x86\x85R",
        b"U\x05bytesc_codecs\nencode\nX\x02\x00\x00\x00\xc3\xa9U\x06latin1\x86R",
        b"U\x04long\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x40",
        b"U\x03setc__builtin__\nset\n]K\x01a\x85R",
        b"usU\x05_succ}ub.",
    ];
    let graph = read::from_bytes(&parts.concat(), Format::Pickle).expect("a graph");
    let attributes = &graph.nodes()[0].attributes;
    assert_eq!(attributes.get("dict"), Some(&Value::Dict(vec![(Value::text("k"), Value::Int(7))])));
    assert_eq!(attributes.get("size"), Some(&Value::Tuple(vec![Value::Int(2), Value::Int(3)])));
    assert_eq!(attributes.get("bytes"), Some(&Value::Bytes(Arc::from([0xe9]))));
    assert_eq!(attributes.get("long"), Some(&Value::Int(1 << 70)));
    assert_eq!(attributes.get("set"), Some(&Value::Set(vec![Value::Int(1)])));
}
