//! Boxes of the grid.

/// A range of digits on every axis, and what is known of its points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    /// Lowest digits, then highest digits.
    digits: Box<[u32]>,
    /// For each objective the value, less being better, that no point of it betters.
    pub bound: Box<[f64]>,
}

impl Region {
    /// All points of the axes' sizes.
    pub fn whole(sizes: &[u64], objectives: usize) -> Self {
        let highest = sizes.iter().map(|size| size.saturating_sub(1) as u32);
        Self {
            digits: std::iter::repeat_n(0, sizes.len()).chain(highest).collect(),
            bound: vec![f64::NEG_INFINITY; objectives].into(),
        }
    }

    /// The box of these digits, lowest first; `None` if it is none of the space.
    pub fn of(digits: Box<[u32]>, bound: Box<[f64]>, sizes: &[u64]) -> Option<Self> {
        let region = Self { digits, bound };
        let mut ends = region.low().iter().zip(region.high()).zip(sizes);
        let is_inside = ends.all(|((low, high), size)| low <= high && u64::from(*high) < *size);
        (is_inside && region.digits.len() == 2 * sizes.len()).then_some(region)
    }

    /// Lowest digits.
    pub fn low(&self) -> &[u32] {
        &self.digits[..self.digits.len() / 2]
    }

    /// Highest digits.
    pub fn high(&self) -> &[u32] {
        &self.digits[self.digits.len() / 2..]
    }

    /// Number of values on an axis.
    pub fn width(&self, axis: usize) -> u32 {
        self.high()[axis] - self.low()[axis] + 1
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        (0..self.low().len()).map(|axis| u64::from(self.width(axis))).fold(1, u64::saturating_mul)
    }

    /// True if it has one point.
    pub fn is_point(&self) -> bool {
        self.low() == self.high()
    }

    /// Halves, the lower digits first, with the bound of the whole.
    pub fn split(&self, axis: usize) -> [Self; 2] {
        let middle = self.low()[axis] + (self.width(axis) - 1) / 2;
        let (mut lower, mut upper) = (self.clone(), self.clone());
        lower.digits[self.low().len() + axis] = middle;
        upper.digits[axis] = middle + 1;
        [lower, upper]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_the_points_until_there_is_one() {
        let mut open = vec![Region::whole(&[3, 1, 5], 1)];
        assert_eq!(open[0].points(), 15);
        let mut points = Vec::new();
        while let Some(region) = open.pop() {
            if region.is_point() {
                points.push(region.low().to_vec());
                continue;
            }
            let axis = (0..3).find(|axis| region.width(*axis) > 1).expect("axis");
            let halves = region.split(axis);
            assert_eq!(halves[0].points() + halves[1].points(), region.points());
            open.extend(halves);
        }
        points.sort();
        points.dedup();
        assert_eq!(points.len(), 15);
    }
}
