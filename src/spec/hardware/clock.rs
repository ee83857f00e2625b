//! `[clock]`: the clock and its operating points.

use crate::spec::figure::Provenance;
use crate::spec::reader::{Quantity, Reader};

/// The clock and the voltages that it needs.
#[derive(Debug, Clone)]
pub struct ClockDecl {
    /// Clock in MHz.
    pub mhz: Quantity,
    /// Clock at which the file's power figures hold, MHz.
    pub reference_mhz: Quantity,
    /// `(clock in MHz, voltage in V)`, clocks increasing; empty: the voltage never changes.
    pub points: Vec<(f64, f64)>,
    /// Where the points come from.
    pub provenance: Provenance,
}

pub(super) fn read_clock(reader: &Reader<'_>) -> Option<ClockDecl> {
    reader.required("clock");
    let table = reader.table("clock")?;
    let inner = Reader::new(table, "[clock]", reader.diagnostics());
    let mhz = inner.required_quantity("mhz");
    let reference_mhz = inner.required_quantity("reference_mhz");
    let mut points: Vec<(f64, f64)> = Vec::new();
    for point in inner.tables("operating_point") {
        let entry = Reader::new(point, "an operating point", reader.diagnostics());
        let (clock, voltage) = (entry.number("mhz"), entry.number("voltage_v"));
        entry.finish();
        match (clock, voltage) {
            (Some(clock), Some(voltage)) if clock > 0.0 && voltage > 0.0 => {
                if points.last().is_some_and(|(last, _)| *last >= clock) {
                    reader.error(&point.span, "operating points must have increasing clocks", "sort them");
                }
                points.push((clock, voltage));
            }
            _ => reader.error(
                &point.span,
                "an operating point needs a clock and a voltage above 0",
                "write { mhz = 1000, voltage_v = 0.9 }",
            ),
        }
    }
    let provenance = Provenance::read(&inner);
    inner.finish();
    Some(ClockDecl { mhz: mhz?, reference_mhz: reference_mhz?, points, provenance })
}
