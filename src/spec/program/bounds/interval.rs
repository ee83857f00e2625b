//! Interval arithmetic over [`apply`].
//!
//! An interval encloses the values that an operation has on a set of points; points at which it has no value are left
//! out, so an interval without members means that no point of the set has one. The operations of IEEE 754 round
//! monotonically (Moore, Interval Analysis, 1966, needs outward rounding only to enclose *real* results), so applying the
//! very operation of the program to the ends encloses what the program *computes*, without any slack. Library functions
//! make no such promise; their ends are moved outwards by [`LIBRARY_SLACK`].

use crate::spec::expr::Function;
use crate::spec::program::apply;

/// Relative error of `log2`, `pow`, `exp` and `ln` that is allowed for; they are good to a few units in the last place.
pub const LIBRARY_SLACK: f64 = 1e-13;

/// All numbers from `lo` to `hi`; none if `lo` is above `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// No number.
    pub const EMPTY: Self = Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
    /// Every number.
    pub const ALL: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// Either truth value.
    const UNKNOWN: Self = Self { lo: 0.0, hi: 1.0 };

    /// One number; NaN is none.
    #[inline]
    pub fn point(value: f64) -> Self {
        if value.is_nan() { Self::EMPTY } else { Self { lo: value, hi: value } }
    }

    /// From `lo` to `hi`; an end that is NaN is unbounded.
    #[inline]
    pub fn new(lo: f64, hi: f64) -> Self {
        Self { lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo }, hi: if hi.is_nan() { f64::INFINITY } else { hi } }
    }

    /// True if it has no member.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// True if it has one member.
    #[inline]
    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// The least interval around both.
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// What is in both.
    #[inline]
    pub fn meet(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The ends moved outwards by a share of themselves.
    #[inline]
    pub fn widened(self, share: f64) -> Self {
        let moved = |end: f64, by: f64| if end.is_finite() { end + end.abs() * by } else { end };
        Self { lo: moved(self.lo, -share), hi: moved(self.hi, share) }
    }

    fn can_be_true(self) -> bool {
        !(self.lo == 0.0 && self.hi == 0.0)
    }

    fn can_be_false(self) -> bool {
        self.lo <= 0.0 && self.hi >= 0.0
    }

    /// The whole numbers in it, as an interval.
    pub fn whole(self) -> Self {
        Self { lo: self.lo.ceil(), hi: self.hi.floor() }
    }
}

fn truth(can_be_true: bool, can_be_false: bool) -> Interval {
    match (can_be_true, can_be_false) {
        (true, false) => Interval::point(1.0),
        (false, true) => Interval::point(0.0),
        _ => Interval::UNKNOWN,
    }
}

/// Encloses the values of a function whose arguments lie in `a`, `b` and `c`. Unused arguments are ignored.
#[inline]
pub fn enclose(function: Function, a: Interval, b: Interval, c: Interval) -> Interval {
    if function == Function::If {
        return select(a, b, c);
    }
    if a.is_empty() || b.is_empty() {
        return Interval::EMPTY;
    }
    // A rising function of each argument takes its ends at the ends.
    let rising = || Interval::new(apply(function, a.lo, b.lo, 0.0), apply(function, a.hi, b.hi, 0.0));
    match function {
        Function::Add | Function::Min | Function::Max | Function::Ceil | Function::Floor | Function::Round => rising(),
        Function::Sub => Interval::new(a.lo - b.hi, a.hi - b.lo),
        Function::Mul => multiply(a, b),
        Function::Div => divide(a, b),
        Function::Rem => remainder(a, b),
        Function::Pow => power(a, b),
        Function::Neg => Interval::new(-a.hi, -a.lo),
        Function::Not => truth(a.can_be_false(), a.can_be_true()),
        Function::And => truth(a.can_be_true() && b.can_be_true(), a.can_be_false() || b.can_be_false()),
        Function::Or => truth(a.can_be_true() || b.can_be_true(), a.can_be_false() && b.can_be_false()),
        Function::Eq => equal(a, b),
        Function::Ne => {
            let equal = equal(a, b);
            truth(equal.can_be_false(), equal.can_be_true())
        }
        Function::Lt => truth(a.lo < b.hi, a.hi >= b.lo),
        Function::Le => truth(a.lo <= b.hi, a.hi > b.lo),
        Function::Sqrt if a.hi < 0.0 => Interval::EMPTY,
        Function::Sqrt => Interval::new(a.lo.max(0.0).sqrt(), a.hi.sqrt()),
        Function::Log2 => log2(a),
        Function::Abs if a.lo >= 0.0 => a,
        Function::Abs if a.hi <= 0.0 => Interval::new(-a.hi, -a.lo),
        Function::Abs => Interval::new(0.0, a.hi.max(-a.lo)),
        Function::If => Interval::ALL,
    }
}

fn select(condition: Interval, then: Interval, otherwise: Interval) -> Interval {
    if condition.is_empty() {
        return Interval::EMPTY;
    }
    match (condition.can_be_true(), condition.can_be_false()) {
        (true, false) => then,
        (false, true) => otherwise,
        _ => then.hull(otherwise),
    }
}

fn equal(a: Interval, b: Interval) -> Interval {
    let apart = a.meet(b).is_empty();
    truth(!apart, !(a.is_point() && b.is_point()) || apart)
}

#[inline]
fn multiply(a: Interval, b: Interval) -> Interval {
    if a.lo >= 0.0 && b.lo >= 0.0 {
        return Interval { lo: product(a.lo, b.lo), hi: product(a.hi, b.hi) };
    }
    let corners = [product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)];
    hull_of(corners)
}

/// An unbounded end stands for numbers without limit, and 0 times each of them is 0.
#[inline]
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

fn hull_of(corners: [f64; 4]) -> Interval {
    if corners.iter().any(|corner| corner.is_nan()) {
        return Interval::ALL;
    }
    Interval {
        lo: corners.iter().copied().fold(f64::INFINITY, f64::min),
        hi: corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}

#[inline]
fn divide(a: Interval, b: Interval) -> Interval {
    if b.lo > 0.0 && a.lo >= 0.0 {
        return Interval::new(if a.lo == 0.0 { 0.0 } else { a.lo / b.hi }, a.hi / b.lo);
    }
    if b.lo > 0.0 || b.hi < 0.0 {
        return hull_of([a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi]);
    }
    match (b.lo == 0.0, b.hi == 0.0) {
        // Division by zero has no value.
        (true, true) => Interval::EMPTY,
        (true, false) if a.lo >= 0.0 => Interval::new(a.lo / b.hi, f64::INFINITY),
        (true, false) if a.hi <= 0.0 => Interval::new(f64::NEG_INFINITY, a.hi / b.hi),
        (false, true) if a.lo >= 0.0 => Interval::new(f64::NEG_INFINITY, a.lo / b.lo),
        (false, true) if a.hi <= 0.0 => Interval::new(a.hi / b.lo, f64::INFINITY),
        _ => Interval::ALL,
    }
}

/// Between 0 and the divisor, up to the rounding of the division inside.
fn remainder(a: Interval, b: Interval) -> Interval {
    if a.is_point() && b.is_point() {
        return Interval::point(apply(Function::Rem, a.lo, b.lo, 0.0));
    }
    let rounding = 1e-12 * (a.lo.abs().max(a.hi.abs()) + b.lo.abs().max(b.hi.abs()));
    Interval::new(b.lo.min(0.0) - rounding, b.hi.max(0.0) + rounding)
}

fn power(a: Interval, b: Interval) -> Interval {
    let at = |a: f64, b: f64| apply(Function::Pow, a, b, 0.0);
    if a.is_point() && b.is_point() {
        return Interval::point(at(a.lo, b.lo));
    }
    let positive = a.lo > 0.0 || (a.lo == 0.0 && b.lo >= 0.0);
    if positive && a.hi.is_finite() && b.lo.is_finite() && b.hi.is_finite() {
        // b log a is bilinear: its extremes are at the corners.
        let corners = [a.lo.powf(b.lo), a.lo.powf(b.hi), a.hi.powf(b.lo), a.hi.powf(b.hi)];
        return hull_of(corners).widened(LIBRARY_SLACK);
    }
    if b.is_point() && b.lo > 0.0 && b.lo.fract() == 0.0 && b.lo <= 1e9 {
        let (low, high) = (a.lo.powf(b.lo), a.hi.powf(b.lo));
        let bounds = match (b.lo % 2.0 == 0.0, a.lo <= 0.0 && a.hi >= 0.0) {
            (false, _) => Interval::new(low, high),
            (true, true) => Interval::new(0.0, low.max(high)),
            (true, false) => Interval::new(low.min(high), low.max(high)),
        };
        return bounds.widened(LIBRARY_SLACK);
    }
    Interval::ALL
}

fn log2(a: Interval) -> Interval {
    if a.hi <= 0.0 {
        return Interval::EMPTY;
    }
    if a.is_point() {
        return Interval::point(a.lo.log2());
    }
    let lo = if a.lo <= 0.0 { f64::NEG_INFINITY } else { a.lo.log2() };
    Interval::new(lo, a.hi.log2()).widened(LIBRARY_SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FUNCTIONS: [Function; 23] = [
        Function::Add,
        Function::Sub,
        Function::Mul,
        Function::Div,
        Function::Rem,
        Function::Pow,
        Function::Neg,
        Function::Not,
        Function::And,
        Function::Or,
        Function::Eq,
        Function::Ne,
        Function::Lt,
        Function::Le,
        Function::Min,
        Function::Max,
        Function::Ceil,
        Function::Floor,
        Function::Round,
        Function::Sqrt,
        Function::Log2,
        Function::Abs,
        Function::If,
    ];

    /// Coarse values meet zero, whole numbers and equal ends often.
    fn ends() -> impl Strategy<Value = (f64, f64)> {
        let value = || prop_oneof![(-8_i32..9).prop_map(|at| f64::from(at) / 2.0), -1e3..1e3, Just(0.0)];
        (value(), value()).prop_map(|(a, b): (f64, f64)| (a.min(b), a.max(b)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_value_lies_in_its_enclosure(
            at in 0..FUNCTIONS.len(),
            intervals in prop::array::uniform3(ends()),
            shares in prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]),
        ) {
            let inside = |axis: usize| {
                let (lo, hi) = intervals[axis];
                (lo + shares[axis] * (hi - lo)).clamp(lo, hi)
            };
            let value = apply(FUNCTIONS[at], inside(0), inside(1), inside(2));
            let [a, b, c] = intervals.map(|(lo, hi)| Interval { lo, hi });
            let bounds = enclose(FUNCTIONS[at], a, b, c);
            prop_assert!(
                value.is_nan() || (bounds.lo <= value && value <= bounds.hi),
                "{:?} of {a:?} {b:?} {c:?}: {value} outside {bounds:?}", FUNCTIONS[at]
            );
        }
    }

    #[test]
    fn a_branch_that_cannot_be_taken_does_not_widen_the_choice() {
        let (one, two) = (Interval::point(1.0), Interval::point(2.0));
        assert_eq!(enclose(Function::If, Interval::new(0.5, 3.0), one, two), one);
        assert_eq!(enclose(Function::If, Interval::point(0.0), one, two), two);
        assert_eq!(enclose(Function::If, Interval::UNKNOWN, one, two), Interval::new(1.0, 2.0));
        assert!(enclose(Function::Div, one, Interval::point(0.0), one).is_empty());
    }

    /// Found by the property above: a power that overflows at every point.
    #[test]
    fn moving_an_infinite_end_outwards_leaves_it_where_it_is() {
        assert_eq!(Interval::new(f64::INFINITY, f64::INFINITY).widened(0.1).lo, f64::INFINITY);
        assert!(Interval::EMPTY.widened(0.1).is_empty());
    }
}
