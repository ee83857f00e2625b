//! Axes that exist only under a condition: where they exist, and how many points there are behind each choice.
//!
//! A condition looks at axes above its own, the controlling ones. Going down the axes, the digits of the controlling axes
//! seen so far make a code; how many points follow depends on nothing else, so a table for each axis and code numbers the
//! points of the whole space, and no point is ever stored.

use super::parameters::Axis;

/// Most combinations of the values of all controlling axes.
pub const MOST_CODES: u64 = 1 << 12;

/// Where an axis exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The axes that it looks at, rising, all above its own.
    pub controllers: Vec<usize>,
    /// Whether it holds, for each combination of their digits; the last one moves fastest.
    pub holds: Vec<bool>,
}

/// The conditions of a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branches {
    sizes: Vec<u64>,
    is_controller: Vec<bool>,
    /// For each axis and code of the controlling axes above it: whether the axis exists. Empty: always.
    exists: Vec<Vec<bool>>,
    /// For each axis and code: the points from that axis on, at most [`u64::MAX`]. One more level than axes, of ones.
    points: Vec<Vec<u64>>,
}

impl Branches {
    /// The conditions of some axes; `None` if there are none, or if they hang on more than 4,096 combinations.
    pub fn new(axes: &[Axis]) -> Option<Self> {
        let conditions: Vec<Option<&Condition>> = axes.iter().map(|axis| axis.condition.as_ref()).collect();
        Self::of(axes.iter().map(|axis| axis.values.len() as u64).collect(), &conditions)
    }

    /// As [`Self::new`], from the number of values and the condition of each axis.
    pub fn of(sizes: Vec<u64>, conditions: &[Option<&Condition>]) -> Option<Self> {
        if conditions.iter().all(Option::is_none) {
            return None;
        }
        let count = sizes.len();
        let mut is_controller = vec![false; count];
        for controller in conditions.iter().flatten().flat_map(|condition| &condition.controllers) {
            is_controller[*controller] = true;
        }
        let mut codes = vec![1_u64; count + 1];
        for axis in 0..count {
            let factor = if is_controller[axis] { sizes[axis] } else { 1 };
            codes[axis + 1] = codes[axis].checked_mul(factor).filter(|codes| *codes <= MOST_CODES)?;
        }
        let mut branches = Self { sizes, is_controller, exists: Vec::new(), points: Vec::new() };
        branches.exists = (0..count)
            .map(|axis| match conditions[axis] {
                Some(condition) => (0..codes[axis]).map(|code| branches.holds(condition, axis, code)).collect(),
                None => Vec::new(),
            })
            .collect();
        branches.points = vec![vec![1; codes[count] as usize]];
        for axis in (0..count).rev() {
            let below = branches.points.last()?;
            let level = (0..codes[axis]).map(|code| branches.count(axis, code as usize, below)).collect();
            branches.points.push(level);
        }
        branches.points.reverse();
        Some(branches)
    }

    fn holds(&self, condition: &Condition, axis: usize, code: u64) -> bool {
        let mut digits = vec![0; axis];
        let mut rest = code;
        for above in (0..axis).rev().filter(|above| self.is_controller[*above]) {
            digits[above] = rest % self.sizes[above];
            rest /= self.sizes[above];
        }
        let at = condition.controllers.iter().fold(0, |at, axis| at * self.sizes[*axis] + digits[*axis]);
        condition.holds.get(at as usize).copied().unwrap_or(true)
    }

    fn count(&self, axis: usize, code: usize, below: &[u64]) -> u64 {
        let size = self.size(axis, code);
        if !self.is_controller[axis] {
            return size.saturating_mul(below[code]);
        }
        let first = code * self.sizes[axis] as usize;
        below[first..first + size as usize].iter().fold(0_u64, |sum, points| sum.saturating_add(*points))
    }

    /// Values that the axis has behind that code.
    fn size(&self, axis: usize, code: usize) -> u64 {
        if self.exists[axis].get(code).copied().unwrap_or(true) { self.sizes[axis] } else { 1 }
    }

    fn next(&self, axis: usize, code: usize, digit: u32) -> usize {
        if self.is_controller[axis] { code * self.sizes[axis] as usize + digit as usize } else { code }
    }

    /// Number of points; `None` if there are 2^64 or more (or one less). Digits and indices are for spaces with less.
    pub fn points(&self) -> Option<u64> {
        Some(self.points[0][0]).filter(|points| *points < u64::MAX)
    }

    /// True if other axes hang on this one.
    pub fn is_controller(&self, axis: usize) -> bool {
        self.is_controller[axis]
    }

    /// True if the axis exists behind the digits of the axes above it.
    pub fn is_there(&self, axis: usize, digits: &[u32]) -> bool {
        let code = (0..axis).fold(0, |code, above| self.next(above, code, digits[above]));
        self.exists[axis].get(code).copied().unwrap_or(true)
    }

    /// Writes the digits of point `index`.
    pub fn digits(&self, index: u64, digits: &mut [u32]) {
        let (mut code, mut rest) = (0, index);
        for axis in 0..self.sizes.len() {
            let (size, below) = (self.size(axis, code), &self.points[axis + 1]);
            digits[axis] = if self.is_controller[axis] {
                let mut digit = 0;
                while u64::from(digit) + 1 < size {
                    let points = below[self.next(axis, code, digit)];
                    if rest < points {
                        break;
                    }
                    rest -= points;
                    digit += 1;
                }
                digit
            } else {
                let points = below[code];
                let digit = rest / points % size;
                rest %= points;
                digit as u32
            };
            code = self.next(axis, code, digits[axis]);
        }
    }

    /// The index of the point with these digits; those of axes that do not exist do not matter.
    pub fn index(&self, digits: &[u32]) -> u64 {
        let (mut code, mut index) = (0, 0);
        for (axis, digit) in digits.iter().enumerate() {
            let digit = if self.size(axis, code) == 1 { 0 } else { *digit };
            let below = &self.points[axis + 1];
            index += match self.is_controller[axis] {
                true => (0..digit).map(|before| below[self.next(axis, code, before)]).sum::<u64>(),
                false => u64::from(digit) * below[code],
            };
            code = self.next(axis, code, digit);
        }
        index
    }

    /// Moves the digits of a point to those of the next one; from the last one to the first.
    pub fn advance(&self, digits: &mut [u32]) {
        for axis in (0..self.sizes.len()).rev() {
            let size = if self.is_there(axis, digits) { self.sizes[axis] } else { 1 };
            digits[axis] += 1;
            if u64::from(digits[axis]) < size {
                return;
            }
            digits[axis] = 0;
        }
    }
}
