//! Against an independent program: the 144-point grid of NRSim's analytic GSCore script, written as declarations.

mod common;

use std::collections::HashMap;

use common::{compile, error, numbers, reference};
use nerarch_dse::explore::{Archive, Space};
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::sweep::Goal::{Maximise, Minimise};

const DRAM_BACKGROUND_MW: f64 = 200.0;

/// mW of one instance: GSCore Table 7, totals over counts.
const ALL_ON_MW: [(&str, f64); 5] =
    [("CCU", 520.0 / 4.0), ("QSU", 10.0 / 8.0), ("BSU", 50.0 / 4.0), ("VRCore", 250.0 / 64.0), ("Buf", 40.0 / 8.0)];

struct Point {
    cycles: f64,
    fps: f64,
    energy_mj: f64,
    area_mm2: f64,
    bandwidth_use: f64,
    power_mw: f64,
}

fn evaluate(plan: &Plan, row: &HashMap<String, f64>) -> Point {
    let values: Vec<f64> = plan
        .axes
        .iter()
        .map(|axis| match axis.name.as_str() {
            "ccu" => row["CCU"],
            "qsu" => row["QSU"],
            "vr_cores" => row["VRCore"],
            "buffers" => row["Buf"],
            other => panic!("unknown axis {other}"),
        })
        .collect();
    let mut evaluator = Evaluator::new(plan);
    assert_eq!(evaluator.evaluate_values(&values), Outcome::Feasible);
    let metric = |name: &str| {
        let at = plan.metric_names.iter().position(|metric| metric == name).expect("metric");
        evaluator.metric(0, at)
    };
    Point {
        cycles: metric("latency_cycles"),
        fps: metric("fps"),
        energy_mj: metric("energy_mj"),
        area_mm2: metric("area_mm2"),
        bandwidth_use: metric("dram_utilization"),
        power_mw: ALL_ON_MW.iter().map(|(name, each)| each * row[*name]).sum(),
    }
}

/// The script multiplies tiles by the longest of load, sort and render. A pipeline of three stages takes that long for all
/// tiles but one, whose three stages come one after the other: the first tile fills the pipeline, the last one drains it.
fn fill_and_drain(row: &HashMap<String, f64>, pairs: f64, pixels: f64) -> f64 {
    let per_tile = pairs / (pixels / 256.0).ceil();
    let load = per_tile;
    let (mut keys, mut quick) = (per_tile.floor(), 0.0);
    while keys > 16.0 {
        quick += (keys / row["QSU"]).ceil();
        keys = (keys / 2.0).ceil();
    }
    let sort = quick + 0.5 * (per_tile.floor() * 4.0 / row["BSU"]).ceil();
    let render = 256.0 * 5.0 * 4.0 / row["VRCore"];
    load + sort + render - load.max(sort).max(render)
}

fn matches_every_point(scene: &str, pairs: f64, pixels: f64) {
    let Some(folder) = reference() else { return };
    let (_, plan) = compile(&format!("tests/nrsim/{scene}.toml"));
    let rows = numbers(&folder.join(format!("nrsim_{scene}.csv")));
    assert_eq!(rows.len(), 144);
    assert_eq!(Space::new(&plan.axes).map(|space| space.points()), Some(144));
    let mut front = Archive::new(vec![Maximise, Minimise, Minimise]);
    let mut worst = [0.0_f64; 5];
    for (index, row) in rows.iter().enumerate() {
        let point = evaluate(&plan, row);
        let extra = fill_and_drain(row, pairs, pixels);
        let cycles = point.cycles - extra;
        let fps = 1e9 / cycles;
        // All power burns all the time: mW times ns are pJ, 1e-9 mJ.
        let energy = point.energy_mj - (point.power_mw + DRAM_BACKGROUND_MW) * extra * 1e-9;
        let bandwidth_use = point.bandwidth_use * point.cycles / cycles;
        let errors = [
            error(point.area_mm2, row["Area_mm2"]),
            error(point.fps, row["FPS"]),
            error(fps, row["FPS"]),
            error(energy, row["Energy_mJ"]),
            error(bandwidth_use, row["BW_util"]),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
        // Ties within 1e-12 count as ties.
        let rounded = [fps, energy, point.area_mm2].map(|value| format!("{value:.11e}").parse().expect("number"));
        front.insert(index as u64, &rounded);
    }
    println!(
        "{scene}: area {:.1e}, fps {:.1e}; without fill and drain fps {:.1e}, energy {:.1e}, bandwidth {:.1e}",
        worst[0], worst[1], worst[2], worst[3], worst[4]
    );
    assert!(worst[0] < 1e-9, "area is off by {}", worst[0]);
    assert!(worst[1] < 5e-4, "frames per second are off by {}", worst[1]);
    assert!(worst[2..].iter().all(|error| *error < 1e-9), "corrected values are off by {:?}", &worst[2..]);
    let names = ["CCU", "QSU", "BSU", "VRCore", "Buf"];
    let theirs: Vec<Vec<f64>> = numbers(&folder.join(format!("nrsim_{scene}_front.csv")))
        .iter()
        .map(|row| names.iter().map(|name| row[*name]).collect())
        .collect();
    let ours: Vec<Vec<f64>> = front
        .into_front()
        .iter()
        .map(|point| names.iter().map(|name| rows[point.index as usize][*name]).collect())
        .collect();
    assert_eq!(ours, theirs, "the fronts differ");
}

#[test]
fn every_point_of_lego_equals_the_script() {
    matches_every_point("lego", 1_570_804.0, 800.0 * 800.0);
}

#[test]
fn every_point_of_bicycle_equals_the_script() {
    matches_every_point("bicycle", 10_329_175.0, 4946.0 * 3286.0);
}
