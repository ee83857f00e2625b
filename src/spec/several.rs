//! Several sweeps in one file: what each `[[sweep]]` says stands in the place of what the file says for all.

use super::diagnostic::{Collector, Diagnostic};
use super::tree::{Node, Table, Value};

/// The table of each sweep of a file, with the name that all have in common if there are several.
pub fn expand(root: &Table, diagnostics: &Collector) -> (Vec<Table>, Option<String>) {
    let Some(node) = root.get("sweep") else { return (vec![root.clone()], None) };
    let error = |span, message: &str, help: &str| diagnostics.error(Diagnostic::new(span, message).help(help));
    let common = Table {
        entries: root.entries.iter().filter(|(key, _, _)| key != "sweep").cloned().collect(),
        span: root.span.clone(),
    };
    let Value::Array(items) = &node.value else {
        error(&node.span, "`sweep` must be a list of tables", "write `[[sweep]]`");
        return (vec![common], None);
    };
    let family = match common.get("name").map(|node| &node.value) {
        Some(Value::Text(name)) => name.clone(),
        // The common name is missed when the first sweep is read.
        _ => return (vec![common], None),
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut tables = Vec::new();
    for item in items {
        let Value::Table(table) = &item.value else {
            error(&item.span, "a sweep must be a table", "write `[[sweep]]` with a `name` and what differs");
            continue;
        };
        let Some((_, _, Node { value: Value::Text(name), span })) =
            table.entries.iter().find(|(key, _, _)| key == "name")
        else {
            error(&item.span, "a [[sweep]] needs a `name`", "add `name = \"...\"`: its run goes by it");
            continue;
        };
        if seen.contains(&name.as_str()) {
            error(span, &format!("there are two sweeps `{name}`"), "rename one");
        }
        seen.push(name);
        let mut merged = merged(&common, table);
        let full = Node { value: Value::Text(format!("{family}-{name}")), span: span.clone() };
        if let Some((_, _, node)) = merged.entries.iter_mut().find(|(key, _, _)| key == "name") {
            *node = full;
        }
        tables.push(merged);
    }
    (tables, Some(family))
}

/// `over` laid on `under`, table by table; other values are replaced.
fn merged(under: &Table, over: &Table) -> Table {
    let mut table = under.clone();
    for (key, span, node) in &over.entries {
        match table.entries.iter_mut().find(|(known, _, _)| known == key) {
            Some((_, place, old)) => match (&mut old.value, &node.value) {
                (Value::Table(under), Value::Table(over)) => *under = merged(under, over),
                _ => {
                    *place = span.clone();
                    *old = node.clone();
                }
            },
            None => table.entries.push((key.clone(), span.clone(), node.clone())),
        }
    }
    table
}
