//! `--plot-dot-subgraph` of `analyze` and `report`: one cluster of a grouped DOT, written and drawn.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::file::save;
use super::trace::failure;
use crate::report::analysis::trace_svg;
use crate::trace::{TraceGraph, cluster, read};

/// Which cluster, and where it goes.
#[derive(Debug, clap::Args)]
pub struct ClusterArguments {
    /// Take a cluster out of a grouped DOT and draw it.
    #[arg(long, requires_all = ["dot", "cluster_index"])]
    plot_dot_subgraph: bool,
    /// The DOT, with nodes in `subgraph cluster_NAME { ... }`.
    #[arg(long, value_name = "FILE", requires = "plot_dot_subgraph")]
    dot: Option<PathBuf>,
    /// The cluster: its name (`coarse`), `STAGE:INDEX` (`coarse:0` is `cluster_coarse_0`), or a number, from 0, of an
    /// outermost one.
    #[arg(long, value_name = "CLUSTER", requires = "plot_dot_subgraph")]
    cluster_index: Option<String>,
    /// Name of the files without extension: below `visuals/` of `analyze`, a path for `report`; the cluster's name if
    /// not given.
    #[arg(long, value_name = "NAME", requires = "plot_dot_subgraph")]
    subgraph_out_prefix: Option<PathBuf>,
}

/// A cluster to be written.
pub struct Drawn {
    prefix: PathBuf,
    name: Arc<str>,
    graph: TraceGraph,
}

impl ClusterArguments {
    /// The cluster that was asked for; `None` if none was.
    pub fn drawn(&self) -> Result<Option<Drawn>, Failure> {
        let (Some(path), Some(selector)) = (&self.dot, &self.cluster_index) else { return Ok(None) };
        let fail = |error| failure(path, &error);
        let graph = read::from_path(path).map_err(fail)?;
        let (name, graph) = cluster::extract(&graph, selector).map_err(fail)?;
        // A cluster may be called anything; only what can name a file does.
        let file = |letter: char| if letter.is_alphanumeric() || "_-.".contains(letter) { letter } else { '_' };
        let own = || PathBuf::from(name.chars().map(file).collect::<String>());
        Ok(Some(Drawn { prefix: self.subgraph_out_prefix.clone().unwrap_or_else(own), name, graph }))
    }
}

impl Drawn {
    /// Writes it below `folder` as DOT and as SVG.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        for (extension, text) in [("dot", cluster::to_dot(&self.graph)), ("svg", trace_svg(&self.graph))] {
            let mut path = folder.join(&self.prefix).into_os_string();
            path.push(".");
            path.push(extension);
            let path = PathBuf::from(path);
            save(&path, text.as_bytes())?;
            let (nodes, edges) = (self.graph.nodes().len(), self.graph.edges().len());
            note!("{}: {} with {nodes} nodes and {edges} edges", path.display(), self.name);
        }
        Ok(())
    }
}
