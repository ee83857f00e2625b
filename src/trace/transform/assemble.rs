//! From calls to operators: costs, names, chunks.

use std::collections::HashMap;

use super::TransformOptions;
use super::call::{Call, Role};
use super::chunks;
use super::cost::{self, Cost, Surroundings};
use super::partner::Partners;
use super::pipeline::{Inference, Pass, TracedOperator};
use super::tree::Position;
use crate::trace::table::{CallTables, Rule};
use crate::trace::value::Value;

/// Operators with what belongs to each, and calls that could not be counted.
#[derive(Debug, Default)]
pub(super) struct Assembled<'a> {
    pub(super) operators: Vec<TracedOperator>,
    pub(super) rules: Vec<&'a Rule>,
    pub(super) element_bytes: Vec<f64>,
    /// Size of every chunk, where its container says so.
    pub(super) batches: Vec<Option<u64>>,
    /// Node and reason.
    pub(super) rejected: Vec<(usize, String)>,
}

/// What assembling needs.
pub(super) struct Assembly<'a> {
    pub(super) calls: &'a [Call<'a>],
    pub(super) order: &'a [usize],
    pub(super) positions: &'a [Position],
    pub(super) partners: &'a Partners,
    pub(super) tables: &'a CallTables,
    pub(super) options: &'a TransformOptions,
}

impl<'a> Assembly<'a> {
    /// Makes the operators.
    pub(super) fn assemble(&self) -> Assembled<'a> {
        let selected = self.selected();
        let (chunk_of, batches, inferred) = self.chunks(&selected);
        let costs = self.costs(&selected, &chunk_of);
        let mut assembled = Assembled { batches, ..Assembled::default() };
        let mut absorbed: HashMap<usize, usize> = HashMap::new();
        for owner in self.positions.iter().filter_map(|position| position.owner) {
            *absorbed.entry(owner).or_default() += 1;
        }
        let mut names: HashMap<(Option<usize>, String), usize> = HashMap::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        for (node, rule) in selected {
            let Some(call) = self.calls.get(node) else { continue };
            let cost = match costs.get(&node) {
                Some(Ok(cost)) => cost,
                Some(Err(reason)) => {
                    assembled.rejected.push((node, reason.clone()));
                    continue;
                }
                None => continue,
            };
            let chunk = chunk_of.get(&node).copied();
            let (width, assumed) = self.element_bytes(call);
            let mut operator = operator(call, rule, cost, width);
            operator.node = node;
            operator.chunk = chunk;
            operator.name = name(call, rule, chunk, &mut names);
            operator.absorbed = absorbed.get(&node).copied().unwrap_or(0);
            operator.backward_of = self.partners.get(&node).and_then(|(forward, _)| places.get(forward).copied());
            if inferred && chunk.is_some() {
                operator.inferred.push(Inference::Chunk);
            }
            if assumed {
                operator.inferred.push(Inference::ElementSize);
            }
            if self.partners.get(&node).is_some_and(|(_, traced)| !traced) {
                operator.inferred.push(Inference::Partner);
            }
            places.insert(node, assembled.operators.len());
            assembled.operators.push(operator);
            assembled.rules.push(rule);
            assembled.element_bytes.push(width);
        }
        assembled
    }

    /// Calls that are operators and not part of another one.
    fn selected(&self) -> Vec<(usize, &'a Rule)> {
        let free = |node: &&usize| self.positions.get(**node).is_some_and(|position| position.owner.is_none());
        let rule = |node: &usize| match self.calls.get(*node)?.role {
            Role::Operator(rule) => Some((*node, rule)),
            _ => None,
        };
        self.order.iter().filter(free).filter_map(rule).collect()
    }

    /// The chunk of every call: by its container, else by the repetition of the calls (then `true`), else all are one.
    fn chunks(&self, selected: &[(usize, &Rule)]) -> (HashMap<usize, usize>, Vec<Option<u64>>, bool) {
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut batches = Vec::new();
        let mut chunk_of = HashMap::new();
        for (node, _) in selected {
            let Some(container) = self.positions.get(*node).and_then(|position| position.chunk) else { continue };
            let number = *numbers.entry(container).or_insert(batches.len());
            if number == batches.len() {
                let inputs = self.calls.get(container).map(|call| &call.inputs);
                batches.push(inputs.and_then(|inputs| inputs.tensors.first()?.0.first().copied()));
            }
            chunk_of.insert(*node, number);
        }
        if !chunk_of.is_empty() {
            return (chunk_of, batches, false);
        }
        let rendering: Vec<_> =
            selected.iter().filter(|(_, rule)| rule.pass == Pass::Forward && rule.category != "optimization").collect();
        let stage = |node: usize| self.calls.get(node).and_then(|call| call.stage);
        let names: Vec<_> = rendering.iter().map(|(node, rule)| (rule.name.as_str(), stage(*node))).collect();
        // A pass over rays begins with samples or ends in an image; other repetitions are levels of one pass.
        let category =
            |place: Option<usize>| place.and_then(|place| rendering.get(place)).map(|(_, rule)| rule.category.as_str());
        let is_pass = |length: &usize| {
            category(Some(0)) == Some("sampling") || category(length.checked_sub(1)) == Some("blending")
        };
        let period = chunks::period(&names).filter(is_pass);
        let length = period.unwrap_or(names.len().max(1));
        let numbered = rendering.iter().enumerate().map(|(index, (node, _))| (*node, index / length));
        (numbered.collect(), Vec::new(), period.is_some())
    }

    /// Counts of all calls: forward first, since backward and the optimizer build on them.
    fn costs(
        &self,
        selected: &[(usize, &'a Rule)],
        chunk_of: &HashMap<usize, usize>,
    ) -> HashMap<usize, Result<Cost, String>> {
        let mut costs: HashMap<usize, Result<Cost, String>> = HashMap::new();
        let mut parameters = 0.0;
        for pass in [Pass::Forward, Pass::Backward, Pass::Update] {
            for (node, rule) in selected.iter().filter(|(_, rule)| rule.pass == pass) {
                let Some(call) = self.calls.get(*node) else { continue };
                let forward = self
                    .partners
                    .get(node)
                    .and_then(|(forward, _)| Some((self.calls.get(*forward)?, costs.get(forward)?.as_ref().ok()?)));
                let uncounted = forward.is_none() && self.partners.contains_key(node) && pass == Pass::Backward;
                if uncounted {
                    costs.insert(*node, Err("its forward call could not be counted".into()));
                    continue;
                }
                let parameters_known = (pass == Pass::Update).then_some(parameters);
                let around = Surroundings { forward, parameters: parameters_known };
                let cost = cost::cost(call, rule, self.tables, around);
                // Every chunk uses the same weights.
                let first_chunk = chunk_of.get(node).is_none_or(|chunk| *chunk == 0);
                if let (Pass::Forward, true, Ok(cost)) = (pass, first_chunk, &cost) {
                    parameters += cost.weights;
                }
                costs.insert(*node, cost);
            }
        }
        costs
    }

    /// Bytes per element of a call's tensors, and whether that is assumed.
    fn element_bytes(&self, call: &Call<'_>) -> (f64, bool) {
        let stated = call.node.attributes.get("dtype").and_then(Value::as_text).and_then(dtype_bytes);
        stated.map_or((self.options.element_bytes, true), |bytes| (bytes, false))
    }
}

fn dtype_bytes(name: &str) -> Option<f64> {
    match name.rsplit('.').next()? {
        "float64" | "double" | "int64" | "long" => Some(8.0),
        "float32" | "float" | "int32" | "int" => Some(4.0),
        "float16" | "half" | "bfloat16" | "int16" => Some(2.0),
        "int8" | "uint8" | "bool" | "float8_e4m3fn" | "float8_e5m2" => Some(1.0),
        _ => None,
    }
}

fn operator(call: &Call<'_>, rule: &Rule, cost: &Cost, width: f64) -> TracedOperator {
    let mut inferred = Vec::new();
    if !cost.sources.is_empty() {
        inferred.push(Inference::Sizes);
    }
    if !(call.inputs.complete && call.outputs.complete) {
        inferred.push(Inference::UnknownShape);
    }
    // Casts saturate; a count is at most 2^53 and the repetitions are the trace's.
    let times = |count: f64| (count as u64).saturating_mul(call.repeat);
    TracedOperator {
        name: String::new(),
        kind: rule.kind.clone(),
        category: rule.category.clone(),
        function: call.function.to_owned(),
        node: 0,
        stage: call.stage.map(str::to_owned),
        chunk: None,
        pass: rule.pass,
        repeat: call.repeat,
        inputs: call.inputs.tensors.clone(),
        outputs: call.outputs.tensors.clone(),
        sizes: cost.sizes.clone(),
        flops: times(cost.flops),
        macs: times(cost.macs),
        bytes_in: times(cost.reads * width),
        bytes_out: times(cost.writes * width),
        bytes_weights: (cost.weights * width) as u64,
        backward_of: None,
        absorbed: 0,
        inferred,
        sources: cost.sources.clone(),
    }
}

/// Stage, rule, and numbers where several are alike.
fn name(
    call: &Call<'_>,
    rule: &Rule,
    chunk: Option<usize>,
    names: &mut HashMap<(Option<usize>, String), usize>,
) -> String {
    let mut name = call.stage.map_or_else(|| rule.name.clone(), |stage| format!("{stage}_{}", rule.name));
    let count = names.entry((chunk, name.clone())).or_default();
    *count += 1;
    if *count > 1 {
        name.push_str(&format!("_{count}"));
    }
    match chunk {
        Some(number) if number > 0 => format!("{name}@{}", number + 1),
        _ => name,
    }
}
