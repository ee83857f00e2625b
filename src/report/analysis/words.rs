//! Numbers for people.

/// A number with three digits and a prefix of thousands: `1.15 T`, `262 k`, `0`.
pub(super) fn scaled(value: f64) -> String {
    let prefixes = [(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let size = value.abs();
    match prefixes.iter().find(|(least, _)| size >= *least * 0.9995) {
        Some((unit, prefix)) => format!("{}{prefix}", digits(value / unit)),
        None => digits(value),
    }
}

/// Bytes: `12.5 MB`.
pub(super) fn bytes(value: f64) -> String {
    let text = scaled(value);
    if text.contains(' ') { format!("{text}B") } else { format!("{text} B") }
}

/// Cycles of a clock as time: `1.82 ms`.
pub(super) fn time(cycles: f64, clock_mhz: f64) -> String {
    let microseconds = cycles / clock_mhz;
    match microseconds {
        time if time >= 1e6 => format!("{} s", digits(time / 1e6)),
        time if time >= 1e3 => format!("{} ms", digits(time / 1e3)),
        0.0 => "0 s".into(),
        time if time >= 1.0 => format!("{} us", digits(time)),
        time => format!("{} ns", digits(time * 1e3)),
    }
}

/// A share: `12 %`, `0.4 %`, `< 0.1 %`.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        value if value < 0.05 => "< 0.1 %".into(),
        value if value < 9.95 => format!("{value:.1} %"),
        value => format!("{value:.0} %"),
    }
}

/// Milliwatts: `283 mW`, `1.51 W`.
pub(super) fn power(milliwatts: f64) -> String {
    if milliwatts >= 999.5 { format!("{} W", digits(milliwatts / 1e3)) } else { format!("{} mW", digits(milliwatts)) }
}

/// The beginning of a text that is too long.
pub(super) fn cut(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['\u{2026}']).collect()
}

/// A list: `a`, `a and b`, `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Three significant digits.
pub(super) fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        size if size >= 0.0009995 => {
            let places = (2 - size.log10().floor() as i32).max(0) as usize;
            format!("{value:.places$}")
        }
        _ => format!("{value:.2e}"),
    }
}

/// A number of three digits at most, without zeros at its end: `0.25`, `4`.
pub(super) fn plain(value: f64) -> String {
    digits(value).parse().map_or_else(|_| digits(value), |rounded: f64| rounded.to_string())
}

/// Text for HTML, SVG and XML attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no other control characters.
            letter if letter.is_control() && letter != '\n' && letter != '\t' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_prefix() {
        assert_eq!(scaled(1.146e12), "1.15 T");
        assert_eq!(scaled(999_600.0), "1.00 M");
        assert_eq!(scaled(262_144.0), "262 k");
        assert_eq!(scaled(0.0), "0");
        assert_eq!(bytes(12.0), "12.0 B");
        assert_eq!(time(1_823_713.0, 1000.0), "1.82 ms");
        assert_eq!(time(500.0, 1000.0), "500 ns");
        assert_eq!([0.0, 0.0001, 0.004, 0.0996, 0.953].map(percent), ["0 %", "< 0.1 %", "0.4 %", "10 %", "95 %"]);
        assert_eq!([283.0, 1511.0].map(power), ["283 mW", "1.51 W"]);
        assert_eq!((time(0.0, 1000.0), cut("abcdef", 4)), ("0 s".into(), "abc\u{2026}".into()));
        assert_eq!(listed(&["a", "b", "c"].map(str::to_owned)), "a, b and c");
        assert_eq!(digits(0.01234), "0.0123");
        assert_eq!([0.25, 4.0, 0.0003, 4096.0].map(plain), ["0.25", "4", "0.0003", "4096"]);
    }

    #[test]
    fn no_text_can_leave_its_element() {
        assert_eq!(escaped("<a b='\"&\u{1}>"), "&lt;a b=&#39;&quot;&amp;\u{fffd}&gt;");
    }
}
