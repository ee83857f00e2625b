//! The page: where title, legend, panels, axis labels and note go, and the room that each of them takes.

use super::canvas::{
    Align, Canvas, Drawing, Drawn, FAINT_INK, INK, LARGE, MEDIUM, PT, SMALL, text_width, wrap, wrap_at_most,
};
use super::legend::{Legend, SMALL_LINE};
use super::panel::{Budget, Panel, label_room};
use super::sheet::{Sheet, SheetAxis};
use super::ticks::{OVERHANG, Run, Scale};

/// Widths of a column and of a page of a two-column paper.
const COLUMN: i32 = 240 * PT;
const PAGE: i32 = 504 * PT;

/// Free space at the edges of the canvas.
const EDGE: i32 = 2 * PT;
/// Between panels that share their axes.
const GAP: i32 = 10 * PT;
/// Right of a panel, where a tick label may stand out.
const RIGHT: i32 = OVERHANG + EDGE;
/// From the frame's lower edge to below the tick labels.
const TICK_LABELS: i32 = 12 * PT;
/// Distances between lines of text; a baseline is `DESCENT` above the end of its line.
const MEDIUM_LINE: i32 = 10 * PT;
const LARGE_LINE: i32 = 11 * PT;
const DESCENT: i32 = 2 * PT;

/// Draws the sheet as SVG.
pub(super) fn draw(sheet: &Sheet) -> Drawing<String> {
    let page = Page::new(sheet);
    Canvas::paint((page.grid.width, page.height), |canvas| page.draw(canvas))
}

/// Where panels lie.
struct Grid {
    /// Column, row, and the objectives that run across and up.
    panels: Vec<(i32, i32, usize, usize)>,
    columns: i32,
    rows: i32,
    width: i32,
    panel_height: i32,
    /// Whether a column shares its objective across and a row its objective up, so that labels stand outside only.
    shared: bool,
}

impl Grid {
    fn new(axes: usize) -> Grid {
        let sides = axes as i32 - 1;
        match axes {
            2 => Grid {
                panels: vec![(0, 0, 0, 1)],
                columns: 1,
                rows: 1,
                width: COLUMN,
                panel_height: 135 * PT,
                shared: false,
            },
            3 => Grid {
                panels: vec![(0, 0, 0, 1), (1, 0, 0, 2), (2, 0, 1, 2)],
                columns: 3,
                rows: 1,
                width: PAGE,
                panel_height: 110 * PT,
                shared: false,
            },
            _ => Grid {
                panels: (1..axes).flat_map(|y| (0..y).map(move |x| (x as i32, y as i32 - 1, x, y))).collect(),
                columns: sides,
                rows: sides,
                width: PAGE,
                panel_height: if axes == 4 { 92 * PT } else { 74 * PT },
                shared: true,
            },
        }
    }
}

/// The lines of the labels of some axes, and whether they say `better` in words.
struct AxisLabels {
    lines: Vec<Vec<String>>,
    words: bool,
}

impl AxisLabels {
    /// Labels for axes of `length` units with an arrow to the better end, which says so where `words` are asked for and
    /// every label leaves room for them.
    fn new(axes: &[SheetAxis], length: i32, words: bool) -> AxisLabels {
        let fits = |axis: &SheetAxis| text_width(axis.label, MEDIUM) + text_width(better(axis, true), MEDIUM) <= length;
        let words = words && axes.iter().all(fits);
        let label = |axis: &SheetAxis| wrap_at_most(3, axis.label, better(axis, words), MEDIUM, length);
        AxisLabels { lines: axes.iter().map(label).collect(), words }
    }

    fn height(&self) -> i32 {
        self.lines.iter().map(Vec::len).max().unwrap_or(0) as i32 * MEDIUM_LINE
    }
}

/// What follows an axis label; its spaces are of the kinds that neither collapse nor break.
fn better(axis: &SheetAxis, words: bool) -> &'static str {
    match (axis.maximise, words) {
        (None, _) => "",
        (Some(true), true) => "\u{2002}better\u{a0}→",
        (Some(false), true) => "\u{2002}←\u{a0}better",
        (Some(true), false) => "\u{a0}→",
        (Some(false), false) => "\u{a0}←",
    }
}

/// A sheet with everything in its place. Heights follow each other from the top: title, legend (unless it stands in the
/// empty corner of a triangle), panels, tick and axis labels, note.
struct Page<'a> {
    sheet: &'a Sheet<'a>,
    grid: Grid,
    across: Vec<Scale>,
    up: Vec<Scale>,
    across_labels: AxisLabels,
    /// From the second axis on, as the first never runs up; and the last never runs across.
    up_labels: AxisLabels,
    title: Vec<String>,
    legend: Legend,
    legend_at: (i32, i32),
    note: Vec<String>,
    /// Left of a panel with labels, between two panels, and the width of each.
    left: i32,
    between: i32,
    panel_width: i32,
    /// Where panels begin and where they end.
    panels_top: i32,
    panels_bottom: i32,
    height: i32,
}

impl<'a> Page<'a> {
    fn new(sheet: &'a Sheet) -> Page<'a> {
        let grid = Grid::new(sheet.axes.len());
        let scales = |run| sheet.axes.iter().map(|axis| Scale::new(axis.range, run)).collect();

        // Labels that run up decide how wide a panel is, and its width decides about what runs across.
        let up: Vec<Scale> = scales(Run::Up(grid.panel_height));
        let up_labels = AxisLabels::new(&sheet.axes[1..], grid.panel_height, grid.panels.len() == 1);
        let tick_room = grid.panels.iter().map(|&(.., y)| label_room(&up[y])).max().unwrap_or(0);
        let left = EDGE + up_labels.height() + 2 * PT + tick_room + 3 * PT;
        let between = if grid.shared { GAP } else { left + RIGHT };
        let panel_width = (grid.width - left - RIGHT - (grid.columns - 1) * between) / grid.columns;
        let across = scales(Run::Across(panel_width));
        let across_labels = AxisLabels::new(&sheet.axes[..sheet.axes.len() - 1], panel_width, up_labels.words);

        let title = wrap(sheet.title, LARGE, (grid.width - 2 * EDGE) * 9 / 10);
        let title_bottom = EDGE + title.len() as i32 * LARGE_LINE;
        let legend_left = if grid.shared { left + panel_width + between } else { EDGE };
        let legend_width = grid.width - EDGE - legend_left;
        let legend = Legend::new(sheet, !across_labels.words, legend_width, grid.shared);
        let beside = if grid.shared { 0 } else { legend.height + 2 * PT };
        let panels_top = title_bottom + 2 * PT + beside;
        let legend_top = if grid.shared { panels_top } else { title_bottom };
        let panels_bottom = panels_top + grid.rows * (grid.panel_height + GAP) - GAP;
        let note = wrap(sheet.note, SMALL, grid.width - 2 * EDGE);
        let foot = TICK_LABELS + across_labels.height() + 2 * PT;
        let height = panels_bottom + foot + note.len() as i32 * SMALL_LINE + EDGE;
        Page {
            sheet,
            grid,
            across,
            up,
            across_labels,
            up_labels,
            title,
            legend,
            legend_at: (legend_left, legend_top),
            note,
            left,
            between,
            panel_width,
            panels_top,
            panels_bottom,
            height,
        }
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        for (line, text) in (1..).zip(&self.title) {
            canvas.bold(text, (EDGE, EDGE + line * LARGE_LINE - DESCENT), LARGE, INK)?;
        }
        self.legend.draw(canvas, self.legend_at)?;
        let budget = Budget::of_one_in(self.grid.panels.len());
        for &(column, row, x, y) in &self.grid.panels {
            let panel = Panel {
                left: self.left + column * (self.panel_width + self.between),
                top: self.panels_top + row * (self.grid.panel_height + GAP),
                width: self.panel_width,
                height: self.grid.panel_height,
                x: (x, &self.across[x]),
                y: (y, &self.up[y]),
            };
            panel.draw(canvas, self.sheet, budget)?;
            if !self.grid.shared || row == self.grid.rows - 1 {
                panel.across_ticks(canvas)?;
                self.across_label(canvas, &panel)?;
            }
            if !self.grid.shared || column == 0 {
                panel.up_ticks(canvas)?;
                self.up_label(canvas, &panel)?;
            }
        }
        let last = self.height - EDGE - self.note.len() as i32 * SMALL_LINE;
        for (line, text) in (1..).zip(&self.note) {
            let baseline = last + line * SMALL_LINE - DESCENT;
            canvas.text(text, (EDGE, baseline), Align::Left, SMALL, FAINT_INK)?;
        }
        Ok(())
    }

    fn across_label(&self, canvas: &Canvas, panel: &Panel) -> Drawn {
        for (line, text) in (1..).zip(&self.across_labels.lines[panel.x.0]) {
            let baseline = self.panels_bottom + TICK_LABELS + line * MEDIUM_LINE - DESCENT;
            let middle = panel.left + panel.width / 2;
            canvas.text(text, (middle, baseline), Align::Centre, MEDIUM, INK)?;
        }
        Ok(())
    }

    /// The last line is the one beside the tick labels.
    fn up_label(&self, canvas: &Canvas, panel: &Panel) -> Drawn {
        let lines = &self.up_labels.lines[panel.y.0 - 1];
        let end = panel.left - self.left + EDGE + self.up_labels.height();
        for (line, text) in (0..).zip(lines.iter().rev()) {
            let baseline = end - line * MEDIUM_LINE - DESCENT;
            let middle = panel.top + panel.height / 2;
            canvas.text(text, (baseline, middle), Align::Upwards, MEDIUM, INK)?;
        }
        Ok(())
    }
}
