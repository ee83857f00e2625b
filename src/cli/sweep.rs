//! `nerarch-dse sweep`

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::output::{ResultFiles, RunFolder};
use super::{Failure, SweepArguments, show_warnings};
use crate::explore::{Archive, Block, Space, Summary, run as explore, runner::count_points};
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::report::csv::CsvWriter;
use crate::report::figure::{Axis, Marked, ParetoFigure};
use crate::report::manifest::{self, Manifest, Runtime};
use crate::report::summary::{self, Reference, short};
use crate::report::table::{Rows, Schema};
use crate::spec::Study;

/// Exit status of a run in which no point was feasible.
const NOTHING_FEASIBLE: u8 = 3;
/// Seconds between two lines of progress where the output is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Evaluates a sweep.
pub fn run(arguments: &SweepArguments) -> Result<ExitCode, Failure> {
    let (study, warnings) = Study::load(&arguments.sweep)?;
    let (plan, more) = Plan::compile(&study)?;
    if !arguments.quiet {
        show_warnings(&warnings);
        show_warnings(&more);
    }
    let Some(space) = Space::new(&plan.axes) else {
        return Err(Failure::input("this space has 2^64 points or more", "fix some axes"));
    };
    if !arguments.force && finished(&study, &arguments.out)? {
        println!(
            "{} is finished and its inputs are unchanged: {} (--force runs it again)",
            study.sweep.name,
            arguments.out.join(&study.sweep.name).display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let threads = arguments.threads.map_or_else(default_threads, usize::from);
    let folder = RunFolder::create(&arguments.out, &study.sweep.name)?;
    let schema = Schema::new(&plan, &study.sweep);
    let started = Instant::now();
    let total = count_points(&space, &study.sweep.search);
    let progress = progress(total, arguments.quiet, started);
    let mut files = ResultFiles::create(&folder, &plan, &space, &schema, &study.sweep.output, progress)?;
    let summary = explore(&plan, &space, &study.sweep.search, &schema.shown_parameters, threads, &mut files)?;
    let cloud = files.finish().map_err(crate::explore::RunError::from)?;
    let reference = reference(&plan, &summary);
    write_front(&folder, &plan, &space, &schema, &summary)?;
    if study.sweep.output.pareto_figure
        && let Some(svg) = draw(&study, &plan, &cloud, &summary, reference.as_ref())
    {
        folder.write("figures/pareto.svg", svg.as_bytes())?;
    }
    if let Some(history) = &summary.history {
        let names: Vec<String> = plan.objectives.iter().map(|objective| objective.name.clone()).collect();
        folder.write("search.csv", history.csv(&names).as_bytes())?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let runtime = Runtime {
        threads,
        seconds,
        points_per_second: if seconds > 0.0 { summary.points as f64 / seconds } else { 0.0 },
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    };
    let manifest = Manifest::new(&study, &plan, &space, &summary, &arguments.sweep, runtime);
    let text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| Failure::Write { path: "manifest.json".into(), source: error.into() })?;
    folder.write("manifest.json", text.as_bytes())?;
    let target = folder.publish()?;
    if !arguments.quiet {
        let files = target.display().to_string();
        print!("{}", summary::render(&study, &plan, &space, &summary, reference.as_ref(), &files, seconds));
    }
    Ok(if summary.feasible == 0 { ExitCode::from(NOTHING_FEASIBLE) } else { ExitCode::SUCCESS })
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether this very run is already there. A run of the same name from other inputs is refused.
fn finished(study: &Study, out: &Path) -> Result<bool, Failure> {
    let folder = out.join(&study.sweep.name);
    let path = folder.join("manifest.json");
    if !folder.exists() {
        return Ok(false);
    }
    let there = std::fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str::<Manifest>(&text).ok());
    let Some(there) = there else {
        return Err(Failure::input(
            format!("`{}` exists but holds no run of this program", folder.display()),
            "choose another --out or name, or replace it with --force",
        ));
    };
    let inputs = manifest::inputs(study);
    let changed: Vec<&str> = inputs
        .iter()
        .filter(|input| !there.inputs.contains(input))
        .map(|input| input.name.as_str())
        .chain(
            there
                .inputs
                .iter()
                .map(|input| input.name.as_str())
                .filter(|name| !inputs.iter().any(|input| input.name == *name)),
        )
        .collect();
    if changed.is_empty() {
        return Ok(true);
    }
    Err(Failure::input(
        format!("`{}` holds a run of other inputs; changed: {}", folder.display(), changed.join(", ")),
        "give the sweep another name to keep both, or replace the old run with --force",
    ))
}

/// A bar on a terminal, a line now and then elsewhere, nothing where it is quiet.
fn progress<'a>(total: u64, quiet: bool, started: Instant) -> Box<dyn FnMut(u64, usize) + Send + 'a> {
    if quiet {
        return Box::new(|_, _| {});
    }
    if std::io::stderr().is_terminal() {
        let bar = ProgressBar::new(total);
        let style =
            ProgressStyle::with_template("{bar:32} {human_pos} of {human_len} points, {per_sec}, {eta} left, {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        return Box::new(move |done, front| {
            bar.set_position(done);
            bar.set_message(format!("front {front}"));
            if done == total {
                bar.finish_and_clear();
            }
        });
    }
    let mut next = LINE_EVERY;
    Box::new(move |done, front| {
        let elapsed = started.elapsed();
        if elapsed >= next && done < total {
            next = elapsed + LINE_EVERY;
            let rate = done as f64 / elapsed.as_secs_f64();
            let left = (total - done) as f64 / rate;
            eprintln!("{done} of {total} points, {} per second, {} s left, front {front}", short(rate), short(left));
        }
    })
}

/// The declared design, evaluated beside the grid; `None` if an axis has no declared value.
fn reference(plan: &Plan, summary: &Summary) -> Option<Reference> {
    let values: Option<Vec<f64>> = plan
        .axes
        .iter()
        .map(|axis| match axis.values[..] {
            [only] => Some(only),
            _ => axis.default,
        })
        .collect();
    let mut evaluator = Evaluator::new(plan);
    let outcome = evaluator.evaluate_values(&values?);
    let mut front = Archive::new(plan.objectives.iter().map(|objective| objective.goal).collect());
    for point in &summary.front {
        front.insert(point.index, &point.objectives);
    }
    Some(Reference {
        outcome,
        objectives: evaluator.objectives().to_vec(),
        metrics: evaluator.metrics().to_vec(),
        dominated: front.dominates(evaluator.objectives()),
    })
}

/// Evaluates the front's points again and writes them with all their columns.
fn write_front(
    folder: &RunFolder,
    plan: &Plan,
    space: &Space,
    schema: &Schema,
    summary: &Summary,
) -> Result<(), Failure> {
    let mut evaluator = Evaluator::new(plan);
    let mut block = Block::default();
    let mut digits = Vec::new();
    for point in &summary.front {
        let mut own = Vec::new();
        space.digits(point.index, &mut own);
        block.outcomes.push(evaluator.evaluate(&own));
        block.indices.push(point.index);
        block.metrics.extend_from_slice(evaluator.metrics());
        block.objectives.extend_from_slice(evaluator.objectives());
        block.parameters.extend(schema.shown_parameters.iter().map(|at| evaluator.parameter(*at)));
        digits.push(own);
    }
    let rows = Rows::new(plan, schema, &block, &digits);
    let write = || -> std::io::Result<Vec<u8>> {
        let mut csv = CsvWriter::new(Vec::new(), schema, &["ties"])?;
        for (row, point) in summary.front.iter().enumerate() {
            csv.row(&rows, row, schema, &[point.ties])?;
        }
        csv.finish()
    };
    let contents = write().map_err(|source| Failure::Write { path: "pareto.csv".into(), source })?;
    folder.write("pareto.csv", &contents)
}

/// The figure of the front; `None` if there is nothing to draw or too many objectives for one.
fn draw(
    study: &Study,
    plan: &Plan,
    cloud: &[Vec<f64>],
    summary: &Summary,
    reference: Option<&Reference>,
) -> Option<String> {
    let maximise = |at: usize| plan.objectives[at].goal == crate::spec::sweep::Goal::Maximise;
    let axes: Vec<Axis<'_>> = plan
        .objectives
        .iter()
        .enumerate()
        .map(|(at, objective)| Axis { label: &objective.label, maximise: maximise(at) })
        .collect();
    let front: Vec<Vec<f64>> = summary.front.iter().map(|point| point.objectives.clone()).collect();
    let label = format!("{} as declared", study.hardware.name);
    let names: Vec<&str> = plan.workloads.iter().map(|workload| workload.name.as_str()).collect();
    let note = format!(
        "{} points, {} feasible, {} on the front; {} of {}",
        summary.points,
        summary.feasible,
        summary.front.len(),
        plan.aggregate.name(),
        names.join(", ")
    );
    let marked = reference
        .filter(|reference| reference.outcome != Outcome::Failed)
        .map(|reference| Marked { label: &label, values: &reference.objectives });
    let title = format!("{} ({})", study.hardware.name, study.sweep.name);
    ParetoFigure { title: &title, axes: &axes, cloud, front: &front, marked, note: &note }.svg().ok()
}
