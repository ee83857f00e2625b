//! What commands say: `out!` and `outln!` on the standard output, `note!` on the standard error.
//!
//! Whoever reads may be gone (`| head -1`) or may have a full disk. Neither may end a run in the middle, so that nothing here
//! panics: [`end`] tells at the end whether what was to be said was lost.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// Why something was not written, once it was.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to the standard output.
pub fn out(text: Arguments<'_>) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = io::stdout().lock().write_fmt(text).err();
    }
}

/// Writes a line to the standard error; there is nowhere to say that it failed.
pub fn note(text: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Flushes the standard output.
///
/// # Errors
/// If something was lost. A reader that had enough is none.
pub fn end() -> io::Result<()> {
    let flushed = io::stdout().lock().flush();
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
    match lost.map_or(flushed, Err) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Like `print!`.
macro_rules! out {
    ($($text:tt)*) => { $crate::cli::say::out(format_args!($($text)*)) };
}

/// Like `println!`.
macro_rules! outln {
    () => { $crate::cli::say::out(format_args!("\n")) };
    ($($text:tt)*) => {{
        $crate::cli::say::out(format_args!($($text)*));
        $crate::cli::say::out(format_args!("\n"));
    }};
}

/// Like `eprintln!`.
macro_rules! note {
    ($($text:tt)*) => { $crate::cli::say::note(format_args!($($text)*)) };
}
