//! Whether the search suits the space.

use super::Compiler;
use crate::ppa::branches::Branches;
use crate::ppa::parameters::Axis;
use crate::spec::sweep::Strategy;

/// Most axes of a Sobol sample: `explore` has direction numbers for as many.
const SOBOL_AXES: usize = 32;

impl Compiler<'_> {
    /// Reports axes that the sweep's strategy cannot search.
    pub(super) fn check_strategy(&self, axes: &[Axis]) {
        let search = &self.study.sweep.search;
        let name = search.strategy.name();
        match search.strategy {
            Strategy::Grid | Strategy::Exact => {
                let is_continuous = self.check_continuous(axes);
                if !is_continuous && has_too_many_points(axes) {
                    let span = self.study.sweep.parameters.first().map_or(&search.span, |first| &first.span);
                    let message = format!("this space has 2^63 points or more, and \"{name}\" accounts for every one");
                    self.error(span, message, "fix some axes, make them coarser, or write strategy = \"nsga2\"");
                }
            }
            Strategy::Sobol if axes.len() > SOBOL_AXES => {
                let count = axes.len();
                let message = format!("the Sobol sequence has {SOBOL_AXES} dimensions, this sweep has {count} axes");
                self.error(&search.span, message, "write strategy = \"lhs\", or fix some axes");
            }
            Strategy::NelderMead => {
                if let Some(words) = axes.iter().find(|axis| axis.is_words && axis.values.len() > 1) {
                    let message =
                        format!("nelder-mead moves along axes, and the words of `{}` have no order", words.name);
                    self.error(&search.span, message, "write strategy = \"anneal\", or fix that axis");
                }
            }
            _ => {}
        }
    }

    /// Reports continuous axes to a search that accounts for every value: their front has no end. Returns true if there is
    /// one.
    fn check_continuous(&self, axes: &[Axis]) -> bool {
        let search = &self.study.sweep.search;
        let strategy = search.strategy.name();
        let continuous = axes.iter().filter(|axis| axis.is_continuous);
        for axis in continuous.clone() {
            let message = format!("`{}` is continuous, and \"{strategy}\" accounts for every value", axis.name);
            let help = "give it steps, `{ from = 1, to = 2, step = 0.1 }`, or choose random, lhs, sobol, nsga2, anneal, \
                        pso or nelder-mead";
            self.error(axis.spans.first().unwrap_or(&search.span), message, help);
        }
        continuous.count() > 0
    }
}

fn has_too_many_points(axes: &[Axis]) -> bool {
    let product = axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.values.len() as u64));
    // Conditions leave points out; what the axes alone would give may be too much then.
    let is_beyond = |points: Option<u64>| points.is_none_or(|points| points >= 1 << 63);
    is_beyond(product) && is_beyond(Branches::new(axes).and_then(|branches| branches.points()))
}
