//! Parts of a search for several machines.

use std::fmt;
use std::str::FromStr;

/// Most shards of a run.
pub const MAX_SHARDS: u64 = 100_000;

/// One part of several. Blocks are dealt out in turn, so that slow regions of a space fall on all shards alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    number: u64,
    /// Of how many.
    of: u64,
}

impl Shard {
    /// The whole search as one part.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Part `number` (from 1) of `of`; `None` if there is no such part.
    ///
    /// ```
    /// use nerarch_dse::explore::Shard;
    /// let shard = Shard::new(2, 3).expect("a part");
    /// assert_eq!(shard.blocks(8).collect::<Vec<_>>(), [1, 4, 7]);
    /// assert_eq!((Shard::new(0, 3), Shard::new(4, 3)), (None, None));
    /// ```
    pub fn new(number: u64, of: u64) -> Option<Self> {
        ((1..=of).contains(&number) && of <= MAX_SHARDS).then_some(Self { number, of })
    }

    /// Which one, from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// Of how many.
    pub fn of(self) -> u64 {
        self.of
    }

    /// True if it is everything.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Its blocks of the first `blocks`, in order.
    pub fn blocks(self, blocks: u64) -> impl Iterator<Item = u64> {
        (self.number - 1..blocks).step_by(self.of as usize)
    }
}

/// As it is typed: `3/16`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        parts.and_then(|(number, of)| Self::new(number, of)).ok_or_else(|| {
            format!("write the part and the number of parts, `3/16`: from 1, at most {MAX_SHARDS} parts")
        })
    }
}
