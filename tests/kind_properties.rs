//! Properties of every stock kind and of schedules, for arguments that nobody chose.

use nerarch_dse::operator::count;
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::kind::{self, KindDecl, Pass};
use proptest::prelude::*;

/// Parameters that say what kind of work it is, not how much: their least and greatest values here.
const SHAPES: [(&str, u32, u32); 26] = [
    ("bits", 1, 32),
    ("bins", 1, 512),
    ("coefficients", 1, 16),
    ("degree", 0, 4),
    ("digit_bits", 1, 16),
    ("dimensions", 1, 4),
    ("features", 1, 32),
    ("flops_per_sample", 1, 100),
    ("frequencies", 1, 16),
    ("inputs", 1, 512),
    ("k", 1, 512),
    ("keep", 0, 1),
    ("key_bits", 1, 64),
    ("layers", 2, 12),
    ("leaf", 2, 64),
    ("levels", 1, 20),
    ("list", 1, 512),
    ("merges", 0, 4),
    ("n", 1, 512),
    ("outputs", 1, 512),
    ("payload", 0, 8),
    ("subsets", 2, 16),
    ("table_entries", 1, 65536),
    ("values", 1, 32),
    ("ways", 1, 16),
    ("width", 2, 512),
];

/// A value for every parameter of a kind: shapes from `draws`, amounts of work too, times `scale`.
fn arguments<'a>(kind: &'a KindDecl, draws: &[u32], scale: f64) -> Vec<(&'a str, f64)> {
    let values = kind.parameters.iter().zip(draws.iter().cycle()).map(|((name, _, _), draw)| {
        let value = match (name.as_str(), SHAPES.iter().find(|(shape, _, _)| shape == name)) {
            (_, Some((_, least, most))) => f64::from(least + draw % (most - least + 1)),
            // No more than the layers between the first and the last, of which there may be none.
            ("skips", None) => 0.0,
            // What is read once whatever the number of rays.
            ("tiles" | "vertices", None) => f64::from(1 + draw % 4096),
            (_, None) => f64::from(1 + draw % 100_000) * scale,
        };
        (name.as_str(), value)
    });
    values.collect()
}

fn passes(kind: &KindDecl) -> impl Iterator<Item = Pass> {
    [Pass::Forward, Pass::Backward].into_iter().filter(|pass| !kind.counts_of(*pass).is_empty())
}

fn counts(kind: &KindDecl, pass: Pass, draws: &[u32], scale: f64) -> Vec<(String, f64)> {
    count(kind, pass, &arguments(kind, draws, scale)).unwrap_or_else(|faults| panic!("{}: {faults}", kind.name))
}

fn get(counts: &[(String, f64)], name: &str) -> f64 {
    counts.iter().find(|(count, _)| count == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// Kinds whose passes over a list grow with it.
const SUPERLINEAR: [&str; 2] = ["QuickSort", "HierarchicalSort"];

/// Kinds whose gradients are not those of every input: sorting returns the payload's; encodings give gradients to tables, not
/// to positions; what is culled or chosen has none; opacity is a sum.
const CHOOSING: [&str; 6] =
    ["Sorting", "HashEncoding", "DenseGridEncoding", "HashLookup", "FrustumCullProject", "AccumulationRenderer"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_never_negative(draws in prop::collection::vec(0_u32..1_000_000, 8)) {
        for kind in kind::stock().1 {
            for pass in passes(kind) {
                for (name, value) in counts(kind, pass, &draws, 1.0) {
                    prop_assert!(value >= 0.0 && value.is_finite(), "{} {}: {name} is {value}", kind.name, pass.name());
                }
            }
        }
    }

    /// Work is a fixed part and one in proportion: from one to two and from two to three times the rays it grows by as much,
    /// and never to more than twice.
    #[test]
    fn twice_the_rays_are_twice_the_work(draws in prop::collection::vec(0_u32..1_000_000, 8)) {
        for kind in kind::stock().1 {
            for pass in passes(kind) {
                let [one, two, three] = [1.0, 2.0, 3.0].map(|scale| counts(kind, pass, &draws, scale));
                for (name, once) in &one {
                    let (twice, thrice) = (get(&two, name), get(&three, name));
                    prop_assert!(twice >= *once, "{} {}: {name} shrinks", kind.name, pass.name());
                    if SUPERLINEAR.contains(&kind.name.as_str()) {
                        continue;
                    }
                    let slack = 1e-9 * thrice;
                    prop_assert!(twice <= 2.0 * once + slack, "{} {}: {name} is {once}, {twice}", kind.name, pass.name());
                    prop_assert!(
                        ((thrice - twice) - (twice - once)).abs() <= slack,
                        "{} {}: {name} is {once}, {twice}, {thrice}", kind.name, pass.name()
                    );
                }
            }
        }
    }

    /// What comes in gets a gradient, and the gradient of what goes out comes in.
    #[test]
    fn a_backward_pass_conserves_shapes(draws in prop::collection::vec(0_u32..1_000_000, 8)) {
        for kind in kind::stock().1.iter().filter(|kind| passes(kind).count() == 2) {
            let [forward, backward] = [Pass::Forward, Pass::Backward].map(|pass| counts(kind, pass, &draws, 1.0));
            if CHOOSING.contains(&kind.name.as_str()) {
                continue;
            }
            prop_assert!(get(&backward, "output") >= get(&forward, "input"), "{}", kind.name);
            // A loss has no gradient that comes in.
            if kind.name != "MSELoss" {
                prop_assert!(get(&backward, "input") >= get(&forward, "output"), "{}", kind.name);
            }
        }
    }
}

/// Three units in a row, one for each operator.
fn latency(samples: u32, batches: u32, rates: &[u32], instances: &[u32]) -> f64 {
    let unit = |at: usize, name: &str, executes: &str| {
        format!(
            "[[unit]]\nname = \"{name}\"\nexecutes = [\"{executes}\"]\ninstances = {}\nlatency_cycles = {}\n\
             rate = {{ item = \"sample\", per_cycle = \"{} / 100\", basis = \"derived\" }}\n\
             area_mm2 = {{ total = 1, basis = \"derived\" }}\npower_mw = {{ total_dynamic = 1, basis = \"derived\" }}\n",
            instances[at],
            rates[at + 3],
            rates[at]
        )
    };
    let hardware = format!(
        "name = \"hw\"\nnode_nm = 28\n[clock]\nmhz = 1000\nreference_mhz = 1000\n{}{}{}",
        unit(0, "s", "sampling"),
        unit(1, "n", "MLP"),
        unit(2, "r", "blending")
    );
    let work = format!("samples = {samples}");
    let pipeline = format!(
        "name = \"p\"\n[stream]\nover = \"batches\"\nbatches = {batches}\n\
         [[operator]]\nname = \"s\"\nkind = \"UniformSampler\"\nrays = 1\n{work}\n\
         [[operator]]\nname = \"n\"\nkind = \"MLP\"\ninputs = 8\nwidth = 8\nlayers = 2\n{work}\n\
         [[operator]]\nname = \"r\"\nkind = \"RGBRenderer\"\nrays = 1\n{work}\n\
         [[edge]]\nfrom = \"s\"\nto = \"n\"\nkind = \"stream\"\n[[edge]]\nfrom = \"n\"\nto = \"r\"\nkind = \"stream\"\n"
    );
    let folder = tempfile::tempdir().expect("folder");
    let sweep = "name = \"s\"\nhardware = \"h.toml\"\npipeline = \"p.toml\"\nscenes = [\"lego\"]\n[search]\nobjectives = [\"latency_ms\"]\n";
    for (name, text) in [("h.toml", hardware.as_str()), ("p.toml", pipeline.as_str()), ("s.toml", sweep)] {
        std::fs::write(folder.path().join(name), text).expect("file");
    }
    let path = folder.path().join("s.toml");
    let (study, _) = Study::load(path.to_str().expect("path")).unwrap_or_else(|faults| panic!("{faults}"));
    let (plan, _) = Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}"));
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate(&[]), Outcome::Feasible, "{}", evaluator.reason());
    let at = plan.metric_names.iter().position(|name| name == "latency_cycles").expect("metric");
    evaluator.metric(0, at)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn parallel_instances_never_slow_work_that_divides(
        samples in 1_u32..5000,
        batches in 1_u32..40,
        rates in prop::collection::vec(1_u32..400, 6),
        instances in prop::collection::vec(1_u32..16, 3),
        more in 0_usize..3,
    ) {
        let before = latency(samples, batches, &rates, &instances);
        let mut parallel = instances.clone();
        parallel[more] *= 2;
        let after = latency(samples, batches, &rates, &parallel);
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} cycles become {after}");
        // All twice as parallel takes no less than half: what pipelines are deep does not divide.
        let doubled: Vec<u32> = instances.iter().map(|count| count * 2).collect();
        let half = latency(samples, batches, &rates, &doubled);
        prop_assert!(half >= before / 2.0 * (1.0 - 1e-12) && half <= before * (1.0 + 1e-12), "{before} cycles become {half}");
    }
}
