//! Packing blocks of evaluated points.

use crate::explore::runner::Block;
use crate::ppa::{Outcome, Plan};

/// Which numbers of a point a record keeps, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Positions of the kept metrics among those of [`Block::metrics`].
    metrics: Vec<usize>,
    /// Metrics of a point, kept or not.
    width: usize,
    objectives: usize,
    parameters: usize,
    constraints: usize,
}

impl Layout {
    /// A layout that keeps the metrics at these positions, every objective, and `parameters` parameters.
    pub fn new(plan: &Plan, mut metrics: Vec<usize>, parameters: usize) -> Self {
        let width = plan.workloads.len() * plan.metric_names.len();
        metrics.retain(|at| *at < width);
        Self { metrics, width, objectives: plan.objectives.len(), parameters, constraints: plan.constraints.len() }
    }

    /// Bytes of a point without a reason.
    pub fn bytes_per_point(&self) -> u64 {
        17 + 8 * (self.metrics.len() + self.objectives + self.parameters) as u64
    }

    /// Points of a packed block; 0 if it is none.
    pub fn rows(payload: &[u8]) -> u64 {
        Input(payload).u32().map_or(0, u64::from)
    }

    /// Number of constraints.
    pub(super) fn constraints(&self) -> usize {
        self.constraints
    }

    /// Appends a block to `to`.
    pub fn pack(&self, block: &Block, to: &mut Vec<u8>) {
        to.extend((block.indices.len() as u32).to_le_bytes());
        to.extend((block.reasons.len() as u32).to_le_bytes());
        for index in &block.indices {
            to.extend(index.to_le_bytes());
        }
        for outcome in &block.outcomes {
            // 0: feasible, 1: failed, 2 and more: the constraint that it misses.
            let (code, violation) = match outcome {
                Outcome::Feasible => (0, 0.0),
                Outcome::Failed => (1, 0.0),
                Outcome::Infeasible { constraint, violation } => (*constraint as u32 + 2, *violation),
            };
            to.push(code.min(255) as u8);
            if code >= 255 {
                to.extend(code.to_le_bytes());
            }
            if code >= 2 {
                to.extend(violation.to_le_bytes());
            }
        }
        for row in 0..block.indices.len() {
            for at in &self.metrics {
                to.extend(block.metrics[row * self.width + at].to_le_bytes());
            }
        }
        for value in block.objectives.iter().chain(&block.parameters) {
            to.extend(value.to_le_bytes());
        }
        for (at, reason) in &block.reasons {
            to.extend((*at as u32).to_le_bytes());
            to.extend((reason.len() as u32).to_le_bytes());
            to.extend(reason.as_bytes());
        }
    }

    /// The block of a payload; metrics that were not kept are NaN. `None` if the payload is not of this layout.
    pub fn unpack(&self, payload: &[u8]) -> Option<Block> {
        let mut input = Input(payload);
        let (rows, reasons) = (input.u32()? as usize, input.u32()? as usize);
        // A payload shorter than its indices alone is refused before memory is set aside for it.
        if rows.checked_mul(9)? > payload.len() || reasons > rows {
            return None;
        }
        let indices = (0..rows).map(|_| input.u64()).collect::<Option<Vec<u64>>>()?;
        let outcomes = (0..rows).map(|_| self.outcome(&mut input)).collect::<Option<Vec<Outcome>>>()?;
        let mut metrics = vec![f64::NAN; rows * self.width];
        for row in 0..rows {
            for at in &self.metrics {
                metrics[row * self.width + at] = input.f64()?;
            }
        }
        let objectives = (0..rows * self.objectives).map(|_| input.f64()).collect::<Option<_>>()?;
        let parameters = (0..rows * self.parameters).map(|_| input.f64()).collect::<Option<_>>()?;
        let mut texts = Vec::with_capacity(reasons);
        for _ in 0..reasons {
            let at = input.u32()? as usize;
            let length = input.u32()? as usize;
            let text = std::str::from_utf8(input.bytes(length)?).ok()?;
            if at >= rows || texts.last().is_some_and(|(last, _)| *last >= at) {
                return None;
            }
            texts.push((at, text.to_owned()));
        }
        input.0.is_empty().then_some(Block { indices, outcomes, metrics, objectives, parameters, reasons: texts })
    }

    fn outcome(&self, input: &mut Input<'_>) -> Option<Outcome> {
        let code = match input.bytes(1)?[0] {
            255 => input.u32()?,
            short => u32::from(short),
        };
        match code {
            0 => Some(Outcome::Feasible),
            1 => Some(Outcome::Failed),
            _ => {
                let constraint = code as usize - 2;
                let violation = input.f64()?;
                (constraint < self.constraints).then_some(Outcome::Infeasible { constraint, violation })
            }
        }
    }
}

/// What is left of a payload.
pub(super) struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub fn f64(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }
}
