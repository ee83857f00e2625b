//! Area and power that units and SRAM blocks share.

use super::process::scaled;
use crate::spec::expr::Function;
use crate::spec::figure::Share;
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

/// A stated figure of all instances times a factor of the process; `Some(None)` where the file states none, `None` where it
/// is faulty.
pub fn compile_share(
    scope: &mut Scope<'_>,
    share: Option<&Share>,
    instances: NodeId,
    factor: f64,
    what: &str,
) -> Option<Option<NodeId>> {
    let Some(share) = share else { return Some(None) };
    let value = scope.compile(&share.quantity, what, &[])?;
    let value = scope.at_least(value, 0.0, &share.quantity.span, what);
    let value = if share.each { scope.graph.binary(Function::Mul, value, instances) } else { value };
    Some(Some(scaled(scope, value, factor)))
}
