//! Packing what is kept of a block whose rows are not recorded.
//!
//! ```text
//! digest    points u64 | feasible u64 | failed u64 | misses u64 for each constraint | nearest | failures | front
//! nearest   0 u8, or 1 u8 | index u64 | constraint u32 | violation f64
//! failures  count u32, each: index u64 | length u32 | text
//! front     count u32, each: index u64 | ties u64 | an f64 for each objective
//! ```

use super::layout::{Input, Layout};
use crate::explore::digest::Digest;
use crate::explore::pareto::{Archive, FrontPoint};
use crate::explore::runner::{KEPT_FAILURES, Summary};
use crate::spec::sweep::Goal;

/// Appends a digest to `to`.
pub fn pack(digest: &Digest, to: &mut Vec<u8>) {
    let counts = &digest.counts;
    for count in [counts.points, counts.feasible, counts.failed].iter().chain(&counts.constraint_misses) {
        to.extend(count.to_le_bytes());
    }
    match counts.nearest {
        None => to.push(0),
        Some((index, constraint, violation)) => {
            to.push(1);
            to.extend(index.to_le_bytes());
            to.extend((constraint as u32).to_le_bytes());
            to.extend(violation.to_le_bytes());
        }
    }
    to.extend((counts.failures.len() as u32).to_le_bytes());
    for (index, reason) in &counts.failures {
        to.extend(index.to_le_bytes());
        to.extend((reason.len() as u32).to_le_bytes());
        to.extend(reason.as_bytes());
    }
    to.extend((digest.front.len() as u32).to_le_bytes());
    for point in digest.front.points() {
        to.extend(point.index.to_le_bytes());
        to.extend(point.ties.to_le_bytes());
        for value in &point.objectives {
            to.extend(value.to_le_bytes());
        }
    }
}

/// Points of a packed digest; 0 if it is none.
pub fn points(payload: &[u8]) -> u64 {
    Input(payload).u64().unwrap_or(0)
}

/// The digest of a payload; `None` if the payload is none of a plan with these constraints and goals.
pub fn unpack(payload: &[u8], layout: &Layout, goals: &[Goal]) -> Option<Digest> {
    let mut input = Input(payload);
    let (points, feasible, failed) = (input.u64()?, input.u64()?, input.u64()?);
    let constraint_misses = (0..layout.constraints()).map(|_| input.u64()).collect::<Option<Vec<u64>>>()?;
    if [feasible, failed].iter().chain(&constraint_misses).any(|count| *count > points) {
        return None;
    }
    let nearest = match input.bytes(1)?[0] {
        0 => None,
        _ => Some((input.u64()?, input.u32()? as usize, input.f64()?)),
    };
    if nearest.is_some_and(|(_, constraint, _)| constraint >= layout.constraints()) {
        return None;
    }
    let count = input.u32()? as usize;
    if count > KEPT_FAILURES {
        return None;
    }
    let mut failures = Vec::new();
    for _ in 0..count {
        let index = input.u64()?;
        let length = input.u32()? as usize;
        failures.push((index, std::str::from_utf8(input.bytes(length)?).ok()?.to_owned()));
    }
    let mut front = Archive::new(goals.to_vec());
    // Points of the front and their ties are feasible points, so that sums over blocks cannot overflow.
    let mut left = feasible;
    for _ in 0..input.u32()? {
        let (index, ties) = (input.u64()?, input.u64()?);
        left = left.checked_sub(1)?.checked_sub(ties)?;
        let objectives = goals.iter().map(|_| input.f64()).collect::<Option<Vec<f64>>>()?;
        front.add(FrontPoint { index, objectives, ties });
    }
    let counts = Summary { points, feasible, failed, failures, constraint_misses, nearest, ..Summary::default() };
    input.0.is_empty().then_some(Digest { counts, front })
}
