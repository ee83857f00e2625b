//! Bounds on the schedule's length over a box of design points.
//!
//! *Monotony.* In the stream method every start is a maximum of ends, and every end is a start plus an occupancy plus a
//! latency: a max-plus system (Baccelli et al., 1992). It never gets shorter when an occupancy, a latency or the number of
//! tiles grows. More groups free the earliest group no later: the sorted vector of the moments at which the groups are
//! free is componentwise monotone in what came before and in the number of groups (Kiefer & Wolfowitz, Trans. AMS 78,
//! 1955), as long as the order of the tiles stays. A buffer of `B + 1` tiles waits for the end of tile `t - B - 1` at the
//! consumer where one of `B` waits for that of `t - B`, which is later wherever ends come in the order of the tiles: with
//! equal tiles (by induction over tiles and stages) and at a consumer of one group. Then the run at the fast ends of all
//! inputs bounds the length from below and the run at the slow ends from above, both up to rounding.
//!
//! *Elsewhere* (list scheduling has anomalies, Graham, SIAM J. Appl. Math. 17, 1969; contiguous blocks reorder the tiles
//! with the number of groups) the length is at least that which no schedule beats, at the fast ends, and at most the sum
//! of all occupancies and latencies, at the slow ends: every start is the end of something that started before, or 0.

use super::graph::StageGraph;
use super::kernel::{Output, Schedule};
use crate::spec::program::bounds::{Direction, Interval, KernelBounds};
use crate::spec::program::{Columns, NodeId};

/// Relative error of a computed length: rounding of sums, and the tolerance at which a period is taken for one.
const ROUNDING: f64 = 1e-11;

/// What each input of the schedule does to its length, by node as in [`Schedule::inputs`].
pub(super) fn directions(graph: &StageGraph) -> Vec<(NodeId, Direction)> {
    let mut roles: Vec<(NodeId, Direction)> = vec![(graph.tiles, Direction::Longer)];
    // The bounds hold under every policy: what it reads moves none of them.
    roles.extend(graph.order.nodes().into_iter().map(|node| (node, Direction::Longer)));
    roles.extend(graph.training.iter().map(|training| (training.iterations, Direction::Longer)));
    for stage in &graph.stages {
        for node in [stage.occupancy, stage.work, stage.latency] {
            roles.push((node, Direction::Longer));
        }
        roles.push((stage.unit, Direction::Unknown));
        roles.extend(stage.inputs.iter().map(|(_, buffer)| (*buffer, Direction::Shorter)));
    }
    roles.extend(graph.groups.iter().map(|node| (*node, Direction::Shorter)));
    Schedule::inputs(graph)
        .into_iter()
        .map(|node| {
            let mut own = roles.iter().filter(|(id, _)| *id == node).map(|(_, direction)| *direction);
            let first = own.next().unwrap_or(Direction::Unknown);
            (node, if own.all(|other| other == first) { first } else { Direction::Unknown })
        })
        .collect()
}

impl KernelBounds for Schedule {
    fn bounds(&mut self, fast: Columns<'_>, slow: Columns<'_>, exact: bool, outputs: &mut [Interval]) {
        let fast_bound = self.lower_bound(exact, fast);
        // Where the mapping is not the same at all points, whose work adds up is not known either.
        let slow_bound = match exact || self.stages.iter().all(|stage| stage.candidates.len() == 1) {
            true => self.lower_bound(exact, slow),
            false => self.lower_bound(false, slow).max(self.serial(slow)),
        };
        let length = if exact {
            Interval::point(self.finite_makespan(fast))
        } else if self.is_monotone(fast, slow) {
            Interval::new(self.finite_makespan(fast), self.finite_makespan(slow)).widened(ROUNDING)
        } else {
            Interval::new(fast_bound, self.serial(slow)).widened(ROUNDING)
        };
        let rounding = if exact { 0.0 } else { ROUNDING };
        outputs[Output::Makespan as usize] = length;
        outputs[Output::LowerBound as usize] = Interval::new(fast_bound, slow_bound).widened(rounding);
        if let Some(iterations) = &self.iterations {
            // Iterations one after the other are always possible; none takes less time than a unit has work in it.
            let least = self.busiest(fast);
            let (fewest, most) = (iterations.count(fast), iterations.count(slow));
            let (fewest, most) = (fewest.min(most), most.max(fewest));
            let slack = |low: f64, high: f64| Interval::new(low, high).widened(ROUNDING);
            outputs[Output::Iteration as usize] = slack(least, length.hi);
            outputs[Output::Total as usize] = slack(fast_bound + (fewest - 1.0) * least, length.hi * most);
            outputs[Output::Forward as usize] = slack(0.0, length.hi);
            outputs[Output::Backward as usize] = slack(0.0, length.hi);
        }
    }
}

impl Schedule {
    /// True if the length is monotone between two corners: the stream method, one order of the tiles, and buffers that
    /// only differ where ends come in that order.
    fn is_monotone(&self, fast: Columns<'_>, slow: Columns<'_>) -> bool {
        if self.method() != super::Method::Stream {
            return false;
        }
        if self.stages.iter().all(|stage| fast.get(stage.occupancy).len() == 1) {
            return true;
        }
        let groups = |unit: usize| (fast.scalar(self.groups[unit]), slow.scalar(self.groups[unit]));
        let same_order = self.contiguous_unit().is_none_or(|unit| groups(unit).0 == groups(unit).1);
        same_order
            && self.stages.iter().filter(|stage| stage.streamed).all(|stage| {
                let same = stage.inputs.iter().all(|(_, buffer)| fast.scalar(*buffer) == slow.scalar(*buffer));
                same || groups(stage.candidates[0]) == (1.0, 1.0)
            })
    }

    /// Cycles that the busiest single stage keeps its unit busy for.
    fn busiest(&self, columns: Columns<'_>) -> f64 {
        let busy = self.stages.iter().map(|stage| {
            // Where the unit is not the same at all points of the box its groups are not known.
            let groups = match stage.candidates[..] {
                [unit] if stage.streamed => columns.scalar(self.groups[unit]),
                [_] => 1.0,
                _ => f64::INFINITY,
            };
            columns.scalar(stage.work) / groups
        });
        busy.fold(0.0, f64::max)
    }

    /// Cycles of everything one after the other.
    fn serial(&self, columns: Columns<'_>) -> f64 {
        let tiles = columns.scalar(self.tiles);
        let stage = |stage: &super::StagePlaces| {
            let count = if stage.streamed { tiles } else { 1.0 };
            columns.scalar(stage.work) + count * columns.scalar(stage.latency)
        };
        self.stages.iter().map(stage).sum()
    }
}
