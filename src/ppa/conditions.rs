//! The conditions of a sweep's axes, tried on all values that they look at.

use std::collections::HashMap;

use super::branches::{Condition, MOST_CODES};
use super::parameters::Axis;
use crate::spec::diagnostic::{Collector, Diagnostic};
use crate::spec::reader::Quantity;
use crate::spec::scope::{Definition, Parameter, Scope};

/// Fills in where each axis exists. Faults go to `diagnostics`.
pub fn resolve_conditions(parameters: &[Parameter], axes: &mut [Axis], diagnostics: &Collector) {
    let mut controlling = 0_u64;
    for parameter in parameters {
        let Definition::When(at, condition) = &parameter.definition else { continue };
        let found = resolve(parameters, axes, *at, condition, diagnostics);
        if let Some(condition) = &found {
            controlling |= condition.controllers.iter().fold(0, |mask, axis| mask | 1 << axis);
        }
        let combinations = (0..axes.len())
            .filter(|axis| controlling >> axis & 1 == 1)
            .try_fold(1_u64, |product, axis| product.checked_mul(axes[axis].values.len() as u64));
        if combinations.is_none_or(|combinations| combinations > MOST_CODES) {
            let message = format!("conditions look at axes with more than {MOST_CODES} combinations of values");
            let help = "let conditions hang on axes of few values, such as words";
            diagnostics.error(Diagnostic::new(&condition.span, message).help(help));
            return;
        }
        axes[*at].condition = found;
    }
}

fn resolve(
    parameters: &[Parameter],
    axes: &[Axis],
    at: usize,
    condition: &Quantity,
    diagnostics: &Collector,
) -> Option<Condition> {
    let mut scope = Scope::new(parameters.to_vec(), diagnostics);
    let name = &axes[at].name;
    let node = scope.compile(condition, &format!("the condition of `{name}`"), &[])?;
    let mask = scope.graph.axes(node);
    let controllers: Vec<usize> = (0..axes.len()).filter(|axis| mask >> axis & 1 == 1).collect();
    if let Some(below) = controllers.iter().find(|axis| **axis >= at) {
        let message = format!("the condition of `{name}` looks at `{}`, which stands below it", axes[*below].name);
        scope.error(&condition.span, message, "move that axis above: what decides comes first");
        return None;
    }
    let sizes: Vec<usize> = controllers.iter().map(|axis| axes[*axis].values.len()).collect();
    let combinations = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    let combinations = combinations.filter(|combinations| *combinations as u64 <= MOST_CODES).unwrap_or(0);
    let mut values: Vec<f64> = axes.iter().map(|axis| axis.values[0]).collect();
    let mut holds = Vec::with_capacity(combinations);
    for combination in 0..combinations {
        let mut rest = combination;
        for (axis, size) in controllers.iter().zip(&sizes).rev() {
            values[*axis] = axes[*axis].values[rest % size];
            rest /= size;
        }
        match scope.graph.evaluate(node, &values, &mut HashMap::new()) {
            Some(value) if value.is_finite() => holds.push(value != 0.0),
            _ => {
                let message = format!("the condition of `{name}` has no value at some values of the axes");
                scope.error(&condition.span, message, "guard it with if(...)");
                return None;
            }
        }
    }
    Some(Condition { controllers, holds })
}
