//! Reading a record, whatever happened to its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::digest;
use super::format::{self, Entry, Kind};
use super::layout::Layout;
use crate::explore::digest::Digest;
use crate::explore::runner::Block;
use crate::input;
use crate::spec::sweep::Goal;

/// What was behind the last whole entry of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// Bytes of whole header and entries.
    pub whole: u64,
    /// Bytes behind them: an entry that was being written, or one that was damaged later.
    pub lost: u64,
}

/// An open record. Every entry was checked when it was opened.
#[derive(Debug)]
pub struct RecordReader {
    path: PathBuf,
    /// The header's text.
    header: String,
    file: Mutex<File>,
    /// Where the entry of each block starts.
    blocks: BTreeMap<u64, u64>,
    /// The last state: blocks before it, payload.
    state: Option<(u64, Vec<u8>)>,
    /// The last clock.
    seconds: f64,
    /// Points of the blocks.
    points: u64,
    damage: Damage,
}

impl RecordReader {
    /// Opens a record and checks all of it. What is behind the last whole entry is left alone; [`Self::damage`] tells
    /// how much that is.
    ///
    /// # Errors
    /// If the file cannot be read, or its header is not one of this program's.
    pub fn open(path: &Path) -> io::Result<Self> {
        input::regular(path)?;
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut input = BufReader::with_capacity(1 << 20, file);
        let (header, mut whole) = format::read_header(&mut input)?;
        let mut blocks = BTreeMap::new();
        let (mut state, mut seconds, mut points) = (None, 0.0, BTreeMap::new());
        while let Some(entry) = format::read_entry(&mut input)? {
            let bytes = entry.bytes();
            match entry.kind {
                Kind::Block => {
                    blocks.insert(entry.number, whole);
                    points.insert(entry.number, Layout::rows(&entry.payload));
                }
                Kind::Digest => {
                    blocks.insert(entry.number, whole);
                    points.insert(entry.number, digest::points(&entry.payload));
                }
                Kind::State => state = Some((entry.number, entry.payload)),
                Kind::Clock => seconds = f64::from_bits(entry.number),
            }
            whole += bytes;
        }
        let damage = Damage { whole, lost: length.saturating_sub(whole) };
        Ok(Self {
            path: path.to_path_buf(),
            header,
            file: Mutex::new(input.into_inner()),
            blocks,
            state,
            seconds,
            points: points.values().sum(),
            damage,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the header.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// How much of the file is whole.
    pub fn damage(&self) -> Damage {
        self.damage
    }

    /// The blocks that are recorded, by increasing number.
    pub fn blocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.keys().copied()
    }

    /// True if the block is recorded.
    pub fn has(&self, block: u64) -> bool {
        self.blocks.contains_key(&block)
    }

    /// Points of all recorded blocks.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// The seconds that a search had taken at last; 0 if that was not recorded.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The last state of a search: blocks before it, payload.
    pub fn state(&self) -> Option<(u64, &[u8])> {
        self.state.as_ref().map(|(blocks, payload)| (*blocks, payload.as_slice()))
    }

    /// Reads a recorded block; `None` if it is not there.
    ///
    /// # Errors
    /// If the file cannot be read, or has changed since it was opened.
    pub fn block(&self, number: u64, layout: &Layout) -> io::Result<Option<Block>> {
        self.part(number, Kind::Block, |payload| layout.unpack(payload))
    }

    /// Reads the digest of a block that is recorded as one; `None` if the block is not there.
    ///
    /// # Errors
    /// If the file cannot be read, or has changed since it was opened.
    pub fn digest(&self, number: u64, layout: &Layout, goals: &[Goal]) -> io::Result<Option<Digest>> {
        self.part(number, Kind::Digest, |payload| digest::unpack(payload, layout, goals))
    }

    fn part<T>(&self, number: u64, kind: Kind, unpack: impl Fn(&[u8]) -> Option<T>) -> io::Result<Option<T>> {
        let Some(start) = self.blocks.get(&number) else { return Ok(None) };
        let entry = self.entry(*start)?.filter(|entry| entry.kind == kind && entry.number == number);
        match entry.and_then(|entry| unpack(&entry.payload)) {
            Some(part) => Ok(Some(part)),
            None => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("block {number} in `{}` is not as it was written", self.path.display()),
            )),
        }
    }

    fn entry(&self, start: u64) -> io::Result<Option<Entry>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        let mut head = [0; format::ENTRY_HEAD];
        file.read_exact(&mut head)?;
        format::read_entry(&mut head.chain(&mut *file))
    }
}
