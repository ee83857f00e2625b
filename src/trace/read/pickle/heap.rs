//! Objects that a pickle makes. They refer to one another by number, so sharing and circles cost nothing and are safe.

use std::sync::Arc;

use super::globals::Global;
use crate::trace::error::{Problem, TraceError};
use crate::trace::read::limits::{MAX_DEPTH, MAX_OBJECTS, MAX_REFERENCES};

/// The number of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Handle(u32);

/// One object.
#[derive(Debug)]
pub(super) enum Object {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
    Tuple(Vec<Handle>),
    List(Vec<Handle>),
    Set(Vec<Handle>),
    Dict(Vec<(Handle, Handle)>),
    /// A name of the allow-list.
    Global(Global),
    /// An object of a class of the allow-list, with the state that it was given.
    Instance {
        class: Global,
        state: Option<Handle>,
    },
}

impl Object {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a truth value",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Tuple(_) => "a tuple",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Dict(_) => "a dictionary",
            Self::Global(_) => "a class",
            Self::Instance { class: Global::View, .. } => "a networkx view",
            Self::Instance { .. } => "a networkx graph",
        }
    }
}

/// All objects, each with how deep it was nested when it was last filled.
#[derive(Debug, Default)]
pub(super) struct Heap {
    objects: Vec<Object>,
    depths: Vec<u8>,
    references: usize,
}

impl Heap {
    /// Stores an object.
    pub(super) fn add(&mut self, object: Object) -> Result<Handle, TraceError> {
        if self.objects.len() >= MAX_OBJECTS {
            let problem =
                Problem::Limit { what: "the number of objects in the pickle".into(), limit: MAX_OBJECTS as u64 };
            return Err(TraceError::new(problem));
        }
        let depth = match &object {
            Object::Tuple(items) | Object::List(items) | Object::Set(items) => self.depth_around(items),
            Object::Dict(pairs) => {
                pairs.iter().map(|(key, value)| self.depth_around(&[*key, *value])).max().unwrap_or(0)
            }
            _ => 0,
        };
        self.count(match &object {
            Object::Tuple(items) | Object::List(items) | Object::Set(items) => items.len(),
            Object::Dict(pairs) => 2 * pairs.len(),
            _ => 0,
        })?;
        let handle = Handle(self.objects.len() as u32);
        self.objects.push(object);
        self.depths.push(0);
        self.deepen(handle, depth)?;
        Ok(handle)
    }

    /// The object of that number; the machine gives out only numbers of objects that are there.
    pub(super) fn get(&self, handle: Handle) -> &Object {
        static MISSING: Object = Object::None;
        self.objects.get(handle.0 as usize).unwrap_or(&MISSING)
    }

    /// The object, to fill it.
    pub(super) fn get_mut(&mut self, handle: Handle) -> Option<&mut Object> {
        self.objects.get_mut(handle.0 as usize)
    }

    /// Notes that `container` now holds `items`.
    pub(super) fn filled(&mut self, container: Handle, items: &[Handle]) -> Result<(), TraceError> {
        self.count(items.len())?;
        let others = items.iter().filter(|item| **item != container).copied();
        let depth = others.map(|item| self.depth_around(&[item])).max().unwrap_or(0);
        self.deepen(container, depth)
    }

    /// Counts what containers hold: a copy of a list costs a few bytes of pickle only.
    fn count(&mut self, items: usize) -> Result<(), TraceError> {
        self.references += items;
        if self.references > MAX_REFERENCES {
            let what = "the number of items in the pickle's containers".into();
            return Err(TraceError::new(Problem::Limit { what, limit: MAX_REFERENCES as u64 }));
        }
        Ok(())
    }

    fn depth_around(&self, items: &[Handle]) -> usize {
        let depth = |item: &Handle| self.depths.get(item.0 as usize).copied().unwrap_or(0);
        items.iter().map(depth).max().map_or(0, |depth| usize::from(depth) + 1)
    }

    fn deepen(&mut self, handle: Handle, depth: usize) -> Result<(), TraceError> {
        if depth > MAX_DEPTH {
            let problem = Problem::Limit { what: "the depth of nested values".into(), limit: MAX_DEPTH as u64 };
            return Err(TraceError::new(problem));
        }
        if let Some(stored) = self.depths.get_mut(handle.0 as usize) {
            *stored = (*stored).max(depth as u8);
        }
        Ok(())
    }
}
