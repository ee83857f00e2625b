//! Points per second: one core and all cores, equal tiles and measured ones. Output files excluded.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;

use nerarch_dse::explore::Space;
use nerarch_dse::hardware::pe::{Layer, Layers, Parameters, Resident};
use nerarch_dse::ppa::{Evaluator, Plan};
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::spec::{Study, catalog};

/// A stock sweep on some of its scenes, with lines of its own.
fn plan(sweep: &str, scenes: &str, replaced: &[(&str, &str)]) -> Plan {
    let stock = catalog::stock(catalog::Category::Sweep, sweep).expect("stock sweep");
    let replacement = |line: &str| {
        let found = replaced.iter().find(|(start, _)| line.starts_with(start));
        found.map_or_else(|| line.to_owned(), |(_, new)| (*new).to_owned())
    };
    let text: String = stock
        .text
        .lines()
        .map(|line| if line.starts_with("scenes") { format!("scenes = {scenes}\n") } else { replacement(line) + "\n" })
        .collect();
    let source = Source { name: stock.name.clone(), text, origin: Origin::Stock("bench".into()) };
    let (study, _) = Study::from_source(&std::sync::Arc::new(source)).expect("sound sweep");
    Plan::compile(&study).expect("sound sweep").0
}

/// Evaluates the points `first..first + count`, wrapping around.
fn walk(evaluator: &mut Evaluator<'_>, space: &Space, first: u64, count: u64) {
    let mut digits = Vec::with_capacity(16);
    space.digits(first % space.points(), &mut digits);
    for _ in 0..count {
        std::hint::black_box(evaluator.evaluate(&digits));
        space.advance(&mut digits);
    }
}

fn one_core(criterion: &mut Criterion, name: &str, plan: &Plan, points: u64) {
    let space = Space::new(&plan.axes).expect("space");
    let mut group = criterion.benchmark_group("one_core");
    group.throughput(Throughput::Elements(points));
    let mut evaluator = Evaluator::new(plan);
    let mut first = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            walk(&mut evaluator, &space, first, points);
            first = first.wrapping_add(points);
        });
    });
    group.finish();
}

/// Every point differs from the one before in every axis: nothing can be kept.
fn scattered(criterion: &mut Criterion, name: &str, plan: &Plan, points: u64) {
    let space = Space::new(&plan.axes).expect("space");
    let mut group = criterion.benchmark_group("one_core_scattered");
    group.throughput(Throughput::Elements(points));
    let mut evaluator = Evaluator::new(plan);
    let mut digits = Vec::with_capacity(16);
    let mut index = 0_u64;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for _ in 0..points {
                index = (index + 7_368_787) % space.points();
                space.digits(index, &mut digits);
                std::hint::black_box(evaluator.evaluate(&digits));
            }
        });
    });
    group.finish();
}

fn all_cores(criterion: &mut Criterion, name: &str, plan: &Plan) {
    const BLOCK: u64 = 4096;
    let space = Space::new(&plan.axes).expect("space");
    let blocks = rayon::current_num_threads() as u64 * 16;
    let mut group = criterion.benchmark_group("all_cores");
    group.throughput(Throughput::Elements(blocks * BLOCK));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            (0..blocks).into_par_iter().for_each_init(
                || Evaluator::new(plan),
                |evaluator, block| walk(evaluator, &space, block * BLOCK, BLOCK),
            );
        });
    });
    group.finish();
}

/// The trunk of vanilla NeRF on one processing element: 4,096 samples in blocks of 256.
fn processing_element(criterion: &mut Criterion) {
    let layer = |k, n, times, epilogue| Layer { m: 4096, k, n, times, prologue: 0, epilogue };
    let layers = [layer(63, 256, 1, 1), layer(256, 256, 6, 1), layer(319, 256, 1, 1), layer(256, 256, 1, 0)];
    let resident = Resident { between: true, ..Resident::default() };
    let work = Layers { layers: &layers, command_rows: 256, element_bytes: 2.0, resident, independent: true };
    let parameters = Parameters::default();
    let mut group = criterion.benchmark_group("processing_element");
    group.bench_function("closed form", |bencher| {
        bencher.iter(|| std::hint::black_box(&work).closed_cycles(&parameters));
    });
    group.bench_function("event simulation", |bencher| {
        bencher.iter(|| std::hint::black_box(&work).simulated(&parameters));
    });
    group.finish();
    let plan = plan("pe", "[\"lego\"]", &[]);
    one_core(criterion, "pe", &plan, 64);
}

fn benches(criterion: &mut Criterion) {
    processing_element(criterion);
    let small = plan("gscore", "[\"lego\"]", &[]);
    one_core(criterion, "gscore, equal tiles", &small, 144);
    let large = plan("gscore_large", "[\"lego\"]", &[]);
    one_core(criterion, "gscore_large, equal tiles", &large, 4096);
    scattered(criterion, "gscore_large, equal tiles", &large, 4096);
    all_cores(criterion, "gscore_large, equal tiles", &large);
    // Memories and sorters by the models, over the units and buffers of the large sweep.
    let axes = [
        ("qsu", "qsu = { from = 4, to = 32, step = 4 }"),
        ("vr_cores", "vr_cores = { from = 16, to = 256, step = 16 }"),
        ("buffers", "buffers = { from = 2, to = 16, step = 2 }"),
        ("ccu", "ccu = { from = 1, to = 16, step = 1 }"),
    ];
    let model = plan("gscore_model", "[\"lego\", \"bicycle\"]", &axes);
    one_core(criterion, "gscore_model, equal tiles", &model, 4096);
    scattered(criterion, "gscore_model, equal tiles", &model, 4096);
    // Camera `close` with the circle test and tiles of 16 pixels has 2,500 tiles, none empty.
    let fixed = [
        ("aggregate", "cameras = [\"close\"]"),
        ("tile ", "tile = 16"),
        ("overlap", "overlap = \"circle\""),
        ("subtiles", "subtiles = \"decoupled\"\nqsu = [4, 8, 16, 32]\nbuffers = [4, 8, 16]"),
    ];
    let tiles = plan("gscore_tiles", "[\"plant\"]", &fixed);
    one_core(criterion, "2,500 measured tiles", &tiles, 16);
    scattered(criterion, "2,500 measured tiles", &tiles, 16);
}

criterion_group! {
    name = group;
    config = Criterion::default().sample_size(30).measurement_time(std::time::Duration::from_secs(4));
    targets = benches
}
criterion_main!(group);
