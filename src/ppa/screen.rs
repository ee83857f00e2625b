//! What constraints over parameters exclude, counted without evaluating the points.
//!
//! Such a constraint depends on few axes. Its expression alone is run on the combinations of those, and each combination
//! stands for as many points as the other axes have. Constraints that share axes are counted together, groups that share
//! none multiply, so the number of points that pass all of them is exact too.

use super::branches::Branches;
use super::plan::Plan;
use crate::spec::program::{NodeId, Place, Program, State};
use crate::spec::scope::Scope;

/// Most combinations of axis values that are run; more are not counted.
const MOST_COMBINATIONS: u64 = 2_000_000;

/// A constraint's expression on its own.
pub struct ScreenProgram {
    program: Program,
    place: Place,
    /// Bit `k`: it depends on axis `k`.
    axes: u64,
}

impl ScreenProgram {
    /// The program of `node` only.
    pub(super) fn new(
        scope: &Scope<'_>,
        node: NodeId,
        axes: usize,
        tiles: std::sync::Arc<crate::spec::program::TileTable>,
        binning: Option<NodeId>,
        passed: &std::collections::HashSet<NodeId>,
    ) -> Option<Self> {
        let program = Program::new(&scope.graph, axes, &[node], &[], &[], tiles, binning, passed);
        let place = program.place_of(node)?;
        Some(Self { program, place, axes: scope.graph.axes(node) })
    }
}

/// What a constraint over parameters excludes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// Index in [`Plan::constraints`].
    pub constraint: usize,
    /// The axes it depends on.
    pub axes: Vec<usize>,
    /// Points that it excludes on its own; `None`: too many combinations to count.
    pub excluded: Option<u64>,
}

/// What all constraints over parameters exclude.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Each on its own.
    pub each: Vec<Screened>,
    /// Points that pass all of them; `None`: too many combinations to count.
    pub passing: Option<u64>,
    /// Combinations of axis values that expressions were run on: the work.
    pub combinations: u64,
}

/// Counts what the constraints over parameters exclude in the whole space.
pub fn screen(plan: &Plan) -> Screen {
    let branches = Branches::new(&plan.axes);
    let points = match &branches {
        Some(branches) => branches.points(),
        None => plan.axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.values.len() as u64)),
    };
    let Some(points) = points else { return uncounted(plan) };
    // What decides where axes exist weighs every combination.
    let deciding = deciding(plan, branches.as_ref());
    let own: Vec<(usize, u64)> = (0..plan.constraints.len())
        .filter(|constraint| plan.constraints[*constraint].metric.is_none())
        .map(|constraint| (constraint, mask(plan, constraint)))
        .collect();
    let mut work = 0;
    let each = own
        .iter()
        .map(|(constraint, axes)| Screened {
            constraint: *constraint,
            axes: (0..plan.axes.len()).filter(|axis| axes >> axis & 1 == 1).collect(),
            excluded: passing(plan, &[*constraint], *axes | deciding, branches.as_ref(), &mut work)
                .map(|passing| points - passing),
        })
        .collect();
    // Groups of constraints that share axes.
    let mut groups: Vec<(Vec<usize>, u64)> = Vec::new();
    for (constraint, axes) in own {
        let axes = axes | deciding;
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, other)| other & axes != 0);
        groups = apart;
        let mut group = (vec![constraint], axes);
        for (more, other) in joined {
            group.0.extend(more);
            group.1 |= other;
        }
        groups.push(group);
    }
    let passing = groups.iter().try_fold(points, |left, (constraints, axes)| {
        let passing = passing(plan, constraints, *axes, branches.as_ref(), &mut work)?;
        // Exact: a group's axes make a factor of the points, and with conditions there is one group.
        Some((u128::from(left) * u128::from(passing) / u128::from(points)) as u64)
    });
    Screen { each, passing, combinations: work }
}

/// The screen of a space whose points 64 bits cannot count.
fn uncounted(plan: &Plan) -> Screen {
    let own = (0..plan.constraints.len()).filter(|constraint| plan.constraints[*constraint].metric.is_none());
    let screened = |constraint: usize| Screened {
        constraint,
        axes: (0..plan.axes.len()).filter(|axis| mask(plan, constraint) >> axis & 1 == 1).collect(),
        excluded: None,
    };
    Screen { each: own.map(screened).collect(), passing: None, combinations: 0 }
}

/// The axes that a constraint depends on, on any workload.
fn mask(plan: &Plan, constraint: usize) -> u64 {
    let programs = plan.workloads.iter().filter_map(|workload| workload.screens[constraint].as_ref());
    programs.fold(0, |axes, screen| axes | screen.axes)
}

/// The axes that decide where others exist, and those that exist only somewhere.
fn deciding(plan: &Plan, branches: Option<&Branches>) -> u64 {
    let Some(branches) = branches else { return 0 };
    (0..plan.axes.len()).filter(|axis| branches.is_controller(*axis)).fold(0, |mask, axis| mask | 1 << axis)
}

/// How many points pass `constraints`, which hang on `axes`. Under conditions `axes` holds those that decide. Adds the
/// combinations that it runs to `work`.
fn passing(plan: &Plan, constraints: &[usize], axes: u64, branches: Option<&Branches>, work: &mut u64) -> Option<u64> {
    let own: Vec<usize> = (0..plan.axes.len()).filter(|axis| axes >> axis & 1 == 1).collect();
    let size = |axis: &usize| plan.axes[*axis].values.len();
    let combinations = own.iter().try_fold(1_u64, |product, axis| product.checked_mul(size(axis) as u64))?;
    if combinations > MOST_COMBINATIONS {
        return None;
    }
    *work += combinations;
    let mut programs: Vec<(&ScreenProgram, usize, State)> = plan
        .workloads
        .iter()
        .flat_map(|workload| constraints.iter().map(|at| (workload.screens[*at].as_ref(), *at)))
        .filter_map(|(screen, at)| screen.map(|screen| (screen, at, screen.program.state())))
        .collect();
    let mut digits = vec![0_usize; own.len()];
    let mut slowest = None;
    let mut count = 0_u64;
    let mut all = vec![0_u32; plan.axes.len()];
    let others: Vec<usize> = (0..plan.axes.len()).filter(|axis| axes >> axis & 1 == 0).collect();
    for _ in 0..combinations {
        for (axis, digit) in own.iter().zip(&digits) {
            all[*axis] = *digit as u32;
        }
        let there = |axis: usize| branches.is_none_or(|branches| branches.is_there(axis, &all));
        // An axis that does not exist counts once, at its first value.
        let counts = own.iter().zip(&digits).all(|(axis, digit)| *digit == 0 || there(*axis));
        let weight: u64 = others.iter().map(|axis| if there(*axis) { size(axis) as u64 } else { 1 }).product();

        let mut passes = true;
        for (screen, constraint, state) in &mut programs {
            for (axis, digit) in own.iter().zip(&digits) {
                screen.program.set_axis(state, *axis, plan.axes[*axis].values[*digit]);
            }
            screen.program.run(state, slowest, &mut ());
            let value = screen.program.scalar(state, screen.place);
            // As in an evaluation: what has no value misses no bound.
            passes &= plan.constraints[*constraint].violation(value) == 0.0;
        }
        count += if passes && counts { weight } else { 0 };
        for (at, axis) in own.iter().enumerate().rev() {
            digits[at] += 1;
            slowest = Some(*axis);
            if digits[at] < size(axis) {
                break;
            }
            digits[at] = 0;
        }
    }
    Some(count)
}
