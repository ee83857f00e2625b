//! Bank conflicts as an operation of a program.

use super::conflict::{AccessPattern, Banking, ConflictError};
use crate::spec::program::Model;
use crate::spec::program::bounds::Interval;

/// Order of the accesses of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupPattern {
    /// Consecutive words.
    Stream,
    /// A constant distance, the third argument.
    Stride,
    /// Independent and uniform.
    Random,
}

/// Expected cycles of one group of accesses: arguments are lanes, banks, stride in words.
pub struct ConflictNode {
    ports: u32,
    pattern: GroupPattern,
    /// Arguments and cycles of every group that a study has.
    prepared: Vec<([f64; 3], f64)>,
    /// No other group occurs.
    complete: bool,
}

impl ConflictNode {
    /// Prepares the groups whose arguments are known.
    ///
    /// # Errors
    /// As [`Banking::group_cost`].
    pub fn prepare(
        ports: u32,
        pattern: GroupPattern,
        groups: &[[f64; 3]],
        complete: bool,
    ) -> Result<Self, ConflictError> {
        let mut node = Self { ports, pattern, prepared: Vec::new(), complete };
        for group in groups {
            let cycles = node.cost(*group)?;
            node.prepared.push((*group, cycles));
        }
        Ok(node)
    }

    fn cost(&self, [lanes, banks, stride]: [f64; 3]) -> Result<f64, ConflictError> {
        // Negative numbers and NaN become 0, which is refused; fractions were refused before.
        let pattern = match self.pattern {
            GroupPattern::Stream => AccessPattern::Stream,
            GroupPattern::Stride => AccessPattern::Stride(stride as u64),
            GroupPattern::Random => AccessPattern::Random,
        };
        let banking = Banking { banks: banks as u32, ports: self.ports };
        Ok(banking.group_cost(lanes as u32, pattern)?.cycles)
    }
}

impl Model for ConflictNode {
    fn value(&self, arguments: [f64; 3]) -> f64 {
        match self.prepared.iter().find(|(known, _)| *known == arguments) {
            Some((_, cycles)) => *cycles,
            // Only off the grid of a study.
            None => self.cost(arguments).unwrap_or(f64::NAN),
        }
    }

    fn why(&self, arguments: [f64; 3]) -> String {
        self.cost(arguments).err().map_or_else(|| "the conflict model has no value".into(), |error| error.to_string())
    }

    fn bounds(&self, arguments: [Interval; 3]) -> Interval {
        if !self.complete {
            return Interval { lo: 1.0, hi: f64::INFINITY };
        }
        let inside = |known: &[f64; 3]| known.iter().zip(&arguments).all(|(value, i)| i.lo <= *value && *value <= i.hi);
        let groups = self.prepared.iter().filter(|(known, _)| inside(known));
        groups.fold(Interval::EMPTY, |hull, (_, cycles)| hull.hull(Interval::point(*cycles)))
    }
}
