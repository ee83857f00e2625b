//! A layered layout of a graph: boxes in rows from producers to consumers, arrows without avoidable crossings.
//!
//! Sugiyama, Tagawa, Toda, Methods for visual understanding of hierarchical system structures, IEEE SMC 11(2), 1981: `rank`
//! opens circles and finds the layers by the longest path, `place` orders the boxes of each layer and says where they stand.
//! How boxes look is the caller's matter.

mod place;
mod rank;

pub(super) use place::{Input, Layout, layout};
pub(super) use rank::rank;
