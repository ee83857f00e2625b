//! The schema's words in our terms: `vocabulary.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The tables of `vocabulary.toml`.
#[derive(Debug, Deserialize)]
pub struct Vocabulary {
    module: Vec<ModuleType>,
    controller: Vec<ControllerType>,
    operator: Vec<OperatorWord>,
    engine: Vec<Engine>,
}

/// What a module type executes and how its throughput is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleType {
    r#type: String,
    implementation: Option<String>,
    /// Kinds or categories of operators.
    pub executes: Vec<String>,
    /// The count that the throughput is in.
    pub item: String,
    /// Operations of the file that one item may take at most.
    pub most_ops: f64,
    /// Passes of a module without any word on training.
    #[serde(default = "forward")]
    pub passes: Vec<String>,
}

fn forward() -> Vec<String> {
    vec!["forward".into()]
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControllerType {
    r#type: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorWord {
    word: String,
    executes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    name: String,
    types: Vec<String>,
}

impl Vocabulary {
    /// The embedded tables.
    pub fn stock() -> &'static Self {
        static STOCK: LazyLock<Vocabulary> = LazyLock::new(|| {
            // No input reaches this: the text is part of the program, and a test reads it.
            toml::from_str(include_str!("vocabulary.toml")).expect("the embedded vocabulary is valid")
        });
        &STOCK
    }

    /// The entry of a module.
    pub fn module(&self, kind: &str, implementation: &str) -> Option<&ModuleType> {
        self.module.iter().find(|entry| {
            entry.r#type == kind && entry.implementation.as_deref().is_none_or(|known| known == implementation)
        })
    }

    /// Whether modules of this type are memory interfaces.
    pub fn is_controller(&self, kind: &str) -> bool {
        self.controller.iter().any(|entry| entry.r#type == kind)
    }

    /// Every module type.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        let controllers = self.controller.iter().map(|entry| entry.r#type.as_str());
        self.module.iter().map(|entry| entry.r#type.as_str()).chain(controllers)
    }

    /// What an operator word stands for.
    pub fn operator(&self, word: &str) -> Option<&[String]> {
        self.operator.iter().find(|entry| entry.word == word).map(|entry| entry.executes.as_slice())
    }

    /// Every operator word.
    pub fn operators(&self) -> impl Iterator<Item = &str> {
        self.operator.iter().map(|entry| entry.word.as_str())
    }

    /// The module types that an engine is made of.
    pub fn engine(&self, name: &str) -> Option<&[String]> {
        self.engine.iter().find(|entry| entry.name == name).map(|entry| entry.types.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::kind::{self, CATEGORIES, Pass};

    #[test]
    fn every_word_is_a_kind_that_counts_the_item_in_one_of_the_passes() {
        let (_, kinds) = kind::stock();
        for entry in &Vocabulary::stock().module {
            for word in entry.executes.iter().filter(|word| !CATEGORIES.contains(&word.as_str())) {
                let kind = kinds.iter().find(|kind| kind.name == *word).unwrap_or_else(|| panic!("no kind `{word}`"));
                let mut counts = [Pass::Forward, Pass::Backward].into_iter().flat_map(|pass| kind.counts_of(pass));
                assert!(counts.any(|(name, _, _)| *name == entry.item), "`{word}` does not count `{}`", entry.item);
            }
            assert!(entry.most_ops >= 1.0);
        }
        for word in Vocabulary::stock().operator.iter().flat_map(|entry| &entry.executes) {
            assert!(kinds.iter().any(|kind| kind.name == *word), "no kind `{word}`");
        }
    }

    #[test]
    fn an_entry_for_an_implementation_goes_before_the_general_one() {
        let vocabulary = Vocabulary::stock();
        let executes = |implementation| vocabulary.module("SORTING", implementation).map(|entry| &entry.executes[0]);
        assert_eq!(executes("quick_sort").map(String::as_str), Some("QuickSort"));
        assert_eq!(executes("anything").map(String::as_str), Some("Sorting"));
        assert!(vocabulary.module("GRADIENT_ROUTING", "grad_router").is_none());
    }
}
