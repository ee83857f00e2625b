//! Exact, reproducible design-space exploration of neural-rendering accelerators (NeRF, hash grids, 3D Gaussian splatting).
//!
//! Declarations in TOML become a [`Study`](spec::Study); a study is compiled once into a [`Plan`](ppa::Plan); an
//! [`Evaluator`](ppa::Evaluator) evaluates design points of the plan, millions per second and without allocating;
//! [`explore`] walks the space and keeps the exact Pareto front; [`report`] writes what people read.
//!
//! ```
//! use nerarch_dse::{explore::Space, ppa::{Evaluator, Outcome, Plan}, spec::Study};
//!
//! let (study, _remarks) = Study::load("gscore")?;
//! let (plan, _remarks) = Plan::compile(&study)?;
//! let space = Space::new(&plan.axes).expect("fewer than 2^63 points");
//! assert_eq!(space.points(), 144);
//!
//! let mut evaluator = Evaluator::new(&plan);
//! let outcome = evaluator.evaluate(&vec![0; plan.axes.len()]);
//! assert_eq!(outcome, Outcome::Feasible);
//! println!("latency {} ms", evaluator.objectives()[0]);
//! # Ok::<(), nerarch_dse::spec::Diagnostics>(())
//! ```
//!
//! A layer uses only the layers before it: `spec`, `operator` and `hardware`, `mapping`, `schedule`, `ppa`, `explore`,
//! `report`, `cli`. [`trace`] stands beside them: it reads execution traces of real renderers and describes them as
//! workloads of `spec`; who loads a sweep of a trace gives `spec` the reader.

pub mod cli;
pub mod explore;
pub mod hardware;
mod input;
pub mod mapping;
pub mod operator;
pub mod ppa;
pub mod report;
pub mod schedule;
pub mod spec;
pub mod trace;
pub mod validate;
