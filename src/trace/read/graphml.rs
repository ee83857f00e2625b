//! GraphML: `<key>` declares attributes with their types, `<node>` and `<edge>` hold `<data>`.

use std::collections::HashMap;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::limits::MAX_DEPTH;
use super::text::word_value;
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::graph::{GraphBuilder, TraceGraph};
use crate::trace::value::{Attributes, Value};

/// Reads a GraphML document. Entities beyond XML's own five and character references are refused, so nothing expands.
pub(super) fn read(text: &str) -> Result<TraceGraph, TraceError> {
    let mut reader = Reader::from_str(text);
    let mut document = Document::default();
    loop {
        let place = |reader: &Reader<&[u8]>| Place::in_text(text, reader.buffer_position() as usize);
        let event = reader.read_event().map_err(|error| malformed(format!("this is not XML: {error}")));
        let event = event.map_err(|error| error.at(place(&reader)))?;
        let done = matches!(event, Event::Eof);
        document.event(event).map_err(|error| error.at(place(&reader)))?;
        if done {
            return document.finish();
        }
    }
}

fn malformed(message: impl Into<String>) -> TraceError {
    TraceError::new(Problem::Malformed(message.into()))
}

/// Something that holds `<data>`.
#[derive(Debug)]
enum Owner {
    Graph,
    Node(Arc<str>),
    Edge(String, String),
}

/// Attributes as they come.
type Pairs = Vec<(Arc<str>, Value)>;

#[derive(Debug, Default)]
struct Document {
    builder: GraphBuilder,
    /// Name and type of the attribute behind a key.
    keys: HashMap<String, (Arc<str>, String)>,
    owners: Vec<(Owner, Pairs)>,
    /// The key and the text of the open `<data>`.
    data: Option<(String, String)>,
    edges: Vec<(String, String, Attributes)>,
    seen_graph: bool,
    depth: usize,
}

impl Document {
    fn event(&mut self, event: Event<'_>) -> Result<(), TraceError> {
        match event {
            Event::Start(element) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    let problem = Problem::Limit { what: "the depth of XML elements".into(), limit: MAX_DEPTH as u64 };
                    return Err(TraceError::new(problem));
                }
                self.start(&element)
            }
            Event::Empty(element) => {
                self.start(&element)?;
                self.end(element.local_name().as_ref())
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(element.local_name().as_ref())
            }
            Event::Text(text) => {
                let decoded = text.decode().map_err(|error| malformed(format!("a text is broken: {error}")))?;
                self.append(&decoded);
                Ok(())
            }
            Event::CData(text) => {
                let decoded = text.decode().map_err(|error| malformed(format!("a text is broken: {error}")))?;
                self.append(&decoded);
                Ok(())
            }
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref() {
                    Ok(Some(character)) => character.to_string(),
                    _ => {
                        let name = reference.decode().unwrap_or_default().into_owned();
                        let known = quick_xml::escape::resolve_xml_entity(&name);
                        known.ok_or_else(|| malformed(format!("entity `&{name};` is not known")))?.to_owned()
                    }
                };
                self.append(&character);
                Ok(())
            }
            Event::Eof if self.depth > 0 => Err(TraceError::new(Problem::Truncated("an XML element".into()))),
            _ => Ok(()),
        }
    }

    fn append(&mut self, more: &str) {
        if let Some((_, text)) = &mut self.data {
            text.push_str(more);
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), TraceError> {
        match element.local_name().as_ref() {
            b"key" => {
                let id = required(element, "id")?;
                let name = attribute(element, "attr.name")?.unwrap_or_else(|| id.clone());
                let kind = attribute(element, "attr.type")?.unwrap_or_else(|| "string".into());
                self.keys.insert(id, (Arc::from(name), kind));
            }
            b"graph" => {
                self.seen_graph = true;
                if attribute(element, "edgedefault")?.as_deref() == Some("undirected") {
                    return Err(TraceError::new(Problem::Undirected));
                }
                self.owners.push((Owner::Graph, Vec::new()));
            }
            b"node" => self.owners.push((Owner::Node(Arc::from(required(element, "id")?)), Vec::new())),
            b"edge" => {
                let ends = Owner::Edge(required(element, "source")?, required(element, "target")?);
                self.owners.push((ends, Vec::new()));
            }
            b"data" => self.data = Some((required(element, "key")?, String::new())),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) -> Result<(), TraceError> {
        match name {
            b"data" => {
                let Some((key, text)) = self.data.take() else { return Ok(()) };
                let declared = self.keys.get(&key);
                let (name, kind) =
                    declared.ok_or_else(|| malformed(format!("data uses key `{key}`, which is not declared")))?;
                let value = match kind.as_str() {
                    "string" => Value::text(&text),
                    _ => word_value(text.trim()),
                };
                if let Some((_, pairs)) = self.owners.last_mut() {
                    pairs.push((name.clone(), value));
                }
            }
            b"graph" | b"node" | b"edge" => {
                let Some((owner, pairs)) = self.owners.pop() else { return Ok(()) };
                let attributes = Attributes::from_pairs(pairs);
                match owner {
                    Owner::Graph => self.builder.attributes(attributes),
                    Owner::Node(id) => self.builder.node(id, attributes)?,
                    Owner::Edge(from, to) => self.edges.push((from, to, attributes)),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Edges may stand before their nodes, so they are added last.
    fn finish(mut self) -> Result<TraceGraph, TraceError> {
        if !self.seen_graph {
            return Err(malformed("the document has no <graph>"));
        }
        for (index, (from, to, attributes)) in self.edges.into_iter().enumerate() {
            let place = Place::Item(format!("<edge> {}", index + 1));
            self.builder.edge(&from, &to, attributes).map_err(|error| error.at(place))?;
        }
        Ok(self.builder.finish())
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, TraceError> {
    let found =
        element.try_get_attribute(name).map_err(|error| malformed(format!("an XML attribute is broken: {error}")))?;
    let Some(found) = found else { return Ok(None) };
    let value = found.unescape_value().map_err(|error| malformed(format!("an XML attribute is broken: {error}")))?;
    Ok(Some(value.into_owned()))
}

fn required(element: &BytesStart<'_>, name: &str) -> Result<String, TraceError> {
    let tag = element.local_name();
    let missing = || malformed(format!("<{}> has no `{name}`", String::from_utf8_lossy(tag.as_ref())));
    attribute(element, name)?.ok_or_else(missing)
}
