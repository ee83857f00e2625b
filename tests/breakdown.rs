//! The parts of a point are the parts of its metrics.

mod common;

use common::compile;
use nerarch_dse::ppa::breakdown::{Bound, Breakdown};
use nerarch_dse::ppa::{Evaluator, Plan, metric};
use nerarch_dse::schedule::TimelineOptions;
use nerarch_dse::spec::Study;

/// Rounding of sums that are added up in another order.
const ROUNDING: f64 = 1e-12;

fn close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= ROUNDING * theirs.abs().max(f64::MIN_POSITIVE)
}

/// Every eleventh point of a sweep, taken apart, with its metrics.
fn each_point(sweep: &str, mut check: impl FnMut(&Breakdown, &dyn Fn(&str) -> f64, &mut Evaluator<'_>, usize)) {
    let (study, _) = Study::load(sweep).expect("a study");
    let (plan, _) = Plan::compile_detailed(&study).expect("a plan");
    let (_, plain) = compile(sweep);
    let mut evaluator = Evaluator::new(&plan);
    let mut other = Evaluator::new(&plain);
    let mut digits = vec![0; plan.axes.len()];
    for step in 0..40_usize {
        for (digit, axis) in digits.iter_mut().zip(&plan.axes) {
            *digit = ((step * 11 + 3 * axis.name.len()) % axis.values.len()) as u32;
        }
        evaluator.evaluate(&digits);
        other.evaluate(&digits);
        assert_eq!(evaluator.metrics(), other.metrics(), "a detailed plan evaluates to the same");
        for workload in 0..plan.workloads.len() {
            let Some(parts) = evaluator.breakdown(workload) else { continue };
            let metrics = evaluator.metrics().to_vec();
            let width = plan.metric_names.len();
            let metric = |name: &str| {
                metrics[workload * width + plan.metric_names.iter().position(|known| known == name).expect("metric")]
            };
            check(&parts, &metric, &mut evaluator, workload);
        }
    }
}

#[test]
fn parts_add_up_to_the_metrics() {
    for sweep in ["gscore", "gscore_tiles"] {
        let mut seen = 0;
        each_point(sweep, |parts, metric, _, _| {
            seen += 1;
            let dram = parts.dram.as_ref().expect("GSCore has a DRAM");
            let mut area = 0.0;
            for block in parts.units.iter().map(|unit| &unit.block).chain(parts.srams.iter().map(|sram| &sram.block)) {
                area += block.area_mm2;
            }
            area += if dram.phy_in_boundary { dram.phy_area_mm2 } else { 0.0 };
            assert_eq!(area, metric("area_mm2"), "areas are added up in the same order");
            let blocks = parts.units.iter().map(|unit| &unit.block).chain(parts.srams.iter().map(|sram| &sram.block));
            let mut core: f64 = blocks.map(|block| block.dynamic_mj + block.leakage_mj).sum();
            core += parts.srams.iter().map(|sram| sram.access_mj).sum::<f64>();
            assert!(close(core / metric("latency_ms") * 1e3, metric("core_power_mw")), "{core}");
            let outside = dram.access_mj + dram.background_mj;
            assert!(close(outside / metric("latency_ms") * 1e3, metric("dram_power_mw")));
            let energy = core + if dram.energy_in_boundary { outside } else { 0.0 };
            assert!(close(energy, metric("energy_mj")), "{energy} {}", metric("energy_mj"));
            assert!(close((dram.read_bytes + dram.written_bytes) / 1e9, metric("dram_gb")));
            let of_operators = parts.operators.iter().flat_map(|operator| &operator.memory);
            let bytes: f64 = of_operators
                .filter(|memory| memory.port.memory == "dram")
                .map(|memory| memory.read_bytes + memory.written_bytes)
                .sum();
            assert!(close(bytes / 1e9, metric("dram_gb")), "operators move all of the traffic");
            for (index, unit) in parts.units.iter().enumerate() {
                assert_eq!(unit.block.utilization, metric(&format!("utilization.{}", unit.block.name)));
                let compute = parts.operators.iter().filter(|operator| operator.unit == index);
                let compute: f64 = compute.map(|operator| operator.compute_cycles).sum();
                assert!(close(compute, unit.block.busy_cycles), "{}: {compute}", unit.block.name);
            }
            let most = parts.units.iter().map(|unit| unit.block.busy_cycles).fold(dram.busy_cycles, f64::max);
            let named = parts.units.iter().find(|unit| unit.block.name == parts.bottleneck);
            assert_eq!(named.map_or(dram.busy_cycles, |unit| unit.block.busy_cycles), most);
        });
        assert!(seen > 40, "{sweep}: {seen}");
    }
}

#[test]
fn operators_lie_within_the_schedule_and_the_last_one_ends_it() {
    for sweep in ["gscore", "gscore_tiles"] {
        each_point(sweep, |parts, metric, _, _| {
            let makespan = metric("latency_cycles");
            let end = parts.operators.iter().map(|operator| operator.end_cycles).fold(0.0, f64::max);
            assert!(close(end, makespan), "{sweep}: {end} {makespan}");
            for operator in &parts.operators {
                assert!(operator.start_cycles >= 0.0 && operator.start_cycles <= operator.end_cycles);
                let least = operator.compute_cycles.max(operator.busy_cycles);
                // A unit's groups can only work side by side.
                assert!(operator.end_cycles - operator.start_cycles >= least * (1.0 - 1e-9), "{}", operator.name);
                let longest = operator.memory.iter().map(|memory| memory.shared_cycles).fold(0.0, f64::max);
                assert_eq!(operator.bound != Bound::Compute, longest > operator.compute_cycles);
            }
        });
    }
}

#[test]
fn a_timeline_holds_every_tile_once_and_no_group_works_on_two_at_a_time() {
    each_point("gscore_tiles", |parts, metric, evaluator, workload| {
        let options = TimelineOptions { intervals: 50_000, bins: 64, ..TimelineOptions::default() };
        let timeline = evaluator.timeline(workload, options).expect("a timeline");
        let ports = evaluator.ports(workload);
        assert_eq!(timeline.omitted, 0);
        let tiles: f64 = parts.operators.iter().map(|operator| operator.tiles).sum();
        assert_eq!(timeline.intervals.len() as f64, tiles);
        for (unit, share) in parts.units.iter().enumerate() {
            let mut own: Vec<_> = timeline
                .intervals
                .iter()
                .filter(|interval| timeline.stages[interval.stage].unit == unit)
                .map(|interval| (interval.group, interval.start, interval.end))
                .collect();
            own.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            for pair in own.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                assert!(pair[0].2 <= pair[1].1 * (1.0 + 1e-12), "{}: {pair:?}", share.block.name);
            }
            let computing: f64 = timeline.computing[unit].iter().sum::<f64>() * timeline.bin_cycles;
            assert!((computing - share.block.busy_cycles).abs() <= 1e-6 * metric("latency_cycles"), "{computing}");
            assert!(timeline.occupied[unit].iter().all(|share| *share <= 1.0 + 1e-9));
        }
        let dram = ports.iter().position(|port| port.memory == "dram").expect("the DRAM's port");
        let bytes: f64 = timeline.port_bytes[dram].iter().sum();
        assert!((bytes / 1e9 / metric("dram_gb") - 1.0).abs() < 1e-6, "{bytes}");
    });
    assert!(metric::index_of("latency_cycles").is_some());
}

#[test]
fn a_plan_for_a_sweep_keeps_no_parts() {
    let (_, plan) = compile("gscore");
    let mut evaluator = Evaluator::new(&plan);
    evaluator.evaluate(&vec![0; plan.axes.len()]);
    assert!(evaluator.breakdown(0).is_none());
}
