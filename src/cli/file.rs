//! Files that a command writes where the user says.

use std::fs;
use std::io;
use std::path::Path;

use super::Failure;
use crate::input;

/// Writes `text` to `path`, complete or not at all; without one, to the standard output.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = path else {
        out!("{text}");
        return Ok(());
    };
    save(path, text.as_bytes())
}

/// Writes a file, complete or not at all, and the folders above it. What is no file, such as `/dev/stdout`, is written to
/// and stays what it is. A file that was read stays as well.
///
/// # Errors
/// If it cannot be written, or was read and would become another.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if input::was_read(path) {
        if fs::read(path).is_ok_and(|found| found == bytes) {
            return Ok(());
        }
        let message = format!("`{}` is what this was made from, and is not overwritten", path.display());
        return Err(Failure::input(message, "write to another file"));
    }
    let fail = |source| Failure::Write { path: path.to_path_buf(), source };
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return fs::write(path, bytes).map_err(fail);
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push("~");
    let written = || -> io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        fs::write(&partial, bytes)?;
        fs::rename(&partial, path)
    };
    written().map_err(|source| {
        // Whatever is left of a file that could not be completed is of no use.
        let _ = fs::remove_file(&partial);
        fail(source)
    })
}
