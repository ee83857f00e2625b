//! What a trace becomes.

use super::shape::Shape;

/// Part of a training step that an operator belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Rendering, or the forward half of training.
    Forward,
    /// Gradients.
    Backward,
    /// The optimizer's step.
    Update,
}

/// Something about an operator that the trace does not say and that was concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inference {
    /// Its place in the order: from the order of the nodes, since no order edge leads to or from it.
    Order,
    /// Layer widths or table sizes: from the call table's `[[known]]`, since the call has no attribute for them.
    Sizes,
    /// The forward call it is the backward of: from names and shapes, since no edge says it.
    Partner,
    /// Its chunk: from the repetition of the calls, since no container marks it.
    Chunk,
    /// Bytes per element: assumed, since the call has no `dtype`.
    ElementSize,
    /// A tensor whose shape the tracer could not record counts no bytes.
    UnknownShape,
}

impl Inference {
    /// What it is about, in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Sizes => "sizes",
            Self::Partner => "partner",
            Self::Chunk => "chunk",
            Self::ElementSize => "element size",
            Self::UnknownShape => "unknown shape",
        }
    }
}

/// One operator of a traced pipeline. All counts are of all its `repeat` calls together.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedOperator {
    /// Unique name: stage, rule and number, `@2` for the second chunk.
    pub name: String,
    /// Kind of operator, such as `HashEncoding`.
    pub kind: String,
    /// Family: sampling, encoding, computation, blending, optimization.
    pub category: String,
    /// The traced function.
    pub function: String,
    /// The traced node.
    pub node: usize,
    /// Stage that the tracer named, such as `coarse`.
    pub stage: Option<String>,
    /// Chunk of rays, from 0; `None` for what is done once, such as a loss.
    pub chunk: Option<usize>,
    /// Forward, backward or update.
    pub pass: Pass,
    /// Traced calls that this one operator stands for.
    pub repeat: u64,
    /// Shapes of its inputs.
    pub inputs: Vec<Shape>,
    /// Shapes of its outputs.
    pub outputs: Vec<Shape>,
    /// Named sizes for the operator kind, such as `rows` and `inputs`.
    pub sizes: Vec<(String, f64)>,
    /// Floating-point operations; a multiply-add counts as two.
    pub flops: u64,
    /// Multiply-adds of its matrix products.
    pub macs: u64,
    /// Bytes of activations read.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Bytes of weights and tables, read once.
    pub bytes_weights: u64,
    /// For a backward operator: the operator whose gradients it computes.
    pub backward_of: Option<usize>,
    /// Calls inside of it that its counts include.
    pub absorbed: usize,
    /// What the trace does not say about it, in order.
    pub inferred: Vec<Inference>,
    /// Where values come from that the trace does not say.
    pub sources: Vec<String>,
}

/// What an edge of the pipeline means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// A tensor goes from one to the other.
    Data,
    /// A backward operator needs what its forward operator computed.
    Saved,
    /// A gradient goes from one backward operator to the next.
    Gradient,
    /// The whole first stage comes before the second.
    Stage,
    /// One was called after the other; no tensor is known to pass.
    Order,
}

/// How an edge is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The trace has it.
    Traced,
    /// An output has the shape of the input.
    Shape,
    /// The call table says which category feeds the operator; the latest of it with the same number of rows was taken.
    Category,
    /// The reverse of a forward edge.
    Mirror,
}

/// A dependency between two operators; the first always comes earlier in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedEdge {
    /// Index of the producer.
    pub from: usize,
    /// Index of the consumer.
    pub to: usize,
    /// What it means.
    pub kind: EdgeKind,
    /// How it is known.
    pub evidence: Evidence,
    /// Bytes that pass, where the tensor is known.
    pub bytes: Option<u64>,
}

impl TracedEdge {
    /// Whether it was concluded and does not stand in the trace.
    pub fn inferred(&self) -> bool {
        self.evidence != Evidence::Traced
    }
}

/// One pass over a batch of rays.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// First dimension of what the model was called with: rays of a ray batch, cameras of a splatting pass.
    pub batch: Option<u64>,
    /// Its operators in order.
    pub operators: Vec<usize>,
    /// FLOPs of all of them.
    pub flops: u64,
}

/// Chunks that repeat the same operators: one pipeline through which they stream as tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Streamed {
    /// Number of tiles, one per chunk.
    pub tiles: usize,
    /// Operators of the pipeline, each with its instance in every chunk: `operators[slot][tile]`.
    pub operators: Vec<Vec<usize>>,
    /// Edges between slots.
    pub edges: Vec<(usize, usize)>,
    /// Whether all tiles cost the same; the last one is often smaller.
    pub equal: bool,
}

/// Calls that are not in the pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Unrecognised {
    /// The function.
    pub function: String,
    /// Its calls.
    pub calls: usize,
    /// Why it is not in the pipeline.
    pub reason: String,
    /// Its share of all calls that do work (containers are left out), from 0 to 1.
    pub share_of_calls: f64,
    /// Its share of the bytes that these calls read and write by their shapes, from 0 to 1.
    pub share_of_bytes: f64,
}

/// Sums over all operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// FLOPs.
    pub flops: u64,
    /// FLOPs of the backward pass.
    pub flops_backward: u64,
    /// Multiply-adds.
    pub macs: u64,
    /// Bytes of activations read.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
}

/// A trace as a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedPipeline {
    /// Operators in an order that respects every edge.
    pub operators: Vec<TracedOperator>,
    /// Edges, by consumer.
    pub edges: Vec<TracedEdge>,
    /// Passes over batches of rays.
    pub chunks: Vec<Chunk>,
    /// The one pipeline that all chunks repeat, if there are several and they do.
    pub streamed: Option<Streamed>,
    /// What is not in the pipeline.
    pub unrecognised: Vec<Unrecognised>,
    /// Sums.
    pub totals: Totals,
}
