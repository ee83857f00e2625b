//! The record of a run: an append-only file of finished work, from which a run goes on and its results are made.
//!
//! [`format`](mod@format) fixes header and entries, each with its checksum; [`layout`] packs a [`Block`](super::Block) into
//! an entry; [`writer`] appends, and syncs in the background; [`reader`] finds what is whole in a file, whatever happened to
//! its end. An entry is a block of evaluated points, or a [`digest`](mod@digest) of one, or the state of a search after a generation.

pub mod digest;
pub mod format;
pub mod identity;
pub mod known;
pub mod layout;
pub mod reader;
pub mod writer;

pub use identity::Identity;
pub use known::Known;
pub use layout::Layout;
pub use reader::{Damage, RecordReader};
pub use writer::RecordWriter;
