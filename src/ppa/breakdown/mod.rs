//! One evaluated point taken apart: operator by operator, unit by unit, memory by memory, with where each figure of the
//! hardware comes from.
//!
//! `detail` compiles the parts into the same graph as the metrics, which are sums and maxima of the same nodes; `values`
//! is what comes out; `read` takes the values of the point evaluated last, `roofline` places its operators. [`Plan::compile_detailed`] keeps the parts, a
//! plan for a sweep does not, so that evaluations of many points do not pay for them.
//!
//! ```
//! use nerarch_dse::{ppa::{Evaluator, Plan}, spec::Study};
//!
//! let (study, _remarks) = Study::load("gscore")?;
//! let (plan, _remarks) = Plan::compile_detailed(&study)?;
//! let mut evaluator = Evaluator::new(&plan);
//! evaluator.evaluate(&vec![0; plan.axes.len()]);
//! let parts = evaluator.breakdown(0).expect("the plan keeps its parts");
//! let area: f64 = parts.units.iter().map(|unit| unit.block.area_mm2).sum();
//! assert!(area <= parts.area_mm2);
//! # Ok::<(), nerarch_dse::spec::Diagnostics>(())
//! ```
//!
//! [`Plan::compile_detailed`]: super::Plan::compile_detailed

mod detail;
mod read;
mod roofline;
mod values;

pub(super) use detail::{Detail, Request, compile_detail};
pub use values::{
    BlockShare, Bound, Breakdown, DramShare, MemoryUse, OperatorShare, PortName, Sourced, SramShare, UnitShare,
};
