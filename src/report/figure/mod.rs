//! Figures as SVG that go into a paper as they are: the Pareto front of a sweep, its tiles as a heat map (`heat`), the
//! `course` of a search, `effects` of axes, a roofline, the graph of a pipeline, the `utilization` of units over time.
//!
//! `roofline` draws operators below their roofs, with labels that `place` keeps apart; `flow` draws a pipeline. Of the Pareto figure,
//! `pareto` holds what a caller says and checks it, `sheet` turns it into axes and points to draw, `layout` places title,
//! `legend` and panels on the page, `panel` draws the data of one pair of axes, `ticks` chooses ranges and round tick
//! values, `labels` writes them, and `canvas` is the paper: lengths, colours, marks, text. `plotters` writes the SVG.
//! Nothing here reads a file, a font or a clock, so the same values always give the same bytes.

mod canvas;
mod course;
mod effects;
mod flow;
mod heat;
mod labels;
mod layout;
mod legend;
mod panel;
mod pareto;
mod place;
mod roofline;
mod sheet;
#[cfg(test)]
mod tests;
mod ticks;
mod utilization;

pub use course::CourseFigure;
pub use effects::{Bars, EffectsFigure};
pub use flow::draw as pipeline_svg;
pub use heat::{MAX_PANELS, TileFigure};
pub use pareto::{Axis, FigureError, Front, MAX_OBJECTIVES, MAX_SERIES, Marked, ParetoFigure};
pub use roofline::draw as roofline_svg;
pub use utilization::UtilizationFigure;
