//! Words and marks of a DOT file.

use crate::trace::error::{Problem, TraceError};

/// A word, a quoted text, an arrow (directed or not), a mark, or the end.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    Quoted(String),
    Arrow(bool),
    Mark(char),
    End,
}

impl Token {
    /// The text of a word or a quoted text.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Word(text) | Self::Quoted(text) => Some(text),
            _ => None,
        }
    }
}

/// Cuts the text into tokens, with one token of look-ahead.
#[derive(Debug)]
pub(super) struct Words<'a> {
    text: &'a str,
    offset: usize,
    start: usize,
    next: Option<Token>,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, start: 0, next: None }
    }

    /// Where the last token begins.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn peek(&mut self) -> Result<Token, TraceError> {
        let token = match self.next.take() {
            Some(token) => token,
            None => self.scan()?,
        };
        self.next = Some(token.clone());
        Ok(token)
    }

    pub(super) fn next(&mut self) -> Result<Token, TraceError> {
        match self.next.take() {
            Some(token) => Ok(token),
            None => self.scan(),
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) -> Result<(), TraceError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
            self.offset += rest.len() - trimmed.len();
            let line_comment = trimmed.starts_with("//") || trimmed.starts_with('#');
            if line_comment {
                self.offset += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                let end = trimmed.find("*/").ok_or_else(|| TraceError::new(Problem::Truncated("a comment".into())))?;
                self.offset += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn scan(&mut self) -> Result<Token, TraceError> {
        self.skip_blanks()?;
        self.start = self.offset;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        match first {
            '"' => self.quoted().map(Token::Quoted),
            '<' => self.html().map(Token::Quoted),
            '-' if rest.starts_with("->") || rest.starts_with("--") => {
                self.offset += 2;
                Ok(Token::Arrow(rest.starts_with("->")))
            }
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' | '+' => {
                self.offset += 1;
                Ok(Token::Mark(first))
            }
            _ => {
                let ends = |letter: char| letter.is_whitespace() || "{}[];,=:\"<>+".contains(letter);
                let (word, _) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
                let word = word.split("--").next().unwrap_or(word);
                let word = word
                    .strip_suffix('-')
                    .filter(|_| rest.get(word.len()..).is_some_and(|rest| rest.starts_with('>')))
                    .unwrap_or(word);
                if word.is_empty() {
                    return Err(TraceError::new(Problem::Malformed(format!("`{first}` has no meaning here"))));
                }
                self.offset += word.len();
                Ok(Token::Word(word.to_owned()))
            }
        }
    }

    /// A quoted text; `\"` is a quote, other escapes stay as they are, and `"a" + "b"` is one text.
    fn quoted(&mut self) -> Result<String, TraceError> {
        let mut text = String::new();
        loop {
            self.offset += 1;
            let mut letters = self.rest().char_indices();
            let end = loop {
                match letters.next() {
                    Some((index, '"')) => break index,
                    Some((_, '\\')) => match letters.next() {
                        Some((_, '"')) => text.push('"'),
                        Some((_, '\n')) => {}
                        Some((_, '\\')) => text.push('\\'),
                        Some((_, other)) => text.extend(['\\', other]),
                        None => return Err(TraceError::new(Problem::Truncated("a text in quotes".into()))),
                    },
                    Some((_, letter)) => text.push(letter),
                    None => return Err(TraceError::new(Problem::Truncated("a text in quotes".into()))),
                }
            };
            self.offset += end + 1;
            let before = self.offset;
            self.skip_blanks()?;
            if self.rest().starts_with('+') {
                self.offset += 1;
                self.skip_blanks()?;
                if self.rest().starts_with('"') {
                    continue;
                }
            }
            self.offset = before;
            return Ok(text);
        }
    }

    fn html(&mut self) -> Result<String, TraceError> {
        let mut depth = 0_usize;
        for (index, letter) in self.rest().char_indices() {
            match letter {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let text = self.rest().get(1..index).unwrap_or_default().to_owned();
                self.offset += index + 1;
                return Ok(text);
            }
        }
        Err(TraceError::new(Problem::Truncated("an HTML label".into())))
    }
}
