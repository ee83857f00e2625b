//! The manifest: what a run was made of, enough to run it again.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::technique::{self, TechniqueRecord};
use crate::explore::beyond::{Beyond, beyond_tables};
use crate::explore::dead::{DeadKnob, dead_knobs};
use crate::explore::exact::Certificate;
use crate::explore::{Space, Summary};
use crate::ppa::{Axis, Plan};
use crate::spec::Study;

/// Version of the manifest's format.
pub const FORMAT: u32 = 1;

/// A run as its folder describes it. All but `runtime` is the same whenever the inputs are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] of the program that wrote it.
    pub format: u32,
    /// The run.
    pub name: String,
    /// The program and its version.
    pub program: String,
    /// The command that runs it again.
    pub command: String,
    /// Every file that was read, with the SHA-256 of its text.
    pub inputs: Vec<Input>,
    /// Search strategy.
    pub strategy: String,
    /// Seed of everything random.
    pub seed: u64,
    /// How objectives join workloads.
    pub aggregate: String,
    /// Optimization techniques with their factors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optimizations: Vec<TechniqueRecord>,
    /// Axes and their values as written.
    pub axes: Vec<AxisRecord>,
    /// Scenes and cameras.
    pub workloads: Vec<WorkloadRecord>,
    /// Objectives.
    pub objectives: Vec<String>,
    /// What energy and power include.
    pub boundary: Vec<String>,
    /// Technology node in nm.
    pub node_nm: f64,
    /// What the hardware's figures were scaled to another node by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Points of the whole space, if 64 bits can number them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space_points: Option<u64>,
    /// Points evaluated.
    pub points: u64,
    /// Points that keep every constraint.
    pub feasible: u64,
    /// Points at which the model has no value.
    pub failed: u64,
    /// Points on the front.
    pub front: usize,
    /// Why a search ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Axes that move no time, no energy or no area.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead_knobs: Vec<DeadKnob>,
    /// Points whose memory figures a model extrapolates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrapolated: Option<Beyond>,
    /// What an exact search proves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// What differs from run to run.
    pub runtime: Runtime,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name; `stock:...` for one inside the program.
    pub name: String,
    /// Hash of its text.
    pub sha256: String,
}

/// An axis.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AxisRecord {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// A scene and camera.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkloadRecord {
    /// `scene` or `scene.camera`.
    pub name: String,
    /// `measured` by tile, or `equal` tiles: only totals are known, or the sweep says so.
    pub tiles: String,
}

/// What differs from run to run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Runtime {
    /// Threads.
    pub threads: usize,
    /// Seconds of evaluation and output.
    pub seconds: f64,
    /// Points per second.
    pub points_per_second: f64,
    /// Operating system and processor.
    pub platform: String,
}

/// Names and hashes of a study's files.
pub fn inputs(study: &Study) -> Vec<Input> {
    study
        .sources
        .iter()
        .map(|source| Input {
            name: source.name.clone(),
            sha256: Sha256::digest(source.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect(),
        })
        .collect()
}

/// The values of an axis as written; of a continuous one its ends.
fn values(axis: &Axis) -> Vec<String> {
    match (axis.is_continuous, &axis.labels[..]) {
        (true, [first, .., last]) => vec![format!("{first} to {last}")],
        (_, labels) => labels.to_vec(),
    }
}

impl Manifest {
    /// The manifest of a finished run.
    pub fn new(study: &Study, plan: &Plan, space: &Space, summary: &Summary, sweep: &str, runtime: Runtime) -> Self {
        Self {
            format: FORMAT,
            name: study.sweep.name.clone(),
            program: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            command: format!("nerarch-dse sweep {sweep}"),
            inputs: inputs(study),
            strategy: study.sweep.search.strategy.name().into(),
            seed: study.sweep.search.seed,
            aggregate: plan.aggregate.name().into(),
            optimizations: technique::records(study, plan),
            axes: plan.axes.iter().map(|axis| AxisRecord { name: axis.name.clone(), values: values(axis) }).collect(),
            workloads: plan
                .workloads
                .iter()
                .map(|workload| WorkloadRecord {
                    name: workload.name.clone(),
                    tiles: if workload.equal_tiles { "equal" } else { "measured" }.into(),
                })
                .collect(),
            objectives: plan.objectives.iter().map(|objective| objective.name.clone()).collect(),
            boundary: study.hardware.boundary.iter().map(|boundary| boundary.name().to_owned()).collect(),
            node_nm: study.hardware.node_nm,
            technology: plan.technology.clone(),
            space_points: space.is_enumerable().then(|| space.points()),
            points: summary.points,
            feasible: summary.feasible,
            failed: summary.failed,
            front: summary.front.len(),
            stop: summary.stop.map(|stop| stop.text().to_owned()),
            dead_knobs: dead_knobs(plan, space, &summary.front),
            extrapolated: beyond_tables(plan, space, &summary.front),
            certificate: summary.certificate.clone(),
            runtime,
        }
    }
}
