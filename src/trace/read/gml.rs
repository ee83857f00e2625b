//! GML: keys and values, lists in square brackets; networkx keeps a node's name in `label`.

use std::collections::HashMap;
use std::sync::Arc;

use super::limits::MAX_DEPTH;
use super::text::word_value;
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::graph::{GraphBuilder, TraceGraph, node_name};
use crate::trace::value::{Attributes, Value};

/// Reads a GML document.
pub(super) fn read(text: &str) -> Result<TraceGraph, TraceError> {
    let mut parser = Parser { text, offset: 0 };
    let document = parser.pairs(0).map_err(|error| error.at(Place::in_text(text, parser.offset)))?;
    let graph = find(&document, "graph").ok_or_else(|| malformed("the document has no `graph [ ... ]`"))?;
    let Gml::List(graph) = graph else { return Err(malformed("`graph` is not a list in brackets")) };
    if !matches!(find(graph, "directed"), Some(Gml::Value(Value::Int(1)))) {
        return Err(TraceError::new(Problem::Undirected));
    }
    let mut builder = GraphBuilder::default();
    let mut names: HashMap<String, Arc<str>> = HashMap::new();
    for (index, node) in lists(graph, "node").enumerate() {
        let place = Place::Item(format!("node {}", index + 1));
        let id = value_of(node, "id").ok_or_else(|| malformed("a node has no `id`").at(place.clone()))?;
        let name = node_name(value_of(node, "label").unwrap_or(id));
        names.insert(id.to_string(), name.clone());
        builder.node(name, attributes(node, &["id", "label"])).map_err(|error| error.at(place))?;
    }
    for (index, edge) in lists(graph, "edge").enumerate() {
        let place = Place::Item(format!("edge {}", index + 1));
        let end = |name: &str| {
            let id =
                value_of(edge, name).ok_or_else(|| malformed(format!("an edge has no `{name}`")).at(place.clone()))?;
            let known = names.get(&id.to_string()).cloned();
            known.ok_or_else(|| TraceError::new(Problem::DanglingEdge(id.to_string())).at(place.clone()))
        };
        builder.edge(&end("source")?, &end("target")?, attributes(edge, &["source", "target"]))?;
    }
    builder.attributes(attributes(graph, &["node", "edge", "directed", "multigraph"]));
    Ok(builder.finish())
}

fn malformed(message: impl Into<String>) -> TraceError {
    TraceError::new(Problem::Malformed(message.into()))
}

#[derive(Debug)]
enum Gml {
    Value(Value),
    List(Pairs),
}

type Pairs = Vec<(String, Gml)>;

fn find<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a Gml> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn lists<'a>(pairs: &'a Pairs, name: &'a str) -> impl Iterator<Item = &'a Pairs> {
    pairs.iter().filter(move |(key, _)| key == name).filter_map(|(_, value)| match value {
        Gml::List(list) => Some(list),
        Gml::Value(_) => None,
    })
}

fn value_of<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a Value> {
    match find(pairs, name)? {
        Gml::Value(value) => Some(value),
        Gml::List(_) => None,
    }
}

/// A key that repeats is a list, as networkx writes one.
fn attributes(pairs: &Pairs, without: &[&str]) -> Attributes {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut merged: Vec<(Arc<str>, Vec<Value>)> = Vec::new();
    for (name, value) in pairs.iter().filter(|(name, _)| !without.contains(&name.as_str())) {
        let place = *places.entry(name).or_insert(merged.len());
        match merged.get_mut(place) {
            Some((_, values)) => values.push(plain(value)),
            None => merged.push((Arc::from(name.as_str()), vec![plain(value)])),
        }
    }
    Attributes::from_pairs(merged.into_iter().map(|(name, mut values)| {
        let only = if values.len() == 1 { values.pop() } else { None };
        (name, only.unwrap_or(Value::List(values)))
    }))
}

fn plain(value: &Gml) -> Value {
    match value {
        Gml::Value(value) => value.clone(),
        Gml::List(pairs) => Value::Dict(pairs.iter().map(|(name, value)| (Value::text(name), plain(value))).collect()),
    }
}

struct Parser<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.offset += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.offset += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter: char| letter.is_whitespace() || "[]\"".contains(letter)).unwrap_or(rest.len());
        let (word, _) = rest.split_at(end);
        self.offset += end;
        word
    }

    fn pairs(&mut self, depth: usize) -> Result<Pairs, TraceError> {
        if depth > MAX_DEPTH {
            let problem = Problem::Limit { what: "the depth of nested lists".into(), limit: MAX_DEPTH as u64 };
            return Err(TraceError::new(problem));
        }
        let mut pairs = Vec::new();
        loop {
            self.skip_blanks();
            match self.rest().chars().next() {
                None if depth == 0 => return Ok(pairs),
                None => return Err(TraceError::new(Problem::Truncated("a list in brackets".into()))),
                Some(']') if depth > 0 => {
                    self.offset += 1;
                    return Ok(pairs);
                }
                Some(_) => {}
            }
            let key = self.word();
            if key.is_empty() {
                return Err(malformed("a key is needed here"));
            }
            self.skip_blanks();
            let value = self.value(depth)?;
            pairs.push((key.to_owned(), value));
        }
    }

    fn value(&mut self, depth: usize) -> Result<Gml, TraceError> {
        match self.rest().chars().next() {
            Some('[') => {
                self.offset += 1;
                self.pairs(depth + 1).map(Gml::List)
            }
            Some('"') => {
                let rest = self.rest().get(1..).unwrap_or_default();
                let end =
                    rest.find('"').ok_or_else(|| TraceError::new(Problem::Truncated("a text in quotes".into())))?;
                self.offset += end + 2;
                let quoted = rest.get(..end).unwrap_or_default();
                let text = quick_xml::escape::unescape(quoted)
                    .map_err(|error| malformed(format!("a text is broken: {error}")))?;
                Ok(Gml::Value(Value::text(text)))
            }
            _ => match self.word() {
                "" => Err(malformed("a value is needed here")),
                word => Ok(Gml::Value(word_value(word))),
            },
        }
    }
}
