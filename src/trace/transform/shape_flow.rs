//! Data flow by shapes: which earlier output can be which input.

use std::collections::{HashMap, HashSet};

use super::pipeline::Evidence;
use super::shape::Shape;
use crate::trace::table::Rule;

/// Producers that are looked at for one input, from the latest.
const MAX_CANDIDATES: usize = 256;

/// A number of elements as a key; counts are whole numbers.
fn key(count: f64) -> u64 {
    count.to_bits()
}

/// The outputs of earlier operators, as far as a later one may read them.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    exact: HashMap<Shape, Vec<usize>>,
    /// By elements and last dimension: `(1048576, 1)` is `(4096, 256, 1)` flattened.
    flat: HashMap<(u64, u64), Vec<usize>>,
    /// By category and rows.
    category: HashMap<(String, u64), Vec<usize>>,
    /// The latest operator of each category.
    latest: HashMap<String, usize>,
    /// Operators whose output was found by its shape.
    used: HashSet<usize>,
    /// How often a shape was given out by number.
    given: HashMap<Shape, usize>,
}

/// A producer that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) producer: usize,
    pub(super) evidence: Evidence,
    /// Elements that pass, if the tensor is known.
    pub(super) elements: Option<f64>,
}

impl Outputs {
    /// Notes the outputs of operator `index`.
    pub(super) fn add(&mut self, index: usize, rule: &Rule, outputs: &[Shape]) {
        self.latest.insert(rule.category.clone(), index);
        for shape in outputs {
            self.exact.entry(shape.clone()).or_default().push(index);
            self.flat.entry((key(shape.size()), key(shape.last()))).or_default().push(index);
            let mut rows = vec![shape.rows()];
            // A set of samples is traced as one object of shape (rays, samples).
            if rule.category == "sampling" {
                rows.push(shape.size());
            }
            for rows in rows {
                let list = self.category.entry((rule.category.clone(), key(rows))).or_default();
                if list.last() != Some(&index) {
                    list.push(index);
                }
            }
        }
    }

    /// Producers of all inputs of a call by `rule`; `categories` are those of all operators.
    pub(super) fn producers(&mut self, rule: &Rule, inputs: &[Shape], categories: &[&str]) -> Vec<Found> {
        let may_feed = |index: &&usize| {
            let category = categories.get(**index).copied().unwrap_or_default();
            rule.fed_by.is_empty() || rule.fed_by.iter().any(|name| name == category)
        };
        let mut found = Vec::new();
        for shape in inputs {
            let elements = Some(shape.size());
            let exact = self.exact.get(shape).map(Vec::as_slice).unwrap_or_default();
            let nth = if rule.nth { self.given.get(shape).copied().unwrap_or(0) } else { 0 };
            let by_shape = match rule.nth {
                true => exact.get(nth).or(exact.last()),
                false => exact.iter().rev().take(MAX_CANDIDATES).find(may_feed),
            };
            // A ray bundle is traced as one object of shape (rays,): no tensor to match with (rays, 1).
            let flat = (shape.0.len() > 1).then(|| self.flat.get(&(key(shape.size()), key(shape.last())))).flatten();
            let by_shape = by_shape.or_else(|| flat?.iter().rev().take(MAX_CANDIDATES).find(may_feed));
            if let Some(producer) = by_shape {
                self.used.insert(*producer);
                found.push(Found { producer: *producer, evidence: Evidence::Shape, elements });
                continue;
            }
            let fallback =
                rule.fed_by.iter().filter_map(|category| self.of_category(category, shape.rows(), rule.first));
            found.extend(fallback.map(|producer| Found { producer, evidence: Evidence::Category, elements: None }));
        }
        if rule.nth
            && let Some(shape) = inputs.first()
        {
            *self.given.entry(shape.clone()).or_default() += 1;
        }
        found.extend(self.needed(rule, inputs));
        found
    }

    fn needed(&self, rule: &Rule, inputs: &[Shape]) -> Vec<Found> {
        let mut found = Vec::new();
        for category in &rule.needs {
            let with_rows = inputs.iter().find_map(|shape| self.of_category(category, shape.rows(), rule.first));
            let producer = with_rows.or_else(|| self.latest.get(category).copied());
            found.extend(producer.map(|producer| Found { producer, evidence: Evidence::Category, elements: None }));
        }
        found
    }

    /// The first or the latest of a category with that number of rows. One whose output already went to the input of its
    /// shape is no candidate, unless it made samples, which many read.
    fn of_category(&self, category: &str, rows: f64, first: bool) -> Option<usize> {
        let list = self.category.get(&(category.to_owned(), key(rows)))?;
        let start = if first { 0 } else { list.len().saturating_sub(MAX_CANDIDATES) };
        let mut free = list
            .iter()
            .copied()
            .skip(start)
            .take(MAX_CANDIDATES)
            .filter(|index| category == "sampling" || !self.used.contains(index));
        if first { free.next() } else { free.next_back() }
    }
}
