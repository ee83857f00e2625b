//! A number with where it comes from.

use super::reader::{Quantity, Reader, quantity};
use super::source::Span;
use super::tree::{Node, Value};

/// How a figure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Printed in a paper or a data sheet.
    Published,
    /// Arithmetic on published figures.
    Derived,
    /// Chosen so that a target comes out right.
    Calibrated,
    /// Stated by nobody; carries a range.
    Assumed,
    /// Given by a model of the program, as the file asked; no file claims it for a number of its own.
    Model,
}

impl Basis {
    const NAMES: [(&'static str, Basis); 4] = [
        ("published", Basis::Published),
        ("derived", Basis::Derived),
        ("calibrated", Basis::Calibrated),
        ("assumed", Basis::Assumed),
    ];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, basis)| *basis == self).map_or("model", |(name, _)| name)
    }
}

/// How far a value may lie off: an interval of plausible values that holds the stated one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// `range = [low, high]`, in the value's own unit; for values that are numbers.
    Absolute([f64; 2]),
    /// `factor = [low, high]`, times the value; for values that follow other names, whose size moves with them.
    Factor([f64; 2]),
}

impl Range {
    /// The quantity at an end of its interval.
    pub fn end(self, quantity: &Quantity, high: bool) -> Quantity {
        match self {
            Self::Absolute(ends) => Quantity::constant(ends[usize::from(high)], &quantity.span),
            Self::Factor(ends) => quantity.times(ends[usize::from(high)]),
        }
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// How it is known; `None` if the file does not say.
    pub basis: Option<Basis>,
    /// Paper and table.
    pub source: Option<String>,
    /// How far the value may lie off; always there for an assumed figure.
    pub range: Option<Range>,
    /// The published target that it was computed from, if any.
    pub derived_from: Option<String>,
}

/// A quantity and its provenance.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The number.
    pub quantity: Quantity,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl Figure {
    /// Reads `key` as a number, an expression, or a table `{ value = ..., basis = ..., source = ..., range = [..] }`.
    pub fn read(reader: &Reader<'_>, key: &str) -> Option<Self> {
        Self::from_node(reader.node(key)?, key, reader)
    }

    fn from_node(node: &Node, key: &str, reader: &Reader<'_>) -> Option<Self> {
        let Value::Table(table) = &node.value else {
            let quantity = quantity(node, key, reader.diagnostics())?;
            return Some(Self { quantity, provenance: Provenance::default() });
        };
        let inner = Reader::new(table, format!("`{key}`"), reader.diagnostics());
        let quantity = inner.required_quantity("value");
        let provenance = Provenance::read(&inner);
        provenance.check(&inner, &quantity.iter().collect::<Vec<_>>());
        inner.finish();
        Some(Self { quantity: quantity?, provenance })
    }
}

impl Provenance {
    /// Reads the keys `basis source range factor derived_from` of a figure's table. Where the value is at hand,
    /// [`Provenance::check`] must follow.
    pub fn read(reader: &Reader<'_>) -> Self {
        let basis = reader.choice("basis", &Basis::NAMES);
        let absolute = reader.node("range").map(|node| read_ends(node, "range", reader));
        let factor = reader.node("factor").map(|node| read_ends(node, "factor", reader));
        if let (Some(_), Some(node)) = (&absolute, reader.node("factor")) {
            reader.error(&node.span, "`range` and `factor` are both given", "keep one");
        }
        if basis == Some(Basis::Assumed) && absolute.is_none() && factor.is_none() {
            reader.error(
                reader.span(),
                "an assumed figure needs a range",
                "add `range = [low, high]`, the lowest and highest plausible value; or `factor = [low, high]` where the \
                 value is an expression",
            );
        }
        let range = match (absolute, factor) {
            (Some(ends), _) => ends.map(Range::Absolute),
            (None, Some(ends)) => ends.map(Range::Factor),
            (None, None) => None,
        };
        if let (Some(Range::Factor([low, high])), Some(node)) = (range, reader.node("factor"))
            && !(0.0 < low && low <= 1.0 && 1.0 <= high)
        {
            let message = "`factor` is relative to the value and must hold 1";
            reader.error(&node.span, message, "write `factor = [0.5, 2]` for half to twice the value");
        }
        Self { basis, source: reader.text("source"), range, derived_from: reader.text("derived_from") }
    }

    /// Reports a range that does not hold the value, or that stands beside a value which is no number.
    pub fn check(&self, reader: &Reader<'_>, values: &[&Quantity]) {
        let (Some(Range::Absolute([low, high])), Some(node)) = (self.range, reader.node("range")) else { return };
        for value in values {
            match value.number() {
                Some(number) if (low..=high).contains(&number) => {}
                Some(number) => reader.error(
                    &node.span,
                    format!("the value {number} lies outside its range"),
                    "a range is absolute, in the value's own unit; `factor = [low, high]` is relative to it",
                ),
                None => reader.error(
                    &node.span,
                    format!("`range` is absolute, but `{}` moves with the names in it", value.text),
                    "write `factor = [low, high]`, relative to the value",
                ),
            }
        }
    }
}

fn read_ends(node: &Node, key: &str, reader: &Reader<'_>) -> Option<[f64; 2]> {
    let numbers: Option<Vec<f64>> = match &node.value {
        Value::Array(items) => items
            .iter()
            .map(|item| match &item.value {
                Value::Number(text) => text.parse().ok(),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    match numbers.as_deref() {
        Some([low, high]) if low <= high => Some([*low, *high]),
        _ => {
            let help = format!("write `{key} = [0.8, 1.2]`");
            reader.error(&node.span, format!("`{key}` must be two numbers, the lower first"), help);
            None
        }
    }
}

/// A figure of hardware that is given for each instance or for all of them.
#[derive(Debug, Clone)]
pub struct Share {
    /// The number.
    pub quantity: Quantity,
    /// True if it must be multiplied by the instance count.
    pub each: bool,
}

/// Area of a unit or block, in mm2.
#[derive(Debug, Clone)]
pub struct AreaFigure {
    /// Each or total.
    pub share: Share,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Power of a unit or block at the file's reference clock and voltage, in mW.
#[derive(Debug, Clone)]
pub struct PowerFigure {
    /// While it works.
    pub dynamic: Option<Share>,
    /// Always.
    pub leakage: Option<Share>,
    /// What the dynamic figure contains besides switching: `leakage`, `sram`.
    pub includes: Vec<(String, Span)>,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl AreaFigure {
    /// Reads `area_mm2 = { each = ... }` or `{ total = ... }`.
    pub fn read(reader: &Reader<'_>, key: &str) -> Option<Self> {
        let table = reader.table(key)?;
        let inner = Reader::new(table, format!("`{key}`"), reader.diagnostics());
        let share = read_share(&inner, "each", "total");
        if share.is_none() {
            reader.error(
                &table.span,
                format!("`{key}` says neither `each` nor `total`"),
                "write `each` for one instance or `total` for all of them",
            );
        }
        let provenance = Provenance::read(&inner);
        provenance.check(&inner, &share.iter().map(|share| &share.quantity).collect::<Vec<_>>());
        inner.finish();
        Some(Self { share: share?, provenance })
    }
}

impl PowerFigure {
    /// Reads `power_mw = { each_dynamic = ..., each_leakage = ..., includes = [..] }` (or `total_...`).
    pub fn read(reader: &Reader<'_>, key: &str) -> Option<Self> {
        let table = reader.table(key)?;
        let inner = Reader::new(table, format!("`{key}`"), reader.diagnostics());
        let dynamic = read_share(&inner, "each_dynamic", "total_dynamic");
        let leakage = read_share(&inner, "each_leakage", "total_leakage");
        let includes = inner.texts("includes");
        for (part, span) in &includes {
            if !matches!(part.as_str(), "leakage" | "sram" | "clock_tree") {
                reader.error(
                    span,
                    format!("a power figure cannot include \"{part}\""),
                    "known are: leakage, sram, clock_tree",
                );
            }
        }
        if let (Some(leakage), Some((_, span))) = (&leakage, includes.iter().find(|(part, _)| part == "leakage")) {
            reader.error(
                span,
                "leakage would be counted twice: the dynamic figure includes it and it is given as well",
                format!("remove one of the two (the other is at {})", leakage.quantity.span),
            );
        }
        if dynamic.is_none() && leakage.is_none() {
            reader.error(
                &table.span,
                format!("`{key}` gives no power"),
                "write `each_dynamic` or `total_dynamic`, and `each_leakage` or `total_leakage` if it is known apart",
            );
        }
        let provenance = Provenance::read(&inner);
        let shares = [&dynamic, &leakage].into_iter().flatten();
        provenance.check(&inner, &shares.map(|share| &share.quantity).collect::<Vec<_>>());
        inner.finish();
        Some(Self { dynamic, leakage, includes, provenance })
    }
}

fn read_share(reader: &Reader<'_>, each: &str, total: &str) -> Option<Share> {
    match (reader.quantity(each), reader.quantity(total)) {
        (Some(quantity), None) => Some(Share { quantity, each: true }),
        (None, Some(quantity)) => Some(Share { quantity, each: false }),
        (Some(_), Some(total_quantity)) => {
            reader.error(&total_quantity.span, format!("`{each}` and `{total}` are both given"), "keep one");
            None
        }
        (None, None) => None,
    }
}
