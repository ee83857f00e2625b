//! A sweep of a file, loaded and compiled, with all that its run needs.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::words::quoted;
use super::{Failure, compare, effects, show_warnings};
use crate::explore::record::{Identity, Layout};
use crate::explore::{Job, Shard, Space};
use crate::ppa::{Mark, Plan, evaluate_marks};
use crate::report::table::{Content, Schema};
use crate::spec::diagnostic::did_you_mean;
use crate::spec::study::Overrides;
use crate::spec::sweep::SweepDecl;
use crate::spec::{Diagnostics, Study};
use crate::trace::workload;

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
            traces: Some(workload::load_default),
        }
    }

    /// The sweep and these options, as a shell takes them.
    pub fn typed(&self, sweep: &str) -> String {
        let option =
            |name: &str, value: &Option<String>| value.as_ref().map(|value| format!(" --{name} {}", quoted(value)));
        let options = [option("hardware", &self.hardware), option("optimization-config", &self.optimization_config)];
        std::iter::once(quoted(sweep)).chain(options.into_iter().flatten()).collect()
    }
}

/// A study that is ready to run.
pub struct Ready {
    /// The declarations.
    pub study: Study,
    /// The compiled plan.
    pub plan: Plan,
    /// The plan that its front is refined with.
    pub refined: Option<Plan>,
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

/// The sweep of a file that was asked for by the name of its run or by its own one; without a name the first.
///
/// # Errors
/// If the file has none of that name.
pub fn choose<T>(
    mut sweeps: Vec<T>,
    file: &str,
    name: Option<&str>,
    decl: impl Fn(&T) -> &SweepDecl,
) -> Result<T, Failure> {
    let is_wanted = |sweep: &SweepDecl, name: &str| {
        let own = sweep.family.as_ref().and_then(|family| sweep.name.strip_prefix(family.as_str())?.strip_prefix('-'));
        sweep.name == name || own == Some(name)
    };
    let wanted = sweeps.iter().position(|sweep| name.is_none_or(|name| is_wanted(decl(sweep), name)));
    match wanted {
        Some(at) => Ok(sweeps.swap_remove(at)),
        None => {
            let (name, known) = (name.unwrap_or_default(), sweeps.iter().map(|sweep| decl(sweep).name.as_str()));
            Err(Failure::input(format!("`{file}` has no sweep `{name}`"), did_you_mean(name, known)))
        }
    }
}

impl Ready {
    /// Loads and compiles the sweeps of a file, with what was typed instead of parts of them.
    ///
    /// # Errors
    /// Every fault of its files.
    pub fn load(sweep: &str, instead: &Instead, quiet: bool) -> Result<Vec<Self>, Failure> {
        let (studies, warnings) = Study::load_all(sweep, &instead.overrides())?;
        if !quiet {
            show_warnings(&warnings);
        }
        let (mut sweeps, mut faults) = (Vec::new(), Vec::new());
        for study in studies {
            match Self::compile(study, quiet) {
                Err(Failure::Input(Diagnostics(more))) => faults.extend(more),
                other => sweeps.push(other?),
            }
        }
        if !faults.is_empty() {
            return Err(Failure::Input(Diagnostics(faults)));
        }
        compare::check(&sweeps)?;
        Ok(sweeps)
    }

    /// The job of evaluating all of it; whoever knows more, or wants less, says so.
    pub fn job<'a>(&'a self, threads: usize, stop: &'a AtomicBool) -> Job<'a> {
        Job {
            plan: &self.plan,
            space: &self.space,
            search: &self.study.sweep.search,
            shown: &self.schema.shown_parameters,
            rows: self.study.sweep.output.rows,
            threads,
            shard: Shard::WHOLE,
            known: None,
            retry_failed: false,
            fail_fast: false,
            stop,
            probe: None,
        }
    }

    fn compile(study: Study, quiet: bool) -> Result<Self, Failure> {
        let (plan, more) = Plan::compile(&study)?;
        if !quiet {
            show_warnings(&more);
        }
        let refined = match study.refined() {
            Some(refined) => Some(Plan::compile(&refined)?.0),
            None => None,
        };
        let space = Space::of(&plan.axes);
        let marks = evaluate_marks(&study)?;
        let schema = Schema::new(&plan, &study.sweep);
        let metrics = schema.columns.iter().filter_map(|column| match column.content {
            Content::Metric { workload, metric } => Some(workload * plan.metric_names.len() + metric),
            _ => None,
        });
        let layout = Layout::new(&plan, metrics.collect(), schema.shown_parameters.len());
        let columns = schema.columns.iter().map(|column| column.name.clone()).collect();
        let identity = Identity::new(&study, &space, columns);
        let ready = Self { study, plan, refined, marks, space, schema, layout, identity };
        effects::check(&ready)?;
        Ok(ready)
    }
}
