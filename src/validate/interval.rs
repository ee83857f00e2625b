//! The least and greatest value of a quantity over the ranges of its assumed inputs.

use super::assumed::End;

/// Least relative change that counts: below it an input has no influence.
const INFLUENCE: f64 = 1e-9;

/// Most passes over the inputs; a pass that changes nothing ends the search.
const MAX_PASSES: usize = 8;

/// An interval and what spans it.
pub struct Interval {
    /// Least and greatest value.
    pub ends: [f64; 2],
    /// For each input: whether an extreme moved it, which makes the interval rest on it.
    pub moved: Vec<bool>,
}

/// Searches both extremes coordinate by coordinate: each input in turn is put where the value is best, until a whole pass
/// changes nothing. Exact for values that are monotonic in each input, whichever way and whatever the others are; then an
/// extreme is a corner that no single move improves. Inputs hidden behind a bottleneck move once it has gone. Where there is
/// no such design the value is NaN, and no extreme goes there.
///
/// # Errors
/// The first fault of `value`.
pub fn extremes<E>(inputs: usize, mut value: impl FnMut(&[End]) -> Result<f64, E>) -> Result<Interval, E> {
    let mut interval = Interval { ends: [0.0; 2], moved: vec![false; inputs] };
    for (at, sign) in [(0, 1.0), (1, -1.0)] {
        let mut ends = vec![End::Nominal; inputs];
        let mut best = value(&ends)?;
        for _ in 0..MAX_PASSES {
            let before = best;
            for input in 0..inputs {
                // Between the ends a monotonic value is never better than at one of them.
                for end in [End::Low, End::High] {
                    let old = ends[input];
                    if end == old {
                        continue;
                    }
                    ends[input] = end;
                    let here = value(&ends)?;
                    if (best - here) * sign > INFLUENCE * best.abs().max(here.abs()) {
                        best = here;
                    } else {
                        ends[input] = old;
                    }
                }
            }
            if best == before {
                break;
            }
        }
        interval.ends[at] = best;
        for (moved, end) in interval.moved.iter_mut().zip(&ends) {
            *moved |= *end != End::Nominal;
        }
    }
    Ok(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(end: End, [low, nominal, high]: [f64; 3]) -> f64 {
        match end {
            End::Low => low,
            End::Nominal => nominal,
            End::High => high,
        }
    }

    /// max(a, b) with a in 5..9 and b in 1..7: least at (5, anything below), greatest 9; b is hidden at the start.
    #[test]
    fn an_input_behind_a_bottleneck_is_found_once_the_bottleneck_moves() {
        let value = |ends: &[End]| {
            let (a, b) = (number(ends[0], [5.0, 8.0, 9.0]), number(ends[1], [1.0, 6.0, 7.0]));
            Ok::<f64, ()>(a.max(b))
        };
        let interval = extremes(2, value).expect("value");
        assert_eq!(interval.ends, [5.0, 9.0]);
        assert_eq!(interval.moved, [true, true]);
    }

    #[test]
    fn inputs_without_influence_do_not_count() {
        let interval = extremes(2, |ends| Ok::<f64, ()>(number(ends[1], [1.0, 2.0, 4.0]))).expect("value");
        assert_eq!((interval.ends, interval.moved), ([1.0, 4.0], vec![false, true]));
    }
}
