//! Time from the bytes of a trace to all that `analyze` writes, for every reference trace on every stock hardware that it
//! fits. Needs the reference folder.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use nerarch_dse::report::analysis;
use nerarch_dse::spec::Diagnostics;
use nerarch_dse::spec::catalog::{Category, stock_names};
use nerarch_dse::trace::workload;

/// Reads, maps, schedules, and writes reports and pictures into memory; the bytes of all of them.
fn analyze(trace: &Path, hardware: &str) -> Result<usize, Diagnostics> {
    let workload = workload::load_default(trace).map_err(|fault| Diagnostics(vec![fault]))?;
    let mapped = analysis::map(workload, "trace", hardware)?;
    let scheduled = analysis::schedule(&mapped, "trace", hardware, None)?;
    let texts = [
        mapped.workload.to_toml(),
        serde_json::to_string_pretty(&mapped).unwrap_or_default(),
        serde_json::to_string_pretty(&scheduled).unwrap_or_default(),
        analysis::perfetto(&scheduled),
        analysis::html(&scheduled).unwrap_or_default(),
        analysis::markdown(&scheduled),
        analysis::text(&scheduled),
        analysis::timeline_svg(&scheduled),
        analysis::graph_svg(&scheduled).unwrap_or_default(),
        analysis::roofline_svg(&scheduled).ok().flatten().unwrap_or_default(),
    ];
    Ok(texts.iter().map(String::len).sum())
}

fn every_pair(criterion: &mut Criterion) {
    let folder =
        std::env::var_os("NERARCH_REFERENCE").map_or_else(|| PathBuf::from("../shared/reference"), PathBuf::from);
    let mut traces: Vec<PathBuf> = std::fs::read_dir(folder.join("traces"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pkl"))
        .collect();
    if traces.is_empty() {
        eprintln!("SKIPPED: no traces in `{}`; NERARCH_REFERENCE may name another folder", folder.display());
    }
    traces.sort();
    let mut group = criterion.benchmark_group("analyze");
    group.sample_size(10);
    for trace in &traces {
        let name = trace.file_stem().and_then(|stem| stem.to_str()).unwrap_or("trace");
        for hardware in stock_names(Category::Hardware) {
            if analyze(trace, &hardware).is_ok() {
                group.bench_function(format!("{name}/{hardware}"), |bencher| {
                    bencher.iter(|| black_box(analyze(trace, &hardware)));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, every_pair);
criterion_main!(benches);
