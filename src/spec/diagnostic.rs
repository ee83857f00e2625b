//! What is wrong with the user's files: collected, then shown all at once with their places.

use std::cell::RefCell;
use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::source::Span;

/// One fault of one file, or one remark on it.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where; `None` only where no file could be read at all.
    pub span: Option<Span>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault at `span`.
    pub fn new(span: &Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span.clone()), help: None }
    }

    /// A fault without a place, such as a file that cannot be opened.
    pub fn placeless(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, help: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn render(&self, severity: Severity, renderer: &Renderer) -> String {
        let level = match severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(self.message.as_str());
        let mut groups: Vec<Group<'_>> = Vec::new();
        match &self.span {
            Some(span) => {
                let snippet = Snippet::source(span.source().text.as_str())
                    .path(span.source().name.as_str())
                    .annotation(AnnotationKind::Primary.span(span.range()));
                groups.push(title.element(snippet));
            }
            None => {
                // Rendered by themselves: two titles in one report would be joined by the margin of a snippet.
                let titles = [Some(title), self.help.as_deref().map(|help| Level::HELP.secondary_title(help))];
                let texts = titles.into_iter().flatten().map(|title| renderer.render(&[Group::with_title(title)]));
                return texts.collect::<Vec<_>>().join("\n");
            }
        }
        if let Some(help) = &self.help {
            groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
        }
        renderer.render(&groups)
    }
}

enum Severity {
    Error,
    Warning,
}

/// Collects the faults of all files while they are read, so that one run shows every one of them.
#[derive(Debug, Default)]
pub struct Collector {
    errors: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
}

impl Collector {
    /// Adds a fault.
    pub fn error(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }

    /// Adds a remark that does not stop the run.
    pub fn warning(&self, diagnostic: Diagnostic) {
        self.warnings.borrow_mut().push(diagnostic);
    }

    /// Number of faults so far.
    pub fn error_count(&self) -> usize {
        self.errors.borrow().len()
    }

    /// `value` with the remarks if nothing is wrong, else every fault, in reading order.
    pub fn finish<T>(self, value: Option<T>) -> Result<(T, Vec<Diagnostic>), Diagnostics> {
        let errors = self.errors.into_inner();
        match value {
            Some(value) if errors.is_empty() => Ok((value, self.warnings.into_inner())),
            _ => Err(Diagnostics(errors)),
        }
    }
}

/// Everything that is wrong with the input of a run. Exit status 2.
#[derive(Debug, Clone)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// The text for a terminal (`styled`) or a file.
    pub fn render(&self, styled: bool) -> String {
        render_all(&self.0, styled, || Severity::Error)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// The text of remarks, as [`Diagnostics::render`] does for faults.
pub fn render_warnings(warnings: &[Diagnostic], styled: bool) -> String {
    render_all(warnings, styled, || Severity::Warning)
}

/// Most faults of a kind that are shown: a file that is wrong a million times is not read to its end.
const MAX_SHOWN: usize = 100;

fn render_all(items: &[Diagnostic], styled: bool, severity: impl Fn() -> Severity) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let mut seen = std::collections::HashSet::new();
    let mut texts: Vec<String> = items
        .iter()
        .take(MAX_SHOWN)
        .map(|item| item.render(severity(), &renderer))
        .filter(|text| seen.insert(text.clone()))
        .collect();
    if items.len() > MAX_SHOWN {
        texts.push(format!("and {} more", items.len() - MAX_SHOWN));
    }
    texts.join("\n\n")
}

/// The nearest of `known` to a mistyped `name`, as a remedy; else the list of what is known.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(name.len()) / 3)
        .min();
    match nearest {
        Some((_, candidate)) => format!("did you mean `{candidate}`?"),
        None if known.is_empty() => "nothing of this kind is known here".into(),
        None => {
            let mut list: Vec<&str> = known;
            list.sort_unstable();
            list.dedup();
            let more = list.len().saturating_sub(24);
            list.truncate(24);
            let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("known are: {}{tail}", list.join(", "))
        }
    }
}
