//! The tree of calls: which operator a call belongs to, and in which chunk it is.

use super::call::{Call, Role};

/// Where a call stands in the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The outermost operator that called it, whose counts include it.
    pub(super) owner: Option<usize>,
    /// The outermost container that is a chunk and called it.
    pub(super) chunk: Option<usize>,
    /// Whether it calls anything that was traced.
    pub(super) has_callees: bool,
}

/// Positions of all calls. A circle of calls (recursion) is cut where it is met.
pub(super) fn positions(calls: &[Call<'_>], caller: &[Option<usize>]) -> Vec<Position> {
    let mut known: Vec<Option<Position>> = vec![None; calls.len()];
    for start in 0..calls.len() {
        let mut path = Vec::new();
        let mut current = Some(start);
        while let Some(node) = current.filter(|node| known.get(*node).is_some_and(Option::is_none)) {
            // A provisional answer ends a circle of calls.
            if let Some(slot) = known.get_mut(node) {
                *slot = Some(Position::default());
            }
            path.push(node);
            current = caller.get(node).copied().flatten();
        }
        for node in path.into_iter().rev() {
            let above = caller.get(node).copied().flatten();
            let position = above.map_or_else(Position::default, |above| {
                let outer = known.get(above).copied().flatten().unwrap_or_default();
                below(above, outer, calls)
            });
            if let Some(slot) = known.get_mut(node) {
                *slot = Some(position);
            }
        }
    }
    let mut positions: Vec<_> = known.into_iter().map(Option::unwrap_or_default).collect();
    for above in caller.iter().flatten() {
        if let Some(position) = positions.get_mut(*above) {
            position.has_callees = true;
        }
    }
    positions
}

/// The position of a call whose caller is `above`.
fn below(above: usize, outer: Position, calls: &[Call<'_>]) -> Position {
    let role = calls.get(above).map(|call| call.role);
    let owner = outer.owner.or(matches!(role, Some(Role::Operator(_))).then_some(above));
    let is_chunk = matches!(role, Some(Role::Container(container)) if container.chunk);
    Position { owner, chunk: outer.chunk.or(is_chunk.then_some(above)), has_callees: false }
}
