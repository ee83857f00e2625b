//! Mapping: which unit executes which operator, and what that costs the unit.
//!
//! A unit is valid for an operator if it executes the operator's kind (or category), counts its throughput in something
//! that the kind counts, and reaches the memories of the operator's traffic. Among valid units the one that finishes the
//! operator's whole work first (the highest throughput) wins, at every design point anew; `[mapping]` in the pipeline
//! overrides. An operator that no unit can execute is an error that says of every unit why it was refused.

mod capacity;
mod traffic;
mod valid;

pub use capacity::{Capacity, compile_capacity};
pub use traffic::{Cause, Port, Traffic, compile_traffic};
pub use valid::{Mapped, find_candidates, map_operators};
