//! Axes that move together.

use std::sync::Arc;

use super::parameters::Axis;
use crate::spec::diagnostic::{Collector, Diagnostic, did_you_mean};
use crate::spec::reader::Quantity;
use crate::spec::sweep::{GroupDecl, SweepDecl, SweepParameter};

/// An axis of the space and what it varies.
pub enum Slot {
    /// One parameter, by its position, perhaps under a condition.
    Alone(usize, Axis, Option<Quantity>),
    /// The parameters of a group, each with its value at every digit.
    Zipped(Vec<(usize, Arc<[f64]>)>, Axis),
}

/// Joins the axes of groups as they come.
pub struct Groups<'a> {
    decls: &'a [GroupDecl],
    diagnostics: &'a Collector,
    order: Vec<Place>,
    /// Group by group: position of the parameter, its axis, where it stands.
    members: Vec<Vec<(usize, Axis)>>,
}

enum Place {
    Alone(Box<Slot>),
    Group(usize),
}

impl<'a> Groups<'a> {
    /// The groups of a sweep; names that are no axes are reported.
    pub fn new(sweep: &'a SweepDecl, diagnostics: &'a Collector) -> Self {
        let mut seen: Vec<&str> = Vec::new();
        for (name, span) in sweep.groups.iter().flat_map(|group| &group.axes) {
            let is_axis = |given: &&SweepParameter| given.is_axis();
            if !sweep.parameters.iter().filter(is_axis).any(|given| given.name == *name) {
                let axes = sweep.parameters.iter().filter(is_axis).map(|given| given.name.as_str());
                let message = format!("this sweep has no axis `{name}`");
                diagnostics.error(Diagnostic::new(span, message).help(did_you_mean(name, axes)));
            }
            if seen.contains(&name.as_str()) {
                let message = format!("`{name}` is in two groups");
                diagnostics.error(Diagnostic::new(span, message).help("join the groups, or remove it from one"));
            }
            seen.push(name);
        }
        let members = sweep.groups.iter().map(|_| Vec::new()).collect();
        Self { decls: &sweep.groups, diagnostics, order: Vec::new(), members }
    }

    /// Takes the next axis of the file, of the parameter at position `at`.
    pub fn add(&mut self, at: usize, axis: Axis, given: &SweepParameter) {
        let group = self.decls.iter().position(|group| group.axes.iter().any(|(name, _)| *name == given.name));
        let Some(group) = group else {
            self.order.push(Place::Alone(Box::new(Slot::Alone(at, axis, given.when.clone()))));
            return;
        };
        if let Some(when) = &given.when {
            let message = format!("`{}` moves with others and cannot have a condition of its own", given.name);
            self.diagnostics
                .error(Diagnostic::new(&when.span, message).help("remove `when`, or take it off the group"));
        }
        match self.members[group].first() {
            None => self.order.push(Place::Group(group)),
            Some((_, first)) if first.values.len() != axis.values.len() => {
                let message = format!(
                    "`{}` has {} values and `{}` has {}, but they move together",
                    first.name,
                    first.values.len(),
                    axis.name,
                    axis.values.len()
                );
                self.diagnostics
                    .error(Diagnostic::new(&given.span, message).help("give every axis of a group as many values"));
                return;
            }
            Some(_) => {}
        }
        self.members[group].push((at, axis));
    }

    /// The axes of the space; a group stands where its first member does.
    pub fn finish(mut self) -> Vec<Slot> {
        let order = std::mem::take(&mut self.order);
        order
            .into_iter()
            .map(|place| match place {
                Place::Alone(slot) => *slot,
                Place::Group(group) => joined(std::mem::take(&mut self.members[group])),
            })
            .collect()
    }
}

fn joined(members: Vec<(usize, Axis)>) -> Slot {
    let count = members.iter().map(|(_, axis)| axis.values.len()).min().unwrap_or(0);
    let join =
        |part: &dyn Fn(&Axis) -> String| members.iter().map(|(_, axis)| part(axis)).collect::<Vec<_>>().join("+");
    let is_default = |digit: &usize| members.iter().all(|(_, axis)| axis.default == Some(axis.values[*digit]));
    let axis = Axis {
        name: join(&|axis| axis.name.clone()),
        values: (0..count).map(|digit| digit as f64).collect(),
        labels: (0..count).map(|digit| join(&|axis| axis.labels[digit].clone())).collect(),
        spans: members.first().map_or_else(Vec::new, |(_, axis)| axis.spans.clone()),
        is_words: members.iter().any(|(_, axis)| axis.is_words),
        is_whole: true,
        is_continuous: members.iter().all(|(_, axis)| axis.is_continuous),
        default: (0..count).find(is_default).map(|digit| digit as f64),
        members: members.iter().map(|(_, axis)| axis.name.clone()).collect(),
        condition: None,
    };
    Slot::Zipped(members.into_iter().map(|(at, axis)| (at, axis.values.into())).collect(), axis)
}
