//! Every stock pipeline on every stock hardware: those made for each other run, the others say what fails and why.

mod common;

use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::catalog::{Category, stock_names};
use nerarch_dse::spec::source::{Origin, Source};

/// Hardware and the pipelines that it was made for.
const PAIRS: [(&str, &str); 21] = [
    ("icarus", "icarus"),
    ("icarus", "vanilla_nerf"),
    ("neurex", "neurex"),
    ("neurex", "instant_ngp"),
    ("cicero", "cicero"),
    ("gscore", "gscore"),
    ("gscore_model", "gscore"),
    ("srender", "srender"),
    ("gsarch", "gsarch"),
    ("gbu", "gbu"),
    ("gbu_standalone", "gbu"),
    ("instant3d", "instant3d"),
    ("gaurast", "gaurast"),
    ("gaurast", "3dgs"),
    ("gaurast", "4dgs"),
    ("programmable", "instant_ngp"),
    ("pe_renderer", "vanilla_nerf"),
    ("lumina", "lumina"),
    ("gs_processor", "gs_processor"),
    ("unirender", "3dgs"),
    ("metavrain", "metavrain"),
];

fn compile(hardware: &str, pipeline: &str) -> Result<Plan, String> {
    compile_with(hardware, pipeline, "")
}

/// With further lines of `[parameters]`.
fn compile_with(hardware: &str, pipeline: &str, parameters: &str) -> Result<Plan, String> {
    let mut overlap = common::overlap(pipeline).to_owned();
    if overlap.is_empty() {
        overlap.push_str("[parameters]");
    }
    let text = format!(
        "name = \"pair\"\nhardware = \"{hardware}\"\npipeline = \"{pipeline}\"\nscenes = [\"lego\"]\n{overlap}\n{parameters}\n[search]\nobjectives = [\"latency_ms\"]\n"
    );
    let source = Source { name: format!("{hardware} x {pipeline}"), text, origin: Origin::Stock("pair".into()) };
    let (study, _) = Study::from_source(&std::sync::Arc::new(source)).map_err(|faults| faults.to_string())?;
    Plan::compile(&study).map(|(plan, _)| plan).map_err(|faults| faults.to_string())
}

#[test]
fn every_hardware_runs_the_pipelines_made_for_it() {
    let mut faults = Vec::new();
    for (hardware, pipeline) in PAIRS {
        let plan = match compile(hardware, pipeline) {
            Ok(plan) => plan,
            Err(fault) => {
                faults.push(format!("{hardware} x {pipeline}:\n{fault}"));
                continue;
            }
        };
        let mut evaluator = Evaluator::new(&plan);
        let outcome = evaluator.evaluate(&vec![0; plan.axes.len()]);
        if outcome != Outcome::Feasible {
            faults.push(format!("{hardware} x {pipeline}: {outcome:?}, {}", evaluator.reason()));
        }
        let [latency, bound] = ["latency_cycles", "lower_bound_cycles"]
            .map(|name| plan.metric_names.iter().position(|metric| metric == name).expect("metric"));
        assert!(evaluator.metric(0, latency) >= evaluator.metric(0, bound) * (1.0 - 1e-12), "{hardware} x {pipeline}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    for (category, pick) in [(Category::Hardware, 0), (Category::Pipeline, 1)] {
        for name in stock_names(category) {
            let used = PAIRS.iter().any(|pair| [pair.0, pair.1][pick] == name);
            assert!(used, "nothing runs {name}");
        }
    }
}

#[test]
fn every_other_pair_runs_or_names_the_operator_and_each_unit_with_its_reason() {
    let mut refused = 0;
    for hardware in stock_names(Category::Hardware) {
        for pipeline in stock_names(Category::Pipeline) {
            let Err(fault) = compile(&hardware, &pipeline) else { continue };
            refused += 1;
            let names_operator = fault.contains("can execute operator `");
            let says_why = fault.contains(": executes ")
                || fault.contains("runs forward only")
                || fault.contains("works at a rate");
            let lacks_part = fault.contains("operator `")
                && (fault.contains("` has no memory") || fault.contains("` has no DRAM"))
                || fault.contains("is not defined here")
                || fault.contains("names unit `");
            assert!((names_operator && says_why) || lacks_part, "{hardware} x {pipeline}:\n{fault}");
            assert!(fault.contains("help: "), "{hardware} x {pipeline}:\n{fault}");
        }
    }
    assert!(refused >= 60, "only {refused} pairs were refused");
}

/// Twice the instances of a unit, of those that work divides among, never make the schedule longer.
#[test]
fn parallel_instances_never_slow_a_schedule() {
    for (hardware, pipeline, parameter) in [
        ("neurex", "neurex", "encoders"),
        ("neurex", "neurex", "arrays"),
        ("cicero", "cicero", "gatherers"),
        ("gsarch", "gsarch", "pixel_lanes"),
        ("gsarch", "gsarch", "front_units"),
        ("gbu", "gbu", "rows"),
        ("gbu_standalone", "gbu", "rows"),
        ("instant3d", "instant3d", "banks"),
        ("gaurast", "gaurast", "pes"),
        ("lumina", "lumina", "units"),
        ("gs_processor", "gs_processor", "lanes"),
        ("unirender", "3dgs", "pes"),
        ("gscore", "gscore", "vr_cores"),
        ("gscore", "gscore", "ccu"),
        ("gscore", "gscore", "qsu"),
    ] {
        let axis = format!("{parameter} = {{ from = 4, to = 256, scale = \"log2\" }}\n");
        let plan = compile_with(hardware, pipeline, &axis).unwrap_or_else(|fault| panic!("{hardware}: {fault}"));
        let latency = plan.metric_names.iter().position(|metric| metric == "latency_cycles").expect("metric");
        let at = plan.axes.iter().position(|axis| axis.name == parameter).expect("axis");
        let mut evaluator = Evaluator::new(&plan);
        let mut digits = vec![0; plan.axes.len()];
        let mut before = f64::INFINITY;
        for digit in 0..plan.axes[at].values.len() {
            digits[at] = digit as u32;
            assert_ne!(evaluator.evaluate(&digits), Outcome::Failed, "{hardware}: {}", evaluator.reason());
            let now = evaluator.metric(0, latency);
            assert!(now <= before * (1.0 + 1e-12), "{hardware} {parameter}: {before} cycles become {now}");
            before = now;
        }
    }
}

/// Twice the rays are twice the work of each unit: cycles of work double, and the schedule with them up to its fill.
#[test]
fn twice_the_rays_are_twice_the_work() {
    for (hardware, pipeline) in
        [("icarus", "icarus"), ("neurex", "neurex"), ("cicero", "cicero"), ("srender", "srender")]
    {
        let plan =
            compile_with(hardware, pipeline, "samples_per_ray = [64, 128]\n").unwrap_or_else(|fault| panic!("{fault}"));
        let place = |name: &str| plan.metric_names.iter().position(|metric| metric == name).expect("metric");
        let mut evaluator = Evaluator::new(&plan);
        let work: Vec<Vec<f64>> = (0..2)
            .map(|digit| {
                assert_eq!(evaluator.evaluate(&[digit]), Outcome::Feasible, "{hardware}: {}", evaluator.reason());
                let latency = evaluator.metric(0, place("latency_cycles"));
                let units = plan.metric_names.iter().enumerate().filter(|(_, name)| name.starts_with("utilization."));
                units.map(|(at, _)| evaluator.metric(0, at) * latency).collect()
            })
            .collect();
        for (once, twice) in work[0].iter().zip(&work[1]) {
            // Directions of rays, pixels and sensitive rays do not double with their samples.
            assert!(
                *twice <= 2.0 * once * (1.0 + 1e-12) && *twice >= 1.8 * once,
                "{hardware}: {once} and {twice} cycles"
            );
        }
    }
}

/// A sweep that fixes everything is a space of one point without axes; its first evaluation must really happen.
#[test]
fn a_space_without_axes_is_evaluated() {
    let plan = compile("icarus", "icarus").unwrap_or_else(|fault| panic!("{fault}"));
    assert!(plan.axes.is_empty());
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate(&[]), Outcome::Feasible, "{}", evaluator.reason());
}
