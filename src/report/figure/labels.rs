//! The values of ticks, exact in decimal, and how they are written.

/// `digits * 10^exponent`: sums of binary steps would carry noise like 0.30000000000000004 into the labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal {
    pub digits: i64,
    pub exponent: i32,
}

impl Decimal {
    pub fn value(self) -> f64 {
        self.in_unit(0)
    }

    /// The value in units of `10^unit`.
    fn in_unit(self, unit: i32) -> f64 {
        // Parsing rounds correctly where a product with a power of ten would not, and what is written here does parse.
        let written = format!("{}e{}", self.digits, self.exponent - unit);
        written.parse().unwrap_or(f64::NAN)
    }
}

/// The units that have a letter.
const LETTERS: [(i32, &str); 4] = [(3, "k"), (6, "M"), (9, "G"), (12, "T")];

/// Labels of a linear axis, whose `values` have one exponent: equally fine and in one unit, which is one, thousands (k,
/// M, ...), or a power of ten.
pub(super) fn linear(values: &[Decimal]) -> Vec<String> {
    let step = values.first().map_or(0, |value| value.exponent);
    let largest = values.iter().map(|value| value.value().abs()).fold(0.0, f64::max);
    let decade = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    let plain = (-3..4).contains(&decade) || ((4..12).contains(&decade) && step <= 0);
    let letter = LETTERS.iter().rev().find(|(unit, _)| *unit <= decade && unit - step <= 2);
    let (unit, suffix) = match letter {
        _ if plain => (0, String::new()),
        Some(&(unit, letter)) if decade < 15 => (unit, letter.to_owned()),
        _ => (decade, format!("×{}", power_of_ten(decade))),
    };
    let decimals = (unit - step).max(0) as usize;
    let label = |value: &Decimal| match value.digits {
        0 => "0".to_owned(),
        _ => format!("{:.decimals$}{suffix}", value.in_unit(unit)).replace('-', "−"),
    };
    values.iter().map(label).collect()
}

/// Labels of a logarithmic axis, each value positive and in a unit of its own.
pub(super) fn logarithmic(values: &[Decimal]) -> Vec<String> {
    // A thousand is written 1000 unless the axis goes on to 10k.
    let letters_from = if values.iter().any(|value| value.exponent >= 4) { 3 } else { 4 };
    let label = |value: &Decimal| match value.exponent {
        exponent if (-3..letters_from).contains(&exponent) => value.value().to_string(),
        exponent @ 3..15 => {
            let (unit, letter) = LETTERS[exponent as usize / 3 - 1];
            format!("{}{letter}", value.in_unit(unit))
        }
        exponent if value.digits == 1 => power_of_ten(exponent),
        exponent => format!("{}×{}", value.digits, power_of_ten(exponent)),
    };
    values.iter().map(label).collect()
}

fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let written = exponent.to_string();
    let raised = written.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]));
    format!("10{}", raised.collect::<String>())
}
