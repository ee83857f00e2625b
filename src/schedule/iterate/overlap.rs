//! What the next iteration waits for.
//!
//! Every frame operator, and every set of connected streamed stages, is a *part* that keeps the shape which it has in one
//! iteration; iterations move parts as a whole. A part waits for its barriers, and in the next iteration also for carried
//! edges, for its units, for the memory ports that it uses, and for its buffers to be empty. Where stages compete for units
//! the whole iteration is one part. All waits are those of a schedule that can be executed: no unit, port or buffer serves two
//! iterations at once, so the time per iteration never promises bandwidth twice. Results that operators leave for each other
//! behind a barrier are taken to have room for the iterations that overlap.

use super::super::graph::StageGraph;
use super::super::stage::StagePlaces;
use super::recurrence::{Arc, Recurrence};
use crate::spec::program::{Columns, NodeId, Place};

/// When a stage works in one iteration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// No tile starts before.
    pub start: f64,
    /// Its results are there.
    pub end: f64,
    /// How much earlier its unit is free.
    pub latency: f64,
}

/// Where an arc comes from.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// For the result of a stage.
    Result,
    /// For the unit of a stage, where both are on the same one.
    Unit,
    /// For a port or a buffer that a stage uses to its end.
    Memory,
}

/// The time of many iterations.
#[derive(Debug, Clone)]
pub struct Iterations {
    /// Part of each stage.
    part: Vec<usize>,
    /// Waiting stage, stage waited for, and why.
    waits: Vec<(usize, usize, Wait, bool)>,
    backward: Vec<bool>,
    iterations: Place,
    recurrence: Recurrence,
    /// Start and length of each part.
    begins: Vec<f64>,
    lengths: Vec<f64>,
    pub spans: Vec<Span>,
}

/// What many iterations come to, in cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// From one iteration to the next, once their beginning is over.
    pub iteration: f64,
    /// Of all iterations.
    pub total: f64,
    /// From the start until the last forward operator has ended.
    pub forward: f64,
    /// From the start of the first backward operator until the last has ended.
    pub backward: f64,
}

impl Iterations {
    /// `parts` are the sets of stages that keep their shape, in an order in which barriers lead to later ones. `None` if no
    /// edge is carried.
    pub fn new(graph: &StageGraph, parts: &[Vec<usize>], place: impl Fn(NodeId) -> Place) -> Option<Self> {
        let training = graph.training.as_ref()?;
        let stages = graph.stages.len();
        let mut part = vec![0; stages];
        for (index, members) in parts.iter().enumerate() {
            members.iter().for_each(|stage| part[*stage] = index);
        }
        let mut waits = Vec::new();
        for (at, stage) in graph.stages.iter().enumerate() {
            let others = stage.barriers.iter().filter(|producer| part[**producer] != part[at]);
            waits.extend(others.map(|producer| (at, *producer, Wait::Result, false)));
            // The next iteration fills a buffer that this one has emptied.
            waits.extend(stage.inputs.iter().map(|(producer, _)| (*producer, at, Wait::Memory, true)));
            for (other, candidates) in graph.stages.iter().map(|other| &other.candidates).enumerate() {
                if candidates.iter().any(|unit| stage.candidates.contains(unit)) {
                    waits.push((at, other, Wait::Unit, true));
                }
            }
        }
        waits.extend(training.carried.iter().map(|(from, to)| (*to, *from, Wait::Result, true)));
        for users in &training.ports {
            waits.extend(users.iter().flat_map(|a| users.iter().map(|b| (*a, *b, Wait::Memory, true))));
        }
        Some(Self {
            part,
            recurrence: Recurrence::new(parts.len(), waits.len()),
            waits,
            backward: training.backward.clone(),
            iterations: place(training.iterations),
            begins: vec![0.0; parts.len()],
            lengths: vec![0.0; parts.len()],
            spans: vec![Span::default(); stages],
        })
    }

    /// The number of iterations at a point.
    pub fn count(&self, columns: Columns<'_>) -> f64 {
        columns.scalar(self.iterations)
    }

    /// The times, from [`Iterations::spans`] of one iteration.
    pub fn times(&mut self, stages: &[StagePlaces], columns: Columns<'_>) -> Times {
        self.begins.fill(f64::INFINITY);
        for (span, part) in self.spans.iter().zip(&self.part) {
            self.begins[*part] = self.begins[*part].min(span.start);
        }
        self.lengths.fill(0.0);
        for (span, part) in self.spans.iter().zip(&self.part) {
            self.lengths[*part] = self.lengths[*part].max(span.end - self.begins[*part]);
        }
        self.recurrence.arcs.clear();
        for &(to, from, wait, carried) in &self.waits {
            let (span, waiting) = (self.spans[from], self.spans[to]);
            let ready = match wait {
                Wait::Result | Wait::Memory => span.end,
                Wait::Unit if columns.scalar(stages[from].unit) == columns.scalar(stages[to].unit) => {
                    span.end - span.latency
                }
                Wait::Unit => continue,
            };
            let cycles = (ready - self.begins[self.part[from]]) - (waiting.start - self.begins[self.part[to]]);
            self.recurrence.arcs.push(Arc { from: self.part[from], to: self.part[to], cycles, carried });
        }
        let of_pass = |backward: bool| {
            let spans = self.spans.iter().zip(&self.backward).filter(move |(_, own)| **own == backward);
            spans.fold((f64::INFINITY, 0.0_f64), |(start, end), (span, _)| (start.min(span.start), end.max(span.end)))
        };
        let (first_backward, last_backward) = of_pass(true);
        Times {
            iteration: self.recurrence.cycle_ratio(),
            total: self.recurrence.total(self.count(columns) as u64, &self.lengths),
            forward: of_pass(false).1,
            backward: (last_backward - first_backward).max(0.0),
        }
    }
}
