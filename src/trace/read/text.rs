//! What the text formats share: UTF-8, values from words.

use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::value::Value;

/// The file as text.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, TraceError> {
    std::str::from_utf8(bytes).map_err(|error| {
        TraceError::new(Problem::Malformed("the file is not UTF-8 text".into())).at(Place::Byte(error.valid_up_to()))
    })
}

/// A bare word as a value: Python's and JSON's constants, numbers, else text.
pub(super) fn word_value(word: &str) -> Value {
    match word {
        "None" | "null" => return Value::None,
        "True" | "true" => return Value::Bool(true),
        "False" | "false" => return Value::Bool(false),
        _ => {}
    }
    let numeric = word.bytes().any(|byte| byte.is_ascii_digit()) && !word.bytes().any(|byte| byte == b'_');
    if numeric {
        if let Ok(number) = word.parse::<i128>() {
            return Value::Int(number);
        }
        if let Ok(number) = word.parse::<f64>() {
            return Value::Float(number);
        }
    }
    Value::text(word)
}
