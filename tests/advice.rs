//! What the program tells somebody who writes files of their own: warnings, texts and where to look.

mod common;

use std::path::Path;

use common::program;

const HARDWARE: &str = r#"
name = "own"
node_nm = 28
boundary = ["core"]
[parameters]
groups = { default = 4, min = 1, max = 8, doc = "groups of blenders", basis = "assumed", range = [1, 8] }
[clock]
mhz = 1000
reference_mhz = 1000
[[unit]]
name = "sorter"
executes = ["QuickSort"]
rate = { item = "key", per_cycle = 1 }
[[unit]]
name = "blender"
executes = ["GaussianAlphaBlend"]
instances = 64
groups = "groups"
area_mm2 = { each = 0.02, basis = "assumed", range = [0.01, 0.04] }
power_mw = { each_dynamic = 4, basis = "assumed", range = [2, 8] }
rate = { item = "pixel_gaussian", per_cycle = 1 }
"#;

const PIPELINE: &str = r#"
name = "own"
[parameters]
room = 2
overlap = { choice = ["circle"], default = "circle" }
[stream]
over = "tiles"
tile = 16
test = "overlap"
equal_tiles = 2500
[[operator]]
name = "sort"
kind = "QuickSort"
keys = "tile.binned"
[[operator]]
name = "blend"
kind = "GaussianAlphaBlend"
pixel_gaussians = "tile.binned * 256"
[[edge]]
from = "sort"
to = "blend"
kind = "stream"
buffer = "room"
"#;

const SWEEP: &str = r#"
name = "own"
tiles = "equal"
hardware = "own"
pipeline = "own"
scenes = ["plant"]
[parameters]
groups = [1, 2, 4]
[constraints]
fps = { min = 1 }
room_kept = { value = "groups", min = 1, max = 8 }
[search]
objectives = ["latency_ms", "area_mm2"]
"#;

/// A folder with the three files.
fn folder(pipeline: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (place, text) in [("hardware", HARDWARE), ("operators", pipeline), ("sweeps", SWEEP)] {
        std::fs::create_dir(folder.path().join(place)).expect("folder");
        std::fs::write(folder.path().join(place).join("own.toml"), text).expect("file");
    }
    folder
}

fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Two tiles between sorter and blender, in work or not, can never keep four groups at work.
#[test]
fn a_buffer_smaller_than_the_groups_behind_it_is_warned_of() {
    let warning = "the edge from `sort` to `blend` holds 2 tiles for 4 groups";
    let narrow = folder(PIPELINE);
    let checked = text(narrow.path(), &["check", "own"]);
    assert!(checked.contains(&format!("at the last point {warning}")), "{checked}");
    assert!(!checked.contains("at the first"), "{checked}");
    assert!(text(narrow.path(), &["explain", "own"]).contains(warning));
    assert!(!text(narrow.path(), &["explain", "own", "--set", "groups=2"]).contains("warning"));
    let wide = folder(&PIPELINE.replace("\"room\"", "\"room * groups\""));
    assert!(!text(wide.path(), &["check", "own"]).contains("warning"));
}

#[test]
fn equal_tiles_of_a_measured_scene_are_not_called_unknown() {
    let own = folder(PIPELINE);
    let checked = text(own.path(), &["check", "own"]);
    assert!(checked.contains("equal tiles (as the sweep says; they were measured)"), "{checked}");
    let swept = text(own.path(), &["sweep", "own"]);
    assert!(swept.contains("every tile is taken as equal, as the sweep says; they were measured"), "{swept}");
    let stock = text(own.path(), &["check", "gscore"]);
    assert!(stock.contains("equal tiles (only totals are known)"), "{stock}");
}

#[test]
fn constraints_are_shown_as_one_writes_them() {
    let own = folder(PIPELINE);
    let checked = text(own.path(), &["check", "own"]);
    assert!(checked.contains("constraint fps >= 1\n"), "{checked}");
    assert!(checked.contains("constraint 1 <= room_kept <= 8 (groups)\n"), "{checked}");
}

#[test]
fn a_kind_is_found_by_its_name_with_what_an_operator_must_say() {
    let here = Path::new(".");
    let list = text(here, &["list", "kinds"]);
    let line = list.lines().find(|line| line.trim_start().starts_with("GaussianAlphaBlend ")).expect("the kind");
    assert!(line.contains("parameters pixel_gaussians (required), "), "{line}");
    let shown = text(here, &["show", "kinds", "RGBRenderer"]);
    assert!(shown.starts_with("[[kind]]\nname = \"RGBRenderer\"\n"), "{shown}");
    assert_eq!(shown.matches("[[kind]]").count(), 1, "{shown}");
    // A library by its file name is still the whole file.
    assert!(text(here, &["show", "kinds", "blending"]).matches("[[kind]]").count() > 1);
}

/// Without a place there is no snippet, and no margin of one.
#[test]
fn a_fault_without_a_place_is_two_lines() {
    let output = program(Path::new("."), &["show", "hardware", "gscorre"]);
    assert_eq!(output.status.code(), Some(2));
    let fault = String::from_utf8(output.stderr).expect("text");
    assert_eq!(
        fault,
        "error: there is no hardware `gscorre`\nhelp: did you mean `gscore`? (or write the path of a .toml file)\n"
    );
}

/// Many a name is that of an accelerator, not of a sweep.
#[test]
fn a_name_of_something_else_says_what_it_is() {
    let output = program(Path::new("."), &["utilization", "neurex"]);
    assert_eq!(output.status.code(), Some(2));
    let fault = String::from_utf8(output.stderr).expect("text");
    assert!(fault.starts_with("error: there is no sweep `neurex`; `neurex` is a hardware and a pipeline\n"), "{fault}");
}

/// The shell makes the file before the program looks for it.
#[test]
fn a_stock_file_can_be_written_under_its_own_name() {
    let own = tempfile::tempdir().expect("folder");
    std::fs::create_dir(own.path().join("hardware")).expect("folder");
    let file = own.path().join("hardware/gscore.toml");
    std::fs::write(&file, "").expect("file");
    let stock = text(own.path(), &["show", "hardware", "gscore"]);
    assert!(stock.starts_with("name    = \"GSCore\""), "{stock}");
    std::fs::write(&file, "# mine\n").expect("file");
    assert_eq!(text(own.path(), &["show", "hardware", "gscore"]), "# mine\n");
}

/// Of a file of several sweeps every command that looks at one takes the first, or the one that is named.
#[test]
fn one_sweep_of_several_is_chosen_by_either_of_its_names() {
    let own = folder(PIPELINE);
    let several = format!(
        "{}[[sweep]]\nname = \"few\"\nparameters = {{ groups = [1, 2] }}\n[[sweep]]\nname = \"many\"\nparameters = {{ groups = [8, 4] }}\n",
        SWEEP.replace("tiles = \"equal\"\n", "")
    );
    std::fs::write(own.path().join("sweeps/own.toml"), several).expect("file");
    for (command, few, many) in [
        ("explain", "groups 1", "groups 4"),
        ("tiles", "groups 1", "groups 8"),
        ("roofline", "groups = 1", "groups = 4"),
    ] {
        assert!(text(own.path(), &[command, "own"]).contains(few), "{command}");
        for name in ["many", "own-many"] {
            assert!(text(own.path(), &[command, "own", "--name", name]).contains(many), "{command} {name}");
        }
    }
    assert!(text(own.path(), &["utilization", "own", "--name", "many"]).contains("blender"));
    let unknown = program(own.path(), &["utilization", "own", "--name", "none"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("has no sweep `none`"));
}

/// Nothing spills in this design, so there is nothing to divide by.
#[test]
fn a_metric_without_a_value_is_named() {
    let own = folder(PIPELINE);
    let ratio = SWEEP.replace(
        "objectives = [",
        "objectives = [{ name = \"per_spill\", value = \"latency_ms / spilled_gb\", goal = \"minimise\" }, ",
    );
    assert_ne!(ratio, SWEEP);
    std::fs::write(own.path().join("sweeps/own.toml"), ratio).expect("file");
    let fault = String::from_utf8(program(own.path(), &["explain", "own"]).stderr).expect("text");
    assert!(fault.contains("division by zero in objective `per_spill`"), "{fault}");
}

/// No cycles at all are no frame rate: the model's own quotient is named, which stands in no file.
#[test]
fn a_metric_of_the_model_without_a_value_is_named() {
    let own = folder(PIPELINE);
    let cycles = |line: &str| match line.starts_with("rate = ") {
        true => "cycles = { value = 0, basis = \"derived\" }".to_owned(),
        false => line.to_owned(),
    };
    let hardware: Vec<String> = HARDWARE.lines().map(cycles).collect();
    std::fs::write(own.path().join("hardware/own.toml"), hardware.join("\n")).expect("file");
    let fault = String::from_utf8(program(own.path(), &["explain", "own"]).stderr).expect("text");
    assert!(fault.contains("division by zero in metric `fps`"), "{fault}");
}
