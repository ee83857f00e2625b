//! Objects of the heap to values: sharing is written out, circles are refused.

use std::sync::Arc;

use super::heap::{Handle, Heap, Object};
use crate::trace::error::{Problem, TraceError};
use crate::trace::read::limits::{MAX_DEPTH, max_values};
use crate::trace::value::{Attributes, Value};

/// Unfolds objects within a budget of values.
#[derive(Debug)]
pub(super) struct Unfolder<'a> {
    heap: &'a Heap,
    budget: usize,
    limit: usize,
}

impl<'a> Unfolder<'a> {
    /// For a pickle of `bytes` bytes.
    pub(super) fn new(heap: &'a Heap, bytes: usize) -> Self {
        let limit = max_values(bytes);
        Self { heap, budget: limit, limit }
    }

    /// The pairs of a dictionary.
    pub(super) fn dictionary(&self, handle: Handle, what: &str) -> Result<&'a [(Handle, Handle)], TraceError> {
        match self.heap.get(handle) {
            Object::Dict(pairs) => Ok(pairs),
            other => Err(TraceError::new(Problem::WrongType {
                what: what.into(),
                found: other.kind().into(),
                expected: "a dictionary".into(),
            })),
        }
    }

    /// The entries of a dictionary whose keys are text (others are named as Python prints them).
    pub(super) fn attributes(&mut self, handle: Handle, what: &str) -> Result<Attributes, TraceError> {
        let mut pairs: Vec<(Arc<str>, Value)> = Vec::new();
        for (key, value) in self.dictionary(handle, what)? {
            let name = crate::trace::graph::node_name(&self.value(*key)?);
            pairs.push((name, self.value(*value)?));
        }
        Ok(Attributes::from_pairs(pairs))
    }

    /// The value of an object.
    pub(super) fn value(&mut self, handle: Handle) -> Result<Value, TraceError> {
        self.nested(handle, 0)
    }

    fn nested(&mut self, handle: Handle, depth: usize) -> Result<Value, TraceError> {
        if depth > MAX_DEPTH {
            let problem = Problem::Malformed(format!("a value contains itself or is nested deeper than {MAX_DEPTH}"));
            return Err(TraceError::new(problem));
        }
        let Some(budget) = self.budget.checked_sub(1) else {
            let what = "the number of values that the pickle unfolds to".into();
            return Err(TraceError::new(Problem::Limit { what, limit: self.limit as u64 }));
        };
        self.budget = budget;
        Ok(match self.heap.get(handle) {
            Object::None => Value::None,
            Object::Bool(truth) => Value::Bool(*truth),
            Object::Int(number) => Value::Int(*number),
            Object::Float(number) => Value::Float(*number),
            Object::Text(text) => Value::Text(text.clone()),
            Object::Bytes(bytes) => Value::Bytes(bytes.clone()),
            Object::Tuple(items) => Value::Tuple(self.items(items, depth)?),
            Object::List(items) => Value::List(self.items(items, depth)?),
            Object::Set(items) => Value::Set(self.items(items, depth)?),
            Object::Dict(pairs) => {
                let mut values = Vec::new();
                for (key, value) in pairs {
                    values.push((self.nested(*key, depth + 1)?, self.nested(*value, depth + 1)?));
                }
                Value::Dict(values)
            }
            other @ (Object::Global(_) | Object::Instance { .. }) => {
                return Err(TraceError::new(Problem::WrongType {
                    what: "an attribute".into(),
                    found: other.kind().into(),
                    expected: "a plain value".into(),
                }));
            }
        })
    }

    fn items(&mut self, items: &[Handle], depth: usize) -> Result<Vec<Value>, TraceError> {
        items.iter().map(|item| self.nested(*item, depth + 1)).collect()
    }
}
