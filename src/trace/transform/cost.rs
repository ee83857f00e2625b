//! Counts of one call, by its rule.

use std::collections::HashMap;

use super::call::Call;
use super::network::{self, NetworkCounts};
use super::shape::Shapes;
use crate::trace::table::{CallTables, Formula, KnownValue, Missing, Network, Rule, any_matches};
use crate::trace::value::Value;

/// Above this a count is no exact `f64` any more.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Counts of one call; elements, not bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Cost {
    pub(super) sizes: Vec<(String, f64)>,
    pub(super) flops: f64,
    pub(super) macs: f64,
    pub(super) weights: f64,
    pub(super) reads: f64,
    pub(super) writes: f64,
    /// Where values come from that the call does not say.
    pub(super) sources: Vec<String>,
}

/// What a formula may refer to beside the call itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Surroundings<'a> {
    /// The forward call, for a backward one.
    pub(super) forward: Option<(&'a Call<'a>, &'a Cost)>,
    /// Parameters of all networks and tables.
    pub(super) parameters: Option<f64>,
}

/// Counts a call.
///
/// # Errors
/// Why it cannot be counted, as a sentence for the list of what is not recognised.
pub(super) fn cost(
    call: &Call<'_>,
    rule: &Rule,
    tables: &CallTables,
    around: Surroundings<'_>,
) -> Result<Cost, String> {
    let mut scope = Scope { call, around, values: HashMap::new(), sources: Vec::new(), network: None };
    scope.find_values(rule, tables);
    scope.network = scope.network(rule);
    let count = |formula: Option<&Formula>, default: f64| -> Result<f64, String> {
        let Some(formula) = formula else { return Ok(default) };
        let value = formula.value(&|name| scope.value(name)).map_err(|missing| explain(&missing))?;
        match value.floor() {
            whole if (0.0..=MAX_EXACT).contains(&whole) => Ok(whole),
            _ => Err(format!("a count is {value}, which is out of range")),
        }
    };
    let inherited = around.forward.map(|(_, cost)| cost);
    let mut sizes = Vec::new();
    for (name, formula) in &rule.sizes {
        sizes.push((name.clone(), count(Some(formula), 0.0)?));
    }
    if let (true, Some(forward)) = (sizes.is_empty(), inherited) {
        sizes = forward.sizes.clone();
    }
    Ok(Cost {
        sizes,
        flops: count(Some(&rule.flops), 0.0)?,
        macs: count(rule.macs.as_ref(), 0.0)?,
        weights: count(rule.weights.as_ref(), inherited.map_or(0.0, |forward| forward.weights))?,
        reads: count(rule.reads.as_ref(), call.inputs.size())?,
        writes: count(rule.writes.as_ref(), call.outputs.size())?,
        sources: scope.sources,
    })
}

fn explain(missing: &Missing) -> String {
    match missing.0.split_once('.') {
        Some(("net", _)) => {
            "its layers are in no attribute, and no [[known]] of the call tables has these widths".into()
        }
        Some(("known", value)) => {
            format!("its `{value}` is in no attribute, and no [[known]] of the call tables has these widths")
        }
        Some(("forward", _)) => "its forward call is not in the trace".into(),
        _ => format!("{missing}"),
    }
}

struct Scope<'a> {
    call: &'a Call<'a>,
    around: Surroundings<'a>,
    values: HashMap<&'a str, KnownValue>,
    sources: Vec<String>,
    network: Option<NetworkCounts>,
}

impl<'a> Scope<'a> {
    /// Values from the call's own attributes; what they do not say, from the first [[known]] that fits.
    fn find_values(&mut self, rule: &'a Rule, tables: &'a CallTables) {
        for (name, attribute) in &rule.attributes {
            if let Some(value) = self.call.node.attributes.get(attribute).and_then(known_value) {
                self.values.insert(name, value);
            }
        }
        let fits = |known: &&crate::trace::table::Known| {
            let holds = |(name, wanted): &(String, f64)| self.value(name) == Some(*wanted);
            any_matches(&known.functions, self.call.function) && known.when.iter().all(holds)
        };
        let Some(known) = tables.known.iter().find(fits) else { return };
        // A network of other layers than the default's has no default skips either.
        let stated = self.values.contains_key("layers");
        let mut used = false;
        for (name, value) in &known.values {
            let overridden = self.values.contains_key(name.as_str()) || (stated && name == "skip");
            if !overridden {
                self.values.insert(name, value.clone());
                used = true;
            }
        }
        if used {
            self.sources.push(known.source.clone());
        }
    }

    fn network(&self, rule: &Rule) -> Option<NetworkCounts> {
        let (inputs, outputs) = (self.value("in0.last")?, self.value("out0.last")?);
        match rule.network? {
            Network::Linear => network::mlp(inputs, outputs, 1.0, 0.0, &[]),
            Network::Mlp => {
                let skip = match self.values.get("skip") {
                    Some(KnownValue::More(layers)) => layers.as_slice(),
                    _ => &[],
                };
                network::mlp(inputs, outputs, self.known("layers")?, self.known("width")?, skip)
            }
        }
    }

    fn known(&self, name: &str) -> Option<f64> {
        match self.values.get(name)? {
            KnownValue::One(number) => Some(*number),
            KnownValue::More(_) => None,
        }
    }

    fn value(&self, name: &str) -> Option<f64> {
        let (first, rest) = name.split_once('.')?;
        match (first, rest) {
            ("net", "macs") => self.network.map(|network| network.macs),
            ("net", "weights") => self.network.map(|network| network.weights),
            ("net", "biases") => self.network.map(|network| network.biases),
            ("net", "skips") => self.network.map(|network| network.skips),
            ("known", name) => self.known(name),
            ("trained", "parameters") => self.around.parameters,
            ("forward", "flops") => self.around.forward.map(|(_, cost)| cost.flops),
            ("forward", "macs") => self.around.forward.map(|(_, cost)| cost.macs),
            ("forward", "weights") => self.around.forward.map(|(_, cost)| cost.weights),
            ("forward", rest) => tensor_value(self.around.forward?.0, rest),
            _ => tensor_value(self.call, name),
        }
    }
}

/// `in0.rows`, `out.size` and so on. A sum over tensors of which one is unknown has no value.
fn tensor_value(call: &Call<'_>, name: &str) -> Option<f64> {
    let (tensor, field) = name.split_once('.')?;
    let (shapes, number): (&Shapes, &str) = match tensor.strip_prefix("in") {
        Some(number) => (&call.inputs, number),
        None => (&call.outputs, tensor.strip_prefix("out")?),
    };
    if number.is_empty() {
        return (field == "size" && shapes.complete).then(|| shapes.size());
    }
    let shape = shapes.tensors.get(number.parse::<usize>().ok()?)?;
    match field {
        "rows" => Some(shape.rows()),
        "last" => Some(shape.last()),
        "size" => Some(shape.size()),
        _ => None,
    }
}

fn known_value(value: &Value) -> Option<KnownValue> {
    if let Some(items) = value.as_items() {
        let counts =
            items.iter().map(|item| item.as_number().filter(|number| *number >= 0.0).map(|number| number as u64));
        return counts.collect::<Option<Vec<_>>>().map(KnownValue::More);
    }
    value.as_number().map(KnownValue::One)
}
