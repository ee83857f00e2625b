//! What the operations REDUCE, NEWOBJ and BUILD mean for the names of the allow-list: plain objects, nothing runs.

use std::sync::Arc;

use super::globals::Global;
use super::heap::{Handle, Heap, Object};
use crate::trace::error::{Problem, TraceError};

fn unsupported(what: impl Into<String>) -> TraceError {
    TraceError::new(Problem::Unsupported(what.into()))
}

/// The items of a tuple of arguments.
fn arguments(heap: &Heap, handle: Handle) -> Result<Vec<Handle>, TraceError> {
    match heap.get(handle) {
        Object::Tuple(items) => Ok(items.clone()),
        other => Err(unsupported(format!("{} as arguments", other.kind()))),
    }
}

/// The name that a callable stands for.
fn callable(heap: &Heap, handle: Handle) -> Result<Global, TraceError> {
    match heap.get(handle) {
        Object::Global(global) => Ok(*global),
        other => Err(unsupported(format!("a call of {}", other.kind()))),
    }
}

/// REDUCE: `callable(*arguments)`.
pub(super) fn reduce(heap: &mut Heap, function: Handle, handle: Handle) -> Result<Object, TraceError> {
    let items = arguments(heap, handle)?;
    match (callable(heap, function)?, items.as_slice()) {
        (Global::Reconstructor, [class, base, state]) => {
            let (class, base) = (callable(heap, *class)?, callable(heap, *base)?);
            match (base, heap.get(*state)) {
                (Global::Object, Object::None) => instance(class, &[]),
                _ => Err(unsupported("a reconstructed object that has a base value")),
            }
        }
        (Global::NewObject, [class, rest @ ..]) => {
            let class = callable(heap, *class)?;
            construct(heap, class, rest)
        }
        (Global::Encode, [text, encoding]) => encode(heap, *text, *encoding),
        (class, items) => construct(heap, class, items),
    }
}

/// NEWOBJ: `class.__new__(class, *arguments)`.
pub(super) fn new_object(heap: &mut Heap, class: Handle, handle: Handle) -> Result<Object, TraceError> {
    let items = arguments(heap, handle)?;
    let class = callable(heap, class)?;
    construct(heap, class, &items)
}

fn construct(heap: &Heap, class: Global, items: &[Handle]) -> Result<Object, TraceError> {
    match (class, items) {
        (Global::Dict, []) => Ok(Object::Dict(Vec::new())),
        (Global::DefaultDict, [] | [_]) => Ok(Object::Dict(Vec::new())),
        (Global::Dict, [pairs]) => dictionary(heap, *pairs),
        (Global::List, []) => Ok(Object::List(Vec::new())),
        (Global::Tuple, []) => Ok(Object::Tuple(Vec::new())),
        (Global::Set, []) => Ok(Object::Set(Vec::new())),
        (Global::Bytes, []) => Ok(Object::Bytes(Arc::from([]))),
        (Global::List | Global::Tuple | Global::Set, [source]) => {
            let copied = match heap.get(*source) {
                Object::List(items) | Object::Tuple(items) | Object::Set(items) => items.clone(),
                other => return Err(unsupported(format!("a sequence made of {}", other.kind()))),
            };
            Ok(match class {
                Global::List => Object::List(copied),
                Global::Tuple => Object::Tuple(copied),
                _ => Object::Set(copied),
            })
        }
        (Global::Bytes, [source]) => match heap.get(*source) {
            Object::Bytes(bytes) => Ok(Object::Bytes(bytes.clone())),
            other => Err(unsupported(format!("bytes made of {}", other.kind()))),
        },
        (class, items) => instance(class, items),
    }
}

fn instance(class: Global, items: &[Handle]) -> Result<Object, TraceError> {
    match class {
        Global::DiGraph | Global::Graph | Global::MultiGraph | Global::View if items.is_empty() => {
            Ok(Object::Instance { class, state: None })
        }
        Global::View => Ok(Object::Instance { class, state: None }),
        _ => Err(unsupported("a call with arguments that no trace needs")),
    }
}

fn dictionary(heap: &Heap, source: Handle) -> Result<Object, TraceError> {
    let pair = |item: &Handle| match heap.get(*item) {
        Object::Tuple(pair) | Object::List(pair) => match pair.as_slice() {
            [key, value] => Ok((*key, *value)),
            _ => Err(unsupported("a dictionary made of items that are no pairs")),
        },
        _ => Err(unsupported("a dictionary made of items that are no pairs")),
    };
    match heap.get(source) {
        Object::Dict(pairs) => Ok(Object::Dict(pairs.clone())),
        Object::List(items) | Object::Tuple(items) => {
            Ok(Object::Dict(items.iter().map(pair).collect::<Result<_, _>>()?))
        }
        other => Err(unsupported(format!("a dictionary made of {}", other.kind()))),
    }
}

/// Bytes written as Latin-1 text, as the protocols before 3 do.
fn encode(heap: &Heap, text: Handle, encoding: Handle) -> Result<Object, TraceError> {
    let (Object::Text(text), Object::Text(encoding)) = (heap.get(text), heap.get(encoding)) else {
        return Err(unsupported("bytes that are not encoded from text"));
    };
    if !matches!(&**encoding, "latin1" | "latin-1") {
        return Err(unsupported("bytes in an encoding other than latin1"));
    }
    let bytes: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    bytes.map(|bytes| Object::Bytes(Arc::from(bytes))).ok_or_else(|| unsupported("bytes beyond latin1"))
}

/// BUILD: gives an instance its state.
pub(super) fn build(heap: &mut Heap, target: Handle, state: Handle) -> Result<(), TraceError> {
    match heap.get_mut(target) {
        Some(Object::Instance { state: slot, .. }) => {
            *slot = Some(state);
            Ok(())
        }
        Some(other) => Err(unsupported(format!("a state for {}", other.kind()))),
        None => Err(unsupported("a state for nothing")),
    }
}
