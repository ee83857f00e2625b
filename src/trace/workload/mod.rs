//! A traced workload as a pipeline description: what mapping and schedule need, on no particular hardware.
//!
//! `from_trace` joins repeated chunks into one streamed pipeline and says what moves to and from memory; `toml` writes the
//! description as a pipeline file, so that a traced workload goes the same checked way as a pipeline that somebody wrote.

mod description;
mod from_trace;
mod toml;

pub use description::{
    DRAM, Dependency, LeftOut, Movement, Order, Transfer, Workload, WorkloadOperator, WorkloadTotals,
};
pub use from_trace::describe;
