//! A sweep, loaded and compiled, with all that its run needs.

use super::{Failure, effects, show_warnings};
use crate::explore::Space;
use crate::explore::record::{Identity, Layout};
use crate::ppa::{Mark, Plan, evaluate_marks};
use crate::report::table::{Content, Schema};
use crate::spec::Study;

/// A study that is ready to run.
pub struct Ready {
    /// The declarations.
    pub study: Study,
    /// The compiled plan.
    pub plan: Plan,
    /// Its marked designs.
    pub marks: Vec<Mark>,
    /// Its space.
    pub space: Space,
    /// Columns of the results.
    pub schema: Schema,
    /// How its blocks are saved.
    pub layout: Layout,
    /// What makes it the same run.
    pub identity: Identity,
}

impl Ready {
    /// Loads and compiles a sweep.
    ///
    /// # Errors
    /// Every fault of its files.
    pub fn load(sweep: &str, quiet: bool) -> Result<Self, Failure> {
        let (study, warnings) = Study::load(sweep)?;
        let (plan, more) = Plan::compile(&study)?;
        if !quiet {
            show_warnings(&warnings);
            show_warnings(&more);
        }
        let Some(space) = Space::new(&plan.axes) else {
            return Err(Failure::input("this space has 2^64 points or more", "fix some axes"));
        };
        let marks = evaluate_marks(&study)?;
        let schema = Schema::new(&plan, &study.sweep);
        let metrics = schema.columns.iter().filter_map(|column| match column.content {
            Content::Metric { workload, metric } => Some(workload * plan.metric_names.len() + metric),
            _ => None,
        });
        let layout = Layout::new(&plan, metrics.collect(), schema.shown_parameters.len());
        let columns = schema.columns.iter().map(|column| column.name.clone()).collect();
        let identity = Identity::new(&study, &space, columns);
        let ready = Self { study, plan, marks, space, schema, layout, identity };
        effects::check(&ready)?;
        Ok(ready)
    }
}
