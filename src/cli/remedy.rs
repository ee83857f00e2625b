//! What to do about failures that are not of the user's files.

use std::io::{Error, ErrorKind};

use crate::explore::RunError;

/// What to do when the system refuses to read or write.
pub fn of_system(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room, or write to another place"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "check the permissions, or take a place that may be used"
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::IsADirectory => {
            "something else has a name of that path: move it away, or take another place"
        }
        ErrorKind::NotFound => "check that the path is right and still there",
        ErrorKind::InvalidInput | ErrorKind::InvalidData => "check that this is the right file, whole and unchanged",
        _ => "check the path and the disk",
    }
}

/// What to do when a run could not go on.
pub fn of_run(error: &RunError) -> &'static str {
    match error {
        RunError::Output(error) => of_system(error),
        RunError::Record(_) => "start anew with --force; of a merge, run that shard again",
        RunError::Point { .. } => "run it without --fail-fast to have the other points",
        RunError::Threads { .. } => "ask for fewer with --threads",
    }
}
