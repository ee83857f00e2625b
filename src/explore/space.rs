//! The numbering of design points.

use crate::ppa::{Axis, Branches};

/// A product of axes, less what conditions leave out; the last axis moves fastest. Points are numbered from 0 and never
/// stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    sizes: Vec<u64>,
    points: u64,
    /// Axes that do not exist everywhere.
    branches: Option<Branches>,
}

impl Space {
    /// The space of the axes; `None` if it has 2^64 points or more.
    pub fn new(axes: &[Axis]) -> Option<Self> {
        let sizes = axes.iter().map(|axis| axis.values.len() as u64).collect();
        match Branches::new(axes) {
            Some(branches) => Some(Self { sizes, points: branches.points(), branches: Some(branches) }),
            None => Self::with_sizes(sizes),
        }
    }

    /// The space with that many values on each axis; `None` if it has 2^64 points or more.
    pub fn with_sizes(sizes: Vec<u64>) -> Option<Self> {
        let points = sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(*size))?;
        Some(Self { sizes, points, branches: None })
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// True if some axes do not exist everywhere, so that several digits can mean one point.
    pub fn is_conditional(&self) -> bool {
        self.branches.is_some()
    }

    /// True if the axis exists at the point with these digits.
    pub fn is_there(&self, axis: usize, digits: &[u32]) -> bool {
        self.branches.as_ref().is_none_or(|branches| branches.is_there(axis, digits))
    }

    /// Writes the digit of each axis at point `index`; that of an axis that does not exist there is 0.
    pub fn digits(&self, index: u64, digits: &mut Vec<u32>) {
        digits.clear();
        digits.resize(self.sizes.len(), 0);
        if let Some(branches) = &self.branches {
            return branches.digits(index, digits);
        }
        let mut rest = index;
        for (digit, size) in digits.iter_mut().zip(&self.sizes).rev() {
            *digit = (rest % size) as u32;
            rest /= size;
        }
    }

    /// The index of the point with these digits.
    pub fn index(&self, digits: &[u32]) -> u64 {
        match &self.branches {
            Some(branches) => branches.index(digits),
            None => digits.iter().zip(&self.sizes).fold(0, |index, (digit, size)| index * size + u64::from(*digit)),
        }
    }

    /// Number of values on each axis.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Moves the digits to the next point.
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
