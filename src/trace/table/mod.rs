//! The call tables of `operators/traces/*.toml`: which traced function is which operator, and where its sizes come from.
//!
//! `declared` is a file as it stands, `check` turns it into rules and finds all that is wrong with it, `pattern` and
//! `formula` are the two small languages in it. Tables are asked in order and the first rule that fits counts, so a user's
//! table in front of the stock ones overrides them.

mod check;
mod declared;
mod formula;
mod pattern;

pub(crate) use declared::KnownValue;
pub(crate) use formula::{Formula, Missing};
pub(crate) use pattern::Pattern;

use super::error::{Problem, TraceError};
use super::transform::Pass;

/// Version of the table format that is read.
pub const FORMAT: u32 = 1;

/// Stock tables: file name and text.
const STOCK: [(&str, &str); 4] = [
    ("nerfstudio.toml", include_str!("../../../operators/traces/nerfstudio.toml")),
    ("nerfacc.toml", include_str!("../../../operators/traces/nerfacc.toml")),
    ("gsplat.toml", include_str!("../../../operators/traces/gsplat.toml")),
    ("torch.toml", include_str!("../../../operators/traces/torch.toml")),
];

/// Checked tables, in the order in which they are asked.
#[derive(Debug, Clone, Default)]
pub struct CallTables {
    pub(crate) containers: Vec<Container>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) known: Vec<Known>,
    pub(crate) edges: EdgeNames,
}

impl CallTables {
    /// The tables that come with the program: nerfstudio, nerfacc, gsplat, PyTorch.
    ///
    /// # Errors
    /// Never, unless the program was built with a wrong table.
    pub fn stock() -> Result<Self, TraceError> {
        let mut tables = Self::default();
        for (name, text) in STOCK {
            tables.append(Self::from_toml(name, text)?);
        }
        Ok(tables)
    }

    /// The table in `text`; `name` is its file, for messages.
    ///
    /// # Errors
    /// If it is no TOML, has unknown keys, or its patterns and formulas do not hold; all of the latter at once.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, TraceError> {
        let wrong = |message: String| TraceError::new(Problem::Table { table: name.into(), message });
        let declared: declared::Declared = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        check::check(declared, text).map_err(|messages| wrong(messages.join("\n")))
    }

    /// These tables in front of `others`: what they say overrides.
    #[must_use]
    pub fn before(mut self, others: Self) -> Self {
        self.append(others);
        self
    }

    fn append(&mut self, other: Self) {
        self.containers.extend(other.containers);
        self.rules.extend(other.rules);
        self.known.extend(other.known);
        self.edges.append(other.edges);
    }

    /// The rule for a function, if it is an operator.
    pub(crate) fn rule(&self, function: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| any_matches(&rule.functions, function))
    }

    /// The container that a function is, if it is one.
    pub(crate) fn container(&self, function: &str) -> Option<&Container> {
        self.containers.iter().find(|container| any_matches(&container.functions, function))
    }
}

/// Whether one of the patterns matches.
pub(crate) fn any_matches(patterns: &[Pattern], name: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(name))
}

/// Functions whose children are counted, not they.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    pub(crate) functions: Vec<Pattern>,
    /// One call of it is one pass over a batch of rays.
    pub(crate) chunk: bool,
}

/// How an operator's network is made of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    /// `layers` layers of `width`; those in `skip` see the network's input again.
    Mlp,
    /// One layer.
    Linear,
}

/// One function as an operator.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) functions: Vec<Pattern>,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) category: String,
    pub(crate) pass: Pass,
    pub(crate) network: Option<Network>,
    /// Functions of the forward calls that a backward call may belong to.
    pub(crate) forward: Vec<Pattern>,
    /// Name of a known value, and the attribute that says it.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) sizes: Vec<(String, Formula)>,
    pub(crate) flops: Formula,
    pub(crate) macs: Option<Formula>,
    /// Elements that are read once.
    pub(crate) weights: Option<Formula>,
    /// Elements read; else the sizes of all inputs.
    pub(crate) reads: Option<Formula>,
    /// Elements written; else the sizes of all outputs.
    pub(crate) writes: Option<Formula>,
    /// Categories that feed an input to which no earlier output has the shape.
    pub(crate) fed_by: Vec<String>,
    /// Categories that feed the operator in any case.
    pub(crate) needs: Vec<String>,
    /// Of several operators of a category the first is meant, not the latest.
    pub(crate) first: bool,
    /// The n-th call belongs to the n-th producer of that shape.
    pub(crate) nth: bool,
}

/// Values that a model's defaults say.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) functions: Vec<Pattern>,
    pub(crate) when: Vec<(String, f64)>,
    pub(crate) values: Vec<(String, KnownValue)>,
    pub(crate) source: String,
}

/// Attributes that mark the kinds of edges.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeNames {
    pub(crate) call: Vec<Pattern>,
    pub(crate) order: Vec<Pattern>,
    pub(crate) data: Vec<Pattern>,
    pub(crate) stage: Vec<Pattern>,
    pub(crate) gradient: Vec<Pattern>,
}

impl EdgeNames {
    fn append(&mut self, other: Self) {
        self.call.extend(other.call);
        self.order.extend(other.order);
        self.data.extend(other.data);
        self.stage.extend(other.stage);
        self.gradient.extend(other.gradient);
    }
}
