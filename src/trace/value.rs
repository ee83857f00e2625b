//! Attribute values: what Python can write and every format can hold.

use std::fmt;
use std::sync::Arc;

/// A plain value. Text is shared, since a trace repeats its names thousands of times.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Python's `None`, JSON's `null`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer; Python's may have up to 127 bits.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A tuple; formats other than pickle write it as a list.
    Tuple(Vec<Value>),
    /// A list.
    List(Vec<Value>),
    /// A set, in the order of the file.
    Set(Vec<Value>),
    /// A dictionary, in the order of the file.
    Dict(Vec<(Value, Value)>),
}

impl Value {
    /// A text value.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is an integer or a float.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The items of a list, tuple or set.
    pub fn as_items(&self) -> Option<&[Value]> {
        match self {
            Self::Tuple(items) | Self::List(items) | Self::Set(items) => Some(items),
            _ => None,
        }
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
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
        }
    }
}

impl fmt::Display for Value {
    /// As Python's `str` would print it, so that a node whose name is a number or a tuple has the name people know.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn items(formatter: &mut fmt::Formatter<'_>, open: &str, items: &[Value], close: &str) -> fmt::Result {
            formatter.write_str(open)?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    formatter.write_str(", ")?;
                }
                write!(formatter, "{item}")?;
            }
            formatter.write_str(close)
        }
        match self {
            Self::None => formatter.write_str("None"),
            Self::Bool(true) => formatter.write_str("True"),
            Self::Bool(false) => formatter.write_str("False"),
            Self::Int(number) => write!(formatter, "{number}"),
            Self::Float(number) => write!(formatter, "{number:?}"),
            Self::Text(text) => formatter.write_str(text),
            Self::Bytes(bytes) => write!(formatter, "b\"{}\"", bytes.escape_ascii()),
            Self::Tuple(values) if values.len() == 1 => items(formatter, "(", values, ",)"),
            Self::Tuple(values) => items(formatter, "(", values, ")"),
            Self::List(values) => items(formatter, "[", values, "]"),
            Self::Set(values) => items(formatter, "{", values, "}"),
            Self::Dict(pairs) => {
                formatter.write_str("{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(formatter, "{comma}{key}: {value}")?;
                }
                formatter.write_str("}")
            }
        }
    }
}

/// Named values in the order of the file; a name appears once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attributes {
    entries: Vec<(Arc<str>, Value)>,
}

impl Attributes {
    /// From pairs; of a repeated name the last value counts, at the place of the first.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        let mut places = std::collections::HashMap::new();
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        for (name, value) in pairs {
            let place = *places.entry(name.clone()).or_insert(entries.len());
            match entries.get_mut(place) {
                Some(entry) => entry.1 = value,
                None => entries.push((name, value)),
            }
        }
        Self { entries }
    }

    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(key, _)| &**key == name).map(|(_, value)| value)
    }

    /// The text called `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
