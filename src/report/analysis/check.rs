//! What the parts of an IR must keep among each other, beyond the keys and types that reading them asks for.

use std::collections::HashMap;

use serde_json::Value;

use super::ir::{ScheduleIr, ScheduledIr};
use crate::spec::Diagnostic;
use crate::spec::workload::Workload;
use crate::trace::MAX_CALLS;

/// What may be lost where a time was written as text and read again.
const ROUNDING: f64 = 1e-9;

/// A place of an IR, as a JSON pointer, and what is wrong there.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    place: String,
    message: String,
}

impl Fault {
    fn at(place: impl Into<String>, message: impl Into<String>) -> Result<(), Self> {
        Err(Self { place: place.into(), message: message.into() })
    }

    /// For the file `name`, which `command` writes.
    pub(super) fn diagnostic(&self, name: &str, command: &str) -> Diagnostic {
        Diagnostic::placeless(format!("`{name}` at {}: {}", self.place, self.message))
            .help(format!("correct it, or write the file anew with `nerarch-dse {command}`"))
    }
}

/// What the schedule relies on. The rest is checked where the workload becomes a pipeline.
pub(super) fn workload(workload: &Workload) -> Result<(), Fault> {
    if workload.tiles == 0 || workload.tiles > MAX_CALLS as u64 {
        let message = format!("{} tiles: a trace has 1 to {MAX_CALLS}", workload.tiles);
        return Fault::at("/workload/tiles", message);
    }
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (at, operator) in workload.operators.iter().enumerate() {
        if let Some(first) = names.insert(&operator.name, at) {
            let message = format!("`{}` is the name of /workload/operators/{first} too", operator.name);
            return Fault::at(format!("/workload/operators/{at}/name"), message);
        }
    }
    Ok(())
}

/// What the reports rely on.
pub(super) fn scheduled(ir: &ScheduledIr) -> Result<(), Fault> {
    workload(&ir.workload)?;
    let (operators, units) = (ir.schedule.operators.len(), ir.ppa.units.len());
    if operators != ir.ppa.operators.len() {
        let message = format!("{operators} operators, but {} in /ppa/operators", ir.ppa.operators.len());
        return Fault::at("/schedule/operators", message);
    }
    if units != ir.schedule.units.len() {
        let message = format!("{} units, but {units} in /ppa/units", ir.schedule.units.len());
        return Fault::at("/schedule/units", message);
    }
    if let Some(at) = ir.ppa.operators.iter().position(|operator| operator.unit >= units) {
        return Fault::at(format!("/ppa/operators/{at}/unit"), format!("there are {units} units, counted from 0"));
    }
    let positive = [("/schedule/makespan_cycles", ir.schedule.makespan_cycles), ("/ppa/clock_mhz", ir.ppa.clock_mhz)];
    if let Some((place, value)) = positive.into_iter().find(|(_, value)| *value <= 0.0) {
        return Fault::at(place, format!("{value}, but a schedule has a length and a clock above 0"));
    }
    bins(&ir.schedule)?;
    intervals(ir)
}

fn bins(schedule: &ScheduleIr) -> Result<(), Fault> {
    let rows = schedule.units.iter().enumerate().flat_map(|(at, unit)| {
        [
            (format!("/schedule/units/{at}/occupied"), &unit.occupied),
            (format!("/schedule/units/{at}/computing"), &unit.computing),
        ]
    });
    let ports =
        schedule.ports.iter().enumerate().map(|(at, port)| (format!("/schedule/ports/{at}/bytes"), &port.bytes));
    let mut bins = None;
    for (place, row) in rows.chain(ports) {
        let bins = *bins.get_or_insert(row.len());
        if row.len() != bins || bins == 0 {
            return Fault::at(
                place,
                format!("{} bins, but the first row has {bins}, and there is at least one", row.len()),
            );
        }
    }
    Ok(())
}

fn intervals(ir: &ScheduledIr) -> Result<(), Fault> {
    let latest = ir.schedule.makespan_cycles * (1.0 + ROUNDING);
    for (at, interval) in ir.schedule.intervals.iter().enumerate() {
        let place = |key: &str| format!("/schedule/intervals/{at}/{key}");
        let Some(operator) = ir.ppa.operators.get(interval.stage) else {
            let message = format!("there are {} operators, counted from 0", ir.ppa.operators.len());
            return Fault::at(place("stage"), message);
        };
        let groups = ir.ppa.units.get(operator.unit).map_or(0.0, |unit| unit.groups);
        if interval.group.is_some_and(|group| group as f64 >= groups) {
            return Fault::at(
                place("group"),
                format!("unit `{}` has {groups} groups, counted from 0", operator.unit_name),
            );
        }
        if interval.end < interval.start || interval.end > latest {
            let message =
                format!("it must lie between the start and the schedule's end, {}", ir.schedule.makespan_cycles);
            return Fault::at(place("end"), message);
        }
    }
    Ok(())
}

/// No number of an IR is below 0: they are counts, sizes, times, shares and costs.
pub(super) fn numbers(text: &str) -> Result<(), Fault> {
    // The text was read as an IR before, so it is JSON.
    serde_json::from_str::<Value>(text).map_or(Ok(()), |value| negative(&value, ""))
}

fn negative(value: &Value, at: &str) -> Result<(), Fault> {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|number| number < 0.0) => {
            Fault::at(at, format!("{number}, but nothing in this file can be below 0"))
        }
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(index, item)| negative(item, &format!("{at}/{index}")))
        }
        Value::Object(object) => object.iter().try_for_each(|(key, item)| negative(item, &format!("{at}/{key}"))),
        _ => Ok(()),
    }
}
