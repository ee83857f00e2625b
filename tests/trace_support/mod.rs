//! What the trace tests share.

use std::path::{Path, PathBuf};

/// The reference's folder of traces, or `None` with a message where it is not there (an error under CI).
pub fn traces() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reference");
    let root = std::env::var_os("NERARCH_REFERENCE").map_or_else(beside, PathBuf::from);
    let folder = root.join("traces");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "no reference folder at {}", root.display());
    eprintln!("SKIPPED: no reference folder at {}; set NERARCH_REFERENCE", root.display());
    None
}

/// Files of a folder whose name is wanted, sorted.
pub fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&wanted));
    paths.sort();
    paths
}
