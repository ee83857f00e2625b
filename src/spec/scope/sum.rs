//! The bounded `sum(i, from, to, body)`: unrolled, so that an evaluation has no loop.

use super::{Scope, Typed};
use crate::spec::expr::{Expr, Function};
use crate::spec::program::NodeId;
use crate::spec::reader::Quantity;

/// Most terms of a bounded `sum`.
const MAX_SUM_TERMS: usize = 256;
/// Most terms of all sums of a study: nested sums multiply.
const MAX_ALL_TERMS: usize = 65_536;

impl Scope<'_> {
    /// Unrolled: equal parts of the terms are shared.
    pub(super) fn sum(
        &mut self,
        variable: &str,
        parts: &[Expr; 3],
        quantity: &Quantity,
        locals: &mut Vec<(String, Typed)>,
    ) -> Option<NodeId> {
        let [from, to, body] = parts;
        let bounds = [from, to].map(|bound| {
            let node = self.number(bound, quantity, locals)?;
            self.graph.constant_value(node).filter(|value| value.fract() == 0.0)
        });
        let [Some(first), Some(last)] = bounds else {
            self.error(
                &quantity.part(from.range.start..to.range.end),
                "the bounds of `sum` must be whole constants",
                "use fixed bounds and an `if` in the body",
            );
            return None;
        };
        if last - first >= MAX_SUM_TERMS as f64 {
            self.error(
                &quantity.part(from.range.start..to.range.end),
                format!("`sum` has more than {MAX_SUM_TERMS} terms"),
                "use fewer",
            );
            return None;
        }
        let mut total = self.graph.constant(0.0);
        // Counted: near 2^53 adding 1 to a bound does not change it.
        for step in 0..=(last - first) as i64 {
            self.terms += 1;
            if self.terms > MAX_ALL_TERMS {
                let place = quantity.part(from.range.start..to.range.end);
                self.error(
                    &place,
                    format!("all sums together have more than {MAX_ALL_TERMS} terms"),
                    "nest fewer sums",
                );
                return None;
            }
            let index = self.graph.constant(first + step as f64);
            locals.push((variable.to_owned(), Typed::number(index)));
            let term = self.number(body, quantity, locals);
            locals.pop();
            total = self.graph.binary(Function::Add, total, term?);
        }
        Some(total)
    }
}
