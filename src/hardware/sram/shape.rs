//! What an SRAM block looks like, apart from its capacity.

use super::SramError;
use std::str::FromStr;

/// Transistors of cells and periphery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Device {
    /// ITRS high performance: fast, and leaks.
    Hp,
    /// ITRS low standby power.
    Lstp,
}

impl FromStr for Device {
    type Err = SramError;

    fn from_str(text: &str) -> Result<Self, SramError> {
        match text {
            "hp" => Ok(Self::Hp),
            "lstp" => Ok(Self::Lstp),
            other => Err(SramError::UnknownDevice(other.to_owned())),
        }
    }
}

/// Ports of every bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ports {
    /// One port that reads or writes.
    OneReadWrite,
    /// A read port and a write port.
    OneReadOneWrite,
}

impl FromStr for Ports {
    type Err = SramError;

    fn from_str(text: &str) -> Result<Self, SramError> {
        match text {
            "1rw" => Ok(Self::OneReadWrite),
            "1r1w" => Ok(Self::OneReadOneWrite),
            other => Err(SramError::UnknownPorts(other.to_owned())),
        }
    }
}

/// A block without its capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SramShape {
    pub node_nm: u32,
    pub device: Device,
    pub ports: Ports,
    pub banks: u32,
    /// Bytes of one access to one bank.
    pub width_bytes: f64,
}

/// Where a value lies among the table's powers of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blend {
    low: f64,
    high: f64,
    /// Weight of `high`, by the logarithm.
    share: f64,
    /// How many times the largest value; 1 inside the table.
    pub beyond: f64,
    pub outside: bool,
}

impl Blend {
    /// Places `value` between neighbours in `known` (ascending).
    pub fn between(known: &[f64], value: f64) -> Self {
        let (first, last) = (known[0], known[known.len() - 1]);
        if value <= first || value >= last {
            let end = if value <= first { first } else { last };
            return Self { low: end, high: end, share: 0.0, beyond: (value / last).max(1.0), outside: value != end };
        }
        let above = known.partition_point(|&k| k <= value);
        let (low, high) = (known[above - 1], known[above]);
        Self { low, high, share: (value / low).ln() / (high / low).ln(), beyond: 1.0, outside: false }
    }

    /// Whether the value is none of the known ones, and among them.
    pub fn is_between(&self) -> bool {
        self.share > 0.0
    }

    /// The neighbours with their weights, which sum to 1.
    pub fn parts(&self) -> [(f64, f64); 2] {
        [(self.low, 1.0 - self.share), (self.high, self.share)]
    }
}
