//! Axes that move nothing: no time, no energy, or no area.

use serde::{Deserialize, Serialize};

use super::pareto::FrontPoint;
use super::space::Space;
use crate::ppa::{Evaluator, Plan};

/// What an axis is expected to move: name of the group, metric that stands for it.
pub const GROUPS: [(&str, &str); 3] = [("time", "latency_cycles"), ("energy", "energy_mj"), ("area", "area_mm2")];

/// Spaces up to this size are checked at every point.
const ALL_POINTS: u64 = 512;
/// Points of the front, and points spread over the space, at which an axis of a larger space is tried.
const TRIED_POINTS: u64 = 32;
/// Most values of an axis that are tried at a point.
const TRIED_VALUES: u64 = 8;

/// An axis that moves nothing of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadKnob {
    /// The axis.
    pub axis: String,
    /// `time`, `energy` or `area`.
    pub group: String,
    /// Points at which it was moved through its values without effect; `None`: the model has no path from the axis to the
    /// group's metric, so that it cannot move it at any point.
    pub points: Option<u64>,
}

/// The axes that change the latency, the energy or the area of no workload. What the compiled model does not rule out is
/// tried: at every point of a small space, else at points of the front and points spread over the space.
pub fn dead_knobs(plan: &Plan, space: &Space, front: &[FrontPoint]) -> Vec<DeadKnob> {
    let groups: Vec<(&str, usize)> = GROUPS
        .iter()
        .filter_map(|(group, metric)| Some((*group, plan.metric_names.iter().position(|name| name == metric)?)))
        .collect();
    let points = tried_points(space, front);
    let mut evaluator = Evaluator::new(plan);
    let mut dead = Vec::new();
    for (at, axis) in plan.axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1) {
        let reaches = |metric: usize| plan.workloads.iter().any(|workload| workload.depends_on(metric, at));
        let mut open: Vec<usize> = groups.iter().map(|(_, metric)| *metric).filter(|metric| reaches(*metric)).collect();
        let mut tried = 0;
        for point in &points {
            if open.is_empty() {
                break;
            }
            if try_axis(&mut evaluator, plan, space, at, *point, &mut open) {
                tried += 1;
            }
        }
        for (group, metric) in &groups {
            let points = match reaches(*metric) {
                false => None,
                true if open.contains(metric) => Some(tried),
                true => continue,
            };
            dead.push(DeadKnob { axis: axis.name.clone(), group: (*group).to_owned(), points });
        }
    }
    dead
}

/// Moves an axis through its values and removes the metrics that move from `open`. False if the axis does not exist there,
/// or fewer than two of its values have metrics.
fn try_axis(
    evaluator: &mut Evaluator<'_>,
    plan: &Plan,
    space: &Space,
    axis: usize,
    point: u64,
    open: &mut Vec<usize>,
) -> bool {
    let mut digits = Vec::new();
    space.digits(point, &mut digits);
    if !space.is_there(axis, &digits) {
        return false;
    }
    let width = plan.metric_names.len();
    let (mut first, mut compared) = (Vec::new(), false);
    for digit in spread(plan.axes[axis].values.len() as u64, TRIED_VALUES) {
        digits[axis] = digit as u32;
        evaluator.evaluate(&digits);
        let metrics = evaluator.metrics();
        if !metrics.iter().all(|metric| metric.is_finite()) {
            continue;
        }
        if first.is_empty() {
            first = metrics.to_vec();
            continue;
        }
        compared = true;
        open.retain(|metric| {
            let of_workloads = |all: &[f64]| all.iter().skip(*metric).step_by(width).copied().collect::<Vec<_>>();
            of_workloads(&first) == of_workloads(metrics)
        });
        if open.is_empty() {
            break;
        }
    }
    compared
}

/// Indices of points at which axes are tried.
pub(super) fn tried_points(space: &Space, front: &[FrontPoint]) -> Vec<u64> {
    if space.points() <= ALL_POINTS {
        return (0..space.points()).collect();
    }
    let of_front = spread(front.len() as u64, TRIED_POINTS).filter_map(|at| front.get(at as usize));
    let mut points: Vec<u64> = of_front.map(|point| point.index).chain(spread(space.points(), TRIED_POINTS)).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// At most `most` of the numbers below `count`, evenly spread, the first and the last among them.
fn spread(count: u64, most: u64) -> impl Iterator<Item = u64> {
    let taken = count.min(most);
    let place = move |at: u64| u128::from(at) * u128::from(count.saturating_sub(1)) / u128::from(taken.max(2) - 1);
    (0..taken).map(move |at| place(at) as u64)
}
