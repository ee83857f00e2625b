//! What silicon can not do, the model does not: properties over random hardware.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use common::page;

/// A chain of two units in groups, which share the DRAM channel and a block; `cores` is swept.
fn chain(folder: &Path, [a, b, c]: [u32; 3], [compute, buffer]: [u32; 2], bandwidths: [f64; 2], batches: u32) -> Plan {
    let unit = |name: &str, reads: &str| {
        format!(
            "[[unit]]\nname = \"{name}\"\nexecutes = [\"GEMM\"]\ninstances = \"16 * cores\"\ngroups = \"cores\"\n\
             rate = {{ item = \"macs\", per_cycle = {compute} }}\narea_mm2 = {{ total = 1 }}\npower_mw = {{ total_dynamic = 1 }}\n{reads}"
        )
    };
    let hardware = format!(
        "name = \"h\"\nnode_nm = 28\n[parameters]\ncores = 1\ngb = {{ default = 1, type = \"real\" }}\n\
         [clock]\nmhz = 1000\nreference_mhz = 1000\n{}{}[[sram]]\nname = \"buffer\"\ncapacity_kib = 64\nread_gb_per_s = \"gb\"\n\
         read_latency_cycles = 0\nwrite_gb_per_s = 64\nwrite_latency_cycles = 0\n\
         [dram]\npeak_gb_per_s = \"gb\"\nefficiency = {{ stream = 1 }}\nlatency_ns = 0\nenergy_pj_per_bit = 4\n",
        unit("left", "reads = [\"buffer\"]\n"),
        unit("right", "reads = [\"buffer\"]\n"),
    );
    let traffic = |operator: &str, memory: &str, bytes: u32| {
        format!(
            "[[traffic]]\nname = \"{operator} {memory}\"\noperator = \"{operator}\"\nmemory = \"{memory}\"\n\
             direction = \"read\"\nbytes = {bytes}\n"
        )
    };
    let pipeline = format!(
        "name = \"p\"\n[stream]\nover = \"batches\"\nbatches = {batches}\n\
         [[operator]]\nname = \"first\"\nkind = \"GEMM\"\nm = 64\nn = 8\nk = 8\n\
         [[operator]]\nname = \"second\"\nkind = \"GEMM\"\nm = 32\nn = 8\nk = 8\n\
         [[edge]]\nfrom = \"first\"\nto = \"second\"\nkind = \"stream\"\nbuffer = {buffer}\n\
         [mapping]\nfirst = \"left\"\nsecond = \"right\"\n{}{}{}{}",
        traffic("first", "dram", a),
        traffic("second", "dram", b),
        traffic("first", "buffer", c),
        traffic("second", "buffer", a),
    );
    let [narrow, wide] = bandwidths;
    let sweep = format!(
        "name = \"x\"\nhardware = \"h.toml\"\npipeline = \"p.toml\"\nscenes = [\"s.toml\"]\n[parameters]\ncores = [1, 2, 4, 7]\n\
         gb = [{narrow}, {wide}]\n[search]\nobjectives = [\"latency_ms\"]\n"
    );
    for (name, text) in [("h.toml", hardware.as_str()), ("p.toml", &pipeline), ("s.toml", SCENE), ("x.toml", &sweep)] {
        std::fs::write(folder.join(name), text).expect("file");
    }
    common::compile(&folder.join("x.toml").to_string_lossy()).1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// However many groups work at once, no port moves more than its bandwidth, and more of it never makes a chain slower.
    #[test]
    fn groups_share_the_bandwidth_that_there_is(
        bytes in prop::array::uniform3(0_u32..20_000), compute in 1_u32..64, buffer in 1_u32..12,
        narrow in 1.0..100.0_f64, more in 1.0..8.0_f64, batches in 1_u32..200,
    ) {
        let folder = tempfile::tempdir().expect("folder");
        let plan = chain(folder.path(), bytes, [compute, buffer], [narrow, narrow * more], batches);
        for cores in [1.0, 2.0, 4.0, 7.0] {
            let [slow, fast] = [narrow, narrow * more].map(|gb| {
                let values = [cores, gb];
                let used = at(&plan, &values, "dram_utilization");
                assert!((0.0..=1.0 + 1e-9).contains(&used), "{used} of the DRAM at {values:?}");
                let cycles = at(&plan, &values, "latency_cycles");
                let moved = f64::from(batches) * f64::from(bytes[2] + bytes[0]);
                assert!(moved <= gb * cycles * (1.0 + 1e-9), "{moved} bytes in {cycles} cycles at {values:?}");
                cycles
            });
            prop_assert!(fast <= slow * (1.0 + 1e-12), "more bandwidth: {slow} to {fast} cycles");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Random hardware: what silicon can not do, the model does not.
    #[test]
    fn silicon_holds_for_random_hardware(
        kib in 2.0..2000.0_f64, banks in prop::sample::select(vec![1_u32, 2, 4, 8]), rows in 1_u32..40, cols in 1_u32..40,
        arrays in 1_u32..6, lanes in 1_u32..40, bytes in 0_u32..200_000, set in 0.0..4000.0_f64, bandwidth in 1.0..500.0_f64,
        flow in 0_usize..3, pattern in prop::sample::select(vec!["random", "stream"]), pj in 0.0..10.0_f64,
        mut clock in 200_u32..1500,
    ) {
        clock -= clock % 10;
        // 32 words per bank of 16 bytes lie inside the table.
        let kib = kib.max(f64::from(banks) * 1.1);
        let parameters = format!(
            "{KNOBS}{ARRAY_KNOBS}gb = {{ default = 1, type = \"real\" }}\npj = {{ default = 1, type = \"real\" }}\n"
        );
        let sram = "capacity_kib = \"kib\"\nbanks = \"banks\"\nwidth_bytes = 16\nread_gb_per_s = \"gb\"\nread_latency_cycles = 2\n\
            write_gb_per_s = 64\nwrite_latency_cycles = 2\nmodel = { cell = \"lstp\", gives = [\"area\", \"leakage\"] }\nread_pj_per_byte = \"pj\"";
        let traffic = format!(
            "{}pattern = \"{pattern}\"\nlanes = {lanes}\nworking_set_kib = {set}\nspill = \"random\"\n",
            READ.replace("64000", &bytes.to_string())
        );
        let (double, more, wide, dear) = (2.0 * kib, 2 * banks, 2.0 * bandwidth, pj + 0.5);
        let sweep = format!(
            "kib = [{kib}, {double}]\nbanks = [{banks}, {more}]\ngb = [{bandwidth}, {wide}]\npj = [{pj}, {dear}]\n\
             r = {rows}\nc = {cols}\narrays = {arrays}\nclock_mhz = {clock}\nflow = \"{}\"", ["os", "ws", "is"][flow]
        );
        let design = Design { parameters: &parameters, unit: ARRAY, sram, traffic: &traffic, sweep: &sweep, ..DESIGN };
        let folder = tempfile::tempdir().expect("folder");
        let Ok(plan) = design.compile(folder.path()) else {
            // Twice the banks can leave the table.
            prop_assert!(kib < 1024.0 * 32.0 * 16.0 * f64::from(more));
            return Ok(());
        };
        let mut evaluator = Evaluator::new(&plan);
        let mut at = |digits: [u32; 4], name: &str| {
            let outcome = evaluator.evaluate(&digits);
            assert_eq!(outcome, Outcome::Feasible, "{}", evaluator.reason());
            metric(&plan, &evaluator, name)
        };
        for name in ["latency_cycles", "energy_mj", "power_mw", "area_mm2", "peak_power_mw", "spilled_gb", "dram_gb", "core_power_mw", "dram_power_mw"] {
            for digits in [[0, 0, 0, 0], [1, 1, 1, 1]] {
                prop_assert!(at(digits, name) >= 0.0, "{name}");
            }
        }
        prop_assert!(at([1, 0, 0, 0], "area_mm2") >= at([0, 0, 0, 0], "area_mm2"), "doubled capacity shrank the area");
        prop_assert!(at([1, 0, 0, 0], "spilled_gb") <= at([0, 0, 0, 0], "spilled_gb"));
        prop_assert!(at([0, 1, 0, 0], "latency_cycles") <= at([0, 0, 0, 0], "latency_cycles"), "more banks added stalls");
        prop_assert!(at([0, 0, 1, 0], "latency_cycles") <= at([0, 0, 0, 0], "latency_cycles") * (1.0 + 1e-12));
        let cycles = at([0, 0, 0, 0], "latency_cycles");
        let used = at([0, 0, 0, 0], "utilization.pe");
        prop_assert!((0.0..=1.0 + 1e-12).contains(&used), "utilization {used}");
        let macs = 4.0 * (100.0 * 48.0 * 20.0 + 7.0 * 90.0 * 33.0);
        prop_assert!(macs / cycles <= f64::from(rows * cols * arrays) * (1.0 + 1e-12), "work above the peak");
        // Half a picojoule more per byte of the 4 batches.
        let (cheap, dearer) = (at([0, 0, 0, 0], "energy_mj"), at([0, 0, 0, 1], "energy_mj"));
        let delta = 4.0 * f64::from(bytes) * 0.5 * 1e-9;
        prop_assert!((dearer - cheap - delta).abs() <= 1e-12 * dearer.max(delta), "{} is not {delta}", dearer - cheap);
    }
}

/// Each of `p` tiles at work needs its 40 KiB. Two tiles fit the buffer between the operators, so four groups work on two.
#[test]
fn every_tile_at_work_needs_its_working_set() {
    let unit = "instances = \"g\"\ngroups = \"g\"\nrate = { item = \"macs\", per_cycle = 256 }\narea_mm2 = { total = 0.25 }\n\
                power_mw = { total_dynamic = 5 }";
    let sram = DESIGN.sram.replace("capacity_kib = 64", "instances = 2\ncapacity_kib = 30");
    let design = |spill: &str| {
        let traffic = format!("{READ}working_set_kib = 40\nspill = \"{spill}\"\n");
        Design { parameters: "g = 1\n", unit, sram: &sram, traffic: &traffic, sweep: "g = [1, 2, 4]", ..DESIGN }.plan()
    };
    let (spills, fits) = (design("stream"), design("never"));
    for (groups, at_work) in [(1.0, 1.0), (2.0, 2.0), (4.0, 2.0)] {
        let needed: f64 = 40.0 * at_work;
        let share = (needed - 60.0).max(0.0) / needed;
        let spilled = at(&spills, &[groups], "spilled_gb");
        assert!((spilled - 4.0 * 64000.0 * share * 1e-9).abs() < 1e-15, "{groups} groups: {spilled}");
        let mut evaluator = Evaluator::new(&fits);
        let outcome = evaluator.evaluate_values(&[groups]);
        assert_eq!(outcome == Outcome::Feasible, needed <= 60.0, "{groups} groups: {outcome:?}");
    }
}

/// Eight operators, a random graph, on two units: a list schedule decides who goes first.
fn competing(random: &mut ChaCha8Rng, folder: &Path, bandwidths: &[f64]) -> Plan {
    let unit = |name: &str| {
        format!(
            "[[unit]]\nname = \"{name}\"\nexecutes = [\"GEMM\"]\ninstances = 2\ngroups = 2\n\
             rate = {{ item = \"macs\", per_cycle = 16 }}\narea_mm2 = {{ total = 1 }}\npower_mw = {{ total_dynamic = 1 }}\n"
        )
    };
    let hardware = format!(
        "name = \"h\"\nnode_nm = 28\n[parameters]\ngb = {{ default = 1, type = \"real\" }}\n[clock]\nmhz = 1000\nreference_mhz = 1000\n\
         {}{}[dram]\npeak_gb_per_s = \"gb\"\nefficiency = {{ stream = 1 }}\nlatency_ns = 50\nenergy_pj_per_bit = 4\n",
        unit("left"),
        unit("right")
    );
    let mut pipeline = String::from("name = \"p\"\n[stream]\nover = \"batches\"\nbatches = 9\n");
    let mut mapping = String::from("[mapping]\n");
    for (at, unit) in ["left", "right"].into_iter().cycle().take(8).enumerate() {
        let (m, bytes) = (random.random_range(1..60), random.random_range(0..4000));
        pipeline += &format!(
            "[[operator]]\nname = \"o{at}\"\nkind = \"GEMM\"\nm = {m}\nn = 8\nk = 8\n[[traffic]]\nname = \"t{at}\"\n\
             operator = \"o{at}\"\nmemory = \"dram\"\ndirection = \"read\"\nbytes = {bytes}\n"
        );
        mapping += &format!("o{at} = \"{unit}\"\n");
    }
    // Both at once can wait for each other: a barrier for all tiles, a buffer for room.
    let kind = ["kind = \"stream\"\nbuffer = 2", "kind = \"barrier\""][random.random_range(0..2)];
    let pairs = (1..8).flat_map(|to| (0..to).map(move |from| (from, to)));
    let edges: Vec<(usize, usize)> = pairs.filter(|_| random.random_range(0..4) == 0).collect();
    for (from, to) in edges {
        pipeline += &format!("[[edge]]\nfrom = \"o{from}\"\nto = \"o{to}\"\n{kind}\n");
    }
    let sweep = format!(
        "name = \"x\"\nhardware = \"h.toml\"\npipeline = \"p.toml\"\nscenes = [\"s.toml\"]\n[parameters]\ngb = {bandwidths:?}\n\
         [search]\nobjectives = [\"latency_ms\"]\n"
    );
    pipeline += &mapping;
    for (name, text) in [("h.toml", hardware.as_str()), ("p.toml", &pipeline), ("s.toml", SCENE), ("x.toml", &sweep)] {
        std::fs::write(folder.join(name), text).expect("file");
    }
    common::compile(&folder.join("x.toml").to_string_lossy()).1
}

/// Graham's anomalies: where operators compete for units, shorter transfers can make a list schedule longer. How often and
/// by how much is counted; the lower bound knows none.
#[test]
fn anomalies_of_list_schedules_are_counted() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut steps, mut slower, mut worst) = (0, 0, 0.0_f64);
    let bandwidths = [4.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0, 40.0];
    for _ in 0..200 {
        let folder = tempfile::tempdir().expect("folder");
        let plan = competing(&mut random, folder.path(), &bandwidths);
        let of = |gb: f64| ["latency_cycles", "lower_bound_cycles"].map(|name| at(&plan, &[gb], name));
        for pair in bandwidths.windows(2) {
            let ([before, bound_before], [after, bound_after]) = (of(pair[0]), of(pair[1]));
            steps += 1;
            slower += usize::from(after > before * (1.0 + 1e-12));
            worst = worst.max(after / before - 1.0);
            assert!(bound_after <= bound_before * (1.0 + 1e-12), "{bound_before} to {bound_after}");
        }
    }
    // Graham's bound for a list schedule on m machines is 2 - 1 / m of the optimum; this is far from it.
    assert!(worst < 0.25, "{worst}");
    let line = format!(
        "Of {steps} steps to more DRAM bandwidth, in 200 random pipelines of eight operators that compete for two units, {slower} \
         made the list schedule longer, by {:.1} % at most.",
        worst * 100.0
    );
    page::check("anomalies", &line);
}

/// Bounds of boxes of points hold for everything that a model gives: no point of a box lies outside them.
#[test]
fn boxes_of_modelled_hardware_enclose_their_points() {
    use nerarch_dse::ppa::{BoxEvaluator, Verdict};
    let stock =
        nerarch_dse::spec::catalog::stock(nerarch_dse::spec::catalog::Category::Sweep, "gscore_model").expect("stock");
    let text = stock.text.replace("\"grid\"", "\"exact\"");
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("x.toml"), text).expect("file");
    let (_, plan) = common::compile(&folder.path().join("x.toml").to_string_lossy());
    let mut boxes = BoxEvaluator::new(&plan).expect("bounds");
    let mut evaluator = Evaluator::new(&plan);
    let sizes: Vec<u32> = plan.axes.iter().map(|axis| axis.values.len() as u32).collect();
    let mut seed = 1_u64;
    let mut below = |count: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % u64::from(count)) as u32
    };
    for _ in 0..400 {
        let ends: Vec<(u32, u32)> = sizes
            .iter()
            .map(|size| {
                let (a, b) = (below(*size), below(*size));
                (a.min(b), a.max(b))
            })
            .collect();
        let (low, high): (Vec<u32>, Vec<u32>) = ends.iter().copied().unzip();
        assert_eq!(boxes.bound(&low, &high), Verdict::Open);
        for _ in 0..8 {
            let digits: Vec<u32> = ends.iter().map(|(low, high)| low + below(high - low + 1)).collect();
            assert_eq!(evaluator.evaluate(&digits), Outcome::Feasible);
            for (value, bound) in evaluator.objectives().iter().zip(boxes.bounds()) {
                assert!(value >= bound, "{value} is below the bound {bound} of {ends:?}");
            }
        }
    }
}
