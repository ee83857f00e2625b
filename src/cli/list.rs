//! `nerarch-dse list`

use std::process::ExitCode;

use super::Failure;
use crate::spec::catalog::{Category, stock, stock_names};
use crate::spec::{Collector, kind, tree};

/// Prints the stock files with their one-line descriptions.
pub fn run() -> Result<ExitCode, Failure> {
    for category in Category::ALL {
        outln!("{} ({}/)", category.word(), category.folder());
        for name in stock_names(category) {
            let Some(source) = stock(category, &name) else { continue };
            if category == Category::Kinds {
                for kind in kind::read(&source, &Collector::default()) {
                    let counts: Vec<&str> = kind.counts.iter().map(|(count, _, _)| count.as_str()).collect();
                    outln!("  {:<28} {}; counts {}", kind.name, kind.category, counts.join(", "));
                }
            } else {
                let table = tree::parse(&source, &Collector::default());
                let doc = table.get("doc").or(table.get("name")).map_or("", |node| match &node.value {
                    tree::Value::Text(text) => text.as_str(),
                    _ => "",
                });
                outln!("  {name:<28} {doc}");
            }
        }
        outln!();
    }
    outln!("A file of the same name in your own folder wins over a stock one.");
    Ok(ExitCode::SUCCESS)
}
