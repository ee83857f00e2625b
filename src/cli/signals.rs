//! Ctrl-C and termination.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::INTERRUPTED;

/// Becomes true at the first Ctrl-C or SIGTERM. The second one ends the process at once; what was saved stays.
///
/// # Errors
/// If the system refuses the handlers.
pub fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // A file that grows beyond the limit for files is then an error of writing, not the end of the process.
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first handler sees what the second one set for the signal before.
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
