//! Pickled networkx DiGraphs, protocols 0 to 5. A pickle is data here: a small stack machine builds plain objects, the
//! only names it accepts are those on the allow-list of [`globals`], and none of them runs anything.
//!
//! `cursor` cuts the bytes into arguments, `machine` carries out one operation after the other into the `heap`, whose
//! objects may be shared and may even contain themselves, `unfold` turns them into values and refuses the latter, and
//! `networkx` finds the graph in the state of the `DiGraph`.

mod construct;
mod cursor;
mod globals;
mod heap;
mod machine;
mod networkx;
mod text;
mod unfold;

use crate::trace::error::TraceError;
use crate::trace::graph::TraceGraph;

/// Reads the pickle of one DiGraph.
pub(super) fn read(bytes: &[u8]) -> Result<TraceGraph, TraceError> {
    let (heap, root) = machine::run(bytes)?;
    networkx::graph(&heap, root, bytes.len())
}
