//! Hardware in the field's JSON schema, read as the tree of a hardware file.
//!
//! `json` parses the text into the spanned tree that TOML files become too; `read` turns that into the tree of a
//! [`hardware`](super::hardware) file, `module` and `memory` its units and memories, with a remark on every figure that
//! is suspicious; `vocabulary` says what the schema's module types are in our terms; `write` prints a tree as TOML.
//! There is no second meaning of hardware: what a JSON file says is checked by the reader of hardware files, and every
//! value keeps its place in the JSON.

mod build;
mod json;
mod memory;
mod module;
mod read;
mod remarks;
mod vocabulary;
mod write;

pub use read::{is_json, read};
pub use write::to_toml;
