//! Bounds on a graph's nodes over a whole box of axis values at once.
//!
//! `interval` encloses single operations. Plain interval arithmetic forgets that two operands hang on the same axis
//! (power is energy over latency, and both grow with it), so `monomial` writes sums, products and quotients as sums of
//! monomials in which common factors cancel, and `build` keeps the better of both enclosures at every node that
//! matters. The result is a [`Tape`]: a flat list that [`TapeState`] runs for one box after the other, recomputing only
//! what hangs on the axes whose interval changed.

mod build;
mod interval;
mod monomial;
mod tape;

pub use build::compile_bounds;
pub use interval::{Interval, LIBRARY_SLACK};
pub use tape::{Direction, KernelBounds, Tape, TapeState};
