//! Validation: published figures against what parts, counts and schedules give.
//!
//! `target` reads `validation/*.toml`; [`evaluate`] computes each target and, over the ranges of its assumed inputs, its
//! interval, and finds circles; `table` prints. Targets are data: a new one needs no Rust.

mod evaluate;
mod table;
mod target;

pub use evaluate::{Outcome, evaluate};
pub use table::{Format, render, totals};
pub use target::{FileDecl, Role, TargetDecl, read, stock, stock_names};
