//! From a traced pipeline to its description.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::spec::workload::{
    DRAM, Dependency, LeftOut, Movement, Order, Transfer, Workload, WorkloadOperator, WorkloadTotals,
};
use crate::trace::transform::{EdgeKind, Inference, Pass, TracedEdge, TracedOperator, TracedPipeline, base_name};

/// Parameters of operator kinds that do not grow with the number of calls.
const SHAPE_PARAMETERS: [&str; 14] = [
    "bins",
    "dimensions",
    "frequencies",
    "levels",
    "features",
    "table_entries",
    "coefficients",
    "degree",
    "inputs",
    "width",
    "layers",
    "outputs",
    "skips",
    "list",
];

/// What becomes of chunks that repeat the same operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunks {
    /// Their operators are joined, and each chunk is a tile that streams through them.
    Joined,
    /// Each has operators of its own, which wait for no other chunk unless data passes.
    Apart,
}

/// Describes a traced pipeline; `name` is the trace's.
pub(super) fn describe(mut pipeline: TracedPipeline, name: &str, chunks: Chunks) -> Workload {
    // An iteration of a training needs the weights that the one before it leaves: it is no tile that streams.
    let trains = pipeline.operators.iter().any(|operator| operator.pass == Pass::Update);
    if trains {
        pipeline.streamed = None;
    }
    // Every chunk uses the same weights: they are read once, by the first.
    let streamed = pipeline.streamed.iter().flat_map(|streamed| &streamed.operators);
    let later: HashSet<usize> = streamed.flat_map(|members| members.iter().skip(1)).copied().collect();
    if chunks == Chunks::Apart {
        pipeline.streamed = None;
        let chunk = |index: usize| pipeline.operators.get(index).and_then(|operator| operator.chunk);
        pipeline.edges.retain(|edge| {
            let ends = (chunk(edge.from), chunk(edge.to));
            edge.kind != EdgeKind::Order || ends.0.is_none() || ends.1.is_none() || ends.0 == ends.1
        });
    }
    let pipeline = &pipeline;
    let passes = Passes::of(pipeline);
    let slots = slots(pipeline);
    let place: BTreeMap<usize, usize> = slots
        .iter()
        .enumerate()
        .flat_map(|(slot, members)| members.iter().map(move |member| (*member, slot)))
        .collect();
    let tiles = pipeline.streamed.as_ref().map_or(1, |streamed| streamed.tiles.max(1));
    let inner: BTreeSet<(usize, usize)> = inner_edges(pipeline, &place);
    let streamed: Vec<bool> = slots
        .iter()
        .enumerate()
        .map(|(slot, members)| members.len() > 1 && inner.iter().any(|(from, to)| *from == slot || *to == slot))
        .collect();
    let mut edges = edges(pipeline, &slots, &place, &inner, &streamed);
    wait_for_updates(pipeline, &mut edges);
    let mut operators = Vec::new();
    let mut traffic = Vec::new();
    for (members, streamed) in slots.iter().zip(&streamed) {
        let members: Vec<&TracedOperator> =
            members.iter().filter_map(|member| pipeline.operators.get(*member)).collect();
        if let Some(operator) = operator(&members, *streamed) {
            operators.push(operator);
        }
    }
    for (members, operator) in slots.iter().zip(&operators) {
        let per = if operator.streamed { tiles as f64 } else { 1.0 };
        transfers(pipeline, (&passes, &later), members, per, operator, &mut traffic);
    }
    Workload {
        name: name.to_owned(),
        tiles: if streamed.contains(&true) { tiles as u64 } else { 1 },
        operators,
        edges,
        traffic,
        unrecognised: pipeline
            .unrecognised
            .iter()
            .map(|call| LeftOut {
                function: call.function.clone(),
                calls: call.calls,
                reason: call.reason.clone(),
                share_of_calls: call.share_of_calls,
                share_of_bytes: call.share_of_bytes,
            })
            .collect(),
        remarks: remarks(pipeline, chunks, tiles),
        totals: WorkloadTotals {
            flops: pipeline.totals.flops,
            flops_backward: pipeline.totals.flops_backward,
            macs: pipeline.totals.macs,
        },
    }
}

/// Operators that become one: the instances of a streamed one in all chunks, else each alone; producers first.
fn slots(pipeline: &TracedPipeline) -> Vec<Vec<usize>> {
    let mut slots: Vec<Vec<usize>> = Vec::new();
    let streamed = pipeline.streamed.as_ref().map(|streamed| streamed.operators.as_slice()).unwrap_or_default();
    let in_stream: BTreeSet<usize> = streamed.iter().flatten().copied().collect();
    for index in 0..pipeline.operators.len() {
        if let Some(members) = streamed.iter().find(|members| members.first() == Some(&index)) {
            slots.push(members.clone());
        } else if !in_stream.contains(&index) {
            slots.push(vec![index]);
        }
    }
    slots
}

/// Edges between slots of the same chunk.
fn inner_edges(pipeline: &TracedPipeline, place: &BTreeMap<usize, usize>) -> BTreeSet<(usize, usize)> {
    let chunk = |index: usize| pipeline.operators.get(index).and_then(|operator| operator.chunk);
    let same = |edge: &&TracedEdge| chunk(edge.from).is_some() && chunk(edge.from) == chunk(edge.to);
    let slots = |edge: &TracedEdge| Some((*place.get(&edge.from)?, *place.get(&edge.to)?));
    pipeline.edges.iter().filter(same).filter_map(slots).collect()
}

fn edges(
    pipeline: &TracedPipeline,
    slots: &[Vec<usize>],
    place: &BTreeMap<usize, usize>,
    inner: &BTreeSet<(usize, usize)>,
    streamed: &[bool],
) -> Vec<Dependency> {
    let chunk = |index: usize| pipeline.operators.get(index).and_then(|operator| operator.chunk);
    let streams = |slot: &usize| streamed.get(*slot).copied().unwrap_or(false);
    // Where data is known to pass, the order of calls alone makes nothing wait.
    let fed: BTreeSet<usize> =
        pipeline.edges.iter().filter(|edge| edge.kind != EdgeKind::Order).map(|edge| edge.to).collect();
    let mut joined: BTreeMap<(usize, usize), Dependency> = BTreeMap::new();
    for edge in &pipeline.edges {
        if edge.kind == EdgeKind::Order && fed.contains(&edge.to) {
            continue;
        }
        let (Some(from), Some(to)) = (place.get(&edge.from), place.get(&edge.to)) else { continue };
        let both = streams(from) && streams(to);
        // Chunks do not depend on each other: what the tracer drew from one to the next is the order of the calls.
        if from == to || (both && chunk(edge.from) != chunk(edge.to)) {
            continue;
        }
        let kind = if both && inner.contains(&(*from, *to)) { Order::Stream } else { Order::Barrier };
        let name = |index: usize| pipeline.operators.get(index).map_or("", |operator| operator.name.as_str());
        let slot_name = |slot: usize, index: usize| {
            let joined = slots.get(slot).is_some_and(|members| members.len() > 1);
            if joined { base_name(name(index)).to_owned() } else { name(index).to_owned() }
        };
        let dependency = joined.entry((*to, *from)).or_insert_with(|| Dependency {
            from: slot_name(*from, edge.from),
            to: slot_name(*to, edge.to),
            kind,
            bytes: edge.bytes,
            inferred: edge.inferred(),
        });
        dependency.inferred &= edge.inferred();
    }
    joined.into_values().collect()
}

/// Whatever reads weights waits for the last update of them.
fn wait_for_updates(pipeline: &TracedPipeline, edges: &mut Vec<Dependency>) {
    let mut known: HashSet<(String, String)> = edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    let mut updates: Vec<&TracedOperator> = Vec::new();
    let mut has_read = false;
    for operator in &pipeline.operators {
        if operator.pass == Pass::Update {
            // Several optimizers update what was read since the last of them.
            if std::mem::take(&mut has_read) {
                updates.clear();
            }
            updates.push(operator);
        } else if operator.bytes_weights > 0 {
            has_read = true;
            for update in &updates {
                let (from, to) = (update.name.clone(), operator.name.clone());
                if known.insert((from.clone(), to.clone())) {
                    edges.push(Dependency { from, to, kind: Order::Barrier, bytes: None, inferred: true });
                }
            }
        }
    }
}

/// One operator for its instances in all chunks.
fn operator(members: &[&TracedOperator], streamed: bool) -> Option<WorkloadOperator> {
    let first = members.first()?;
    let over = if streamed { members.len() as f64 } else { 1.0 };
    let total =
        |count: fn(&TracedOperator) -> u64| members.iter().map(|member| count(member) as f64).sum::<f64>() / over;
    let mut parameters = BTreeMap::new();
    for (name, value) in &first.sizes {
        let values: Vec<f64> = members
            .iter()
            .filter_map(|member| member.sizes.iter().find(|(size, _)| size == name).map(|(_, value)| *value))
            .collect();
        let fixed = SHAPE_PARAMETERS.contains(&name.as_str());
        let value = if fixed {
            *value
        } else {
            let repeats = members.iter().map(|member| member.repeat as f64);
            values.iter().zip(repeats).map(|(value, repeat)| value * repeat).sum::<f64>() / over
        };
        parameters.insert(name.clone(), value);
    }
    let mut counts = BTreeMap::from([
        ("flops".to_owned(), total(|member| member.flops)),
        ("read_bytes".to_owned(), total(|member| member.bytes_in)),
        ("write_bytes".to_owned(), total(|member| member.bytes_out)),
        ("weight_bytes".to_owned(), total(|member| member.bytes_weights)),
    ]);
    if members.iter().any(|member| member.macs > 0) {
        counts.insert("macs".into(), total(|member| member.macs));
    }
    let shapes = |shapes: &[crate::trace::Shape]| shapes.iter().map(|shape| shape.0.clone()).collect();
    Some(WorkloadOperator {
        name: if members.len() > 1 { base_name(&first.name).to_owned() } else { first.name.clone() },
        kind: first.kind.clone(),
        category: first.category.clone(),
        pass: if first.pass == Pass::Backward { "backward" } else { "forward" }.to_owned(),
        function: first.function.clone(),
        stage: first.stage.clone(),
        calls: first.repeat,
        streamed,
        inputs: shapes(&first.inputs),
        outputs: shapes(&first.outputs),
        parameters,
        counts,
        inferred: first.inferred.iter().map(|inference| inference.word().to_owned()).collect(),
        sources: first.sources.clone(),
        unit: None,
    })
}

/// What the edges of a traced operator carry.
#[derive(Debug, Clone, Copy, Default)]
struct Passes {
    /// Whether some operator hands it a tensor, and whether some operator takes one from it.
    fed: bool,
    taken: bool,
    /// Bytes kept for the backward pass, to it and from it.
    saved_in: f64,
    saved_out: f64,
}

impl Passes {
    /// Of every operator.
    fn of(pipeline: &TracedPipeline) -> Vec<Self> {
        let mut all = vec![Self::default(); pipeline.operators.len()];
        for edge in &pipeline.edges {
            let saved = if edge.kind == EdgeKind::Saved { edge.bytes.unwrap_or(0) as f64 } else { 0.0 };
            let carries = matches!(edge.kind, EdgeKind::Data | EdgeKind::Gradient | EdgeKind::Saved);
            if let Some(consumer) = all.get_mut(edge.to) {
                consumer.fed |= carries;
                consumer.saved_in += saved;
            }
            if let Some(producer) = all.get_mut(edge.from) {
                producer.taken |= carries;
                producer.saved_out += saved;
            }
        }
        all
    }
}

/// DRAM traffic of an operator: what no operator hands it, what nobody takes from it, weights once, and what a backward
/// operator needs of its forward one. Tensors between operators stay on the chip.
fn transfers(
    pipeline: &TracedPipeline,
    (passes, later): (&[Passes], &HashSet<usize>),
    members: &[usize],
    per: f64,
    operator: &WorkloadOperator,
    traffic: &mut Vec<Transfer>,
) {
    let mut sums = [0.0; 6];
    for member in members {
        let Some(traced) = pipeline.operators.get(*member) else { continue };
        let Some(&Passes { fed, taken, saved_in, saved_out }) = passes.get(*member) else { continue };
        let update = traced.pass == Pass::Update;
        if update || !fed {
            sums[0] += traced.bytes_in as f64;
        }
        if !later.contains(member) {
            sums[1] += traced.bytes_weights as f64;
            sums[5] += if traced.pass == Pass::Backward { traced.bytes_weights as f64 } else { 0.0 };
        }
        if update || !taken {
            sums[2] += traced.bytes_out as f64;
        }
        sums[3] += saved_in;
        sums[4] += saved_out;
    }
    let what = [
        ("inputs", Movement::Read),
        ("weights", Movement::Read),
        ("outputs", Movement::Write),
        ("activations of the forward pass", Movement::Read),
        ("activations for the backward pass", Movement::Write),
        ("gradients of the weights", Movement::Write),
    ];
    for ((name, direction), bytes) in what.into_iter().zip(sums) {
        if bytes > 0.0 {
            traffic.push(Transfer {
                name: name.to_owned(),
                operator: operator.name.clone(),
                memory: DRAM.to_owned(),
                direction,
                bytes: bytes / per,
            });
        }
    }
}

fn remarks(pipeline: &TracedPipeline, chunks: Chunks, tiles: usize) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(streamed) = &pipeline.streamed
        && !streamed.equal
    {
        remarks.push(format!("the {tiles} chunks are of unequal size and scheduled as equal ones of the same total"));
    }
    if chunks == Chunks::Joined && pipeline.streamed.is_none() && pipeline.chunks.len() > 1 {
        let chunks = pipeline.chunks.len();
        let trains = pipeline.operators.iter().any(|operator| operator.pass == Pass::Update);
        let why = match trains {
            true => format!("the {chunks} chunks are iterations, each with the weights of the one before"),
            false => format!("the {chunks} chunks do not repeat the same operators"),
        };
        remarks.push(format!("{why}: each operator is scheduled as a whole, none is streamed"));
    }
    let assumed =
        |inference: Inference| pipeline.operators.iter().filter(|one| one.inferred.contains(&inference)).count();
    let all = pipeline.operators.len();
    for (inference, what) in [
        (Inference::Order, "no data edge of the trace leads there, so that the order of the calls gives the place"),
        (Inference::Sizes, "calls do not state layer widths or table sizes, which come from the call tables"),
        (Inference::ElementSize, "the trace does not state types of tensors, whose elements have the assumed size"),
        (Inference::Partner, "paired with a forward call by name and shape"),
    ] {
        match assumed(inference) {
            0 => {}
            1 if all == 1 => remarks.push(format!("the only traced operator: {what}")),
            count if count == all => remarks.push(format!("all {all} traced operators: {what}")),
            count => remarks.push(format!("{count} of {all} traced operators: {what}")),
        }
    }
    remarks
}
