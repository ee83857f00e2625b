//! `--verify`: the schedules of a sweep's points, checked tile by tile by a checker that shares nothing with the scheduler.

use super::Failure;
use super::study::Ready;
use crate::explore::RunError;
use crate::ppa::Evaluator;

/// Most points that are verified; more are sampled evenly. Recording a schedule takes longer than computing its length.
const MOST: u64 = 1000;

/// Verifies the schedules of all points of the grid, or of an even sample, and prints how many were verified.
pub fn run(ready: &Ready) -> Result<(), Failure> {
    let (plan, space) = (&ready.plan, &ready.space);
    let total = space.points();
    let step = total.div_ceil(MOST).max(1);
    let mut evaluator = Evaluator::new(plan);
    let mut digits = Vec::with_capacity(plan.axes.len());
    let (mut points, mut schedules) = (0_u64, 0);
    for index in (0..total).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        space.digits(index, &mut digits);
        evaluator.evaluate(&digits);
        schedules += evaluator.verify().map_err(|violation| {
            let reason = format!("its schedule is wrong: {violation}");
            RunError::Point { index, reason }
        })?;
        points += 1;
    }
    let sample = if points < total { ", an even sample" } else { "" };
    outln!("verified   {schedules} schedules of {points} of {} points{sample}", space.points_text());
    Ok(())
}
