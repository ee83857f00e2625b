//! `nerarch-dse graph`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use super::{Failure, file, show_warnings};
use crate::report::figure::pipeline_svg;
use crate::report::graph::{Detail, PipelineGraph};
use crate::spec::catalog::{self, Category};
use crate::spec::{Collector, Diagnostics, kind, pipeline, traced};
use crate::trace::workload;

/// How the graph is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The language of Graphviz.
    Dot,
    /// A figure for a paper.
    Svg,
}

/// What `graph` was told.
#[derive(Debug, clap::Args)]
pub struct GraphArguments {
    /// The pipeline: a file, the name of a stock one, or a trace.
    pipeline: String,
    /// Show the stages of composite operators.
    #[arg(long)]
    expanded: bool,
    /// How to write it; by the ending of --output if not given, else DOT.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write; printed if not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the graph of a pipeline.
pub fn run(arguments: &GraphArguments) -> Result<ExitCode, Failure> {
    let fail = |fault| Failure::Input(Diagnostics(vec![fault]));
    let diagnostics = Collector::default();
    let pipeline = if traced::is_trace(&arguments.pipeline) {
        let workload = workload::load_default(Path::new(&arguments.pipeline)).map_err(fail)?;
        traced::check(&workload, &arguments.pipeline, &diagnostics).map(|(_, pipeline)| pipeline)
    } else {
        let source = catalog::find(Category::Pipeline, &arguments.pipeline, None).map_err(fail)?;
        pipeline::read(&source, &diagnostics)
    };
    let mut kinds = kind::stock().1.to_vec();
    let (pipeline, warnings) = diagnostics.finish(pipeline)?;
    show_warnings(&warnings);
    kinds.extend(pipeline.kinds.iter().cloned());
    let detail = if arguments.expanded { Detail::Expanded } else { Detail::Coarse };
    let graph = PipelineGraph::new(&pipeline, &kinds, detail)?;
    let is_svg = arguments.output.as_ref().is_some_and(|path| path.extension().is_some_and(|ending| ending == "svg"));
    let format = arguments.format.unwrap_or(if is_svg { Format::Svg } else { Format::Dot });
    let text = match format {
        Format::Dot => graph.to_dot(),
        Format::Svg => pipeline_svg(&graph).map_err(|_| {
            Failure::input(format!("pipeline `{}` has no operator to draw", graph.name), "add an [[operator]]")
        })?,
    };
    file::write(arguments.output.as_deref(), &text)?;
    Ok(ExitCode::SUCCESS)
}
