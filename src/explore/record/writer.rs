//! Appending to a record.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::digest;
use super::format::{self, Kind};
use super::layout::Layout;
use crate::explore::digest::Digest;
use crate::explore::runner::Block;

/// Time between two syncs while entries arrive.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Appends entries to a record. A thread of its own syncs them to the disk, so that evaluation does not wait.
pub struct RecordWriter {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    written: u64,
    synced_at: Instant,
    syncer: Syncer,
}

impl RecordWriter {
    /// Starts a record: the file appears under its name only with a whole header that is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path, header: &str) -> io::Result<Self> {
        let partial = path.with_extension("partial");
        let mut file = File::create(&partial)?;
        file.write_all(&format::header(header))?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        sync_folder(path)?;
        Self::append(path, file.metadata()?.len())
    }

    /// Goes on with a record of which the first `whole` bytes are good.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(path: &Path, whole: u64) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(whole)?;
        let syncer = Syncer::start(file.try_clone()?);
        Ok(Self { path: path.to_path_buf(), file, buffer: Vec::new(), written: 0, synced_at: Instant::now(), syncer })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a block.
    ///
    /// # Errors
    /// If it cannot be written, or something before it could not be synced.
    pub fn block(&mut self, number: u64, block: &Block, layout: &Layout) -> io::Result<()> {
        let start = format::start_entry(&mut self.buffer, Kind::Block, number);
        layout.pack(block, &mut self.buffer);
        self.finish(start, block.indices.len() as u64)
    }

    /// Appends what is kept of a block.
    ///
    /// # Errors
    /// If it cannot be written, or something before it could not be synced.
    pub fn digest(&mut self, number: u64, digest: &Digest) -> io::Result<()> {
        let start = format::start_entry(&mut self.buffer, Kind::Digest, number);
        digest::pack(digest, &mut self.buffer);
        self.finish(start, digest.counts.points)
    }

    /// Appends the seconds that a search has taken.
    ///
    /// # Errors
    /// If it cannot be written, or something before it could not be synced.
    pub fn clock(&mut self, seconds: f64) -> io::Result<()> {
        let start = format::start_entry(&mut self.buffer, Kind::Clock, seconds.to_bits());
        self.finish(start, 0)
    }

    /// Appends the state of a search after its first `blocks` blocks. It is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written or synced.
    pub fn state(&mut self, blocks: u64, state: &[u8]) -> io::Result<()> {
        let start = format::start_entry(&mut self.buffer, Kind::State, blocks);
        self.buffer.extend(state);
        self.finish(start, 0)?;
        self.sync()
    }

    fn finish(&mut self, start: usize, points: u64) -> io::Result<()> {
        format::finish_entry(&mut self.buffer, start)?;
        let result = self.file.write_all(&self.buffer);
        self.buffer.clear();
        result?;
        self.written += points;
        if self.synced_at.elapsed() >= SYNC_EVERY {
            self.synced_at = Instant::now();
            self.syncer.request(self.written);
        }
        self.syncer.failure()
    }

    /// Points of this session that are on the disk for certain.
    pub fn synced(&self) -> u64 {
        self.syncer.synced.load(SeqCst)
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// If that fails or has failed before.
    pub fn sync(&mut self) -> io::Result<()> {
        self.syncer.failure()?;
        sync_file(&self.file)?;
        self.syncer.synced.fetch_max(self.written, SeqCst);
        Ok(())
    }
}

/// Syncs a file, and notices that it was deleted: writing to such a file succeeds and keeps nothing.
fn sync_file(file: &File) -> io::Result<()> {
    file.sync_data()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if file.metadata()?.nlink() == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the run's folder was deleted while it ran"));
        }
    }
    Ok(())
}

/// Syncs the folder that holds `path`, so that a rename in it is on the disk.
///
/// # Errors
/// If that fails.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The thread that syncs.
struct Syncer {
    requests: Option<SyncSender<u64>>,
    synced: Arc<AtomicU64>,
    failed: Arc<Mutex<Option<io::Error>>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    fn start(file: File) -> Self {
        let (requests, receiver) = sync_channel::<u64>(1);
        let synced = Arc::new(AtomicU64::new(0));
        let failed = Arc::new(Mutex::new(None));
        let (done, fault) = (Arc::clone(&synced), Arc::clone(&failed));
        let thread = std::thread::spawn(move || {
            for points in receiver {
                match sync_file(&file) {
                    Ok(()) => drop(done.fetch_max(points, SeqCst)),
                    Err(error) => *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
                }
            }
        });
        Self { requests: Some(requests), synced, failed, thread: Some(thread) }
    }

    fn request(&self, points: u64) {
        // A full channel means that a sync is running: the next one covers these points too.
        if let Some(requests) = &self.requests
            && let Err(TrySendError::Disconnected(_)) = requests.try_send(points)
        {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(io::Error::other("the thread that syncs the record has ended"));
        }
    }

    fn failure(&self) -> io::Result<()> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // It ends by itself; a panic in it was reported when it happened.
            let _ = thread.join();
        }
    }
}
