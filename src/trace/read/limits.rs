//! What a trace may cost to read. A file beyond a limit is refused with an error that names the limit.
//!
//! The largest reference trace has 87 nodes and 21 KB; the limits leave four orders of magnitude above that.

/// Largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// How deep values may be nested, and how many marks a pickle may leave open.
pub const MAX_DEPTH: usize = 64;
/// Objects that a pickle's stack may hold at one time.
pub const MAX_STACK: usize = 1 << 15;
/// Objects that a pickle may create.
pub const MAX_OBJECTS: usize = 1 << 23;
/// Items that all containers of a pickle may hold together.
pub const MAX_REFERENCES: usize = 1 << 24;
/// Objects that a pickle may give a number to, to refer to them again.
pub const MAX_MEMO: usize = 1 << 22;
/// Longest text or byte string, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Longest integer, in bytes: 127 bits and a sign.
pub const MAX_INTEGER_BYTES: usize = 16;

/// Values that a file of `bytes` may unfold to: objects that a pickle shares count each time they appear, so that a short
/// file cannot unfold to an endless one.
pub const fn max_values(bytes: usize) -> usize {
    65_536 + 16 * bytes
}
