//! Which axis to split.
//!
//! As in the pseudo-costs of integer programming (Benichou et al., Mathematical Programming 1, 1971): the axis whose past
//! splits raised the bounds most, learnt for each axis and each power of two of its width.

use super::region::Region;
use super::state::{Input, Output};

/// Powers of two of an axis' width.
const LEVELS: usize = 33;
/// A new observation weighs at least this much: the space is not the same everywhere.
const LEAST_WEIGHT: f64 = 0.02;

/// What splits gained so far.
#[derive(Debug)]
pub(super) struct Branching {
    /// By axis and level: mean gain, number of splits.
    gains: Vec<[(f64, u32); LEVELS]>,
}

fn level(width: u32) -> usize {
    (32 - (width - 1).leading_zeros()) as usize
}

impl Branching {
    pub fn new(axes: usize) -> Self {
        Self { gains: vec![[(0.0, 0); LEVELS]; axes] }
    }

    /// Appends what was learnt.
    pub fn write(&self, output: &mut Output) {
        for (gain, splits) in self.gains.iter().flatten() {
            output.real(*gain);
            output.digit(*splits);
        }
    }

    /// What was learnt of that many axes.
    pub fn read(axes: usize, input: &mut Input<'_>) -> Option<Self> {
        let mut branching = Self::new(axes);
        for (gain, splits) in branching.gains.iter_mut().flatten() {
            (*gain, *splits) = (input.real()?, input.digit()?);
        }
        Some(branching)
    }

    /// The axis to split; `None` for a point. An axis that was never split at its width goes first.
    pub fn axis(&self, region: &Region) -> Option<usize> {
        let gain = |axis: usize| match self.gains[axis][level(region.width(axis))] {
            (_, 0) => f64::INFINITY,
            (gain, _) => gain,
        };
        let mut best: Option<(usize, f64)> = None;
        for axis in (0..self.gains.len()).filter(|axis| region.width(*axis) > 1) {
            let gain = gain(axis);
            let wider = |other: usize| region.width(axis) > region.width(other);
            if best.is_none_or(|(other, most)| gain > most || (gain == most && wider(other))) {
                best = Some((axis, gain));
            }
        }
        best.map(|(axis, _)| axis)
    }

    /// Learns that a split of `parent` on `axis` moved the bound by `gain`, summed over halves and objectives.
    pub fn learn(&mut self, parent: &Region, axis: usize, gain: f64) {
        let (mean, count) = &mut self.gains[axis][level(parent.width(axis))];
        *count = count.saturating_add(1);
        *mean += (gain - *mean) * (1.0 / f64::from(*count)).max(LEAST_WEIGHT);
    }
}
