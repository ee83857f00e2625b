//! Performance, power, area: the metrics of a design point, and the compiled plan that evaluates millions of them.
//!
//! [`metric`] lists the metrics; `model` computes them from units, memories and the schedule; [`Plan`] is a whole study
//! compiled once (by `compile`); [`screen()`] counts what constraints over parameters exclude; [`Evaluator`] evaluates points of it and allocates nothing while it does.
//! [`roofline`] says of each operator alone what it attains and what bounds it. [`breakdown`] takes a point apart,
//! [`memory_traffic`] adds up what each memory moves. [`knobs`] says what would move a point, [`setting`] reads one that the command line gives. [`BoxEvaluator`] bounds the objectives of whole boxes of points.

mod bounds;
mod branches;
pub mod breakdown;
mod checks;
mod compile;
mod computed;
mod conditions;
mod constraint;
mod evaluator;
mod figures;
mod front;
mod group;
pub mod knobs;
mod mark;
pub mod metric;
mod model;
mod parameters;
mod plan;
pub mod roofline;
mod saving;
mod screen;
pub mod setting;
mod traffic;

pub use bounds::{BoxEvaluator, Verdict};
pub use branches::{Branches, Condition};
pub use breakdown::Breakdown;
pub use constraint::Constraint;
pub use evaluator::{Evaluator, Outcome};
pub use figures::{FigureInfo, FigureValue};
pub use mark::{Mark, evaluate_marks};
pub use parameters::Axis;
pub use plan::{Objective, Plan, WorkloadPlan};
pub use saving::Saving;
pub use screen::{Screen, Screened, screen};
pub use traffic::{MemoryTraffic, memory_traffic};
