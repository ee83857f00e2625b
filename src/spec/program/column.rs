//! Operations over the tiles of a column.

use super::apply::apply;
use crate::spec::expr::Function;

/// One loop per function, so that each is compiled for its own operation.
pub(super) fn apply_columns(function: Function, tiles: usize, to: &mut Vec<f64>, a: &[f64], b: &[f64], c: &[f64]) {
    macro_rules! each {
        ($($name:ident)*) => {
            match function {
                $(Function::$name => fill(tiles, to, a, b, c, |a, b, c| apply(Function::$name, a, b, c)),)*
            }
        };
    }
    each!(Add Sub Mul Div Rem Pow Neg Not And Or Eq Ne Lt Le Min Max Ceil Floor Round Sqrt Log2 Abs If);
}

/// Fills `to` with `f` over the tiles; a slice of one value holds for every tile.
#[inline(always)]
pub(super) fn fill(tiles: usize, to: &mut Vec<f64>, a: &[f64], b: &[f64], c: &[f64], f: impl Fn(f64, f64, f64) -> f64) {
    let whole = |values: &[f64]| values.len() == tiles && tiles != 1;
    let first = |values: &[f64]| values.first().copied().unwrap_or(f64::NAN);
    match (whole(a), whole(b), whole(c)) {
        (true, true, true) => to.extend(a.iter().zip(b).zip(c).map(|((a, b), c)| f(*a, *b, *c))),
        (true, false, _) => {
            let b = first(b);
            if whole(c) {
                to.extend(a.iter().zip(c).map(|(a, c)| f(*a, b, *c)));
            } else {
                let c = first(c);
                to.extend(a.iter().map(|a| f(*a, b, c)));
            }
        }
        (false, true, _) => {
            let a = first(a);
            if whole(c) {
                to.extend(b.iter().zip(c).map(|(b, c)| f(a, *b, *c)));
            } else {
                let c = first(c);
                to.extend(b.iter().map(|b| f(a, *b, c)));
            }
        }
        (true, true, false) => {
            let c = first(c);
            to.extend(a.iter().zip(b).map(|(a, b)| f(*a, *b, c)));
        }
        (false, false, true) => {
            let (a, b) = (first(a), first(b));
            to.extend(c.iter().map(|c| f(a, b, *c)));
        }
        (false, false, false) => {
            let value = f(first(a), first(b), first(c));
            to.resize(tiles, value);
        }
    }
}

/// The greatest value; NaN if there is one without a value.
pub(super) fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(f64::NEG_INFINITY, |most, value| apply(Function::Max, most, *value, 0.0))
}

/// The sum in eight interleaved parts: fast, and the same on every machine.
pub(super) fn sum(values: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (part, value) in parts.iter_mut().zip(chunk) {
            *part += value;
        }
    }
    parts.iter().sum::<f64>() + rest
}
