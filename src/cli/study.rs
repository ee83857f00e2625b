//! A sweep, loaded and compiled, with all that its run needs.

use std::path::Path;

use super::{Failure, show_warnings};
use crate::explore::Space;
use crate::explore::record::{Identity, Layout};
use crate::ppa::Plan;
use crate::report::table::{Content, Schema};
use crate::spec::Study;

/// A study that is ready to run.
pub struct Ready {
    /// The declarations.
    pub study: Study,
    /// The compiled plan.
    pub plan: Plan,
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
    /// Loads and compiles a sweep, with the techniques that the file `optimization` adds.
    ///
    /// # Errors
    /// Every fault of its files.
    pub fn load(sweep: &str, optimization: Option<&Path>, quiet: bool) -> Result<Self, Failure> {
        let (study, warnings) = Study::load_with(sweep, optimization)?;
        let (plan, more) = Plan::compile(&study)?;
        if !quiet {
            show_warnings(&warnings);
            show_warnings(&more);
        }
        let Some(space) = Space::new(&plan.axes) else {
            return Err(Failure::input("this space has 2^64 points or more", "fix some axes"));
        };
        let schema = Schema::new(&plan, &study.sweep);
        let metrics = schema.columns.iter().filter_map(|column| match column.content {
            Content::Metric { workload, metric } => Some(workload * plan.metric_names.len() + metric),
            _ => None,
        });
        let layout = Layout::new(&plan, metrics.collect(), schema.shown_parameters.len());
        let columns = schema.columns.iter().map(|column| column.name.clone()).collect();
        let identity = Identity::new(&study, &space, columns);
        Ok(Self { study, plan, space, schema, layout, identity })
    }
}

/// The arguments that name a sweep, as they were typed.
pub fn typed(sweep: &str, optimization: Option<&Path>) -> String {
    match optimization {
        Some(file) => format!("{sweep} --optimization-config {}", file.display()),
        None => sweep.to_owned(),
    }
}
