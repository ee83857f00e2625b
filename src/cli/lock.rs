//! One process at a time for each run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

use super::Failure;

/// A refusal: what this program writes to or replaces has to be its own.
pub fn linked(path: &Path) -> Failure {
    let help = "remove the link; to keep runs in another place, name it with --out, or link the folder that holds them";
    Failure::input(format!("`{}` is a symbolic link, not what this program made", path.display()), help)
}

/// Held while a process works on a run. The operating system lets go of it when the process ends, however it ends, so
/// that none is left behind; the file itself stays, since deleting it would let two processes in.
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of run `name` under `out`.
    ///
    /// # Errors
    /// If another process has it.
    pub fn acquire(out: &Path, name: &str) -> Result<Self, Failure> {
        let path = out.join(format!(".{name}.lock"));
        let fail = |source| Failure::Write { path: path.clone(), source };
        fs::create_dir_all(out).map_err(|source| Failure::Write { path: out.to_path_buf(), source })?;
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Err(linked(&path));
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // It only makes the message better.
                let _ = (&file).take(200).read_to_string(&mut owner);
                return Err(Failure::Busy { run: out.join(name), owner: owner.trim().to_owned() });
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                note!("warning: `{}` cannot be locked here: take care that only one process runs it", out.display());
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        // Who has it; no more than a help, so a full disk does not matter.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| {
            let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let host = host.trim();
            let on = if host.is_empty() { String::new() } else { format!(" on {host}") };
            write!(file, "process {}{on}", std::process::id())
        });
        Ok(Self { _file: file })
    }
}
