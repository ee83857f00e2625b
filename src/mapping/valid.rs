//! Validity of units for operators, and the choice among valid ones.

use crate::hardware::{Unit, Work};
use crate::operator::{GemmCounts, Operator, Stream};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::expr::Function;
use crate::spec::hardware::RateDecl;
use crate::spec::kind::Pass;
use crate::spec::pipeline::OperatorDecl;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;
use crate::spec::{Study, ability, composite};

/// An operator on its unit.
pub struct Mapped {
    /// The valid units that compete, best declared first; never empty.
    pub candidates: Vec<usize>,
    /// Index of the winning unit at a point.
    pub unit: NodeId,
    /// Cycles of compute per tile on one group of the winner (streamed), else per frame on the whole unit.
    pub cycles: NodeId,
}

/// The units that can execute each operator; none for one that no unit can execute, which is reported, and for one that is
/// faulty in itself. Needs nothing but declarations, so that it says all that is wrong between a pipeline and a hardware.
pub fn find_candidates(scope: &Scope<'_>, study: &Study) -> Vec<Vec<usize>> {
    check_executes(scope, study);
    let units = || study.hardware.units.iter().map(|unit| unit.name.as_str());
    for (_, unit, span) in &study.pipeline.mapping {
        if !units().any(|known| known == unit) {
            scope.error(
                span,
                format!("[mapping] names unit `{unit}`, which hardware `{}` does not have", study.hardware.name),
                did_you_mean(unit, units()),
            );
        }
    }
    let candidates = study.pipeline.operators.iter().map(|decl| {
        able(study, decl).unwrap_or_else(|refusals| {
            scope.error(
                &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
                format!(
                    "no unit of hardware `{}` can execute operator `{}` ({})",
                    study.hardware.name, decl.name, decl.kind.0
                ),
                refusals,
            );
            Vec::new()
        })
    });
    candidates.collect()
}

/// Maps every operator to the best of its candidates; `None` if one has none.
pub fn map_operators(
    scope: &mut Scope<'_>,
    study: &Study,
    operators: &[Operator],
    candidates: Vec<Vec<usize>>,
    units: &[Unit],
    stream: Option<&Stream>,
) -> Option<Vec<Mapped>> {
    let pairs = operators.iter().zip(candidates);
    let mapped: Vec<Option<Mapped>> =
        pairs.map(|(operator, candidates)| map_operator(scope, study, operator, candidates, units, stream)).collect();
    mapped.into_iter().collect()
}

/// A word in `executes` that names nothing is a mistake.
fn check_executes(scope: &Scope<'_>, study: &Study) {
    let known = || {
        let kinds = study.kinds.iter().map(|kind| kind.name.as_str());
        kinds.chain(crate::spec::kind::CATEGORIES)
    };
    for (word, span) in study.hardware.units.iter().flat_map(|unit| &unit.executes) {
        if !known().any(|name| name == word) {
            scope.error(span, format!("`{word}` is no operator kind and no category"), did_you_mean(word, known()));
        }
    }
}

fn map_operator(
    scope: &mut Scope<'_>,
    study: &Study,
    operator: &Operator,
    candidates: Vec<usize>,
    units: &[Unit],
    stream: Option<&Stream>,
) -> Option<Mapped> {
    let mut best: Option<(NodeId, NodeId, NodeId)> = None;
    for &index in &candidates {
        let cycles = unit_cycles(scope, study, operator, &units[index])?;
        let cycles = scope.graph.binary(Function::Mul, cycles, operator.savings.s_comp);
        let work = whole_work(scope, operator, &units[index], cycles, stream);
        let unit = scope.graph.constant(index as f64);
        best = Some(match best {
            None => (unit, cycles, work),
            // Ties keep the unit that was declared first.
            Some((best_unit, best_cycles, best_work)) => {
                let faster = scope.graph.binary(Function::Lt, work, best_work);
                (
                    scope.graph.select(faster, unit, best_unit),
                    scope.graph.select(faster, cycles, best_cycles),
                    scope.graph.select(faster, work, best_work),
                )
            }
        });
    }
    best.map(|(unit, cycles, _)| Mapped { candidates, unit, cycles })
}

/// The units that can execute an operator, or of every unit why it cannot: for a composite, which no units can execute
/// stage by stage either, also of every stage. Operators without a kind, or whose kind has not the pass, have no units.
fn able(study: &Study, operator: &OperatorDecl) -> Result<Vec<usize>, String> {
    let kind = study.kinds.iter().find(|kind| kind.name == operator.kind.0);
    let Some(kind) = kind.filter(|kind| !kind.counts_of(operator.pass).is_empty()) else { return Ok(Vec::new()) };
    let pipeline = &study.pipeline;
    let unit = pipeline.mapping.iter().find(|(name, _, _)| *name == operator.name);
    let unit = unit.map(|(_, unit, _)| unit.as_str());
    let whole = ability::of(&study.hardware, operator, kind, &pipeline.traffic, unit);
    if !whole.able.is_empty() {
        return Ok(whole.able);
    }
    let mut refusals = whole.refusals;
    for stage in composite::stages(operator, &study.kinds) {
        let Some(kind) = study.kinds.iter().find(|kind| kind.name == stage.kind.0) else { continue };
        let ability = ability::of(&study.hardware, &stage, kind, &pipeline.traffic, unit);
        let able = ability.able.iter().map(|index| format!("`{}`: can", study.hardware.units[*index].name));
        refusals.push(format!("and its stage {}:", kind.name));
        refusals.extend(able.chain(ability.refusals));
    }
    Err(refusals.join("\n"))
}

/// Compute cycles of the operator on the unit: per tile on one group, or per frame on all instances.
fn unit_cycles(scope: &mut Scope<'_>, study: &Study, operator: &Operator, unit: &Unit) -> Option<NodeId> {
    let lanes = if operator.streamed { unit.lanes } else { unit.instances };
    let what = format!("cycles of operator `{}` on unit `{}`", operator.name, unit.name);
    match &unit.rate {
        RateDecl::Item { item, per_cycle, .. } => {
            let count = operator.unit_counts.get(item)?;
            let rate = scope.compile(per_cycle, &format!("rate of unit `{}`", unit.name), &[])?;
            let rate =
                scope.at_least(rate, f64::MIN_POSITIVE, &per_cycle.span, &format!("rate of unit `{}`", unit.name));
            let per_cycle = scope.graph.binary(Function::Mul, rate, lanes);
            Some(scope.graph.binary(Function::Div, count, per_cycle))
        }
        RateDecl::Array => {
            let array = unit.array.as_ref()?;
            let mut total = scope.graph.constant(0.0);
            for gemm in &operator.gemms {
                // The rows of the inputs divide among the arrays that work together.
                let share = scope.graph.binary(Function::Div, gemm.m, lanes);
                let rows = scope.graph.unary(Function::Ceil, share);
                let cycles = array.cycles(scope, [rows, gemm.n, gemm.k]);
                let cycles = scope.graph.binary(Function::Mul, cycles, gemm.times);
                total = scope.graph.binary(Function::Add, total, cycles);
            }
            Some(total)
        }
        RateDecl::Element(_) => {
            let eight = scope.graph.constant(8.0);
            let element_bytes = scope.graph.binary(Function::Div, operator.element_bits, eight);
            let work = element_work(scope, operator, lanes)?;
            unit.element.as_ref()?.cycles(scope, &work, element_bytes, study.sweep.timing, &what)
        }
        RateDecl::Cycles(figure) => {
            let mut locals = operator.unit_counts.locals();
            locals.extend(unit.locals(lanes));
            let cycles = scope.compile(&figure.quantity, &what, &locals)?;
            Some(scope.at_least(cycles, 0.0, &figure.quantity.span, &what))
        }
    }
}

/// What one of the processing elements that work together does for an operator; `None` if it is nothing for them.
fn element_work(scope: &mut Scope<'_>, operator: &Operator, lanes: NodeId) -> Option<Work> {
    let mut share = |count: NodeId| scope.graph.binary(Function::Div, count, lanes);
    if operator.gemms.is_empty() {
        let (input, output) = (operator.unit_counts.get("input")?, operator.unit_counts.get("output")?);
        let operations = operator.unit_counts.get("flops").unwrap_or(input);
        return Some(Work::Elements([input, operations, output].map(share)));
    }
    let layer = |gemm: &GemmCounts| {
        // The rows divide among the elements that work together.
        [share(gemm.m), gemm.k, gemm.n, gemm.times, gemm.prologue, gemm.epilogue]
    };
    // Of products of the same rows each block of rows can be worked off without the others. A gradient of weights sums over
    // all rows.
    let independent = operator.pass == Pass::Forward && operator.gemms.windows(2).all(|pair| pair[0].m == pair[1].m);
    Some(Work::Products { layers: operator.gemms.iter().map(layer).collect(), independent })
}

/// Cycles until the unit has done all tiles: what the throughputs of different units are compared by.
fn whole_work(
    scope: &mut Scope<'_>,
    operator: &Operator,
    unit: &Unit,
    cycles: NodeId,
    stream: Option<&Stream>,
) -> NodeId {
    match stream {
        Some(stream) if operator.streamed => {
            let total = stream.total(scope, cycles);
            scope.graph.binary(Function::Div, total, unit.groups)
        }
        _ => cycles,
    }
}
