//! The operation log: what was computed, in the order in which it was finished.

/// The part of a matrix product that one tile computes: half-open ranges over M, K and N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// First and one beyond the last row of the output.
    pub m: (u64, u64),
    /// First and one beyond the last of the inner length.
    pub k: (u64, u64),
    /// First and one beyond the last column of the output.
    pub n: (u64, u64),
}

/// What was finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// An operation of the math engine.
    Math,
    /// A tile of the matrix product.
    Gemm {
        /// Which.
        block: Block,
        /// It adds to what its output holds: a later part of K, or the product of a command that accumulates.
        accumulate: bool,
    },
}

/// One entry of the operation log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// When the work was finished, in cycles.
    pub cycle: f64,
    /// The command's place in its list.
    pub command: u32,
    /// The operation's place in its command: prologue, product, epilogue.
    pub operation: u32,
    /// What it was.
    pub work: Work,
}
