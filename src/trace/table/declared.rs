//! A table as it stands in the file, before it is checked.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use toml::Spanned;

/// A file of traced calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    /// Version of this format.
    pub(super) format: u32,
    /// What the table was written for; for people.
    #[serde(default, rename = "source")]
    pub(super) _source: Option<String>,
    #[serde(default)]
    pub(super) edges: DeclaredEdges,
    #[serde(default)]
    pub(super) container: Vec<DeclaredContainer>,
    #[serde(default)]
    pub(super) call: Vec<DeclaredCall>,
    #[serde(default)]
    pub(super) known: Vec<DeclaredKnown>,
}

/// Attributes that mark the kinds of edges.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DeclaredEdges {
    pub(super) call: Vec<String>,
    pub(super) order: Vec<String>,
    pub(super) data: Vec<String>,
    pub(super) stage: Vec<String>,
    pub(super) gradient: Vec<String>,
}

/// Functions whose children are counted, not they.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredContainer {
    pub(super) function: OneOrMore,
    #[serde(default)]
    pub(super) chunk: bool,
}

/// A function that is an operator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredCall {
    pub(super) function: OneOrMore,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) category: Spanned<String>,
    pub(super) pass: Option<Spanned<String>>,
    pub(super) network: Option<Spanned<String>>,
    pub(super) pick: Option<Spanned<String>>,
    pub(super) pair: Option<Spanned<String>>,
    pub(super) forward: Option<OneOrMore>,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) sizes: toml::Table,
    pub(super) flops: Option<Spanned<String>>,
    pub(super) macs: Option<Spanned<String>>,
    pub(super) weights: Option<Spanned<String>>,
    pub(super) reads: Option<Spanned<String>>,
    pub(super) writes: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) fed_by: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) needs: Vec<Spanned<String>>,
}

/// Values that a call does not say but its model's defaults do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredKnown {
    pub(super) function: OneOrMore,
    #[serde(default)]
    pub(super) when: BTreeMap<String, u64>,
    pub(super) values: BTreeMap<String, KnownValue>,
    pub(super) source: String,
}

/// A text or a list of texts.
#[derive(Debug, Clone)]
pub(super) struct OneOrMore(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = OneOrMore;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a function's name or a list of them")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(OneOrMore(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMore(texts))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// A count or a list of counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum KnownValue {
    One(f64),
    More(Vec<u64>),
}

impl<'de> Deserialize<'de> for KnownValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counts;
        impl<'de> Visitor<'de> for Counts {
            type Value = KnownValue;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a count or a list of counts")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
                let count = u32::try_from(number).map_err(|_| E::custom("a count is out of range"))?;
                Ok(KnownValue::One(count.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut counts = Vec::new();
                while let Some(count) = items.next_element()? {
                    counts.push(count);
                }
                Ok(KnownValue::More(counts))
            }
        }
        deserializer.deserialize_any(Counts)
    }
}
