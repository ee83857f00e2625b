//! Node-link JSON: `{ directed, multigraph, graph, nodes: [{ id, ... }], links | edges: [{ source, target, ... }] }`.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::graph::{GraphBuilder, TraceGraph, node_name};
use crate::trace::value::{Attributes, Value};

/// Reads a node-link document. Nesting deeper than 128 is an error of the JSON parser.
pub(super) fn read(text: &str) -> Result<TraceGraph, TraceError> {
    let document: Json = serde_json::from_str(text).map_err(|error| {
        let place = Place::Line { line: error.line(), column: error.column() };
        let problem = if error.is_eof() {
            Problem::Truncated("the JSON document".into())
        } else {
            let message = error.to_string();
            let what = message.split_once(" at line ").map_or(message.as_str(), |(what, _)| what);
            Problem::Malformed(format!("this is not JSON: {what}"))
        };
        TraceError::new(problem).at(place)
    })?;
    let Json::Object(root) = document else {
        return Err(wrong("the document", &document, "an object with `nodes` and `links`"));
    };
    if root.get("directed") == Some(&Json::Bool(false)) {
        return Err(TraceError::new(Problem::Undirected).at(Place::Item("`directed`".into())));
    }
    let mut builder = GraphBuilder::default();
    if let Some(Json::Object(graph)) = root.get("graph") {
        builder.attributes(attributes(graph, &[]));
    }
    for (index, node) in list(&root, &["nodes"])?.iter().enumerate() {
        let place = || Place::Item(format!("nodes[{index}]"));
        let node = object(node, "a node").map_err(|error| error.at(place()))?;
        let id = field(node, "id", "a node").map_err(|error| error.at(place()))?;
        builder.node(id, attributes(node, &["id"])).map_err(|error| error.at(place()))?;
    }
    let edges_name = if root.contains_key("links") { "links" } else { "edges" };
    for (index, edge) in list(&root, &["links", "edges"])?.iter().enumerate() {
        let read_edge = |builder: &mut GraphBuilder| {
            let edge = object(edge, "an edge")?;
            let (from, to) = (field(edge, "source", "an edge")?, field(edge, "target", "an edge")?);
            builder.edge(&from, &to, attributes(edge, &["source", "target"]))
        };
        read_edge(&mut builder).map_err(|error| error.at(Place::Item(format!("{edges_name}[{index}]"))))?;
    }
    Ok(builder.finish())
}

fn list<'a>(root: &'a Map<String, Json>, names: &[&str]) -> Result<&'a [Json], TraceError> {
    let found = names.iter().find_map(|name| root.get(*name));
    match found {
        Some(Json::Array(items)) => Ok(items),
        Some(other) => Err(wrong(&format!("`{}`", names.join("` or `")), other, "a list")),
        None => {
            let problem = Problem::Malformed(format!("the document has no `{}`", names.join("` or `")));
            Err(TraceError::new(problem))
        }
    }
}

fn object<'a>(json: &'a Json, what: &str) -> Result<&'a Map<String, Json>, TraceError> {
    json.as_object().ok_or_else(|| wrong(what, json, "an object"))
}

fn field(object: &Map<String, Json>, name: &str, what: &str) -> Result<Arc<str>, TraceError> {
    let missing = || TraceError::new(Problem::Malformed(format!("{what} has no `{name}`")));
    Ok(node_name(&value(object.get(name).ok_or_else(missing)?)))
}

fn attributes(object: &Map<String, Json>, without: &[&str]) -> Attributes {
    let kept = object.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    Attributes::from_pairs(kept.map(|(name, json)| (Arc::from(name.as_str()), value(json))))
}

/// JSON's parser bounds the depth, so that recursion is safe here.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from))
            .map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::NAN)), Value::Int),
        Json::String(text) => Value::text(text),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(fields) => {
            Value::Dict(fields.iter().map(|(name, json)| (Value::text(name), value(json))).collect())
        }
    }
}

fn wrong(what: &str, found: &Json, expected: &str) -> TraceError {
    let found = match found {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    TraceError::new(Problem::WrongType { what: what.into(), found: found.into(), expected: expected.into() })
}
