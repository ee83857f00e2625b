//! Iterations of a training pipeline: `overlap` says what of one iteration the next one waits for, `recurrence` how often
//! iterations can follow each other then.

mod overlap;
mod recurrence;

pub(super) use overlap::{Iterations, Span};
