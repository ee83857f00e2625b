//! The exact front without walking the space: branch and bound over boxes of the grid.
//!
//! A box is a range of digits on every axis. [`BoxEvaluator`](crate::ppa::BoxEvaluator) bounds the objectives of all its
//! points at once; a box whose bound is matched or beaten in every objective by an evaluated point holds nothing new and
//! is dropped, others are split (`branching` chooses the axis), and boxes of one point that survive are evaluated. When
//! no box is left, the archive holds every objective vector of the front, and the [`Certificate`] says what that took.
//! Of several points with equal objectives it knows the ones that it met.
//!
//! Where nothing turns out to be feasible, `nearest` looks for the point that misses its bounds least.
//!
//! Boxes are worked on in rounds of fixed size, so the result does not depend on the number of threads.

mod branching;
mod cover;
mod nearest;
mod region;
mod state;
mod tree;

pub use tree::{Certificate, search};
