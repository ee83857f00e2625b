//! Traces, each format, and the tables that say what a traced call is.

use std::sync::OnceLock;

use nerarch_dse::trace::{CallTables, Format, TraceError, TransformOptions, read, transform};

pub fn pickle(input: &[u8]) {
    trace(input, Format::Pickle);
}

pub fn node_link(input: &[u8]) {
    trace(input, Format::NodeLink);
}

pub fn graphml(input: &[u8]) {
    trace(input, Format::GraphMl);
}

pub fn gml(input: &[u8]) {
    trace(input, Format::Gml);
}

pub fn dot(input: &[u8]) {
    trace(input, Format::Dot);
}

/// The input is a table; a trace is transformed by it and the stock tables.
pub fn call_table(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match CallTables::from_toml("table.toml", text) {
        Ok(tables) => {
            let trace = include_bytes!("../data/traces/instant_ngp_4096.gml");
            let graph = read::from_bytes(trace, Format::Gml).expect("a sound trace");
            let tables = tables.before(stock().clone());
            complete(transform(&graph, &tables, &TransformOptions::default()));
        }
        fault => drop(complete(fault)),
    }
}

fn stock() -> &'static CallTables {
    static TABLES: OnceLock<CallTables> = OnceLock::new();
    TABLES.get_or_init(|| CallTables::stock().expect("the stock tables are right"))
}

fn trace(input: &[u8], format: Format) {
    if let Some(graph) = complete(read::from_bytes(input, format)) {
        complete(transform(&graph, stock(), &TransformOptions::default()));
    }
}

/// An error has a sentence and a remedy.
fn complete<T>(read: Result<T, TraceError>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(fault) => {
            assert!(!fault.problem().to_string().is_empty() && !fault.remedy().is_empty(), "{fault:?}");
            None
        }
    }
}
