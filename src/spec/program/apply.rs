//! The value of one operation.

use crate::spec::expr::Function;

/// Applies a function to up to three numbers. Unused arguments are ignored. Allocates nothing, never panics.
#[inline(always)]
pub fn apply(function: Function, a: f64, b: f64, c: f64) -> f64 {
    match function {
        Function::Add => a + b,
        Function::Sub => a - b,
        Function::Mul => a * b,
        Function::Div => {
            if b == 0.0 {
                f64::NAN
            } else {
                a / b
            }
        }
        Function::Rem => {
            if b == 0.0 {
                f64::NAN
            } else {
                a - b * (a / b).floor()
            }
        }
        Function::Pow => a.powf(b) + 0.0 * a * b,
        Function::Neg => -a,
        Function::Not => truth(a == 0.0, a, a),
        Function::And => truth(a != 0.0 && b != 0.0, a, b),
        Function::Or => truth(a != 0.0 || b != 0.0, a, b),
        Function::Eq => truth(a == b, a, b),
        Function::Ne => truth(a != b, a, b),
        Function::Lt => truth(a < b, a, b),
        Function::Le => truth(a <= b, a, b),
        Function::Min => {
            if a < b {
                a
            } else if b <= a {
                b
            } else {
                f64::NAN
            }
        }
        Function::Max => {
            if a > b {
                a
            } else if b >= a {
                b
            } else {
                f64::NAN
            }
        }
        Function::Ceil => ceil(a),
        Function::Floor => -ceil(-a),
        Function::Round => a.round(),
        Function::Sqrt => a.sqrt(),
        Function::Log2 => {
            if a > 0.0 {
                a.log2()
            } else {
                f64::NAN
            }
        }
        Function::Abs => a.abs(),
        Function::If => {
            if a.is_nan() {
                f64::NAN
            } else if a != 0.0 {
                b
            } else {
                c
            }
        }
    }
}

/// `a.ceil()` to the bit, without the call that it is on processors of the baseline: a loop over tiles then is vectors.
#[inline(always)]
fn ceil(a: f64) -> f64 {
    /// From here on every number is whole.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    let nearest = ((a.abs() + WHOLE) - WHOLE).copysign(a);
    let up = if nearest < a { nearest + 1.0 } else { nearest };
    // Above -1 it is -0.
    if a.abs() < WHOLE { up.copysign(a) } else { a }
}

/// 1 or 0, NaN if a side has no value.
#[inline(always)]
fn truth(value: bool, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { f64::from(u8::from(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_the_standard_library_to_the_bit() {
        let edges: [f64; 11] =
            [0.0, 0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 1e15 + 0.5, 4_503_599_627_370_495.5, 4_503_599_627_370_496.0, 1e300];
        let near = edges.iter().flat_map(|edge| {
            let bits: u64 = f64::to_bits(*edge);
            [*edge, f64::from_bits(bits + 1), f64::from_bits(bits.saturating_sub(1)), f64::from_bits(1)]
        });
        let random = (0..10_000_u64).map(|at| f64::from_bits(at.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        for value in near.chain(random).chain([f64::INFINITY]).filter(|value| !value.is_nan()) {
            for value in [value, -value] {
                assert_eq!(apply(Function::Ceil, value, 0.0, 0.0).to_bits(), value.ceil().to_bits(), "{value:e}");
                assert_eq!(apply(Function::Floor, value, 0.0, 0.0).to_bits(), value.floor().to_bits(), "{value:e}");
            }
        }
        assert!(
            apply(Function::Ceil, f64::NAN, 0.0, 0.0).is_nan() && apply(Function::Floor, f64::NAN, 0.0, 0.0).is_nan()
        );
    }
}
