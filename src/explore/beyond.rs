//! Points whose memory figures lie outside the tables of the models.

use serde::{Deserialize, Serialize};

use super::dead::tried_points;
use super::pareto::FrontPoint;
use super::space::Space;
use crate::ppa::metric::EXTRAPOLATED;
use crate::ppa::{Evaluator, Outcome, Plan};

/// How many points rest on extrapolated figures, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beyond {
    /// Points of the front that do.
    pub front: u64,
    /// Points of the space that do, of those looked at.
    pub points: u64,
    /// Points of the space that were looked at: all of a small one, else some spread over it and over the front.
    pub looked_at: u64,
    /// SRAM blocks, and `dram`, at any of these points.
    pub memories: Vec<String>,
}

/// Counts them; `None` if no model that may extrapolate is asked, or none does.
pub fn beyond_tables(plan: &Plan, space: &Space, front: &[FrontPoint]) -> Option<Beyond> {
    let metric = plan.metric_names.iter().position(|name| name == EXTRAPOLATED.name)?;
    let mut evaluator = Evaluator::new(plan);
    let mut found = Beyond { front: 0, points: 0, looked_at: 0, memories: Vec::new() };
    let mut digits = Vec::new();
    let mut extrapolates = |point: u64, found: &mut Beyond| {
        space.digits(point, &mut digits);
        if evaluator.evaluate(&digits) == Outcome::Failed || evaluator.metric(0, metric) == 0.0 {
            return false;
        }
        let values: Vec<f64> =
            plan.axes.iter().zip(&digits).map(|(axis, digit)| axis.values[*digit as usize]).collect();
        for (info, _) in plan.figures(0, &values).iter().filter(|(_, value)| value.extrapolated) {
            if !found.memories.contains(&info.owner) {
                found.memories.push(info.owner.clone());
            }
        }
        true
    };
    for point in front {
        found.front += u64::from(extrapolates(point.index, &mut found));
    }
    for point in tried_points(space, front) {
        found.looked_at += 1;
        found.points += u64::from(extrapolates(point, &mut found));
    }
    (found.points > 0).then_some(found)
}
