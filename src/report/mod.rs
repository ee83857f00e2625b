//! What people read: tables, figures, the manifest and the summary of a run.
//!
//! [`table`] fixes the columns of a run before its first row; [`csv`](mod@csv) and [`parquet`] write them; [`figure`]
//! draws the front; [`manifest`] records what the run was made of; [`summary`] is the text in the terminal;
//! [`technique`] says what optimization techniques saved, [`tiles`] how evenly measured tiles spread. [`roofline`]
//! and [`graph`] show one design and one pipeline, [`explain`] one design part by part, [`utilization`] its
//! units over time, [`analysis`] one schedule. `layers` is how graphs are laid out, [`columns`] how wide text tables get.

pub mod analysis;
pub mod columns;
pub mod csv;
pub mod explain;
pub mod figure;
pub mod graph;
mod layers;
pub mod manifest;
pub mod parquet;
pub mod roofline;
pub mod summary;
pub mod table;
pub mod technique;
pub mod tiles;
pub mod utilization;
