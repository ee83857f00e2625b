//! The figures of a sweep, as SVG that goes into a paper as it is: the Pareto front, `course` of a search, `effects` of axes.
//!
//! `pareto` holds what a caller says and checks it, `sheet` turns it into axes and points to draw, `layout` places title,
//! `legend` and panels on the page, `panel` draws the data of one pair of axes, `ticks` chooses ranges and round tick
//! values, `labels` writes them, and `canvas` is the paper: lengths, colours, marks, text. `plotters` writes the SVG.
//! Nothing here reads a file, a font or a clock, so the same values always give the same bytes.

mod canvas;
mod course;
mod effects;
mod labels;
mod layout;
mod legend;
mod panel;
mod pareto;
mod sheet;
#[cfg(test)]
mod tests;
mod ticks;

pub use course::CourseFigure;
pub use effects::{Bars, EffectsFigure};
pub use pareto::{Axis, FigureError, Front, MAX_OBJECTIVES, MAX_SERIES, Marked, ParetoFigure};
