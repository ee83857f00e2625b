//! Why a value is not finite.

use super::graph::{Operation, why};
use super::run::Program;
use super::state::{Columns, Place, State};
use crate::spec::expr::Function;

/// The reason why the value at `place` is not a finite number, after a run: the first operation without a value, with
/// its expression and place in a file. `None` if the value is finite.
pub fn reason(program: &Program, state: &State, place: Place) -> Option<String> {
    let columns = program.columns(state);
    let (mut place, mut tile) = (place, bad_tile(&columns, place)?);
    loop {
        let Some(at) = program.instructions.iter().position(|instruction| instruction.to() == place) else {
            return Some(match place {
                Place::Field(_) => "a field that the expression needs was not measured for this combination".into(),
                _ => "the model gives no finite value here".into(),
            });
        };
        let candidates: &[Place] = match &program.operations[at] {
            Operation::Kernel(_) => &program.kernel_inputs,
            // Only the branch that was taken counts.
            Operation::Apply(Function::If, _) => {
                let condition = value(&columns, program.operands[at][0], tile);
                if condition.is_nan() {
                    &program.operands[at][..1]
                } else if condition != 0.0 {
                    &program.operands[at][1..2]
                } else {
                    &program.operands[at][2..]
                }
            }
            _ => program.arguments(at),
        };
        match candidates.iter().find_map(|operand| Some((*operand, bad_tile_near(&columns, *operand, tile)?))) {
            Some((operand, at_tile)) => (place, tile) = (operand, at_tile),
            None => return Some(describe(program, at, &columns, tile)),
        }
    }
}

/// The first tile whose value is not finite (0 for a scalar).
fn bad_tile(columns: &Columns<'_>, place: Place) -> Option<usize> {
    let values = columns.get(place);
    if values.is_empty() {
        return Some(0);
    }
    values.iter().position(|value| !value.is_finite())
}

/// As [`bad_tile`], the given tile first.
fn bad_tile_near(columns: &Columns<'_>, place: Place, tile: usize) -> Option<usize> {
    if value(columns, place, tile).is_finite() { bad_tile(columns, place) } else { Some(tile) }
}

fn value(columns: &Columns<'_>, place: Place, tile: usize) -> f64 {
    let values = columns.get(place);
    values.get(tile).or(values.first()).copied().unwrap_or(f64::NAN)
}

fn describe(program: &Program, at: usize, columns: &Columns<'_>, tile: usize) -> String {
    let arguments: Vec<f64> = program.arguments(at).iter().map(|place| value(columns, *place, tile)).collect();
    let what = why(&program.operations[at], &arguments);
    match &program.origins[at] {
        Some(origin) => format!("{what} in {} ({})", origin.what, origin.span),
        None => what,
    }
}
