//! The IRs that `map` and `schedule` write and read.

use nerarch_dse::report::analysis::{self, MappedIr, ScheduledIr};
use nerarch_dse::spec::{Diagnostic, Diagnostics};

use super::declarations::complete;

const HARDWARE: &str = "programmable";

/// The input is a mapped IR: read, scheduled, and reported.
pub fn mapped(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Some(ir) = one(MappedIr::from_json("mapped.json", text))
        && let Some(ir) = complete(analysis::schedule(&ir, "mapped.json", HARDWARE, None).map(|ir| (ir, Vec::new())))
    {
        let own = serde_json::to_string(&ir).expect("JSON");
        let again = ScheduledIr::from_json("scheduled.json", &own).map_err(|fault| Diagnostics(vec![fault]));
        again.unwrap_or_else(|fault| panic!("what was written is refused: {fault}"));
        every_report(&ir);
    }
}

/// The input is a scheduled IR: read, and reported.
pub fn scheduled(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Some(ir) = one(ScheduledIr::from_json("scheduled.json", text)) {
        every_report(&ir);
    }
}

fn every_report(ir: &ScheduledIr) {
    let mut texts = vec![
        analysis::html(ir).expect("a page"),
        analysis::markdown(ir),
        analysis::text(ir),
        analysis::perfetto(ir),
        analysis::timeline_svg(ir),
    ];
    // Operators that wait for each other have no picture, and the error says so.
    texts.extend(analysis::graph_svg(ir));
    assert!(texts.iter().all(|text| !text.is_empty()));
    serde_json::from_str::<serde_json::Value>(&texts[3]).expect("the timeline is JSON");
    for svg in &texts[4..] {
        assert!(!svg.contains("NaN") && !svg.contains("\"inf"), "{svg}");
    }
}

fn one<T>(read: Result<T, Diagnostic>) -> Option<T> {
    complete(read.map(|value| (value, Vec::new())).map_err(|fault| Diagnostics(vec![fault])))
}
