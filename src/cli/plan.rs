//! `nerarch-dse check --plan`: what a run would take.

use super::calibrate::{self, Cost};
use super::study::Ready;
use super::{Failure, sweep};
use crate::explore::{Points, runner::BLOCKS_PER_THREAD};
use crate::ppa::screen;
use crate::report::summary::{point_text, short};
use crate::spec::sweep::{RowsKept, Strategy};

/// Memory of the program itself and its libraries, in bytes (measured on Linux).
const BASE_BYTES: f64 = 40e6;
/// Rows that a Parquet file holds back before it writes them, and bytes of a cell there.
const PARQUET_ROWS: f64 = 65_536.0;
const CELL_BYTES: f64 = 32.0;

/// Prints the plan of a run on `threads` threads.
///
/// # Errors
/// If the calibration fails.
pub fn print(ready: &Ready, threads: usize) -> Result<(), Failure> {
    let points = Points::of(&ready.space, &ready.study.sweep.search);
    print_screen(ready);
    // A search numbers the points of a space beyond 64 bits as it chooses them.
    if ready.space.is_enumerable() || ready.study.sweep.search.strategy.is_sample() {
        print_ends(ready, &points);
    }
    let cost = calibrate::measure(ready, &points)?;
    print_cost(ready, &points, &cost, threads);
    Ok(())
}

/// What constraints over parameters exclude.
fn print_screen(ready: &Ready) {
    let (plan, space) = (&ready.plan, &ready.space);
    let screen = screen(plan);
    for screened in &screen.each {
        let name = &plan.constraints[screened.constraint].name;
        let axes: Vec<&str> = screened.axes.iter().map(|axis| plan.axes[*axis].name.as_str()).collect();
        let of = if axes.is_empty() { "no axis".into() } else { axes.join(", ") };
        match screened.excluded {
            Some(excluded) => {
                outln!("  excludes   {name}: {excluded} of {} points (depends on {of})", space.points())
            }
            None => outln!("  excludes   {name}: not counted, too many combinations of {of}"),
        }
    }
    match screen.passing {
        _ if screen.each.is_empty() => {}
        Some(passing) => outln!("  passing    {passing} of {} points pass these together", space.points()),
        None => outln!("  passing    not counted"),
    }
    let metrics: Vec<&str> =
        plan.constraints.iter().filter(|one| one.metric.is_some()).map(|one| one.name.as_str()).collect();
    if !metrics.is_empty() {
        outln!("  note       what bounds on metrics exclude shows only in a run: {}", metrics.join(", "));
    }
    if ready.study.sweep.search.strategy == Strategy::Random {
        outln!("  note       these are counts of the whole space, of which the search visits a sample");
    }
}

/// The first and the last points.
fn print_ends(ready: &Ready, points: &Points) {
    let count = points.count();
    let first = 0..count.min(2);
    let last = count.saturating_sub(2).max(first.end)..count;
    for (word, range) in [("first", first), ("last", last)] {
        for position in range {
            let index = points.index(position);
            outln!("  {word:<10} point {index}: {}", point_text(&ready.plan, &ready.space, index));
        }
    }
}

fn print_cost(ready: &Ready, points: &Points, cost: &Cost, threads: usize) {
    let count = points.count() as f64;
    // Writing has a thread of its own beside the evaluating ones, if there is a core for it.
    let cores = (threads + 1).min(sweep::threads(None).max(1)) as f64;
    let per_point = ((cost.evaluate + cost.write) / cores).max(cost.evaluate / threads as f64).max(cost.write);
    outln!(
        "  time       about {} on {threads} threads ({} points per second, from {} points evaluated here)",
        duration(count * per_point),
        short(1.0 / per_point),
        cost.sampled
    );
    let plan = &ready.plan;
    let numbers = plan.workloads.len() * plan.metric_names.len() + plan.objectives.len();
    let block = ready.identity.block_points.min(points.count()) as f64 * (8 * numbers + 32) as f64;
    // Where the front alone is kept, the rows of a block go when it is evaluated.
    let windows = match ready.study.sweep.output.rows {
        RowsKept::All => 3.0 * (threads * BLOCKS_PER_THREAD) as f64,
        RowsKept::Front => threads as f64,
    };
    let in_flight = block * windows.min(points.blocks() as f64);
    let table = match ready.study.sweep.output.parquet {
        true => count.min(PARQUET_ROWS) * ready.schema.columns.len() as f64 * CELL_BYTES,
        false => 0.0,
    };
    // A sample holds its indices.
    let sample = if ready.study.sweep.search.strategy == Strategy::Random { count * 40.0 } else { 0.0 };
    outln!("  memory     about {}, and the front", bytes(BASE_BYTES + in_flight + table + sample));
    let record = count * cost.record;
    let mut files = vec![format!("record {} until it is finished", bytes(record))];
    for (name, each) in [("results.csv", cost.csv), ("results.parquet", cost.parquet)] {
        if each > 0.0 {
            files.push(format!("{name} {}", bytes(count * each)));
        }
    }
    let total = count * (cost.csv + cost.parquet) + record;
    outln!("  disk       about {}: {}", bytes(total), files.join(", "));
}

fn bytes(count: f64) -> String {
    let (scale, unit) = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        .into_iter()
        .find(|(scale, _)| count >= *scale)
        .unwrap_or((1.0, "bytes"));
    format!("{} {unit}", rounded(count / scale))
}

fn duration(seconds: f64) -> String {
    let (scale, unit) = [(86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")]
        .into_iter()
        .find(|(scale, _)| seconds >= 2.0 * scale)
        .unwrap_or((1.0, "seconds"));
    format!("{} {unit}", rounded(seconds / scale))
}

/// Two significant digits: it is an estimate.
fn rounded(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.0}"),
        value if value >= 0.1 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}
