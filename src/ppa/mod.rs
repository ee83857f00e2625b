//! Performance, power, area: the metrics of a design point, and the compiled plan that evaluates millions of them.
//!
//! [`metric`] lists the metrics; `model` computes them from units, memories and the schedule; [`Plan`] is a whole study
//! compiled once; [`screen()`] counts what constraints over parameters exclude; [`Evaluator`] evaluates points of it and allocates nothing while it does.
//! [`BoxEvaluator`] bounds the objectives of whole boxes of points.

mod bounds;
mod branches;
mod checks;
mod computed;
mod conditions;
mod constraint;
mod evaluator;
mod group;
mod mark;
pub mod metric;
mod model;
mod parameters;
mod plan;
mod screen;

pub use bounds::{BoxEvaluator, Verdict};
pub use branches::{Branches, Condition};
pub use constraint::Constraint;
pub use evaluator::{Evaluator, Outcome};
pub use mark::{Mark, evaluate_marks};
pub use parameters::Axis;
pub use plan::{Objective, Plan, WorkloadPlan};
pub use screen::{Screen, Screened, screen};
