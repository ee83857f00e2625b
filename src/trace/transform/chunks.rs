//! Passes over batches of rays, and the one pipeline that they repeat.

use std::collections::HashMap;

use super::pipeline::{Chunk, Streamed, TracedEdge, TracedOperator};

/// The length of the block that `names` repeats, if it repeats one.
pub(super) fn period<T: PartialEq>(names: &[T]) -> Option<usize> {
    // The border function of Knuth, Morris and Pratt: what is left beside the longest border is the period.
    let mut borders = vec![0_usize; names.len()];
    let mut border = 0;
    for index in 1..names.len() {
        while border > 0 && names.get(index) != names.get(border) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        if names.get(index) == names.get(border) {
            border += 1;
        }
        if let Some(slot) = borders.get_mut(index) {
            *slot = border;
        }
    }
    let period = names.len() - borders.last().copied().unwrap_or(0);
    // A block of one operator is a repeated call, not a chunk.
    (period > 1 && period < names.len() && names.len().is_multiple_of(period)).then_some(period)
}

/// The chunks, from the chunk number of every operator; `batches` are their sizes, where known.
pub(super) fn chunks(operators: &[TracedOperator], batches: &[Option<u64>]) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for (index, operator) in operators.iter().enumerate() {
        let Some(number) = operator.chunk else { continue };
        while chunks.len() <= number {
            let batch = batches.get(chunks.len()).copied().flatten();
            chunks.push(Chunk { batch, operators: Vec::new(), flops: 0 });
        }
        if let Some(chunk) = chunks.get_mut(number) {
            chunk.operators.push(index);
            chunk.flops = chunk.flops.saturating_add(operator.flops);
            chunk.batch = chunk.batch.or_else(|| operator.inputs.first().and_then(|shape| shape.0.first().copied()));
        }
    }
    chunks
}

/// The pipeline that all chunks repeat: the same operators in the same order, and the same edges between them.
pub(super) fn streamed(operators: &[TracedOperator], edges: &[TracedEdge], chunks: &[Chunk]) -> Option<Streamed> {
    let [first, others @ ..] = chunks else { return None };
    if others.is_empty() {
        return None;
    }
    let template = |chunk: &Chunk| -> Vec<(&str, &str)> {
        let named = chunk.operators.iter().filter_map(|index| operators.get(*index));
        named.map(|operator| (base(&operator.name), operator.kind.as_str())).collect()
    };
    let wanted = template(first);
    let inner = inner_edges(operators, edges, chunks);
    let same = |(number, chunk): (usize, &Chunk)| template(chunk) == wanted && inner.get(number + 1) == inner.first();
    if !others.iter().enumerate().all(same) {
        return None;
    }
    let instances = |slot: usize| chunks.iter().filter_map(|chunk| chunk.operators.get(slot).copied()).collect();
    Some(Streamed {
        tiles: chunks.len(),
        operators: (0..wanted.len()).map(instances).collect(),
        edges: inner.into_iter().next().unwrap_or_default(),
        equal: others.iter().all(|chunk| chunk.flops == first.flops && chunk.batch == first.batch),
    })
}

/// For every chunk its edges, by the slots of their ends.
fn inner_edges(operators: &[TracedOperator], edges: &[TracedEdge], chunks: &[Chunk]) -> Vec<Vec<(usize, usize)>> {
    let slots: HashMap<usize, usize> = chunks
        .iter()
        .flat_map(|chunk| chunk.operators.iter().enumerate().map(|(slot, index)| (*index, slot)))
        .collect();
    let mut inner = vec![Vec::new(); chunks.len()];
    for edge in edges {
        let chunk = |index: usize| operators.get(index).and_then(|operator| operator.chunk);
        let (Some(from), Some(to)) = (slots.get(&edge.from), slots.get(&edge.to)) else { continue };
        if let Some(list) =
            chunk(edge.from).filter(|from| Some(*from) == chunk(edge.to)).and_then(|number| inner.get_mut(number))
        {
            list.push((*from, *to));
        }
    }
    inner.iter_mut().for_each(|list| list.sort_unstable());
    inner
}

/// A name without the number of its chunk.
pub(in crate::trace) fn base(name: &str) -> &str {
    name.split_once('@').map_or(name, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_block_has_its_length_as_period() {
        assert_eq!(period(&["a", "b", "c", "a", "b", "c"]), Some(3));
        assert_eq!(period(&["a", "b", "a", "b", "a"]), None);
        assert_eq!(period(&["a", "a", "a"]), None);
        assert_eq!(period::<u8>(&[]), None);
    }
}
