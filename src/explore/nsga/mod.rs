//! NSGA-II on the grid (Deb et al., IEEE Trans. Evol. Comput. 6, 2002).
//!
//! A genome is one digit for each axis. `vary` crosses and mutates them, ordered axes with the steps of a continuous
//! operator rounded to digits, words by exchange; `rank` sorts by dominance, `thin` thins the last front by crowding (two
//! objectives) or by nearest neighbours (more, where crowding spreads badly), `select` puts both together. No point is
//! evaluated twice: `seen`. Constraints hold by feasibility: a feasible point beats every other, of two others the one that
//! misses less. All random numbers are drawn in one thread, so the run does not depend on the number of threads. Everything
//! lies in flat arrays that are kept from one generation to the next.

mod evolve;
mod population;
mod rank;
mod seen;
mod select;
#[cfg(test)]
mod tests;
mod thin;
mod vary;

pub use evolve::{Genes, Options, search};
pub use seen::Mixer;
