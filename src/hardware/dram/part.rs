//! The named DRAM parts, and the simulated runs that their figures rest on.

use super::DramError;
use crate::hardware::builtin;

/// Where the bandwidths come from.
pub const SOURCE: &str = "DRAMsim3 (commit 2981759), cross-checked with Ramulator 1.0 in 18 runs";

const TEXT: &str = include_str!("../data/dram.csv");

/// A DRAM part: one channel's constants, from its timing table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DramPart {
    pub name: &'static str,
    /// Key of its energy per bit.
    pub family: &'static str,
    /// Peak bandwidth of one channel, in 10^9 bytes per second.
    pub channel_gb_per_s: f64,
    /// Shortest mean time between activations, max(tRRD_S, tFAW / 4): where the fit starts.
    pub(super) activate_ns: f64,
    /// Bytes of an open row: columns times bus width.
    pub(super) row_bytes: f64,
    /// Position in [`PARTS`].
    pub(super) index: usize,
}

/// All parts.
pub const PARTS: [DramPart; 5] = [
    DramPart {
        name: "LPDDR4-3200",
        family: "LPDDR4",
        channel_gb_per_s: 6.4,
        activate_ns: 10.0,
        row_bytes: 2048.0,
        index: 0,
    },
    DramPart {
        name: "LPDDR3-1600",
        family: "LPDDR3",
        channel_gb_per_s: 6.4,
        activate_ns: 12.5,
        row_bytes: 4096.0,
        index: 1,
    },
    DramPart {
        name: "DDR4-3200",
        family: "DDR4",
        channel_gb_per_s: 25.6,
        activate_ns: 5.3125,
        row_bytes: 8192.0,
        index: 2,
    },
    DramPart {
        name: "HBM2-2000-PC",
        family: "HBM2",
        channel_gb_per_s: 16.0,
        activate_ns: 4.0,
        row_bytes: 512.0,
        index: 3,
    },
    DramPart {
        name: "HBM2-2000-legacy",
        family: "HBM2",
        channel_gb_per_s: 32.0,
        activate_ns: 7.5,
        row_bytes: 1024.0,
        index: 4,
    },
];

/// The part of that name, upper or lower case.
///
/// # Errors
/// An unknown name, with all parts by likeness.
pub fn part(name: &str) -> Result<&'static DramPart, DramError> {
    if let Some(part) = PARTS.iter().find(|part| part.name.eq_ignore_ascii_case(name)) {
        return Ok(part);
    }
    let wanted = name.to_ascii_lowercase();
    let mut nearest: Vec<&'static str> = PARTS.iter().map(|part| part.name).collect();
    nearest.sort_by(|a, b| {
        let likeness = |part: &str| strsim::jaro_winkler(&wanted, &part.to_ascii_lowercase());
        likeness(b).total_cmp(&likeness(a))
    });
    Err(DramError::UnknownPart { name: name.to_owned(), nearest })
}

/// One simulated run.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub(super) struct Run {
    pub part: String,
    pub channels: u32,
    /// `stream_r`, `random_rw21`, `stride1024_r` ...
    pub pattern: String,
    pub request_bytes: f64,
    /// Per channel.
    pub outstanding: f64,
    pub efficiency: f64,
}

impl Run {
    /// The stride in bytes of a read-only strided run.
    pub fn stride(&self) -> Option<f64> {
        self.pattern.strip_prefix("stride")?.strip_suffix("_r")?.parse().ok()
    }
}

/// All runs of the built-in table, in file order.
pub(super) fn runs() -> Result<Vec<Run>, DramError> {
    builtin::rows(TEXT).map_err(DramError::BrokenTable)
}
