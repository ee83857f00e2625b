//! Bytes from outside: of regular files only, and no more than a limit. Below every layer.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that were read, so that no result takes the place of what it was made from.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It is a folder.
    #[error("it is a folder, not a file")]
    Folder,
    /// It is a device, a pipe or a socket: it may have no end, or no beginning.
    #[error("it is a device or a pipe, not a file")]
    Device,
    /// It has more bytes than were to be read.
    #[error("it is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// The system does not let it be read.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::System(error) => error,
            other => Self::new(io::ErrorKind::InvalidInput, other.to_string()),
        }
    }
}

/// Checks that `path` is a regular file, without opening it: opening a pipe waits for whoever writes to it.
///
/// # Errors
/// What it is instead, or why that cannot be known.
pub fn regular(path: &Path) -> Result<(), InputError> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(InputError::Folder);
    }
    if kind.is_file() { Ok(()) } else { Err(InputError::Device) }
}

/// The bytes of a regular file.
///
/// # Errors
/// If it is none, has more than `most` bytes, or cannot be read.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    regular(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if let (Ok(path), Ok(mut read)) = (path.canonicalize(), READ.lock()) {
        read.insert(path);
    }
    if bytes.len() as u64 > most { Err(InputError::TooLarge(most)) } else { Ok(bytes) }
}

/// Whether [`bytes`] read this file, by whatever path.
pub fn was_read(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| READ.lock().is_ok_and(|read| read.contains(&path)))
}

/// The same as text; what is not UTF-8 is an error of that kind.
///
/// # Errors
/// As of [`bytes`].
pub fn text(path: &Path, most: u64) -> Result<String, InputError> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| InputError::System(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))
}
