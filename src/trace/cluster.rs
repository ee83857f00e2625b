//! One cluster of a grouped DOT, as a graph and as DOT.
//!
//! Tracers group calls by stage and connected component: `subgraph cluster_coarse { subgraph cluster_coarse_0 { ... } }`.
//!
//! ```
//! use nerarch_dse::trace::{Format, cluster, read};
//!
//! let text = "digraph { subgraph cluster_coarse { subgraph cluster_coarse_0 { a -> b } c } b -> c }";
//! let graph = read::from_bytes(text.as_bytes(), Format::Dot)?;
//! let (name, part) = cluster::extract(&graph, "coarse:0")?;
//! assert_eq!((&*name, part.nodes().len(), part.edges().len()), ("cluster_coarse_0", 2, 1));
//! # Ok::<(), nerarch_dse::trace::TraceError>(())
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use super::error::{Problem, TraceError};
use super::graph::{GraphBuilder, TraceGraph, shorten};
use super::value::{Attributes, Value};

/// Attribute of a node: the innermost cluster that it stands in.
pub(super) const CLUSTER: &str = "cluster";
/// Attribute of a graph: its clusters in the order of the file, each with the one around it.
pub(super) const CLUSTERS: &str = "clusters";

/// Names of an error message that lists the clusters.
const LISTED: usize = 20;

/// Clusters of a graph in the order of the file, each with the cluster around it.
fn clusters(graph: &TraceGraph) -> Vec<(Arc<str>, Option<Arc<str>>)> {
    let Some(Value::Dict(pairs)) = graph.attributes().get(CLUSTERS) else { return Vec::new() };
    let text = |value: &Value| if let Value::Text(text) = value { Some(text.clone()) } else { None };
    pairs.iter().filter_map(|(name, around)| Some((text(name)?, text(around)))).collect()
}

/// The cluster that `selector` names, with everything within it and the edges between its nodes.
///
/// A selector is a cluster's name with or without `cluster_`, `STAGE:INDEX` for `cluster_STAGE_INDEX`, or the number of
/// an outermost cluster, from 0 in the order of the file. A name comes before a number.
///
/// # Errors
/// If there is no such cluster; the error lists those that there are.
pub fn extract(graph: &TraceGraph, selector: &str) -> Result<(Arc<str>, TraceGraph), TraceError> {
    let clusters = clusters(graph);
    let name = find(&clusters, selector).ok_or_else(|| {
        let shown = clusters.iter().take(LISTED).map(|(name, _)| format!("`{}`", shorten(short_name(name))));
        let left = clusters.len().saturating_sub(LISTED);
        let known = shown.chain((left > 0).then(|| format!("{left} more"))).collect();
        TraceError::new(Problem::NoCluster { wanted: shorten(selector), known })
    })?;
    let around: HashMap<&str, &str> =
        clusters.iter().filter_map(|(name, around)| Some((&**name, &**around.as_ref()?))).collect();
    let within = |cluster: &str| {
        std::iter::successors(Some(cluster), |cluster| around.get(cluster).copied()).any(|cluster| cluster == &*name)
    };
    let inner: HashSet<&str> = clusters.iter().map(|(name, _)| &**name).filter(|name| within(name)).collect();
    let mut builder = GraphBuilder::default();
    let kept = clusters.iter().filter(|(cluster, _)| inner.contains(&**cluster)).map(|(cluster, around)| {
        let around = around.clone().filter(|around| inner.contains(&**around));
        (Value::Text(cluster.clone()), around.map_or(Value::None, Value::Text))
    });
    builder.attributes(Attributes::from_pairs([(Arc::from(CLUSTERS), Value::Dict(kept.collect()))]));
    let is_in = |at: usize| {
        let node = graph.nodes().get(at)?;
        node.attributes.text(CLUSTER).filter(|cluster| inner.contains(cluster)).map(|_| node)
    };
    for node in (0..graph.nodes().len()).filter_map(is_in) {
        builder.node(node.id.clone(), node.attributes.clone())?;
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (is_in(edge.from), is_in(edge.to)) {
            builder.edge(&from.id, &to.id, edge.attributes.clone())?;
        }
    }
    Ok((name, builder.finish()))
}

/// The name that people know: without the prefix that Graphviz asks for.
fn short_name(name: &str) -> &str {
    name.strip_prefix("cluster_").unwrap_or(name)
}

fn find(clusters: &[(Arc<str>, Option<Arc<str>>)], selector: &str) -> Option<Arc<str>> {
    let named = |wanted: &str| {
        let exact = clusters.iter().find(|(name, _)| &**name == wanted);
        exact.or_else(|| clusters.iter().find(|(name, _)| short_name(name) == wanted)).map(|(name, _)| name.clone())
    };
    let selector = selector.trim();
    named(selector)
        .or_else(|| {
            let (stage, index) = selector.rsplit_once(':')?;
            named(&format!("{}_{}", stage.trim(), index.trim().parse::<u32>().ok()?))
        })
        .or_else(|| {
            let number: usize = selector.parse().ok()?;
            clusters.iter().filter(|(_, around)| around.is_none()).nth(number).map(|(name, _)| name.clone())
        })
}

/// A graph as DOT, its clusters as subgraphs. Reading it gives the same nodes, edges and clusters; attribute values that
/// DOT has no type for become text.
pub fn to_dot(graph: &TraceGraph) -> String {
    let clusters = clusters(graph);
    let mut inside: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
    for (name, around) in &clusters {
        inside.entry(around.as_deref()).or_default().push(name);
    }
    let mut members: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (at, node) in graph.nodes().iter().enumerate() {
        members.entry(node.attributes.text(CLUSTER)).or_default().push(at);
    }
    let mut dot = String::from("digraph {\n");
    write_nodes(&mut dot, graph, None, &inside, &members);
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (graph.nodes().get(edge.from), graph.nodes().get(edge.to)) {
            let _ = writeln!(dot, "{} -> {}{};", quoted(&from.id), quoted(&to.id), list(&edge.attributes));
        }
    }
    dot.push_str("}\n");
    dot
}

/// Nodes and clusters of one cluster. A reader lets clusters nest no deeper than `read::limits::MAX_DEPTH`.
fn write_nodes(
    dot: &mut String,
    graph: &TraceGraph,
    cluster: Option<&str>,
    inside: &HashMap<Option<&str>, Vec<&str>>,
    members: &HashMap<Option<&str>, Vec<usize>>,
) {
    for name in inside.get(&cluster).into_iter().flatten() {
        let _ = writeln!(dot, "subgraph {} {{\nlabel={};", quoted(name), quoted(short_name(name)));
        write_nodes(dot, graph, Some(name), inside, members);
        dot.push_str("}\n");
    }
    for node in members.get(&cluster).into_iter().flatten().filter_map(|at| graph.nodes().get(*at)) {
        let _ = writeln!(dot, "{}{};", quoted(&node.id), list(&node.attributes));
    }
}

fn list(attributes: &Attributes) -> String {
    let pairs: Vec<String> = attributes
        .iter()
        .filter(|(name, _)| *name != CLUSTER)
        .map(|(name, value)| match value {
            Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::None => format!("{}={value}", quoted(name)),
            _ => format!("{}={}", quoted(name), quoted(&value.to_string())),
        })
        .collect();
    if pairs.is_empty() { String::new() } else { format!(" [{}]", pairs.join(", ")) }
}

/// Escapes for the drawing (`\n`, `\l`) stay as they are; a backslash that would hide what follows is doubled.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' if matches!(letters.peek(), None | Some('\\' | '"' | '\n')) => out.push_str("\\\\"),
            _ => out.push(letter),
        }
    }
    out + "\""
}
