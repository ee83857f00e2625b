//! Keys of `[search]` that say how a scalarised search makes one number of the objectives.

use super::reader::Reader;
use super::search::Strategy;
use super::tree::{Node, Table, Value};

/// How a scalarised search makes one number of the objectives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScalarDecl {
    /// Weight of each objective.
    pub weights: Option<Vec<f64>>,
    /// The point to get near to, in the objectives' units.
    pub reference: Option<Vec<f64>>,
    /// Starts, one after the other.
    pub starts: u64,
}

/// Starts where the file does not say.
const DEFAULT_STARTS: u64 = 10;

/// Reads the keys, which are refused by strategies that keep objectives apart. `objectives` is their number.
pub(super) fn read_scalar(
    reader: &Reader<'_>,
    table: &Table,
    strategy: Option<Strategy>,
    objectives: usize,
) -> ScalarDecl {
    let list = |key: &str| reader.node(key).and_then(|node| read_numbers(reader, key, node, objectives));
    let (weights, reference) = (list("weights"), list("reference"));
    let starts = reader.whole("starts", 1).unwrap_or(DEFAULT_STARTS);
    if let (Some(weights), Some(node)) = (&weights, table.get("weights"))
        && (weights.iter().any(|weight| *weight < 0.0) || weights.iter().all(|weight| *weight == 0.0))
    {
        let help = "write 0 or more for each objective, and more than 0 for one; a metric's goal says its direction";
        reader.error(&node.span, "`weights` must not be negative, nor all 0", help);
    }
    let Some(strategy) = strategy else { return ScalarDecl { weights, reference, starts } };
    let name = strategy.name();
    for key in ["weights", "reference", "starts"] {
        if let (false, Some(node)) = (strategy.is_scalar(), table.get(key)) {
            reader.error(
                &node.span,
                format!("strategy \"{name}\" takes no `{key}`"),
                "remove it, or write strategy = \"anneal\", \"pso\" or \"nelder-mead\"",
            );
        }
    }
    let budget =
        table.get("budget").and_then(|node| if let Value::Table(budget) = &node.value { Some(budget) } else { None });
    if strategy.is_scalar() && budget.is_none_or(|budget| budget.get("evaluations").is_none()) {
        reader.error(
            reader.span(),
            format!("strategy \"{name}\" shares its evaluations out among its starts, and none are stated"),
            "add `budget = { evaluations = 10000 }`; `seconds` may stand beside it",
        );
    }
    ScalarDecl { weights, reference, starts }
}

fn read_numbers(reader: &Reader<'_>, key: &str, node: &Node, count: usize) -> Option<Vec<f64>> {
    let help = format!("write one number for each of the {count} objectives, in their order");
    let number = |item: &Node| match &item.value {
        Value::Number(text) => text.parse::<f64>().ok().filter(|value| value.is_finite()),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = match &node.value {
        Value::Array(items) => items.iter().map(number).collect(),
        _ => None,
    };
    match numbers {
        None => reader.error(&node.span, format!("`{key}` must be a list of numbers"), help),
        Some(numbers) if numbers.len() != count => {
            reader.error(&node.span, format!("`{key}` has {} numbers for {count} objectives", numbers.len()), help);
        }
        numbers => return numbers,
    }
    None
}
