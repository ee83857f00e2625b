//! The folder of a run: `NAME~unfinished` while it is worked on, `NAME` when everything is in it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Failure;
use super::lock::{RunLock, linked};
use crate::explore::record::writer::sync_folder;
use crate::report::manifest::Manifest;
use crate::spec::sweep::Strategy;

/// The record, within the folder.
pub const RECORD: &str = "record.bin";
/// The identity of a run, within the folder. It is the last file to be written: where it is, all are.
pub const INPUTS: &str = "inputs.json";

/// A run's folder, locked for this process.
pub struct RunFolder {
    out: PathBuf,
    name: String,
    _lock: RunLock,
}

impl RunFolder {
    /// Locks run `name` under `out`, and completes what a process that died while it published had left to do.
    ///
    /// # Errors
    /// If another process works on it, or the folder cannot be written.
    pub fn lock(out: &Path, name: &str) -> Result<Self, Failure> {
        let lock = RunLock::acquire(out, name)?;
        let folder = Self { out: out.to_path_buf(), name: name.to_owned(), _lock: lock };
        for path in [folder.target(), folder.work(), folder.record()] {
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
                return Err(linked(&path));
            }
        }
        if folder.work().join(INPUTS).exists() {
            folder.drop_useless_record()?;
            folder.publish()?;
        } else if folder.replaced().exists() {
            let (old, target) = (folder.replaced(), folder.target());
            let result = if target.exists() { remove(&old) } else { fs::rename(&old, &target) };
            result.map_err(|source| Failure::Write { path: old, source })?;
        }
        Ok(folder)
    }

    /// Deletes the record of a complete whole run in which no point failed, or whose failed points cannot be evaluated again
    /// because it is a search. That of a shard, which has no manifest, stays.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn drop_useless_record(&self) -> Result<(), Failure> {
        let manifest = fs::read_to_string(self.work().join("manifest.json")).ok();
        let manifest = manifest.and_then(|text| serde_json::from_str::<Manifest>(&text).ok());
        let path = self.record();
        let is_useless = |manifest: Manifest| {
            let chooses =
                |(name, strategy): &(&str, Strategy)| *name == manifest.strategy && strategy.chooses_as_it_goes();
            manifest.failed == 0 || Strategy::NAMES.iter().any(chooses)
        };
        if manifest.is_some_and(is_useless) && path.exists() {
            fs::remove_file(&path).map_err(|source| Failure::Write { path, source })?;
        }
        Ok(())
    }

    /// Where the finished run is.
    pub fn target(&self) -> PathBuf {
        self.out.join(&self.name)
    }

    /// Where the unfinished run is.
    pub fn work(&self) -> PathBuf {
        self.out.join(format!("{}~unfinished", self.name))
    }

    /// Where an older run is for the moment in which a new one takes its place.
    fn replaced(&self) -> PathBuf {
        self.out.join(format!(".{}.replaced", self.name))
    }

    /// The record of the unfinished run.
    pub fn record(&self) -> PathBuf {
        self.work().join(RECORD)
    }

    /// Makes the folder of the unfinished run.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn begin(&self) -> Result<(), Failure> {
        let path = self.work();
        fs::create_dir_all(&path).map_err(|source| Failure::Write { path, source })
    }

    /// Deletes the unfinished run.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn discard(&self) -> Result<(), Failure> {
        remove(&self.work()).map_err(|source| Failure::Write { path: self.work(), source })
    }

    /// Takes the record of the finished run as that of the unfinished one. Returns false if it was not kept.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn reopen(&self) -> Result<bool, Failure> {
        let kept = self.target().join(RECORD);
        if !kept.exists() {
            return Ok(false);
        }
        self.begin()?;
        let partial = self.record().with_extension("partial");
        let copied = fs::copy(&kept, &partial)
            .and_then(|_| File::open(&partial)?.sync_all())
            .and_then(|()| fs::rename(&partial, self.record()));
        copied.map_err(|source| Failure::Write { path: self.record(), source })?;
        Ok(true)
    }

    /// Opens a file to be written bit by bit; [`Self::finish`] gives it its name.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn create(&self, name: &str) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::with_capacity(1 << 20, File::create(self.partial(name))?))
    }

    /// Puts a written file on the disk and gives it its name.
    ///
    /// # Errors
    /// If that fails.
    pub fn finish(&self, name: &str) -> io::Result<()> {
        let partial = self.partial(name);
        File::open(&partial)?.sync_all()?;
        let path = self.work().join(name);
        fs::rename(&partial, &path)?;
        // Before the record that it was made from may go.
        sync_folder(&path)
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let path = self.work().join(name);
        let write = || {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            self.create(name)?.into_inner().map_err(io::IntoInnerError::into_error)?.write_all(contents)?;
            self.finish(name)
        };
        write().map_err(|source| Failure::Write { path: path.clone(), source })
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.work().join(format!("{name}.partial"))
    }

    /// Deletes files that were not finished, which frees their space. The record stays.
    pub fn drop_partial_files(&self, names: &[&str]) {
        for name in names {
            // They are overwritten by the next attempt anyway.
            let _ = fs::remove_file(self.partial(name));
        }
    }

    /// Gives the folder its final name, replacing an older run.
    ///
    /// # Errors
    /// If that fails. It is then completed by the next [`Self::lock`].
    pub fn publish(&self) -> Result<PathBuf, Failure> {
        let (work, target, old) = (self.work(), self.target(), self.replaced());
        let publish = || {
            sync_folder(&work.join(INPUTS))?;
            if target.exists() {
                remove(&old)?;
                fs::rename(&target, &old)?;
            }
            fs::rename(&work, &target)?;
            sync_folder(&target)?;
            remove(&old)
        };
        publish().map_err(|source| Failure::Write { path: target.clone(), source })?;
        Ok(target)
    }
}

/// Removes a file or folder; it may be gone already.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
