//! The field's JSON as hardware: the eight reference files with the remarks that each of them earns, and hostile files.

mod common;

use std::fs;
use std::path::Path;

use common::{error, program, reference};
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::Study;

/// A file, an operator that its hardware executes, its area in mm2, and remarks on it.
struct Case {
    file: &'static str,
    operator: &'static str,
    area_mm2: f64,
    remarks: &'static [&'static str],
}

const MLP: &str = "kind = \"MLP\"\nsamples = 1000\ninputs = 8\nwidth = 8\nlayers = 2";

/// Areas are sums of the files' own `area_um2` over the modules that are known; where a figure stands beside a count, of
/// the reading that the remark says.
const CASES: &[Case] = &[
    Case {
        file: "cicero_config",
        operator: MLP,
        // 628 + 3,188 + 310,000 + 4,755 um2
        area_mm2: 0.318571,
        remarks: &[
            "cicero_config.json:2:22",
            "says that it is \"ICARUS\"",
            "give 102.4 GB/s (twice that at double data rate), not 51.2",
            "gives MLP to `mlp_engine`, which this accelerator does not have",
            "`bandwidth_gbps` is read as 10^9 bytes per second",
            "`memory_kb` is read as KiB",
            "`reference_area_mm2` is 7.6 mm2",
        ],
    },
    Case {
        file: "gbu_config",
        operator: "kind = \"RowProcessing\"\nfragments = 1000",
        // 4 x 45,345 and 2 x 17,521, each; 110,000; 200,000 in all
        area_mm2: 0.526422,
        remarks: &[
            "`row_processing_element` stand beside a count of 4 and do not say of how many they are: read as those of one",
            "`row_generation_engine` stand beside a count of 2 and do not say of how many they are: read as those of one",
            "`bundle_processor` stand beside a count of 8 and do not say of how many they are: read as totals",
            "`GRADIENT_ACCUMULATION` is no module type that is known",
            "modules reach from 800 to 1000 MHz",
            "states no technology node",
        ],
    },
    Case {
        file: "gsarch_config",
        operator: "kind = \"FeatureCompute\"\ngaussians = 1000",
        // 120,000 + 60,000 + 103,000 + 21,000 + 36,000 + 22,000 + 3,000
        area_mm2: 0.365,
        remarks: &[
            "the power of `culling_conversion_unit` equals its area (120000 in the file): a placeholder",
            "the power of `rearrangement_unit` equals its area (3000 in the file)",
            "gsarch_config.json:21:17",
            "`dram_bandwidth_gbps` is read as 10^9 bytes per second",
        ],
    },
    Case {
        file: "gscore_config",
        operator: "kind = \"GaussianAlphaBlend\"\npixel_gaussians = 1000",
        // 170,000 + 12,645 + 226 + 23,841
        area_mm2: 0.206712,
        remarks: &[
            "SRAM block `weight_buffer` of 20 KiB belongs to `TCE`",
            "SRAM block `grid_cache` of 64 KiB belongs to `EE`",
            "copied from another one",
            "states no DRAM bandwidth",
            "states no technology node",
        ],
    },
    Case {
        file: "icarus_config",
        operator: MLP,
        // 5,200 + 6,300,000 + 3,000 + 4,960 and blocks of 28,128 + 168,768 + 1,276,308 + 2 x 84,384 + 2,025,216 / 1024
        area_mm2: 7.95710975,
        remarks: &[
            "the area of `mlp_weight_memory_sonb` is 1024 times that of the other blocks per KiB",
            "the memory has 51.2 GB/s, its interface `memory_controller` 12.8 GB/s",
            "the main memory is DDR4, but the interface `memory_controller` is one of LPDDR3",
            "`mlp_engine` has 2043 KiB here, but its SRAM blocks hold 919.125 KiB",
            "also gives HASH_ENCODE to `pos_encoding_unit`",
        ],
    },
    Case {
        file: "instant3d_config",
        operator: MLP,
        // 232,000 + 1,503,000 + 300,000 + 1,721,000, totals beside counts
        area_mm2: 3.756,
        remarks: &[
            "the power of `backprop_update_merger` equals its area",
            "`mlp_units` stand beside a count of 4 and do not say of how many they are: read as totals",
            "`DECOMPOSITION` is no module type that is known",
            "`GRADIENT_ROUTING` is no module type that is known",
        ],
    },
    Case {
        file: "neurex_config",
        operator: MLP,
        // 51,563 + 540,000 + 15,882
        area_mm2: 0.607445,
        remarks: &[
            "give 2048 GB/s",
            "also gives SAMPLING to `interpolation_compute_unit`",
            "the interconnect is left out",
        ],
    },
    Case {
        file: "neurex_server",
        operator: MLP,
        // 7.68 + 0.90 + 4.80 mm2: totals, as published.toml notes
        area_mm2: 13.38,
        remarks: &[
            "`systolic_array` stand beside a count of 16 and do not say of how many they are: read as totals",
            "`interpolation_unit` stand beside a count of 64 and do not say of how many they are: read as totals",
            "`index_generation_unit` stand beside a count of 64 and do not say of how many they are: read as totals",
            "SRAM block `weight_buffer` states no area: 11 blocks of this file do not",
        ],
    },
];

const SWEEP: &str = "name = \"s\"\nhardware = \"HARDWARE\"\npipeline = \"p.toml\"\nscenes = [\"lego\"]\n\
    [search]\nstrategy = \"grid\"\nobjectives = [\"area_mm2\", \"latency_cycles\"]\n[output]\nformats = [\"csv\"]\nfigures = []\n";

fn write(folder: &Path, operator: &str, hardware: &str) {
    let pipeline = format!("name = \"one\"\n[[operator]]\nname = \"only\"\n{operator}\n");
    fs::write(folder.join("p.toml"), pipeline).expect("pipeline");
    fs::write(folder.join("s.toml"), SWEEP.replace("HARDWARE", hardware)).expect("sweep");
}

#[test]
fn each_reference_file_is_hardware_at_once_and_earns_its_remarks() {
    let Some(reference) = reference() else { return };
    for case in CASES {
        let folder = tempfile::tempdir().expect("folder");
        let json = format!("{}.json", case.file);
        fs::copy(reference.join("hardware_json").join(&json), folder.path().join(&json)).expect("copy");
        write(folder.path(), case.operator, &json);
        let sweep = folder.path().join("s.toml").display().to_string();
        let (study, remarks) = Study::load(&sweep).unwrap_or_else(|faults| panic!("{faults}"));
        let shown = nerarch_dse::spec::diagnostic::render_warnings(&remarks, false);
        for wanted in case.remarks {
            assert!(shown.contains(wanted), "{}: no {wanted:?} in\n{shown}", case.file);
        }
        let (plan, _) = Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}"));
        let mut evaluator = Evaluator::new(&plan);
        assert_eq!(evaluator.evaluate(&[]), Outcome::Feasible);
        assert!(
            error(evaluator.objectives()[0], case.area_mm2) < 1e-12,
            "{}: {}",
            case.file,
            evaluator.objectives()[0]
        );

        // The TOML is the same hardware: same area, same latency, no remark left.
        let output = program(folder.path(), &["import", &json, "-o", "hw.toml"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains(case.remarks[0]));
        let text = fs::read_to_string(folder.path().join("hw.toml")).expect("TOML");
        assert!(text.starts_with(&format!("# {json}, line ")), "{text}");
        assert!(text.matches("source = ").count() > text.matches("basis = ").count());
        write(folder.path(), case.operator, "hw.toml");
        let (study, left) = Study::load(&sweep).unwrap_or_else(|faults| panic!("{faults}"));
        assert!(left.is_empty(), "{left:?}");
        let (plan, _) = Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}"));
        let mut again = Evaluator::new(&plan);
        again.evaluate(&[]);
        assert_eq!(evaluator.objectives(), again.objectives(), "{}", case.file);
    }
}

/// A pipeline of the literature on the file of an accelerator for it, not only one operator.
#[test]
fn an_imported_accelerator_runs_a_pipeline_and_takes_axes_on_its_counts() {
    let Some(reference) = reference() else { return };
    let folder = tempfile::tempdir().expect("folder");
    let json = reference.join("hardware_json/neurex_config.json").display().to_string();
    let sweep = SWEEP.replace("HARDWARE", "neurex").replace("p.toml", "instant_ngp");
    let sweep = sweep.replace("[search]", "[parameters]\nsystolic_array_32x32 = [1, 2, 4]\n[search]");
    fs::write(folder.path().join("s.toml"), sweep).expect("sweep");
    let output = program(folder.path(), &["sweep", "s.toml", "--hardware", &json]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let results = fs::read_to_string(folder.path().join("out/s/results.csv")).expect("results");
    assert_eq!(results.lines().count(), 4, "{results}");
    let manifest = fs::read_to_string(folder.path().join("out/s/manifest.json")).expect("manifest");
    assert!(manifest.contains("neurex_config.json"), "{manifest}");
    assert!(manifest.contains("--hardware"), "{manifest}");
    // On its own hardware the sweep has other inputs, which is said.
    let output = program(folder.path(), &["check", "s.toml"]);
    assert_eq!(output.status.code(), Some(2), "the stock NeuRex has no such parameter");
}

/// A sound file, of which every hostile case changes one thing.
const SOUND: &str = r#"{
 "accelerator_name": "hw",
 "hardware_modules": {
  "engine": {
   "module_type": "MLP",
   "count": 1,
   "performance": { "latency_cycles": 8, "throughput_ops_per_cycle": 64.0, "max_frequency_mhz": 500 },
   "resources": { "area_um2": 1000, "power_uw": 2000 }
  }
 },
 "system_specifications": { "technology_node_nm": 28 },
 "sram_blocks": [ { "name": "buffer", "unit": "engine", "size_kb": 4 } ]
}
"#;

/// Text, replacement, what the error says.
const HOSTILE: &[(&str, &str, &[&str])] = &[
    ("\"count\": 1,", "\"count\": 1", &["hw.json:6:14", "not valid JSON: Expected comma"]),
    ("\"count\": 1,", "\"count\": NaN,", &["hw.json:6", "not valid JSON"]),
    ("\"count\": 1,", "\"count\": 01,", &["hw.json:6", "not valid JSON"]),
    ("\"count\": 1,", "\"count\": -Infinity,", &["not valid JSON"]),
    ("\"count\": 1,", "\"count\": 1, // one", &["not valid JSON"]),
    ("\"count\": 1,", "\"count\": 1e999,", &["hw.json:6:13", "1e999 is no finite number"]),
    ("\"count\": 1,", "\"count\": -3,", &["hw.json:6:13", "`count` must be at least 1, not -3"]),
    ("\"count\": 1,", "\"count\": 1.5,", &["a count of 1.5 is no whole number"]),
    ("\"count\": 1,", "\"count\": \"one\",", &["`count` must be a number, not a string"]),
    ("\"count\": 1,", "\"count\": 1, \"count\": 2,", &["`count` stands twice in this object, first at hw.json:6:4"]),
    ("64.0", "0", &["`throughput_ops_per_cycle` must be above 0, not 0"]),
    ("\"throughput_ops_per_cycle\": 64.0,", "", &["module `engine` states no throughput", "nothing is guessed"]),
    ("\"area_um2\": 1000", "\"area_um2\": [1000]", &["`area_um2` must be a number, not an array"]),
    ("\"area_um2\": 1000", "\"area_um2\": -1", &["`area_um2` must be at least 0, not -1"]),
    ("\"module_type\": \"MLP\",", "", &["needs the key `module_type`"]),
    ("\"module_type\": \"MLP\"", "\"module_type\": 7", &["`module_type` must be a string, not a number"]),
    ("\"module_type\": \"MLP\"", "\"module_type\": \"MPL\"", &["none of the modules executes anything that is known"]),
    ("\"size_kb\": 4", "\"size\": 4", &["SRAM block `buffer` states no size"]),
    ("\"name\": \"buffer\"", "\"name\": \"engine\"", &["there are two of the unit or SRAM block `engine`"]),
    ("\"name\": \"buffer\"", "\"name\": \"\"", &["`name` is empty"]),
    ("{ \"technology_node_nm\": 28 }", "[28]", &["`system_specifications` must be a table, not an array"]),
    ("\"engine\": {", "\"other\": 5, \"engine\": {", &["module `other` must be an object, not a number"]),
    ("\"engine\": {", "\"\\ud800\": {}, \"engine\": {", &["not valid JSON"]),
    ("\"engine\": {", "\"and\": 3, \"sum\": {", &["module `and` must be an object"]),
    ("\"hardware_modules\"", "\"modules\"", &["needs the key `hardware_modules`"]),
];

fn refused(folder: &Path, wanted: &[&str]) {
    for arguments in [&["import", "hw.json"][..], &["check", "s.toml"], &["check", "s.toml", "--hardware", "hw.json"]] {
        let output = program(folder, arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{wanted:?}: {text}");
        assert!(!text.contains("panicked"), "{text}");
        assert!(output.stdout.is_empty());
        for wanted in wanted {
            assert!(text.contains(wanted), "{arguments:?}: no {wanted:?} in\n{text}");
        }
    }
}

#[test]
fn hostile_files_are_refused_with_place_and_reason() {
    let folder = tempfile::tempdir().expect("folder");
    write(folder.path(), MLP, "hw.json");
    let json = folder.path().join("hw.json");
    fs::write(&json, SOUND).expect("JSON");
    let output = program(folder.path(), &["check", "s.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for (old, new, wanted) in HOSTILE {
        assert!(SOUND.contains(old), "{old}");
        fs::write(&json, SOUND.replacen(old, new, 1)).expect("JSON");
        refused(folder.path(), wanted);
    }
    let whole = [
        (String::new(), "a hardware configuration is a JSON object"),
        ("[1, 2]".into(), "a hardware configuration is a JSON object"),
        (format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000)), "nesting depth"),
        (format!("{{\"a\": {}", "{\"a\":".repeat(100_000)), "nesting depth"),
        ("{\"a\": 1,".into(), "not valid JSON"),
        ("\u{feff}\u{0}{".into(), "not valid JSON"),
    ];
    for (text, wanted) in whole {
        fs::write(&json, text).expect("JSON");
        refused(folder.path(), &[wanted]);
    }
    fs::write(&json, b"{\"a\": \"\xff\"}").expect("JSON");
    refused(folder.path(), &["not UTF-8"]);
    fs::File::create(&json).and_then(|file| file.set_len(100 << 20)).expect("length");
    refused(folder.path(), &["larger than 16 MiB"]);
}

#[test]
fn a_file_of_a_million_faults_is_answered_in_few_words() {
    let folder = tempfile::tempdir().expect("folder");
    write(folder.path(), MLP, "hw.json");
    let json = folder.path().join("hw.json");
    fs::write(&json, format!("{{{}\"a\": 1}}", "\"a\": 1, ".repeat(200_000))).expect("JSON");
    let output = program(folder.path(), &["import", "hw.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr).matches("stands twice").count(), 20);
    let blocks: Vec<String> =
        (0..1000).map(|at| format!("{{\"name\": \"b{at}\", \"unit\": \"nobody\", \"size_kb\": 1}}")).collect();
    let text = SOUND.replace("{ \"name\": \"buffer\", \"unit\": \"engine\", \"size_kb\": 4 }", &blocks.join(",\n"));
    fs::write(&json, text).expect("JSON");
    let output = program(folder.path(), &["import", "hw.json"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(shown.contains("further remarks on this file are not shown"), "{shown}");
}

#[test]
fn an_existing_file_is_replaced_only_by_force() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("hw.json"), SOUND).expect("JSON");
    fs::write(folder.path().join("hw.toml"), "mine").expect("TOML");
    let output = program(folder.path(), &["import", "hw.json", "-o", "hw.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.path().join("hw.toml")).expect("TOML"), "mine");
    let output = program(folder.path(), &["import", "hw.json", "-o", "hw.toml", "--force"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(fs::read_to_string(folder.path().join("hw.toml")).expect("TOML").contains("[[unit]]"));
}
