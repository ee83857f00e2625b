//! Exact search against walking every point, on thousands of random small studies.
//!
//! The studies mix everything that bounds must see through: derived parameters, choices, checks that fail at some points,
//! several groups, contiguous blocks, units that compete, shared memory ports, measured and equal tiles, several scenes
//! under every aggregate, constraints, and area and power that neither rise nor fall.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::compile;
use nerarch_dse::explore::{Block, Observer, Space, Summary};
use nerarch_dse::ppa::{BoxEvaluator, Evaluator, Outcome, Plan, Verdict};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::sweep::{Goal, Strategy};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random studies; `NERARCH_CASES` asks for more.
const CASES: u64 = 2000;
/// Random boxes of each study whose points are all looked at.
const BOXES: usize = 12;

struct Nothing;

impl Observer for Nothing {
    fn block(&mut self, _: &Block) -> std::io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, _: u64, _: usize) {}
}

struct Choices(ChaCha8Rng);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count as u64) as usize
    }

    fn of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }
}

/// An expression over the parameters that is not negative.
fn expression(choices: &mut Choices) -> String {
    const FORMS: [&str; 18] = [
        "a",
        "0.25 * b",
        "a * b",
        "a / b",
        "1 / (a + c)",
        "max(a, 3) * c",
        "min(a * 2, b + 1)",
        "ceil(a / 3) * b",
        "abs(a - b)",
        "(a - 3) ^ 2",
        "sqrt(a + b) * c",
        "log2(a + 1)",
        "if(a > b, a, 2 * b)",
        "if(mode == 'x', a, 5 / a)",
        "a % 3",
        "(a + b) / (a * c + b * c)",
        "a * b / (b + b * c)",
        "if(c == 2, 1, 0) * sum(i, 1, 3, i * a)",
    ];
    let form = choices.of(&FORMS);
    if choices.below(3) == 0 { format!("({form}) + ({})", choices.of(&FORMS)) } else { form.to_owned() }
}

fn axis(choices: &mut Choices, most: usize) -> String {
    let mut values: Vec<usize> = Vec::new();
    for _ in 0..1 + choices.below(5) {
        let value = 1 + choices.below(most);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    format!("{values:?}")
}

fn hardware(choices: &mut Choices) -> String {
    let assign = choices.of(&["dynamic", "dynamic", "contiguous"]);
    let blend_executes = choices.of(&["[\"blending\"]", "[\"blending\", \"FeatureLoad\"]"]);
    let lanes = choices.of(&["1", "b", "c"]);
    let idle = choices.of(&["gated", "full"]);
    let (areas, powers) = ([(); 3].map(|()| expression(choices)), [(); 3].map(|()| expression(choices)));
    let latency = expression(choices);
    let bandwidth = choices.of(&["25.6", "8 * a", "51.2 / b", "16 + c"]);
    let sram = choices.of(&["64", "32 * b", "16 * a + 4"]);
    format!(
        r#"
name = "hw"
node_nm = 28
boundary = ["core", "dram"]
[parameters]
a = {{ default = 2, min = 1, max = 64 }}
b = {{ default = 2, min = 1, max = 64 }}
c = {{ default = 2, min = 1, max = 64 }}
g = {{ default = 2, min = 1, max = 8 }}
mhz = {{ default = 1000, type = "real" }}
mode = {{ choice = ["x", "y"], default = "x" }}
[clock]
mhz = "mhz"
reference_mhz = 1000
operating_point = [{{ mhz = 500, voltage_v = 0.8 }}, {{ mhz = 900, voltage_v = 0.85 }}, {{ mhz = 1500, voltage_v = 1.0 }}]
[[unit]]
name = "culler"
executes = ["FrustumCullProject", "FeatureLoad"]
instances = "a"
rate = {{ item = "{item}", per_cycle = "{rate}" }}
latency_cycles = "{latency}"
area_mm2 = {{ each = "{a0}", basis = "published" }}
power_mw = {{ each_dynamic = "{p0}", each_leakage = 1 }}
[[unit]]
name = "loader"
executes = ["FeatureLoad"]
instances = "b"
rate = {{ item = "entry", per_cycle = 1 }}
writes = ["buffer"]
area_mm2 = {{ total = "{a1}", basis = "published" }}
power_mw = {{ total_dynamic = "{p1}" }}
idle = "{idle}"
[[unit]]
name = "blender"
executes = {blend_executes}
instances = "g * {lanes}"
groups = "g"
assign = "{assign}"
rate = {{ item = "{blend_item}", per_cycle = "{blend_rate}" }}
latency_cycles = 7
reads = ["buffer"]
writes = ["buffer"]
area_mm2 = {{ each = "{a2}", basis = "published" }}
power_mw = {{ each_dynamic = "{p2}", each_leakage = "a" }}
[[unit]]
name = "mixer"
executes = ["blending"]
instances = "c * {mixers}"
groups = "{mixers}"
rate = {{ item = "pixel_gaussian", per_cycle = 1 }}
latency_cycles = 3
reads = ["buffer"]
area_mm2 = {{ each = 0.25, basis = "published" }}
power_mw = {{ each_dynamic = 5 }}
[[sram]]
name = "buffer"
capacity_kib = 8
read_gb_per_s = "{sram}"
write_gb_per_s = 40
read_latency_cycles = 2
write_latency_cycles = 1
[dram]
peak_gb_per_s = "{bandwidth}"
efficiency = {{ stream = 0.9 }}
latency_ns = 100
energy_pj_per_bit = 8
background_mw = "10 * b"
"#,
        item = "gaussian",
        mixers = choices.of(&["1", "g", "b"]),
        rate = choices.of(&["1", "0.5 * c", "if(mode == 'x', 1, 2)"]),
        blend_item = "pixel_gaussian",
        blend_rate = choices.of(&["1", "0.75", "1 / a"]),
        a0 = areas[0],
        a1 = areas[1],
        a2 = areas[2],
        p0 = powers[0],
        p1 = powers[1],
        p2 = powers[2],
    )
}

fn pipeline(choices: &mut Choices) -> String {
    let buffer = choices.of(&["2", "g", "c", "2 * g", "8"]);
    let second = choices.of(&["2", "1", "a"]);
    let work = choices.of(&["tile * tile", "1", "ceil(a / 2)", "if(mode == 'x', 3, c)"]);
    let load_memory = choices.of(&["dram", "buffer"]);
    let frame = choices.below(3) == 0;
    let count = if frame { "scene.binned" } else { "tile.binned" };
    let into_blend = if frame { "barrier\"".to_owned() } else { format!("stream\"\nbuffer = \"{buffer}\"") };
    format!(
        r#"
name = "pipe"
[parameters]
tile = {{ default = 16, min = 1 }}
test = {{ choice = ["circle", "obb"], default = "circle" }}
[stream]
over = "tiles"
tile = "tile"
test = "test"
equal_tiles = "ceil(scene.width / tile) * ceil(scene.height / tile)"
[[operator]]
name = "cull"
kind = "FrustumCullProject"
gaussians = "scene.gaussians"
[[operator]]
name = "load"
kind = "FeatureLoad"
entries = "tile.binned"
[[operator]]
name = "mix"
kind = "GaussianAlphaBlend"
pixel_gaussians = "tile.binned * 2"
[[operator]]
name = "blend"
kind = "GaussianAlphaBlend"
pixel_gaussians = "{count} * {work}"
[[edge]]
from = "cull"
to = "load"
kind = "barrier"
[[edge]]
from = "load"
to = "mix"
kind = "stream"
buffer = "{second}"
[[edge]]
from = "mix"
to = "blend"
kind = "{into_blend}
[[traffic]]
name = "Gaussians"
operator = "cull"
memory = "dram"
direction = "read"
bytes = "scene.gaussians * 118"
[[traffic]]
name = "features"
operator = "load"
memory = "{load_memory}"
direction = "write"
bytes = "tile.binned * 32"
[[traffic]]
name = "pixels"
operator = "blend"
memory = "dram"
direction = "write"
bytes = "{count} * b"
[mapping]
load = "loader"
{mix}
"#,
        mix = choices.of(&["", "mix = \"mixer\"", "mix = \"mixer\"\nblend = \"blender\""]),
    )
}

fn scene(choices: &mut Choices, folder: &Path, name: &str) {
    let measured = choices.below(2) == 0;
    let mut text = format!(
        "name = \"{name}\"\ncredit = \"test\"\nsource = \"test\"\nwidth = 64\nheight = 64\ngaussians = {}\n",
        100 + choices.below(3000)
    );
    let mut tiles = "binning,tile,binned\n".to_owned();
    if measured {
        text += &format!("tiles_file = \"{name}.csv\"\n");
    }
    for (id, (test, edge)) in [("circle", 16), ("obb", 16), ("circle", 32), ("obb", 32)].into_iter().enumerate() {
        let mut total = 0;
        for tile in 0..(64 / edge) * (64 / edge) {
            let binned = 1 + choices.below(200);
            if choices.below(4) > 0 || tile == 0 {
                total += binned;
                tiles += &format!("{id},{tile},{binned}\n");
            }
        }
        let id = if measured { format!("id = {id}\n") } else { String::new() };
        text += &format!("[[binning]]\n{id}test = \"{test}\"\ntile = {edge}\nbinned = {total}\n");
    }
    fs::write(folder.join(format!("{name}.toml")), text).expect("write");
    fs::write(folder.join(format!("{name}.csv")), tiles).expect("write");
}

fn study(folder: &Path, seed: u64) {
    let mut choices = Choices(ChaCha8Rng::seed_from_u64(seed));
    fs::write(folder.join("hardware.toml"), hardware(&mut choices)).expect("write");
    fs::write(folder.join("pipeline.toml"), pipeline(&mut choices)).expect("write");
    scene(&mut choices, folder, "one");
    scene(&mut choices, folder, "two");
    let scenes = choices.of(&["\"one.toml\"", "\"one.toml\", \"two.toml\""]);
    let aggregate = choices.of(&["worst", "mean", "geomean", "p99", "each"]);
    let mut parameters = format!("a = {}\nb = {}\n", axis(&mut choices, 9), axis(&mut choices, 9));
    parameters += &match choices.below(3) {
        0 => "c = \"a + 1\"\n".to_owned(),
        1 => "c = \"max(1, floor(b / 2))\"\n".to_owned(),
        _ => format!("c = {}\n", axis(&mut choices, 6)),
    };
    parameters += &format!("g = {}\n", axis(&mut choices, 4));
    for (line, odds) in [
        ("mhz = [1200, 600, 800, 1000, 400]\n", 2),
        ("mode = { choice = [\"y\", \"x\"] }\n", 2),
        ("test = { choice = [\"obb\", \"circle\"] }\n", 2),
        ("tile = [16, 32]\n", 3),
    ] {
        if choices.below(odds) == 0 {
            parameters += line;
        }
    }
    let objectives = choices.of(&[
        "\"latency_ms\", \"area_mm2\"",
        "\"latency_ms\", \"power_mw\", \"area_mm2\"",
        "\"fps\", \"energy_mj\"",
        "\"edp\", \"area_mm2\"",
        "\"fps_per_w\", \"fps_per_mm2\"",
        "\"power_mw\", \"peak_power_mw\"",
        "\"energy_mj\"",
        "{ metric = \"utilization.blender\", goal = \"maximise\" }, \"area_mm2\"",
        "{ metric = \"dram_utilization\", goal = \"minimise\" }, \"latency_ms\"",
        "{ metric = \"lower_bound_cycles\", goal = \"minimise\" }, { metric = \"area_mm2\", goal = \"maximise\" }",
    ]);
    let constraints = choices.of(&[
        "",
        "fps = { min = 30000 }",
        "area_mm2 = { max = 30 }",
        "power_mw = { max = 400 }\nodd = { value = \"a * b - c\", max = 20 }",
        "latency_ms = { min = 0.01, max = 0.1 }",
    ]);
    fs::write(
        folder.join("sweep.toml"),
        format!(
            "name = \"random\"\nhardware = \"hardware.toml\"\npipeline = \"pipeline.toml\"\nscenes = [{scenes}]\n\
             aggregate = \"{aggregate}\"\n[parameters]\n{parameters}\n[constraints]\n{constraints}\n\
             [search]\nstrategy = \"exact\"\nobjectives = [{objectives}]\n"
        ),
    )
    .expect("write");
}

fn explore(study: &Study, plan: &Plan, space: &Space, strategy: Strategy, threads: usize) -> Summary {
    let mut search = study.sweep.search.clone();
    search.strategy = strategy;
    common::search(plan, space, &search, threads, &mut Nothing)
}

fn vectors(summary: &Summary) -> BTreeSet<Vec<u64>> {
    summary.front.iter().map(|point| point.objectives.iter().map(|value| value.to_bits()).collect()).collect()
}

/// Every point of random boxes lies within the box's bounds.
fn check_boxes(plan: &Plan, space: &Space, choices: &mut Choices, case: &str) {
    let mut boxes = BoxEvaluator::new(plan).expect("bounds");
    let mut points = Evaluator::new(plan);
    for _ in 0..BOXES {
        let corners = [(); 2]
            .map(|()| -> Vec<u32> { space.sizes().iter().map(|size| choices.below(*size as usize) as u32).collect() });
        let low: Vec<u32> = corners[0].iter().zip(&corners[1]).map(|(a, b)| *a.min(b)).collect();
        let high: Vec<u32> = corners[0].iter().zip(&corners[1]).map(|(a, b)| *a.max(b)).collect();
        let verdict = boxes.bound(&low, &high);
        let mut digits = low.clone();
        loop {
            if points.evaluate(&digits) == Outcome::Feasible {
                assert_eq!(verdict, Verdict::Open, "{case}: {digits:?} is feasible in {low:?} to {high:?}");
                for ((objective, value), bound) in plan.objectives.iter().zip(points.objectives()).zip(boxes.bounds()) {
                    let holds = if objective.goal == Goal::Minimise { bound <= value } else { bound >= value };
                    assert!(
                        holds,
                        "{case}: {} of {digits:?} is {value}, beyond {bound} of {low:?} to {high:?}",
                        objective.name
                    );
                }
            }
            let Some(axis) = (0..digits.len()).rev().find(|axis| digits[*axis] < high[*axis]) else { break };
            digits[axis] += 1;
            digits[axis + 1..].copy_from_slice(&low[axis + 1..]);
        }
    }
}

#[test]
fn the_exact_search_finds_the_front_of_every_random_study() {
    let cases = std::env::var("NERARCH_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let first: u64 = std::env::var("NERARCH_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let folder = tempfile::tempdir().expect("folder");
    let (mut points, mut evaluated, mut compiled, mut empty) = (0, 0, 0, 0);
    for seed in first..first + cases {
        study(folder.path(), seed);
        let path = folder.path().join("sweep.toml");
        let name = path.to_str().expect("path");
        let (study, _) = Study::load(name).unwrap_or_else(|faults| panic!("case {seed}: {faults}"));
        // Some random studies are wrong, such as contiguous blocks on a unit that operators compete for.
        let Ok((plan, _)) = Plan::compile(&study) else { continue };
        let space = Space::new(&plan.axes).expect("space");
        check_boxes(&plan, &space, &mut Choices(ChaCha8Rng::seed_from_u64(seed)), &format!("case {seed}"));
        let grid = explore(&study, &plan, &space, Strategy::Grid, 1);
        let exact = explore(&study, &plan, &space, Strategy::Exact, 1);
        assert_eq!(vectors(&exact), vectors(&grid), "case {seed}");
        assert_eq!(exact.front.len(), grid.front.len(), "case {seed}");
        compiled += 1;
        points += grid.points;
        evaluated += exact.points;
        empty += u64::from(grid.feasible == 0);
    }
    println!("{compiled} of {cases} studies, {empty} with no feasible point; {evaluated} of {points} points evaluated");
    assert!(compiled >= cases / 2, "only {compiled} of {cases} studies are sound");
}

#[test]
fn the_exact_search_does_the_same_with_any_number_of_threads() {
    let (study, plan) = compile("tests/exact/medium.toml");
    let space = Space::new(&plan.axes).expect("space");
    let one = explore(&study, &plan, &space, Strategy::Exact, 1);
    let grid = explore(&study, &plan, &space, Strategy::Grid, 2);
    assert_eq!(vectors(&one), vectors(&grid));
    for threads in [2, 7] {
        assert_eq!(explore(&study, &plan, &space, Strategy::Exact, threads), one);
    }
}
