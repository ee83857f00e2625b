//! Mutations of text that leave words whole.

/// What breaks programs that were not written for it.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-300",
    "1e300",
    "1e999",
    "9007199254740993",
    "18446744073709551616",
    "4294967296",
    "nan",
    "inf",
    "true",
    "\"\"",
    "[]",
    "{}",
    "\"0\"",
    "\"1 / 0\"",
    "\"units\"",
    "\"tile.binned\"",
    "\"scene.width\"",
    "\"max(1, 2)\"",
    "\"sum(i, 0, 255, i)\"",
    "\"if(units > 2, 1, 0)\"",
    "\"sqrt(-1)\"",
    "\"2 ^ 1024\"",
    "\"log2(0)\"",
    "{ choice = [\"a\", \"b\"] }",
    "{ from = 1, to = 1000000, step = 1 }",
    "{ min = 1, max = 0 }",
    "\"../x.toml\"",
    "\u{e9}",
    "\u{1f600}",
    "\u{0}",
    "-",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ",",
    ":",
    "\n",
    "[[",
    "]]",
];

/// Marsaglia's xorshift: enough to choose mutations, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Replaces the input in `data` and returns its new size.
pub fn words(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = data[..size].to_vec();
    for _ in 0..=random.below(3) {
        mutate(&mut text, &mut random);
    }
    text.truncate(max_size);
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let tokens = tokens(text);
    let lines: Vec<(usize, usize)> = spans(text);
    if tokens.is_empty() || lines.is_empty() {
        text.extend(WORDS[random.below(WORDS.len())].bytes());
        return;
    }
    let (start, end) = tokens[random.below(tokens.len())];
    let (from, to) = tokens[random.below(tokens.len())];
    let (line, line_end) = lines[random.below(lines.len())];
    let (other, _) = lines[random.below(lines.len())];
    match random.below(6) {
        0 | 1 => drop(text.splice(start..end, WORDS[random.below(WORDS.len())].bytes())),
        2 => {
            let word = text[from..to].to_vec();
            drop(text.splice(start..end, word));
        }
        3 => drop(text.drain(line..line_end)),
        4 => {
            let copy = text[line..line_end].to_vec();
            drop(text.splice(other..other, copy));
        }
        _ => drop(text.splice(start..start, WORDS[random.below(WORDS.len())].bytes())),
    }
}

/// Lines with their ends.
fn spans(text: &[u8]) -> Vec<(usize, usize)> {
    let mut start = 0;
    let pieces = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        start += line.len();
        (start - line.len(), start)
    });
    pieces.collect()
}

/// Runs of letters, digits, points and underscores, and every other byte that is no space.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|byte| is_word(**byte)).count().max(1);
        if !text[at].is_ascii_whitespace() {
            found.push((at, at + length));
        }
        at += length;
    }
    found
}
