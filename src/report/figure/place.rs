//! Labels that leave each other and the marks alone.

use super::canvas::{PT, Point, SMALL, text_width};

/// A rectangle: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Area {
    /// The square around a mark.
    pub fn around((x, y): Point, radius: i32) -> Area {
        Area { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    fn overlap(&self, other: &Area) -> i64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }

    /// How much of this area lies outside of `frame`.
    fn outside(&self, frame: &Area) -> i64 {
        i64::from(self.right - self.left) * i64::from(self.bottom - self.top) - self.overlap(frame)
    }
}

/// A label in its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    /// The room of the text.
    pub area: Area,
    /// Whether it stands so far from its mark that a line should lead there.
    pub is_far: bool,
}

impl Placed {
    /// Where the text's baseline starts.
    pub fn baseline(&self) -> Point {
        (self.area.left, self.area.bottom - 2 * PT)
    }
}

/// Distances of a label from its mark, nearest first.
const DISTANCES: [i32; 6] = [4 * PT, 9 * PT, 16 * PT, 24 * PT, 34 * PT, 46 * PT];
/// Distances from which a line leads from the label to its mark.
const FAR: i32 = 9 * PT;

/// Places a label for each mark inside `frame`: the nearest place that is free of marks, of `taken` and of labels placed
/// before it, else the one that covers least. The result is in the order of the marks.
pub(super) fn place_labels(marks: &[(Point, &str)], taken: &[Area], frame: &Area) -> Vec<Placed> {
    let discs: Vec<Area> = marks.iter().map(|(at, _)| Area::around(*at, 25)).collect();
    let mut placed: Vec<Placed> = Vec::new();
    for (at, label) in marks {
        let (width, height) = (text_width(label, SMALL), SMALL + 15);
        let candidates = DISTANCES.iter().flat_map(|distance| {
            let slant = distance * 7 / 10;
            let (x, y, d) = (at.0, at.1, *distance);
            // Upper left corners of the label to the right, left, above, below and in between.
            [
                (x + d, y - height / 2),
                (x - d - width, y - height / 2),
                (x - width / 2, y - d - height),
                (x - width / 2, y + d),
                (x + slant, y - slant - height),
                (x - slant - width, y - slant - height),
                (x + slant, y + slant),
                (x - slant - width, y + slant),
            ]
            .map(|(left, top)| Placed {
                area: Area { left, top, right: left + width, bottom: top + height },
                is_far: d > FAR,
            })
        });
        let cost = |candidate: &Placed| {
            let covered = discs.iter().chain(taken).chain(placed.iter().map(|placed| &placed.area));
            let covered: i64 = covered.map(|area| candidate.area.overlap(area)).sum();
            covered + 4 * candidate.area.outside(frame)
        };
        // The first of the best, which are sorted by distance.
        if let Some(best) = candidates
            .map(|candidate| (cost(&candidate), candidate))
            .reduce(|best, next| if next.0 < best.0 { next } else { best })
        {
            placed.push(best.1);
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_marks_in_a_heap_stand_apart() {
        let marks: Vec<(Point, &str)> = (0..8).map(|at| ((1000 + at * 7, 1000 + at * 5), "some operator")).collect();
        let frame = Area { left: 0, top: 0, right: 2400, bottom: 2000 };
        let placed = place_labels(&marks, &[], &frame);
        for (at, one) in placed.iter().enumerate() {
            assert_eq!(one.area.outside(&frame), 0);
            for other in &placed[at + 1..] {
                assert_eq!(one.area.overlap(&other.area), 0, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_label_at_the_edge_stays_inside() {
        let frame = Area { left: 0, top: 0, right: 1000, bottom: 1000 };
        let placed = place_labels(&[((990, 990), "blend")], &[], &frame);
        assert_eq!(placed[0].area.outside(&frame), 0);
        assert!(!placed[0].is_far);
    }
}
