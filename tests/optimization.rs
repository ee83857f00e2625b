//! The optimization library: each technique's factor against its derivation, what it does to a design, and what is refused.

mod common;

use std::fs;
use std::path::Path;

use common::error;
use nerarch_dse::ppa::{Evaluator, Outcome, Plan, metric};
use nerarch_dse::report::technique::records;
use nerarch_dse::spec::Study;

const FEATURES: &str = r#"features = ["tile-culling", "sub-tile-bitmap", "gaussian-skipping", "early-termination",
  "row-processing", "decomposition-binning", "exponential-reuse", "restricted-hashing", "radiance-warping", "read-coalescing",
  "update-merging", "gradient-pruning", "tile-merging", "low-precision-sampling", "mixed-precision", "my-feature"]
"#;

/// A stock accelerator that can do everything, in a file of its own.
fn able(folder: &Path, hardware: &str) {
    let stock = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("hardware/{hardware}.toml"));
    let text = fs::read_to_string(stock).expect("hardware");
    let kept = text.lines().filter(|line| !line.starts_with("features") && !line.starts_with("built_in_features"));
    let text: String = kept.flat_map(|line| [line, "\n"]).collect();
    fs::write(folder.join("able.toml"), text.replacen("[parameters]", &format!("{FEATURES}\n[parameters]"), 1))
        .expect("write");
}

fn load(folder: &Path, pipeline: &str, scene: &str, rest: &str) -> Result<(Study, Plan), String> {
    let (head, tables) = rest.split_once("---").unwrap_or((rest, ""));
    let text = format!(
        "name = \"s\"\nhardware = \"able.toml\"\npipeline = \"{pipeline}\"\nscenes = [\"{scene}\"]\n{head}\n{tables}\n\
         [search]\nstrategy = \"grid\"\nobjectives = [\"latency_cycles\", \"energy_mj\"]\n"
    );
    let path = folder.join("s.toml");
    fs::write(&path, text).expect("write");
    let (study, _) = Study::load(&path.display().to_string()).map_err(|faults| faults.to_string())?;
    let (plan, _) = Plan::compile(&study).map_err(|faults| faults.to_string())?;
    Ok((study, plan))
}

/// Technique, hardware, pipeline, scene, what the sweep adds, operator, compute, bytes, energy.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, [f64; 3]);

const CIRCLE: &str = "cameras = [\"az000\"]\n---[parameters]\noverlap = { choice = [\"circle\"] }\n";
const CIRCLE_WHOLE: &str =
    "cameras = [\"az000\"]\n---[parameters]\noverlap = { choice = [\"circle\"] }\nsubtiles = { choice = [\"none\"] }\n";

const CASES: &[Case] = &[
    // ICARUS: one exponential of 8 FLOPs beside 6, instead of two.
    ("exponential_value_reuse", "icarus", "icarus", "lego", "", "render", [14.0 / 22.0, 1.0, 1.0]),
    // NeuRex: half of the levels fetch 4 useful bytes instead of 64: 1/2 + 1/2 * 1/16.
    ("restricted_hashing", "neurex", "neurex", "lego", "", "lookup", [1.0, 0.53125, 1.0]),
    // Cicero: 8.0 times as fast in software.
    ("sparse_radiance_warping", "cicero", "cicero", "lego", "", "colour", [0.125, 0.125, 1.0]),
    // plant_tile16_blends.csv, az000: 10,850,707 blends of 691,411 x 256.
    ("gaussian_skipping", "gscore", "gscore", "plant", CIRCLE_WHOLE, "blend", [0.061_303, 1.0, 1.0]),
    // plant_tile16_walked.csv, az000: 668,126 walked of 691,411.
    ("early_ray_termination", "gscore", "gscore", "plant", CIRCLE_WHOLE, "blend", [0.966_322, 0.966_322, 1.0]),
    // Mean of the boxes' pairs over the circles' in *_overlap.csv: (371830/691411 + 657758/1677842 + 51440/117993 +
    // 102597/283039) / 4 = 0.432.
    ("tile_culling", "gscore", "gscore", "plant", CIRCLE_WHOLE, "load", [0.43, 0.43, 1.0]),
    // plant_overlap.csv, az000, circle, 16: 1,857,942 visits to the four quarters of 691,411.
    ("sub_tile_bitmap", "gscore", "gscore", "plant", CIRCLE_WHOLE, "blend", [0.671_794, 1.0, 1.0]),
    // Counts that know the quarters are not reduced again.
    ("sub_tile_bitmap", "gscore", "gscore", "plant", CIRCLE, "blend", [1.0, 1.0, 1.0]),
    // Assumed: half; a pipeline that prunes as much already is not reduced again.
    (
        "gradient_pruning",
        "gsarch",
        "gsarch",
        "plant",
        "cameras = [\"az000\"]\n---[parameters]\nkept = 1\n",
        "rearrange",
        [0.5, 0.5, 1.0],
    ),
    ("gradient_pruning", "gsarch", "gsarch", "plant", "cameras = [\"az000\"]\n", "rearrange", [1.0, 1.0, 1.0]),
    // Tiles of 32 over tiles of 16 under the box test: 0.606, 0.482, 0.486, 0.386; 0.85 of what is repeated is saved:
    // 1 - 0.85 * 0.51.
    ("tile_merging", "gsarch", "gsarch", "plant", "cameras = [\"az000\"]\n", "features", [0.5665, 0.5665, 1.0]),
    // GBU: 11 FLOPs of 25 become 2.
    ("row_processing", "gscore", "gscore", "plant", CIRCLE, "blend", [0.64, 1.0, 1.0]),
    // GBU Table V: 66.1 to 80.6 frames per second.
    ("decomposition_binning", "gscore", "gscore", "plant", CIRCLE, "blend", [0.820_099, 1.0, 1.0]),
    // Instant-3D: 31.1 % off; 68.6 % off with the merger as well; 200 distinct of 1,000.
    ("read_coalescing", "instant3d", "instant3d", "lego", "", "encode_density", [0.689, 1.0, 1.0]),
    ("update_merging", "instant3d", "instant3d", "lego", "", "encode_density_gradient", [0.314 / 0.689, 0.2, 1.0]),
    // Bit widths: 4 of 16; 4 + 0.15 * 16 of 16.
    ("low_precision_sampling", "neurex", "neurex", "lego", "", "sample", [1.0, 0.25, 0.25]),
    ("sensitivity_driven_precision", "neurex", "neurex", "lego", "", "density", [1.0, 0.4, 0.4]),
];

#[test]
fn every_technique_has_the_factor_that_its_source_gives() {
    let mut covered = Vec::new();
    for (technique, hardware, pipeline, scene, rest, operator, expected) in CASES {
        let folder = tempfile::tempdir().expect("folder");
        able(folder.path(), hardware);
        let rest = format!("optimizations = [\"{technique}\"]\n{rest}");
        let (study, plan) = load(folder.path(), pipeline, scene, &rest).unwrap_or_else(|fault| panic!("{fault}"));
        let record = &records(&study, &plan)[0];
        let factor = record.factors.iter().find(|factor| factor.operator == *operator);
        let factor = factor.unwrap_or_else(|| panic!("{technique} is not on {operator}: {record:?}"));
        let shares = [factor.s_comp, factor.r_bytes, factor.energy].map(|share| share.unwrap_or(f64::NAN));
        for (share, expected) in shares.into_iter().zip(expected) {
            // A tile in which nothing is blended counts one blend, so that its factor is above 0: at most 1,592 of 10.8 million.
            assert!(error(share, *expected) < 1.5e-4, "{technique} on {operator}: {shares:?}, not {expected}");
        }
        covered.push(*technique);
    }
    let stock = nerarch_dse::spec::catalog::stock_names(nerarch_dse::spec::catalog::Category::Technique);
    assert_eq!(stock.len(), 15);
    assert!(stock.iter().all(|name| covered.contains(&name.as_str())), "{stock:?}");
}

#[test]
fn a_technique_that_is_off_leaves_every_bit_as_it_was() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    let metrics = |optimization: &str, digits: &[u32]| {
        let (_, plan) = load(folder.path(), "gscore", "plant", &format!("{CIRCLE_WHOLE}{optimization}")).expect("plan");
        let mut evaluator = Evaluator::new(&plan);
        assert_eq!(evaluator.evaluate(digits), Outcome::Feasible);
        evaluator.metrics().iter().map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    let plain = metrics("", &[0, 0]);
    let all = ["gaussian_skipping", "early_ray_termination", "sub_tile_bitmap", "tile_culling", "row_processing"];
    let off: String = all.iter().map(|name| format!("[optimization.{name}]\nenabled = \"off\"\n")).collect();
    assert_eq!(metrics(&off, &[0, 0]), plain);
    let axis = "[optimization.early_ray_termination]\nenabled = { choice = [\"off\", \"on\"] }\n";
    assert_eq!(metrics(axis, &[0, 0, 0]), plain);
    assert_ne!(metrics(axis, &[0, 0, 1]), plain);
}

#[test]
fn what_two_techniques_skip_is_skipped_once() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    let latency = |rest: &str| {
        let (_, plan) = load(folder.path(), "gscore", "plant", rest).expect("plan");
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&[0, 0]);
        evaluator.objectives()[0]
    };
    // The bitmap on whole tiles is the pipeline's own decoupled sub-tiles.
    let own = latency(CIRCLE);
    let bitmap = latency(&format!("optimizations = [\"sub_tile_bitmap\"]\n{CIRCLE_WHOLE}"));
    assert!(error(bitmap, own) < 1e-12, "{bitmap} {own}");
    // What contributes is part of every quarter that is visited: the bitmap adds nothing, in either order.
    let skipping = latency(&format!("optimizations = [\"gaussian_skipping\"]\n{CIRCLE_WHOLE}"));
    for order in ["\"gaussian_skipping\", \"sub_tile_bitmap\"", "\"sub_tile_bitmap\", \"gaussian_skipping\""] {
        let both = latency(&format!("optimizations = [{order}]\n{CIRCLE_WHOLE}"));
        assert!(error(both, skipping) < 1e-9, "{order}: {both} {skipping}");
    }
    assert!(skipping < own);
}

#[test]
fn the_window_of_warping_divides_the_frame() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "cicero");
    let rest = "optimizations = [\"sparse_radiance_warping\"]\n---[parameters]\n\
                sparse_radiance_warping_window = [1, 16]\nsparse_radiance_warping_disoccluded = 0\n";
    let (_, plan) = load(folder.path(), "cicero", "lego", rest).expect("plan");
    let mut evaluator = Evaluator::new(&plan);
    let mut at = |digit| {
        evaluator.evaluate(&[digit]);
        (evaluator.objectives()[0], evaluator.objectives()[1])
    };
    let (whole, warped) = (at(0), at(1));
    // All but the units' latencies of a few cycles.
    assert!(error(whole.0 / warped.0, 16.0) < 1e-4 && error(whole.1 / warped.1, 16.0) < 1e-4, "{whole:?} {warped:?}");
}

const TECHNIQUE: &str = "name = \"mine\"\ndoc = \"d\"\nsource = \"s\"\ntype = \"TYPE\"\nscope = \"element\"\n\
criterion = \"boundary\"\nrequires = \"my-feature\"\n[parameters]\nshare = { default = 0.5, type = \"real\" }\n\
[[factor]]\nkinds = [\"KIND\"]\nKEY = { value = \"VALUE\", basis = \"derived\", source = \"s\" }\n";

fn mine(folder: &Path, saving: &str, kind: &str, key: &str, value: &str) {
    let text = TECHNIQUE.replace("TYPE", saving).replace("KIND", kind).replace("KEY", key).replace("VALUE", value);
    fs::create_dir_all(folder.join("optimizations")).expect("folder");
    fs::write(folder.join("optimizations/mine.toml"), text).expect("technique");
}

#[test]
fn half_the_bits_are_half_the_bytes() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    mine(folder.path(), "low-bit", "FeatureLoad", "bits", "8");
    let traffic = |rest: &str| {
        let (_, plan) = load(folder.path(), "gscore", "plant", rest).expect("plan");
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&[0, 0]);
        evaluator.metric(0, metric::index_of("dram_gb").expect("metric"))
    };
    let saved = traffic(CIRCLE_WHOLE) - traffic(&format!("optimizations = [\"mine\"]\n{CIRCLE_WHOLE}"));
    // 691,411 pairs of 32 + 8 bytes at 16 bits.
    assert!(error(saved, 691_411.0 * 40.0 / 2.0 / 1e9) < 1e-9, "{saved}");
}

#[test]
fn a_factor_outside_its_range_is_an_error_or_the_points_reason() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    let rest = format!("optimizations = [\"mine\"]\n{CIRCLE_WHOLE}");
    for (value, message) in [("1.5", "1.5 is above the greatest value 1"), ("0", "0 is not above 0")] {
        mine(folder.path(), "skip", "GaussianAlphaBlend", "s_comp", value);
        let fault = load(folder.path(), "gscore", "plant", &rest).err().expect("refused");
        assert!(
            fault.contains(message) && fault.contains("`s_comp` of technique `mine` for operator `blend`"),
            "{fault}"
        );
    }
    mine(folder.path(), "skip", "GaussianAlphaBlend", "s_comp", "tile.binned / 1000");
    let (_, plan) = load(folder.path(), "gscore", "plant", &rest).expect("plan");
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate(&[0, 0]), Outcome::Failed);
    let reason = evaluator.reason();
    assert!(reason.contains("above the greatest value 1 in `s_comp` of technique `mine`"), "{reason}");
}

#[test]
fn wrong_techniques_and_wrong_choices_are_refused_with_place_and_remedy() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    let refused = |rest: &str, parts: &[&str]| {
        let fault = load(folder.path(), "gscore", "plant", rest).err().expect("refused");
        assert!(parts.iter().all(|part| fault.contains(part)), "{rest}: {fault}");
    };
    refused(
        "optimizations = [\"tile_mergin\"]",
        &["s.toml:5", "no technique `tile_mergin`", "did you mean `tile_merging`"],
    );
    refused("optimizations = [\"read_coalescing\"]", &["applies to no operator of pipeline", "HashLookup"]);
    refused(
        "optimizations = [\"tile_culling\"]\n---[optimization.tile_culling]",
        &["technique `tile_culling` is chosen twice", "keep one"],
    );
    refused("---[optimization]\ntile_culling = 1", &["must be a table of its parameters", "write [tile_culling]"]);
    refused("---[optimization.tile_culling]\nkep = 0.5", &["has a parameter `tile_culling_kep`", "did you mean"]);
    refused("---[optimization.tile_culling]\nenabled = \"yes\"", &["parameter `tile_culling`", "off, on"]);
    refused("---[optimization.tile_culling]\nkept = 2", &["above the greatest value 1"]);
    for (saving, kind, key, value, parts) in [
        ("low-bit", "FeatureLoad", "s_comp", "1", &["no factor of its own", "write `bits"][..]),
        ("skip", "FeatureLoad", "bits", "8", &["only a low-bit technique", "type = \\\"low-bit\\\""][..1]),
        ("skip", "FeatureLod", "s_comp", "1", &["no operator kind `FeatureLod`", "did you mean `FeatureLoad`"]),
        ("skip", "FeatureLoad", "s_comp", "shar", &["`shar` is not defined here", "did you mean `share`"]),
        ("skip", "FrustumCullProject", "s_comp", "tile.binned", &["counted by tile", "use scene.* here"]),
        ("mend", "FeatureLoad", "s_comp", "1", &["`type` cannot be \"mend\"", "known are"]),
    ] {
        mine(folder.path(), saving, kind, key, value);
        refused("optimizations = [\"mine\"]", parts);
    }
}

#[test]
fn the_config_file_stops_at_a_lacking_or_built_in_feature_and_names_both() {
    let folder = tempfile::tempdir().expect("folder");
    let check = |sweep: &str, config: &str| {
        fs::write(folder.path().join("opt.toml"), config).expect("config");
        let output = common::program(folder.path(), &["check", sweep, "--optimization-config", "opt.toml"]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, text) = check("gscore_tiles", "[tile_merging]\n");
    assert_eq!(status, Some(2), "{text}");
    for part in [
        "opt.toml:1",
        "technique `tile_merging`",
        "\"tile-merging\"",
        "hardware `GSCore` does not have",
        "it has tile-culling",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let sweep = "name = \"i\"\nhardware = \"instant3d\"\npipeline = \"instant3d\"\nscenes = [\"lego\"]\n[search]\n\
                 strategy = \"grid\"\nobjectives = [\"latency_ms\"]\n";
    fs::write(folder.path().join("i.toml"), sweep).expect("sweep");
    let (status, text) = check("i.toml", "[read_coalescing]\n");
    assert!(status == Some(2) && text.contains("counted twice") && text.contains("Instant-3D"), "{text}");
    let (status, text) = check("gscore", "");
    assert!(status == Some(2) && text.contains("names no technique"), "{text}");
    let (status, text) = check("gscore_tiles", "[early_ray_termination]\nevidence = \"typical\"\n");
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn the_run_names_its_techniques_in_summary_and_manifest() {
    let folder = tempfile::tempdir().expect("folder");
    able(folder.path(), "gscore");
    load(folder.path(), "gscore", "plant", CIRCLE_WHOLE).expect("plan");
    fs::write(folder.path().join("opt.toml"), "[early_ray_termination]\n").expect("config");
    let output = common::program(folder.path(), &["sweep", "s.toml", "--optimization-config", "opt.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("early_ray_termination on blend of plant.az000: compute x 0.9663, bytes x 0.9663"), "{text}");
    let manifest = fs::read_to_string(folder.path().join("out/s/manifest.json")).expect("manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("manifest");
    assert_eq!(manifest["command"], "nerarch-dse sweep s.toml --optimization-config opt.toml");
    assert_eq!(manifest["optimizations"][0]["requires"], "early-termination");
    let share = manifest["optimizations"][0]["factors"][0]["s_comp"].as_f64().expect("factor");
    assert!(error(share, 668_126.0 / 691_411.0) < 1e-5);
}
