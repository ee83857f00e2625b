//! Files that a command writes where the user says.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::Failure;

/// Writes `text` to `path`, complete or not at all; without one, to the standard output.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = path else {
        let failed = |source| Failure::Write { path: "standard output".into(), source };
        return std::io::stdout().lock().write_all(text.as_bytes()).map_err(failed);
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push("~");
    let result = fs::write(&partial, text).and_then(|()| fs::rename(&partial, path));
    result.map_err(|source| {
        // Whatever is left of a file that could not be completed is of no use.
        let _ = fs::remove_file(&partial);
        Failure::Write { path: path.to_path_buf(), source }
    })
}
