//! Commands of a processing element, and explicit graphs of operators.

use nerarch_dse::hardware::pe::{self, Hazards};
use nerarch_dse::schedule::tasks::{Buffer, Policy, Resources, Shared, Task, TaskGraph, Workspace, check, schedule};
use nerarch_dse::spec::Collector;

use super::declarations::{complete, source};

/// The input is a file of commands: read and simulated.
pub fn commands(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let faults = Collector::default();
    let declared = pe::read(&source("commands.toml", text), &faults);
    let Some(declared) = complete(faults.finish(declared)) else { return };
    for command in declared.list.commands() {
        let alone = pe::closed_form(&declared.list, command, &declared.parameters);
        assert!(alone.is_none_or(|cycles| cycles >= 0.0), "{alone:?}");
    }
    match pe::simulate(&declared.list, &declared.parameters, Hazards::Tracked, false) {
        Ok(run) => assert!(run.cycles >= 0.0 && run.commands.len() == declared.list.commands().len()),
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
}

/// Takes numbers off the input; zeros behind its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    /// Mostly a small whole number, now and then any at all.
    fn number(&mut self) -> f64 {
        match self.byte() {
            255 => f64::from_le_bytes(std::array::from_fn(|_| self.byte())),
            254 => f64::from(self.byte()) / 8.0,
            small => f64::from(small),
        }
    }

    fn index(&mut self) -> u32 {
        match self.byte() {
            255 => u32::from_le_bytes(std::array::from_fn(|_| self.byte())),
            small => u32::from(small),
        }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.byte()).map(|_| item(self)).collect()
    }
}

/// The input is operators, edges, units and what they share: what is taken is scheduled under each policy, and verified.
pub fn tasks(input: &[u8]) {
    let mut bytes = Bytes(input);
    let list = bytes.list(|bytes| Task { unit: bytes.index(), cycles: bytes.number() });
    let edges = bytes.list(|bytes| (bytes.index(), bytes.index()));
    let count = list.len();
    let graph = match TaskGraph::new(list, &edges) {
        Ok(graph) => graph,
        Err(fault) => return assert!(!fault.to_string().is_empty()),
    };
    let units = Resources::units(bytes.list(Bytes::index));
    let shared = bytes.list(|bytes| Shared {
        capacity: bytes.number(),
        demands: bytes.list(|bytes| (bytes.index(), bytes.number())),
    });
    let buffers = bytes
        .list(|bytes| Buffer { capacity: bytes.number(), edges: bytes.list(|bytes| (bytes.index(), bytes.number())) });
    let resources = match units.sharing(&graph, shared, buffers) {
        Ok(resources) => resources,
        Err(fault) => return assert!(!fault.to_string().is_empty()),
    };
    let weights = (0..count).map(|_| bytes.number()).collect();
    let dags = Policy::Dags { alpha: bytes.number(), beta: bytes.number() };
    let mut workspace = Workspace::default();
    for policy in [Policy::Best, Policy::CriticalPath, Policy::Fifo, Policy::Weights(weights), dags] {
        match schedule(&graph, &resources, &policy, &mut workspace) {
            Ok(outcome) => {
                check(&graph, &resources, workspace.placements()).unwrap_or_else(|fault| panic!("{policy:?}: {fault}"));
                assert!(outcome.makespan.is_finite() && outcome.lower_bound <= outcome.makespan, "{outcome:?}");
            }
            Err(fault) => assert!(!fault.to_string().is_empty()),
        }
    }
}
