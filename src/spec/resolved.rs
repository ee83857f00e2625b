//! What a study's files say, apart from how they say it: to tell whether two runs have the same inputs, and what changed.
//!
//! Comments, layout, the order of keys, and how a number is written make no difference. The order of things that decide
//! the order of columns, points or ties (a sweep's parameters and constraints, lists) does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::source::Source;
use super::tree::{self, Node, Table, Value};
use super::{Collector, Study};

/// A file's values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedFile {
    /// What the file is to the study: `sweep`, `hardware`, `scene lego` ...
    pub role: String,
    /// The file as errors print it.
    pub file: String,
    /// Every value by its path, in one fixed spelling.
    pub values: BTreeMap<String, String>,
}

/// The values of every file of a study.
pub fn resolve(study: &Study) -> Vec<ResolvedFile> {
    let mut roles: Vec<String> = vec!["sweep".into(), "hardware".into(), "pipeline".into()];
    roles.extend(study.scenes.iter().map(|scene| format!("scene {}", scene.name)));
    study
        .sources
        .iter()
        .enumerate()
        .map(|(at, source)| {
            // Behind them stand operator kinds and tiles, which have no other role than their own.
            let base = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
            let role = roles.get(at).cloned().unwrap_or_else(|| format!("file {base}"));
            let values = if at == 0 { sweep_values(&study.sweep.table) } else { values(source) };
            ResolvedFile { values, role, file: source.name.clone() }
        })
        .collect()
}

/// What differs between two studies, one text for each value. Empty: nothing.
pub fn changes(before: &[ResolvedFile], now: &[ResolvedFile]) -> Vec<String> {
    let mut changes = Vec::new();
    for file in now {
        let Some(old) = before.iter().find(|old| old.role == file.role) else {
            changes.push(format!("{}: the {} is new", file.file, file.role));
            continue;
        };
        let name = &file.file;
        for (path, value) in &file.values {
            match old.values.get(path) {
                Some(was) if was == value => {}
                Some(was) => changes.push(format!("{name}: `{path}` was {}, is {}", short(was), short(value))),
                None => changes.push(format!("{name}: `{path}` = {} is new", short(value))),
            }
        }
        let gone = old.values.iter().filter(|(path, _)| !file.values.contains_key(*path));
        changes.extend(gone.map(|(path, was)| format!("{name}: `{path}` = {} is gone", short(was))));
    }
    let gone = before.iter().filter(|old| !now.iter().any(|file| file.role == old.role));
    changes.extend(gone.map(|old| format!("{}: the {} is gone", old.file, old.role)));
    changes
}

/// A value that fits on a line.
fn short(value: &str) -> String {
    if value.chars().count() <= 60 {
        return value.to_owned();
    }
    format!("{}...", value.chars().take(57).collect::<String>())
}

fn values(source: &std::sync::Arc<Source>) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    if !source.name.ends_with(".toml") {
        let hash = Sha256::digest(source.text.as_bytes());
        values.insert("sha256".into(), hash.iter().map(|byte| format!("{byte:02x}")).collect());
        return values;
    }
    // The study was read before, so this cannot fail any more.
    let root = tree::parse(source, &Collector::default());
    flatten(&root, "", &mut values);
    values
}

/// The values of a sweep; of a file with several, those of the one.
fn sweep_values(root: &Table) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    flatten(root, "", &mut values);
    for name in ["parameters", "constraints", "optimization"] {
        if let Some(Node { value: Value::Table(table), .. }) = root.get(name) {
            let order: Vec<&str> = table.entries.iter().map(|(key, _, _)| key.as_str()).collect();
            values.insert(format!("order of {name}"), order.join(", "));
        }
    }
    values
}

fn flatten(table: &Table, path: &str, values: &mut BTreeMap<String, String>) {
    for (key, _, node) in &table.entries {
        let plain = !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
        let key = if plain { key.clone() } else { format!("{key:?}") };
        let path = if path.is_empty() { key } else { format!("{path}.{key}") };
        match &node.value {
            Value::Table(inner) => flatten(inner, &path, values),
            Value::Array(items) if items.iter().any(|item| matches!(item.value, Value::Table(_))) => {
                flatten_items(items, &path, values);
            }
            other => drop(values.insert(path, text(other))),
        }
    }
}

/// Tables in a list go by their names where every one has its own, else by their positions.
fn flatten_items(items: &[Node], path: &str, values: &mut BTreeMap<String, String>) {
    let name = |item: &Node| match &item.value {
        Value::Table(table) => match table.get("name").map(|node| &node.value) {
            Some(Value::Text(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    let mut names: Vec<String> = items.iter().filter_map(name).collect();
    let order = names.join(", ");
    names.sort();
    names.dedup();
    let named = names.len() == items.len();
    if named {
        values.insert(format!("order of {path}"), order);
    }
    for (at, item) in items.iter().enumerate() {
        let label = name(item).filter(|_| named).unwrap_or_else(|| at.to_string());
        let path = format!("{path}[{label}]");
        match &item.value {
            Value::Table(table) => flatten(table, &path, values),
            other => drop(values.insert(path, text(other))),
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => number(text),
        Value::Text(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| self::text(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) => {
            let mut inner = BTreeMap::new();
            flatten(table, "", &mut inner);
            let items: Vec<String> = inner.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}

/// `1.50`, `1.5` and `15e-1` are one number. Decimal steps are exact, so digits beyond an f64 count.
fn number(text: &str) -> String {
    use rust_decimal::Decimal;
    let parsed = text.parse::<Decimal>().ok().or_else(|| Decimal::from_scientific(text).ok());
    match (parsed, text.parse::<f64>()) {
        (Some(decimal), Ok(float)) if decimal.is_zero() == (float == 0.0) => decimal.normalize().to_string(),
        (_, Ok(float)) => float.to_string(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::source::Origin;

    fn file(text: &str) -> Vec<ResolvedFile> {
        let source = std::sync::Arc::new(Source {
            name: "a.toml".into(),
            text: text.into(),
            origin: Origin::Stock("a.toml".into()),
        });
        vec![ResolvedFile {
            role: "sweep".into(),
            file: "a.toml".into(),
            values: sweep_values(&tree::parse(&source, &Collector::default())),
        }]
    }

    #[test]
    fn layout_comments_key_order_and_spelling_of_numbers_are_no_change() {
        let before = file("a = 1.50\nb = { c = [1, 2.0], d = 1_000 }\n[[unit]]\nname = \"x\"\narea = 1e-3\n");
        let now = file("# new\n[b]\nd = 1e3\nc = [1.0,\n 2]\n[[unit]]\narea = 0.001\nname = 'x'\n");
        assert_eq!(changes(&before, &now), ["a.toml: `a` = 1.5 is gone"]);
    }

    #[test]
    fn every_changed_value_is_named_with_what_it_was() {
        let before = file("[parameters]\nx = [1, 2]\ny = 3\n[[unit]]\nname = \"u\"\narea = 1\n");
        let now = file("[parameters]\ny = 3\nx = [1, 2, 4]\n[[unit]]\nname = \"u\"\narea = 2\nnew = true\n");
        let found = changes(&before, &now);
        assert_eq!(
            found,
            [
                "a.toml: `order of parameters` was x, y, is y, x",
                "a.toml: `parameters.x` was [1, 2], is [1, 2, 4]",
                "a.toml: `unit[u].area` was 1, is 2",
                "a.toml: `unit[u].new` = true is new",
            ]
        );
    }

    #[test]
    fn digits_beyond_a_double_are_a_change() {
        assert_ne!(number("18446744073709551615"), number("18446744073709551614"));
        assert_eq!(number("1e300"), number("1.0e300"));
    }
}
