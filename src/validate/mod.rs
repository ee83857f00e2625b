//! Validation: published figures against what parts, counts and schedules give.
//!
//! `target` reads `validation/*.toml`; `point` evaluates the design that a target names, `assumed` moves its assumed figures
//! to an end of their ranges and `interval` searches the extremes; [`evaluate`] joins them and finds circles; `table` prints. `ranges` does the same for a
//! point of any study. Targets are data: a new one needs no Rust.

mod assumed;
mod evaluate;
mod interval;
mod point;
mod ranges;
mod table;
mod target;

pub use evaluate::{INFORMATIVE, Outcome, evaluate};
pub use ranges::{Moved, moved};
pub use table::{Format, missing, notes, render, totals};
pub use target::{FileDecl, Role, TargetDecl, read, stock, stock_names};
