//! The numbering of spaces in which some axes exist only under a condition, against counting by hand.

use std::collections::BTreeSet;

use nerarch_dse::ppa::{Branches, Condition};
use proptest::prelude::*;

/// Every settled combination of digits in order, by walking the whole product.
fn by_hand(sizes: &[u64], conditions: &[Option<Condition>]) -> Vec<Vec<u32>> {
    let product: u64 = sizes.iter().product();
    let mut points = BTreeSet::new();
    for mut rest in 0..product {
        let mut digits = vec![0_u32; sizes.len()];
        for axis in (0..sizes.len()).rev() {
            digits[axis] = (rest % sizes[axis]) as u32;
            rest /= sizes[axis];
        }
        for axis in 0..sizes.len() {
            if let Some(condition) = &conditions[axis] {
                let at =
                    condition.controllers.iter().fold(0, |at, above| at * sizes[*above] + u64::from(digits[*above]));
                if !condition.holds[at as usize] {
                    digits[axis] = 0;
                }
            }
        }
        points.insert(digits);
    }
    points.into_iter().collect()
}

/// Four axes, of which the second, third and last hang on others by any table of truth.
fn spaces() -> impl Strategy<Value = (Vec<u64>, Vec<Option<Condition>>)> {
    prop::collection::vec(1_u64..4, 4).prop_flat_map(|sizes| {
        let table = |length: u64| prop::collection::vec(any::<bool>(), length as usize);
        let (one, two, three) = (table(sizes[0]), table(sizes[0] * sizes[1]), table(sizes[1]));
        (Just(sizes), one, two, three).prop_map(|(sizes, one, two, three)| {
            let condition = |controllers: &[usize], holds| Some(Condition { controllers: controllers.to_vec(), holds });
            (sizes, vec![None, condition(&[0], one), condition(&[0, 1], two), condition(&[1], three)])
        })
    })
}

proptest! {
    #[test]
    fn indices_and_digits_are_one_to_one_in_order((sizes, conditions) in spaces()) {
        let expected = by_hand(&sizes, &conditions);
        let refs: Vec<Option<&Condition>> = conditions.iter().map(Option::as_ref).collect();
        let branches = Branches::of(sizes.clone(), &refs).expect("branches");
        prop_assert_eq!(branches.points(), Some(expected.len() as u64));
        let mut walked = vec![0; sizes.len()];
        for (index, digits) in (0..).zip(&expected) {
            let mut found = vec![7; sizes.len()];
            branches.digits(index, &mut found);
            prop_assert_eq!(&found, digits);
            prop_assert_eq!(&walked, digits);
            prop_assert_eq!(branches.index(digits), index);
            branches.advance(&mut walked);
        }
        // Behind the last point comes the first.
        prop_assert_eq!(walked, vec![0; sizes.len()]);
    }
}

/// Ten choices, of which one has twelve axes of ten values: 10^12 + 9 points.
#[test]
fn a_space_of_a_million_million_points_is_numbered_without_walking_it() {
    let sizes: Vec<u64> = std::iter::repeat_n(10, 13).collect();
    let condition = Condition { controllers: vec![0], holds: (0..10).map(|choice| choice == 4).collect() };
    let conditions: Vec<Option<&Condition>> = std::iter::once(None).chain((0..12).map(|_| Some(&condition))).collect();
    let branches = Branches::of(sizes, &conditions).expect("branches");
    assert_eq!(branches.points(), Some(1_000_000_000_009));
    let mut digits = vec![0; 13];
    for index in [0, 3, 4, 5, 123_456_789_012, 1_000_000_000_003, 1_000_000_000_004, 1_000_000_000_008] {
        branches.digits(index, &mut digits);
        assert_eq!(branches.index(&digits), index);
    }
    // The last digits of a number that starts behind four single points.
    branches.digits(4 + 123_456_789_012, &mut digits);
    assert_eq!(digits, [4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]);
}
