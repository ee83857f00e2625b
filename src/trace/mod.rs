//! Execution traces of real renderers: read into one graph, transformed into operators with exact counts.
//!
//! A tracer records the calls of a model (function, tensor shapes, stage) as nodes of a networkx graph, and writes it as a
//! pickle, node-link JSON, GraphML, GML or DOT. [`read`] turns any of them into a [`TraceGraph`]; a file is parsed, never
//! executed. [`transform`] turns that graph into a [`TracedPipeline`] by [`CallTables`], the declarative files in
//! `operators/traces/`: which function is which operator, and where its sizes come from. [`workload`] describes it as a
//! pipeline for mapping and schedule. [`cluster`] takes one cluster out of a grouped DOT.
//!
//! ```
//! use nerarch_dse::trace::{CallTables, Format, TransformOptions, read, transform};
//!
//! let text = r#"{ "directed": true, "nodes": [
//!     { "id": "w", "func_name": "nerfstudio.cameras.rays.RaySamples.get_weights",
//!       "input_shapes": "(4096, 64),(4096, 64, 1)", "output_shapes": "(4096, 64, 1)", "stage": "coarse" }
//! ], "links": [] }"#;
//! let graph = read::from_bytes(text.as_bytes(), Format::NodeLink)?;
//! let pipeline = transform(&graph, &CallTables::stock()?, &TransformOptions::default())?;
//! assert_eq!(pipeline.totals.flops, 6 * 4096 * 64);
//! # Ok::<(), nerarch_dse::trace::TraceError>(())
//! ```

pub mod cluster;
mod error;
mod graph;
pub mod read;
mod table;
mod transform;
mod value;
pub mod workload;

pub use error::{Place, Problem, TraceError};
pub use graph::{GraphBuilder, TraceEdge, TraceGraph, TraceNode};
pub use read::Format;
pub use table::CallTables;
pub use transform::{
    Chunk, EdgeKind, Evidence, Inference, MAX_CALLS, Pass, Shape, Streamed, Totals, TracedEdge, TracedOperator,
    TracedPipeline, TransformOptions, Unrecognised, transform,
};
pub use value::{Attributes, Value};
