//! Command lines as text: words that a shell takes as they are, and the same words again.

/// A word that a shell takes as it is.
pub fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The words of a line that [`quoted`] made; `None` if it was not made so.
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_quoted_comes_back() {
        for word in ["a", "", "a b", "it's", "'", "\\", "x'\"y\" 'z", "\n\t", "$HOME `ls` *", "né"] {
            let line = format!("run {} --out {}", quoted(word), quoted("o u't"));
            let words = split(&line).expect("a line of words");
            assert_eq!(words, ["run", word, "--out", "o u't"], "{line}");
        }
        assert_eq!(quoted("sweeps/my-1.toml"), "sweeps/my-1.toml");
        assert_eq!((split("a 'b"), split("a \\")), (None, None));
    }
}
