//! Operator kinds against the reference counts, and rules that every kind keeps.

mod common;

use nerarch_dse::operator::count;
use nerarch_dse::spec::catalog::{Category, stock, stock_names};
use nerarch_dse::spec::kind::{self, KindDecl, Pass};
use nerarch_dse::spec::{Collector, Diagnostics};

/// Every kind of the stock libraries.
fn kinds() -> Vec<KindDecl> {
    let diagnostics = Collector::default();
    let sources = stock_names(Category::Kinds).into_iter().filter_map(|name| stock(Category::Kinds, &name));
    let kinds: Vec<KindDecl> = sources.flat_map(|source| kind::read(&source, &diagnostics)).collect();
    nerarch_dse::spec::stage::check_stages(&kinds, &diagnostics);
    diagnostics.finish(Some(kinds)).unwrap_or_else(|faults| panic!("{faults}")).0
}

fn counts(name: &str, pass: Pass, arguments: &[(&str, f64)]) -> Vec<(String, f64)> {
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("no kind {name}"));
    count(kind, pass, arguments).unwrap_or_else(|faults: Diagnostics| panic!("{name}: {faults}"))
}

fn get(counts: &[(String, f64)], name: &str) -> f64 {
    counts.iter().find(|(count, _)| count == name).unwrap_or_else(|| panic!("no count {name}")).1
}

/// Tiles of the 1280 x 720 screen that is built into the reference's Gaussian operators.
const TILES: f64 = 3600.0;

/// Our arguments for a reference operator: its dimensions, and what the reference's constructor was given.
fn arguments(kind: &str, dims: &[f64], constructor: &str) -> Vec<(&'static str, f64)> {
    let all: f64 = dims.iter().product();
    let rays = dims[0];
    // The reference takes a tenth of all pairs as touching, a twentieth for the lone oriented test, tiles' share rounded up.
    let touching = |gaussians: f64, share: f64| (share * gaussians).ceil() * TILES;
    match kind {
        "UniformSampler" | "PDFSampler" | "SensitivityPrediction" | "RGBRenderer" | "DensityRenderer" => {
            vec![("rays", rays), ("samples", all)]
        }
        "SphericalHarmonics" => {
            vec![("gaussians", all), ("degree", if constructor.contains("degree=3") { 3.0 } else { 4.0 })]
        }
        "Sorting" => vec![("keys", all), ("list", 64.0)],
        "GaussianAlphaBlend" | "GradientCompute" => vec![("pixel_gaussians", all), ("pixels", rays)],
        "FrustumCulling" => vec![("gaussians", all), ("visible", all / 2.0)],
        "Projection" | "FeatureCompute" | "DecompBinning" => vec![("gaussians", all)],
        "AABBIntersection" | "OBBIntersection" => {
            let share = if constructor.starts_with("OBB") { 0.05 } else { 0.1 };
            vec![("gaussians", all), ("binned", touching(all, share)), ("tests", all * TILES), ("tiles", TILES)]
        }
        "FrustumCullProject" => vec![
            ("gaussians", all),
            ("visible", all / 2.0),
            ("binned", touching(all / 2.0, 0.1)),
            ("tests", all / 2.0 * TILES),
            ("tiles", TILES),
        ],
        "SubtileSkip" => {
            vec![("gaussians", all), ("tests", all * TILES), ("binned", touching(all, 0.1)), ("tiles", TILES)]
        }
        "RowGeneration" => vec![("rows", all)],
        "RowProcessing" => vec![("fragments", all)],
        "TileMerging" => vec![("pairs", all)],
        "GradientPruning" | "Rearrangement" => vec![("gradients", all)],
        _ => vec![("samples", all)],
    }
}

/// An MLP's shape: what the constructor says, or, in a pipeline, the shape that the paper's network has.
fn mlp(pipeline: &str, constructor: &str) -> Vec<(&'static str, f64)> {
    let number = |key: &str| {
        let text = constructor.split(&format!("{key}=")).nth(1)?;
        text.split(|c: char| !c.is_ascii_digit()).next()?.parse::<f64>().ok()
    };
    let mut shape = match pipeline {
        "icarus" => vec![("inputs", 256.0), ("layers", 8.0), ("width", 256.0)],
        "instant3d" => vec![("inputs", 32.0), ("layers", 3.0), ("width", 64.0), ("outputs", 4.0)],
        "" => vec![
            ("inputs", number("in_dim").expect("in_dim")),
            ("layers", number("num_layers").expect("num_layers")),
            ("width", number("layer_width").expect("layer_width")),
        ],
        _ => vec![("inputs", 32.0), ("layers", 4.0), ("width", 64.0)],
    };
    shape.extend(number("out_dim").map(|outputs| ("outputs", outputs)));
    if constructor.contains("skip=(4,)") {
        shape.push(("skips", 1.0));
    }
    shape
}

fn check(entry: &serde_json::Value, pipeline: &str, constructor: &str, faults: &mut Vec<String>) -> bool {
    let theirs = entry["kind"].as_str().expect("kind");
    let ours = if theirs == "FrustumCullProj" { "FrustumCullProject" } else { theirs };
    let dims: Vec<f64> = entry["dim"].as_array().expect("dim").iter().filter_map(serde_json::Value::as_f64).collect();
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.name == ours).unwrap_or_else(|| panic!("no kind {ours}"));
    let backward = entry["backward"].as_bool().expect("backward");
    // `known_wrong`: a class that has a forward count returns it for backward too. Kinds that run backward only stay.
    if backward && !kind.counts.is_empty() {
        return false;
    }
    let pass = if backward { Pass::Backward } else { Pass::Forward };
    let mut given = arguments(ours, &dims, constructor);
    if ours == "MLP" {
        given.extend(mlp(pipeline, constructor));
    }
    let counts = count(kind, pass, &given).unwrap_or_else(|faults: Diagnostics| panic!("{ours}: {faults}"));
    for (name, key) in
        [("input", "input_elements"), ("weight", "weight_elements"), ("output", "output_elements"), ("flops", "flops")]
    {
        let (our, their) = (get(&counts, name), entry[key].as_f64().expect("number"));
        if our != their {
            faults.push(format!("{pipeline}{constructor} {ours} {name}: {our}, reference {their}"));
        }
    }
    true
}

#[test]
fn every_forward_count_of_the_reference_is_matched_exactly() {
    let Some(reference) = common::reference() else { return };
    let text = std::fs::read_to_string(reference.join("operators_golden.json")).expect("reference");
    let golden: serde_json::Value = serde_json::from_str(&text).expect("json");
    let mut faults = Vec::new();
    let mut checked = 0;
    for (name, entry) in golden["single_operators"].as_object().expect("operators") {
        checked += usize::from(check(entry, "", name, &mut faults));
    }
    for (name, pipeline) in golden["pipelines"].as_object().expect("pipelines") {
        for list in ["operators", "expanded"] {
            for entry in pipeline[list].as_array().expect("list") {
                checked += usize::from(check(entry, name, "", &mut faults));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {checked}:\n{}", faults.len(), faults.join("\n"));
    assert!(checked >= 80, "only {checked} operators were compared");
}

/// The two figures that the design names.
#[test]
fn hash_encoding_and_mlp_have_the_known_flops() {
    let samples = 4096.0 * 64.0;
    let hash = counts("HashEncoding", Pass::Forward, &[("samples", samples)]);
    assert_eq!(get(&hash, "flops"), 369_098_752.0);
    let shape = [("samples", samples), ("inputs", 32.0), ("width", 64.0), ("layers", 3.0), ("outputs", 4.0)];
    let mlp = counts("MLP", Pass::Forward, &shape);
    assert_eq!(get(&mlp, "flops"), 3_355_443_200.0);
    let backward = counts("MLP", Pass::Backward, &shape);
    assert_eq!(get(&backward, "flops"), 2.0 * get(&mlp, "flops"));
    assert_eq!(get(&backward, "macs"), 2.0 * get(&mlp, "macs"));
    // Half precision unless said otherwise; the backward pass gives a gradient for every input and weight.
    assert_eq!(get(&mlp, "weight_bytes"), 2.0 * get(&mlp, "weight"));
    assert_eq!(get(&backward, "output"), get(&mlp, "input") + get(&mlp, "weight"));
}

/// Layer by layer, written out: 63-256, then 256-256 with the inputs again at the fifth, in all eight layers, 256-4.
#[test]
fn a_skip_connection_widens_one_layer() {
    let shape =
        [("samples", 1.0), ("inputs", 63.0), ("width", 256.0), ("layers", 8.0), ("outputs", 4.0), ("skips", 1.0)];
    let layers = [63 * 256, 256 * 256, 256 * 256, 256 * 256, 319 * 256, 256 * 256, 256 * 256, 256 * 4];
    assert_eq!(get(&counts("MLP", Pass::Forward, &shape), "macs"), f64::from(layers.iter().sum::<i32>()));
    let one = [("samples", 5.0), ("inputs", 7.0), ("width", 99.0), ("layers", 1.0), ("outputs", 3.0)];
    assert_eq!(get(&counts("MLP", Pass::Forward, &one), "macs"), 5.0 * 7.0 * 3.0);
    assert_eq!(get(&counts("MLP", Pass::Forward, &one), "weight"), 7.0 * 3.0 + 3.0);
}

/// Values for every parameter that a kind requires.
fn sample(kind: &KindDecl, scale: f64) -> Vec<(&str, f64)> {
    kind.parameters
        .iter()
        .filter(|(_, _, default)| default.is_none())
        .map(|(name, _, _)| match name.as_str() {
            "layers" => (name.as_str(), 3.0),
            "inputs" | "width" | "k" | "n" | "vertices" => (name.as_str(), 48.0),
            other => (other, 4096.0 * scale),
        })
        .collect()
}

#[test]
fn every_kind_counts_elements_bytes_and_flops_and_says_what_it_is() {
    for kind in kinds() {
        assert!(!kind.doc.is_empty(), "{} has no doc", kind.name);
        for pass in [Pass::Forward, Pass::Backward] {
            if kind.counts_of(pass).is_empty() {
                continue;
            }
            let counts = count(&kind, pass, &sample(&kind, 1.0)).unwrap_or_else(|faults| panic!("{faults}"));
            for name in ["input", "weight", "output", "flops", "read_bytes", "weight_bytes", "write_bytes"] {
                assert!(counts.iter().any(|(count, _)| count == name), "{} {} lacks {name}", kind.name, pass.name());
            }
            assert!(counts.iter().all(|(_, value)| *value >= 0.0 && value.is_finite()), "{}: {counts:?}", kind.name);
        }
    }
}

/// Twice the rays, samples or Gaussians are twice the activations and, but for sorts and one-off terms, twice the FLOPs.
#[test]
fn twice_the_work_is_twice_the_activations() {
    const SUPERLINEAR: [&str; 4] = ["QuickSort", "HierarchicalSort", "RadixSort", "Rearrangement"];
    for kind in kinds() {
        for pass in [Pass::Forward, Pass::Backward] {
            if kind.counts_of(pass).is_empty() || kind.name == "TrajectoryPrediction" {
                continue;
            }
            let [once, twice] = [1.0, 2.0]
                .map(|scale| count(&kind, pass, &sample(&kind, scale)).unwrap_or_else(|faults| panic!("{faults}")));
            for name in ["input", "output", "flops"] {
                let (one, two) = (get(&once, name), get(&twice, name));
                if SUPERLINEAR.contains(&kind.name.as_str()) {
                    assert!(two >= one, "{} {name}", kind.name);
                    continue;
                }
                // Gradients of weights and a fifth rounded down do not scale.
                let slack = get(&once, "weight").max(16.0);
                assert!((two - 2.0 * one).abs() <= slack, "{} {} {name}: {one}, {two}", kind.name, pass.name());
            }
        }
    }
}

/// The gradient of an input has the input's shape: nothing that went in stays without one.
#[test]
fn a_backward_pass_gives_a_gradient_for_every_input() {
    // Sorting returns the payload's gradients; encodings give gradients to tables, not to positions; culled Gaussians and
    // camera matrices have none.
    const OTHER: [&str; 6] =
        ["Sorting", "HashEncoding", "DenseGridEncoding", "HashLookup", "FrustumCullProject", "AccumulationRenderer"];
    for kind in kinds().iter().filter(|kind| !kind.counts.is_empty() && !kind.backward.is_empty()) {
        let given = sample(kind, 1.0);
        let [forward, backward] = [Pass::Forward, Pass::Backward]
            .map(|pass| count(kind, pass, &given).unwrap_or_else(|faults| panic!("{faults}")));
        if !OTHER.contains(&kind.name.as_str()) {
            assert!(get(&backward, "output") >= get(&forward, "input"), "{}", kind.name);
        }
    }
}
