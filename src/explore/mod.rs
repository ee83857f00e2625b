//! Exploration: walking or sampling the design space, and keeping what is best.
//!
//! [`Space`] numbers the points, and holds them only where 64 bits cannot number all; [`sample`] draws some of them; [`Points`] cuts a search into blocks,
//! [`Shard`] deals them out; [`pareto`] keeps the exact front; [`run`] evaluates blocks on all cores and hands them on in the
//! order of their indices; [`record`] keeps them on disk, so that a run survives whatever happens to its process.
//! [`search`] holds what searches share that choose their points as they go: [`exact`] proves the whole front, [`nsga`]
//! evolves towards it, [`scalar`] looks for the least of one number made of the objectives. [`sensitivity`] says which axes
//! matter, [`dead`] which move nothing, [`beyond`] which points rest on extrapolated figures. [`hypervolume`] measures how good a front is, [`history`] how it got there.

pub mod beyond;
mod block;
mod chosen;
pub mod dead;
mod digest;
pub mod exact;
pub mod history;
pub mod hypervolume;
pub mod nsga;
pub mod pareto;
pub mod points;
pub mod record;
pub mod runner;
pub mod sample;
pub mod scalar;
pub mod search;
pub mod sensitivity;
mod session;
mod shard;
mod space;

pub use digest::Digest;
pub use pareto::{Archive, FrontPoint};
pub use points::{Points, count_points};
pub use runner::{Block, End, Job, Observer, RunError, Summary, run, run_block};
pub use shard::{MAX_SHARDS, Shard};
pub use space::Space;
