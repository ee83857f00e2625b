//! Area and power that units and SRAM blocks share.

use crate::spec::expr::Function;
use crate::spec::figure::{AreaFigure, PowerFigure, Share};
use crate::spec::hardware::Idle;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// Area of all instances in mm2.
pub type TotalArea = NodeId;

/// Power of all instances at the file's reference clock and voltage, in mW.
#[derive(Debug, Clone, Copy)]
pub struct Power {
    /// While working.
    pub dynamic_mw: NodeId,
    /// Always.
    pub leakage_mw: NodeId,
    /// What it burns without work.
    pub idle: Idle,
}

/// Area of all instances; 0 where the file gives none.
pub fn compile_area(
    scope: &mut Scope<'_>,
    figure: Option<&AreaFigure>,
    instances: NodeId,
    what: &str,
) -> Option<TotalArea> {
    compile_share(scope, figure.map(|figure| &figure.share), instances, &format!("area of {what}"))
}

/// Power of all instances; 0 where the file gives none.
pub fn compile_power(
    scope: &mut Scope<'_>,
    figure: Option<&PowerFigure>,
    idle: Idle,
    instances: NodeId,
    what: &str,
) -> Option<Power> {
    let dynamic = figure.and_then(|figure| figure.dynamic.as_ref());
    let leakage = figure.and_then(|figure| figure.leakage.as_ref());
    let dynamic_mw = compile_share(scope, dynamic, instances, &format!("power of {what}"));
    let leakage_mw = compile_share(scope, leakage, instances, &format!("leakage of {what}"));
    Some(Power { dynamic_mw: dynamic_mw?, leakage_mw: leakage_mw?, idle })
}

fn compile_share(scope: &mut Scope<'_>, share: Option<&Share>, instances: NodeId, what: &str) -> Option<NodeId> {
    let Some(share) = share else { return Some(scope.graph.constant(0.0)) };
    let value = scope.compile(&share.quantity, what, &[])?;
    let value = scope.at_least(value, 0.0, &share.quantity.span, what);
    Some(if share.each { scope.graph.binary(Function::Mul, value, instances) } else { value })
}
