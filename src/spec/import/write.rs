//! A tree as TOML text.

use std::fmt::Write;

use crate::spec::Diagnostic;
use crate::spec::tree::{Node, Table, Value};

/// The text of a hardware file, with the remarks on its making as comments on top. Tables of the root are sections,
/// everything inside them stands on one line.
pub fn to_toml(root: &Table, remarks: &[Diagnostic]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let place = remark.span.as_ref().map_or(String::new(), |span| format!("{}: ", super::build::place(span)));
        comment(&mut text, &format!("{place}{}", remark.message));
        if let Some(help) = &remark.help {
            comment(&mut text, &format!("  {help}"));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let is_section = |node: &Node| match &node.value {
        Value::Table(_) => true,
        Value::Array(items) => matches!(items.first(), Some(Node { value: Value::Table(_), .. })),
        _ => false,
    };
    for (name, _, node) in root.entries.iter().filter(|(_, _, node)| !is_section(node)) {
        line(&mut text, name, &node.value);
    }
    for (name, _, node) in root.entries.iter().filter(|(_, _, node)| is_section(node)) {
        match &node.value {
            Value::Table(table) => section(&mut text, &format!("[{}]", key(name)), table),
            Value::Array(items) => {
                for item in items {
                    if let Value::Table(table) = &item.value {
                        section(&mut text, &format!("[[{}]]", key(name)), table);
                    }
                }
            }
            _ => {}
        }
    }
    text
}

fn section(text: &mut String, header: &str, table: &Table) {
    let _ = writeln!(text, "\n{header}");
    for (name, _, node) in &table.entries {
        line(text, name, &node.value);
    }
}

fn line(text: &mut String, name: &str, value: &Value) {
    let _ = writeln!(text, "{} = {}", key(name), inline(value));
}

/// A comment can hold no control character.
fn comment(text: &mut String, words: &str) {
    for words in words.lines() {
        let _ = writeln!(text, "# {}", words.replace(char::is_control, " "));
    }
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if bare { name.to_owned() } else { quoted(name) }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.clone(),
        Value::Text(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| inline(&item.value)).collect::<Vec<_>>().join(", "))
        }
        Value::Table(table) => {
            let entries =
                table.entries.iter().map(|(name, _, node)| format!("{} = {}", key(name), inline(&node.value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_comes_back_as_it_was() {
        let text = "a \"quoted\" \\ back\u{7f}slash\n\u{1}é";
        let parsed: toml::Table = toml::from_str(&format!("{} = {}", key(text), quoted(text))).expect("TOML");
        assert_eq!(parsed.get(text).and_then(|value| value.as_str()), Some(text));
    }
}
