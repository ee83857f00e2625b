//! What is there of a run before it starts: nothing, a part of it, all of it, or another run of the same name.

use std::path::Path;

use super::Failure;
use super::folder::{INPUTS, RunFolder};
use crate::explore::record::format::MAX_HEADER;
use crate::explore::record::{Identity, RecordReader};
use crate::input;

/// Changed values that a message names.
const NAMED_CHANGES: usize = 8;

/// What is there.
pub enum Previous {
    /// Nothing, or nothing that is of use.
    None,
    /// A part of this very run.
    Part(RecordReader),
    /// This very run, finished.
    Finished,
}

impl Previous {
    /// Looks what is there of a run.
    ///
    /// # Errors
    /// If a run of other inputs, or something else, has that name.
    pub fn of(folder: &RunFolder, identity: &Identity) -> Result<Self, Failure> {
        let record = folder.record();
        if record.exists() {
            let reader = open(&record)?;
            same(&folder.work(), &read_identity(&record, reader.header())?, identity, "an unfinished run")?;
            return Ok(Self::Part(reader));
        }
        let target = folder.target();
        if !target.exists() {
            return Ok(Self::None);
        }
        let path = target.join(INPUTS);
        let Ok(text) = input::text(&path, u64::from(MAX_HEADER)) else {
            return Err(Failure::input(
                format!("`{}` exists but holds no run of this program", target.display()),
                "choose another --out or name, or replace it with --force",
            ));
        };
        same(&target, &read_identity(&path, &text)?, identity, "a run")?;
        Ok(Self::Finished)
    }
}

/// Opens a record.
///
/// # Errors
/// If it cannot be read or is none.
pub fn open(path: &Path) -> Result<RecordReader, Failure> {
    RecordReader::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => Failure::input(
            format!("`{}` cannot be used: {error}", path.display()),
            "start anew with --force, or choose another --out",
        ),
        _ => Failure::Read { path: path.to_path_buf(), source: error },
    })
}

/// Reads the identity in a record's header or a finished run.
///
/// # Errors
/// If it is none.
pub fn read_identity(path: &Path, text: &str) -> Result<Identity, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::input(
            format!("`{}` does not say what it belongs to: {error}", path.display()),
            "it is of another version of this program, or damaged; start anew with --force",
        )
    })
}

/// Refuses what was made from other inputs, and names what changed.
///
/// # Errors
/// If anything did.
pub fn same(path: &Path, before: &Identity, now: &Identity, what: &str) -> Result<(), Failure> {
    let changes = now.changes(before);
    if changes.is_empty() {
        return Ok(());
    }
    Err(Failure::input(
        format!("`{}` holds {what} of other inputs; changed: {}", path.display(), listed(&changes)),
        "give the sweep another name to keep both, or replace the old run with --force",
    ))
}

/// The first changes, and how many more there are.
pub fn listed(changes: &[String]) -> String {
    let mut text = changes.iter().take(NAMED_CHANGES).cloned().collect::<Vec<_>>().join("; ");
    if changes.len() > NAMED_CHANGES {
        text += &format!("; and {} more", changes.len() - NAMED_CHANGES);
    }
    text
}
