//! Where operators stand on the roofline of the hardware they run on (Williams et al., CACM 52(4), 2009).

use super::ir::ScheduledIr;
use crate::ppa::breakdown::{Bound, OperatorShare};

/// An operator's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// FLOPs per byte to and from DRAM; `None` without either.
    pub intensity: Option<f64>,
    /// FLOPs per second that it reaches while its unit works on it.
    pub flops_per_s: f64,
}

impl Placed {
    /// The place of an operator at a clock.
    pub fn of(operator: &OperatorShare, clock_mhz: f64) -> Self {
        let dram = operator.memory.iter().filter(|memory| memory.port.memory == "dram");
        let bytes: f64 = dram.map(|memory| memory.read_bytes + memory.written_bytes).sum();
        let flops = operator.flops.unwrap_or(0.0);
        let seconds = operator.busy_cycles / (clock_mhz * 1e6);
        Self {
            intensity: (bytes > 0.0 && flops > 0.0).then(|| flops / bytes),
            flops_per_s: if seconds > 0.0 { flops / seconds } else { 0.0 },
        }
    }
}

/// What an operator waits for most, in words.
pub(super) fn bound_words(bound: &Bound) -> String {
    match bound {
        Bound::Compute => "compute".into(),
        Bound::Memory(port) if port.direction == "both" => port.memory.to_uppercase(),
        Bound::Memory(port) => format!("{} {}", port.memory, port.direction),
    }
}

/// The share of the schedule for which an operator's unit works on it.
pub(super) fn share_of_time(ir: &ScheduledIr, operator: &OperatorShare) -> f64 {
    operator.busy_cycles / ir.schedule.makespan_cycles
}
