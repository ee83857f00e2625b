//! Cases of wrong input: each takes the sound files of `tests/bad_input/` and changes one thing.

mod elements;
mod extensions;
mod models;
mod sweeps;
mod syntax;

/// File, text to replace (empty: replace the whole file), replacement, what the error must say: place, fault, remedy.
pub type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// Every case.
pub fn all() -> impl Iterator<Item = &'static Case> {
    [syntax::CASES, sweeps::CASES, models::CASES, extensions::CASES, elements::CASES].into_iter().flatten()
}
