//! The schedule as a Chrome trace-event file, which Perfetto and chrome://tracing open.
//!
//! Every group of a unit is a thread; work of the whole unit stands on a thread of its own. Times are microseconds, as the
//! format wants. Source: Trace Event Format, Google, 2016.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::ir::ScheduledIr;

/// The trace-event file.
pub fn perfetto(ir: &ScheduledIr) -> String {
    let microseconds = |cycles: f64| cycles / ir.ppa.clock_mhz;
    let mut events: Vec<Value> = Vec::new();
    for (at, unit) in ir.ppa.units.iter().enumerate() {
        let (process, name) = (at + 1, &unit.block.name);
        events.push(json!({ "ph": "M", "pid": process, "name": "process_name", "args": { "name": name } }));
        events.push(
            json!({ "ph": "M", "pid": process, "tid": 0, "name": "thread_name", "args": { "name": "whole unit" } }),
        );
        // Those that worked: a unit may have very many.
        let own = |stage: usize| ir.ppa.operators.get(stage).is_some_and(|operator| operator.unit == at);
        let intervals = ir.schedule.intervals.iter().filter(|interval| own(interval.stage));
        let groups: BTreeSet<usize> = intervals.filter_map(|interval| interval.group).collect();
        for group in groups {
            let thread = format!("group {group}");
            events.push(json!({ "ph": "M", "pid": process, "tid": group + 1, "name": "thread_name", "args": { "name": thread } }));
        }
    }
    for interval in &ir.schedule.intervals {
        let Some(operator) = ir.ppa.operators.get(interval.stage) else { continue };
        events.push(json!({
            "ph": "X",
            "name": operator.name,
            "cat": operator.category,
            "pid": operator.unit + 1,
            "tid": interval.group.map_or(0, |group| group + 1),
            "ts": microseconds(interval.start),
            "dur": microseconds(interval.end - interval.start),
            "args": { "tile": interval.tile, "kind": operator.kind, "cycles": interval.end - interval.start },
        }));
    }
    for (at, unit) in ir.schedule.units.iter().enumerate() {
        for (bin, share) in unit.occupied.iter().enumerate() {
            let time = microseconds(bin as f64 * ir.schedule.bin_cycles);
            events
                .push(json!({ "ph": "C", "pid": at + 1, "name": "occupied", "ts": time, "args": { "share": share } }));
        }
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events }).to_string()
}
