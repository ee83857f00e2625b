//! The validation tables: no error grows, intervals hold what they should, circles are found.

mod common;

use std::sync::{Arc, OnceLock};

use nerarch_dse::spec::Collector;
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::validate::{FileDecl, Outcome, Role, evaluate, missing, read, stock, stock_names, totals};

fn parse(text: &str) -> Result<FileDecl, String> {
    let source = Source { name: "targets.toml".into(), text: text.into(), origin: Origin::Stock("targets".into()) };
    let diagnostics = Collector::default();
    let file = read(&Arc::new(source), &diagnostics);
    diagnostics.finish(file).map(|(file, _)| file).map_err(|faults| faults.to_string())
}

/// All stock targets, computed once for all tests.
fn outcomes() -> &'static [Outcome] {
    static OUTCOMES: OnceLock<Vec<Outcome>> = OnceLock::new();
    OUTCOMES.get_or_init(|| {
        let all = stock_names().into_iter().flat_map(|name| {
            let file = parse(&stock(&name).expect("stock").text).unwrap_or_else(|faults| panic!("{faults}"));
            evaluate(&file).unwrap_or_else(|faults| panic!("{faults}"))
        });
        all.collect()
    })
}

#[test]
fn no_error_is_larger_than_the_file_says_and_every_interval_names_the_missing_fact() {
    for outcome in outcomes() {
        let id = &outcome.target.id;
        match (outcome.interval, outcome.target.tolerance_percent) {
            (None, Some(most)) => {
                let error = outcome.error_percent().abs();
                assert!(error <= most, "{id}: {error} %");
                let explained = !outcome.target.differs.is_empty();
                assert!(error <= 5.0 || explained, "{id} is {error} % off and does not say why");
            }
            (None, None) => panic!("{id} rests on no assumption and has no tolerance"),
            (Some(_), _) => {
                assert!(!outcome.target.missing.is_empty(), "{id} does not say what is missing");
                assert_eq!(outcome.inside(), Some(true), "{id}: {:?}", outcome.interval);
            }
        }
    }
}

#[test]
fn predictions_without_assumptions_are_within_five_percent_and_two_on_average() {
    let errors: Vec<f64> = outcomes()
        .iter()
        .filter(|outcome| outcome.target.role == Role::Predicted && outcome.interval.is_none())
        .filter(|outcome| outcome.target.same_as.is_none())
        .map(|outcome| outcome.error_percent().abs())
        .collect();
    assert!(errors.len() >= 3);
    assert!(errors.iter().all(|error| *error < 5.0), "{errors:?}");
    assert!(errors.iter().sum::<f64>() / errors.len() as f64 <= 2.0, "{errors:?}");
}

/// The documentation's table of missing facts is the one that the command prints.
#[test]
fn the_documentation_keeps_step() {
    let text = include_str!("../docs/library.md");
    let table = missing(outcomes());
    assert_eq!(table.lines().count(), 2 + 12);
    for line in table.lines() {
        assert!(text.contains(line), "docs/library.md lacks what `validate --format md` prints:\n{line}");
    }
}

/// An interval over more than a factor of ten counts as no success.
#[test]
fn wide_intervals_are_counted_apart() {
    let wide = SOUND.replace("factor = [0.75, 1.25]", "factor = [0.2, 2.5]");
    for (text, ratio, says) in [
        (SOUND, 5.0 / 3.0, "1 have ends within a factor of 10, and 1 of these"),
        (wide.as_str(), 12.5, "1 are wider and say little"),
    ] {
        let outcomes = evaluate(&parse(text).expect("sound")).expect("sound");
        assert!(common::error(outcomes[0].ratio().expect("interval"), ratio) < 1e-12);
        assert_eq!(outcomes[0].is_informative(), Some(ratio <= 10.0));
        assert!(totals(&outcomes).contains(says), "{}", totals(&outcomes));
    }
    let telling = outcomes().iter().filter(|outcome| outcome.is_informative() == Some(true)).count();
    assert!(telling >= 7, "only {telling} intervals say something");
}

/// The published values that files compare with are those of the reference.
#[test]
fn published_values_stand_in_the_reference() {
    let Some(reference) = common::reference() else { return };
    let text = std::fs::read_to_string(reference.join("published.toml")).expect("reference");
    for outcome in outcomes() {
        let value = outcome.target.published;
        // Powers stand there in W or mW.
        let forms = [value.to_string(), format!("{:.2}", value / 1000.0), format!("{value:.2}")];
        assert!(forms.iter().any(|form| text.contains(form.as_str())), "{}: {value}", outcome.target.id);
    }
}

const SOUND: &str = r#"
name = "X"
[inputs]
a = { value = 2, basis = "published" }
b = { value = "2 * a", basis = "assumed", factor = [0.75, 1.25] }
[[target]]
id = "x.y"
quantity = "y"
published = 4
source = "a paper"
role = "predicted"
value = "b + 0"
"#;

#[test]
fn an_assumed_input_makes_an_interval() {
    let outcomes = evaluate(&parse(SOUND).expect("sound")).expect("sound");
    assert_eq!(outcomes[0].ours, 4.0);
    assert_eq!(outcomes[0].interval, Some([3.0, 5.0]));
    assert_eq!(outcomes[0].width_percent(), Some(50.0));
}

#[test]
fn a_prediction_that_rests_on_its_own_target_is_found() {
    // Through another input, too: `b` follows `a`.
    let circle =
        SOUND.replace("value = 2, basis = \"published\"", "value = 2, basis = \"derived\", derived_from = \"x.y\"");
    let fault = evaluate(&parse(&circle).expect("sound")).expect_err("circle").to_string();
    assert!(fault.contains("`x.y` is no prediction: its input `a` was derived from it"), "{fault}");
    assert!(fault.contains("help: write role = \"calibrated\""), "{fault}");
    let calibrated = circle.replace("role = \"predicted\"", "role = \"calibrated\"");
    assert!(evaluate(&parse(&calibrated).expect("sound")).is_ok());
}

/// The range of a hardware's figure reaches the result: GSCore's culling units take half to one Gaussian a cycle, assumed, so
/// that 167,894 Gaussians on 4 units take 41,973.5 to 83,947 cycles.
#[test]
fn an_assumed_figure_of_the_hardware_makes_an_interval_too() {
    let text = SOUND.replace("value = \"b + 0\"", "value = \"point.utilization.ccu * point.latency_cycles\"").replace(
        "id = \"x.y\"",
        "id = \"x.y\"\npoint = { hardware = \"gscore\", pipeline = \"gscore\", scene = \"lego\", parameters = { overlap = { choice = \
         [\"unstated\"] }, subtiles = { choice = [\"none\"] } } }",
    );
    let outcomes = evaluate(&parse(&text).expect("sound")).expect("sound");
    let [low, high] = outcomes[0].interval.expect("interval");
    assert!((low / 41_973.5 - 1.0).abs() < 1e-9 && (high / 83_947.0 - 1.0).abs() < 1e-9, "{low} {high}");
    assert_eq!(outcomes[0].assumed, ["ccu.rate"]);
}

#[test]
fn a_prediction_that_rests_on_its_own_target_through_the_hardware_is_found() {
    // What SRender's total leaves after its units is the area of its buffers.
    let text = SOUND.replace("x.y", "srender.area").replace("value = \"b + 0\"", "value = \"point.area_mm2\"").replace(
        "role = \"predicted\"",
        "role = \"predicted\"\npoint = { hardware = \"srender\", pipeline = \"srender\", scene = \"lego\" }",
    );
    let fault = evaluate(&parse(&text).expect("sound")).expect_err("circle").to_string();
    assert!(fault.contains("is no prediction: its input `buffers.area_mm2` was derived from it"), "{fault}");
    // Another number of the same point does not rest on it.
    let text = text.replace("point.area_mm2", "point.fps");
    assert!(evaluate(&parse(&text).expect("sound")).is_ok());
}

/// The traffic of ICARUS, NeuRex and GSCore stands beside the published table, memory by memory.
#[test]
fn traffic_of_each_memory_is_compared() {
    let outcomes = outcomes();
    let of = |id: &str| outcomes.iter().find(|outcome| outcome.target.id == id).unwrap_or_else(|| panic!("{id}"));
    let compared = |design: &str| {
        outcomes.iter().filter(|outcome| outcome.design == design && outcome.target.role == Role::Compared).count()
    };
    assert!(compared("ICARUS") >= 13 && compared("NeuRex") >= 13 && compared("GSCore") >= 7);
    // 800 x 800 x 192 samples of 12 bytes; 800 x 800 x 64 samples of 8 levels, 8 corners and 4 bytes.
    let gib = f64::from(1 << 30);
    assert!((of("icarus.traffic.input_fifo_read").ours / (800.0 * 800.0 * 192.0 * 12.0 / gib) - 1.0).abs() < 1e-9);
    assert!((of("neurex.traffic.grid_cache_read").ours / (800.0 * 800.0 * 64.0 * 256.0 / gib) - 1.0).abs() < 1e-9);
}

#[test]
fn wrong_files_are_refused_with_place_and_remedy() {
    let cases = [
        ("role = \"predicted\"", "role = \"guess\"", "`role` cannot be \"guess\""),
        ("role = \"predicted\"\n", "", "needs the key `role`"),
        ("published = 4\n", "", "needs the key `published`"),
        ("published = 4", "published = \"four\"", "`published` must be a number"),
        ("value = \"b + 0\"", "value = \"c\"", "`c` is not defined here"),
        ("value = \"b + 0\"", "value = \"1 / (b - b)\"", "has no finite value"),
        (", factor = [0.75, 1.25]", "", "an assumed figure needs a range"),
        ("factor = [0.75, 1.25]", "range = [3, 5]", "`range` is absolute, but `2 * a` moves with the names in it"),
        ("factor = [0.75, 1.25]", "factor = [2, 3]", "`factor` is relative to the value and must hold 1"),
        ("factor = [0.75, 1.25]", "factor = [1.25, 0.75]", "`factor` must be two numbers, the lower first"),
        (
            "\"2 * a\", basis = \"assumed\", factor = [0.75, 1.25]",
            "4, basis = \"assumed\", range = [5, 6]",
            "the value 4 lies outside its range",
        ),
        ("value = \"b + 0\"", "value = \"point.fps\"", "`point.fps` is not defined here"),
        (", basis = \"published\"", "", "does not say its basis"),
        ("id = \"x.y\"", "id = \"x.y\"\nsame_as = \"x.z\"", "there is no other target `x.z`"),
        ("id = \"x.y\"", "id = \"x.y\"\nunit = \"s\"", "has no key `unit`"),
        ("id = \"x.y\"", "id = \"x.y\"\ndiffers = \"so\"", "only another model's output differs for a reason"),
        (
            "id = \"x.y\"",
            "id = \"x.y\"\npoint = { hardware = \"icaru\", pipeline = \"icarus\", scene = \"lego\" }",
            "there is no hardware `icaru`",
        ),
        (
            "id = \"x.y\"",
            "id = \"x.y\"\npoint = { hardware = \"icarus\", pipeline = \"icarus\", scene = \"lego\", parameters = { row = 3 } }",
            "neither hardware nor pipeline has a parameter `row`",
        ),
        (
            "id = \"x.y\"",
            "id = \"x.y\"\npoint = { hardware = \"icarus\", pipeline = \"icarus\", scene = \"lego\", metric = \"fps\" }",
            "has no key `metric`",
        ),
    ];
    for (old, new, wanted) in cases {
        let text = SOUND.replacen(old, new, 1);
        assert_ne!(text, SOUND, "{old}");
        let fault = match parse(&text).map(|file| evaluate(&file)) {
            Err(fault) => fault,
            Ok(Err(faults)) => faults.to_string(),
            Ok(Ok(_)) => panic!("{new:?} is accepted"),
        };
        assert!(fault.contains(wanted) && fault.contains("help: "), "{new:?}: {fault}");
    }
}

#[test]
fn the_command_prints_text_csv_and_markdown_and_refuses_unknown_names() {
    let folder = tempfile::tempdir().expect("folder");
    let text = |arguments: &[&str]| {
        let output = common::program(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(text(&["validate"]).contains("predictions without assumptions"));
    let csv = text(&["validate", "gbu", "--format", "csv"]);
    assert!(csv.starts_with("design,quantity,published,ours,error_percent,interval,width_percent,basis,source,note\n"));
    assert_eq!(csv.lines().count(), 6);
    assert!(text(&["validate", "icarus", "--format", "md"]).contains("| --- |"));
    let output = common::program(folder.path(), &["validate", "icaru"]);
    assert_eq!(output.status.code(), Some(2));
    let fault = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(fault.contains("there are no targets of `icaru`") && fault.contains("did you mean `icarus`?"), "{fault}");
}
