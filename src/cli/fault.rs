//! Faults on purpose, for the tests of what a run survives.

use std::time::Duration;

/// The environment variable that asks for them: `panic:7,panic:90,sleep_us:50`.
const VARIABLE: &str = "NERARCH_DSE_FAULTS";

/// What to do before each point, by its index; `None` if no faults are asked for.
pub fn probe() -> Option<Box<dyn Fn(u64) + Sync>> {
    let text = std::env::var(VARIABLE).ok()?;
    let mut panics = Vec::new();
    let mut pause = Duration::ZERO;
    for part in text.split(',') {
        match part.split_once(':').and_then(|(what, number)| Some((what, number.trim().parse::<u64>().ok()?))) {
            Some(("panic", index)) => panics.push(index),
            Some(("sleep_us", micros)) => pause = Duration::from_micros(micros),
            _ => note!("warning: {VARIABLE} has an unknown part `{part}`"),
        }
    }
    Some(Box::new(move |index| {
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        assert!(!panics.contains(&index), "a fault on purpose at point {index}");
    }))
}
