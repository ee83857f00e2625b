//! The scale of an axis: its range, whether it is logarithmic, and the round values that carry a tick.

use super::canvas::{PT, SMALL, text_width};
use super::labels::{self, Decimal};

/// Positive data that spans more decades than this is drawn on a logarithmic axis.
const LOG_FROM_DECADES: f64 = 1.5;

/// The share of the data's extent that is left free at either end.
const MARGIN: f64 = 0.05;

/// With more minor ticks than this, an axis would be a row of bars.
const MOST_MINOR_TICKS: usize = 60;

/// How far a label may stand out beyond the ends of an axis that runs across, in canvas units.
pub(super) const OVERHANG: i32 = 45;

/// The direction that an axis runs in, with its length in canvas units: labels of an axis that runs across need room for
/// their width, those of one that runs up for their height.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    Across(i32),
    Up(i32),
}

/// A tick at `at`, the fraction of the axis from its low end; a minor tick has an empty label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// Where values come to lie along an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// From low to high, all within the axis.
    pub ticks: Vec<Tick>,
}

impl Scale {
    /// The scale for data from `min` to `max`, both finite and at most 1e300 in size.
    pub fn new((min, max): (f64, f64), run: Run) -> Scale {
        let log = min > 0.0 && max.log10() - min.log10() > LOG_FROM_DECADES;
        let (low, high) = if log { (min.log10(), max.log10()) } else { (min, max) };
        let size = low.abs().max(high.abs());
        // Values that agree to nine digits are one value: their differences are rounding, not data.
        let margin = if high - low > (size * 1e-9).max(1e-300) {
            (high - low) * MARGIN
        } else if size > 1e-290 {
            size * 0.5
        } else {
            1.0
        };
        let mut scale = Scale { low: low - margin, high: high + margin, log, ticks: Vec::new() };
        scale.ticks = if log { scale.log_ticks(run) } else { scale.linear_ticks(run) };
        scale
    }

    /// The linear scale that runs from `low` to a greater `high` and no further.
    pub fn exact((low, high): (f64, f64), run: Run) -> Scale {
        let mut scale = Scale { low, high, log: false, ticks: Vec::new() };
        scale.ticks = scale.linear_ticks(run);
        scale
    }

    /// The fraction of the axis, from its low end, at which `value` lies.
    pub fn at(&self, value: f64) -> f64 {
        let position = if self.log { value.log10() } else { value };
        (position - self.low) / (self.high - self.low)
    }

    /// The values at the ends of the axis.
    pub fn ends(&self) -> (f64, f64) {
        let value = |end: f64| if self.log { 10_f64.powf(end) } else { end };
        (value(self.low), value(self.high))
    }

    /// The ticks that have a label.
    pub fn major_ticks(&self) -> impl Iterator<Item = &Tick> {
        self.ticks.iter().filter(|tick| !tick.label.is_empty())
    }

    /// The finest of the steps 1, 2, 5, 10, ... whose labels leave each other room.
    fn linear_ticks(&self, run: Run) -> Vec<Tick> {
        let decade = (self.high - self.low).log10().floor() as i32;
        let steps = (decade - 2..=decade + 1).flat_map(|e| [1, 2, 5].map(|digits| (digits, e)));
        let sets = steps.map(|(digits, exponent)| {
            let step = Decimal { digits, exponent }.value();
            let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
            let values: Vec<Decimal> = (first..=last).map(|k| Decimal { digits: k * digits, exponent }).collect();
            self.labelled(&values, labels::linear(&values), run)
        });
        finest_that_fits(sets, run)
    }

    /// The finest of 1-2-5, 1-3, decades, every second decade, ... whose labels leave each other room, and minor ticks
    /// between them.
    fn log_ticks(&self, run: Run) -> Vec<Tick> {
        let steps: [(&[i64], i32); 9] = [
            (&[1, 2, 5], 1),
            (&[1, 3], 1),
            (&[1], 1),
            (&[1], 2),
            (&[1], 5),
            (&[1], 10),
            (&[1], 20),
            (&[1], 50),
            (&[1], 100),
        ];
        let sets = steps.into_iter().map(|(digits, every)| {
            let values = self.in_decades(digits, every);
            self.labelled(&values, labels::logarithmic(&values), run)
        });
        let mut ticks = finest_that_fits(sets, run);

        let all_digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let few_decades = self.high - self.low < 6.0;
        let minors = self.in_decades(if few_decades { &all_digits } else { &[1] }, 1);
        if minors.len() <= MOST_MINOR_TICKS {
            let minors = self.labelled(&minors, vec![String::new(); minors.len()], run);
            ticks.extend(minors);
            // Sorting is stable, so that of equal ticks the one with a label stays.
            ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
            ticks.dedup_by(|b, a| a.at == b.at);
        }
        ticks
    }

    /// The values with one of these digits in every `every`-th decade of a logarithmic axis.
    fn in_decades(&self, digits: &[i64], every: i32) -> Vec<Decimal> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let values = decades
            .filter(|exponent| exponent.rem_euclid(every) == 0)
            .flat_map(|exponent| digits.iter().map(move |&digits| Decimal { digits, exponent }));
        values.filter(|value| (0.0..=1.0).contains(&self.at(value.value()))).collect()
    }

    /// Ticks at `values`; a label that would stand out too far beyond an end of the axis is left off.
    fn labelled(&self, values: &[Decimal], labels: Vec<String>, run: Run) -> Vec<Tick> {
        let at = values.iter().map(|value| self.at(value.value()));
        let tick = |(at, label): (f64, String)| {
            let room = match run {
                Run::Across(length) => at.min(1.0 - at) * f64::from(length) + f64::from(OVERHANG),
                Run::Up(_) => f64::INFINITY,
            };
            let fits = f64::from(text_width(&label, SMALL)) / 2.0 <= room;
            Tick { at, label: if fits { label } else { String::new() } }
        };
        at.zip(labels).map(tick).collect()
    }
}

/// The first of the sets, which come from fine to coarse, with two labels or more that leave each other room; else the
/// coarsest that has a label at all.
fn finest_that_fits(sets: impl Iterator<Item = Vec<Tick>>, run: Run) -> Vec<Tick> {
    let mut coarsest = Vec::new();
    for set in sets {
        let labels = set.iter().filter(|tick| !tick.label.is_empty()).count();
        let fits = labels >= 2 && have_room(&set, run);
        if labels >= 1 {
            coarsest = set;
        }
        if fits {
            break;
        }
    }
    coarsest
}

fn have_room(ticks: &[Tick], run: Run) -> bool {
    ticks.windows(2).all(|pair| match run {
        Run::Across(length) => {
            let widths = text_width(&pair[0].label, SMALL) + text_width(&pair[1].label, SMALL);
            let room = (pair[1].at - pair[0].at) * f64::from(length);
            room >= f64::from((widths / 2 + 9 * PT).max(22 * PT))
        }
        Run::Up(length) => (pair[1].at - pair[0].at) * f64::from(length) >= f64::from((13 * PT).max(length / 8)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: (f64, f64), run: Run) -> Vec<String> {
        let ticks = Scale::new(range, run).ticks;
        assert!(ticks.iter().all(|t| (0.0..=1.0).contains(&t.at)), "{ticks:?}");
        ticks.into_iter().map(|t| t.label).filter(|l| !l.is_empty()).collect()
    }

    const WIDE: Run = Run::Across(190 * PT);
    const TALL: Run = Run::Up(140 * PT);

    #[test]
    fn a_narrow_range_gets_round_linear_ticks_without_binary_noise() {
        assert_eq!(labels((0.1, 0.7), TALL), ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]);
        assert_eq!(labels((418.5, 634.5), TALL), ["450", "500", "550", "600"]);
        assert_eq!(labels((-0.3, 0.3), TALL), ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn labels_that_run_across_leave_room_for_their_width() {
        assert_eq!(labels((0.0, 100.0), Run::Across(60 * PT)), ["0", "50", "100"]);
        assert_eq!(labels((0.0, 100.0), WIDE), ["0", "20", "40", "60", "80", "100"]);
    }

    #[test]
    fn an_axis_is_logarithmic_only_when_positive_data_spans_decades() {
        assert!(!Scale::new((1.0, 31.0), WIDE).log);
        assert!(Scale::new((1.0, 32.0), WIDE).log);
        assert!(!Scale::new((0.0, 1e6), WIDE).log);
        assert!(!Scale::new((-1.0, 1e6), WIDE).log);
    }

    #[test]
    fn two_decades_get_one_two_five_and_many_get_decades() {
        assert_eq!(labels((1.0, 100.0), WIDE), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels((0.001, 1000.0), WIDE), ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels((1e-12, 1e-2), Run::Across(90 * PT)), ["10⁻¹⁰", "10⁻⁵"]);
    }

    #[test]
    fn large_and_small_values_share_a_unit() {
        assert_eq!(labels((1.0e6, 3.0e6), TALL)[..3], ["1.0M", "1.5M", "2.0M"]);
        assert_eq!(labels((0.0, 4e-6), TALL)[..3], ["0", "1×10⁻⁶", "2×10⁻⁶"]);
        assert_eq!(labels((200.0, 2e6), WIDE), ["1k", "10k", "100k", "1M"]);
        assert_eq!(labels((100_000.0, 100_001.0), TALL)[..2], ["100000.0", "100000.2"]);
    }

    #[test]
    fn one_value_lies_in_the_middle_of_its_axis() {
        for value in [0.0, 1.0, -7.5, 1e300, 1e-300, 5e-324] {
            let scale = Scale::new((value, value), TALL);
            assert!((scale.at(value) - 0.5).abs() < 1e-9, "{value}");
            assert!(!scale.ticks.is_empty(), "{value}");
        }
        // Apart by a rounding of the same sum in another order, as the objectives of equal designs may be.
        assert_eq!(labels((0.3, 0.1 + 0.2), WIDE), labels((0.3, 0.3), WIDE));
    }

    #[test]
    fn extreme_ranges_still_get_a_few_ticks() {
        for range in [(-1e300, 1e300), (1e-300, 1e300), (5e-324, 1.0), (0.0, 1e-299), (1e15, 1e15 + 1e7)] {
            for run in [WIDE, TALL, Run::Across(60 * PT), Run::Up(50 * PT)] {
                let labels = labels(range, run);
                assert!((1..=12).contains(&labels.len()), "{range:?} {run:?} {labels:?}");
            }
        }
    }
}
