//! The models' tables, which lie in the binary as CSV with `#` comments.

use serde::de::DeserializeOwned;

/// The rows of a built-in table, in file order.
///
/// # Errors
/// What is wrong with the table, which only a change of the program can cause.
pub(super) fn rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, csv::Error>>().map_err(|error| error.to_string())
}
