//! The parts of a point.

use serde::{Deserialize, Serialize};

use crate::spec::figure::{Provenance, Range};

/// One point on one workload, taken apart. Energies are of one frame (or training iteration).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breakdown {
    /// Scene and camera.
    pub workload: String,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// Length of the schedule.
    pub latency_cycles: f64,
    /// Length that no schedule can beat.
    pub lower_bound_cycles: f64,
    /// Length of the schedule in ms.
    pub latency_ms: f64,
    /// Energy within the boundary.
    pub energy_mj: f64,
    /// Energy over latency.
    pub power_mw: f64,
    /// Area within the boundary.
    pub area_mm2: f64,
    /// What the metrics include: `core`, `dram`, `phy`.
    pub boundary: Vec<String>,
    /// The unit with the most work, or `dram`.
    pub bottleneck: String,
    /// Operators, producers before consumers.
    pub operators: Vec<OperatorShare>,
    /// Units in the order of the hardware file.
    pub units: Vec<UnitShare>,
    /// SRAM blocks in the order of the hardware file.
    pub srams: Vec<SramShare>,
    /// Off-chip memory, if the hardware has one.
    pub dram: Option<DramShare>,
}

/// One operator on its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorShare {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The family of its kind.
    pub category: String,
    /// `forward` or `backward`.
    pub pass: String,
    /// Index of the unit that executes it at this point.
    pub unit: usize,
    /// Name of the unit.
    pub unit_name: String,
    /// Instances of the unit.
    pub instances: f64,
    /// Groups of the unit: how many tiles it works on at a time.
    pub groups: f64,
    /// Tiles; 1 for an operator on the whole frame.
    pub tiles: f64,
    /// When its first tile starts.
    pub start_cycles: f64,
    /// When its last result is there.
    pub end_cycles: f64,
    /// Cycles that its compute alone keeps the whole unit busy.
    pub compute_cycles: f64,
    /// Cycles that it occupies the whole unit, waiting for memories included.
    pub busy_cycles: f64,
    /// Cycles from the end of a tile's work until its result is there.
    pub latency_cycles: f64,
    /// What takes longest for it.
    pub bound: Bound,
    /// Traffic, by port.
    pub memory: Vec<MemoryUse>,
    /// Floating-point operations of the frame, if its kind counts them.
    pub flops: Option<f64>,
    /// Multiply-adds of the frame, if its kind counts them.
    pub macs: Option<f64>,
    /// Work items of the frame: name, count.
    pub items: Option<(String, f64)>,
}

/// What an operator waits for most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Its unit's throughput.
    Compute,
    /// The port of a memory, at its share of the bandwidth.
    Memory(PortName),
}

/// A memory port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortName {
    /// `dram` or the name of an SRAM block.
    pub memory: String,
    /// `read`, `write`, or `both`: the DRAM channel serves both directions.
    pub direction: String,
}

/// Traffic of an operator at a port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryUse {
    /// The port.
    pub port: PortName,
    /// What it carries: names of the streams of traffic.
    pub carries: Vec<String>,
    /// Bytes of the frame that are read.
    pub read_bytes: f64,
    /// Bytes of the frame that are written.
    pub written_bytes: f64,
    /// Cycles of the frame that the transfers take with the whole port.
    pub cycles: f64,
    /// Cycles of the frame that they take with the operator's share of it, over the unit's groups.
    pub shared_cycles: f64,
}

/// A figure of the hardware with where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced {
    /// False: the hardware file gives no such figure and it counts as 0.
    pub given: bool,
    /// `published`, `derived`, `calibrated`, `assumed`; none if the file does not say.
    pub basis: Option<String>,
    /// Paper and table.
    pub source: Option<String>,
    /// Lowest and highest plausible value.
    pub range: Option<[f64; 2]>,
    /// The same as multiples of the value, where that moves with other names.
    pub factor: Option<[f64; 2]>,
}

impl Sourced {
    /// The origin of a figure; `None`: there is none.
    pub(super) fn of(provenance: Option<&Provenance>) -> Self {
        provenance.map_or_else(Self::default, |provenance| Self {
            given: true,
            basis: provenance.basis.map(|basis| basis.name().to_owned()),
            source: provenance.source.clone(),
            range: provenance.range.and_then(|range| match range {
                Range::Absolute(ends) => Some(ends),
                Range::Factor(_) => None,
            }),
            factor: provenance.range.and_then(|range| match range {
                Range::Absolute(_) => None,
                Range::Factor(ends) => Some(ends),
            }),
        })
    }
}

/// What a unit and an SRAM block have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockShare {
    /// Its name.
    pub name: String,
    /// Area of all instances.
    pub area_mm2: f64,
    /// Where the area comes from.
    pub area: Sourced,
    /// Dynamic energy of the frame.
    pub dynamic_mj: f64,
    /// Leakage of the frame.
    pub leakage_mj: f64,
    /// Where the power comes from.
    pub power: Sourced,
    /// What the dynamic figure contains besides switching: `leakage`, `sram`, `clock_tree`.
    pub power_includes: Vec<String>,
    /// Cycles of the frame that it works.
    pub busy_cycles: f64,
    /// Those over the length of the schedule.
    pub utilization: f64,
}

/// A unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitShare {
    /// Area, energy, utilization.
    pub block: BlockShare,
    /// Instances in all.
    pub instances: f64,
    /// Groups that take whole tiles.
    pub groups: f64,
    /// Where its throughput comes from.
    pub rate: Sourced,
    /// SRAM blocks that it reads.
    pub reads: Vec<String>,
    /// SRAM blocks that it writes.
    pub writes: Vec<String>,
}

/// An SRAM block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SramShare {
    /// Area, energy, utilization: working while the busiest of its units is.
    pub block: BlockShare,
    /// Bytes read.
    pub read_bytes: f64,
    /// Bytes written.
    pub written_bytes: f64,
    /// Energy of those accesses.
    pub access_mj: f64,
    /// Where the energy of a byte comes from.
    pub access: Sourced,
    /// Cycles that the busier of its ports transfers.
    pub port_cycles: f64,
}

/// The DRAM.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramShare {
    /// Part name.
    pub part: String,
    /// Peak bandwidth, 10^9 bytes per second.
    pub peak_gb_per_s: f64,
    /// Where the bandwidth comes from.
    pub bandwidth: Sourced,
    /// Bytes read.
    pub read_bytes: f64,
    /// Bytes written.
    pub written_bytes: f64,
    /// Cycles that the channel transfers, at the efficiency of each pattern.
    pub busy_cycles: f64,
    /// Traffic over what the peak could move in the frame's time.
    pub utilization: f64,
    /// Energy of the accesses.
    pub access_mj: f64,
    /// Where the energy of a bit comes from.
    pub access: Sourced,
    /// Energy of the background power.
    pub background_mj: f64,
    /// Where the background power comes from.
    pub background: Sourced,
    /// Whether both count in the point's energy.
    pub energy_in_boundary: bool,
    /// Area of the interface on the chip.
    pub phy_area_mm2: f64,
    /// Where that area comes from.
    pub phy_area: Sourced,
    /// Whether it counts in the point's area.
    pub phy_in_boundary: bool,
}
