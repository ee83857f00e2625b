//! Properties that hold for every expression, range and front.

use nerarch_dse::explore::{Archive, Space, sample};
use nerarch_dse::spec::expr::{Expr, ExprKind, Function, parse};
use nerarch_dse::spec::program::apply;
use nerarch_dse::spec::range::{self, Walk};
use nerarch_dse::spec::sweep::Goal::{self, Maximise, Minimise};
use proptest::prelude::*;
use rust_decimal::Decimal;

/// Evaluates a tree without names, recursively: the plain meaning that the compiled program is held against.
fn value(expr: &Expr) -> f64 {
    match &expr.kind {
        ExprKind::Number(value) => *value,
        ExprKind::Apply(function, arguments) => {
            let at = |index: usize| arguments.get(index).map_or(0.0, value);
            apply(*function, at(0), at(1), at(2))
        }
        ExprKind::Sum { .. } | ExprKind::Text(_) | ExprKind::Name(_) => f64::NAN,
    }
}

/// A random expression as fully bracketed text, with its value computed beside it.
fn expression() -> impl Strategy<Value = (String, f64)> {
    let leaf = (0_u32..1000, 0_u32..100).prop_map(|(whole, part)| {
        let text = format!("{whole}.{part:02}");
        let value = text.parse().expect("number");
        (text, value)
    });
    leaf.prop_recursive(5, 64, 3, |inner| {
        let binary = |symbol: &'static str, compute: fn(f64, f64) -> f64| {
            (inner.clone(), inner.clone())
                .prop_map(move |((a, x), (b, y))| (format!("({a} {symbol} {b})"), compute(x, y)))
        };
        prop_oneof![
            binary("+", |a, b| a + b),
            binary("-", |a, b| a - b),
            binary("*", |a, b| a * b),
            binary("/", |a, b| if b == 0.0 { f64::NAN } else { a / b }),
            binary("<", |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { f64::from(u8::from(a < b)) }),
            inner.clone().prop_map(|(a, x)| (format!("ceil({a})"), x.ceil())),
            inner.clone().prop_map(|(a, x)| (format!("-{a}"), -x)),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| {
                let larger = if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) };
                (format!("max({a}, {b})"), larger)
            }),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|((a, x), (b, y), (c, z))| {
                let chosen = if x.is_nan() {
                    f64::NAN
                } else if x != 0.0 {
                    y
                } else {
                    z
                };
                (format!("if({a}, {b}, {c})"), chosen)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn expressions_mean_what_they_say((text, expected) in expression()) {
        let got = value(&parse(&text).expect("sound expression"));
        prop_assert!(got == expected || (got.is_nan() && expected.is_nan()), "{text} is {got}, not {expected}");
    }

    #[test]
    fn any_text_is_an_expression_or_an_error_with_a_place_inside_it(text in ".{0,60}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.range.start <= error.range.end && error.range.end <= text.len());
            prop_assert!(!error.message.is_empty() && !error.help.is_empty());
        }
    }

    #[test]
    fn texts_of_expression_symbols_never_panic(text in "[-+*/%^()<>=!&|,.0-9a-c' ]{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn decimal_steps_do_not_drift(first in -1000_i64..1000, step in 1_i64..500, count in 1_i64..300, scale in 0_u32..6) {
        let decimal = |mantissa: i64| Decimal::new(mantissa, scale);
        let range = range::values(decimal(first), decimal(first + step * (count - 1)), Walk::Step(decimal(step))).expect("range");
        prop_assert!(range.hits_end);
        prop_assert_eq!(range.values.len() as i64, count);
        for (at, value) in range.values.iter().enumerate() {
            let exact: f64 = decimal(first + step * at as i64).to_string().parse().expect("number");
            prop_assert_eq!(*value, exact);
        }
    }

    #[test]
    fn counted_ranges_rise_and_end_where_they_should(first in 1_i64..1000, width in 1_i64..1000, num in 2_usize..200, log: bool) {
        let walk = if log { Walk::Log(num) } else { Walk::Linear(num) };
        let range = range::values(Decimal::from(first), Decimal::from(first + width), walk).expect("range");
        prop_assert_eq!(range.values.len(), num);
        prop_assert_eq!(range.values[0], first as f64);
        prop_assert_eq!(range.values[num - 1], (first + width) as f64);
        prop_assert!(range.values.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn every_index_has_its_own_digits(sizes in prop::collection::vec(1_u64..6, 1..6)) {
        let space = Space::with_sizes(sizes.clone()).expect("space");
        let mut seen = std::collections::HashSet::new();
        let (mut digits, mut walked) = (Vec::new(), vec![0; sizes.len()]);
        for index in 0..space.points() {
            space.digits(index, &mut digits);
            prop_assert_eq!(&digits, &walked);
            prop_assert!(digits.iter().zip(&sizes).all(|(digit, size)| u64::from(*digit) < *size));
            prop_assert!(seen.insert(digits.clone()));
            space.advance(&mut walked);
        }
    }

    #[test]
    fn samples_have_the_right_number_of_different_indices(points in 1_u64..5000, count in 1_u64..6000, seed: u64) {
        let sample = sample::without_repeats(points, count, seed);
        prop_assert_eq!(sample.len() as u64, count.min(points));
        prop_assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(sample.iter().all(|index| *index < points));
    }

    #[test]
    fn the_archive_is_the_front_by_definition(
        points in prop::collection::vec(prop::collection::vec(0_u8..6, 3), 0..60),
        goals in prop::collection::vec(prop::bool::ANY, 3),
        order in any::<u64>(),
    ) {
        let goals: Vec<Goal> = goals.into_iter().map(|maximise| if maximise { Maximise } else { Minimise }).collect();
        let points: Vec<Vec<f64>> = points.into_iter().map(|point| point.into_iter().map(f64::from).collect()).collect();
        let not_worse = |a: &[f64], b: &[f64]| goals.iter().zip(a.iter().zip(b)).all(|(goal, (a, b))| match goal {
            Minimise => a <= b,
            Maximise => a >= b,
        });
        let expected: Vec<(u64, u64)> = (0..points.len())
            .filter(|at| !points.iter().any(|other| *other != points[*at] && not_worse(other, &points[*at])))
            .filter(|at| !points[..*at].contains(&points[*at]))
            .map(|at| (at as u64, points[at + 1..].iter().filter(|other| **other == points[at]).count() as u64))
            .collect();
        // Inserted in a scrambled order and through two merged archives, the front is the same.
        let mut halves = [Archive::new(goals.clone()), Archive::new(goals.clone())];
        let mut indices: Vec<usize> = (0..points.len()).collect();
        indices.sort_by_key(|at| (*at as u64 + 1).wrapping_mul(order | 1));
        for at in indices {
            halves[at % 2].insert(at as u64, &points[at]);
        }
        let [mut first, second] = halves;
        first.merge(second);
        let front: Vec<(u64, u64)> = first.into_front().iter().map(|point| (point.index, point.ties)).collect();
        prop_assert_eq!(front, expected);
    }
}

#[test]
fn a_tenth_to_one_by_tenths_is_ten_exact_values() {
    let range = range::values(Decimal::new(1, 1), Decimal::ONE, Walk::Step(Decimal::new(1, 1))).expect("range");
    assert_eq!(range.values, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
}

#[test]
fn doubling_stops_below_an_end_that_it_misses_and_says_so() {
    let range = range::values(Decimal::from(4), Decimal::from(40), Walk::Log2).expect("range");
    assert_eq!(range.values, [4.0, 8.0, 16.0, 32.0]);
    assert!(!range.hits_end);
}

#[test]
fn a_value_without_meaning_spreads_except_from_the_branch_not_taken() {
    let value_of = |text: &str| value(&parse(text).expect("expression"));
    assert!(value_of("min(1 / 0, 5)").is_nan());
    assert!(value_of("(1 / 0) < 5").is_nan());
    assert!(value_of("log2(0) * 0").is_nan());
    assert_eq!(value_of("if(0, 1 / 0, 7)"), 7.0);
    assert_eq!(apply(Function::Rem, -1.0, 4.0, 0.0), 3.0);
}

#[test]
fn points_that_are_not_finite_never_enter_the_front() {
    let mut archive = Archive::new(vec![Minimise, Minimise]);
    for (index, point) in
        [[f64::NAN, 0.0], [f64::NEG_INFINITY, 0.0], [1.0, 1.0], [0.0, f64::INFINITY]].iter().enumerate()
    {
        archive.insert(index as u64, point);
    }
    let front = archive.into_front();
    assert_eq!(front.len(), 1);
    assert_eq!(front[0].index, 2);
}
