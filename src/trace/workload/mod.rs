//! A traced pipeline as a workload that mapping and schedule take, on no particular hardware.
//!
//! `from_trace` joins repeated chunks into one streamed pipeline and says what moves to and from memory; `load` starts from the
//! trace's file.

mod from_trace;
mod load;

pub use load::{load, load_apart, load_default};
