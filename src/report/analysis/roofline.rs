//! Where operators stand on the roofline of the hardware they run on (Williams et al., CACM 52(4), 2009).

use super::ir::ScheduledIr;
use crate::ppa::breakdown::{Bound, OperatorShare};
use crate::ppa::roofline::{OperatorPoint, Roofline};
use crate::report::figure::{self, FigureError};

/// The roofline as a picture; `None` if no operator has a place on it.
///
/// # Errors
/// If drawing fails.
pub fn roofline_svg(ir: &ScheduledIr) -> Result<Option<String>, FigureError> {
    let mut roofline = Roofline::from(&ir.ppa);
    roofline.workload = "Each operator alone on its unit and ports".into();
    if !roofline.operators.iter().any(OperatorPoint::has_place) {
        return Ok(None);
    }
    figure::roofline_svg(&roofline, &format!("{} on {}", ir.workload.name, ir.hardware.name)).map(Some)
}

/// An operator's place, and how near it comes to it.
pub(super) struct Reached {
    /// FLOPs per byte of its busiest port; `None` without either.
    pub flop_per_byte: Option<f64>,
    /// FLOPs per second while its unit works on it; `None` without FLOPs.
    pub flops_per_s: Option<f64>,
    /// The same over what its unit and its ports would allow it alone, from 0 to 1.
    pub of_roof: Option<f64>,
}

/// The places of all operators, in their order.
pub(super) fn reached(ir: &ScheduledIr) -> Vec<Reached> {
    let roofline = Roofline::from(&ir.ppa);
    let one = |(operator, point): (&OperatorShare, &OperatorPoint)| {
        let seconds = operator.busy_cycles / (ir.ppa.clock_mhz * 1e6);
        let flops_per_s = (point.flops > 0.0).then(|| point.flops / seconds).filter(|rate| rate.is_finite());
        let roof = Some(point.attainable_gflop_per_s() * 1e9).filter(|roof| *roof > 0.0 && roof.is_finite());
        Reached {
            flop_per_byte: Some(point.flop_per_byte).filter(|intensity| *intensity > 0.0 && intensity.is_finite()),
            flops_per_s,
            of_roof: flops_per_s.zip(roof).map(|(reached, roof)| reached / roof).filter(|share| share.is_finite()),
        }
    };
    ir.ppa.operators.iter().zip(&roofline.operators).map(one).collect()
}

/// What an operator waits for most, in words.
pub(super) fn bound_words(bound: &Bound) -> String {
    match bound {
        Bound::Compute => "compute".into(),
        Bound::Memory(port) if port.direction == "both" => port.memory.replace("dram", "DRAM"),
        Bound::Memory(port) => format!("{} {}", port.memory, port.direction),
    }
}

/// The share of the schedule for which an operator's unit works on it.
pub(super) fn share_of_time(ir: &ScheduledIr, operator: &OperatorShare) -> f64 {
    operator.busy_cycles / ir.schedule.makespan_cycles
}
