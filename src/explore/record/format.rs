//! The bytes of a record: a header, then entries.
//!
//! ```text
//! header   magic (8) | version u32 | length u32 | JSON text | CRC-32 of all before
//! entry    mark u32 | kind u32 | number u64 | length u32 | payload | CRC-32 of all before, from the mark
//! ```
//!
//! All integers are little-endian. Readers take entries until the first one that is not whole: appending is the only
//! way a record grows, so nothing behind it was ever reported as saved.

use std::io::{self, Read};

/// First bytes of a record.
pub const MAGIC: [u8; 8] = *b"nerarch\n";
/// Version of this format; a record of another version is refused.
pub const VERSION: u32 = 1;
/// Longest header in bytes.
pub const MAX_HEADER: u32 = 64 << 20;
/// Longest payload of an entry in bytes.
pub const MAX_PAYLOAD: u32 = 1 << 30;
/// Bytes of an entry before its payload.
pub const ENTRY_HEAD: usize = 20;
const MARK: u32 = 0x4e52_4445;

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The evaluated points of one block; the number is the block's.
    Block,
    /// The state of a search, opaque here; the number is that of the blocks before it. The last one counts.
    State,
    /// What is kept of one block of which the rows are not; the number is the block's.
    Digest,
    /// The seconds that a search has taken, as the bits of the number. The last one counts.
    Clock,
}

impl Kind {
    fn code(self) -> u32 {
        match self {
            Self::Block => 1,
            Self::State => 2,
            Self::Clock => 3,
            Self::Digest => 4,
        }
    }

    fn of(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Block),
            2 => Some(Self::State),
            3 => Some(Self::Clock),
            4 => Some(Self::Digest),
            _ => None,
        }
    }
}

/// The bytes of a header.
pub fn header(text: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Reads a header; gives its text and its length in bytes.
///
/// # Errors
/// If this is no record, one of another version, or a damaged one.
pub fn read_header(input: &mut impl Read) -> io::Result<(String, u64)> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut bytes = vec![0; 16];
    input.read_exact(&mut bytes)?;
    if bytes[..8] != MAGIC {
        return Err(damaged("this is no record of nerarch-dse"));
    }
    let version = u32_at(&bytes, 8);
    if version != VERSION {
        return Err(damaged(&format!("the record has format {version}, this program reads format {VERSION}")));
    }
    let length = u32_at(&bytes, 12);
    if length > MAX_HEADER {
        return Err(damaged("the record's header is damaged"));
    }
    // Read as far as the file goes before trusting the length.
    if input.take(u64::from(length) + 4).read_to_end(&mut bytes)? != length as usize + 4 {
        return Err(damaged("the record's header is cut off"));
    }
    let end = bytes.len() - 4;
    if crc32fast::hash(&bytes[..end]) != u32_at(&bytes, end) {
        return Err(damaged("the record's header is damaged"));
    }
    let total = bytes.len() as u64;
    let text = String::from_utf8(bytes[16..end].to_vec()).map_err(|_| damaged("the record's header is no text"))?;
    Ok((text, total))
}

/// Appends the start of an entry to `to`; its payload follows, then [`finish_entry`].
pub fn start_entry(to: &mut Vec<u8>, kind: Kind, number: u64) -> usize {
    let start = to.len();
    to.extend(MARK.to_le_bytes());
    to.extend(kind.code().to_le_bytes());
    to.extend(number.to_le_bytes());
    to.extend(0_u32.to_le_bytes());
    start
}

/// Fills in the length of the entry that began at `start` and appends its checksum.
///
/// # Errors
/// If the payload is longer than [`MAX_PAYLOAD`].
pub fn finish_entry(to: &mut Vec<u8>, start: usize) -> io::Result<()> {
    let length = u32::try_from(to.len() - start - ENTRY_HEAD).ok().filter(|length| *length <= MAX_PAYLOAD);
    let length = length.ok_or_else(|| io::Error::other("an entry of the record is larger than 1 GiB"))?;
    to[start + 16..start + ENTRY_HEAD].copy_from_slice(&length.to_le_bytes());
    let sum = crc32fast::hash(&to[start..]);
    to.extend(sum.to_le_bytes());
    Ok(())
}

/// An entry as it was read.
#[derive(Debug)]
pub struct Entry {
    /// What it holds.
    pub kind: Kind,
    /// See [`Kind`].
    pub number: u64,
    /// Its content.
    pub payload: Vec<u8>,
}

impl Entry {
    /// Bytes that it takes in the file.
    pub fn bytes(&self) -> u64 {
        (ENTRY_HEAD + self.payload.len() + 4) as u64
    }
}

/// Reads the next entry; `None` if what is left is nothing, or no whole entry.
///
/// # Errors
/// If the file cannot be read.
pub fn read_entry(input: &mut impl Read) -> io::Result<Option<Entry>> {
    let mut bytes = Vec::with_capacity(ENTRY_HEAD);
    if input.take(ENTRY_HEAD as u64).read_to_end(&mut bytes)? != ENTRY_HEAD {
        return Ok(None);
    }
    let length = u32_at(&bytes, 16);
    let Some(kind) = Kind::of(u32_at(&bytes, 4)) else { return Ok(None) };
    if u32_at(&bytes, 0) != MARK || length > MAX_PAYLOAD {
        return Ok(None);
    }
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[8..16]);
    let head = crc32fast::hash(&bytes);
    // Read as far as the file goes before trusting the length.
    let mut payload = Vec::new();
    if input.take(u64::from(length) + 4).read_to_end(&mut payload)? != length as usize + 4 {
        return Ok(None);
    }
    let sum = u32_at(&payload, length as usize);
    payload.truncate(length as usize);
    let mut hasher = crc32fast::Hasher::new_with_initial_len(head, ENTRY_HEAD as u64);
    hasher.update(&payload);
    Ok((hasher.finalize() == sum).then_some(Entry { kind, number: u64::from_le_bytes(number), payload }))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(value)
}
