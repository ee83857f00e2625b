use super::*;
use crate::hardware::testing::{ErrorSummary, page, reference_rows};
use proptest::prelude::*;
use std::collections::BTreeMap;
use table::{NODES, SIZES};

const NAMES: [&str; FIGURES] = ["access", "read", "write", "leakage", "area"];
/// Reference columns in the order of [`Figure`].
const COLUMNS: [&str; FIGURES] = ["access_ns", "read_energy_pj", "write_energy_pj", "leakage_mw", "area_mm2"];

fn shape(node_nm: u32, device: Device, ports: Ports, banks: u32, width_bytes: f64) -> SramShape {
    SramShape { node_nm, device, ports, banks, width_bytes }
}

/// A one-port high-performance block.
fn plain(node_nm: u32, banks: u32, width_bytes: f64) -> SramModel {
    SramModel::new(shape(node_nm, Device::Hp, Ports::OneReadWrite, banks, width_bytes)).expect("a model")
}

fn values(figures: SramFigures) -> [f64; FIGURES] {
    [figures.access_ns, figures.read_pj, figures.write_pj, figures.leakage_mw, figures.area_mm2]
}

type Row = BTreeMap<String, String>;

fn number(row: &Row, key: &str) -> f64 {
    row[key].parse().expect("a number")
}

/// One reference table: its rows with shape, capacity in bytes and figures.
fn reference(file: &str, device: Option<Device>) -> Option<Vec<(SramShape, f64, [f64; FIGURES])>> {
    let rows = reference_rows(file)?;
    let read = |row: &Row| {
        let device = device.unwrap_or_else(|| row["device"].trim_start_matches("itrs-").parse().expect("a device"));
        let ports: Ports = row["ports"].to_lowercase().parse().expect("ports");
        let banks = number(row, "banks") as u32;
        let shape = shape(number(row, "node_nm") as u32, device, ports, banks, number(row, "block_bytes"));
        (shape, number(row, "size_kib") * 1024.0, COLUMNS.map(|key| number(row, key)))
    };
    Some(rows.iter().map(read).collect())
}

#[test]
fn the_model_equals_every_reference_point() {
    let mut points = 0;
    for (file, device) in [
        ("sram_cacti.csv", Some(Device::Hp)),
        ("sram_cacti_lstp.csv", Some(Device::Lstp)),
        ("sram_cacti_40_28nm.csv", None),
    ] {
        let Some(rows) = reference(file, device) else {
            return;
        };
        for (shape, capacity, theirs) in rows {
            let figures = SramModel::new(shape).expect("a model").at(capacity).expect("figures");
            assert!(!figures.extrapolated.any(), "{shape:?} {capacity}");
            // The corrections of the low-standby-power leakage, as the notes on the reference give them.
            let leakage = match (shape.device, shape.node_nm) {
                (Device::Lstp, 22) => 3.2,
                (Device::Lstp, 28) => 2.3,
                _ => 1.0,
            };
            for (figure, (ours, theirs)) in values(figures).into_iter().zip(theirs).enumerate() {
                let theirs = if figure == Figure::Leakage as usize { theirs * leakage } else { theirs };
                assert!((ours / theirs - 1.0).abs() < 6e-4, "{} of {shape:?} {capacity}: {ours}", NAMES[figure]);
            }
            points += 1;
        }
    }
    println!("SRAM: {points} reference points equal to 4 digits");
    assert_eq!(points, 1615 + 1615 + 1016);
}

type Series = (Vec<f64>, Vec<[f64; FIGURES]>);

/// Errors at those inner sizes of every series that `tried` takes, each left out of all series at once.
fn leave_one_size_out(series: &[Series], tried: impl Fn(f64) -> bool) -> [ErrorSummary; FIGURES] {
    let mut errors: [Vec<f64>; FIGURES] = Default::default();
    for (sizes, values) in series {
        for left_out in 1..sizes.len().saturating_sub(1) {
            if !tried(sizes[left_out]) {
                continue;
            }
            let (mut sizes, mut points) = (sizes.clone(), values.clone());
            let size = sizes.remove(left_out);
            let truth = points.remove(left_out);
            let (ours, outside) = Curve::through(&sizes, &points).at(size);
            assert!(!outside);
            for figure in 0..FIGURES {
                errors[figure].push(ours[figure] / truth[figure] - 1.0);
            }
        }
    }
    errors.map(|errors| ErrorSummary::of(&errors))
}

const HEADER: [&str; 7] = ["tried on", "", "access", "read", "write", "area", "leakage"];

/// Rows of the page: means, 95th percentiles and maxima of the figures in the order of [`HEADER`].
fn page_rows(tried_on: &str, summaries: [Option<ErrorSummary>; FIGURES]) -> Vec<Vec<String>> {
    let order = [Figure::Access, Figure::Read, Figure::Write, Figure::Area, Figure::Leakage];
    let row = |name: &str, of: fn(&ErrorSummary) -> f64| {
        let cell = |figure: Figure| match &summaries[figure as usize] {
            Some(summary) => format!("{:.1} %", of(summary)),
            None => "not measured".into(),
        };
        let first = if name == "mean" { tried_on.to_owned() } else { String::new() };
        [first, name.to_owned()].into_iter().chain(order.map(cell)).collect()
    };
    vec![row("mean", |s| s.mean), row("95th percentile", |s| s.p95), row("maximum", |s| s.max)]
}

#[test]
fn a_size_left_out_of_the_reference_is_predicted_better_than_log_linearly() {
    let Some(rows) = reference("sram_cacti.csv", Some(Device::Hp)) else {
        return;
    };
    let mut series: BTreeMap<String, Series> = BTreeMap::new();
    for (shape, capacity, values) in rows {
        let (sizes, points) = series.entry(format!("{shape:?}")).or_default();
        sizes.push(capacity);
        points.push(values);
    }
    let series: Vec<_> = series.into_values().collect();
    let summaries = leave_one_size_out(&series, |_| true);
    for (name, summary) in NAMES.iter().zip(&summaries) {
        println!("SRAM, reference sizes only, one left out: {name:8} {summary}");
    }
    // Log-linear interpolation has 4.9, 8.3, 6.3 and 5.4 % (access, read, write, area).
    for (summary, bound) in summaries.iter().zip([4.7, 7.9, 6.0, 2.2, 4.3]) {
        assert!(summary.mean <= bound, "{summary} exceeds {bound}");
    }
    for (summary, bound) in summaries.iter().zip([12.1, 21.6, 17.1, 6.3, 14.4]) {
        assert!(summary.p95 <= bound, "{summary} exceeds {bound}");
    }
    let tried_on = "the reference's sizes only, one left out of all series";
    let mut rows = page_rows(tried_on, summaries.map(Some));
    let log_linear = ["the same, log-linear interpolation", "mean", "4.9 %", "8.3 %", "6.3 %", "5.4 %", ""];
    rows.push(log_linear.map(str::to_owned).to_vec());
    page::check("sram-left-out", &page::table(&HEADER, &rows));
}

#[test]
fn a_size_left_out_of_the_table_in_the_binary_is_predicted() {
    let mut series = Vec::new();
    for node in NODES {
        for device in [Device::Hp, Device::Lstp] {
            for (ports, banks) in [(Ports::OneReadOneWrite, 1), (Ports::OneReadWrite, 1), (Ports::OneReadWrite, 2)]
                .into_iter()
                .chain([(Ports::OneReadWrite, 4), (Ports::OneReadWrite, 8)])
            {
                for width in [4.0, 8.0, 16.0, 32.0, 64.0, 128.0] {
                    let model = SramModel::new(shape(node, device, ports, banks, width)).expect("a model");
                    let (low, high) = model.capacity_range_bytes();
                    let sizes: Vec<f64> = SIZES.iter().copied().filter(|s| (low..=high).contains(s)).collect();
                    let points = sizes.iter().map(|&s| values(model.at(s).expect("figures"))).collect();
                    series.push((sizes, points));
                }
            }
        }
    }
    // Leakage is left aside: between the reference's sizes that of several banks is made from the size left out.
    let figures = [Figure::Access, Figure::Read, Figure::Write, Figure::Area];
    let reference = |size: f64| size.log2().fract() == 0.0 && size < 2_097_152.0;
    let summaries = leave_one_size_out(&series, reference);
    for (figure, bound) in figures.into_iter().zip([3.6, 6.1, 3.7, 3.8]) {
        let (name, summary) = (NAMES[figure as usize], &summaries[figure as usize]);
        println!("SRAM, the table's sizes, one of the reference's left out: {name:8} {summary}");
        assert!(summary.mean <= bound, "{summary} exceeds {bound}");
    }
    let with_figures = |summaries: [ErrorSummary; FIGURES]| {
        let mut known = summaries.map(Some);
        known[Figure::Leakage as usize] = None;
        known
    };
    let mut rows = page_rows("the table's sizes, one of the reference's left out", with_figures(summaries));
    let summaries = leave_one_size_out(&series, |_| true);
    rows.extend(page_rows("the table's sizes, any one left out", with_figures(summaries)));
    page::check("sram-table-left-out", &page::table(&HEADER, &rows));
    for figure in figures {
        let (name, summary) = (NAMES[figure as usize], &summaries[figure as usize]);
        println!("SRAM, the table's sizes, any one left out: {name:8} {summary}");
    }
}

/// Errors against CACTI runs that are no part of the table.
fn errors_on(set: &str) -> ([Vec<f64>; FIGURES], usize) {
    let text = include_str!("../data/sram_between.csv");
    let mut errors: [Vec<f64>; FIGURES] = Default::default();
    let mut outside = 0;
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    for row in reader.deserialize() {
        let row: Row = row.expect("a row");
        if row["set"] != set {
            continue;
        }
        let device: Device = row["device"].parse().expect("a device");
        let ports: Ports = row["ports"].parse().expect("ports");
        let (node, banks) = (number(&row, "node_nm") as u32, number(&row, "banks") as u32);
        let model = SramModel::new(shape(node, device, ports, banks, number(&row, "width_bytes")));
        let figures = model.expect("a model").at(number(&row, "capacity_bytes")).expect("figures");
        outside += usize::from(figures.extrapolated.capacity);
        let correction = match (device, node) {
            (Device::Lstp, 22) => 3.2,
            (Device::Lstp, 28) => 2.3,
            _ => 1.0,
        };
        let truth =
            ["access_ns", "read_pj", "write_pj", "leakage_mw", "area_mm2"].map(|key| row[key].parse::<f64>().ok());
        for (figure, ours) in values(figures).into_iter().enumerate() {
            // Only leakage may be missing.
            let Some(mut truth) = truth[figure] else {
                assert_eq!(figure, Figure::Leakage as usize);
                continue;
            };
            if figure == Figure::Leakage as usize {
                truth *= correction;
            }
            errors[figure].push(ours / truth - 1.0);
        }
    }
    (errors, outside)
}

#[test]
fn sizes_widths_and_ports_between_those_of_the_table_are_predicted() {
    let (mut worse, mut rows) = (Vec::new(), Vec::new());
    for (set, expected, what) in [
        ("size", BETWEEN_SIZES, "sizes between the table's (leakage: of one bank)"),
        ("width", BETWEEN_WIDTHS, "widths between powers of two (leakage: of one bank)"),
        ("ports", WRITE_PORT_AND_BANKS, "blocks with a write port and several banks, flagged"),
        ("beyond", BEYOND_THE_TABLE, "blocks of 16 or 32 banks, or 256 bytes wide, flagged (leakage: of one bank)"),
    ] {
        let bounds = [expected.access, expected.read, expected.write, expected.leakage, expected.area];
        let (errors, outside) = errors_on(set);
        let known = |errors: &Vec<f64>| (!errors.is_empty()).then(|| ErrorSummary::of(errors));
        rows.extend(page_rows(
            &format!("{} {what}", errors[Figure::Access as usize].len()),
            errors.each_ref().map(known),
        ));
        for (figure, bound) in bounds.map(|share| share * 100.0).into_iter().enumerate() {
            if errors[figure].is_empty() {
                continue;
            }
            let summary = ErrorSummary::of(&errors[figure]);
            println!("SRAM, {set}, CACTI runs not in the table: {:8} {summary}, {outside} flagged", NAMES[figure]);
            if summary.mean > bound {
                worse.push(format!("{set} {}: {summary} exceeds {bound}", NAMES[figure]));
            }
        }
    }
    assert!(worse.is_empty(), "{worse:?}");
    page::check("sram-between", &page::table(&HEADER, &rows));
}

#[test]
fn odd_capacities_have_figures_and_are_flagged_where_extrapolated() {
    let model = plain(28, 4, 16.0);
    for (capacity, outside) in [
        (1.0, true),
        (2047.0, true),
        (2048.0, false),
        (3.0 * 1024.0, false),
        (34.0 * 1024.0, false),
        (16.0 * 1024.0 * 1024.0, false),
        (1024.0 * 1024.0 * 1024.0, true),
    ] {
        let figures = model.at(capacity).expect("figures");
        assert_eq!(figures.extrapolated.capacity, outside, "{capacity}");
        assert!(values(figures).iter().all(|v| v.is_finite() && *v > 0.0));
    }
    let area = |capacity: f64| model.at(capacity).expect("figures").area_mm2;
    // 34 KiB lies between its neighbours, and 1 GiB is 64 times 16 MiB: cells.
    assert!(area(32768.0) < area(34816.0) && area(34816.0) < area(49152.0));
    assert!((area(1073741824.0) / area(16777216.0) - 64.0).abs() < 1e-9);
}

#[test]
fn banks_and_widths_beyond_the_table_are_blocks_side_by_side() {
    let (eight, sixteen) = (plain(22, 8, 16.0), plain(22, 16, 16.0));
    let (one, two) = (eight.at(65536.0).expect("figures"), sixteen.at(131072.0).expect("figures"));
    assert!(two.extrapolated.banks && !one.extrapolated.any());
    // Twice the cells, and wires on top; one of the two answers a read.
    assert!(two.area_mm2 >= 2.0 * one.area_mm2 && two.leakage_mw >= 2.0 * one.leakage_mw);
    assert!(two.read_pj >= one.read_pj && two.access_ns >= one.access_ns);
    let (narrow, wide) = (plain(22, 1, 128.0), plain(22, 1, 256.0));
    let (one, two) = (narrow.at(65536.0).expect("figures"), wide.at(131072.0).expect("figures"));
    assert!(two.extrapolated.width && two.read_pj >= 2.0 * one.read_pj && two.area_mm2 >= 2.0 * one.area_mm2);
    assert!(plain(22, 1, 2.0).at(65536.0).expect("figures").extrapolated.width);
}

#[test]
fn wrong_shapes_and_capacities_are_errors() {
    let good = shape(28, Device::Hp, Ports::OneReadWrite, 1, 8.0);
    let message = SramModel::new(SramShape { node_nm: 16, ..good }).expect_err("no such node").to_string();
    assert_eq!(message, "no SRAM figures for 16 nm: known, nearest first, are 22, 28, 32, 40, 45, 65, 90 nm");
    assert_eq!(SramModel::new(SramShape { banks: 0, ..good }).err(), Some(SramError::NoBanks));
    for width_bytes in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(SramModel::new(SramShape { width_bytes, ..good }).is_err());
    }
    for capacity in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(plain(28, 1, 8.0).at(capacity).is_err());
    }
    assert!("sram".parse::<Device>().is_err() && "2rw".parse::<Ports>().is_err());
}

#[test]
fn a_figure_takes_nanoseconds() {
    let model = plain(28, 3, 24.0);
    let start = std::time::Instant::now();
    let (mut sum, calls) = (0.0, 1_000_000);
    for call in 0..calls {
        let capacity = 1024.0 * (2.0 + f64::from(call % 4000));
        sum += model.at(std::hint::black_box(capacity)).map_or(0.0, |figures| figures.area_mm2);
    }
    let each = start.elapsed().as_secs_f64() / f64::from(calls) * 1e9;
    println!("SRAM: {each:.1} ns per call ({sum:.0} mm2 in all)");
    assert!(each < 1000.0, "{each} ns, even without optimisation");
}

proptest! {
    #[test]
    fn more_capacity_never_shrinks_area_and_nothing_is_ever_nan(
        node in proptest::sample::select(NODES.to_vec()),
        lstp in any::<bool>(),
        split in any::<bool>(),
        banks in 1u32..100,
        width in 0.1f64..1000.0,
        log_capacity in 0.0f64..49.0,
        factor in 1.0f64..4.0,
    ) {
        let device = if lstp { Device::Lstp } else { Device::Hp };
        let ports = if split { Ports::OneReadOneWrite } else { Ports::OneReadWrite };
        let model = SramModel::new(shape(node, device, ports, banks, width)).expect("a model");
        let capacity = log_capacity.exp2();
        let small = model.at(capacity).expect("figures");
        for value in values(small) {
            prop_assert!(value.is_finite() && value > 0.0);
        }
        let larger = model.at((capacity * factor).min(MAX_CAPACITY_BYTES)).expect("figures");
        prop_assert!(larger.area_mm2 >= small.area_mm2 * (1.0 - 1e-12));
        prop_assert!(larger.leakage_mw >= small.leakage_mw * (1.0 - 1e-12));
    }
}
