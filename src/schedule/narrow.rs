//! Stream edges whose buffer holds fewer tiles than their consumer has groups.

use super::Schedule;
use crate::spec::program::Columns;

/// An edge that leaves groups of its consumer without a tile: a tile in work takes room in the buffer, so that no more
/// groups than it holds tiles are ever at work.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NarrowEdge {
    /// The operator that gives the tiles.
    pub from: String,
    /// The operator that takes them.
    pub to: String,
    /// Tiles that the buffer holds.
    pub tiles: usize,
    /// Groups of the consumer's unit.
    pub groups: usize,
}

impl std::fmt::Display for NarrowEdge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { from, to, tiles, groups } = self;
        write!(
            f,
            "the edge from `{from}` to `{to}` holds {tiles} tiles for {groups} groups, so that no more than {tiles} work at once; raise its `buffer`"
        )
    }
}

impl Schedule {
    /// The narrow edges at a point, none if a value of it is not finite.
    pub fn narrow_edges(&self, columns: Columns<'_>) -> Vec<NarrowEdge> {
        let mut found = Vec::new();
        for stage in &self.stages {
            let groups = self.groups.get(columns.scalar(stage.unit) as usize).map(|place| columns.scalar(*place));
            let Some(groups) = groups.filter(|groups| groups.is_finite()) else { continue };
            for &(producer, buffer) in &stage.inputs {
                let tiles = columns.scalar(buffer);
                if tiles < groups {
                    found.push(NarrowEdge {
                        from: self.stages[producer].name.clone(),
                        to: stage.name.clone(),
                        tiles: tiles as usize,
                        groups: groups as usize,
                    });
                }
            }
        }
        found
    }
}
