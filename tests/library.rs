//! Every stock pipeline on every stock hardware: those made for each other run, the others say what fails and why.

mod common;

use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::catalog::{self, Category, stock_names};
use nerarch_dse::spec::hardware::{HardwareDecl, RateDecl};
use nerarch_dse::spec::kind::{KindDecl, Pass};
use nerarch_dse::spec::pipeline::{self, OperatorDecl};
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::spec::{Collector, Study};

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

/// Whether some unit executes the kind in the pass and counts in what it counts, or units do all its stages, by the plain
/// meaning of the declarations; `unit` is the one that the pipeline chose.
fn has_unit(hardware: &HardwareDecl, kinds: &[KindDecl], kind: &str, pass: Pass, unit: Option<&str>) -> bool {
    let kind = kinds.iter().find(|known| known.name == kind).expect("kind");
    let counts = |item: &str| kind.counts_of(pass).iter().any(|(count, _, _)| count == item);
    let whole = hardware.units.iter().any(|one| {
        let executes = one.executes.iter().any(|(word, _)| *word == kind.name || *word == kind.category);
        let rate = match &one.rate {
            RateDecl::Item { item, .. } => counts(item),
            RateDecl::Array => !kind.gemms.is_empty(),
            RateDecl::Element(_) => !kind.gemms.is_empty() || counts("input") && counts("output"),
            RateDecl::Cycles(_) => true,
        };
        executes && rate && one.passes.contains(&pass) && unit.is_none_or(|unit| unit == one.name)
    });
    let stages = kind.stages_of(pass);
    whole || !stages.is_empty() && stages.iter().all(|stage| has_unit(hardware, kinds, &stage.kind, stage.pass, unit))
}

/// Every pipeline on every hardware: it runs, or the error names each operator that has no unit, with every unit's reason.
#[test]
fn the_whole_matrix_runs_or_says_which_operator_fails_and_why() {
    let (mut runs, mut refused, mut backward, mut memories) = (0, 0, 0, 0);
    for hardware in stock_names(Category::Hardware) {
        let (decl, stock) = Study::hardware_and_kinds(&hardware).unwrap_or_else(|faults| panic!("{faults}"));
        for pipeline in stock_names(Category::Pipeline) {
            let source = catalog::stock(Category::Pipeline, &pipeline).expect("stock");
            let faults = Collector::default();
            let steps = pipeline::read(&source, &faults).expect("pipeline");
            let kinds: Vec<KindDecl> = stock.iter().chain(&steps.kinds).cloned().collect();
            let lacking: Vec<&OperatorDecl> = steps
                .operators
                .iter()
                .filter(|operator| {
                    let unit = steps.mapping.iter().find(|(name, _, _)| *name == operator.name);
                    let unit = unit.map(|(_, unit, _)| unit.as_str());
                    !has_unit(&decl, &kinds, &operator.kind.0, operator.pass, unit)
                })
                .collect();
            let pair = format!("{hardware} x {pipeline}");
            let fault = match compile(&hardware, &pipeline) {
                Ok(_) => {
                    assert!(lacking.is_empty(), "{pair} runs, but nothing executes `{}`", lacking[0].name);
                    runs += 1;
                    continue;
                }
                Err(fault) => fault,
            };
            refused += 1;
            backward += lacking.iter().filter(|operator| operator.pass == Pass::Backward).count();
            for operator in &lacking {
                let says = format!("can execute operator `{}` ({})", operator.name, operator.kind.0);
                let at = fault.find(&says).unwrap_or_else(|| panic!("{pair} lacks {says}:\n{fault}"));
                let end = fault[at..].find("\nerror: ").map_or(fault.len(), |end| at + end);
                for unit in &decl.units {
                    assert!(fault[at..end].contains(&format!("`{}`: ", unit.name)), "{pair}: `{}`\n{fault}", unit.name);
                }
            }
            // What has its units lacks a memory, or a parameter of the hardware that it was made for.
            if lacking.is_empty() {
                memories += 1;
                let names_why = fault.contains("operator `")
                    && (fault.contains("` has no memory") || fault.contains("has no DRAM"))
                    || fault.contains(" needs SRAM block ")
                    || fault.contains("is not defined here")
                    || fault.contains("names unit `");
                assert!(names_why, "{pair}:\n{fault}");
            }
            assert!(fault.contains("help: "), "{pair}:\n{fault}");
        }
    }
    eprintln!("{runs} pairs run, {refused} are refused, {memories} of them for a memory or a parameter");
    assert!(
        runs >= PAIRS.len() && refused >= 60 && backward >= 10,
        "{runs} run, {refused} refused, {backward} backward"
    );
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
