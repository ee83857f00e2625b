//! `nerarch-dse slurm`

use std::path::PathBuf;
use std::process::ExitCode;

use super::Failure;
use super::study::{Instead, Ready};
use super::words::quoted;
use crate::explore::MAX_SHARDS;

/// What `slurm` was told.
#[derive(Debug, clap::Args)]
pub struct SlurmArguments {
    /// The sweep file, or the name of a stock sweep.
    sweep: String,
    #[command(flatten)]
    instead: Instead,
    /// Tasks of the job array.
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_SHARDS))]
    shards: u64,
    /// Cores of each task.
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cpus: u16,
    /// Time limit of each task, as Slurm writes it. A task that needs longer saves what it has and queues again.
    #[arg(long, default_value = "01:00:00", value_name = "TIME")]
    time: String,
    /// Folder that holds the runs; all nodes must see it.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
}

/// Prints the script of a job array.
pub fn run(arguments: &SlurmArguments) -> Result<ExitCode, Failure> {
    let sweeps = Ready::load(&arguments.sweep, &arguments.instead, false)?;
    if arguments.time.is_empty()
        || !arguments.time.chars().all(|letter| letter.is_ascii_digit() || ":-".contains(letter))
    {
        return Err(Failure::input(
            format!("`{}` is no time limit of Slurm", arguments.time),
            "write minutes, hours:minutes:seconds or days-hours:minutes:seconds, such as 01:00:00",
        ));
    }
    let names = sweeps.first().map(|ready| &ready.study.sweep);
    let name = names.map_or("", |sweep| sweep.family.as_deref().unwrap_or(&sweep.name));
    out!("{}", script(arguments, name));
    Ok(ExitCode::SUCCESS)
}

fn script(arguments: &SlurmArguments, name: &str) -> String {
    let SlurmArguments { shards, cpus, time, .. } = arguments;
    let out = quoted(&arguments.out.display().to_string());
    let sweep = arguments.instead.typed(&arguments.sweep);
    format!(
        r#"#!/bin/bash
# Evaluates {name} in {shards} shards. Submit it, and the merge behind it:
#   job=$(sbatch --parsable this-script.sh)
#   sbatch --dependency=afterok:$job --wrap "${{NERARCH_DSE:-nerarch-dse}} merge {sweep} --out {out}"
# A task that is killed, or whose node fails, goes on from its last saved block. To run some shards again, submit with
# `--array=3,7`: the number of shards is fixed below.
#SBATCH --job-name={name}
#SBATCH --array=1-{shards}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cpus}
#SBATCH --time={time}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={name}-%A_%a.log
#SBATCH --signal=B:TERM@60

"${{NERARCH_DSE:-nerarch-dse}}" sweep {sweep} --out {out} --shard "$SLURM_ARRAY_TASK_ID/{shards}" \
    --threads "${{SLURM_CPUS_PER_TASK:-1}}" &
child=$!
trap 'kill -TERM "$child"' TERM
wait "$child"
status=$?
# The signal ends the first wait; the second one gives the status of the program.
if [ "$status" -gt 128 ] && kill -0 "$child" 2>/dev/null; then
    wait "$child"
    status=$?
fi
# Interrupted and saved: queue again.
if [ "$status" -eq 130 ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
fi
exit "$status"
"#
    )
}
