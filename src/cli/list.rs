//! `nerarch-dse list`

use std::process::ExitCode;

use super::Failure;
use crate::spec::catalog::{Category, stock, stock_names};
use crate::spec::kind::{self, KindDecl, Pass};
use crate::spec::{Collector, tree};

/// What `list` was told.
#[derive(Debug, clap::Args)]
pub struct ListArguments {
    /// Only this category: sweep, hardware, pipeline, scene, kinds, technique or commands.
    #[arg(value_name = "CATEGORY", value_parser = parse_category)]
    category: Option<Category>,
}

/// A category by the word that the command line has for it.
pub(super) fn parse_category(word: &str) -> Result<Category, String> {
    let found = Category::ALL.into_iter().find(|category| category.key() == word);
    found.ok_or_else(|| format!("categories are {}", Category::ALL.map(Category::key).join(", ")))
}

/// Prints the stock files with their one-line descriptions.
pub fn run(arguments: &ListArguments) -> Result<ExitCode, Failure> {
    for category in Category::ALL {
        if arguments.category.is_some_and(|wanted| wanted != category) {
            continue;
        }
        outln!("{} ({}/)", category.key(), category.folder());
        for name in stock_names(category) {
            let Some(source) = stock(category, &name) else { continue };
            if category == Category::Kinds {
                for kind in kind::read(&source, &Collector::default()) {
                    outln!(
                        "  {:<28} {}; parameters {}; {}",
                        kind.name,
                        kind.category,
                        parameters(&kind),
                        counts(&kind)
                    );
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
    outln!(
        "`nerarch-dse show CATEGORY NAME` prints one. A file of the same name in your own folder wins over a stock one."
    );
    Ok(ExitCode::SUCCESS)
}

/// The parameters of a kind: first what an operator must say, then the others.
fn parameters(kind: &KindDecl) -> String {
    let (needed, others): (Vec<_>, Vec<_>) = kind.parameters.iter().partition(|(_, _, default)| default.is_none());
    let needed = needed.iter().map(|(name, _, _)| format!("{name} (required)"));
    needed.chain(others.iter().map(|(name, _, _)| name.clone())).collect::<Vec<_>>().join(", ")
}

/// The counts of a kind, pass by pass.
fn counts(kind: &KindDecl) -> String {
    let passes = [(Pass::Forward, "counts"), (Pass::Backward, "backward")].into_iter();
    let texts = passes.filter_map(|(pass, word)| {
        let names: Vec<&str> = kind.counts_of(pass).iter().map(|(count, _, _)| count.as_str()).collect();
        (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
    });
    texts.collect::<Vec<_>>().join("; ")
}
