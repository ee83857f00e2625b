//! libFuzzer on one of the targets of `tests/fuzzing/`, named by the variable `FUZZ_TARGET`. `fuzz/run` builds and starts it.
#![no_main]

#[path = "../../tests/fuzzing/mod.rs"]
mod fuzzing;
mod mutate;

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fn target() -> (&'static str, fuzzing::Target) {
    static TARGET: OnceLock<(&'static str, fuzzing::Target)> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let wanted = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let names: Vec<&str> = fuzzing::TARGETS.iter().map(|(name, _)| *name).collect();
        let found = fuzzing::TARGETS.iter().find(|(name, _)| *name == wanted);
        *found.unwrap_or_else(|| panic!("FUZZ_TARGET is one of {}", names.join(" ")))
    })
}

fuzz_target!(|input: &[u8]| target().1(input));

// Half of the inputs of a text format keep its words whole: bytes alone hardly get past a parser.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let words = !matches!(target().0, "pickle" | "record" | "tasks");
    match words && seed.is_multiple_of(2) {
        true => mutate::words(data, size, max_size, seed),
        false => fuzzer_mutate(data, size, max_size),
    }
});
