//! Declarations that ask the models: swept knobs move area, energy and stalls as silicon moves.

mod common;
#[path = "silicon/properties.rs"]
mod properties;

use std::path::Path;

use common::{error, reference};
use nerarch_dse::hardware::conflict::{AccessPattern, Banking};
use nerarch_dse::hardware::dram::{DramUse, Pattern, part};
use nerarch_dse::hardware::sram::{Device, Ports, SramFigures, SramModel, SramShape};
use nerarch_dse::hardware::systolic::{Dataflow, ElementBytes, Gemm, OperandBandwidth, SystolicArray};
use nerarch_dse::ppa::{Evaluator, FigureValue, Outcome, Plan};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::figure::Basis;

const SCENE: &str = "name = \"s\"\ncredit = \"none\"\nsource = \"none\"\nwidth = 64\nheight = 64\ngaussians = 1000\n";

/// Hardware of one array unit, one block and a DRAM; `sram` and `unit` are added to their tables.
struct Design<'a> {
    top: &'a str,
    parameters: &'a str,
    unit: &'a str,
    sram: &'a str,
    traffic: &'a str,
    sweep: &'a str,
}

const DESIGN: Design<'static> = Design {
    top: "",
    parameters: "",
    unit: "rate = { item = \"macs\", per_cycle = 256 }\narea_mm2 = { total = 0.25 }\npower_mw = { total_dynamic = 5 }",
    sram: "capacity_kib = 64\nread_gb_per_s = 64\nread_latency_cycles = 2\nwrite_gb_per_s = 64\nwrite_latency_cycles = 2",
    traffic: "",
    sweep: "",
};

impl Design<'_> {
    fn compile(&self, folder: &Path) -> Result<Plan, String> {
        let Self { top, parameters, unit, sram, traffic, sweep } = self;
        let hardware = format!(
            "name = \"h\"\nnode_nm = 28\n{top}\n[parameters]\nclock_mhz = 1000\n{parameters}\n[clock]\nmhz = \"clock_mhz\"\nreference_mhz = 1000\n\
             [[unit]]\nname = \"pe\"\nexecutes = [\"GEMM\"]\nreads = [\"buffer\"]\nwrites = [\"buffer\"]\n{unit}\n\
             [[sram]]\nname = \"buffer\"\n{sram}\n\
             [dram]\npeak_gb_per_s = 6.4\nefficiency = {{ stream = 0.5, random = 0.25 }}\nlatency_ns = 100\nenergy_pj_per_bit = 4\n"
        );
        let pipeline = format!(
            "name = \"p\"\n[stream]\nover = \"batches\"\nbatches = 4\n\
             [[operator]]\nname = \"first\"\nkind = \"GEMM\"\nm = 100\nn = 48\nk = 20\n\
             [[operator]]\nname = \"second\"\nkind = \"GEMM\"\nm = 7\nn = 90\nk = 33\n\
             [[edge]]\nfrom = \"first\"\nto = \"second\"\nkind = \"stream\"\n{traffic}\n"
        );
        let sweep = format!(
            "name = \"x\"\nhardware = \"h.toml\"\npipeline = \"p.toml\"\nscenes = [\"s.toml\"]\n[parameters]\n{sweep}\n[search]\nobjectives = [\"latency_ms\", \"area_mm2\", \"power_mw\"]\nstrategy = \"exact\"\n"
        );
        for (name, text) in
            [("h.toml", hardware.as_str()), ("p.toml", &pipeline), ("s.toml", SCENE), ("x.toml", &sweep)]
        {
            std::fs::write(folder.join(name), text).expect("file");
        }
        let (study, _) = Study::load(&folder.join("x.toml").to_string_lossy()).map_err(|faults| faults.to_string())?;
        Plan::compile(&study).map(|(plan, _)| plan).map_err(|faults| faults.to_string())
    }

    fn plan(&self) -> Plan {
        let folder = tempfile::tempdir().expect("folder");
        self.compile(folder.path()).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// The faults of a study that does not compile.
    fn faults(&self) -> String {
        let folder = tempfile::tempdir().expect("folder");
        self.compile(folder.path()).err().expect("faults")
    }
}

fn metric(plan: &Plan, evaluator: &Evaluator<'_>, name: &str) -> f64 {
    let at = plan.metric_names.iter().position(|metric| metric == name).unwrap_or_else(|| panic!("metric {name}"));
    evaluator.metric(0, at)
}

/// A metric at a point, which must have a value.
fn at(plan: &Plan, values: &[f64], name: &str) -> f64 {
    let mut evaluator = Evaluator::new(plan);
    assert_ne!(evaluator.evaluate_values(values), Outcome::Failed, "{}", evaluator.reason());
    metric(plan, &evaluator, name)
}

fn figure(plan: &Plan, values: &[f64], owner: &str, name: &str) -> (FigureValue, Option<Basis>, Option<f64>) {
    let figures = plan.figures(0, values);
    let (info, value) =
        figures.iter().find(|(info, _)| info.owner == owner && info.name == name).unwrap_or_else(|| panic!("{name}"));
    (*value, info.basis, info.expected_error)
}

const MODEL: &str = "instances = 3\ncapacity_kib = \"kib\"\nbanks = \"banks\"\nwidth_bytes = 16\n\
    read_gb_per_s = 64\nread_latency_cycles = 2\nwrite_gb_per_s = 64\nwrite_latency_cycles = 2\n";
const KNOBS: &str = "kib = { default = 34, type = \"real\" }\nbanks = 4\n";

fn block(banks: u32) -> SramModel {
    let shape = SramShape { node_nm: 28, device: Device::Hp, ports: Ports::OneReadWrite, banks, width_bytes: 16.0 };
    SramModel::new(shape).expect("model")
}

/// Both ports of [`MODEL`] at 64 GB/s, words of 16 bytes: pJ per byte times GB/s are mW.
fn full_ports_mw(figures: &SramFigures) -> f64 {
    64.0 * (figures.read_pj + figures.write_pj) / 16.0
}

#[test]
fn a_block_takes_what_its_file_leaves_out_from_the_model_and_keeps_what_it_states() {
    let sram = format!("{MODEL}model = {{ cell = \"hp\" }}\narea_mm2 = {{ total = 0.5, basis = \"published\" }}");
    let plan = Design { parameters: KNOBS, sram: &sram, ..DESIGN }.plan();
    let model = block(4).at(34.0 * 1024.0).expect("figures");
    let (area, basis, error_of_area) = figure(&plan, &[], "buffer", "area_mm2");
    assert_eq!((area.used, basis), (0.5, Some(Basis::Published)));
    assert!(error(area.model.expect("model"), 3.0 * model.area_mm2) < 1e-12);
    assert!(error(area.ratio().expect("ratio"), 3.0 * model.area_mm2 / 0.5) < 1e-12);
    assert!(error_of_area.is_some_and(|error| error > 0.0 && error < 0.1));
    let (leakage, basis, _) = figure(&plan, &[], "buffer", "leakage_mw");
    assert_eq!(basis, Some(Basis::Model));
    assert!(error(leakage.used, 3.0 * model.leakage_mw) < 1e-12);
    let (read, _, _) = figure(&plan, &[], "buffer", "read_pj_per_byte");
    assert!(error(read.used, model.read_pj / 16.0) < 1e-12);
    assert!(error(at(&plan, &[], "area_mm2"), 0.25 + 0.5) < 1e-12);
    assert!(error(at(&plan, &[], "peak_power_mw"), 5.0 + 3.0 * model.leakage_mw + full_ports_mw(&model)) < 1e-12);
    // The file can choose the model although a figure stands there.
    let sram = sram.replace("cell = \"hp\"", "cell = \"hp\", gives = [\"area\"]");
    let plan = Design { parameters: KNOBS, sram: &sram, ..DESIGN }.plan();
    let (area, basis, _) = figure(&plan, &[], "buffer", "area_mm2");
    assert_eq!((area.published, basis), (Some(0.5), Some(Basis::Model)));
    assert!(error(at(&plan, &[], "area_mm2"), 0.25 + 3.0 * model.area_mm2) < 1e-12);
    assert_eq!(at(&plan, &[], "peak_power_mw"), 5.0, "nobody asked for leakage");
}

#[test]
fn swept_capacity_and_banks_move_area_and_power() {
    let sram = format!("{MODEL}model = {{ cell = \"hp\" }}");
    let plan = Design { parameters: KNOBS, sram: &sram, sweep: "kib = [16, 34, 100]\nbanks = [1, 4]", ..DESIGN }.plan();
    for (kib, banks) in [(16.0, 1_u32), (34.0, 4), (100.0, 1)] {
        let model = block(banks).at(kib * 1024.0).expect("figures");
        let values = [kib, f64::from(banks)];
        assert!(error(at(&plan, &values, "area_mm2"), 0.25 + 3.0 * model.area_mm2) < 1e-12);
        let peak = 5.0 + 3.0 * model.leakage_mw + full_ports_mw(&model);
        assert!(error(at(&plan, &values, "peak_power_mw"), peak) < 1e-12);
    }
}

#[test]
fn outside_the_table_is_an_error_at_load_a_failed_point_or_what_the_file_asks_for() {
    let sram = format!("{MODEL}model = {{ cell = \"hp\" }}");
    let faults = Design { parameters: KNOBS, sram: &sram, sweep: "kib = [0.25, 34]", ..DESIGN }.faults();
    for text in
        ["0.25 KiB in 4 banks of 16 bytes lie outside the SRAM model's table", "kib = 0.25", "extrapolate = true"]
    {
        assert!(faults.contains(text), "{text} is not in {faults}");
    }
    let plan = Design { parameters: KNOBS, sram: &sram, sweep: "kib = [17, 34]", ..DESIGN }.plan();
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate_values(&[0.25]), Outcome::Failed);
    assert!(evaluator.reason().contains("outside the SRAM model's table"), "{}", evaluator.reason());
    let sram = format!("{MODEL}model = {{ cell = \"hp\", extrapolate = true }}");
    let plan = Design { parameters: KNOBS, sram: &sram, sweep: "kib = [0.25, 34]", ..DESIGN }.plan();
    assert!(at(&plan, &[0.25], "area_mm2") > 0.0);
    // Such points say so: a column, and a mark on each figure.
    assert_eq!([0.25, 34.0].map(|kib| at(&plan, &[kib], "extrapolated")), [1.0, 0.0]);
    assert!(figure(&plan, &[0.25], "buffer", "area_mm2").0.extrapolated);
    assert!(!figure(&plan, &[34.0], "buffer", "area_mm2").0.extrapolated);
    for (from, to, says) in [
        ("cell = \"hp\"", "cell = \"lp\"", "unknown device `lp`"),
        ("cell = \"hp\"", "cell = \"hp\", node_nm = 7", "no SRAM figures for 7 nm"),
        ("banks = \"banks\"\n", "", "needs banks and width"),
        ("gives = []", "gives = [\"speed\"]", "cannot give \"speed\""),
    ] {
        let sram = format!("{MODEL}model = {{ cell = \"hp\", gives = [] }}").replace(from, to);
        let faults = Design { parameters: KNOBS, sram: &sram, ..DESIGN }.faults();
        assert!(faults.contains(says), "{says} is not in {faults}");
    }
}

const READ: &str =
    "[[traffic]]\nname = \"in\"\noperator = \"first\"\nmemory = \"buffer\"\ndirection = \"read\"\nbytes = 64000\n";

#[test]
fn a_bound_block_states_its_ports_or_asks_for_them() {
    let sram = "capacity_kib = 64\nbanks = 4\nwidth_bytes = 16\n";
    let with = |model: &str| format!("{sram}model = {{ cell = \"hp\", gives = [{model}] }}");
    for model in ["", "\"area\", \"energy\", \"leakage\"", "\"bandwidth\"", "\"latency\""] {
        let faults = Design { sram: &with(model), traffic: READ, ..DESIGN }.faults();
        assert!(faults.contains("states no read bandwidth and latency"), "{model}: {faults}");
        assert!(faults.contains("nothing is guessed"));
    }
    let plan = Design { sram: &with("\"bandwidth\", \"latency\""), traffic: READ, ..DESIGN }.plan();
    // 64 KiB answer within a nanosecond: four banks give 64 bytes per cycle, 1,000 cycles for each of four batches of the
    // first operator; its compute takes 375.
    let access = block(4).at(65536.0).expect("figures").access_ns;
    assert!(access < 1.0);
    assert!(at(&plan, &[], "latency_cycles") >= 4.0 * 1000.0);
    let (cycles, basis, _) = figure(&plan, &[], "buffer", "read_latency_cycles");
    assert_eq!((cycles.used, basis), (1.0, Some(Basis::Model)));
    // One port a bank: at its peak each of the four writes or reads in every cycle of 1 ns, whatever costs more.
    let plan = Design { sram: &with("\"energy\", \"bandwidth\", \"latency\""), traffic: READ, ..DESIGN }.plan();
    let figures = block(4).at(65536.0).expect("figures");
    let peak = 5.0 + 4.0 * figures.read_pj.max(figures.write_pj);
    assert!(error(at(&plan, &[], "peak_power_mw"), peak) < 1e-12);
    let both = format!("{}\nread_gb_per_s = 64", with("\"bandwidth\", \"latency\""));
    let faults = Design { sram: &both, traffic: READ, ..DESIGN }.faults();
    assert!(faults.contains("the file states it too"), "{faults}");
    let unread = DESIGN.sram.replace("read_gb_per_s = 64\n", "");
    assert!(Design { sram: &unread, traffic: READ, ..DESIGN }.faults().contains("states no read bandwidth"));
}

#[test]
fn conflicts_make_transfers_as_many_times_longer_as_groups_take_cycles() {
    let sram = format!("{}\nbanks = \"banks\"", DESIGN.sram);
    for (pattern, keys) in [
        (AccessPattern::Random, "pattern = \"random\"\nlanes = 16"),
        (AccessPattern::Stride(4), "pattern = \"stride\"\nlanes = 16\nstride_words = 4"),
        (AccessPattern::Stream, "lanes = 16"),
    ] {
        let traffic = format!("{READ}{keys}\n");
        let sweep = "banks = [1, 2, 4, 8, 16, 32]";
        let plan = Design { parameters: KNOBS, sram: &sram, traffic: &traffic, sweep, ..DESIGN }.plan();
        let mut last = f64::INFINITY;
        for banks in [1_u32, 2, 4, 8, 16, 32] {
            let cost = Banking { banks, ports: 1 }.group_cost(16, pattern).expect("cost").cycles;
            let cycles = at(&plan, &[f64::from(banks)], "latency_cycles");
            // Both operators take turns on the one unit: four batches of 64,000 bytes at 64 bytes per cycle, and of the
            // second one's work. Only the last latency of 2 cycles can show.
            let expected = 4.0 * ((1000.0 * cost).max(375.0) + 7.0 * 90.0 * 33.0 / 256.0);
            assert!(
                (-1e-6..2.0 + 1e-6).contains(&(cycles - expected)),
                "{pattern:?} {banks}: {cycles} is not {expected}"
            );
            assert!(cycles <= last);
            last = cycles;
        }
    }
    let traffic = format!("{READ}pattern = \"random\"\n");
    let faults = Design { parameters: KNOBS, sram: &sram, traffic: &traffic, ..DESIGN }.faults();
    assert!(faults.contains("need its lanes and banks"), "{faults}");
    let traffic = format!("{READ}pattern = \"rnadom\"\nlanes = 2\n");
    let faults = Design { parameters: KNOBS, sram: &sram, traffic: &traffic, ..DESIGN }.faults();
    assert!(
        faults.contains("knows no access pattern \"rnadom\"") && faults.contains("did you mean `random`"),
        "{faults}"
    );
}

#[test]
fn what_does_not_fit_spills_and_the_result_says_how_much() {
    let traffic = format!("{READ}working_set_kib = 80\nspill = \"stream\"\n");
    let sram = DESIGN.sram.replace("capacity_kib = 64", "capacity_kib = \"kib\"");
    let plan =
        Design { parameters: KNOBS, sram: &sram, traffic: &traffic, sweep: "kib = [40, 60, 80, 100]", ..DESIGN }.plan();
    for kib in [40.0_f64, 60.0, 80.0, 100.0] {
        let share = (1.0 - kib / 80.0).max(0.0);
        let spilled = 4.0 * 64000.0 * share * 1e-9;
        assert!((at(&plan, &[kib], "spilled_gb") - spilled).abs() < 1e-15);
        assert_eq!(at(&plan, &[kib], "dram_gb"), at(&plan, &[kib], "spilled_gb"));
        // 3.2 bytes per cycle of DRAM (half of 6.4), 4 pJ per bit.
        let dram = 64000.0 * share / 3.2;
        assert!(at(&plan, &[kib], "latency_cycles") >= 4.0 * dram.max(1000.0));
    }
    let slower = at(&plan, &[40.0], "latency_cycles");
    assert!(slower > 2.0 * at(&plan, &[80.0], "latency_cycles"));
    for (keys, says) in [
        ("working_set_kib = 80\n", "must say where it goes"),
        ("spill = \"stream\"\n", "`spill` needs a working set"),
        ("working_set_kib = 80\nspill = \"sideways\"\n", "states no efficiency for pattern \"sideways\""),
    ] {
        let faults = Design { traffic: &format!("{READ}{keys}"), ..DESIGN }.faults();
        assert!(faults.contains(says), "{says} is not in {faults}");
    }
}

#[test]
fn what_may_not_spill_makes_the_point_infeasible_with_needed_and_available() {
    let traffic = format!("{READ}working_set_kib = 80\nspill = \"never\"\n");
    let sram = DESIGN.sram.replace("capacity_kib = 64", "capacity_kib = \"kib\"");
    let plan = Design { parameters: KNOBS, sram: &sram, traffic: &traffic, sweep: "kib = [40, 80]", ..DESIGN }.plan();
    let mut evaluator = Evaluator::new(&plan);
    let outcome = evaluator.evaluate(&[0]);
    assert!(matches!(outcome, Outcome::Infeasible { violation, .. } if (violation - 1.0).abs() < 1e-12), "{outcome:?}");
    let reason = evaluator.reason_of(outcome).expect("reason");
    assert_eq!(reason, "capacity.buffer: 80 KiB are needed in `buffer`, 40 KiB are available, and nothing may spill");
    assert_eq!(evaluator.evaluate(&[1]), Outcome::Feasible);
}

#[test]
fn a_cache_sends_its_misses_to_dram() {
    let curve = "hit_rate = { capacity_kib = [16, 64], rate = [0.5, 0.9], miss_pattern = \"random\", basis = \"assumed\", range = [0.4, 0.95] }";
    let sram = DESIGN.sram.replace("capacity_kib = 64", &format!("capacity_kib = \"kib\"\n{curve}"));
    let plan = Design { parameters: KNOBS, sram: &sram, traffic: READ, sweep: "kib = [16, 40, 64]", ..DESIGN }.plan();
    for (kib, hit) in [(16.0, 0.5), (40.0, 0.7), (64.0, 0.9)] {
        assert!(error(at(&plan, &[kib], "dram_gb"), 4.0 * 64000.0 * (1.0 - hit) * 1e-9) < 1e-12);
    }
    let outside = Design { parameters: KNOBS, sram: &sram, traffic: READ, sweep: "kib = [64, 128]", ..DESIGN }.faults();
    assert!(outside.contains("128 is above the greatest value 64"), "{outside}");
    let falling = sram.replace("[0.5, 0.9]", "[0.9, 0.5]");
    assert!(Design { parameters: KNOBS, sram: &falling, ..DESIGN }.faults().contains("hit-rate curve needs"));
}

const ARRAY: &str = "instances = \"arrays\"\narray = { rows = \"r\", cols = \"c\", dataflow = \"flow\", multiply = \"int8\", accumulate = \"int32\", set = \"horowitz\" }";
const ARRAY_KNOBS: &str =
    "arrays = 1\nr = 16\nc = 16\nflow = { choice = [\"os\", \"ws\", \"is\"], default = \"ws\" }\n";

fn array_cycles(rows: u64, cols: u64, dataflow: Dataflow, m: u64, n: u64, k: u64) -> f64 {
    let bytes = ElementBytes { input: 1.0, weight: 1.0, output: 1.0, partial: 1.0 };
    let array = SystolicArray { rows, cols, dataflow };
    array.time(Gemm { m, n, k }, bytes, OperandBandwidth::AMPLE).expect("timing").compute_cycles as f64
}

#[test]
fn an_array_is_sized_from_rows_columns_and_precision_alone() {
    let plan = Design {
        parameters: ARRAY_KNOBS,
        unit: ARRAY,
        sweep: "r = [8, 16]\narrays = [1, 4]\nflow = { choice = [\"os\", \"ws\", \"is\"] }",
        ..DESIGN
    }
    .plan();
    for rows in [8_u64, 16] {
        for arrays in [1_u64, 4] {
            for (word, flow) in [Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary]
                .into_iter()
                .enumerate()
            {
                let values = [rows as f64, arrays as f64, word as f64];
                let cycles = |m: u64, n, k| array_cycles(rows, 16, flow, m.div_ceil(arrays), n, k);
                // Both operators compete for the one unit: four batches of each, one after the other.
                let expected = 4.0 * (cycles(100, 48, 20) + cycles(7, 90, 33));
                assert_eq!(at(&plan, &values, "latency_cycles"), expected, "{rows} {arrays} {flow:?}");
                // op_energy.csv at 28 nm, derived: mul_int8 0.084 pJ and 103.95 um2, add_int32 0.04204 pJ and 50.49 um2.
                let (area, _, _) = figure(&plan, &values, "pe", "area_mm2");
                let (energy, basis, _) = figure(&plan, &values, "pe", "pj_per_mac");
                let units = (rows * 16 * arrays) as f64;
                let pair = ["mul_int8", "add_int32"].map(|op| {
                    nerarch_dse::hardware::arithmetic::operation(
                        nerarch_dse::hardware::arithmetic::OpSet::Horowitz,
                        op,
                        28,
                        None,
                    )
                    .expect("op")
                });
                let [pj, um2] = [
                    pair[0].energy_pj + pair[1].energy_pj,
                    pair[0].area_um2.expect("area") + pair[1].area_um2.expect("area"),
                ];
                assert!(error(area.used, units * um2 * 1e-6) < 1e-12);
                assert!(error(energy.used, pj) < 1e-12);
                assert_eq!(basis, Some(Basis::Model));
                let macs = 4.0 * (100.0 * 48.0 * 20.0 + 7.0 * 90.0 * 33.0);
                assert!(error(at(&plan, &values, "energy_mj"), macs * pj * 1e-9) < 1e-12);
                assert!(error(at(&plan, &values, "peak_power_mw"), units * pj) < 1e-12, "pJ at 1 GHz are mW");
            }
        }
    }
    for (from, to, says) in [
        ("int8\"", "int9\"", "set horowitz has no operation `mul_int9`"),
        ("horowitz", "horowtz", "unknown set of operations"),
        ("\"flow\"", "\"r\"", "`r` is no dataflow"),
        ("set =", "node_nm = 33, set =", "no scaling for 33 nm"),
        ("dataflow =", "gives = [\"cycles\"], dataflow =", ""),
        ("array =", "rate = { item = \"macs\", per_cycle = 4 }\narray =", ""),
    ] {
        let unit = ARRAY.replacen(from, to, 1);
        let folder = tempfile::tempdir().expect("folder");
        let result = Design { parameters: ARRAY_KNOBS, unit: &unit, ..DESIGN }.compile(folder.path());
        assert_eq!(result.is_ok(), says.is_empty(), "{to}");
        assert!(result.err().unwrap_or_default().contains(says), "{to}");
    }
    let other = ARRAY.to_owned()
        + "\nlogic = { set = \"aladdin\", node_nm = 40, cycle_ns = 1, operations = { comparator_32b = 2 } }";
    assert!(Design { parameters: ARRAY_KNOBS, unit: &other, ..DESIGN }.faults().contains("both `array` and `logic`"));
}

/// Every row of the reference runs, through a declaration.
#[test]
fn arrays_in_declarations_take_the_cycles_of_the_reference_simulator() {
    let Some(folder) = reference() else { return };
    let mut reader = csv::Reader::from_path(folder.join("scalesim_gemm.csv")).expect("table");
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(|row| row.expect("row")).collect();
    assert_eq!(rows.len(), 108);
    let columns = ["array_rows", "array_cols", "M", "N", "K"];
    let values = |column: &str| {
        let mut values: Vec<u64> = rows.iter().map(|row| row[column].parse().expect("number")).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let names = ["r", "c", "gm", "gn", "gk"];
    let axes: Vec<String> =
        names.iter().zip(columns).map(|(name, column)| format!("{name} = {:?}", values(column))).collect();
    let parameters = format!("{ARRAY_KNOBS}gm = 1\ngn = 1\ngk = 1\n");
    let sweep = format!("flow = {{ choice = [\"os\", \"ws\"] }}\n{}", axes.join("\n"));
    let work = tempfile::tempdir().expect("folder");
    let design = Design { parameters: &parameters, unit: ARRAY, sweep: &sweep, ..DESIGN };
    design.compile(work.path()).unwrap_or_else(|faults| panic!("{faults}"));
    let pipeline = std::fs::read_to_string(work.path().join("p.toml")).expect("file");
    let pipeline = pipeline
        .replace("batches = 4", "batches = 1")
        .replace("m = 100\nn = 48\nk = 20", "m = \"gm\"\nn = \"gn\"\nk = \"gk\"")
        .replace("m = 7\n", "m = 0\n");
    std::fs::write(work.path().join("p.toml"), pipeline).expect("file");
    let (_, plan) = common::compile(&work.path().join("x.toml").to_string_lossy());
    let mut evaluator = Evaluator::new(&plan);
    for row in &rows {
        let number = |column: &str| row[column].parse::<f64>().expect("number");
        let flow = if row["dataflow"] == "os" { 0.0 } else { 1.0 };
        let values: Vec<f64> = std::iter::once(flow).chain(columns.map(number)).collect();
        assert_eq!(evaluator.evaluate_values(&values), Outcome::Feasible, "{}", evaluator.reason());
        assert_eq!(metric(&plan, &evaluator, "latency_cycles"), number("compute_cycles"), "{row:?}");
    }
}

#[test]
fn dram_efficiency_latency_and_energy_come_from_the_part_where_the_file_asks() {
    let folder = tempfile::tempdir().expect("folder");
    let traffic = "[[traffic]]\nname = \"in\"\noperator = \"first\"\nmemory = \"dram\"\ndirection = \"read\"\nbytes = 64000\npattern = \"random\"\n";
    assert!(Design { traffic, ..DESIGN }.compile(folder.path()).is_ok());
    let text = std::fs::read_to_string(folder.path().join("h.toml")).expect("file");
    let start = text.find("[dram]").expect("dram");
    let load = |dram: &str| {
        std::fs::write(folder.path().join("h.toml"), format!("{}{dram}", &text[..start])).expect("file");
        let (study, _) = Study::load(&folder.path().join("x.toml").to_string_lossy()).map_err(|f| f.to_string())?;
        Plan::compile(&study).map(|(plan, _)| plan).map_err(|faults| faults.to_string())
    };
    let plan = load("[dram]\npart = \"LPDDR4-3200\"\nmodel = { channels = 2, request_bytes = 64, outstanding = 32 }\n")
        .unwrap_or_else(|faults| panic!("{faults}"));
    let usage =
        DramUse { channels: 2, pattern: Pattern::Random, request_bytes: 64.0, outstanding: 32.0, write_share: 0.0 };
    let known = part("LPDDR4-3200").expect("part").performance(usage).expect("performance");
    let (peak, _, _) = figure(&plan, &[], "dram", "peak_gb_per_s");
    assert_eq!(peak.used, 12.8);
    let (energy, basis, _) = figure(&plan, &[], "dram", "energy_pj_per_bit");
    assert_eq!((energy.used, basis), (8.0, Some(Basis::Model)));
    // Nobody stated a background power: that of two channels.
    let standby = part("LPDDR4-3200").and_then(|part| part.standby()).expect("currents");
    let (background, basis, _) = figure(&plan, &[], "dram", "background_mw");
    assert_eq!((background.used, basis), (2.0 * standby.mw_per_channel, Some(Basis::Model)));
    let bits = 4.0 * 64000.0 * 8.0;
    let access = bits * 8e-12 / (at(&plan, &[], "latency_ms") * 1e-3) * 1e3;
    assert!(error(at(&plan, &[], "dram_power_mw"), background.used + access) < 1e-12);
    assert_eq!(at(&plan, &[], "extrapolated"), 0.0);
    for (keys, beyond) in
        [("outstanding = 32\n", 0.0), ("outstanding = 100\n", 1.0), ("outstanding = 32, write_share = 0.5", 1.0)]
    {
        let keys = keys.trim();
        let dram = format!(
            "[dram]\npart = \"LPDDR4-3200\"\nmodel = {{ channels = 2, request_bytes = 64, {keys} }}\nbackground_mw = 7\n"
        );
        let plan = load(&dram).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(at(&plan, &[], "extrapolated"), beyond, "{keys}");
        assert_eq!(figure(&plan, &[], "dram", "background_mw").0.used, 7.0, "the file's word counts");
    }
    // At 1 GHz a GB/s is a byte per cycle. Both operators take turns on the one unit.
    let expected = 4.0 * (64000.0 / known.effective_gb_per_s + 7.0 * 90.0 * 33.0 / 256.0);
    let beyond = at(&plan, &[], "latency_cycles") - expected;
    assert!((-1e-6..known.latency_ns + 1e-6).contains(&beyond), "{beyond} cycles beyond {expected}");
    for (dram, says) in [
        (
            "part = \"LPDDR9\"\nmodel = { channels = 2, request_bytes = 64, outstanding = 32 }",
            "unknown DRAM part `LPDDR9`",
        ),
        ("part = \"LPDDR4-3200\"\nmodel = { channels = 2, request_bytes = 64, outstanding = 0 }", "0 is not above 0"),
        ("part = \"LPDDR4-3200\"\nmodel = { channels = 2, request_bytes = 64 }", "needs the key `outstanding`"),
    ] {
        let faults = load(&format!("[dram]\n{dram}\n")).err().expect("faults");
        assert!(faults.contains(says), "{says} is not in {faults}");
    }
}

#[test]
fn figures_are_scaled_to_another_node_only_where_the_file_asks_and_the_result_says_by_what() {
    let unit = "rate = { item = \"macs\", per_cycle = 256 }\narea_mm2 = { each = 2 }\npower_mw = { each_dynamic = 10, each_leakage = 1 }";
    let sram = format!("{}\narea_mm2 = {{ each = 1 }}", DESIGN.sram);
    let own = Design { unit, sram: &sram, ..DESIGN }.plan();
    assert_eq!(own.technology, None);
    assert_eq!(at(&own, &[], "area_mm2"), 3.0);
    let plan = Design { top: "scale_to_nm = 16", unit, sram: &sram, ..DESIGN }.plan();
    use nerarch_dse::hardware::technology::{Transistors, scaling, sram_cell_scaling};
    let logic = scaling(28, 16, Transistors::HighPerformance).expect("scaling");
    let cell = sram_cell_scaling(28, 16).expect("cell");
    assert!(error(at(&plan, &[], "area_mm2"), 2.0 * logic.area + cell) < 1e-12);
    // At the same clock power goes with energy.
    assert!(error(at(&plan, &[], "peak_power_mw"), 11.0 * logic.energy) < 1e-12);
    let text = plan.technology.as_deref().expect("text");
    assert!(text.starts_with("28 nm scaled to 16 nm: logic area x 0.") && text.contains("Stillmaker"), "{text}");
    let faults = Design { top: "scale_to_nm = 11", ..DESIGN }.faults();
    assert!(faults.contains("no scaling for 11 nm"), "{faults}");
}
