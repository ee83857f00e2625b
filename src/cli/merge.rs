//! `nerarch-dse merge`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::folder::{RECORD, RunFolder};
use super::output::{ResultFiles, Session};
use super::previous::{self, Previous, listed};
use super::progress::Progress;
use super::study::{Instead, Ready};
use super::sweep::{after_all, finish, runtime, threads};
use super::{Failure, Saved, shard, signals};
use crate::explore::record::{Known, RecordReader};
use crate::explore::{End, Job, RunError, Shard, run as explore};
use crate::spec::{Diagnostic, Diagnostics};

/// Faulty shards that a message names.
const NAMED_SHARDS: usize = 12;

/// What `merge` was told.
#[derive(Debug, clap::Args)]
pub struct MergeArguments {
    /// The sweep file, or the name of a stock sweep.
    sweep: String,
    #[command(flatten)]
    instead: Instead,
    /// Folders of shards, or folders that hold them; --out if not given.
    folders: Vec<PathBuf>,
    /// Folder that holds the runs.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Number of threads; all cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace the results of that name.
    #[arg(long)]
    force: bool,
    /// No progress and no summary.
    #[arg(long, short)]
    quiet: bool,
}

/// Joins shards into the result of a single run.
pub fn run(arguments: &MergeArguments) -> Result<ExitCode, Failure> {
    let sweeps = Ready::load(&arguments.sweep, &arguments.instead, arguments.quiet)?;
    let stop = signals::stop_flag().map_err(RunError::from)?;
    let mut codes = Vec::new();
    for ready in &sweeps {
        codes.push(merge(arguments, ready, &stop)?);
    }
    after_all(&sweeps, &codes, &arguments.out, arguments.quiet)
}

fn merge(arguments: &MergeArguments, ready: &Ready, stop: &AtomicBool) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let name = &ready.study.sweep.name;
    let folder = RunFolder::lock(&arguments.out, name)?;
    if !arguments.force {
        match Previous::of(&folder, &ready.identity)? {
            Previous::None => {}
            Previous::Finished => {
                outln!("{name} is finished and its inputs are unchanged: {}", folder.target().display());
                return Ok(ExitCode::SUCCESS);
            }
            Previous::Part(_) => {
                return Err(Failure::input(
                    format!("`{}` is an unfinished run of the whole sweep", folder.work().display()),
                    "go on with it by `sweep`, or replace it with --force",
                ));
            }
        }
    }
    let known = Known::new(shards(arguments, ready)?, ready.layout.clone());
    folder.discard()?;
    folder.begin()?;
    let files = ResultFiles::create(&folder, &ready.plan, &ready.space, &ready.schema, &ready.study.sweep)?;
    let total = ready.identity.points;
    let progress = Progress::new(total, arguments.quiet);
    let mut session = Session { record: None, layout: &ready.layout, files: Some(files), progress, fresh: 0, taken: 0 };
    let threads = threads(arguments.threads);
    let job = Job { known: Some(&known), ..ready.job(threads, stop) };
    let end = explore(&job, &mut session);
    session.progress.clear();
    match (end, session.files) {
        (Ok(End::Complete(summary)), Some(files)) => {
            let runtime = runtime(threads, started.elapsed().as_secs_f64(), 0);
            let typed = arguments.instead.typed(&arguments.sweep);
            finish(ready, &folder, files, &summary, &typed, runtime, arguments.quiet)
        }
        (end, _) => {
            let work = folder.work();
            folder.discard()?;
            match end {
                Err(cause) => Err(Failure::Run(cause)),
                Ok(_) => Err(Failure::Interrupted(Saved { points: total, total, folder: work.with_file_name("") })),
            }
        }
    }
}

/// The records of all shards, checked: of this run, and every block in one of them.
fn shards(arguments: &MergeArguments, ready: &Ready) -> Result<Vec<RecordReader>, Failure> {
    let name = &ready.study.sweep.name;
    let folders = if arguments.folders.is_empty() { vec![arguments.out.clone()] } else { arguments.folders.clone() };
    let mut found = Vec::new();
    for folder in &folders {
        found.extend(shard::find(folder, name)?);
    }
    if found.is_empty() {
        let names: Vec<String> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
        return Err(Failure::input(
            format!("there are no shards of {name} in {}", names.join(", ")),
            format!("make them with `nerarch-dse sweep {} --shard 1/2` and so on", arguments.sweep),
        ));
    }
    let mut faults = Vec::new();
    let mut readers: Vec<(Shard, RecordReader)> = Vec::new();
    for (folder, shard) in found {
        let path = folder.join(RECORD);
        let reader = match previous::open(&path) {
            Ok(reader) => reader,
            Err(Failure::Input(Diagnostics(more))) => {
                let help = format!("run shard {shard} again, with --force, or leave `{}` out", folder.display());
                faults.extend(more.into_iter().map(|fault| fault.help(help.as_str())));
                continue;
            }
            Err(other) => return Err(other),
        };
        let changes = ready.identity.changes(&previous::read_identity(&path, reader.header())?);
        if changes.is_empty() {
            readers.push((shard, reader));
        } else {
            faults.push(
                Diagnostic::placeless(format!(
                    "`{}` has other inputs; changed: {}",
                    folder.display(),
                    listed(&changes)
                ))
                .help("run that shard again with these inputs, or merge with the sweep file that it was made from"),
            );
        }
    }
    if faults.is_empty() {
        faults.extend(missing(ready, &readers));
    }
    if !faults.is_empty() {
        return Err(Failure::Input(Diagnostics(faults)));
    }
    Ok(readers.into_iter().map(|(_, reader)| reader).collect())
}

/// What keeps the shards from being complete.
fn missing(ready: &Ready, readers: &[(Shard, RecordReader)]) -> Option<Diagnostic> {
    let blocks = ready.identity.blocks();
    let has = |block: &u64| readers.iter().any(|(_, reader)| reader.has(*block));
    let missing: Vec<u64> = (0..blocks).filter(|block| !has(block)).collect();
    if missing.is_empty() {
        return None;
    }
    // Most often all are parts of one division; then the parts can be named.
    let of = readers.iter().map(|(shard, _)| shard.of()).max().unwrap_or(1);
    let mut parts = Vec::new();
    for shard in (1..=of).filter_map(|number| Shard::new(number, of)) {
        let owned: Vec<u64> = shard.blocks(blocks).collect();
        let lost = owned.iter().filter(|block| missing.binary_search(block).is_ok()).count();
        if lost == owned.len() && lost > 0 {
            parts.push(format!("shard {shard} is not there"));
        } else if lost > 0 {
            parts.push(format!("shard {shard} is unfinished ({} of {} blocks)", owned.len() - lost, owned.len()));
        }
    }
    let more = parts.len().saturating_sub(NAMED_SHARDS);
    parts.truncate(NAMED_SHARDS);
    let tail = if more > 0 { format!("; and {more} more") } else { String::new() };
    let points = ready.identity.points_of(missing.iter().copied());
    Some(
        Diagnostic::placeless(format!("{points} points are missing: {}{tail}", parts.join("; ")))
            .help("run those with `sweep --shard`, or name the folders that hold them"),
    )
}
