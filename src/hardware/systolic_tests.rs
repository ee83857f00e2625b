use super::*;
use crate::hardware::testing::{page, reference_rows};
use proptest::prelude::*;

const INT8: ElementBytes = ElementBytes { input: 1.0, weight: 1.0, output: 1.0, partial: 4.0 };
const FLOWS: [Dataflow; 3] = [Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary];

fn array(rows: u64, cols: u64, dataflow: Dataflow) -> SystolicArray {
    SystolicArray { rows, cols, dataflow }
}

#[test]
fn cycles_equal_every_reference_run() {
    let Some(rows) = reference_rows("scalesim_gemm.csv") else {
        return;
    };
    assert_eq!(rows.len(), 108);
    for row in &rows {
        let number = |key: &str| -> u64 { row[key].parse().expect("a count") };
        let dataflow: Dataflow = row["dataflow"].parse().expect("os or ws");
        let array = array(number("array_rows"), number("array_cols"), dataflow);
        let gemm = Gemm { m: number("M"), n: number("N"), k: number("K") };
        let timing = array.time(gemm, INT8, OperandBandwidth::AMPLE).expect("a timing");
        assert_eq!(timing.compute_cycles, number("compute_cycles"), "{row:?}");
        assert_eq!(timing.macs, number("macs"));
        assert_eq!(timing.stall_cycles, 0.0);
        for (key, ours) in [("utilization", timing.utilization), ("mapping_efficiency", timing.mapping_efficiency)] {
            let theirs: f64 = row[key].parse().expect("a share");
            assert!((ours - theirs).abs() < 2e-6, "{key} of {row:?}: {ours}");
        }
    }
    let runs = |flow: &str| rows.iter().filter(|row| row["dataflow"] == flow).count();
    let row = |name: &str, runs: String, off: &str| vec![name.to_owned(), runs, off.to_owned()];
    let lines = [
        row("output stationary, SCALE-Sim 3.0.0", format!("{}", runs("os")), "0"),
        row("weight stationary, SCALE-Sim 3.0.0", format!("{}", runs("ws")), "0"),
        row("input stationary", "none: weight stationary with M and N exchanged".into(), "not measured"),
        row("stalls", "none: by hand in small cases".into(), "not measured"),
    ];
    page::check("arrays", &page::table(&["cycles", "reference runs", "off by, cycles"], &lines));
}

#[test]
fn a_small_weight_stationary_product_stalls_as_counted_by_hand() {
    // 4 x 4 array, M = 3, N = 4, K = 6: two folds of 3 + 8 + 4 - 2 = 13 cycles, 25 in all.
    // Fold 1 (4 rows): inputs 12, weights 16, partial sums out 3 * 4 * 4 = 48. Fold 2 (2 rows): inputs 6, weights 8,
    // partial sums back 48, results 12. An output port of 3 bytes per cycle: 48 / 3 - 13 = 3 and 60 / 3 - 13 = 7.
    let gemm = Gemm { m: 3, n: 4, k: 6 };
    let bandwidth = OperandBandwidth { output: 3.0, ..OperandBandwidth::AMPLE };
    let timing = array(4, 4, Dataflow::WeightStationary).time(gemm, INT8, bandwidth).expect("a timing");
    assert_eq!(timing.compute_cycles, 25);
    assert_eq!(timing.stall_cycles, 10.0);
    assert_eq!(timing.traffic, Traffic { input: 18.0, weight: 24.0, output: 12.0, partial: 96.0 });
    // Shared port of 2 bytes per cycle: 76 / 2 - 13 = 25 and 74 / 2 - 13 = 24; the first fold waits for 28 / 2.
    let bandwidth = OperandBandwidth { shared: 2.0, ..OperandBandwidth::AMPLE };
    let timing = array(4, 4, Dataflow::WeightStationary).time(gemm, INT8, bandwidth).expect("a timing");
    assert_eq!((timing.stall_cycles, timing.cold_start_cycles), (49.0, 14.0));
}

#[test]
fn wrong_sizes_and_bandwidths_are_errors() {
    let good = Gemm { m: 4, n: 4, k: 4 };
    let array = array(4, 4, Dataflow::OutputStationary);
    let time = |gemm, bandwidth| array.time(gemm, INT8, bandwidth);
    assert_eq!(time(Gemm { k: 0, ..good }, OperandBandwidth::AMPLE), Err(SystolicError::Zero("K")));
    assert_eq!(time(Gemm { m: u64::MAX, ..good }, OperandBandwidth::AMPLE), Err(SystolicError::TooLarge));
    let none = OperandBandwidth { input: 0.0, ..OperandBandwidth::AMPLE };
    assert_eq!(time(good, none), Err(SystolicError::BadFigure("input bandwidth", 0.0)));
    let nan = OperandBandwidth { shared: f64::NAN, ..OperandBandwidth::AMPLE };
    assert!(time(good, nan).is_err());
    assert!("nws".parse::<Dataflow>().is_err());
}

proptest! {
    #[test]
    fn utilisation_is_a_share_and_more_bandwidth_never_takes_longer(
        (m, n, k) in (1u64..3000, 1u64..3000, 1u64..3000),
        (rows, cols) in (1u64..80, 1u64..80),
        flow in 0usize..3,
        low in 0.01f64..200.0,
        factor in 1.0f64..10.0,
        port in 0usize..4,
    ) {
        let array = array(rows, cols, FLOWS[flow]);
        let limited = |value: f64| {
            let mut bandwidth = OperandBandwidth::AMPLE;
            *[&mut bandwidth.input, &mut bandwidth.weight, &mut bandwidth.output, &mut bandwidth.shared][port] = value;
            array.time(Gemm { m, n, k }, INT8, bandwidth).expect("a timing")
        };
        let (slow, fast, ideal) = (limited(low), limited(low * factor), limited(f64::INFINITY));
        prop_assert!(slow.total_cycles() >= fast.total_cycles());
        prop_assert!(fast.total_cycles() >= ideal.total_cycles());
        prop_assert_eq!(ideal.total_cycles(), ideal.compute_cycles as f64);
        for timing in [slow, fast, ideal] {
            prop_assert!(timing.utilization > 0.0 && timing.utilization <= 1.0);
            prop_assert!(timing.mapping_efficiency > 0.0 && timing.mapping_efficiency <= 1.0);
        }
        // The largest demand of any fold: all operands of a full fold at once.
        let plenty = (rows + cols) as f64 * 16.0 * (1.0 + k.max(m).max(n) as f64);
        prop_assert_eq!(limited(plenty).stall_cycles, 0.0);
    }

    #[test]
    fn input_stationary_is_weight_stationary_of_the_transpose(
        (m, n, k) in (1u64..500, 1u64..500, 1u64..500),
        (rows, cols) in (1u64..40, 1u64..40),
        limit in 0.1f64..50.0,
    ) {
        let limited = OperandBandwidth { input: limit, ..OperandBandwidth::AMPLE };
        let swapped = OperandBandwidth { weight: limit, ..OperandBandwidth::AMPLE };
        let is = array(rows, cols, Dataflow::InputStationary).time(Gemm { m, n, k }, INT8, limited);
        let ws = array(rows, cols, Dataflow::WeightStationary).time(Gemm { m: n, n: m, k }, INT8, swapped);
        let (is, ws) = (is.expect("a timing"), ws.expect("a timing"));
        prop_assert_eq!(is.compute_cycles, ws.compute_cycles);
        prop_assert_eq!(is.stall_cycles, ws.stall_cycles);
        prop_assert_eq!(is.traffic.weight, ws.traffic.input);
    }

    #[test]
    fn every_operand_is_moved_at_least_once(
        (m, n, k) in (1u64..500, 1u64..500, 1u64..500),
        (rows, cols) in (1u64..40, 1u64..40),
        flow in 0usize..3,
    ) {
        let timing = array(rows, cols, FLOWS[flow])
            .time(Gemm { m, n, k }, INT8, OperandBandwidth::AMPLE)
            .expect("a timing");
        prop_assert!(timing.traffic.input >= (m * k) as f64);
        prop_assert!(timing.traffic.weight >= (k * n) as f64);
        prop_assert_eq!(timing.traffic.output, (m * n) as f64);
    }
}
