use super::*;
use crate::hardware::testing::{ErrorSummary, page, reference_rows};
use part::{Run, runs};
use proptest::prelude::*;

fn usage(run: &Run) -> DramUse {
    let (name, mixed) = match run.pattern.strip_suffix("_rw21") {
        Some(name) => (name, true),
        None => (run.pattern.strip_suffix("_r").expect("a read pattern"), false),
    };
    DramUse {
        channels: run.channels,
        pattern: match name.strip_prefix("stride") {
            Some(bytes) => Pattern::Stride { bytes: bytes.parse().expect("a stride") },
            None if name == "stream" => Pattern::Stream,
            None => Pattern::Random,
        },
        request_bytes: run.request_bytes,
        outstanding: run.outstanding,
        write_share: if mixed { fit::WRITE_SHARE } else { 0.0 },
    }
}

fn error(run: &Run, fits: &[PartFit]) -> f64 {
    let part = part(&run.part).expect("a known part");
    perform(part, &fits[part.index], usage(run)).efficiency / run.efficiency - 1.0
}

fn is_stride(run: &Run) -> bool {
    run.pattern.starts_with("stride")
}

fn fits(runs: &[Run]) -> Vec<PartFit> {
    PARTS.iter().map(|part| PartFit::of(part, runs).expect("a fit")).collect()
}

const HEADER: [&str; 4] = ["tried on", "mean", "95th percentile", "maximum"];

fn page_row(tried_on: String, summary: ErrorSummary) -> Vec<String> {
    let cell = |value: f64| format!("{value:.1} %");
    vec![tried_on, cell(summary.mean), cell(summary.p95), cell(summary.max)]
}

#[test]
fn runs_held_out_of_the_fit_are_predicted_within_five_percent() {
    let all = runs().expect("the runs parse");
    let (mut every, mut rows) = (Vec::new(), Vec::new());
    for held in 0..4 {
        let number = |run: &Run| all.iter().position(|r| r == run).unwrap_or(0);
        let (out, kept): (Vec<Run>, Vec<Run>) = all.iter().cloned().partition(|run| number(run) % 4 == held);
        let fits = fits(&kept);
        let errors: Vec<f64> = out.iter().filter(|run| !is_stride(run)).map(|run| error(run, &fits)).collect();
        let summary = ErrorSummary::of(&errors);
        println!("DRAM stream and random, every fourth run from {held} held out: {summary}");
        assert!(summary.mean <= 5.0);
        rows.push(page_row(
            format!("{} stream and random runs, held out: quarter {}", errors.len(), held + 1),
            summary,
        ));
        every.extend(errors);
    }
    let summary = ErrorSummary::of(&every);
    println!("DRAM stream and random, all four quarters: {summary}");
    assert!(summary.mean / 100.0 <= EXPECTED_ERROR, "{summary}");
    assert!(summary.p95 <= 10.0 && summary.max <= 20.0, "{summary}");
    rows.push(page_row("all four quarters".into(), summary));
    page::check("dram-held-out", &page::table(&HEADER, &rows));
}

#[test]
fn strides_over_several_channels_are_predicted_from_one_channel() {
    let all = runs().expect("the runs parse");
    let fits = fits(&all);
    let strided: Vec<&Run> = all.iter().filter(|run| is_stride(run) && run.channels > 1).collect();
    let errors: Vec<f64> = strided.iter().map(|run| error(run, &fits)).collect();
    let summary = ErrorSummary::of(&errors);
    println!("DRAM strides over several channels: {summary}");
    for (run, error) in strided.iter().zip(&errors).filter(|(_, error)| error.abs() > 0.1) {
        println!("  off by {:.0} %: {} x {} {}", error * 100.0, run.channels, run.part, run.pattern);
    }
    assert!(summary.mean / 100.0 <= EXPECTED_STRIDE_ERROR, "{summary}");
    let mut rows = vec![page_row(format!("{} strides over several channels, from one channel", errors.len()), summary)];
    let one: Vec<f64> =
        all.iter().filter(|run| is_stride(run) && run.channels == 1).map(|run| error(run, &fits)).collect();
    let summary = ErrorSummary::of(&one);
    println!("DRAM strides over one channel (in the fit): {summary}");
    rows.push(page_row(format!("{} strides over one channel, in the fit", one.len()), summary));
    page::check("dram-strides", &page::table(&HEADER, &rows));
    assert!(summary.mean <= 2.0, "{summary}");
}

#[test]
fn the_table_in_the_binary_equals_the_reference_and_latency_follows_from_it() {
    let Some(rows) = reference_rows("dram_effective.csv") else {
        return;
    };
    let own = runs().expect("the runs parse");
    let simulated: Vec<_> = rows.iter().filter(|row| row["simulator"].starts_with("DRAMsim3")).collect();
    assert_eq!(simulated.len(), own.len());
    let mut latencies = Vec::new();
    for (row, run) in simulated.iter().zip(&own) {
        let number = |key: &str| -> f64 { row[key].parse().expect("a number") };
        assert_eq!(row["pattern"], run.pattern);
        assert_eq!(
            (number("channels"), number("request_bytes"), number("outstanding_per_channel"), number("efficiency")),
            (f64::from(run.channels), run.request_bytes, run.outstanding, run.efficiency)
        );
        let part = part(&run.part).expect("a known part");
        assert_eq!(number("peak_gbps"), part.channel_gb_per_s * f64::from(run.channels));
        if run.pattern.ends_with("_r") && !is_stride(run) {
            let ours = part.performance(usage(run)).expect("an answer").latency_ns;
            latencies.push(ours / number("avg_latency_ns") - 1.0);
        }
    }
    let summary = ErrorSummary::of(&latencies);
    println!("DRAM mean latency of reads (in the fit): {summary}");
    let row = page_row(format!("mean latency of {} runs of reads, in the fit", latencies.len()), summary);
    page::check("dram-latency", &page::table(&HEADER, &[row]));
    assert!(summary.mean <= 4.0, "{summary}");
}

#[test]
fn the_second_simulator_is_compared() {
    let Some(rows) = reference_rows("dram_effective.csv") else {
        return;
    };
    let mut lines = Vec::new();
    for row in rows.iter().filter(|row| row["simulator"].starts_with("Ramulator")) {
        let number = |key: &str| -> f64 { row[key].parse().expect("a number") };
        let name = row["dram"].split(' ').next().expect("a name");
        let part = part(name).expect("a known part");
        let run = Run {
            part: name.to_owned(),
            channels: 1,
            pattern: row["pattern"].clone(),
            request_bytes: number("request_bytes"),
            outstanding: 32.0,
            efficiency: number("efficiency"),
        };
        let ours = part.performance(usage(&run)).expect("an answer").efficiency;
        println!(
            "{name:12} {:16} model {ours:.3} of {} GB/s, Ramulator {:.3} of {} GB/s",
            run.pattern, part.channel_gb_per_s, run.efficiency, row["peak_gbps"]
        );
        let theirs = run.efficiency * number("peak_gbps");
        lines.push(vec![
            format!("{name}, {}, {} bytes", run.pattern, run.request_bytes),
            format!("{:.2}", ours * part.channel_gb_per_s),
            format!("{theirs:.2}"),
            format!("{:.2}", ours * part.channel_gb_per_s / theirs),
        ]);
    }
    assert_eq!(lines.len(), 18);
    page::check("dram-ramulator", &page::table(&["one channel", "model, GB/s", "Ramulator, GB/s", "ratio"], &lines));
}

/// From the currents of dram_standby.csv by hand. LPDDR4: 1.8 V (2.25 + 7.75 x 448 / 6246) and 1.1 V (30 + 60 x 448 / 6246)
/// and 1.1 V x 0.75 mA are 43.61 mW; its reads draw 1.1 V (245 + 149.25) mA / 51.2 Gbit/s = 8.47 pJ per bit. DDR4:
/// 8 x 1.2 V (52 + 198 x 560 / 12480) = 584.5 mW.
#[test]
fn standby_power_follows_from_supply_currents() {
    let of = |name: &str| part(name).and_then(DramPart::standby).expect("currents");
    let lpddr4 = of("LPDDR4-3200");
    let by_hand = 1.8 * (2.25 + 7.75 * 448.0 / 6246.0) + 1.1 * (30.0 + 60.0 * 448.0 / 6246.0) + 1.1 * 0.75;
    assert!((lpddr4.mw_per_channel - by_hand).abs() < 1e-9 && (by_hand - 43.6).abs() < 0.05, "{lpddr4:?}");
    assert!((of("DDR4-3200").mw_per_channel - 584.5).abs() < 0.1);
    assert!((lpddr4.burst_pj_per_bit.0 - 8.47).abs() < 0.005, "{lpddr4:?}");
    assert_eq!(of("HBM2-2000-PC").mw_per_channel * 2.0, of("HBM2-2000-legacy").mw_per_channel);
    let mut rows = Vec::new();
    for part in PARTS {
        let standby = part.standby().expect("currents");
        let (low, high) = standby.range;
        assert!(0.0 < low && low <= standby.mw_per_channel && standby.mw_per_channel <= high, "{standby:?}");
        let (read, write) = standby.burst_pj_per_bit;
        rows.push(vec![
            part.name.to_owned(),
            format!("{:.1}", standby.mw_per_channel),
            format!("{low:.1} to {high:.1}"),
            format!("{:.2}", standby.mw_per_channel / part.channel_gb_per_s / 8.0),
            format!("{read:.1}, {write:.1}"),
            standby.source,
        ]);
    }
    let header = ["part", "mW per channel", "range", "pJ/bit at the peak", "burst pJ/bit: read, write", "currents of"];
    page::check("dram-standby", &page::table(&header, &rows));
}

#[test]
fn a_short_random_request_costs_a_whole_line() {
    let lpddr4 = part("lpddr4-3200").expect("a part");
    let random = |request_bytes| DramUse {
        channels: 1,
        pattern: Pattern::Random,
        request_bytes,
        outstanding: 32.0,
        write_share: 0.0,
    };
    let (half, whole) = (lpddr4.performance(random(32.0)), lpddr4.performance(random(64.0)));
    let (half, whole) = (half.expect("an answer"), whole.expect("an answer"));
    assert!((half.efficiency * 2.0 - whole.efficiency).abs() < 1e-12);
}

#[test]
fn energies_have_ranges_and_sources() {
    let lpddr4 = part("LPDDR4-3200").and_then(DramPart::energy_per_bit).expect("an energy");
    assert_eq!((lpddr4.pj_per_bit, lpddr4.range), (8.0, (4.0, 14.0)));
    assert_eq!(lpddr4.confidence, "secondary");
    for part in PARTS {
        let energy = part.energy_per_bit().expect("an energy");
        assert!(energy.range.0 <= energy.pj_per_bit && energy.pj_per_bit <= energy.range.1);
        assert!(!energy.source.is_empty());
    }
    let message = energy_per_bit("LPDDR9").expect_err("an unknown family").to_string();
    assert!(message.contains("LPDDR4"), "{message}");
}

#[test]
fn every_energy_of_the_reference_is_in_the_table_in_the_binary() {
    let Some(rows) = reference_rows("dram_energy.csv") else {
        return;
    };
    let table = include_str!("../data/dram_energy.csv");
    let own: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    // The TPUv4i row for DDR3 and DDR4 stands for both families here.
    assert_eq!(own.len(), rows.len() + 1);
    for row in rows {
        let figure = row["pj_per_bit"].split('-').next().expect("a figure");
        assert!(own.iter().any(|line| line.split(',').skip(1).take(3).any(|cell| cell == figure)), "{row:?}");
    }
}

#[test]
fn an_unknown_part_names_the_nearest() {
    let message = part("LPDR4-3200").expect_err("an unknown part").to_string();
    assert!(message.contains("`LPDR4-3200`: nearest are LPDDR4-3200"), "{message}");
}

#[test]
fn wrong_figures_are_errors() {
    let good =
        DramUse { channels: 1, pattern: Pattern::Stream, request_bytes: 64.0, outstanding: 8.0, write_share: 0.0 };
    for bad in [
        DramUse { channels: 0, ..good },
        DramUse { request_bytes: 0.0, ..good },
        DramUse { request_bytes: f64::NAN, ..good },
        DramUse { outstanding: f64::INFINITY, ..good },
        DramUse { write_share: 1.5, ..good },
        DramUse { pattern: Pattern::Stride { bytes: -64.0 }, ..good },
    ] {
        assert!(PARTS[0].performance(bad).is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn more_channels_or_requests_never_lower_the_bandwidth(
        index in 0usize..5,
        channels in 1u32..64,
        more in 1u32..64,
        request_bytes in 1.0f64..5000.0,
        outstanding in 0.5f64..200.0,
        factor in 1.0f64..8.0,
        pattern in prop_oneof![
            Just(Pattern::Stream),
            Just(Pattern::Random),
            (1.0f64..65536.0).prop_map(|bytes| Pattern::Stride { bytes }),
        ],
        write_share in 0.0f64..=1.0,
    ) {
        let base = DramUse { channels, pattern, request_bytes, outstanding, write_share };
        let answer = |usage| PARTS[index].performance(usage).expect("an answer");
        let one = answer(base);
        prop_assert!(one.efficiency > 0.0 && one.efficiency <= 1.0);
        prop_assert!(one.latency_ns.is_finite() && one.latency_ns > 0.0);
        let wide = answer(DramUse { channels: channels + more, ..base });
        prop_assert!(wide.effective_gb_per_s >= one.effective_gb_per_s);
        let deep = answer(DramUse { outstanding: outstanding * factor, ..base });
        prop_assert!(deep.effective_gb_per_s >= one.effective_gb_per_s * (1.0 - 1e-12));
        let reads = answer(DramUse { write_share: 0.0, ..base });
        prop_assert!(reads.effective_gb_per_s >= one.effective_gb_per_s);
    }
}
