//! What a caller says about a Pareto figure, and the checks before anything is drawn.

use std::fmt;

use plotters::drawing::DrawingAreaErrorKind;

use super::layout;
use super::sheet::Sheet;

/// The most objectives that one figure shows: five make ten panels, and more cannot be read on a page.
pub const MAX_OBJECTIVES: usize = 5;

/// The largest size of a value; the extent of an axis must itself be a number.
const LARGEST: f64 = 1e300;

/// One objective.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// The name with its unit, as it shall be read: `latency (ms)`.
    pub label: &'a str,
    /// Whether larger values are better.
    pub maximise: bool,
}

/// A point with a mark and a name of its own, such as the published design.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'a> {
    /// What the legend calls it: `GSCore as published`.
    pub label: &'a str,
    /// Its value of every objective, in the order of the axes.
    pub values: &'a [f64],
}

/// A front of another run, drawn over the first one in a colour of its own.
#[derive(Clone, Copy, Debug)]
pub struct Front<'a> {
    /// What the legend calls it.
    pub label: &'a str,
    /// Its points, as those of [`ParetoFigure::front`].
    pub points: &'a [Vec<f64>],
}

/// The most fronts that are compared and points that are marked in one figure: as many as there are colours and shapes.
pub const MAX_SERIES: usize = 5;

/// The Pareto front of a sweep before the points that were evaluated.
///
/// The figure is as wide as a column of a two-column paper (240 pt) for one or two objectives and as wide as the page
/// (504 pt) for more, and is meant to be included at that size: its smallest text is then 7 pt.
///
/// | objectives | figure |
/// | --- | --- |
/// | 1 | the points sorted from best to worst |
/// | 2 | one panel; the front is a staircase, the bound of what it dominates |
/// | 3 | a row of three panels, one for each pair of objectives |
/// | 4, 5 | a triangle of panels, one for each pair, with common axes |
///
/// In a panel of a pair every point of the whole front is filled; the thin staircase is the front of that pair alone.
/// An axis is logarithmic where its values are positive and span more than a decade and a half.
///
/// ```
/// use nerarch_dse::report::figure::{Axis, Marked, ParetoFigure};
///
/// let figure = ParetoFigure {
///     title: "GSCore design space",
///     axes: &[
///         Axis { label: "latency (ms)", maximise: false },
///         Axis { label: "area (mm²)", maximise: false },
///     ],
///     cloud: &[vec![2.4, 2.4], vec![1.6, 2.4], vec![2.4, 3.0], vec![1.5, 3.2]],
///     front: &[vec![1.6, 2.4], vec![1.5, 3.2]],
///     front_label: "",
///     compared: &[],
///     marked: Some(Marked { label: "GSCore as published", values: &[1.6, 3.8] }),
///     marks: &[],
///     note: "144 points, worst of lego and bicycle",
/// };
/// assert!(figure.svg()?.contains("GSCore as published"));
/// # Ok::<(), nerarch_dse::report::figure::FigureError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ParetoFigure<'a> {
    /// The bold line on top; none where it is empty, as a paper has a caption.
    pub title: &'a str,
    /// The objectives, one to [`MAX_OBJECTIVES`].
    pub axes: &'a [Axis<'a>],
    /// The feasible points that were evaluated, in any order: points that would cover each other are drawn once. Each has
    /// a value for every axis.
    pub cloud: &'a [Vec<f64>],
    /// The points that no other dominates, in any order. They may be in the cloud as well.
    pub front: &'a [Vec<f64>],
    /// What the legend calls that front; empty: the Pareto front.
    pub front_label: &'a str,
    /// Fronts of other runs, at most [`MAX_SERIES`] - 1.
    pub compared: &'a [Front<'a>],
    /// The point that is compared with.
    pub marked: Option<Marked<'a>>,
    /// Further points with marks of their own, at most [`MAX_SERIES`].
    pub marks: &'a [Marked<'a>],
    /// A small line below: what was evaluated, and how objectives were joined.
    pub note: &'a str,
}

impl ParetoFigure<'_> {
    /// Draws the figure. The same values give the same bytes, in whatever order the points come, and however many they
    /// are the SVG stays below 300 kB.
    ///
    /// # Errors
    /// The number of objectives is not 1 to [`MAX_OBJECTIVES`], there is no point at all, a point has another number of
    /// values than there are axes, or a value is not finite or larger than 1e300.
    pub fn svg(&self) -> Result<String, FigureError> {
        self.check()?;
        let sheet = Sheet::new(self);
        layout::draw(&sheet).map_err(FigureError::Drawing)
    }

    fn check(&self) -> Result<(), FigureError> {
        match self.axes.len() {
            0 => return Err(FigureError::NoObjective),
            1..=MAX_OBJECTIVES => {}
            given => return Err(FigureError::TooManyObjectives { given }),
        }
        let others = self.compared.iter().flat_map(|front| front.points);
        if self.cloud.is_empty() && self.front.is_empty() && self.marks().next().is_none() && others.count() == 0 {
            return Err(FigureError::NoPoint);
        }
        if self.compared.len() >= MAX_SERIES || self.marks.len() > MAX_SERIES {
            return Err(FigureError::TooManySeries);
        }
        for (i, values) in self.cloud.iter().enumerate() {
            self.check_point(values, || format!("evaluated point {i}"))?;
        }
        for (i, values) in self.front.iter().enumerate() {
            self.check_point(values, || format!("point {i} of the front"))?;
        }
        for Front { label, points } in self.compared {
            points
                .iter()
                .try_for_each(|values| self.check_point(values, || format!("a point of the front `{label}`")))?;
        }
        for Marked { label, values } in self.marks() {
            self.check_point(values, || format!("the marked point `{label}`"))?;
        }
        Ok(())
    }

    /// The marked points, the one that is compared with first.
    pub(super) fn marks(&self) -> impl Iterator<Item = Marked<'_>> {
        self.marked.into_iter().chain(self.marks.iter().copied())
    }

    fn check_point(&self, values: &[f64], point: impl Fn() -> String) -> Result<(), FigureError> {
        let axes = self.axes.len();
        if values.len() != axes {
            return Err(FigureError::WrongLength { point: point(), given: values.len(), axes });
        }
        for (axis, &value) in self.axes.iter().zip(values) {
            if value.is_nan() || value.abs() > LARGEST {
                let axis = axis.label.to_owned();
                return Err(FigureError::NotDrawable { point: point(), axis, value });
            }
        }
        Ok(())
    }
}

/// Why there is no figure.
#[derive(Debug)]
pub enum FigureError {
    /// The figure has no axis.
    NoObjective,
    /// The figure has more axes than [`MAX_OBJECTIVES`].
    TooManyObjectives {
        /// The number of axes.
        given: usize,
    },
    /// The figure has more panels than [`MAX_PANELS`](super::MAX_PANELS).
    TooManyPanels {
        /// The number of panels.
        given: usize,
    },
    /// Cloud and front are empty and nothing is marked.
    NoPoint,
    /// More fronts or marks than [`MAX_SERIES`].
    TooManySeries,
    /// A point has not one value for every axis.
    WrongLength {
        /// Which point, in words.
        point: String,
        /// How many values it has.
        given: usize,
        /// How many axes the figure has.
        axes: usize,
    },
    /// A value is infinite, not a number, or larger than 1e300.
    NotDrawable {
        /// Which point, in words.
        point: String,
        /// The label of the axis.
        axis: String,
        /// The value.
        value: f64,
    },
    /// The drawing library failed.
    Drawing(DrawingAreaErrorKind<std::io::Error>),
}

impl fmt::Display for FigureError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            FigureError::NoObjective => write!(f, "a Pareto figure needs at least one objective"),
            FigureError::TooManyObjectives { given } => write!(
                f,
                "a Pareto figure shows at most {MAX_OBJECTIVES} objectives and was given {given}: draw it for \
                 {MAX_OBJECTIVES} of them, or leave the figure out and read the table of the front"
            ),
            FigureError::TooManyPanels { given } => {
                write!(f, "a figure of tiles shows at most {} screens and was given {given}", super::MAX_PANELS)
            }
            FigureError::NoPoint => write!(f, "there is no feasible point to draw"),
            FigureError::TooManySeries => {
                write!(f, "a Pareto figure tells at most {MAX_SERIES} fronts and {MAX_SERIES} marked points apart")
            }
            FigureError::WrongLength { point, given, axes } => {
                write!(f, "{point} has {given} values, but the figure has {axes} axes")
            }
            FigureError::NotDrawable { point, axis, value } => {
                write!(f, "{point} has the value {value} for {axis}, which has no place on an axis")
            }
            FigureError::Drawing(_) => write!(f, "the figure could not be drawn"),
        }
    }
}

impl std::error::Error for FigureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FigureError::Drawing(source) => Some(source),
            _ => None,
        }
    }
}
