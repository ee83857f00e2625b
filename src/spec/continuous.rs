//! Continuous axes: `{ min = 0.5, max = 4.0 }`, any value between two numbers.
//!
//! Such an axis has 2^16 + 1 values, its ends and the steps between them: finer than any figure of a model, and still a
//! number that names each value, so that points are numbered, recorded and never evaluated twice as on any other axis.

use super::range;
use super::reader::Reader;
use super::sweep::{SweepValue, decimal};
use super::tree::{Node, Table};

/// Reads the ends of a continuous axis.
pub(super) fn read_continuous(name: &str, table: &Table, node: &Node, reader: &Reader<'_>) -> Option<SweepValue> {
    let inner = Reader::new(table, format!("continuous axis `{name}`"), reader.diagnostics());
    let (low, high) = (decimal(&inner, "min", true), decimal(&inner, "max", true));
    let is_log = inner.choice("scale", &[("linear", false), ("log", true)]).unwrap_or(false);
    inner.node("when");
    if let Some(step) = ["step", "num"].into_iter().find_map(|key| inner.node(key)) {
        let help = "write `from` and `to` for a range with steps; `min` and `max` leave every value between them open";
        reader.error(&step.span, format!("`{name}` is continuous and has no steps"), help);
        return None;
    }
    inner.finish();
    match range::continuous(low?, high?, is_log) {
        Ok(values) => Some(SweepValue::Continuous(values, node.span.clone())),
        Err(fault) => {
            reader.error(&node.span, fault.message, fault.help);
            None
        }
    }
}
