//! Fuzz targets: one function for each kind of file that people give to the program.
//!
//! A target takes any bytes. It panics if the reader does, if an error comes without a message or a remedy, or if what was
//! accepted cannot be compiled and evaluated without a panic. `fuzz/` drives them with libFuzzer, `tests/fuzz_corpus.rs`
//! replays what was found.
#![allow(dead_code)]

mod analysis;
mod declarations;
mod records;
mod schedules;
mod traces;

/// A target.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also that of its folder in `tests/fuzz_corpus/`.
pub const TARGETS: &[(&str, Target)] = &[
    ("sweep", declarations::sweep),
    ("search", declarations::search),
    ("hardware", declarations::hardware),
    ("pipeline", declarations::pipeline),
    ("kinds", declarations::kinds),
    ("scene", declarations::scene),
    ("tiles_csv", declarations::tiles_csv),
    ("expression", declarations::expression),
    ("validation", declarations::validation),
    ("technique", declarations::technique),
    ("optimization", declarations::optimization),
    ("schedule", declarations::schedule),
    ("settings", declarations::settings),
    ("hardware_json", declarations::hardware_json),
    ("traced_pipeline", declarations::traced_pipeline),
    ("mapped", analysis::mapped),
    ("scheduled", analysis::scheduled),
    ("commands", schedules::commands),
    ("tasks", schedules::tasks),
    ("pickle", traces::pickle),
    ("node_link", traces::node_link),
    ("graphml", traces::graphml),
    ("gml", traces::gml),
    ("dot", traces::dot),
    ("call_table", traces::call_table),
    ("record", records::record),
    ("inputs_json", records::inputs_json),
];
