//! Which forward call a backward call belongs to.

use std::collections::HashMap;

use super::call::{Call, Role};
use super::pipeline::Pass;
use super::relations::{Relation, Relations};
use crate::trace::table::{Rule, any_matches};

/// Forward calls that are looked at for one backward call without an edge.
const MAX_CANDIDATES: usize = 64;

/// The forward call of a backward call, and whether the trace says so.
pub(super) type Partners = HashMap<usize, (usize, bool)>;

/// Function and stage.
type Key<'a> = (&'a str, Option<&'a str>);

/// Forward calls that no backward call has taken yet, in order.
type Forwards<'a> = HashMap<Key<'a>, Vec<usize>>;

/// Pairs backward calls with forward calls: by the trace's gradient edges, else by name, stage and shape, the last forward
/// call first, as gradients are computed.
pub(super) fn partners(calls: &[Call<'_>], order: &[usize], relations: &Relations) -> Partners {
    let mut partners = Partners::new();
    let mut taken = vec![false; calls.len()];
    for (forward, edges) in relations.next.iter().enumerate() {
        for (backward, relation) in edges {
            if *relation == Relation::Gradient {
                partners.entry(*backward).or_insert((forward, true));
                if let Some(slot) = taken.get_mut(forward) {
                    *slot = true;
                }
            }
        }
    }
    let mut forwards = Forwards::new();
    for node in order {
        let Some(call) = calls.get(*node) else { continue };
        let Role::Operator(rule) = call.role else { continue };
        match rule.pass {
            Pass::Forward if !taken.get(*node).copied().unwrap_or(true) => {
                forwards.entry((call.function, call.stage)).or_default().push(*node);
            }
            Pass::Backward if !partners.contains_key(node) => {
                if let Some(forward) = take_forward(call, rule, calls, &mut forwards) {
                    partners.insert(*node, (forward, false));
                }
            }
            _ => {}
        }
    }
    partners
}

fn take_forward(backward: &Call<'_>, rule: &Rule, calls: &[Call<'_>], forwards: &mut Forwards<'_>) -> Option<usize> {
    let class = |function: &str| function.rsplit_once('.').map(|(class, _)| class.to_owned());
    let fits = |node: usize| {
        let outputs = calls.get(node).map(|call| call.outputs.tensors.as_slice()).unwrap_or_default();
        backward.inputs.tensors.is_empty() || backward.inputs.tensors.iter().any(|shape| outputs.contains(shape))
    };
    let mut best: Option<(usize, Key<'_>, usize)> = None;
    for (key, nodes) in forwards.iter() {
        let same = key.1 == backward.stage && class(key.0) == class(backward.function);
        if !same || !any_matches(&rule.forward, key.0) {
            continue;
        }
        let recent = nodes.iter().enumerate().rev().take(MAX_CANDIDATES);
        if let Some((place, node)) = recent.into_iter().find(|(_, node)| fits(**node))
            && best.is_none_or(|(other, ..)| other < *node)
        {
            best = Some((*node, *key, place));
        }
    }
    let (node, key, place) = best?;
    forwards.get_mut(&key)?.remove(place);
    Some(node)
}
