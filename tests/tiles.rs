//! Measured tiles on groups: the scheduler against plain sums, and the documented table against the reference scenes.

mod common;
#[allow(dead_code)]
#[path = "../examples/tile_balance.rs"]
mod tile_balance;

use std::fs;
use std::path::Path;

use nerarch_dse::ppa::Evaluator;
use nerarch_dse::report::tiles::{loads, table};
use nerarch_dse::schedule::balance::Balance;

const HARDWARE: &str = r#"
name = "groups"
node_nm = 28
[parameters]
cores = { default = 16, min = 1, max = 256 }
[clock]
mhz = 1000
reference_mhz = 1000
[[unit]]
name = "feeder"
executes = ["FeatureLoad"]
rate = { item = "entry", per_cycle = 1e15 }
[[unit]]
name = "blender"
executes = ["GaussianAlphaBlend"]
instances = "cores"
groups = "cores"
assign = "ASSIGN"
rate = { item = "pixel_gaussian", per_cycle = 1 }
area_mm2 = { total = 1 }
power_mw = { total_dynamic = 1 }
"#;

const PIPELINE: &str = r#"
name = "two stages"
[parameters]
tile = 32
overlap = { choice = ["circle", "obb"], default = "circle" }
[stream]
over = "tiles"
tile = "tile"
test = "overlap"
equal_tiles = "ceil(scene.width / tile) * ceil(scene.height / tile)"
[[operator]]
name = "load"
kind = "FeatureLoad"
entries = "tile.binned"
[[operator]]
name = "blend"
kind = "GaussianAlphaBlend"
pixel_gaussians = "tile.binned"
[[edge]]
from = "load"
to = "blend"
kind = "stream"
buffer = 512
"#;

fn sweep(folder: &Path, assign: &str) -> String {
    fs::write(folder.join("groups.toml"), HARDWARE.replace("ASSIGN", assign)).expect("hardware");
    fs::write(folder.join("two.toml"), PIPELINE).expect("pipeline");
    let text = "name = \"s\"\nhardware = \"groups.toml\"\npipeline = \"two.toml\"\nscenes = [\"playbot\"]\n\
                cameras = [\"az000\"]\n[parameters]\ncores = [1, 4, 7, 16, 64]\n[search]\nstrategy = \"grid\"\n\
                objectives = [\"latency_cycles\"]\n";
    let path = folder.join("s.toml");
    fs::write(&path, text).expect("sweep");
    path.display().to_string()
}

/// The feeder takes no time and the 335 tiles fit the buffer, so that the length is that of the blender alone: the sum of
/// the busiest block, or that of a list schedule.
#[test]
fn blocks_belong_to_their_groups_and_dynamic_tiles_to_the_first_free() {
    for assign in ["contiguous", "dynamic"] {
        let folder = tempfile::tempdir().expect("folder");
        let (study, plan) = common::compile(&sweep(folder.path(), assign));
        let load = &loads(&study, &plan, &[0], None)[0];
        assert_eq!((load.operator.as_str(), load.cycles.len(), load.screen()), ("blend", 335, 625));
        // playbot_lod4_overlap.csv, az000, circle, 32: 45,009 pairs.
        assert_eq!(load.cycles.iter().sum::<f64>(), 45_009.0);
        let mut evaluator = Evaluator::new(&plan);
        for (digit, cores) in [1, 4, 7, 16, 64].into_iter().enumerate() {
            evaluator.evaluate(&[digit as u32]);
            let balance = Balance::of(&load.cycles, load.screen(), cores);
            let expected = if assign == "contiguous" { balance.contiguous } else { balance.dynamic };
            let length = evaluator.objectives()[0];
            assert!((length - expected).abs() < 1e-6, "{assign} on {cores}: {length}, not {expected}");
            assert!(length >= balance.ideal - 1e-6);
        }
    }
}

#[test]
fn the_documented_table_is_what_the_reference_scenes_give() {
    let Some(reference) = common::reference() else { return };
    let loads = tile_balance::loads(&reference.join("scenes")).expect("scenes");
    // plant_tile16_walked.csv, az000: the totals of plant_summary.json.
    let plant = loads.iter().find(|load| load.workload == "plant.az000").expect("plant");
    assert!((plant.cycles.iter().sum::<f64>() - 668_126.0).abs() <= 2.0);
    let documented = include_str!("../docs/tiles.md");
    let table = table(&loads, &[64, 128, 256]);
    assert!(documented.ends_with(&table), "docs/tiles.md is not what the example writes");
}

#[test]
fn the_command_prints_the_table_and_draws_every_camera() {
    let folder = tempfile::tempdir().expect("folder");
    let sweep = sweep(folder.path(), "dynamic");
    let output = common::program(folder.path(), &["tiles", &sweep, "--groups", "64", "--figure", "t.svg"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("| playbot.az000 | 335 of 625 |"), "{text}");
    let svg = fs::read_to_string(folder.path().join("t.svg")).expect("figure");
    assert!(svg.contains("playbot") && svg.contains("over the longest of its screen"));
    let output = common::program(folder.path(), &["tiles", &sweep, "--operator", "blnd"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("did you mean `blend`?"), "{text}");
    let output = common::program(folder.path(), &["tiles", "gscore"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("no tiles that were measured"), "{text}");
}
