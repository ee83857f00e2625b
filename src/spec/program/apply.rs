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
        Function::Ceil => a.ceil(),
        Function::Floor => a.floor(),
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

/// 1 or 0, NaN if a side has no value.
#[inline(always)]
fn truth(value: bool, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { f64::from(u8::from(value)) }
}
