//! Bytes that each memory moves in a frame: a point's breakdown, by memory and operator.

use super::evaluator::{Evaluator, Outcome};
use super::plan::Plan;
use crate::spec::{Diagnostic, Diagnostics, Study};

/// What a memory moves for an operator in one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryTraffic {
    /// An SRAM block of the hardware, or `dram`.
    pub memory: String,
    /// The operator.
    pub operator: String,
    /// Bytes read from it.
    pub read_bytes: f64,
    /// Bytes written to it.
    pub write_bytes: f64,
}

/// Traffic of every memory by operator, for the first scene and camera and the first value of each axis.
///
/// # Errors
/// Faults of the study; a point that has no values.
pub fn memory_traffic(study: &Study) -> Result<Vec<MemoryTraffic>, Diagnostics> {
    let (plan, _) = Plan::compile_detailed(study)?;
    let mut evaluator = Evaluator::new(&plan);
    let failed = evaluator.evaluate(&vec![0; plan.axes.len()]) == Outcome::Failed;
    let parts = if failed { None } else { evaluator.breakdown(0) };
    let Some(parts) = parts else {
        let message = format!("the traffic has no value at this point: {}", evaluator.reason());
        return Err(Diagnostics(vec![Diagnostic::placeless(message).help("check the parameters that it follows")]));
    };
    let mut memories: Vec<MemoryTraffic> = Vec::new();
    for operator in &parts.operators {
        for used in &operator.memory {
            let (memory, name) = (&used.port.memory, &operator.name);
            let same = |known: &MemoryTraffic| known.memory == *memory && known.operator == *name;
            let at = memories.iter().position(same).unwrap_or_else(|| {
                let (memory, operator) = (memory.clone(), name.clone());
                memories.push(MemoryTraffic { memory, operator, read_bytes: 0.0, write_bytes: 0.0 });
                memories.len() - 1
            });
            memories[at].read_bytes += used.read_bytes;
            memories[at].write_bytes += used.written_bytes;
        }
    }
    Ok(memories)
}
