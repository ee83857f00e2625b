//! Text that came from a file, and places in it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// One declaration file: the name that errors print and its whole text.
#[derive(Debug)]
pub struct Source {
    /// The path as the user would write it; `stock:...` for a file inside the binary.
    pub name: String,
    /// The whole text, UTF-8.
    pub text: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a source came from, so that its companion files are looked for in the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file on disk.
    File(PathBuf),
    /// A file inside the binary, by its path in the repository.
    Stock(String),
    /// What was typed, written down as a file of that kind: names in it are the user's own and may be anywhere.
    CommandLine,
}

/// A byte range in a [`Source`], carried by everything that was read so that a later error can point at it.
#[derive(Clone)]
pub struct Span {
    source: Arc<Source>,
    range: Range<usize>,
}

impl Span {
    /// A place in `source`. A range beyond its end, or one that would split a character, is moved to the nearest valid one.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        let text = &source.text;
        let start = floor_boundary(text, range.start);
        let end = floor_boundary(text, range.end).max(start);
        Self { source: Arc::clone(source), range: start..end }
    }

    /// The file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The byte range in the file's text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The text of the range.
    pub fn text(&self) -> &str {
        &self.source.text[self.range.clone()]
    }

    /// A part of this span, `range` counted from its start.
    pub fn part(&self, range: Range<usize>) -> Self {
        Self::new(&self.source, self.range.start + range.start..self.range.start + range.end)
    }

    /// Line and column, both from 1; columns count characters.
    pub fn line_column(&self) -> (usize, usize) {
        let before = &self.source.text[..self.range.start];
        let line = before.matches('\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[line_start..].chars().count() + 1)
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `file:line:column`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
