//! The numbering of design points.

use super::chosen::Chosen;
use crate::ppa::{Axis, Branches};

/// A space with less points is enumerable.
const MOST_POINTS: u64 = 1 << 63;

/// A product of axes, less what conditions leave out; the last axis moves fastest. Points are numbered from 0 and never
/// stored, unless there are 2^63 or more: then they are numbered in the order in which a search chooses them.
#[derive(Debug, Clone)]
pub struct Space {
    sizes: Vec<u64>,
    points: u64,
    /// Axes that do not exist everywhere.
    branches: Option<Branches>,
    /// Points of a space that 64 bits cannot number.
    chosen: Option<Chosen>,
}

impl Space {
    /// The space of the axes, its points numbered as they stand; `None` if it has 2^63 points or more.
    pub fn new(axes: &[Axis]) -> Option<Self> {
        Some(Self::of(axes)).filter(Self::is_enumerable)
    }

    /// The space of the axes, of any size.
    pub fn of(axes: &[Axis]) -> Self {
        let sizes: Vec<u64> = axes.iter().map(|axis| axis.values.len() as u64).collect();
        let branches = Branches::new(axes);
        let points = match &branches {
            Some(branches) => branches.points().filter(|points| *points < MOST_POINTS),
            None => product(&sizes),
        };
        Self::from_parts(sizes, points, branches)
    }

    /// The space with that many values on each axis; `None` if it has 2^63 points or more.
    pub fn with_sizes(sizes: Vec<u64>) -> Option<Self> {
        let points = product(&sizes);
        Some(Self::from_parts(sizes, points, None)).filter(Self::is_enumerable)
    }

    fn from_parts(sizes: Vec<u64>, points: Option<u64>, branches: Option<Branches>) -> Self {
        let chosen = points.is_none().then(Chosen::default);
        Self { sizes, points: points.unwrap_or(u64::MAX), branches, chosen }
    }

    /// Number of points; the largest number of 64 bits if there are more.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// True if the points are numbered as they stand in the space: it has less than 2^63.
    pub fn is_enumerable(&self) -> bool {
        self.chosen.is_none()
    }

    /// The number of points as a report says it.
    pub fn points_text(&self) -> String {
        if self.is_enumerable() {
            return self.points.to_string();
        }
        let exponent: f64 = self.sizes.iter().map(|size| (*size as f64).log10()).sum();
        let word = if self.is_conditional() { "up to" } else { "about" };
        format!("{word} 10^{exponent:.1}")
    }

    /// True if some axes do not exist everywhere, so that several digits can mean one point.
    pub fn is_conditional(&self) -> bool {
        self.branches.is_some()
    }

    /// True if the axis exists at the point with these digits.
    pub fn is_there(&self, axis: usize, digits: &[u32]) -> bool {
        self.branches.as_ref().is_none_or(|branches| branches.is_there(axis, digits))
    }

    /// Writes the digit of each axis at point `index`; that of an axis that does not exist there is 0. Of a space that is not
    /// enumerable, an index that was not given yet stands for a point drawn at random by it.
    pub fn digits(&self, index: u64, digits: &mut Vec<u32>) {
        digits.clear();
        digits.resize(self.sizes.len(), 0);
        if let Some(chosen) = &self.chosen {
            if !chosen.digits(index, digits) {
                super::sample::drawn_digits(&self.sizes, index, digits);
                self.clear_absent(digits);
            }
            return;
        }
        if let Some(branches) = &self.branches {
            return branches.digits(index, digits);
        }
        let mut rest = index;
        for (digit, size) in digits.iter_mut().zip(&self.sizes).rev() {
            *digit = (rest % size) as u32;
            rest /= size;
        }
    }

    /// The index of the point with these digits. Of a space that is not enumerable, a new point gets the next index: those
    /// who ask must do so in an order of their own, on one thread.
    pub fn index(&self, digits: &[u32]) -> u64 {
        if let Some(chosen) = &self.chosen {
            let mut own = digits.to_vec();
            self.clear_absent(&mut own);
            return chosen.index(own);
        }
        match &self.branches {
            Some(branches) => branches.index(digits),
            None => digits.iter().zip(&self.sizes).fold(0, |index, (digit, size)| index * size + u64::from(*digit)),
        }
    }

    fn clear_absent(&self, digits: &mut [u32]) {
        if let Some(branches) = &self.branches {
            for axis in 0..digits.len() {
                if !branches.is_there(axis, digits) {
                    digits[axis] = 0;
                }
            }
        }
    }

    /// Number of values on each axis.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Moves the digits to the next point of an enumerable space.
    #[inline]
    pub fn advance(&self, digits: &mut [u32]) {
        if let Some(branches) = &self.branches {
            return branches.advance(digits);
        }
        for (digit, size) in digits.iter_mut().zip(&self.sizes).rev() {
            *digit += 1;
            if u64::from(*digit) < *size {
                return;
            }
            *digit = 0;
        }
    }
}

/// Tables write indices as numbers of 64 bits with a sign.
fn product(sizes: &[u64]) -> Option<u64> {
    let points = sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(*size));
    points.filter(|points| *points < MOST_POINTS)
}
