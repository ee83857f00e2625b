//! Which units of a hardware can execute an operator, as far as the declarations say, and why the others cannot.
//!
//! A unit is able if it executes the operator's kind or category in its pass, counts its throughput in something that the
//! kind counts, and is bound to the memories of the operator's traffic.

use super::hardware::{HardwareDecl, RateDecl, UnitDecl};
use super::kind::KindDecl;
use super::pipeline::{Direction, OperatorDecl, TrafficDecl};

/// The memory outside the chip, as pipelines name it.
const DRAM: &str = "dram";

/// The units for one operator.
pub struct Ability {
    /// Indices of the able ones.
    pub able: Vec<usize>,
    /// Of every other one its name and why it was refused.
    pub refusals: Vec<String>,
}

/// What is able to execute an operator of `kind` whose traffic is among `traffic`; `mapping` names its unit if the pipeline
/// does.
pub fn of(
    hardware: &HardwareDecl,
    operator: &OperatorDecl,
    kind: &KindDecl,
    traffic: &[TrafficDecl],
    mapping: Option<&str>,
) -> Ability {
    let mut ability = Ability { able: Vec::new(), refusals: Vec::new() };
    for (index, unit) in hardware.units.iter().enumerate() {
        let refusal = match mapping {
            Some(chosen) if chosen != unit.name => Some(format!("[mapping] gives `{}` to `{chosen}`", operator.name)),
            _ => refuse_kind(unit, operator, kind).or_else(|| refuse_traffic(unit, operator, traffic, hardware)),
        };
        match refusal {
            Some(reason) => ability.refusals.push(format!("`{}`: {reason}", unit.name)),
            None => ability.able.push(index),
        }
    }
    ability
}

/// Why a unit cannot do the operator's work.
pub fn refuse_kind(unit: &UnitDecl, operator: &OperatorDecl, kind: &KindDecl) -> Option<String> {
    if !unit.executes.iter().any(|(word, _)| *word == kind.name || *word == kind.category) {
        let list: Vec<&str> = unit.executes.iter().map(|(word, _)| word.as_str()).collect();
        return Some(format!("executes {}", list.join(", ")));
    }
    if !unit.passes.contains(&operator.pass) {
        let list: Vec<&str> = unit.passes.iter().map(|pass| pass.name()).collect();
        return Some(format!("runs {} only, but this is the {} pass", list.join(" and "), operator.pass.name()));
    }
    let counts = || {
        let own = kind.counts_of(operator.pass);
        let beyond = operator.stated.iter().filter(|(name, _, _)| !own.iter().any(|(count, _, _)| count == name));
        own.iter().chain(beyond).map(|(name, _, _)| name.as_str())
    };
    if let RateDecl::Item { item, .. } = &unit.rate
        && !counts().any(|count| count == item)
    {
        let counts: Vec<&str> = counts().collect();
        return Some(format!("works at a rate in `{item}`, but `{}` counts {}", kind.name, counts.join(", ")));
    }
    if let RateDecl::Array = &unit.rate
        && kind.gemms.is_empty()
    {
        return Some(format!("its array does matrix products, and kind `{}` has none", kind.name));
    }
    if let RateDecl::Element(_) = &unit.rate
        && kind.gemms.is_empty()
        && ["input", "output"].iter().any(|name| !counts().any(|count| count == *name))
    {
        return Some(format!(
            "its processing element does matrix products and element-wise work, but kind `{}` has no products and counts \
             no `input` and `output`",
            kind.name
        ));
    }
    None
}

/// Why a unit cannot reach the operator's memories.
fn refuse_traffic(
    unit: &UnitDecl,
    operator: &OperatorDecl,
    traffic: &[TrafficDecl],
    hardware: &HardwareDecl,
) -> Option<String> {
    let own = traffic.iter().filter(|stream| stream.operator.0 == operator.name);
    let mut blocks = own.filter(|stream| hardware.srams.iter().any(|block| block.name == stream.memory.0));
    blocks.find(|stream| !is_bound(unit, stream)).map(|stream| {
        let word = if stream.direction == Direction::Read { "reads" } else { "writes" };
        let name = &stream.memory.0;
        format!("`{}` needs SRAM block `{name}`, which is not in the unit's `{word}`", operator.name)
    })
}

/// Whether the unit reaches the stream's memory; DRAM is there for all.
pub fn is_bound(unit: &UnitDecl, stream: &TrafficDecl) -> bool {
    let bound = if stream.direction == Direction::Read { &unit.reads } else { &unit.writes };
    stream.memory.0 == DRAM || bound.iter().any(|(known, _)| *known == stream.memory.0)
}
