//! Readers, one per format, each from bytes to a [`TraceGraph`].

mod dot;
mod dot_words;
mod gml;
mod graphml;
pub mod limits;
mod node_link;
mod pickle;
mod text;

use std::path::Path;

use super::error::{Problem, TraceError};
use super::graph::TraceGraph;
use crate::input::{self, InputError};

/// A format that traces come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A pickled networkx DiGraph, protocols 0 to 5.
    Pickle,
    /// JSON as `networkx.node_link_data` writes it, edges under `links` or `edges`.
    NodeLink,
    /// GraphML as `networkx.write_graphml` writes it.
    GraphMl,
    /// GML as `networkx.write_gml` writes it.
    Gml,
    /// Graphviz DOT.
    Dot,
}

impl Format {
    /// The format of a file, by its name, else by how it begins.
    pub fn detect(path: &Path, bytes: &[u8]) -> Option<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "pkl" | "pickle" | "gpickle" | "p" => Some(Self::Pickle),
            "json" => Some(Self::NodeLink),
            "graphml" | "xml" => Some(Self::GraphMl),
            "gml" => Some(Self::Gml),
            "dot" | "gv" => Some(Self::Dot),
            _ => Self::of_content(bytes),
        }
    }

    fn of_content(bytes: &[u8]) -> Option<Self> {
        let start: Vec<u8> = bytes.iter().copied().skip_while(u8::is_ascii_whitespace).take(16).collect();
        let begins = |word: &[u8]| start.starts_with(word);
        match start.first()? {
            0x80 | b'c' => Some(Self::Pickle),
            b'{' => Some(Self::NodeLink),
            b'<' => Some(Self::GraphMl),
            _ if begins(b"digraph") || begins(b"strict") || begins(b"graph {") => Some(Self::Dot),
            _ if begins(b"graph [") || begins(b"graph\n") || begins(b"Creator") => Some(Self::Gml),
            _ => None,
        }
    }
}

/// Reads the trace at `path`.
///
/// # Errors
/// If the file cannot be read, is larger than [`limits::MAX_FILE_BYTES`], is in no known format, or is wrong.
pub fn from_path(path: &Path) -> Result<TraceGraph, TraceError> {
    let bytes = input::bytes(path, limits::MAX_FILE_BYTES).map_err(|error| match error {
        InputError::TooLarge(_) => too_large(),
        other => TraceError::new(Problem::Unreadable(other.to_string())),
    })?;
    let format = Format::detect(path, &bytes).ok_or_else(|| TraceError::new(Problem::UnknownFormat))?;
    from_bytes(&bytes, format)
}

/// Reads a trace from memory.
///
/// # Errors
/// If it is larger than [`limits::MAX_FILE_BYTES`] or breaks the rules of `format`.
pub fn from_bytes(bytes: &[u8], format: Format) -> Result<TraceGraph, TraceError> {
    check_size(bytes)?;
    match format {
        Format::Pickle => pickle::read(bytes),
        Format::NodeLink => node_link::read(text::utf8(bytes)?),
        Format::GraphMl => graphml::read(text::utf8(bytes)?),
        Format::Gml => gml::read(text::utf8(bytes)?),
        Format::Dot => dot::read(text::utf8(bytes)?),
    }
}

fn check_size(bytes: &[u8]) -> Result<(), TraceError> {
    if bytes.is_empty() {
        return Err(TraceError::new(Problem::Empty));
    }
    if bytes.len() as u64 > limits::MAX_FILE_BYTES {
        return Err(too_large());
    }
    Ok(())
}

fn too_large() -> TraceError {
    TraceError::new(Problem::Limit { what: "the file's size in bytes".into(), limit: limits::MAX_FILE_BYTES })
}
