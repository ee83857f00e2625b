//! Text and numbers as pickles spell them.

use std::sync::Arc;

use crate::trace::error::{Problem, TraceError};
use crate::trace::read::limits::MAX_INTEGER_BYTES;

fn malformed(message: String) -> TraceError {
    TraceError::new(Problem::Malformed(message))
}

/// UTF-8 text; what Python would let pass as lone surrogates is refused.
pub(super) fn utf8(bytes: &[u8]) -> Result<Arc<str>, TraceError> {
    std::str::from_utf8(bytes).map(Arc::from).map_err(|_| malformed("a text is not UTF-8".into()))
}

/// Protocol 0's text: Latin-1 with `\uXXXX` and `\UXXXXXXXX`.
pub(super) fn raw_unicode_escape(bytes: &[u8]) -> Result<Arc<str>, TraceError> {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let digits = match rest {
            [b'\\', b'u', ..] => 4,
            [b'\\', b'U', ..] => 8,
            _ => {
                text.push(char::from(*first));
                rest = tail;
                continue;
            }
        };
        let code = rest.get(2..2 + digits).and_then(|digits| std::str::from_utf8(digits).ok());
        let character = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        text.push(character.ok_or_else(|| malformed("a text has a broken \\u escape".into()))?);
        rest = rest.get(2 + digits..).unwrap_or_default();
    }
    Ok(Arc::from(text))
}

/// Python 2's quoted string: `'...'` with backslash escapes.
pub(super) fn quoted(line: &[u8]) -> Result<Arc<str>, TraceError> {
    let inner = match line {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        _ => return Err(malformed("a string stands without its quotes".into())),
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut input = inner.iter().copied();
    while let Some(byte) = input.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match input.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(quote @ (b'\\' | b'\'' | b'"')) => quote,
            Some(b'x') => {
                let digits = [input.next().unwrap_or_default(), input.next().unwrap_or_default()];
                let digits = std::str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
                digits.ok_or_else(|| malformed("a string has a broken \\x escape".into()))?
            }
            _ => return Err(malformed("a string has an escape that is not known".into())),
        });
    }
    utf8(&bytes)
}

/// Protocol 0's decimal integer, with or without the `L` of Python 2's long.
pub(super) fn decimal(line: &[u8]) -> Result<i128, TraceError> {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    let digits = text.strip_suffix('L').unwrap_or(text);
    digits.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => too_long(),
        _ => malformed("an integer is not written in digits".into()),
    })
}

/// A little-endian two's-complement integer of any length up to the limit.
pub(super) fn binary_integer(bytes: &[u8]) -> Result<i128, TraceError> {
    if bytes.len() > MAX_INTEGER_BYTES {
        return Err(too_long());
    }
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut digits = [if negative { 0xff } else { 0 }; MAX_INTEGER_BYTES];
    for (digit, byte) in digits.iter_mut().zip(bytes) {
        *digit = *byte;
    }
    Ok(i128::from_le_bytes(digits))
}

fn too_long() -> TraceError {
    TraceError::new(Problem::Limit {
        what: "the length of an integer in bytes".into(),
        limit: MAX_INTEGER_BYTES as u64,
    })
}

/// Protocol 0's decimal float.
pub(super) fn float(line: &[u8]) -> Result<f64, TraceError> {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.parse().map_err(|_| malformed("a float is not written in digits".into()))
}
