//! Reads a pickle's bytes: opcodes and their arguments, each with its offset for messages.

use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::read::limits::MAX_TEXT_BYTES;

/// A place in the bytes of a pickle.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], TraceError> {
        let end = self.offset.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.offset..end)) {
            Some(taken) => {
                self.offset += count;
                Ok(taken)
            }
            None => Err(TraceError::new(Problem::Truncated(what.into())).at(Place::Byte(self.offset))),
        }
    }

    /// The next `N` bytes as an array.
    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], TraceError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self, what: &str) -> Result<u8, TraceError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    /// A length of `size` bytes, little endian, that the rest of the file can hold and the limit allows.
    pub(super) fn length(&mut self, size: usize, what: &str) -> Result<usize, TraceError> {
        let at = self.offset;
        let digits = self.take(size, what)?;
        let length = digits.iter().rev().fold(0_u64, |number, digit| (number << 8) | u64::from(*digit));
        let left = self.bytes.len() - self.offset;
        if length > left as u64 {
            let what = format!("{what} of {length} bytes, of which {left} are there");
            return Err(TraceError::new(Problem::Truncated(what)).at(Place::Byte(at)));
        }
        Ok(length as usize)
    }

    /// Text or bytes with their length before them.
    pub(super) fn sized(&mut self, size: usize, what: &str) -> Result<&'a [u8], TraceError> {
        let at = self.offset;
        let length = self.length(size, what)?;
        if length > MAX_TEXT_BYTES {
            let problem = Problem::Limit { what: format!("{what} of {length} bytes"), limit: MAX_TEXT_BYTES as u64 };
            return Err(TraceError::new(problem).at(Place::Byte(at)));
        }
        self.take(length, what)
    }

    /// The bytes up to the next line feed, which is read too.
    pub(super) fn line(&mut self, what: &str) -> Result<&'a [u8], TraceError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let window = rest.get(..MAX_TEXT_BYTES + 1).unwrap_or(rest);
        match window.iter().position(|byte| *byte == b'\n') {
            Some(length) => {
                self.offset += length + 1;
                Ok(window.get(..length).unwrap_or_default())
            }
            None if window.len() < rest.len() => {
                let problem = Problem::Limit { what: format!("the length of {what}"), limit: MAX_TEXT_BYTES as u64 };
                Err(TraceError::new(problem).at(Place::Byte(self.offset)))
            }
            None => Err(TraceError::new(Problem::Truncated(what.into())).at(Place::Byte(self.offset))),
        }
    }
}
