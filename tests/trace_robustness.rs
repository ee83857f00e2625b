//! No input panics, whatever it is: random bytes, random operations, mutated files, random graphs.

use std::sync::{Arc, LazyLock};

use nerarch_dse::trace::{Attributes, CallTables, Format, GraphBuilder, TransformOptions, Value, read, transform};
use proptest::prelude::*;

static TABLES: LazyLock<CallTables> = LazyLock::new(|| CallTables::stock().expect("the stock tables are right"));

const FORMATS: [Format; 5] = [Format::Pickle, Format::NodeLink, Format::GraphMl, Format::Gml, Format::Dot];

/// A small right pickle: one node with a tuple, one edge to itself.
const PICKLE: &[u8] =
    b"\x80\x02cnetworkx.classes.digraph\nDiGraph\nq\x00)\x81q\x01}q\x02(U\x05_nodeq\x03}q\x04U\x01aq\x05}q\x06\
U\x05shapeK\x02K\x03\x86q\x07ssU\x05_succ}h\x05}h\x05}U\x06weightG?\xf0\x00\x00\x00\x00\x00\x00sssub.";

const FUNCTIONS: [&str; 12] = [
    "UniformSampler.generate_ray_samples",
    "PDFSampler.generate_ray_samples",
    "NeRFEncoding.forward",
    "HashEncoding.forward",
    "MLP.forward",
    "MLP.backward",
    "RGBRenderer.forward",
    "NeRFModel.get_outputs",
    "Tensor.backward",
    "MSELoss.forward",
    "Adam.step",
    "rasterize_to_pixels",
];

/// Texts that are nearly files of a text format.
fn nearly_text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "digraph",
        "graph",
        "{",
        "}",
        "[",
        "]",
        "->",
        "--",
        "\"",
        "\\",
        "node",
        "edge",
        "subgraph",
        "=",
        ";",
        ":",
        "<",
        ">",
        "a",
        "<graph>",
        "</graph>",
        "<node id=\"a\">",
        "<data key=\"k\">",
        "&amp;",
        "&#x41;",
        "&",
        "id",
        "1",
        "-1",
        "label",
        "source",
        "target",
        "\"nodes\"",
        "\"links\"",
        ",",
        "\n",
        "#",
        "/*",
        "*/",
        "+",
        "é",
        "directed",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

/// Operations of a pickle in any order, most with right arguments.
fn operations() -> impl Strategy<Value = Vec<u8>> {
    let operations: Vec<&'static [u8]> = vec![
        b"\x80\x04",
        b"(",
        b")",
        b"]",
        b"}",
        b"\x8f",
        b"N",
        b"\x88",
        b"\x89",
        b"K\x07",
        b"J\xff\xff\xff\xff",
        b"G\x3f\xf0\0\0\0\0\0\0",
        b"U\x05_node",
        b"U\x05_succ",
        b"U\x01a",
        b"X\x01\0\0\0b",
        b"a",
        b"e",
        b"s",
        b"u",
        b"\x90",
        b"t",
        b"l",
        b"d",
        b"\x85",
        b"\x86",
        b"\x87",
        b"\x91",
        b"q\x00",
        b"h\x00",
        b"q\x01",
        b"h\x01",
        b"\x94",
        b"0",
        b"1",
        b"2",
        b"R",
        b"\x81",
        b"\x92",
        b"b",
        b"o",
        b".",
        b"cnetworkx.classes.digraph\nDiGraph\n",
        b"c__builtin__\ndict\n",
        b"c__builtin__\nlist\n",
        b"ccopy_reg\n_reconstructor\n",
        b"c__builtin__\nobject\n",
        b"cnetworkx.classes.reportviews\nNodeView\n",
        b"\x93",
        b"\x8a\x02\xff\x7f",
        b"I01\n",
        b"L5L\n",
        b"V\\u00e9\n",
        b"S'x'\n",
        b"C\x01x",
        b"\x95\0\0\0\0\0\0\0\0",
    ];
    prop::collection::vec(prop::sample::select(operations), 0..80).prop_map(|parts| parts.concat())
}

fn read_and_transform(bytes: &[u8], format: Format) {
    if let Ok(graph) = read::from_bytes(bytes, format) {
        drop(transform(&graph, &TABLES, &TransformOptions::default()));
    }
}

fn shapes() -> impl Strategy<Value = Value> {
    let dimension = prop_oneof![0_i128..5, Just(4096), Just(i128::from(u64::MAX)), Just(i128::MAX), Just(-1)];
    let tuple = prop::collection::vec(dimension.prop_map(Value::Int), 0..4).prop_map(Value::Tuple);
    prop_oneof![
        prop::collection::vec(tuple, 0..8).prop_map(Value::List),
        Just(Value::text("(4096, 64),(4096, 64, 1)")),
        Just(Value::text("(4096, 64, 63)")),
        Just(Value::text("no_tensors")),
        Just(Value::text("?")),
        Just(Value::None),
        ".{0,20}".prop_map(Value::text),
    ]
}

fn attribute(name: &str, value: Value) -> (Arc<str>, Value) {
    (Arc::from(name), value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in FORMATS {
            read_and_transform(&bytes, format);
        }
    }

    #[test]
    fn random_operations_never_panic(bytes in operations()) {
        read_and_transform(&bytes, Format::Pickle);
    }

    #[test]
    fn nearly_right_texts_never_panic(text in nearly_text()) {
        for format in FORMATS {
            read_and_transform(text.as_bytes(), format);
        }
    }

    #[test]
    fn mutated_pickles_never_panic(changes in prop::collection::vec((0..PICKLE.len(), any::<u8>()), 0..6), cut in 0..PICKLE.len()) {
        let mut bytes = PICKLE.to_vec();
        for (place, byte) in changes {
            bytes[place] = byte;
        }
        read_and_transform(&bytes, Format::Pickle);
        bytes.truncate(cut);
        read_and_transform(&bytes, Format::Pickle);
    }

    #[test]
    fn random_tables_never_panic(text in "(\\[\\[call\\]\\]|[a-z0-9 =\"\n\\[\\](){}*+./^-]){0,80}") {
        drop(CallTables::from_toml("random.toml", &text));
    }

    #[test]
    fn random_traces_give_a_pipeline_in_order_or_an_error(
        nodes in prop::collection::vec((prop::sample::select(FUNCTIONS.to_vec()), shapes(), shapes(), 0_u8..3, any::<f64>()), 1..30),
        links in prop::collection::vec((0_usize..30, 0_usize..30, 0_usize..5), 0..60),
    ) {
        let mut builder = GraphBuilder::default();
        let count = nodes.len();
        for (index, (function, inputs, outputs, stage, repeat)) in nodes.into_iter().enumerate() {
            let stage = ["coarse", "fine", "None"].get(usize::from(stage)).map_or(Value::None, Value::text);
            let attributes = Attributes::from_pairs([
                attribute("func_name", Value::text(function)),
                attribute("input_shapes", inputs),
                attribute("output_shapes", outputs),
                attribute("stage", stage),
                attribute("count", Value::Float(repeat)),
            ]);
            builder.node(Arc::from(index.to_string()), attributes).expect("a new name");
        }
        for (from, to, kind) in links {
            let name = ["weight", "sequence", "data_concat", "stage_transition", "backward_of"][kind];
            let attributes = Attributes::from_pairs([attribute(name, Value::Int(1))]);
            // Half of the graphs run in no circle.
            let (from, to) = if kind == 0 || from < to { (from, to) } else { (to, from) };
            builder.edge(&(from % count).to_string(), &(to % count).to_string(), attributes).expect("nodes that are there");
        }
        if let Ok(pipeline) = transform(&builder.finish(), &TABLES, &TransformOptions::default()) {
            prop_assert!(pipeline.edges.iter().all(|edge| edge.from < edge.to && edge.to < pipeline.operators.len()));
            let sum = pipeline.operators.iter().map(|operator| operator.flops).fold(0, u64::saturating_add);
            prop_assert_eq!(pipeline.totals.flops, sum);
        }
    }
}

#[test]
fn the_small_pickle_is_right() {
    let graph = read::from_bytes(PICKLE, Format::Pickle).expect("a graph");
    assert_eq!((graph.nodes().len(), graph.edges().len()), (1, 1));
}
