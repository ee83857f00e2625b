//! `[schedule]` of a pipeline or a sweep: who goes first where operators compete for a unit.

use super::diagnostic::Collector;
use super::reader::{Quantity, Reader, quantity};
use super::source::Span;
use super::tree::Table;

/// The order of work that competes for a unit.
#[derive(Debug, Clone)]
pub struct ScheduleDecl {
    /// Where its table stands.
    pub span: Span,
    /// The order.
    pub policy: PolicyDecl,
}

/// What a policy looks at.
#[derive(Debug, Clone)]
pub enum PolicyDecl {
    /// `alpha * successors + beta * critical impact`, highest first.
    Dags {
        /// Weight of the share of operators that come after.
        alpha: Quantity,
        /// Weight of the longest path to the end.
        beta: Quantity,
    },
    /// The longest path to the end first.
    CriticalPath,
    /// First ready, first served.
    Fifo,
    /// Operators by weight, highest first; 0 for those not named.
    Weights(Vec<(String, Span, Quantity)>),
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    Dags,
    CriticalPath,
    Fifo,
    Weights,
}

const WORDS: [(&str, Word); 4] =
    [("dags", Word::Dags), ("critical-path", Word::CriticalPath), ("fifo", Word::Fifo), ("weights", Word::Weights)];

/// Reads a `[schedule]` table; faults go to `diagnostics`.
pub fn read(table: &Table, diagnostics: &Collector) -> Option<ScheduleDecl> {
    let reader = Reader::new(table, "[schedule]", diagnostics);
    reader.required("policy");
    let word = reader.choice("policy", &WORDS);
    let (alpha, beta) = (reader.quantity("alpha"), reader.quantity("beta"));
    let weights = reader.table("weights");
    if let (Some(stated), Some(word)) = (alpha.as_ref().or(beta.as_ref()), word)
        && word != Word::Dags
    {
        reader.error(&stated.span, "only DAGS has `alpha` and `beta`", "remove them, or write policy = \"dags\"");
    }
    if let (Some(table), Some(word)) = (weights, word)
        && word != Word::Weights
    {
        reader.error(&table.span, "this policy has no weights", "remove them, or write policy = \"weights\"");
    }
    let one = || Quantity::constant(1.0, &table.span);
    let policy = match word? {
        Word::Dags => PolicyDecl::Dags { alpha: alpha.unwrap_or_else(one), beta: beta.unwrap_or_else(one) },
        Word::CriticalPath => PolicyDecl::CriticalPath,
        Word::Fifo => PolicyDecl::Fifo,
        Word::Weights => {
            reader.required("weights");
            let inner = Reader::new(weights?, "[schedule] weights", diagnostics);
            let weight = |(name, span, node): &(String, Span, _)| {
                Some((name.clone(), span.clone(), quantity(node, name, diagnostics)?))
            };
            PolicyDecl::Weights(inner.rest().into_iter().filter_map(weight).collect())
        }
    };
    reader.finish();
    Some(ScheduleDecl { span: table.span.clone(), policy })
}
