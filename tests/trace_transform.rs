//! Traces as pipelines: exact FLOPs of every reference trace, order, data flow, chunks, and what is not recognised.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nerarch_dse::trace::{
    CallTables, EdgeKind, Evidence, Format, Inference, Pass, TraceGraph, TracedOperator, TracedPipeline,
    TransformOptions, read, transform,
};
use serde_json::Value as Json;
use trace_support::{files, traces};

mod trace_support;

fn pipeline(graph: &TraceGraph) -> TracedPipeline {
    let tables = CallTables::stock().expect("the stock tables are right");
    transform(graph, &tables, &TransformOptions::default()).expect("a pipeline")
}

fn traced(folder: &Path, name: &str) -> (TraceGraph, TracedPipeline) {
    let graph = read::from_path(&folder.join(name).with_extension("pkl")).expect("a graph");
    let pipeline = pipeline(&graph);
    (graph, pipeline)
}

fn summary(folder: &Path, name: &str) -> Json {
    let text = std::fs::read_to_string(folder.join(format!("{name}.summary.json"))).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

fn names(folder: &Path) -> Vec<String> {
    let summaries = files(folder, |name| name.ends_with(".summary.json"));
    let name = |path: &std::path::PathBuf| path.file_name()?.to_str()?.strip_suffix(".summary.json").map(str::to_owned);
    summaries.iter().filter_map(name).collect()
}

/// Edges as pairs of names.
fn edges(pipeline: &TracedPipeline, kind: EdgeKind) -> HashSet<(&str, &str)> {
    let name = |index: usize| pipeline.operators[index].name.as_str();
    pipeline.edges.iter().filter(|edge| edge.kind == kind).map(|edge| (name(edge.from), name(edge.to))).collect()
}

fn operator<'a>(pipeline: &'a TracedPipeline, name: &str) -> &'a TracedOperator {
    pipeline.operators.iter().find(|operator| operator.name == name).unwrap_or_else(|| panic!("no operator {name}"))
}

#[test]
fn flops_of_every_reference_trace_are_those_of_its_summary() {
    let Some(folder) = traces() else { return };
    let names = names(&folder);
    assert_eq!(names.len(), 8);
    for name in names {
        let (graph, pipeline) = traced(&folder, &name);
        let summary = summary(&folder, &name);
        let total = summary["total_flops"].as_u64().expect("a total");
        let error = pipeline.totals.flops.abs_diff(total) as f64 / total as f64;
        eprintln!(
            "{name}: {} FLOPs, {:.5} % off, {} operators",
            pipeline.totals.flops,
            error * 100.0,
            pipeline.operators.len()
        );
        assert!(error < 0.01, "{name}: {} instead of {total}", pipeline.totals.flops);
        let counted: HashMap<usize, u64> =
            pipeline.operators.iter().map(|operator| (operator.node, operator.flops)).collect();
        for (index, node) in graph.nodes().iter().enumerate() {
            // Where the summary has no count (an optimizer whose parameters it does not know) there is nothing to check.
            let Some(wanted) = summary["flops_per_node"][&*node.id].as_u64() else { continue };
            assert_eq!(counted.get(&index).copied().unwrap_or(0), wanted, "{name}: {}", node.id);
        }
    }
}

#[test]
fn the_known_totals_come_out() {
    let Some(folder) = traces() else { return };
    for (name, tera) in [
        ("vanilla_nerf_4096x192", 1.146),
        ("vanilla_nerf_100x100_3chunks", 2.798),
        ("vanilla_nerf_train_1024_bwdhooks", 0.859),
    ] {
        let (_, pipeline) = traced(&folder, name);
        assert_eq!((pipeline.totals.flops as f64 / 1e9).round() / 1e3, tera, "{name}");
    }
}

#[test]
fn multiply_adds_per_sample_are_those_of_the_summary() {
    let Some(folder) = traces() else { return };
    for name in names(&folder) {
        let (_, pipeline) = traced(&folder, &name);
        let wanted = &summary(&folder, &name)["mlp_macs_per_sample"];
        let networks =
            pipeline.operators.iter().filter(|operator| operator.kind == "MLP" && operator.pass == Pass::Forward);
        for operator in networks {
            let size =
                |name: &str| operator.sizes.iter().find(|(size, _)| size == name).map(|(_, value)| *value).unwrap();
            let key = format!("{}->{}", size("inputs"), size("outputs"));
            assert_eq!(operator.macs as f64 / size("samples"), wanted[&key].as_f64().unwrap(), "{name}: {key}");
        }
    }
}

#[test]
fn containers_are_not_counted_beside_their_children() {
    let Some(folder) = traces() else { return };
    for name in names(&folder) {
        let (_, pipeline) = traced(&folder, &name);
        let is_container = |operator: &&TracedOperator| {
            ["get_outputs", "get_density", "get_loss_dict", "MLPWithHashEncoding", "rasterization", "Tensor.backward"]
                .iter()
                .any(|part| operator.function.ends_with(part))
        };
        assert!(!pipeline.operators.iter().any(|operator| is_container(&operator)), "{name}");
    }
}

#[test]
fn edges_lead_from_earlier_to_later_operators_although_the_traces_are_cyclic() {
    let Some(folder) = traces() else { return };
    for name in names(&folder) {
        let (_, pipeline) = traced(&folder, &name);
        assert!(pipeline.edges.iter().all(|edge| edge.from < edge.to && edge.to < pipeline.operators.len()), "{name}");
        let names: HashSet<_> = pipeline.operators.iter().map(|operator| &operator.name).collect();
        assert_eq!(names.len(), pipeline.operators.len(), "{name}: names are unique");
    }
}

#[test]
fn the_data_flow_of_vanilla_nerf_is_that_of_the_model() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_4096x192");
    let data = edges(&pipeline, EdgeKind::Data);
    let mut wanted = HashSet::new();
    for (stage, sampler) in [("coarse", "coarse_uniform_sampler"), ("fine", "fine_pdf_sampler")] {
        let named = |name: &str| if name == "sampler" { sampler.to_owned() } else { format!("{stage}_{name}") };
        for (from, to) in [
            ("sampler", "positional_encoding"),
            ("positional_encoding", "mlp"),
            ("mlp", "density_head"),
            ("sampler", "positional_encoding_2"),
            ("positional_encoding_2", "mlp_2"),
            ("mlp", "mlp_2"),
            ("mlp_2", "rgb_head"),
            ("sampler", "volume_weights"),
            ("density_head", "volume_weights"),
            ("rgb_head", "rgb_renderer"),
            ("volume_weights", "rgb_renderer"),
            ("volume_weights", "accumulation_renderer"),
            ("volume_weights", "depth_renderer"),
            ("sampler", "depth_renderer"),
        ] {
            wanted.insert((named(from), named(to)));
        }
    }
    wanted.insert(("coarse_uniform_sampler".into(), "fine_pdf_sampler".into()));
    wanted.insert(("coarse_volume_weights".into(), "fine_pdf_sampler".into()));
    assert_eq!(data, wanted.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect());
    assert_eq!(edges(&pipeline, EdgeKind::Stage), HashSet::from([("coarse_depth_renderer", "fine_pdf_sampler")]));
    let evidence: HashMap<_, _> = pipeline.edges.iter().map(|edge| ((edge.from, edge.to), edge.evidence)).collect();
    let place = |name: &str| pipeline.operators.iter().position(|operator| operator.name == name).unwrap();
    let how = |from: &str, to: &str| evidence.get(&(place(from), place(to))).copied();
    assert_eq!(how("coarse_mlp", "coarse_mlp_2"), Some(Evidence::Traced), "data_concat stands in the trace");
    assert_eq!(how("coarse_rgb_head", "coarse_rgb_renderer"), Some(Evidence::Shape), "this one does not");
}

#[test]
fn traces_with_call_edges_only_get_their_data_flow_from_shapes_and_say_so() {
    let Some(folder) = traces() else { return };
    let wanted: [(&str, &[(&str, &str)]); 3] = [
        (
            "instant_ngp_4096",
            &[
                ("occupancy_sampler", "hash_encoding"),
                ("occupancy_sampler", "direction_encoding"),
                ("hash_encoding", "mlp"),
                ("mlp", "mlp_2"),
                ("direction_encoding", "mlp_2"),
                ("mlp", "volume_weights"),
                ("mlp_2", "rgb_renderer"),
                ("volume_weights", "rgb_renderer"),
                ("volume_weights", "depth_renderer"),
                ("volume_weights", "accumulation_renderer"),
            ],
        ),
        (
            "nerfacto_4096_stockcfg",
            &[
                ("ray_samples", "hash_encoding"),
                ("mlp", "volume_weights"),
                ("volume_weights", "pdf_sampler"),
                ("pdf_sampler", "hash_encoding_2"),
                ("volume_weights_2", "pdf_sampler_2"),
                ("pdf_sampler_2", "hash_encoding_3"),
                ("mlp_3", "mlp_4"),
                ("mlp_3", "volume_weights_3"),
                ("mlp_4", "rgb_renderer"),
                ("volume_weights", "depth_renderer_3"),
                ("volume_weights_2", "depth_renderer_4"),
            ],
        ),
        (
            "splatfacto_playbot_lod4_800",
            &[
                ("covariance", "projection"),
                ("projection", "tile_sort"),
                ("tile_sort", "tile_ranges"),
                ("projection", "alpha_blend"),
                ("tile_sort", "alpha_blend"),
                ("tile_ranges", "alpha_blend"),
                ("view_color", "alpha_blend"),
            ],
        ),
    ];
    for (name, wanted) in wanted {
        let (_, pipeline) = traced(&folder, name);
        let data = edges(&pipeline, EdgeKind::Data);
        for edge in wanted {
            assert!(data.contains(edge), "{name}: {edge:?} is not in {data:?}");
        }
        assert!(pipeline.edges.iter().all(|edge| edge.inferred()), "{name}");
        assert!(pipeline.operators.iter().all(|operator| operator.inferred.contains(&Inference::Order)), "{name}");
        assert!(pipeline.unrecognised.is_empty(), "{name}: {:?}", pipeline.unrecognised);
    }
}

#[test]
fn three_chunks_are_one_pipeline_with_three_tiles_in_order() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_100x100_3chunks");
    let batches: Vec<_> = pipeline.chunks.iter().map(|chunk| chunk.batch).collect();
    assert_eq!(batches, [Some(4096), Some(4096), Some(1808)]);
    let streamed = pipeline.streamed.as_ref().expect("the chunks repeat");
    assert_eq!((streamed.tiles, streamed.operators.len(), streamed.equal), (3, 22, false));
    for instances in &streamed.operators {
        let chunks: Vec<_> = instances.iter().map(|index| pipeline.operators[*index].chunk).collect();
        assert_eq!(chunks, [Some(0), Some(1), Some(2)]);
        let functions: HashSet<_> = instances.iter().map(|index| &pipeline.operators[*index].function).collect();
        assert_eq!(functions.len(), 1);
    }
    let (_, single) = traced(&folder, "vanilla_nerf_4096x192");
    let single_edges: HashSet<_> = single.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(
        streamed.edges.iter().copied().collect::<HashSet<_>>(),
        single_edges,
        "a chunk is the single chunk's pipeline"
    );
    assert!(single.streamed.is_none());
    let crosses = |edge: &&nerarch_dse::trace::TracedEdge| {
        pipeline.operators[edge.from].chunk != pipeline.operators[edge.to].chunk
    };
    assert_eq!(pipeline.edges.iter().find(crosses), None, "no data passes from chunk to chunk");
}

#[test]
fn the_coarse_stage_comes_before_the_fine_one_in_every_chunk() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_100x100_3chunks");
    for chunk in &pipeline.chunks {
        let stages: Vec<_> = chunk.operators.iter().map(|index| pipeline.operators[*index].stage.as_deref()).collect();
        assert_eq!(stages, [vec![Some("coarse"); 11], vec![Some("fine"); 11]].concat());
    }
}

#[test]
fn backward_operators_know_their_forward_operator_and_gradients_run_backwards() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_train_1024_bwdhooks");
    let backward: Vec<_> = pipeline.operators.iter().filter(|operator| operator.pass == Pass::Backward).collect();
    assert_eq!(backward.len(), 14);
    for operator in &backward {
        let forward = &pipeline.operators[operator.backward_of.expect("the trace says it")];
        assert_eq!(forward.stage, operator.stage);
        assert_eq!(forward.kind, operator.kind);
    }
    let networks = backward.iter().filter(|operator| operator.kind == "MLP");
    for operator in networks {
        let forward = &pipeline.operators[operator.backward_of.unwrap()];
        assert_eq!((operator.flops, operator.macs), (2 * forward.flops, 2 * forward.macs));
    }
    let gradients = edges(&pipeline, EdgeKind::Gradient);
    for edge in [
        ("loss_backward", "fine_rgb_renderer_backward"),
        ("loss_backward_2", "coarse_rgb_renderer_backward"),
        ("fine_rgb_head_backward", "fine_mlp_backward"),
        ("fine_mlp_backward", "fine_mlp_backward_2"),
        ("fine_density_head_backward", "fine_mlp_backward_2"),
        ("coarse_mlp_backward_2", "adam"),
    ] {
        assert!(gradients.contains(&edge), "{edge:?} is not in {gradients:?}");
    }
    assert!(!gradients.contains(&("fine_mlp_backward", "fine_density_head_backward")), "that is order only");
}

#[test]
fn a_backward_pass_without_edges_to_the_forward_calls_is_paired_by_names_and_shapes() {
    let Some(folder) = traces() else { return };
    let name = "vanilla_nerf_train_1024_bwdhooks";
    let text = std::fs::read_to_string(folder.join(format!("{name}.node_link.json"))).expect("a trace");
    let mut document: Json = serde_json::from_str(&text).expect("JSON");
    document["links"].as_array_mut().expect("links").retain(|link| link.get("backward_of").is_none());
    let graph = read::from_bytes(document.to_string().as_bytes(), Format::NodeLink).expect("a graph");
    let paired = pipeline(&graph);
    assert_eq!(paired.totals.flops, summary(&folder, name)["total_flops"].as_u64().unwrap());
    let (_, traced) = traced(&folder, name);
    for (found, wanted) in paired.operators.iter().zip(&traced.operators).filter(|(_, wanted)| wanted.kind != "MSELoss")
    {
        assert_eq!(found.backward_of, wanted.backward_of, "{}", found.name);
        assert_eq!(found.inferred.contains(&Inference::Partner), found.pass == Pass::Backward, "{}", found.name);
    }
}

#[test]
fn the_optimizer_steps_every_parameter_once() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_train_1024_bwdhooks");
    let adam = operator(&pipeline, "adam");
    // Two fields of 63-256 (8 layers, skip at 4), 256-1, 283-128 (2 layers), 128-3, with biases: 546,564 parameters each.
    assert_eq!(adam.sizes, [("parameters".to_owned(), 1_093_128.0)]);
    assert_eq!((adam.flops, adam.pass), (10_931_280, Pass::Update));
}

#[test]
fn a_backward_pass_that_was_not_traced_is_listed_and_not_guessed() {
    let Some(folder) = traces() else { return };
    let (_, pipeline) = traced(&folder, "vanilla_nerf_train_1024");
    let [only] = pipeline.unrecognised.as_slice() else { panic!("{:?}", pipeline.unrecognised) };
    assert_eq!(only.function, "torch._tensor.Tensor.backward");
    assert_eq!(only.reason, "a container whose calls were not traced");
    assert_eq!(pipeline.totals.flops_backward, 0);
}

fn graph_of(nodes: &str) -> TraceGraph {
    let text = format!("{{\"nodes\": [{nodes}], \"links\": []}}");
    read::from_bytes(text.as_bytes(), Format::NodeLink).expect("a graph")
}

#[test]
fn unknown_functions_and_unknown_widths_are_listed_with_their_share() {
    let graph = graph_of(
        r#"{"id": "a", "func_name": "x.MLP.forward", "input_shapes": "(10, 17)", "output_shapes": "(10, 5)"},
           {"id": "b", "func_name": "x.Mystery.forward", "input_shapes": "(10, 3)", "output_shapes": "(10, 3)"},
           {"id": "c", "func_name": "x.AccumulationRenderer.forward", "input_shapes": "(10, 2, 1)", "output_shapes": "(10, 1)"},
           {"id": "d", "func_name": "x.MLP.backward", "input_shapes": "(10, 5)", "output_shapes": "(10, 17)"}"#,
    );
    let pipeline = pipeline(&graph);
    assert_eq!(pipeline.totals.flops, 20);
    let listed: Vec<_> =
        pipeline.unrecognised.iter().map(|item| (item.function.as_str(), item.reason.as_str())).collect();
    assert_eq!(
        listed,
        [
            ("x.MLP.backward", "its forward call could not be counted"),
            ("x.MLP.forward", "its `layers` is in no attribute, and no [[known]] of the call tables has these widths"),
            ("x.Mystery.forward", "not in the call tables"),
        ]
    );
    let shares: f64 = pipeline.unrecognised.iter().map(|item| item.share_of_bytes).sum();
    // 220 + 60 + 220 of 530 elements.
    assert!((shares - 500.0 / 530.0).abs() < 1e-12);
    assert!(pipeline.unrecognised.iter().all(|item| item.share_of_calls == 0.25));
}

#[test]
fn a_backward_call_without_its_forward_call_is_listed() {
    let pipeline = pipeline(&graph_of(
        r#"{"id": "d", "func_name": "x.MLP.backward", "input_shapes": "(10, 5)", "output_shapes": "(10, 17)"}"#,
    ));
    assert_eq!(pipeline.unrecognised[0].reason, "its forward call is not in the trace");
    assert_eq!((pipeline.unrecognised[0].share_of_calls, pipeline.operators.len()), (1.0, 0));
}

#[test]
fn layer_widths_that_the_call_says_are_used_and_are_no_inference() {
    let graph = graph_of(
        r#"{"id": "a", "func_name": "x.MLP.forward", "input_shapes": [[10, 8]], "output_shapes": [[10, 4]], "count": 3,
            "dtype": "torch.float16", "mlp_num_layers": 3, "mlp_layer_width": 16, "mlp_skip_connections": [1]}"#,
    );
    let pipeline = pipeline(&graph);
    // 8 x 16, (16 + 8) x 16, 16 x 4.
    let macs = 10 * (128 + 384 + 64) * 3;
    let operator = operator(&pipeline, "mlp");
    assert_eq!((operator.macs, operator.flops, operator.repeat), (macs, 2 * macs, 3));
    assert_eq!(operator.bytes_in, 10 * 8 * 2 * 3);
    assert_eq!(operator.bytes_weights, (128 + 384 + 64 + 16 + 16 + 4) * 2);
    assert_eq!(operator.inferred, [Inference::Order]);
}

#[test]
fn the_order_of_a_shuffled_file_is_restored_from_its_edges() {
    let Some(folder) = traces() else { return };
    let text = std::fs::read_to_string(folder.join("vanilla_nerf_4096x192.node_link.json")).expect("a trace");
    let mut document: Json = serde_json::from_str(&text).expect("JSON");
    document["nodes"].as_array_mut().expect("nodes").reverse();
    let graph = read::from_bytes(document.to_string().as_bytes(), Format::NodeLink).expect("a graph");
    let (_, wanted) = traced(&folder, "vanilla_nerf_4096x192");
    let shuffled = pipeline(&graph);
    let names = |pipeline: &TracedPipeline| pipeline.operators.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&shuffled), names(&wanted));
    assert_eq!(shuffled.edges, wanted.edges);
}

#[test]
fn repeated_calls_without_a_container_are_recognised_as_chunks() {
    let block = |number: usize, rays: usize| {
        format!(
            r#"{{"id": "s{number}", "func_name": "UniformSampler.generate_ray_samples", "input_shapes": "({rays},)", "output_shapes": "({rays}, 64)"}},
               {{"id": "e{number}", "func_name": "NeRFEncoding.forward", "input_shapes": "({rays}, 64, 3)", "output_shapes": "({rays}, 64, 63)"}}"#
        )
    };
    let graph = graph_of(&[block(0, 512), block(1, 512), block(2, 100)].join(","));
    let pipeline = pipeline(&graph);
    let streamed = pipeline.streamed.expect("three chunks");
    assert_eq!((streamed.tiles, streamed.edges.as_slice()), (3, &[(0, 1)][..]));
    assert_eq!(pipeline.chunks.iter().map(|chunk| chunk.batch).collect::<Vec<_>>(), [Some(512), Some(512), Some(100)]);
    assert!(pipeline.operators.iter().all(|operator| operator.inferred.contains(&Inference::Chunk)));
}

#[test]
fn every_format_gives_the_same_pipeline() {
    let Some(folder) = traces() else { return };
    let (_, wanted) = traced(&folder, "instant_ngp_4096");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces/instant_ngp_4096");
    for extension in ["graphml", "gml", "dot"] {
        let graph = read::from_path(&data.with_extension(extension)).expect("a graph");
        assert_eq!(pipeline(&graph), wanted, "{extension}");
    }
}

#[test]
fn nodes_without_attributes_are_understood_by_their_names() {
    let text = r#"digraph {
        "m.RaySamples.get_weights[(4096, 64),(4096, 64, 1)->(4096, 64, 1)]#1"
    }"#;
    let graph = read::from_bytes(text.as_bytes(), Format::Dot).expect("a graph");
    assert_eq!(pipeline(&graph).totals.flops, 6 * 4096 * 64);
}

#[test]
fn a_circle_of_data_edges_is_an_error_that_names_a_call() {
    let text = r#"{"nodes": [{"id": "a"}, {"id": "b"}], "links": [
        {"source": "a", "target": "b", "sequence": 1}, {"source": "b", "target": "a", "data_concat": 1}]}"#;
    let graph = read::from_bytes(text.as_bytes(), Format::NodeLink).expect("a graph");
    let error = transform(&graph, &CallTables::stock().expect("tables"), &TransformOptions::default());
    let error = error.expect_err("a circle").to_string();
    assert!(error.starts_with("the data and order edges of the trace run in a circle: b -> a -> b"), "{error}");
}

#[test]
fn a_users_table_comes_before_the_stock_ones() {
    let table = r#"
        format = 1
        [[call]]
        function = "Mystery.forward"
        name = "mystery"
        kind = "MLP"
        category = "computation"
        flops = "max(7, 2 ^ 3) * in0.rows"
    "#;
    let user = CallTables::from_toml("mine.toml", table).expect("a table");
    let graph = graph_of(
        r#"{"id": "b", "func_name": "x.Mystery.forward", "input_shapes": "(10, 3)", "output_shapes": "(10, 3)"}"#,
    );
    let tables = user.before(CallTables::stock().expect("tables"));
    let pipeline = transform(&graph, &tables, &TransformOptions::default()).expect("a pipeline");
    assert_eq!((pipeline.totals.flops, pipeline.operators[0].name.as_str()), (80, "mystery"));
}

#[test]
fn all_faults_of_a_table_are_told_at_once_with_their_lines() {
    let table = r#"format = 1
[[call]]
function = "A.forward"
name = "a"
kind = "A"
category = "cooking"
pass = "sideways"
flops = "2 * in0.rowz +"
macs = "in0.rowz"
"#;
    let error = CallTables::from_toml("mine.toml", table).expect_err("wrong").to_string();
    for part in ["mine.toml", "line 6", "\"cooking\"", "line 7", "\"sideways\"", "line 8", "line 9", "`in0.rowz`"] {
        assert!(error.contains(part), "{part} is not in {error}");
    }
    let error =
        CallTables::from_toml("mine.toml", "format = 1\n[[call]]\nfuncton = \"A\"\n").expect_err("wrong").to_string();
    assert!(error.contains("unknown field `functon`") && error.contains("line 3"), "{error}");
    let error = CallTables::from_toml("mine.toml", "format = 2\n").expect_err("wrong").to_string();
    assert!(error.contains("format 2 is not known"), "{error}");
}
