//! What can be wrong with a trace or a table: what, where, and what to do about it.

use std::fmt;

/// Where in a file a fault is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Offset from the start of the file, in bytes.
    Byte(usize),
    /// Line and column, both from 1.
    Line {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// A named part of the file, such as `nodes[3]`.
    Item(String),
}

impl Place {
    /// The line and column of byte `offset` in `text`.
    pub(crate) fn in_text(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        Self::Line { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(formatter, "byte {offset}"),
            Self::Line { line, column } => write!(formatter, "line {line}, column {column}"),
            Self::Item(name) => formatter.write_str(name),
        }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// No reader knows the file.
    #[error("this is no trace format that is known here")]
    UnknownFormat,
    /// The file ends in the middle of something.
    #[error("the file ends in the middle of {0}")]
    Truncated(String),
    /// The file breaks the rules of its format.
    #[error("{0}")]
    Malformed(String),
    /// A pickle names a Python object that is not on the allow-list.
    #[error("the pickle asks for `{0}`, which is not on the list of objects a trace may hold")]
    ForbiddenGlobal(String),
    /// A pickle uses a feature that a trace has no need of.
    #[error("the pickle uses {0}, which a trace has no need of")]
    Unsupported(String),
    /// One of the documented limits is exceeded.
    #[error("{what} exceeds the limit of {limit}")]
    Limit {
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// A value is not what a trace needs at this place.
    #[error("{what} is {found} where {expected} is needed")]
    WrongType {
        /// The part of the trace.
        what: String,
        /// What was found.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// An edge names a node that does not exist.
    #[error("an edge names node `{0}`, which is not in the graph")]
    DanglingEdge(String),
    /// Two nodes have the same name.
    #[error("two nodes are called `{0}`")]
    RepeatedNode(String),
    /// The graph is undirected.
    #[error("the graph is undirected")]
    Undirected,
    /// Calls depend on one another in a circle, even without call edges.
    #[error("the data and order edges of the trace run in a circle: {0}")]
    Circle(String),
    /// A graph has no cluster of that name.
    #[error("there is no cluster `{wanted}` in the graph; it has {}", if known.is_empty() { "none".into() } else { known.join(", ") })]
    NoCluster {
        /// What was asked for.
        wanted: String,
        /// Those that there are, as one asks for them; long lists are cut.
        known: Vec<String>,
    },
    /// A table of traced calls is wrong.
    #[error("the call table `{table}` is wrong: {message}")]
    Table {
        /// The table's file.
        table: String,
        /// What is wrong, perhaps in several lines.
        message: String,
    },
}

/// A fault of a trace or of a table: the problem, its place, and the remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceError {
    problem: Problem,
    place: Option<Place>,
}

impl TraceError {
    /// A fault without a place.
    pub fn new(problem: Problem) -> Self {
        Self { problem, place: None }
    }

    /// The same fault at `place`, unless it has one already.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Where, if there is a place.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self.problem {
            Problem::Unreadable(_) => "check that the path is right and that the file may be read",
            Problem::Empty | Problem::Truncated(_) => "write the trace again and copy the whole file",
            Problem::UnknownFormat => "give a pickled networkx DiGraph (.pkl), node-link .json, .graphml, .gml or .dot",
            Problem::ForbiddenGlobal(_) => {
                "do not load this file in Python if you do not trust it; else keep only numbers, text, lists, tuples and \
                 dicts as attributes, or export node-link JSON"
            }
            Problem::Malformed(_) | Problem::Unsupported(_) | Problem::WrongType { .. } => {
                "export the trace again, best as node-link JSON (networkx.node_link_data)"
            }
            Problem::Limit { .. } => "trace fewer rays or fewer chunks, or keep large values out of the attributes",
            Problem::DanglingEdge(_) | Problem::RepeatedNode(_) => {
                "every node needs one entry of its own; export the trace again"
            }
            Problem::Undirected => "a trace is directed: export a networkx DiGraph",
            Problem::Circle(_) => {
                "name the attribute of the call edges in the table's [edges], so that calls are told apart from data"
            }
            Problem::NoCluster { .. } => {
                "name one of them, or give a DOT whose nodes stand in `subgraph cluster_NAME { ... }`"
            }
            Problem::Table { .. } => "correct the table; operators/traces/ has examples",
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.problem)?;
        if let Some(place) = &self.place {
            write!(formatter, " (at {place})")?;
        }
        write!(formatter, "; {}", self.remedy())
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.problem)
    }
}
