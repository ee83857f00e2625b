//! A sweep, loaded and compiled, with all that its run needs.

use std::path::Path;

use super::{Failure, show_warnings};
use crate::explore::Space;
use crate::explore::record::{Identity, Layout};
use crate::ppa::Plan;
use crate::report::table::{Content, Schema};
use crate::spec::Study;
use crate::spec::study::Overrides;

/// What is taken instead of parts of a sweep file, or beside them.
#[derive(Debug, Default, clap::Args)]
pub struct Instead {
    /// Hardware instead of the sweep's: a file (TOML, or the field's JSON) or a stock name.
    #[arg(long, value_name = "FILE")]
    hardware: Option<String>,
    /// File of optimization techniques to apply beside the sweep's own.
    #[arg(long, value_name = "FILE")]
    optimization_config: Option<String>,
}

impl Instead {
    /// For the study.
    pub fn overrides(&self) -> Overrides<'_> {
        Overrides {
            hardware: self.hardware.as_deref(),
            optimization: self.optimization_config.as_deref().map(Path::new),
        }
    }

    /// The same with every name changed.
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let change = |name: &Option<String>| name.as_deref().map(&change);
        Self { hardware: change(&self.hardware), optimization_config: change(&self.optimization_config) }
    }

    /// The sweep and these options, as they are typed.
    pub fn typed(&self, sweep: &str) -> String {
        let option = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!(" --{name} {value}"));
        let options = [option("hardware", &self.hardware), option("optimization-config", &self.optimization_config)];
        std::iter::once(sweep.to_owned()).chain(options.into_iter().flatten()).collect()
    }
}

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
    /// Loads and compiles a sweep, with what was typed instead of parts of it.
    ///
    /// # Errors
    /// Every fault of its files.
    pub fn load(sweep: &str, instead: &Instead, quiet: bool) -> Result<Self, Failure> {
        let (study, warnings) = Study::load_with(sweep, &instead.overrides())?;
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
