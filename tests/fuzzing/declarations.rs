//! Declarations: each target puts its input in place of one of the sound files of `tests/bad_input/`.

use std::path::Path;
use std::sync::Arc;

use nerarch_dse::explore::Space;
use nerarch_dse::ppa::{Evaluator, Plan};
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::spec::study::Overrides;
use nerarch_dse::spec::{Collector, Diagnostic, Diagnostics, Study, expr, kind};
use nerarch_dse::validate;

const SWEEP: &str = include_str!("../bad_input/sweep.toml");
const FILES: [(&str, &str); 5] = [
    ("sweep.toml", SWEEP),
    ("hardware.toml", include_str!("../bad_input/hardware.toml")),
    ("pipeline.toml", include_str!("../bad_input/pipeline.toml")),
    ("scene.toml", include_str!("../bad_input/scene.toml")),
    ("tiles.csv", include_str!("../bad_input/tiles.csv")),
];

thread_local! {
    /// The sound files, in memory where the system has such a folder.
    static FOLDER: tempfile::TempDir = {
        let memory = Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => tempfile::tempdir_in(memory),
            false => tempfile::tempdir(),
        }.expect("folder");
        for (name, text) in FILES {
            std::fs::write(folder.path().join(name), text).expect("file");
        }
        folder
    };
}

pub fn sweep(input: &[u8]) {
    with("sweep.toml", input);
}

pub fn hardware(input: &[u8]) {
    with("hardware.toml", input);
}

pub fn pipeline(input: &[u8]) {
    with("pipeline.toml", input);
}

pub fn scene(input: &[u8]) {
    with("scene.toml", input);
}

pub fn tiles_csv(input: &[u8]) {
    with("tiles.csv", input);
}

/// The input is the end of a sweep, from `[search]` on.
pub fn search(input: &[u8]) {
    let head = SWEEP.split("[search]").next().expect("head");
    with("sweep.toml", &[head.as_bytes(), b"\n[search]\n", input].concat());
}

/// The input is an expression, alone and as a derived parameter of a sweep.
pub fn expression(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(fault) = expr::parse(text) {
        assert!(!fault.message.is_empty() && !fault.help.is_empty(), "{fault:?}");
        assert!(fault.range.start <= fault.range.end && fault.range.end <= text.len(), "{fault:?}");
    }
    let quoted = format!("{text:?}").replace("\\u{", "\\\\u{").replace("\\'", "'");
    with("sweep.toml", SWEEP.replace("\"units * 2\"", &quoted).as_bytes());
}

/// The input is a library of operator kinds, read alone and as kinds of a pipeline's own.
pub fn kinds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let source = source("kinds.toml", text);
    let faults = Collector::default();
    let kinds = kind::read(&source, &faults);
    nerarch_dse::spec::stage::check_stages(&kinds, &faults);
    complete(faults.finish(Some(())));
    let (_, pipeline) = FILES[2];
    with("pipeline.toml", format!("{pipeline}\n{text}").as_bytes());
}

/// The input is a file of published figures.
pub fn validation(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let source = source("validation.toml", text);
    let faults = Collector::default();
    let file = validate::read(&source, &faults);
    if let Some(file) = complete(faults.finish(file)) {
        complete(validate::evaluate(&file).map(|outcomes| (outcomes, Vec::new())));
    }
}

fn source(name: &str, text: &str) -> Arc<Source> {
    Arc::new(Source { name: name.into(), text: text.into(), origin: Origin::Stock(name.into()) })
}

/// Loads the sound sweep with one file replaced, and evaluates some of its points.
fn with(name: &str, input: &[u8]) {
    FOLDER.with(|folder| {
        let (_, sound) = FILES.iter().find(|(file, _)| *file == name).expect("a file");
        let path = folder.path().join(name);
        std::fs::write(&path, input).expect("write");
        let studies = Study::load_all(&folder.path().join("sweep.toml").display().to_string(), &Overrides::default());
        for study in complete(studies).unwrap_or_default() {
            if let Some(plan) = complete(Plan::compile(&study)) {
                evaluate(&plan);
            }
        }
        std::fs::write(&path, sound).expect("write");
    });
}

/// The first, the last and a middle point; a plan has refused a space that is too large to number.
fn evaluate(plan: &Plan) {
    let Some(space) = Space::new(&plan.axes) else { return };
    let mut evaluator = Evaluator::new(plan);
    let mut digits = Vec::new();
    let last = space.points().saturating_sub(1);
    for index in [0, last / 2, last] {
        space.digits(index, &mut digits);
        evaluator.evaluate(&digits);
    }
}

/// Every fault and remark has a message, a remedy and a picture.
fn complete<T>(read: Result<(T, Vec<Diagnostic>), Diagnostics>) -> Option<T> {
    match read {
        Ok((value, remarks)) => {
            remarks.iter().for_each(check);
            Some(value)
        }
        Err(faults) => {
            assert!(!faults.0.is_empty(), "refused without a reason");
            faults.0.iter().for_each(check);
            assert!(!faults.render(false).is_empty());
            None
        }
    }
}

fn check(fault: &Diagnostic) {
    assert!(!fault.message.is_empty(), "{fault:?}");
    assert!(fault.help.as_ref().is_some_and(|help| !help.is_empty()), "no remedy: {fault:?}");
}
