//! Ranges of axis values, stepped in exact decimals.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// Most values that one axis may have.
pub const MAX_VALUES: usize = 1_000_000;

/// Steps of a continuous range, a power of two, so that shares of a linear range are exact.
pub const CONTINUOUS_STEPS: usize = 1 << 16;

/// How a range walks from its first to its last value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Walk {
    /// Equal differences of `step`.
    Step(Decimal),
    /// `num` values at equal differences.
    Linear(usize),
    /// `num` values at equal ratios.
    Log(usize),
    /// Doubling.
    Log2,
}

/// Why a range has no values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RangeError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The values of a range, and whether it ended on its `to`.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeValues {
    /// Strictly increasing.
    pub values: Vec<f64>,
    /// False if the last value lies below `to`.
    pub hits_end: bool,
}

fn refuse<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, RangeError> {
    Err(RangeError { message: message.into(), help: help.into() })
}

/// The values from `from` to `to`, both included where the walk hits them.
///
/// # Errors
/// If the range is empty, endless, larger than [`MAX_VALUES`], or logarithmic over values that are not positive.
pub fn values(from: Decimal, to: Decimal, walk: Walk) -> Result<RangeValues, RangeError> {
    if from > to {
        return refuse(format!("`from` ({from}) is larger than `to` ({to})"), "swap them");
    }
    match walk {
        Walk::Step(step) => stepped(from, to, step),
        Walk::Linear(num) => counted(from, to, num, |share| {
            let width = to.checked_sub(from)?;
            to_f64(from.checked_add(width.checked_mul(share)?)?.normalize())
        }),
        Walk::Log(num) => {
            positive(from)?;
            let (low, high) = (to_f64(from).unwrap_or(f64::NAN), to_f64(to).unwrap_or(f64::NAN));
            counted(from, to, num, |share| {
                if share.is_zero() {
                    Some(low)
                } else if share == Decimal::ONE {
                    Some(high)
                } else {
                    Some(low * (high / low).powf(to_f64(share)?))
                }
            })
        }
        Walk::Log2 => doubled(from, to),
    }
}

/// The values of a continuous range: both ends and what divides the range into [`CONTINUOUS_STEPS`] equal differences, or
/// with `is_log` equal ratios.
///
/// # Errors
/// If the range is empty, or logarithmic over values that are not positive, or so narrow that numbers of 64 bits do not
/// tell its values apart.
pub fn continuous(low: Decimal, high: Decimal, is_log: bool) -> Result<Vec<f64>, RangeError> {
    if low > high {
        return refuse(format!("`min` ({low}) is larger than `max` ({high})"), "swap them");
    }
    if low == high {
        return refuse(format!("nothing lies between {low} and {high}"), "write the one value, or a `max` above `min`");
    }
    if is_log {
        positive(low)?;
    }
    let (first, last) = (to_f64(low).unwrap_or(f64::NAN), to_f64(high).unwrap_or(f64::NAN));
    let inner = (1..CONTINUOUS_STEPS).map(|step| {
        let share = step as f64 / CONTINUOUS_STEPS as f64;
        if is_log { first * (last / first).powf(share) } else { first + (last - first) * share }
    });
    let values: Vec<f64> = std::iter::once(first).chain(inner).chain([last]).collect();
    match values.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(values),
        false => refuse(format!("{low} and {high} are too near to each other"), "list the values: `[1, 2]`"),
    }
}

fn stepped(from: Decimal, to: Decimal, step: Decimal) -> Result<RangeValues, RangeError> {
    if step <= Decimal::ZERO {
        return refuse(format!("`step` is {step}, so the range never ends"), "write a step above 0");
    }
    let width = to.checked_sub(from).and_then(|width| width.checked_div(step)).and_then(|n| n.floor().to_usize());
    let Some(last) = width.filter(|last| *last < MAX_VALUES) else {
        return refuse(format!("this range has more than {MAX_VALUES} values"), "write a larger step");
    };
    let at = |index: usize| from.checked_add(step.checked_mul(Decimal::from(index))?);
    let values: Option<Vec<f64>> = (0..=last).map(|index| to_f64(at(index)?.normalize())).collect();
    match values {
        Some(values) => Ok(RangeValues { values, hits_end: at(last) == Some(to) }),
        None => refuse("these numbers have more digits than decimals can hold (28)", "round them"),
    }
}

fn counted(
    from: Decimal,
    to: Decimal,
    num: usize,
    value: impl Fn(Decimal) -> Option<f64>,
) -> Result<RangeValues, RangeError> {
    if num == 0 || (num == 1 && from != to) {
        return refuse(format!("`num` is {num}, but the range has two ends"), "write num = 2 or more");
    }
    if num > MAX_VALUES {
        return refuse(format!("this range has more than {MAX_VALUES} values"), "write a smaller num");
    }
    if num > 1 && from == to {
        return refuse(format!("{num} values between {from} and {to} are all the same"), "write a `to` above `from`");
    }
    let last = Decimal::from(num.max(2) - 1);
    let values: Option<Vec<f64>> = (0..num).map(|index| value(Decimal::from(index) / last)).collect();
    match values {
        Some(mut values) => {
            if let (true, Some(end), Some(exact)) = (num > 1, values.last_mut(), to_f64(to)) {
                *end = exact;
            }
            Ok(RangeValues { values, hits_end: true })
        }
        None => refuse("these numbers have more digits than decimals can hold (28)", "round them"),
    }
}

fn doubled(from: Decimal, to: Decimal) -> Result<RangeValues, RangeError> {
    positive(from)?;
    let mut values = Vec::new();
    let mut value = from;
    let mut last = from;
    while value <= to {
        let Some(number) = to_f64(value.normalize()) else { break };
        values.push(number);
        last = value;
        match value.checked_mul(Decimal::TWO) {
            Some(next) => value = next,
            None => break,
        }
    }
    Ok(RangeValues { values, hits_end: last == to })
}

fn positive(from: Decimal) -> Result<(), RangeError> {
    if from > Decimal::ZERO {
        Ok(())
    } else {
        refuse(format!("a logarithmic range cannot start at {from}"), "start above 0, or write scale = \"linear\"")
    }
}

/// The nearest f64 of the decimal text, so that 0.1 is the same 0.1 that a list would hold.
fn to_f64(value: Decimal) -> Option<f64> {
    value.to_string().parse().ok()
}
