//! The description as a pipeline file.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::description::{Workload, WorkloadOperator};

impl Workload {
    /// The text of a pipeline file that says the same, units that are bound in its `[mapping]`.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        // Writing to a text cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "name = {}", quoted(&self.name))?;
        for remark in &self.remarks {
            writeln!(text, "# {}", remark.replace(char::is_control, " "))?;
        }
        if self.operators.iter().any(|operator| operator.streamed) {
            writeln!(text, "\n[stream]\nover = \"batches\"\nbatches = {}", self.tiles)?;
        }
        for operator in &self.operators {
            write_operator(text, operator)?;
        }
        for edge in &self.edges {
            let (from, to) = (quoted(&edge.from), quoted(&edge.to));
            writeln!(text, "\n[[edge]]\nfrom = {from}\nto = {to}\nkind = \"{}\"", edge.kind.word())?;
        }
        for transfer in &self.traffic {
            writeln!(text, "\n[[traffic]]\nname = {}", quoted(&transfer.name))?;
            writeln!(text, "operator = {}\nmemory = {}", quoted(&transfer.operator), quoted(&transfer.memory))?;
            writeln!(text, "direction = \"{}\"\nbytes = {}", transfer.direction.word(), number(transfer.bytes))?;
        }
        let bound = || self.operators.iter().filter_map(|operator| Some((&operator.name, operator.unit.as_ref()?)));
        if bound().next().is_some() {
            writeln!(text, "\n[mapping]")?;
            for (operator, unit) in bound() {
                writeln!(text, "{} = {}", quoted(operator), quoted(unit))?;
            }
        }
        Ok(())
    }
}

fn write_operator(text: &mut String, operator: &WorkloadOperator) -> std::fmt::Result {
    writeln!(text, "\n[[operator]]\nname = {}\nkind = {}", quoted(&operator.name), quoted(&operator.kind))?;
    if !operator.function.is_empty() {
        writeln!(text, "doc = {}", quoted(&operator.function))?;
    }
    if operator.pass != "forward" {
        writeln!(text, "pass = {}", quoted(&operator.pass))?;
    }
    for (name, value) in &operator.parameters {
        writeln!(text, "{} = {}", quoted(name), number(*value))?;
    }
    if !operator.counts.is_empty() {
        writeln!(text, "counts = {{ {} }}", pairs(&operator.counts))?;
    }
    Ok(())
}

fn pairs(values: &BTreeMap<String, f64>) -> String {
    let pairs = values.iter().map(|(name, value)| format!("{} = {}", quoted(name), number(*value)));
    pairs.collect::<Vec<_>>().join(", ")
}

/// A number as TOML writes it.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 9e15;
    if whole { format!("{}", value as i64) } else { format!("{value:?}") }
}

/// A basic string with everything escaped that could end it or break its line.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", letter as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::{number, quoted};

    #[test]
    fn texts_cannot_end_their_string_and_numbers_stay_numbers() {
        for text in ["a\"b\\c", "two\nlines", "tab\t\u{7f}\u{9f}", "é", "{}[]#"] {
            let parsed: toml::Table = toml::from_str(&format!("key = {}", quoted(text))).expect("TOML");
            assert_eq!(parsed["key"].as_str(), Some(text));
        }
        for (value, text) in [(3.0, "3"), (0.5, "0.5"), (1e20, "1e20"), (-0.0, "0")] {
            assert_eq!(number(value), text);
        }
    }
}
