//! One workload on one hardware, from its mapping to a report.
//!
//! `ir` is what `map` and `schedule` write: versioned JSON that is described in `docs/traces.md`. `build` makes
//! it by the same plan and evaluator as a sweep, `check` is what an IR must keep when it is read. The reports read the scheduled IR and nothing else: `text`, `markdown`,
//! `html` with the page in `page/`, the static pictures `timeline_svg` and `graph_svg` (by `layers`), and `perfetto`.
//! `roofline` places operators, `words` writes numbers for people.

mod build;
mod check;
mod graph_svg;
mod html;
mod ir;
mod layers;
mod markdown;
mod perfetto;
mod roofline;
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
pub use perfetto::perfetto;
pub use roofline::Placed;
pub use timeline_svg::timeline_svg;
