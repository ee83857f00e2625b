//! A workload that nobody wrote as a pipeline, such as a traced renderer: operators with their counts, dependencies and traffic.
//!
//! `description` is what such a source fills in; `fit` adapts it to what a hardware has units and memories for; `toml` writes it
//! as a pipeline file, so that it goes the same checked way as a pipeline that somebody wrote.

mod description;
mod fit;
mod toml;

pub use description::{
    DRAM, Dependency, LeftOut, Movement, Order, Transfer, Workload, WorkloadOperator, WorkloadTotals,
};
pub use fit::fit;
