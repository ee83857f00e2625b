//! Units.

use super::block::{Power, TotalArea, compile_area, compile_power};
use crate::spec::expr::Function;
use crate::spec::hardware::{Assign, RateDecl, UnitDecl};
use crate::spec::program::NodeId;
use crate::spec::scope::{Scope, Typed};

/// Most groups of a unit.
pub const MAX_GROUPS: usize = 256;

/// A unit at a design point.
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Instances in all.
    pub instances: NodeId,
    /// Groups that take whole tiles.
    pub groups: NodeId,
    /// Instances of one group.
    pub lanes: NodeId,
    /// How tiles go to groups.
    pub assign: Assign,
    /// Pipeline depth in cycles.
    pub latency_cycles: NodeId,
    /// Area of all instances, mm2.
    pub area_mm2: TotalArea,
    /// Power of all instances.
    pub power: Power,
    /// Throughput as declared.
    pub rate: RateDecl,
}

/// Compiles a unit; `None` if it is faulty.
pub fn compile_unit(scope: &mut Scope<'_>, decl: &UnitDecl) -> Option<Unit> {
    let what = format!("unit `{}`", decl.name);
    let instances = scope.compile_count(&decl.instances, &format!("instances of {what}"), 1.0, None)?;
    let groups = scope.compile_count(&decl.groups, &format!("groups of {what}"), 1.0, Some(MAX_GROUPS as f64))?;
    let lanes = scope.graph.binary(Function::Div, instances, groups);
    let lanes = scope.whole(lanes, &decl.groups.span, &format!("instances per group of {what}"));
    let latency = scope.compile(&decl.latency_cycles, &format!("latency of {what}"), &[])?;
    let latency_cycles = scope.at_least(latency, 0.0, &decl.latency_cycles.span, &format!("latency of {what}"));
    let area_mm2 = compile_area(scope, decl.area.as_ref(), instances, &what);
    let power = compile_power(scope, decl.power.as_ref(), decl.idle, instances, &what);
    Some(Unit {
        name: decl.name.clone(),
        instances,
        groups,
        lanes,
        assign: decl.assign,
        latency_cycles,
        area_mm2: area_mm2?,
        power: power?,
        rate: decl.rate.clone(),
    })
}

impl Unit {
    /// Names that hold in the unit's `cycles` expression: `lanes` working on one tile, `instances`, `groups`.
    pub fn locals(&self, lanes: NodeId) -> Vec<(String, Typed)> {
        [("lanes", lanes), ("instances", self.instances), ("groups", self.groups)]
            .map(|(name, node)| (name.to_owned(), Typed::number(node)))
            .to_vec()
    }
}
