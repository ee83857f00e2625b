//! A checked figure as the layout takes it: at least two axes, each with its range, and the points to draw.

use std::borrow::Cow;

use super::pareto::ParetoFigure;

/// What is drawn in the panels, every point with a value for each of the axes.
pub(super) struct Sheet<'a> {
    pub title: &'a str,
    pub axes: Vec<SheetAxis<'a>>,
    pub cloud: Cow<'a, [Vec<f64>]>,
    pub front: Cow<'a, [Vec<f64>]>,
    /// Fronts of other runs: label, points.
    pub compared: Vec<(&'a str, Cow<'a, [Vec<f64>]>)>,
    /// The point that is compared with.
    pub marked: Option<(&'a str, Cow<'a, [f64]>)>,
    /// Further marked points.
    pub marks: Vec<(&'a str, Cow<'a, [f64]>)>,
    pub note: &'a str,
    /// What the legend calls the front.
    pub front_label: String,
}

/// An axis of a [`Sheet`].
pub(super) struct SheetAxis<'a> {
    pub label: &'a str,
    /// Whether larger values are better; `None` where the axis is no objective and has no staircase.
    pub maximise: Option<bool>,
    /// The least and the largest value.
    pub range: (f64, f64),
}

impl<'a> Sheet<'a> {
    /// The sheet of a figure that has passed its checks.
    pub fn new(figure: &ParetoFigure<'a>) -> Sheet<'a> {
        let pairs = Sheet::pairs(figure);
        if figure.axes.len() == 1 { Sheet::sorted(figure, pairs) } else { pairs }
    }

    fn pairs(figure: &ParetoFigure<'a>) -> Sheet<'a> {
        let marked = figure.marked.map(|m| (m.label, Cow::Borrowed(m.values)));
        let fronts = || figure.front.iter().chain(figure.compared.iter().flat_map(|front| front.points));
        let points = || figure.cloud.iter().chain(fronts()).map(|p| &p[..]);
        let axes = figure.axes.iter().enumerate().map(|(i, axis)| {
            let values = points().chain(figure.marks().map(|m| m.values)).map(|p| p[i]);
            let range = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            SheetAxis { label: axis.label, maximise: Some(axis.maximise), range }
        });
        let front_label = match figure.axes.len() {
            _ if !figure.front_label.is_empty() => figure.front_label.to_owned(),
            2 => "Pareto front".to_owned(),
            n => format!("Pareto front of all {n} objectives"),
        };
        Sheet {
            title: figure.title,
            axes: axes.collect(),
            cloud: Cow::Borrowed(figure.cloud),
            front: Cow::Borrowed(figure.front),
            compared: figure.compared.iter().map(|front| (front.label, Cow::Borrowed(front.points))).collect(),
            marked,
            marks: figure.marks.iter().map(|mark| (mark.label, Cow::Borrowed(mark.values))).collect(),
            note: figure.note,
            front_label,
        }
    }

    /// One objective against the share of the evaluated points that come before.
    fn sorted(figure: &ParetoFigure<'a>, pairs: Sheet<'a>) -> Sheet<'a> {
        let maximise = figure.axes[0].maximise;
        let mut values: Vec<f64> = figure.cloud.iter().map(|p| p[0]).collect();
        values.sort_by(|a, b| if maximise { b.total_cmp(a) } else { a.total_cmp(b) });
        let percent = |rank: usize| 100.0 * rank as f64 / values.len().max(1) as f64;
        let rank = |value: f64| values.partition_point(|&v| if maximise { v > value } else { v < value });
        let share = SheetAxis { label: "evaluated points, best first (%)", maximise: None, range: (0.0, 100.0) };
        let ranked = |value: f64| vec![percent(rank(value)), value];
        Sheet {
            axes: std::iter::once(share).chain(pairs.axes).collect(),
            cloud: values.iter().enumerate().map(|(i, &v)| vec![percent(i), v]).collect(),
            front: figure.front.iter().map(|p| ranked(p[0])).collect(),
            compared: figure
                .compared
                .iter()
                .map(|front| (front.label, front.points.iter().map(|p| ranked(p[0])).collect()))
                .collect(),
            marked: pairs.marked.map(|(label, values)| (label, Cow::Owned(ranked(values[0])))),
            marks: pairs.marks.into_iter().map(|(label, values)| (label, Cow::Owned(ranked(values[0])))).collect(),
            front_label: if figure.front_label.is_empty() { "best" } else { figure.front_label }.to_owned(),
            ..pairs
        }
    }
}
