//! One panel: the points of two objectives in a frame with ticks.

use std::collections::BTreeMap;
use std::iter;

use plotters::style::RGBColor;

use super::canvas::{
    Align, CLOUD, CLOUD_DISC, Canvas, Drawn, FRAME, FRONT_DISC, FRONT_LINE, GRID, INK, MARK, PAPER, PT, Point, SERIES,
    SMALL, STAR, THIN_FRONT_LINE, text_width,
};
use super::sheet::Sheet;
use super::ticks::Scale;

/// How many elements each panel of a figure may hold, so that the file stays below 300 kB.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    /// Points of the cloud, and of the front, as discs of 85 bytes; one of the front has a rim of as much.
    discs: (usize, usize),
    /// Runs of grid cells that stand for more points than that, at 40 bytes.
    runs: (usize, usize),
    /// Steps of the staircase, at 20 bytes.
    steps: usize,
}

impl Budget {
    pub fn of_one_in(panels: usize) -> Budget {
        Budget { discs: (1500 / panels, 600 / panels), runs: (3200 / panels, 1600 / panels), steps: 1000 / panels }
    }

    /// What each of several fronts may take of it.
    fn shared_by(self, fronts: usize) -> Budget {
        let part = |(cloud, front): (usize, usize)| (cloud, front / fronts);
        Budget { discs: part(self.discs), runs: part(self.runs), steps: self.steps / fronts }
    }
}

/// The place of a panel on the canvas and the scales of its axes.
pub(super) struct Panel<'a> {
    pub left: i32,
    pub top: i32,
    pub width: i32,
    pub height: i32,
    /// Index of the objective that runs across, and its scale.
    pub x: (usize, &'a Scale),
    /// Index of the objective that runs up, and its scale.
    pub y: (usize, &'a Scale),
}

impl Panel<'_> {
    /// Draws grid, points and frame.
    pub fn draw(&self, canvas: &Canvas, sheet: &Sheet, budget: Budget) -> Drawn {
        self.grid(canvas)?;
        self.cloud(canvas, sheet, budget)?;
        self.frame(canvas)?;
        let budget = budget.shared_by(1 + sheet.compared.len());
        let colours = SERIES.iter().copied();
        let fronts: Vec<(&[Vec<f64>], RGBColor)> = std::iter::once(&sheet.front)
            .chain(sheet.compared.iter().map(|(_, points)| points))
            .map(|p| &p[..])
            .zip(colours)
            .collect();
        let mut few = Vec::new();
        // A front below others is drawn larger, so that it is seen where they coincide.
        for (below, (points, colour)) in fronts.into_iter().enumerate().rev() {
            let larger = below as i32;
            self.staircase(canvas, sheet, (points, colour, larger), budget)?;
            let front = self.places(points, 1);
            if front.len() <= budget.discs.1 {
                few.push((front, colour, larger));
            } else {
                mosaic(canvas, &front, budget.runs.1, colour)?;
            }
        }
        // The published design is often close to the front, and its mark is the larger one: it goes below the discs.
        if let Some((_, values)) = &sheet.marked {
            canvas.star(self.place(values), STAR)?;
        }
        for (shape, (_, values)) in sheet.marks.iter().enumerate() {
            canvas.mark(shape, self.place(values), MARK)?;
        }
        few.into_iter().try_for_each(|(front, colour, larger)| discs(canvas, front, colour, larger))
    }

    /// Labels the ticks of the axis that runs across, below the panel.
    pub fn across_ticks(&self, canvas: &Canvas) -> Drawn {
        for tick in self.x.1.major_ticks() {
            let at = (self.across(tick.at), self.bottom() + 10 * PT);
            canvas.text(&tick.label, at, Align::Centre, SMALL, INK)?;
        }
        Ok(())
    }

    /// Labels the ticks of the axis that runs up, left of the panel.
    pub fn up_ticks(&self, canvas: &Canvas) -> Drawn {
        for tick in self.y.1.major_ticks() {
            let at = (self.left - 3 * PT, self.up(tick.at) + SMALL * 36 / 100);
            canvas.text(&tick.label, at, Align::Right, SMALL, INK)?;
        }
        Ok(())
    }

    /// The lower edge.
    pub fn bottom(&self) -> i32 {
        self.top + self.height
    }

    fn across(&self, fraction: f64) -> i32 {
        self.left + (fraction * f64::from(self.width)).round() as i32
    }

    fn up(&self, fraction: f64) -> i32 {
        self.bottom() - (fraction * f64::from(self.height)).round() as i32
    }

    /// Where a point lies on the canvas.
    pub fn place(&self, values: &[f64]) -> Point {
        (self.across(self.x.1.at(values[self.x.0])), self.up(self.y.1.at(values[self.y.0])))
    }

    /// Lines at the labelled ticks.
    pub fn grid(&self, canvas: &Canvas) -> Drawn {
        for tick in self.x.1.major_ticks() {
            let x = self.across(tick.at);
            canvas.line(&[(x, self.top), (x, self.bottom())], GRID, 4)?;
        }
        for tick in self.y.1.major_ticks() {
            let y = self.up(tick.at);
            canvas.line(&[(self.left, y), (self.left + self.width, y)], GRID, 4)?;
        }
        Ok(())
    }

    /// The frame, and ticks that point inwards: long ones where there is a label. One line draws them all.
    pub fn frame(&self, canvas: &Canvas) -> Drawn {
        let (left, right, top, bottom) = (self.left, self.left + self.width, self.top, self.bottom());
        let length = |label: &str| if label.is_empty() { 15 } else { 30 };
        let up = self.y.1.ticks.iter().rev().flat_map(|tick| {
            let y = self.up(tick.at);
            [(left, y), (left + length(&tick.label), y), (left, y)]
        });
        let across = self.x.1.ticks.iter().flat_map(|tick| {
            let x = self.across(tick.at);
            [(x, bottom), (x, bottom - length(&tick.label)), (x, bottom)]
        });
        let corners = [(right, bottom), (right, top), (left, top)];
        let outline: Vec<Point> =
            iter::once((left, top)).chain(up).chain([(left, bottom)]).chain(across).chain(corners).collect();
        canvas.line(&outline, FRAME, 5)
    }

    fn cloud(&self, canvas: &Canvas, sheet: &Sheet, budget: Budget) -> Drawn {
        let points = self.places(&sheet.cloud, 4);
        if points.len() > budget.discs.0 {
            return mosaic(canvas, &points, budget.runs.0, CLOUD);
        }
        points.into_iter().try_for_each(|point| canvas.disc(point, CLOUD_DISC, CLOUD))
    }

    /// The bound of what the front dominates in this panel, from frame to frame; none where an axis is no objective.
    ///
    /// It is found among the front's points alone, which loses nothing: what is best in a pair of objectives is in the
    /// front of all of them, or a point of that front lies at the same place in this panel.
    fn staircase(
        &self,
        canvas: &Canvas,
        sheet: &Sheet,
        (points, colour, larger): (&[Vec<f64>], RGBColor, i32),
        budget: Budget,
    ) -> Drawn {
        let (Some(x_maximise), Some(y_maximise)) = (sheet.axes[self.x.0].maximise, sheet.axes[self.y.0].maximise)
        else {
            return Ok(());
        };
        // Turned so that less is better both ways; on the canvas, y grows downwards.
        let turn = |(x, y): Point| (if x_maximise { -x } else { x }, if y_maximise { y } else { -y });
        let (worst_x, worst_y) = turn((
            if x_maximise { self.left } else { self.left + self.width },
            if y_maximise { self.bottom() } else { self.top },
        ));
        let mut best = worst_y;
        let mut corners = sorted(self.places(points, 1).into_iter().map(turn));
        corners.retain(|&(_, y)| {
            let better = y < best;
            best = best.min(y);
            better
        });
        let mut y = worst_y;
        let mut steps = Vec::new();
        for corner in thin(corners, budget.steps) {
            steps.extend([turn((corner.0, y)), turn(corner)]);
            y = corner.1;
        }
        if steps.is_empty() {
            return Ok(());
        }
        steps.push(turn((worst_x, y)));
        let weight = if sheet.axes.len() == 2 { FRONT_LINE } else { THIN_FRONT_LINE };
        canvas.line(&steps, colour, weight * (1 + larger))
    }

    /// Where points come to lie, on a raster of `raster` units: each place once, in order.
    fn places(&self, points: &[Vec<f64>], raster: i32) -> Vec<Point> {
        let snap = |v: i32| v.div_euclid(raster) * raster + raster / 2;
        sorted(points.iter().map(|p| self.place(p)).map(|(x, y)| (snap(x), snap(y))))
    }
}

fn sorted(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = points.collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// The front, with a rim that sets it off from the cloud while it is short.
fn discs(canvas: &Canvas, points: Vec<Point>, colour: RGBColor, larger: i32) -> Drawn {
    let (radius, rim) = match points.len() {
        0..=30 => (FRONT_DISC, 4),
        31..=60 => (FRONT_DISC * 4 / 5, 4),
        _ => (FRONT_DISC * 3 / 5, 0),
    };
    let radius = radius + larger * radius / 2;
    for point in points {
        if rim > 0 {
            canvas.disc(point, radius + rim, PAPER)?;
        }
        canvas.disc(point, radius, colour)?;
    }
    Ok(())
}

/// Points too many for a disc each: the cells of a grid that hold one, the grid as fine as `most` runs of cells allow.
fn mosaic(canvas: &Canvas, points: &[Point], most: usize, colour: RGBColor) -> Drawn {
    let mut cell = 12;
    let mut rows = runs(points, cell);
    while rows.values().map(Vec::len).sum::<usize>() > most.max(1) {
        cell += 2;
        rows = runs(points, cell);
    }
    for (row, runs) in rows {
        // A row is one polygon, a comb that stands on the row's lower edge: between its teeth it has no height, so that
        // nothing is filled there. Teeth reach a little into the row above, or viewers would show a seam.
        let (upper, lower) = (row * cell - 2, (row + 1) * cell);
        let teeth = runs.iter().map(|&(first, last)| (first * cell, (last + 1) * cell));
        let comb = teeth.flat_map(|(a, b)| [(a, lower), (a, upper), (b, upper), (b, lower)]);
        canvas.polygon(comb.collect(), colour)?;
    }
    Ok(())
}

/// One point of each cell of a grid that is coarse enough to leave at most `most` of them, at least one; in order if the
/// points are.
fn thin(mut points: Vec<Point>, most: usize) -> Vec<Point> {
    let mut grid = 2;
    while points.len() > most.max(1) {
        let mut cells = BTreeMap::new();
        for (x, y) in points {
            cells.entry((x.div_euclid(grid), y.div_euclid(grid))).or_insert((x, y));
        }
        points = cells.into_values().collect();
        grid += 2;
    }
    points
}

/// The grid cells with a point in them: for each row the first and last column of every run without a gap.
fn runs(points: &[Point], cell: i32) -> BTreeMap<i32, Vec<(i32, i32)>> {
    let mut rows: BTreeMap<i32, Vec<(i32, i32)>> = BTreeMap::new();
    for (row, column) in sorted(points.iter().map(|(x, y)| (y.div_euclid(cell), x.div_euclid(cell)))) {
        let runs = rows.entry(row).or_default();
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == column => *last = column,
            _ => runs.push((column, column)),
        }
    }
    rows
}

/// The room that the tick labels of a scale that runs up take beside the axis.
pub(super) fn label_room(scale: &Scale) -> i32 {
    scale.ticks.iter().map(|tick| text_width(&tick.label, SMALL)).max().unwrap_or(0)
}
