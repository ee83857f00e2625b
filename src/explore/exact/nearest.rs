//! Where no point is feasible: the one that misses its bounds least.

use std::collections::BinaryHeap;

use super::region::Region;
use super::tree::Waiting;
use crate::explore::runner::RunError;
use crate::explore::search::{Answers, Problem, Session};
use crate::ppa::BoxEvaluator;

/// Boxes bounded before the nearest point found so far has to do.
const MOST_BOXES: u64 = 200_000;

/// Evaluates the point of the space that misses its bounds least, the best first among boxes by a bound on what their
/// points miss. Ends without a proof of it where the budget or [`MOST_BOXES`] end.
///
/// # Errors
/// If a result cannot be written.
pub fn find_nearest(session: &mut Session<'_>) -> Result<(), RunError> {
    let plan = session.plan();
    let Some(mut evaluator) = BoxEvaluator::new(plan) else { return Ok(()) };
    let (mut waiting, mut boxes) = (BinaryHeap::new(), 0);
    waiting.push(Waiting { key: 0.0, number: 0, region: Region::whole(session.space().sizes(), 0) });
    while let Some(Waiting { key, region, .. }) = waiting.pop() {
        let is_nearest = session.summary.nearest.is_some_and(|(_, _, least)| key >= least);
        if is_nearest || boxes >= MOST_BOXES || session.left() == 0 || session.is_over() {
            break;
        }
        if region.is_point() {
            let index = session.space().index(region.low());
            if !session.is_seen(index) {
                session.evaluate_indices(&[index], &mut Answers::default())?;
            }
            continue;
        }
        let widest = (0..plan.axes.len()).max_by_key(|axis| region.width(*axis)).unwrap_or(0);
        for half in region.split(widest) {
            boxes += 1;
            let key = evaluator.least_violation(half.low(), half.high());
            if key.is_finite() {
                waiting.push(Waiting { key, number: boxes, region: half });
            }
        }
    }
    Ok(())
}
