//! The scheduler against exhaustive search, random graphs against the checker, and the checker against spoilt schedules.

mod optimum;
mod random;
mod spoilt;
