//! `[[unit]]`: what executes operators.

use super::element::{ElementDecl, read_element};
use crate::spec::diagnostic::Collector;
use crate::spec::figure::{AreaFigure, Figure, PowerFigure, Provenance};
use crate::spec::kind::Pass;
use crate::spec::reader::{Quantity, Reader};
use crate::spec::request::{ArrayDecl, ArrayPart, LogicDecl, read_array, read_logic};
use crate::spec::source::Span;
use crate::spec::tree;

/// How the tiles of a stream are given to the groups of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assign {
    /// The next tile goes to the group that is free first.
    Dynamic,
    /// Each group owns one contiguous block of the tiles.
    Contiguous,
}

/// What a unit burns when it has no work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing but leakage.
    Gated,
    /// Its full active power.
    Full,
}

pub(super) const IDLE: [(&str, Idle); 2] = [("gated", Idle::Gated), ("full", Idle::Full)];

/// How long one group of a unit takes for the work of one tile.
#[derive(Debug, Clone)]
pub enum RateDecl {
    /// Counted items per cycle of one instance.
    Item {
        /// The count of the operator that the rate is in.
        item: String,
        /// Where the item's name stands.
        span: Span,
        /// Items per cycle of one instance.
        per_cycle: Quantity,
        /// Where the rate comes from.
        provenance: Provenance,
    },
    /// Cycles of the whole unit as an expression over `count.*` and parameters.
    Cycles(Figure),
    /// Matrix products on the unit's array, fold by fold.
    Array,
    /// Commands on the unit's processing element.
    Element(Box<ElementDecl>),
}

/// A hardware module.
#[derive(Debug, Clone)]
pub struct UnitDecl {
    /// Its name.
    pub name: String,
    /// Where its table stands.
    pub span: Span,
    /// Operator kinds or categories that it executes, with their places.
    pub executes: Vec<(String, Span)>,
    /// Passes that it executes them in; forward unless the file says otherwise.
    pub passes: Vec<Pass>,
    /// Instances in all.
    pub instances: Quantity,
    /// Groups that take whole tiles each; the instances divide among them.
    pub groups: Quantity,
    /// How tiles go to groups.
    pub assign: Assign,
    /// Throughput.
    pub rate: RateDecl,
    /// Pipeline depth in cycles: delays every burst, occupies nothing.
    pub latency_cycles: Quantity,
    /// SRAM blocks that it reads.
    pub reads: Vec<(String, Span)>,
    /// SRAM blocks that it writes.
    pub writes: Vec<(String, Span)>,
    /// Area.
    pub area: Option<AreaFigure>,
    /// Power at the reference clock.
    pub power: Option<PowerFigure>,
    /// Behaviour without work.
    pub idle: Idle,
    /// Multiply-accumulators that the models size.
    pub array: Option<ArrayDecl>,
    /// Other operations that the models size.
    pub logic: Option<LogicDecl>,
}

pub(super) fn read_unit(table: &tree::Table, diagnostics: &Collector) -> Option<UnitDecl> {
    let reader = Reader::new(table, "a [[unit]]", diagnostics);
    let name = reader.required_text("name");
    let one = || Quantity::constant(1.0, &table.span);
    reader.text("doc");
    let executes = reader.texts("executes");
    if executes.is_empty() {
        reader.error(reader.span(), "this unit executes nothing", "add `executes = [\"Sorting\", ...]`");
    }
    let array = reader.table("array").map(|table| read_array(table, diagnostics));
    let logic = reader.table("logic").map(|table| read_logic(table, diagnostics));
    let wanted = array.as_ref().and_then(Option::as_ref).and_then(|array| array.gives.as_ref());
    let array_cycles = match wanted {
        Some(gives) => gives.iter().any(|(part, _)| *part == ArrayPart::Cycles),
        None => array.is_some(),
    };
    let element = reader.table("pe").map(|table| (table, read_element(table, diagnostics)));
    let stated = (reader.table("rate"), Figure::read(&reader, "cycles"));
    let rate = match stated {
        (rate, cycles) if element.is_some() => {
            let (table, element) = element.unzip();
            let other = match (rate, cycles) {
                (Some(_), _) => Some("`rate`"),
                (_, Some(_)) => Some("`cycles`"),
                _ if wanted.is_some() && array_cycles => Some("\"cycles\" among what the array gives"),
                _ => None,
            };
            if let (Some(other), Some(table)) = (other, table) {
                reader.error(&table.span, format!("`pe` gives the unit's cycles, but so does {other}"), "keep one");
            }
            element.flatten().filter(|_| other.is_none()).map(|element| RateDecl::Element(Box::new(element)))
        }
        (None, None) if array_cycles => Some(RateDecl::Array),
        (Some(_), _) | (_, Some(_)) if wanted.is_some() && array_cycles => {
            reader.error(
                reader.span(),
                "the array gives the cycles, but `rate` or `cycles` is stated too",
                "keep one: take \"cycles\" off the array's `gives`, or the rate away",
            );
            None
        }
        (Some(table), None) => read_rate(table, diagnostics),
        (None, Some(cycles)) => Some(RateDecl::Cycles(cycles)),
        (Some(_), Some(cycles)) => {
            reader.error(&cycles.quantity.span, "`rate` and `cycles` are both given", "keep one");
            None
        }
        (None, None) => {
            reader.error(
                reader.span(),
                "this unit has no throughput",
                "add `rate = { item = \"gaussian\", per_cycle = 1 }`, `cycles` as an expression over count.*, or `pe`",
            );
            None
        }
    };
    let passes = read_passes(&reader);
    let unit = UnitDecl {
        name: name.clone().unwrap_or_default(),
        span: table.span.clone(),
        executes,
        passes,
        instances: reader.quantity("instances").unwrap_or_else(one),
        groups: reader.quantity("groups").unwrap_or_else(one),
        assign: reader
            .choice("assign", &[("dynamic", Assign::Dynamic), ("contiguous", Assign::Contiguous)])
            .unwrap_or(Assign::Dynamic),
        rate: rate.clone().unwrap_or(RateDecl::Cycles(Figure { quantity: one(), provenance: Provenance::default() })),
        latency_cycles: reader.quantity("latency_cycles").unwrap_or_else(|| Quantity::constant(0.0, &table.span)),
        reads: reader.texts("reads"),
        writes: reader.texts("writes"),
        area: AreaFigure::read(&reader, "area_mm2"),
        power: PowerFigure::read(&reader, "power_mw"),
        idle: reader.choice("idle", &IDLE).unwrap_or(Idle::Gated),
        array: array.clone().flatten(),
        logic: logic.clone().flatten(),
    };
    reader.finish();
    let sound = array.is_none_or(|array| array.is_some()) && logic.is_none_or(|logic| logic.is_some());
    (name.is_some() && rate.is_some() && sound).then_some(unit)
}

fn read_passes(reader: &Reader<'_>) -> Vec<Pass> {
    let words = reader.texts("passes");
    if words.is_empty() {
        return vec![Pass::Forward];
    }
    words
        .into_iter()
        .filter_map(|(word, span)| {
            let found = Pass::NAMES.iter().find(|(name, _)| *name == word).map(|(_, pass)| *pass);
            if found.is_none() {
                reader.error(&span, format!("there is no pass \"{word}\""), "known are: forward, backward");
            }
            found
        })
        .collect()
}

fn read_rate(table: &tree::Table, diagnostics: &Collector) -> Option<RateDecl> {
    let reader = Reader::new(table, "a `rate`", diagnostics);
    let span = reader.node("item").map_or_else(|| table.span.clone(), |node| node.span.clone());
    let item = reader.required_text("item");
    let per_cycle = reader.required_quantity("per_cycle");
    let provenance = Provenance::read(&reader);
    provenance.check(&reader, &per_cycle.iter().collect::<Vec<_>>());
    reader.finish();
    Some(RateDecl::Item { item: item?, span, per_cycle: per_cycle?, provenance })
}
