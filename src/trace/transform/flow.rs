//! Edges of the pipeline: what the trace says, what shapes say, what backward mirrors.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::pipeline::{EdgeKind, Evidence, Pass, TracedEdge, TracedOperator};
use super::relations::{Relation, Relations};
use super::shape_flow::Outputs;
use crate::trace::error::{Problem, TraceError};
use crate::trace::table::Rule;

/// Steps that finding the edges may take. The largest reference trace takes some thousand.
const MAX_STEPS: usize = 1 << 25;
/// Edges that a pipeline may have.
const MAX_EDGES: usize = 1 << 20;

/// Operators with what the edges are made from.
pub(super) struct Flow<'a> {
    pub(super) operators: &'a [TracedOperator],
    pub(super) rules: &'a [&'a Rule],
    pub(super) relations: &'a Relations,
    /// For every node of the trace the operator that it is or that includes it.
    pub(super) operator_of: &'a [Option<usize>],
    pub(super) element_bytes: &'a [f64],
}

/// Edges by consumer and producer.
type Edges = BTreeMap<(usize, usize), TracedEdge>;

impl Flow<'_> {
    /// All edges, by consumer, then by producer.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub(super) fn edges(&self) -> Result<Vec<TracedEdge>, TraceError> {
        let mut edges = Edges::new();
        self.traced(&mut edges)?;
        self.by_shape(&mut edges)?;
        self.backward(&mut edges)?;
        self.updates(&mut edges)?;
        keep_first_of_stage(&mut edges);
        Ok(edges.into_values().collect())
    }

    fn add(&self, edges: &mut Edges, edge: TracedEdge) -> Result<(), TraceError> {
        if edge.from >= edge.to {
            return Ok(());
        }
        if edges.len() >= MAX_EDGES {
            return Err(limit("the number of edges of the pipeline", MAX_EDGES));
        }
        let slot = edges.entry((edge.to, edge.from)).or_insert_with(|| edge.clone());
        slot.evidence = slot.evidence.min(edge.evidence);
        slot.kind = slot.kind.min(edge.kind);
        slot.bytes = slot.bytes.max(edge.bytes);
        Ok(())
    }

    fn by_shape(&self, edges: &mut Edges) -> Result<(), TraceError> {
        let categories: Vec<&str> = self.operators.iter().map(|operator| operator.category.as_str()).collect();
        let mut chunks: HashMap<usize, Outputs> = HashMap::new();
        let mut all = Outputs::default();
        for (to, (operator, rule)) in self.operators.iter().zip(self.rules).enumerate() {
            if operator.pass == Pass::Forward {
                let outputs = match operator.chunk {
                    Some(chunk) => chunks.entry(chunk).or_default(),
                    None => &mut all,
                };
                let earlier = categories.get(..to).unwrap_or_default();
                let traced = edges.range((to, 0)..(to, to)).filter(|(_, edge)| edge.kind == EdgeKind::Data);
                let traced: Vec<&str> = traced.filter_map(|((_, from), _)| categories.get(*from).copied()).collect();
                for found in outputs.producers(rule, &operator.inputs, earlier) {
                    // What the trace says of a category is better than what the table says.
                    let category = categories.get(found.producer).copied().unwrap_or_default();
                    if found.evidence == Evidence::Category && traced.contains(&category) {
                        continue;
                    }
                    let width = self.element_bytes.get(found.producer).copied().unwrap_or(0.0);
                    let bytes = found.elements.map(|elements| (elements * width) as u64);
                    let (from, evidence) = (found.producer, found.evidence);
                    self.add(edges, TracedEdge { from, to, kind: EdgeKind::Data, evidence, bytes })?;
                }
                if let Some(chunk) = operator.chunk {
                    chunks.entry(chunk).or_default().add(to, rule, &operator.outputs);
                }
                all.add(to, rule, &operator.outputs);
            }
        }
        Ok(())
    }

    /// Edges of the trace, from operator to operator: containers and unknown calls between them are passed through.
    fn traced(&self, edges: &mut Edges) -> Result<(), TraceError> {
        let mut steps = 0_usize;
        for (node, operator) in self.operator_of.iter().enumerate() {
            let Some(from) = *operator else { continue };
            let mut seen = HashSet::new();
            let mut ways: Vec<(usize, Relation)> = self.relations.next.get(node).cloned().unwrap_or_default();
            while let Some((next, relation)) = ways.pop() {
                steps += 1;
                if steps > MAX_STEPS {
                    return Err(limit("the number of steps between operators", MAX_STEPS));
                }
                if relation == Relation::Gradient || !seen.insert((next, relation)) {
                    continue;
                }
                match self.operator_of.get(next).copied().flatten() {
                    Some(to) => {
                        let kind = match relation {
                            Relation::Data => EdgeKind::Data,
                            Relation::Stage => EdgeKind::Stage,
                            _ => EdgeKind::Order,
                        };
                        let bytes = if kind == EdgeKind::Data { self.output_bytes(from) } else { None };
                        self.add(edges, TracedEdge { from, to, kind, evidence: Evidence::Traced, bytes })?;
                    }
                    None => {
                        let onward = self.relations.next.get(next).into_iter().flatten();
                        let through = |other: Relation| {
                            if relation == Relation::Stage { relation } else { other.max(Relation::Order) }
                        };
                        ways.extend(onward.map(|(after, other)| (*after, through(*other))));
                    }
                }
            }
        }
        Ok(())
    }

    fn output_bytes(&self, operator: usize) -> Option<u64> {
        let width = self.element_bytes.get(operator)?;
        self.operators.get(operator)?.outputs.first().map(|shape| (shape.size() * width) as u64)
    }

    /// A backward operator needs its forward operator, and gets gradients from those behind it.
    fn backward(&self, edges: &mut Edges) -> Result<(), TraceError> {
        let mut backward = HashMap::new();
        for (to, operator) in self.operators.iter().enumerate() {
            let Some(from) = operator.backward_of else { continue };
            backward.insert(from, to);
            let evidence =
                if operator.inferred.contains(&super::Inference::Partner) { Evidence::Shape } else { Evidence::Traced };
            let bytes = self.operators.get(from).map(|forward| forward.bytes_in);
            self.add(edges, TracedEdge { from, to, kind: EdgeKind::Saved, evidence, bytes })?;
        }
        let data: Vec<TracedEdge> = edges.values().filter(|edge| edge.kind == EdgeKind::Data).cloned().collect();
        for edge in data {
            if let (Some(from), Some(to)) = (backward.get(&edge.to), backward.get(&edge.from)) {
                let (from, to) = (*from, *to);
                let (kind, evidence) = (EdgeKind::Gradient, Evidence::Mirror);
                self.add(edges, TracedEdge { from, to, kind, evidence, bytes: edge.bytes })?;
            }
        }
        Ok(())
    }

    /// An optimizer's step needs the gradients of all weights; without a traced backward pass it comes last. Several
    /// optimizers each step their own part; all wait for all gradients.
    fn updates(&self, edges: &mut Edges) -> Result<(), TraceError> {
        let is_update = |index: &usize| self.operators.get(*index).is_some_and(|one| one.pass == Pass::Update);
        let all = || (0..self.operators.len()).filter(|index| !is_update(index));
        let has_gradient = |index: &usize| {
            self.operators.get(*index).is_some_and(|one| one.pass == Pass::Backward && one.bytes_weights > 0)
        };
        let producers: HashSet<usize> = edges.keys().map(|(_, from)| *from).collect();
        let gradients: Vec<usize> = all().filter(has_gradient).collect();
        let last: Vec<usize> = all().filter(|index| !producers.contains(index)).collect();
        for to in (0..self.operators.len()).filter(is_update) {
            let before = |list: &[usize]| list.partition_point(|index| *index < to);
            let (kind, sources) = match gradients.get(..before(&gradients)) {
                Some(gradients) if !gradients.is_empty() => (EdgeKind::Gradient, gradients),
                _ => (EdgeKind::Order, last.get(..before(&last)).unwrap_or_default()),
            };
            for from in sources {
                self.add(edges, TracedEdge { from: *from, to, kind, evidence: Evidence::Category, bytes: None })?;
            }
        }
        Ok(())
    }
}

fn limit(what: &str, limit: usize) -> TraceError {
    TraceError::new(Problem::Limit { what: what.into(), limit: limit as u64 })
}

/// Edges into one operator that are looked at to find a stage edge needless; one that stays does no harm.
const MAX_LOOKED_AT: usize = 64;

/// Tracers draw an edge from the end of a stage to every call of the next: the first ones say it all.
fn keep_first_of_stage(edges: &mut Edges) {
    let stage: HashSet<(usize, usize)> =
        edges.values().filter(|edge| edge.kind == EdgeKind::Stage).map(|edge| (edge.to, edge.from)).collect();
    let mut behind: HashMap<usize, Vec<usize>> = HashMap::new();
    for edge in edges.values().filter(|edge| edge.kind != EdgeKind::Stage) {
        behind.entry(edge.to).or_default().push(edge.from);
    }
    edges.retain(|(to, from), edge| {
        let before = behind.get(to).map(Vec::as_slice).unwrap_or_default();
        edge.kind != EdgeKind::Stage
            || !before.iter().take(MAX_LOOKED_AT).any(|middle| stage.contains(&(*middle, *from)))
    });
}
