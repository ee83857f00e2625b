//! One workload on one hardware, from its mapping to a report.
//!
//! `ir` is what `map` and `schedule` write: versioned JSON that is described in `docs/traces.md`. `build` makes
//! it by the same plan and evaluator as a sweep, `check` is what an IR must keep when it is read. The reports read the
//! scheduled IR and nothing else: `summary` says it in sentences, `sheet` in tables, of which `figures` holds what area and
//! energy rest on; `markdown` writes them as text, `html` as the page in `page/`. Static pictures are `timeline_svg`,
//! `graph_svg` (calls of a trace as `boxes`) and `roofline`; `perfetto` is the schedule for a trace viewer. `operators` schedules traces that are too
//! large for all that. `words` writes
//! numbers for people.

mod boxes;
mod build;
mod check;
mod colours;
mod figures;
mod graph_svg;
mod html;
mod ir;
mod markdown;
mod operators;
mod perfetto;
mod roofline;
mod sheet;
mod summary;
mod timeline_svg;
mod words;

pub use build::{map, schedule};
pub use graph_svg::{graph_svg, trace_svg};
pub use html::html;
pub use ir::{
    AppliedOptimization, HardwareRef, MAPPED_FORMAT, MappedIr, PortBytes, Resource, SCHEDULED_FORMAT, ScheduleIr,
    ScheduledIr, ScheduledOperator, UnitActivity, VERSION,
};
pub use markdown::{markdown, text};
pub use operators::{OperatorSchedule, PlacedOperator, schedule_operators};
pub use perfetto::perfetto;
pub use roofline::roofline_svg;
pub use timeline_svg::timeline_svg;
