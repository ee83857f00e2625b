//! Shapes of tensors, from the ways in which tracers write them.

use std::fmt;

use crate::trace::value::Value;

/// Dimensions of one tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape(pub Vec<u64>);

impl Shape {
    /// Number of elements.
    pub fn size(&self) -> f64 {
        self.0.iter().map(|dimension| *dimension as f64).product()
    }

    /// The last dimension; 1 for a tensor of one dimension, which holds one value per row.
    pub fn last(&self) -> f64 {
        match self.0.as_slice() {
            [_, .., last] => *last as f64,
            _ => 1.0,
        }
    }

    /// The product of all dimensions but the last; of one dimension: its length.
    pub fn rows(&self) -> f64 {
        match self.0.as_slice() {
            [rows @ .., _] if !rows.is_empty() => rows.iter().map(|dimension| *dimension as f64).product(),
            _ => self.size(),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions: Vec<_> = self.0.iter().map(u64::to_string).collect();
        write!(formatter, "({})", dimensions.join(", "))
    }
}

/// Shapes of all inputs or all outputs of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shapes {
    pub(super) tensors: Vec<Shape>,
    /// Whether the tracer could record them all.
    pub(super) complete: bool,
}

impl Shapes {
    /// From an attribute: `"(4096, 64),(4096,)"`, a list of dimensions, or a list of such lists.
    pub(super) fn of(value: Option<&Value>) -> Self {
        match value {
            Some(Value::Text(text)) => Self::of_text(text),
            Some(Value::Tuple(items) | Value::List(items)) => Self::of_items(items),
            Some(Value::None) => Self { tensors: Vec::new(), complete: true },
            _ => Self::default(),
        }
    }

    /// All elements.
    pub(super) fn size(&self) -> f64 {
        self.tensors.iter().map(Shape::size).sum()
    }

    fn of_items(items: &[Value]) -> Self {
        if let Some(shape) = dimensions(items).filter(|_| !items.is_empty()) {
            return Self { tensors: vec![shape], complete: true };
        }
        let mut shapes = Self { tensors: Vec::new(), complete: true };
        for item in items {
            let nested = Self::of(Some(item));
            shapes.complete &= nested.complete;
            shapes.tensors.extend(nested.tensors);
        }
        shapes
    }

    pub(super) fn of_text(text: &str) -> Self {
        let mut shapes = Self { tensors: Vec::new(), complete: true };
        let mut rest = text;
        while let Some(open) = rest.find('(') {
            let (before, inside) = rest.split_at(open);
            shapes.complete &= is_nothing(before);
            let Some(close) = inside.find(')') else {
                shapes.complete = false;
                return shapes;
            };
            let numbers =
                inside.get(1..close).unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty());
            match numbers.map(str::parse).collect() {
                Ok(numbers) => shapes.tensors.push(Shape(numbers)),
                Err(_) => shapes.complete = false,
            }
            rest = inside.get(close + 1..).unwrap_or_default();
        }
        shapes.complete &= is_nothing(rest);
        shapes
    }
}

fn dimensions(items: &[Value]) -> Option<Shape> {
    let dimension = |item: &Value| match item {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    items.iter().map(dimension).collect::<Option<Vec<_>>>().map(Shape)
}

/// Commas, brackets of a list around shapes, and the tracers' words for "no tensor".
fn is_nothing(text: &str) -> bool {
    let mut words = text.split([',', '[', ']', ' ']).filter(|word| !word.is_empty());
    words.all(|word| matches!(word, "None" | "no_tensors"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_text_and_from_lists() {
        let text = Shapes::of_text("(4096,),(4096, 64, 3)");
        let list = Shapes::of(Some(&Value::List(vec![
            Value::Tuple(vec![Value::Int(4096)]),
            Value::List([4096, 64, 3].map(Value::Int).into()),
        ])));
        assert_eq!(text, list);
        assert_eq!(text.tensors.iter().map(Shape::to_string).collect::<Vec<_>>(), ["(4096)", "(4096, 64, 3)"]);
    }

    #[test]
    fn an_unknown_shape_is_told_apart_from_none() {
        assert!(Shapes::of_text("no_tensors").complete);
        assert!(!Shapes::of_text("?").complete);
        assert!(!Shapes::of(None).complete);
        assert!(!Shapes::of_text("(4096, 6").complete);
    }

    #[test]
    fn a_tensor_of_one_dimension_holds_one_value_per_row() {
        let shape = Shape(vec![115_175]);
        assert_eq!((shape.rows(), shape.last(), shape.size()), (115_175.0, 1.0, 115_175.0));
    }
}
