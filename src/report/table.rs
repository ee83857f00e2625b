//! The columns of a run's results.

use crate::explore::Block;
use crate::ppa::metric::{BOTTLENECK, METRICS};
use crate::ppa::{Outcome, Plan};
use crate::spec::sweep::{Aggregate, SweepDecl};

/// Fixed columns of a run: name and content.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The columns in order.
    pub columns: Vec<Column>,
    /// Positions in [`Plan::parameters`] of the derived parameters that the table shows.
    pub shown_parameters: Vec<usize>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, units included.
    pub name: String,
    /// What it holds.
    pub content: Content,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Index of the point.
    Index,
    /// `ok`, `infeasible` or `failed`.
    Status,
    /// Value of an axis.
    Axis(usize),
    /// Value of a shown parameter, by its position among them.
    Parameter(usize),
    /// A metric of a workload.
    Metric {
        /// Index of the workload.
        workload: usize,
        /// Index of the metric.
        metric: usize,
    },
    /// An objective joined over the workloads.
    Objective(usize),
    /// The constraint that fails most, or why the point failed.
    Reason,
}

/// The value of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// Nothing.
    Empty,
}

/// Type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    /// [`Cell::Whole`]
    Whole,
    /// [`Cell::Number`]
    Number,
    /// [`Cell::Text`]
    Text,
}

impl Schema {
    /// The columns of a sweep: index, status, axes, the sweep's derived parameters, metrics (those of every workload
    /// once), objectives joined over workloads, reason.
    pub fn new(plan: &Plan, sweep: &SweepDecl) -> Self {
        let mut columns = Vec::new();
        let mut push = |name: String, content| columns.push(Column { name, content });
        push("index".into(), Content::Index);
        push("status".into(), Content::Status);
        let mut shown_parameters = Vec::new();
        let mut show = |name: &str, push: &mut dyn FnMut(String, Content)| {
            if let Some(at) = plan.parameters.iter().position(|(known, _)| known == name) {
                push(name.to_owned(), Content::Parameter(shown_parameters.len()));
                shown_parameters.push(at);
            }
        };
        for (at, axis) in plan.axes.iter().enumerate() {
            if axis.condition.is_some() {
                // Where it does not exist, the parameter has another value than the axis.
                show(&axis.name, &mut push);
            } else if axis.members.is_empty() {
                push(axis.name.clone(), Content::Axis(at));
            } else {
                axis.members.iter().for_each(|member| show(member, &mut push));
            }
        }
        for given in sweep.parameters.iter().filter(|given| !given.is_axis()) {
            show(&given.name, &mut push);
        }
        let wanted = |name: &str| {
            let wanted = &sweep.output.metrics;
            wanted.is_empty() || wanted.iter().any(|(metric, _)| metric == name)
        };
        let is_common = |metric: usize| METRICS.get(metric).is_some_and(|info| info.common);
        let several = plan.workloads.len() > 1;
        for (metric, name) in plan.metric_names.iter().enumerate().filter(|(_, name)| wanted(name)) {
            if !several || is_common(metric) {
                push(name.clone(), Content::Metric { workload: 0, metric });
            }
        }
        if several {
            for (workload, info) in plan.workloads.iter().enumerate() {
                for (metric, name) in plan.metric_names.iter().enumerate().filter(|(_, name)| wanted(name)) {
                    if !is_common(metric) {
                        push(format!("{}.{name}", info.name), Content::Metric { workload, metric });
                    }
                }
            }
            for (at, objective) in plan.objectives.iter().enumerate() {
                if objective.workload.is_none() && !is_common(objective.metric) && sweep.aggregate != Aggregate::Each {
                    push(format!("{}.{}", sweep.aggregate.name(), objective.name), Content::Objective(at));
                }
            }
        }
        push("reason".into(), Content::Reason);
        Self { columns, shown_parameters }
    }

    /// Type of a column's cells.
    pub fn cell_type(&self, plan: &Plan, content: Content) -> CellType {
        match content {
            Content::Index => CellType::Whole,
            Content::Status | Content::Reason => CellType::Text,
            Content::Axis(at) if plan.axes[at].is_words => CellType::Text,
            Content::Axis(at) if plan.axes[at].is_whole => CellType::Whole,
            Content::Parameter(at) if plan.parameters[self.shown_parameters[at]].1.is_some() => CellType::Text,
            Content::Metric { metric: BOTTLENECK, .. } => CellType::Text,
            Content::Axis(_) | Content::Parameter(_) | Content::Metric { .. } | Content::Objective(_) => {
                CellType::Number
            }
        }
    }
}

/// Rows of a block as cells.
pub struct Rows<'a> {
    plan: &'a Plan,
    schema: &'a Schema,
    block: &'a Block,
    digits: &'a [Vec<u32>],
}

impl<'a> Rows<'a> {
    /// The rows of `block`; `digits` are those of its points.
    pub fn new(plan: &'a Plan, schema: &'a Schema, block: &'a Block, digits: &'a [Vec<u32>]) -> Self {
        Self { plan, schema, block, digits }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.block.indices.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.block.indices.is_empty()
    }

    fn reason(&self, row: usize) -> Option<&'a str> {
        let found = self.block.reasons.binary_search_by_key(&row, |(at, _)| *at);
        found.ok().map(|at| self.block.reasons[at].1.as_str())
    }

    /// The cell of a row. Numbers that are not finite are empty: the row's reason says why.
    pub fn cell(&self, row: usize, content: Content) -> Cell<'a> {
        let plan = self.plan;
        match content {
            Content::Index => Cell::Whole(self.block.indices[row] as i64),
            Content::Status => Cell::Text(match self.block.outcomes[row] {
                Outcome::Feasible => "ok",
                Outcome::Infeasible { .. } => "infeasible",
                Outcome::Failed => "failed",
            }),
            Content::Axis(at) => {
                let (axis, digit) = (&plan.axes[at], self.digits[row][at] as usize);
                if axis.is_words {
                    Cell::Text(&axis.labels[digit])
                } else if axis.is_whole {
                    Cell::Whole(axis.values[digit] as i64)
                } else {
                    Cell::Number(axis.values[digit])
                }
            }
            Content::Parameter(at) => {
                let value = self.block.parameters[row * self.schema.shown_parameters.len() + at];
                match &plan.parameters[self.schema.shown_parameters[at]].1 {
                    Some(words) => words.get(value as usize).map_or(Cell::Empty, |word| Cell::Text(word)),
                    None => number(value),
                }
            }
            Content::Metric { workload, metric } => {
                let width = plan.workloads.len() * plan.metric_names.len();
                let value = self.block.metrics[row * width + workload * plan.metric_names.len() + metric];
                if metric == BOTTLENECK && value.is_finite() {
                    plan.bottlenecks.get(value as usize).map_or(Cell::Empty, |name| Cell::Text(name))
                } else {
                    number(value)
                }
            }
            Content::Objective(at) => number(self.block.objectives[row * plan.objectives.len() + at]),
            Content::Reason => match self.block.outcomes[row] {
                Outcome::Feasible => Cell::Empty,
                Outcome::Infeasible { constraint, .. } => {
                    Cell::Text(self.reason(row).unwrap_or(&plan.constraints[constraint].name))
                }
                Outcome::Failed => self.reason(row).map_or(Cell::Empty, Cell::Text),
            },
        }
    }
}

fn number(value: f64) -> Cell<'static> {
    if value.is_finite() { Cell::Number(value) } else { Cell::Empty }
}
