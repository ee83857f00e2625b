//! Mutates trace files for a while and feeds them to the readers and the transform: nothing may panic or take a second.
//!
//! `cargo run --release --example fuzz_traces -- SECONDS SEED FILE...` prints how many inputs were tried, how many were
//! read, and the slowest one. It keeps no corpus: inputs depend on the seed and the files only.

use std::time::{Duration, Instant};

use nerarch_dse::trace::{CallTables, Format, TransformOptions, read, transform};

/// Marsaglia's xorshift: enough to choose mutations, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Bytes that mean something to one of the readers.
const TOKENS: [&[u8]; 24] = [
    b"(",
    b")",
    b"]",
    b"}",
    b".",
    b"0",
    b"2",
    b"R",
    b"b",
    b"s",
    b"u",
    b"e",
    b"\x81",
    b"\x86",
    b"\x94",
    b"h\x01",
    b"K\xff",
    b"\x8a\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"{\"id\":",
    b"->",
    b"<data key=\"d0\">",
    b"&#x110000;",
];

fn mutate(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + random.below(40)).min(bytes.len()))),
            4 => drop(bytes.splice(at..at, TOKENS[random.below(TOKENS.len())].iter().copied())),
            5 => {
                let end = (at + random.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let times = random.below(20);
                drop(bytes.splice(at..at, piece.repeat(times)));
            }
            6 => {
                let from = random.below(other.len() + 1);
                let piece = other[from..(from + random.below(200)).min(other.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
            _ => {}
        }
    }
    bytes
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut random = Random(arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1_u64).max(1));
    let seeds: Vec<(Format, Vec<u8>)> = arguments
        .filter_map(|path| {
            let bytes = std::fs::read(&path).ok()?;
            Some((Format::detect(path.as_ref(), &bytes)?, bytes))
        })
        .collect();
    assert!(!seeds.is_empty(), "give the files to mutate");
    let tables = CallTables::stock().expect("the stock tables are right");
    let (start, mut tried, mut read_well, mut transformed) = (Instant::now(), 0_u64, 0_u64, 0_u64);
    let mut slowest = Duration::ZERO;
    while start.elapsed() < Duration::from_secs(seconds) {
        let (format, seed) = &seeds[random.below(seeds.len())];
        let (_, other) = &seeds[random.below(seeds.len())];
        let input = mutate(seed, other, &mut random);
        let began = Instant::now();
        if let Ok(graph) = read::from_bytes(&input, *format) {
            read_well += 1;
            transformed += u64::from(transform(&graph, &tables, &TransformOptions::default()).is_ok());
        }
        let took = began.elapsed();
        if took > slowest {
            slowest = took;
        }
        assert!(took < Duration::from_secs(1), "an input of {} bytes took {took:?}", input.len());
        tried += 1;
    }
    println!(
        "{tried} inputs, {read_well} read, {transformed} transformed, none panicked; the slowest took {slowest:?}"
    );
}
