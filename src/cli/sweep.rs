//! `nerarch-dse sweep`

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::folder::RunFolder;
use super::output::{CSV, PARQUET, ResultFiles, Session};
use super::previous::{self, Previous};
use super::progress::Progress;
use super::study::Ready;
use super::{Failure, Saved, SweepArguments, compare, effects, fault, marks, refine, results, shard, signals};
use crate::explore::record::{Known, RecordReader, RecordWriter};
use crate::explore::{End, Job, RunError, Shard, Summary, run as explore};
use crate::report::manifest::Runtime;
use crate::report::summary::{self, beyond_tables, dead_knobs};

/// Exit status of a run in which no point was feasible.
const NOTHING_FEASIBLE: u8 = 3;

/// Evaluates a sweep, or what is left of it.
pub fn run(arguments: &SweepArguments) -> Result<ExitCode, Failure> {
    let sweeps = Ready::load(&arguments.sweep, &arguments.instead, arguments.quiet)?;
    let shard = shard::chosen(arguments.shard, arguments.quiet)?;
    let stop = signals::stop_flag().map_err(RunError::from)?;
    let mut codes = Vec::new();
    for ready in &sweeps {
        codes.push(sweep(arguments, ready, shard, &stop)?);
    }
    if shard.is_whole() { after_all(&sweeps, &codes, &arguments.out, arguments.quiet) } else { Ok(ExitCode::SUCCESS) }
}

/// Compares the runs of a file of several sweeps; the status is that of the first run that has one to report.
pub fn after_all(sweeps: &[Ready], codes: &[ExitCode], out: &Path, quiet: bool) -> Result<ExitCode, Failure> {
    if let Some(family) = sweeps.first().and_then(|ready| ready.study.sweep.family.as_ref()) {
        compare::write(sweeps, family, out, quiet)?;
    }
    Ok(codes.iter().copied().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS))
}

fn sweep(arguments: &SweepArguments, ready: &Ready, shard: Shard, stop: &AtomicBool) -> Result<ExitCode, Failure> {
    let strategy = ready.study.sweep.search.strategy;
    if strategy.chooses_as_it_goes() && (!shard.is_whole() || arguments.retry_failed || arguments.fail_fast) {
        return Err(Failure::input(
            format!(
                "the search `{}` chooses each point by those before it: it has no shards and no points to retry",
                strategy.name()
            ),
            "run it without --shard, --retry-failed and --fail-fast, and outside a job array",
        ));
    }
    if arguments.verify {
        super::verify::run(ready)?;
    }
    let folder = RunFolder::lock(&arguments.out, &shard::folder_name(&ready.study.sweep.name, shard))?;
    let there = if arguments.force { Previous::None } else { Previous::of(&folder, &ready.identity)? };
    let part = match there {
        Previous::None => None,
        Previous::Part(reader) => Some(reader),
        Previous::Finished if arguments.retry_failed => {
            if !folder.reopen()? {
                outln!(
                    "`{}` has no failed points to evaluate again, or was merged: then retry its shards",
                    folder.target().display()
                );
                return Ok(ExitCode::SUCCESS);
            }
            Some(previous::open(&folder.record())?)
        }
        Previous::Finished => {
            outln!(
                "{} is finished and its inputs are unchanged: {} (--force runs it again)",
                ready.study.sweep.name,
                folder.target().display()
            );
            return Ok(ExitCode::SUCCESS);
        }
    };
    Sweep { arguments, ready, shard, folder: &folder, stop }.evaluate(part)
}

/// Threads to use if none are stated.
pub fn threads(stated: Option<u16>) -> usize {
    stated.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

struct Sweep<'a> {
    arguments: &'a SweepArguments,
    ready: &'a Ready,
    shard: Shard,
    folder: &'a RunFolder,
    stop: &'a AtomicBool,
}

impl Sweep<'_> {
    /// Evaluates what `part` does not hold, and writes the results.
    fn evaluate(&self, part: Option<RecordReader>) -> Result<ExitCode, Failure> {
        let Self { arguments, ready, shard, folder, .. } = *self;
        let started = Instant::now();
        let identity = &ready.identity;
        let total = identity.points_of(shard.blocks(identity.blocks()));
        let known_points = part.as_ref().map_or(0, RecordReader::points);
        let record = self.record(part.as_ref())?;
        if let Some(part) = part.as_ref().filter(|_| !arguments.quiet) {
            let lost = part.damage().lost;
            let tail = if lost > 0 { format!("; {lost} bytes behind them were not whole") } else { String::new() };
            note!("going on with `{}`: {known_points} of {total} points are there{tail}", folder.work().display());
        }
        let known = part.map(|part| Known::new(vec![part], ready.layout.clone()));
        let files = match shard.is_whole() {
            true => Some(ResultFiles::create(folder, &ready.plan, &ready.space, &ready.schema, &ready.study.sweep)?),
            false => None,
        };
        let mut session = Session {
            record: Some(record),
            layout: &ready.layout,
            files,
            progress: Progress::new(total, arguments.quiet),
            fresh: 0,
            taken: 0,
        };
        let threads = threads(arguments.threads);
        let probe = fault::probe();
        let job = Job {
            shard,
            known: known.as_ref(),
            retry_failed: arguments.retry_failed,
            fail_fast: arguments.fail_fast,
            probe: probe.as_deref(),
            ..ready.job(threads, self.stop)
        };
        let end = explore(&job, &mut session);
        session.progress.clear();
        let Session { record, files, fresh, .. } = session;
        let summary = match end {
            Ok(End::Complete(summary)) => summary,
            other => return Err(self.halted(other, record, known_points, fresh, total)),
        };
        let seconds = started.elapsed().as_secs_f64();
        let runtime = runtime(threads, seconds, fresh);
        match files {
            Some(files) => {
                if summary.failed > 0 {
                    sync(record)?;
                }
                let typed = arguments.instead.typed(&arguments.sweep);
                finish(ready, folder, files, &summary, &typed, runtime, arguments.quiet)
            }
            None => {
                sync(record)?;
                self.finish_shard(&summary)
            }
        }
    }

    /// Opens the record for appending.
    fn record(&self, part: Option<&RecordReader>) -> Result<RecordWriter, Failure> {
        let path = self.folder.record();
        let writer = match part {
            Some(part) => RecordWriter::append(&path, part.damage().whole),
            None => {
                self.folder.discard()?;
                self.folder.begin()?;
                serde_json::to_string(&self.ready.identity)
                    .map_err(std::io::Error::other)
                    .and_then(|header| RecordWriter::create(&path, &header))
            }
        };
        writer.map_err(|source| Failure::Write { path, source })
    }

    /// Saves what there is of a run that did not come to its end, and says why it did not.
    fn halted(
        &self,
        end: Result<End, RunError>,
        record: Option<RecordWriter>,
        known_points: u64,
        fresh: u64,
        total: u64,
    ) -> Failure {
        self.folder.drop_partial_files(&[CSV, PARQUET]);
        let certain = record.as_ref().map_or(0, RecordWriter::synced);
        let synced = sync(record);
        let fresh = if synced.is_ok() { fresh } else { fresh.min(certain) };
        let points = match self.folder.record().exists() {
            true if self.arguments.retry_failed => known_points,
            true => known_points + fresh,
            false => 0,
        };
        let saved = Saved { points, total, folder: self.folder.work() };
        match (end, synced) {
            (Err(cause), _) => Failure::Halted { cause, saved },
            (Ok(_), Err(failure)) => failure,
            (Ok(_), Ok(())) => Failure::Interrupted(saved),
        }
    }

    /// Publishes a shard: a record for `merge`.
    fn finish_shard(&self, summary: &Summary) -> Result<ExitCode, Failure> {
        results::write_identity(self.folder, &self.ready.identity)?;
        let target = self.folder.publish()?;
        if !self.arguments.quiet {
            outln!(
                "shard {} of {}: {} points, {} feasible, {} failed; {}",
                self.shard,
                self.ready.study.sweep.name,
                summary.points,
                summary.feasible,
                summary.failed,
                target.display()
            );
            let typed = self.arguments.instead.typed(&self.arguments.sweep);
            outln!("`nerarch-dse merge {typed}` joins the shards when all are there");
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn sync(record: Option<RecordWriter>) -> Result<(), Failure> {
    match record {
        Some(mut record) => {
            let path = record.path().to_path_buf();
            record.sync().map_err(|source| Failure::Write { path, source })
        }
        None => Ok(()),
    }
}

/// What differs from run to run.
pub fn runtime(threads: usize, seconds: f64, evaluated: u64) -> Runtime {
    Runtime {
        threads,
        seconds,
        points_per_second: if seconds > 0.0 { evaluated as f64 / seconds } else { 0.0 },
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// Writes the results of a whole run, publishes its folder and prints the summary. The record stays only while it is of
/// use: for evaluating failed points again.
pub fn finish(
    ready: &Ready,
    folder: &RunFolder,
    files: ResultFiles<'_>,
    summary: &Summary,
    sweep: &str,
    runtime: Runtime,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let Ready { study, plan, space, identity, .. } = ready;
    let (cloud, sensitivity) = files.finish()?;
    let reference = results::reference(plan, summary);
    let seconds = runtime.seconds;
    let manifest = results::write(folder, ready, (summary, &cloud, reference.as_ref()), sweep, runtime)?;
    if let Some(sensitivity) = &sensitivity {
        results::write_effects(folder, ready, sensitivity)?;
    }
    let refined = refine::refine(ready, summary)?;
    if let Some(refined) = &refined {
        folder.write("refined.csv", refined.csv())?;
    }
    results::write_identity(folder, identity)?;
    folder.drop_useless_record()?;
    let target = folder.publish()?;
    if !quiet {
        let files = target.display().to_string();
        out!("{}", summary::render(study, plan, space, summary, reference.as_ref(), &files, seconds));
        out!("{}", marks::text(ready, summary));
        out!("{}", dead_knobs(&manifest.dead_knobs));
        out!("{}", beyond_tables(manifest.extrapolated.as_ref(), summary.front.len()));
        out!("{}", refined.map_or_else(String::new, |refined| refined.text(plan)));
        out!("{}", sensitivity.map_or_else(String::new, |sensitivity| effects::text(ready, &sensitivity)));
    }
    Ok(if summary.feasible == 0 { ExitCode::from(NOTHING_FEASIBLE) } else { ExitCode::SUCCESS })
}
