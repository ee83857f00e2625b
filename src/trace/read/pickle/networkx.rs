//! Finds the graph in the state of a DiGraph. Every version keeps `_node`, `graph`, and `_succ` or `_adj`; cached views and
//! factories beside them are left alone.

use super::globals::Global;
use super::heap::{Handle, Heap, Object};
use super::unfold::Unfolder;
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::graph::{GraphBuilder, TraceGraph, node_name, shorten};
use crate::trace::value::Attributes;

/// The graph whose object is `root`, from a pickle of `bytes` bytes.
pub(super) fn graph(heap: &Heap, root: Handle, bytes: usize) -> Result<TraceGraph, TraceError> {
    let state = match heap.get(root) {
        Object::Instance { class: Global::DiGraph, state: Some(state) } => *state,
        Object::Instance { class: Global::DiGraph, state: None } => {
            return Err(TraceError::new(Problem::Malformed("the DiGraph has no content".into())));
        }
        Object::Instance { class: Global::Graph, .. } => return Err(TraceError::new(Problem::Undirected)),
        Object::Instance { class: Global::MultiGraph, .. } => return Err(not_a_graph("a networkx multigraph")),
        other => return Err(not_a_graph(other.kind())),
    };
    let mut unfold = Unfolder::new(heap, bytes);
    let state = State { heap, pairs: unfold.dictionary(state, "the state of the DiGraph")? };
    let mut builder = GraphBuilder::default();
    if let Some(attributes) = state.find("graph") {
        let attributes = unfold.attributes(attributes, "`graph`").map_err(|error| error.at(item("`graph`")))?;
        builder.attributes(attributes);
    }
    for (key, attributes) in unfold.dictionary(state.need("_node", "node")?, "`_node`")? {
        let name = node_name(&unfold.value(*key)?);
        let place = || item(format!("node `{}`", shorten(&name)));
        let attributes = unfold.attributes(*attributes, "what a node holds").map_err(|error| error.at(place()))?;
        builder.node(name.clone(), attributes)?;
    }
    for (key, targets) in unfold.dictionary(state.need("_succ", "_adj")?, "`_succ`")? {
        let from = node_name(&unfold.value(*key)?);
        let place = || item(format!("the edges of node `{}`", shorten(&from)));
        for (key, attributes) in
            unfold.dictionary(*targets, "a node's successors").map_err(|error| error.at(place()))?
        {
            let to = node_name(&unfold.value(*key)?);
            let attributes: Attributes =
                unfold.attributes(*attributes, "what an edge holds").map_err(|error| error.at(place()))?;
            builder.edge(&from, &to, attributes).map_err(|error| error.at(place()))?;
        }
    }
    Ok(builder.finish())
}

fn item(name: impl Into<String>) -> Place {
    Place::Item(name.into())
}

fn not_a_graph(found: &str) -> TraceError {
    TraceError::new(Problem::WrongType {
        what: "the pickled object".into(),
        found: found.into(),
        expected: "a networkx DiGraph".into(),
    })
}

/// The state of a DiGraph: its fields by name.
struct State<'a> {
    heap: &'a Heap,
    pairs: &'a [(Handle, Handle)],
}

impl State<'_> {
    fn find(&self, name: &str) -> Option<Handle> {
        let is_name = |key: Handle| matches!(self.heap.get(key), Object::Text(text) if &**text == name);
        self.pairs.iter().rev().find(|(key, _)| is_name(*key)).map(|(_, value)| *value)
    }

    fn need(&self, name: &str, older: &str) -> Result<Handle, TraceError> {
        let missing = || TraceError::new(Problem::Malformed(format!("the DiGraph has no `{name}`")));
        self.find(name).or_else(|| self.find(older)).ok_or_else(missing)
    }
}
