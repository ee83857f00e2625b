//! Operators: what the rendering computation does, in counts.
//!
//! `workload` gives expressions the measured sizes of one scene and camera; `counts` turns each operator of the
//! pipeline into counts (Gaussians, keys, pairs, pixels ...). Operator kinds are data, declared in
//! `operators/kinds/*.toml` or in a pipeline file; there is no Rust per kind. `technique` applies optimization techniques,
//! which are data as well.

mod counts;
mod technique;
mod workload;

pub use counts::{Counts, GemmCounts, Operator, compile_operators, count};
pub use technique::{Applied, Savings, apply_techniques};
pub use workload::{Stream, Workload, bind_workload};
