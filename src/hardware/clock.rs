//! The clock, the voltage that it needs, and what both do to power.

use super::process::{Process, scaled};
use crate::spec::expr::Function;
use crate::spec::hardware::ClockDecl;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// The clock of a design point.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// MHz.
    pub mhz: NodeId,
    /// The clock at which powers are stated, MHz.
    pub reference_mhz: NodeId,
    /// Lowest and highest clock of the operating points; `None` if every clock is allowed.
    pub limits_mhz: Option<(f64, f64)>,
    /// Factor on dynamic power against the reference: f V^2.
    pub dynamic_factor: NodeId,
    /// Factor on the energy of an operation against the reference: V^2.
    pub energy_factor: NodeId,
    /// Factor on leakage against the reference: V.
    pub leakage_factor: NodeId,
}

impl Clock {
    /// Compiles the clock; `None` if it is faulty.
    ///
    /// Dynamic power is proportional to `f V^2` (switched capacitance). Leakage is taken proportional to `V`: its
    /// current hardly changes over the narrow range of operating points (drain-induced barrier lowering left out).
    pub fn compile(scope: &mut Scope<'_>, decl: &ClockDecl, process: &Process) -> Option<Self> {
        let tiny = f64::MIN_POSITIVE;
        let mhz = scope.compile(&decl.mhz, "the clock", &[])?;
        let mhz = scope.at_least(mhz, tiny, &decl.mhz.span, "the clock");
        let reference = scope.compile(&decl.reference_mhz, "the reference clock", &[])?;
        let reference = scope.at_least(reference, tiny, &decl.reference_mhz.span, "the reference clock");
        // On another node the same voltage, as a share of the nominal one, gives another clock.
        let reference = scaled(scope, reference, process.clock());
        let points: Vec<(f64, f64)> = decl.points.iter().map(|(mhz, volts)| (mhz * process.clock(), *volts)).collect();
        let frequency = scope.graph.binary(Function::Div, mhz, reference);
        let one = scope.graph.constant(1.0);
        let (Some((low, _)), Some((high, _))) = (points.first(), points.last()) else {
            return Some(Self {
                mhz,
                reference_mhz: reference,
                limits_mhz: None,
                dynamic_factor: frequency,
                energy_factor: one,
                leakage_factor: one,
            });
        };
        let volts = interpolate(scope, mhz, &points);
        let reference_volts = interpolate(scope, reference, &points);
        let ratio = scope.graph.binary(Function::Div, volts, reference_volts);
        let square = scope.graph.binary(Function::Mul, ratio, ratio);
        let dynamic_factor = scope.graph.binary(Function::Mul, frequency, square);
        Some(Self {
            mhz,
            reference_mhz: reference,
            limits_mhz: Some((*low, *high)),
            dynamic_factor,
            energy_factor: square,
            leakage_factor: ratio,
        })
    }

    /// Cycles that `gb_per_s` (10^9 bytes per second) need for one byte.
    pub fn cycles_per_byte(&self, scope: &mut Scope<'_>, gb_per_s: NodeId) -> NodeId {
        let thousand = scope.graph.constant(1000.0);
        let bytes_per_microsecond = scope.graph.binary(Function::Mul, gb_per_s, thousand);
        scope.graph.binary(Function::Div, self.mhz, bytes_per_microsecond)
    }
}

/// Linear between the points, constant outside (where a constraint makes the point infeasible).
pub(super) fn interpolate(scope: &mut Scope<'_>, at: NodeId, points: &[(f64, f64)]) -> NodeId {
    let last = points.last().map_or(0.0, |(_, value)| *value);
    let mut value = scope.graph.constant(last);
    for pair in points.windows(2).rev() {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        let (x0_node, x1_node) = (scope.graph.constant(x0), scope.graph.constant(x1));
        let slope = scope.graph.constant((y1 - y0) / (x1 - x0));
        let base = scope.graph.constant(y0);
        let right_of = scope.graph.binary(Function::Max, at, x0_node);
        let distance = scope.graph.binary(Function::Sub, right_of, x0_node);
        let rise = scope.graph.binary(Function::Mul, distance, slope);
        let inside = scope.graph.binary(Function::Add, base, rise);
        let below = scope.graph.binary(Function::Lt, at, x1_node);
        value = scope.graph.select(below, inside, value);
    }
    value
}
