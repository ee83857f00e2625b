//! The metrics of a design point.

use crate::spec::sweep::Goal;

/// A metric's name, unit and meaning.
#[derive(Debug, Clone, Copy)]
pub struct MetricInfo {
    /// Column name; the unit is its suffix where it has one.
    pub name: &'static str,
    /// How a figure labels it.
    pub label: &'static str,
    /// Which way is better; `None` where that is no question.
    pub goal: Option<Goal>,
    /// True if it is the same for every scene.
    pub common: bool,
    /// One sentence.
    pub doc: &'static str,
}

/// Every metric in the order of its column. `utilization.UNIT` columns follow.
pub const METRICS: [MetricInfo; 17] = [
    MetricInfo {
        name: "latency_ms",
        label: "latency (ms)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "time of one frame",
    },
    MetricInfo {
        name: "latency_cycles",
        label: "latency (cycles)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "length of the schedule",
    },
    MetricInfo {
        name: "lower_bound_cycles",
        label: "lower bound (cycles)",
        goal: None,
        common: false,
        doc: "length that no schedule of the same work can beat: critical path, busiest unit, DRAM",
    },
    MetricInfo {
        name: "fps",
        label: "frames per second",
        goal: Some(Goal::Maximise),
        common: false,
        doc: "1000 / latency_ms",
    },
    MetricInfo {
        name: "energy_mj",
        label: "energy per frame (mJ)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "energy of one frame within the hardware's boundary",
    },
    MetricInfo {
        name: "power_mw",
        label: "power (mW)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "energy over latency within the hardware's boundary",
    },
    MetricInfo {
        name: "core_power_mw",
        label: "core power (mW)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "average power of units and SRAM",
    },
    MetricInfo {
        name: "dram_power_mw",
        label: "DRAM power (mW)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "average power of the DRAM devices, whether or not the boundary includes them",
    },
    MetricInfo {
        name: "peak_power_mw",
        label: "peak power (mW)",
        goal: Some(Goal::Minimise),
        common: true,
        doc: "units and SRAM, all at the activity of their published figures and all ports full, at this clock; no DRAM",
    },
    MetricInfo {
        name: "area_mm2",
        label: "area (mm²)",
        goal: Some(Goal::Minimise),
        common: true,
        doc: "units, SRAM, and the memory interface if the boundary includes it",
    },
    MetricInfo {
        name: "edp",
        label: "energy x delay (mJ ms)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "energy_mj * latency_ms",
    },
    MetricInfo {
        name: "fps_per_mm2",
        label: "frames per second and mm²",
        goal: Some(Goal::Maximise),
        common: false,
        doc: "fps / area_mm2; 0 if the hardware states no area",
    },
    MetricInfo {
        name: "fps_per_w",
        label: "frames per second and W",
        goal: Some(Goal::Maximise),
        common: false,
        doc: "fps over power; 0 if the hardware states no power",
    },
    MetricInfo {
        name: "dram_gb",
        label: "DRAM traffic per frame (GB)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "10^9 bytes to and from DRAM in one frame",
    },
    MetricInfo {
        name: "spilled_gb",
        label: "spilled traffic per frame (GB)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "10^9 bytes to and from DRAM because working sets do not fit their SRAM blocks; part of dram_gb",
    },
    MetricInfo {
        name: "dram_utilization",
        label: "DRAM utilization",
        goal: None,
        common: false,
        doc: "traffic over what the peak bandwidth could move in the frame's time",
    },
    MetricInfo {
        name: "bottleneck",
        label: "bottleneck",
        goal: None,
        common: false,
        doc: "the unit or memory with the most work",
    },
];

/// Metrics of pipelines with carried edges; their columns follow those of the units.
pub const TRAINING: [MetricInfo; 5] = [
    MetricInfo {
        name: "iteration_cycles",
        label: "time per iteration (cycles)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "from one iteration to the next in the steady state: the maximum cycle ratio",
    },
    MetricInfo {
        name: "forward_cycles",
        label: "forward pass (cycles)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "from the start of an iteration until its last forward operator has ended",
    },
    MetricInfo {
        name: "backward_cycles",
        label: "backward pass (cycles)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "from the start of an iteration's first backward operator until its last has ended",
    },
    MetricInfo {
        name: "training_cycles",
        label: "training (cycles)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "all iterations, overlapping as far as carried edges, units, ports and buffers allow",
    },
    MetricInfo {
        name: "training_s",
        label: "training (s)",
        goal: Some(Goal::Minimise),
        common: false,
        doc: "time of all iterations",
    },
];

/// Metric of hardware that may ask models beyond their tables; its column is the last of the model's.
pub const EXTRAPOLATED: MetricInfo = MetricInfo {
    name: "extrapolated",
    label: "memories beyond the models' tables",
    goal: Some(Goal::Minimise),
    common: true,
    doc: "SRAM blocks, and the DRAM, whose figures a model extrapolates at this point",
};

/// What is known of a column's metric; `None` for `utilization.UNIT`.
pub fn info(name: &str) -> Option<&'static MetricInfo> {
    METRICS.iter().chain(&TRAINING).chain([&EXTRAPOLATED]).find(|metric| metric.name == name)
}

/// Index of a metric in [`METRICS`].
pub fn index_of(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}

/// The metric whose values are names, not numbers.
pub const BOTTLENECK: usize = METRICS.len() - 1;

/// The length of the schedule.
pub(super) const LATENCY_CYCLES: usize = 1;
