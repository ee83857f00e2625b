//! Declarations: each target puts its input in place of one of the sound files of `tests/bad_input/`.

use std::path::Path;
use std::sync::Arc;

use nerarch_dse::explore::Space;
use nerarch_dse::ppa::knobs::{give, knobs};
use nerarch_dse::ppa::setting::Setting;
use nerarch_dse::ppa::{Evaluator, Plan};
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::spec::study::Overrides;
use nerarch_dse::spec::{Collector, Diagnostic, Diagnostics, Study, expr, hardware as hw, import, kind};
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
        std::fs::create_dir(folder.path().join("optimizations")).expect("folder");
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
    if let Some(mut file) = complete(faults.finish(file)) {
        // An interval of a design takes seconds; what a design is read from has targets of its own.
        file.targets.retain(|target| target.point.is_none());
        complete(validate::evaluate(&file).map(|outcomes| (outcomes, Vec::new())));
    }
}

pub fn source(name: &str, text: &str) -> Arc<Source> {
    Arc::new(Source { name: name.into(), text: text.into(), origin: Origin::Stock(name.into()) })
}

/// The input is a technique, which the sweep applies; the hardware offers "feature".
pub fn technique(input: &[u8]) {
    let sweep = SWEEP.replace("[parameters]", "optimizations = [\"technique\"]\n[parameters]");
    let hardware = FILES[1].1.replace("[parameters]", "features = [\"feature\"]\n[parameters]");
    let files = [
        ("sweep.toml", sweep.as_bytes()),
        ("hardware.toml", hardware.as_bytes()),
        ("optimizations/technique.toml", input),
    ];
    with_files(&files, None);
}

/// The input is a file of techniques and their parameters, as `--optimization-config` takes it.
pub fn optimization(input: &[u8]) {
    let offered =
        "features = [\"gaussian-skipping\", \"early-termination\", \"tile-culling\", \"low-precision-sampling\"]";
    let hardware = FILES[1].1.replace("[parameters]", &format!("{offered}\n[parameters]"));
    with_files(&[("hardware.toml", hardware.as_bytes()), ("optimization.toml", input)], Some("optimization.toml"));
}

/// The input is the `[schedule]` of a pipeline and of a sweep.
pub fn schedule(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for name in ["pipeline.toml", "sweep.toml"] {
        with(name, format!("{}\n[schedule]\n{text}", sound(name)).as_bytes());
    }
}

/// Each line of the input is a `--set` of `explain`.
pub fn settings(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    FOLDER.with(|folder| {
        let sweep = folder.path().join("sweep.toml").display().to_string();
        let (mut study, _) = Study::load(&sweep).unwrap_or_else(|faults| panic!("a sound study: {faults}"));
        for line in text.lines().take(8) {
            match Setting::parse(line, &study) {
                Ok(setting) => give(&mut study, &setting.name, &setting.span, setting.value()),
                faults => drop(complete(faults.map(|setting| (setting, Vec::new())))),
            }
        }
        if let Some(plan) = complete(Plan::compile_detailed(&study)) {
            evaluate(&plan);
            if Space::new(&plan.axes).is_some() {
                knobs(&study, &plan, &vec![0; plan.axes.len()]);
            }
        }
    });
}

/// The input is a hardware configuration in the field's JSON: read, written as TOML and read again, and used by the sweep.
pub fn hardware_json(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let json = source("hardware.json", text);
    let faults = Collector::default();
    let tree = import::read(&json, &faults);
    if let Ok((tree, remarks)) = faults.finish(tree) {
        let read = |source| {
            let faults = Collector::default();
            let found = hw::read(&source, &faults);
            complete(faults.finish(found)).map(|hardware| hardware.units.len())
        };
        let own = read(json);
        if own.is_some() {
            let written = import::to_toml(&tree, &remarks);
            assert_eq!(own, read(source("hardware.toml", &written)), "what was imported is read:\n{written}");
        }
    }
    let sweep = SWEEP.replace("hardware.toml", "hardware.json").replace("units", "clock_mhz");
    let sweep = sweep.replace("depth = {", "# {");
    with_files(&[("sweep.toml", sweep.as_bytes()), ("hardware.json", input)], None);
}

/// The input is a trace in node-link JSON that a sweep names as its pipeline, on a programmable accelerator.
pub fn traced_pipeline(input: &[u8]) {
    let sweep = "name = \"traced\"\nhardware = \"programmable\"\npipeline = \"trace.json\"\n\n[search]\n\
                 strategy = \"grid\"\nobjectives = [\"latency_ms\", \"energy_mj\"]\n";
    with_files(&[("sweep.toml", sweep.as_bytes()), ("trace.json", input)], None);
}

fn sound(name: &str) -> &'static str {
    FILES.iter().find(|(file, _)| *file == name).expect("a file").1
}

/// Loads the sound sweep with one file replaced, and evaluates some of its points.
fn with(name: &str, input: &[u8]) {
    with_files(&[(name, input)], None);
}

/// The same with several files, of which some may not be among the sound ones, and a file of techniques.
fn with_files(files: &[(&str, &[u8])], optimization: Option<&str>) {
    FOLDER.with(|folder| {
        let path = |name: &str| folder.path().join(name);
        for (name, bytes) in files {
            std::fs::write(path(name), bytes).expect("write");
        }
        let optimization = optimization.map(path);
        let overrides = Overrides { optimization: optimization.as_deref(), ..Overrides::default() };
        for study in
            complete(Study::load_all(&path("sweep.toml").display().to_string(), &overrides)).unwrap_or_default()
        {
            if let Some(plan) = complete(Plan::compile(&study)) {
                evaluate(&plan);
            }
        }
        for (name, _) in files {
            match FILES.iter().find(|(file, _)| file == name) {
                Some((_, sound)) => std::fs::write(path(name), sound).expect("write"),
                None => std::fs::remove_file(path(name)).expect("removed"),
            }
        }
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
pub fn complete<T>(read: Result<(T, Vec<Diagnostic>), Diagnostics>) -> Option<T> {
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
