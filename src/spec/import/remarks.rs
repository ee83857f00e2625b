//! Remarks on suspicious figures.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use crate::spec::{Collector, Diagnostic, Span};

/// Remarks on one file that are shown; a file with more is not read more closely by seeing them all.
const MOST_REMARKS: usize = 50;

/// Where remarks on one file go.
pub struct Remarks<'a> {
    diagnostics: &'a Collector,
    count: Cell<usize>,
    said: RefCell<HashSet<&'static str>>,
}

impl<'a> Remarks<'a> {
    /// No remarks so far.
    pub fn new(diagnostics: &'a Collector) -> Self {
        Self { diagnostics, count: Cell::new(0), said: RefCell::new(HashSet::new()) }
    }

    /// Where faults go.
    pub fn diagnostics(&self) -> &'a Collector {
        self.diagnostics
    }

    /// Remarks on a place.
    pub fn warn(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        let count = self.count.get() + 1;
        self.count.set(count);
        if count <= MOST_REMARKS {
            self.diagnostics.warning(Diagnostic::new(span, message).help(help));
        }
    }

    /// Remarks on the first place at which a file does something.
    pub fn warn_once(&self, what: &'static str, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        if self.said.borrow_mut().insert(what) {
            self.warn(span, message, help);
        }
    }

    /// Reports a fault.
    pub fn error(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(Diagnostic::new(span, message).help(help));
    }

    /// Says how many remarks were not shown.
    pub fn finish(&self, span: &Span) {
        let count = self.count.get();
        if count > MOST_REMARKS {
            let message = format!("{} further remarks on this file are not shown", count - MOST_REMARKS);
            self.diagnostics.warning(Diagnostic::new(span, message).help("mend what is shown and import again"));
        }
    }
}
