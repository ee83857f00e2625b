//! Units and memories over time, and what NeRArch-Sim's Figure 12 says of three accelerators.

mod common;

use std::fs;

use common::{error, program};

/// A CSV by column.
struct Courses {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Courses {
    fn column(&self, name: &str) -> Vec<f64> {
        let at = self.header.iter().position(|column| column == name).unwrap_or_else(|| panic!("column {name}"));
        self.rows.iter().map(|row| row[at]).collect()
    }

    fn mean(&self, name: &str) -> f64 {
        self.column(name).iter().sum::<f64>() / self.rows.len() as f64
    }

    /// Utilization of every unit over the frame.
    fn units(&self) -> Vec<(&str, f64)> {
        let names = self.header.iter().filter_map(|column| column.strip_prefix("utilization."));
        names.map(|name| (name, self.mean(&format!("utilization.{name}")))).collect()
    }

    /// Share of the steps in which a unit computes with more than so much of its groups.
    fn time_above(&self, unit: &str, share: f64) -> f64 {
        let column = self.column(&format!("utilization.{unit}"));
        column.iter().filter(|value| **value > share).count() as f64 / column.len() as f64
    }
}

/// Runs the command with `--csv` and `--svg`; gives both and what was printed.
fn courses(arguments: &[&str]) -> (Courses, String, String) {
    let folder = tempfile::tempdir().expect("folder");
    let output = program(folder.path(), &[&["utilization"], arguments, &["--csv", "u.csv", "--svg", "u.svg"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.path().join("u.csv")).expect("CSV");
    let mut lines = text.lines();
    let header = lines.next().expect("header").split(',').map(str::to_owned).collect();
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().expect("number")).collect()).collect();
    let svg = fs::read_to_string(folder.path().join("u.svg")).expect("SVG");
    (Courses { header, rows }, svg, String::from_utf8_lossy(&output.stdout).into_owned())
}

fn stock<'a>(name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["--hardware", name, "--pipeline", name, "--scene", "lego"], more].concat()
}

/// ICARUS: "MLP-bound". 146 cycles of the block for every sample, every other unit takes few.
#[test]
fn the_mlp_engine_of_icarus_works_all_the_time() {
    let (courses, svg, _) = courses(&stock("icarus", &[]));
    let busiest = courses.units().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("units");
    assert_eq!(busiest.0, "monb");
    assert!(busiest.1 > 0.99, "{}", busiest.1);
    assert!(courses.time_above("monb", 0.98) > 0.98);
    for (unit, share) in courses.units() {
        assert!(unit == "monb" || share < 0.1, "{unit} {share}");
        assert!(svg.contains(&format!(">\n{unit}\n<")), "{unit} has no panel");
    }
    // 800 x 800 x 192 samples of 146 cycles at 400 MHz.
    let length = courses.column("to_ms").last().copied().expect("rows");
    assert!(error(length, 800.0 * 800.0 * 192.0 * 146.0 / 400e3) < 2e-3, "{length}");
}

/// NeuRex: "encode-bound with memory spikes". That follows from the cycles that the index units are calibrated to; with one
/// cycle for a level of a sample, as if banks had no conflicts, the arrays would work all the time: 9,408 multiply-accumulates
/// of a sample take 9,408 / (16 x 1,024 x 0.766) cycles, its 16 levels twice 16 / 64.
#[test]
fn neurex_is_bound_by_encoding_with_memory_spikes() {
    let busy = |courses: &Courses| {
        let units = courses.units();
        ["igu", "systolic"].map(|name| units.iter().find(|unit| unit.0 == name).expect("unit").1)
    };
    let [encoding, arrays] = busy(&courses(&stock("neurex", &["--set", "level_cycles=1"])).0);
    assert!(arrays > 0.95 && error(encoding / arrays, (2.0 * 16.0 / 64.0) / (9408.0 / (16.0 * 1024.0 * 0.766))) < 0.01);
    let (courses, ..) = courses(&stock("neurex", &["--bins", "2000"]));
    let [encoding, arrays] = busy(&courses);
    assert!(encoding > 0.95 && arrays < 0.75, "{encoding} {arrays}");
    // Positions and tables of each of the 79 batches come in bursts at the speed of the channel (0.9 of the peak), and
    // nothing between: 8,192 rays x 64 samples are 602,931 cycles of encoding, the bytes of a batch 15,000 of the channel.
    let (mean, fastest) = (courses.mean("dram_utilization"), courses.column("dram_utilization_peak"));
    assert!(mean < 0.05, "{mean}");
    let bursts = fastest.windows(2).filter(|pair| pair[0] < 0.5 && pair[1] > 0.5).count();
    assert!((30..=160).contains(&bursts), "{bursts} bursts");
    assert!(fastest.iter().all(|share| *share < 0.9 + 1e-9), "no more than the channel");
    assert!(fastest.iter().filter(|share| **share < 0.05).count() > fastest.len() / 2);
}

/// GSCore: "short preprocessing, then rendering-bound".
#[test]
fn gscore_prepares_shortly_then_renders_with_all_cores() {
    let (courses, ..) = courses(&["gscore", "--scene", "bicycle"]);
    let (culling, rendering) = (courses.column("occupied.ccu"), courses.column("utilization.vru"));
    let first = rendering.iter().position(|share| *share > 0.5).expect("it renders");
    assert!((1..rendering.len() / 4).contains(&first), "step {first}");
    assert!(culling[..first - 1].iter().all(|share| *share > 0.99));
    assert!(culling[first + 1..].iter().all(|share| *share == 0.0));
    assert!(rendering[..first - 1].iter().all(|share| *share == 0.0));
    assert!(rendering[first + 1..rendering.len() - 1].iter().all(|share| *share > 0.98));
    let busiest = courses.units().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("units");
    assert_eq!(busiest.0, "vru");
}

/// What is drawn adds up to the metrics, on equal tiles, on measured ones and where stages compete.
#[test]
fn the_courses_add_up_to_the_metrics() {
    use nerarch_dse::ppa::{Evaluator, Plan};
    use nerarch_dse::report::utilization::UtilizationOverTime;
    use nerarch_dse::spec::Study;
    for sweep in ["gscore", "gscore_tiles", "gscore_model"] {
        let (study, _) = Study::load(sweep).expect("stock");
        let (plan, _) = Plan::compile_detailed(&study).unwrap_or_else(|faults| panic!("{faults}"));
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&plan.declared());
        for workload in 0..plan.workloads.len() {
            let courses =
                UtilizationOverTime::of(&mut evaluator, workload, (0.0, f64::INFINITY), 100).expect("a schedule");
            let metric = |name: &str| {
                let at = plan.metric_names.iter().position(|known| known == name).expect("metric");
                evaluator.metric(workload, at)
            };
            let mean = |course: &[f64]| course.iter().sum::<f64>() / course.len() as f64;
            for unit in &courses.units {
                let wanted = metric(&format!("utilization.{}", unit.name));
                let drawn = mean(&unit.computing);
                assert!((drawn - wanted).abs() < 1e-9, "{sweep}: {} {drawn} {wanted}", unit.name);
                assert_eq!(unit.utilization, wanted);
                assert!(unit.occupied.iter().all(|share| *share < 1.0 + 1e-9));
            }
            let (channel, peak) = courses.dram.as_ref().expect("DRAM");
            assert!((mean(&channel.gb_per_s) / peak - metric("dram_utilization")).abs() < 1e-9);
            assert!(channel.fastest_gb_per_s.iter().all(|rate| *rate < peak * (1.0 + 1e-9)));
            assert!(error(courses.from_ms + 100.0 * courses.bin_ms, metric("latency_ms")) < 1e-12);
        }
    }
}

#[test]
fn a_part_of_the_frame_can_be_looked_at() {
    let (whole, ..) = courses(&stock("neurex", &["--bins", "1000"]));
    let length = *whole.column("to_ms").last().expect("rows");
    let (from, to) = (0.3 * length, 0.4 * length);
    let (part, ..) =
        courses(&stock("neurex", &["--bins", "100", "--from-ms", &from.to_string(), "--to-ms", &to.to_string()]));
    for name in ["utilization.igu", "occupied.icu", "dram_gb_per_s", "read_gb_per_s.subgrids"] {
        for (ours, whole) in part.column(name).iter().zip(&whole.column(name)[300..400]) {
            assert!((ours - whole).abs() < 1e-6 * whole.abs().max(1.0), "{name}: {ours} {whole}");
        }
    }
}

#[test]
fn what_cannot_be_shown_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    for (arguments, wanted) in [
        (&["gscore", "--from-ms", "1e9"][..], "nothing lies between --from-ms and --to-ms"),
        (&["gscore", "--from-ms", "3", "--to-ms", "2"], "nothing lies between"),
        (&["gscore", "--to-ms", "nan"], "a time in ms, from 0"),
        (&["gscore", "--bins", "0"], "1..=20000"),
        (&["gscore", "--scene", "leg"], "did you mean `lego`?"),
        (&["gscore", "--set", "vr_core=1"], "did you mean `vr_cores`?"),
        (&["gscore", "--set", "vr_cores=1e300"], "vr_cores"),
        (&["--pipeline", "gscore"], "--hardware"),
    ] {
        let output = program(folder.path(), &[&["utilization"], arguments].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(wanted), "{arguments:?}: {text}");
    }
}
