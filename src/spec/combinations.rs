//! The values that a few expressions take together over the axes: what models are prepared for before a run.

use std::collections::HashMap;

use super::program::NodeId;
use super::scope::Scope;

/// Most combinations of axis values that are gone through.
const MOST_TRIED: usize = 1 << 16;
/// Most different results.
const MOST_DIFFERENT: usize = 1 << 10;

impl Scope<'_> {
    /// Every tuple of finite values of `nodes`, each once, in the order of the axes; `None` if they depend on tiles or on
    /// the schedule, or take too many values.
    pub fn combinations(&self, nodes: [NodeId; 3]) -> Option<Vec<[f64; 3]>> {
        let mask = nodes.iter().fold(0, |mask, node| mask | self.graph.axes(*node));
        let own: Vec<usize> = (0..self.axis_values.len()).filter(|axis| mask >> axis & 1 == 1).collect();
        let size = |axis: &usize| self.axis_values[*axis].len();
        let count = own.iter().try_fold(1_usize, |product, axis| product.checked_mul(size(axis)))?;
        if count > MOST_TRIED {
            return None;
        }
        let mut axes: Vec<f64> = self.axis_values.iter().map(|values| values.first().copied().unwrap_or(0.0)).collect();
        let mut found: Vec<[f64; 3]> = Vec::new();
        for at in 0..count {
            let mut rest = at;
            for axis in own.iter().rev() {
                axes[*axis] = self.axis_values[*axis][rest % size(axis)];
                rest /= size(axis);
            }
            let mut memo = HashMap::new();
            let mut tuple = [0.0; 3];
            for (value, node) in tuple.iter_mut().zip(nodes) {
                *value = self.graph.evaluate(node, &axes, &mut memo)?;
            }
            if tuple.iter().all(|value| value.is_finite()) && !found.contains(&tuple) {
                found.push(tuple);
            }
        }
        (found.len() <= MOST_DIFFERENT).then_some(found)
    }
}
