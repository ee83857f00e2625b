//! `mapped_ir.json` and `scheduled_ir.json`.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::check;
use crate::ppa::breakdown::{Breakdown, MemoryUse};
use crate::schedule::Interval;
use crate::spec::source::Origin;
use crate::spec::workload::Workload;
use crate::spec::{Diagnostic, Source, Span};

/// Version of both formats.
pub const VERSION: u32 = 1;
/// What a mapped IR calls itself.
pub const MAPPED_FORMAT: &str = "nerarch-dse/mapped-ir";
/// What a scheduled IR calls itself.
pub const SCHEDULED_FORMAT: &str = "nerarch-dse/scheduled-ir";

/// The hardware that an IR is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HardwareRef {
    /// What finds its file: a name or a path.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Technology node.
    pub node_nm: f64,
    /// Where its figures come from, those apart that name a source of their own.
    pub source: Option<String>,
}

/// Operators bound to units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedIr {
    /// [`MAPPED_FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The hardware.
    pub hardware: HardwareRef,
    /// Operators with shapes, taxonomy, counts and the unit of each; dependencies and traffic.
    pub workload: Workload,
    /// What each operator takes of its unit and of the memories, in the order of the schedule.
    pub resources: Vec<Resource>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// What an operator takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The operator.
    pub operator: String,
    /// Its unit.
    pub unit: String,
    /// Instances of the unit.
    pub instances: f64,
    /// Groups of the unit: how many tiles it works on at a time.
    pub groups: f64,
    /// Cycles that its compute alone keeps the whole unit busy.
    pub compute_cycles: f64,
    /// Traffic by memory port.
    pub memory: Vec<MemoryUse>,
}

/// Operators in time, and what they cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledIr {
    /// [`SCHEDULED_FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The hardware.
    pub hardware: HardwareRef,
    /// As in the mapped IR.
    pub workload: Workload,
    /// When and where.
    pub schedule: ScheduleIr,
    /// Performance, power and area, with the basis of each figure.
    pub ppa: Breakdown,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// The schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleIr {
    /// Its length.
    pub makespan_cycles: f64,
    /// Operators, producers first.
    pub operators: Vec<ScheduledOperator>,
    /// Stretches of work; `stage` is an index into `operators`.
    pub intervals: Vec<Interval>,
    /// Stretches that were left out to keep the file small.
    pub omitted_intervals: usize,
    /// Width of the bins of `units` and `ports`.
    pub bin_cycles: f64,
    /// How busy each unit is over time.
    pub units: Vec<UnitActivity>,
    /// What passes each memory port over time.
    pub ports: Vec<PortBytes>,
}

/// An operator in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledOperator {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Groups of the unit that worked on it; empty: all of them at once.
    pub instance: Vec<usize>,
    /// Start of its first tile.
    pub start_cycles: f64,
    /// From there until its last result.
    pub duration_cycles: f64,
    /// Bytes moved, by memory port.
    pub data_movement: Vec<MemoryUse>,
    /// Optimization techniques in force for it, in the order in which they apply.
    pub applied_optimizations: Vec<AppliedOptimization>,
}

/// What a technique leaves of an operator: shares in (0, 1], over the whole frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedOptimization {
    /// The technique.
    pub technique: String,
    /// How it saves: `reuse skip low-bit`.
    #[serde(rename = "type")]
    pub saving: String,
    /// Share of the compute.
    pub s_comp: f64,
    /// Share of the bytes that the technique is about.
    pub r_bytes: f64,
    /// Share of the dynamic energy of a cycle.
    pub energy: f64,
}

/// How busy a unit is over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitActivity {
    /// The unit.
    pub unit: String,
    /// Share of its groups that are occupied, by bin, from 0 to 1.
    pub occupied: Vec<f64>,
    /// Share of its groups that compute and do not wait for a memory.
    pub computing: Vec<f64>,
}

/// What passes a memory port over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortBytes {
    /// `dram` or an SRAM block.
    pub memory: String,
    /// `read`, `write` or `both`.
    pub direction: String,
    /// Bytes by bin.
    pub bytes: Vec<f64>,
}

impl MappedIr {
    /// Reads a mapped IR; `name` is its file.
    ///
    /// # Errors
    /// If it is no JSON, lacks or has unknown keys, is of another format or version, or holds what no trace has: where,
    /// and what to do.
    pub fn from_json(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let ir: Self = parse(name, text, "map")?;
        check_format(name, (&ir.format, ir.version), MAPPED_FORMAT, "map")?;
        let fault = check::workload(&ir.workload).and_then(|()| check::numbers(text));
        fault.map_err(|fault| fault.diagnostic(name, "map"))?;
        Ok(ir)
    }
}

impl ScheduledIr {
    /// Reads a scheduled IR; `name` is its file.
    ///
    /// # Errors
    /// If it is no JSON, lacks or has unknown keys, is of another format or version, or its parts do not belong together.
    pub fn from_json(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let ir: Self = parse(name, text, "schedule")?;
        check_format(name, (&ir.format, ir.version), SCHEDULED_FORMAT, "schedule")?;
        let fault = check::scheduled(&ir).and_then(|()| check::numbers(text));
        fault.map_err(|fault| fault.diagnostic(name, "schedule"))?;
        Ok(ir)
    }
}

fn parse<T: DeserializeOwned>(name: &str, text: &str, command: &str) -> Result<T, Diagnostic> {
    serde_json::from_str(text).map_err(|error| {
        let origin = Origin::File(name.into());
        let source = Arc::new(Source { name: name.to_owned(), text: text.to_owned(), origin });
        let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = line_start + error.column().saturating_sub(1);
        // The place is shown; the message need not repeat it.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let help = format!("`nerarch-dse {command}` writes this file; its JSON Schema is in schemas/");
        Diagnostic::new(&Span::new(&source, at..at + 1), message).help(help)
    })
}

fn check_format(name: &str, found: (&str, u32), wanted: &str, command: &str) -> Result<(), Diagnostic> {
    let (format, version) = found;
    if format != wanted {
        let message = format!("`{name}` at /format: this is \"{format}\", not \"{wanted}\"");
        return Err(Diagnostic::placeless(message).help(format!("`nerarch-dse {command}` writes the file wanted here")));
    }
    if version != VERSION {
        let message = format!("`{name}` at /version: version {version} is not known, this program reads {VERSION}");
        return Err(Diagnostic::placeless(message).help(format!("write it anew with `nerarch-dse {command}`")));
    }
    Ok(())
}
