//! The tables of docs/memory-models.md, which the tests that measure them write.
//!
//! A block stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. A test renders its block and compares it with the
//! page; with `NERARCH_WRITE_DOCS` set it writes the block instead.

use std::path::Path;
use std::sync::Mutex;

/// Tests of one program run side by side and share the file.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares a block of the page with what a test has found, or writes it.
pub fn check(name: &str, found: &str) {
    let _alone = PAGE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/memory-models.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let start = page.find(&begin).unwrap_or_else(|| panic!("no block {name} in the page")) + begin.len();
    let stop = start + page[start..].find(&end).unwrap_or_else(|| panic!("block {name} has no end"));
    let found = format!("{}\n", found.trim_end());
    if page[start..stop] == found {
        return;
    }
    assert!(
        std::env::var_os("NERARCH_WRITE_DOCS").is_some(),
        "block {name} of docs/memory-models.md is\n{}and the test finds\n{found}NERARCH_WRITE_DOCS=1 cargo test --release \
         writes it",
        &page[start..stop]
    );
    std::fs::write(&path, format!("{}{found}{}", &page[..start], &page[stop..])).expect("the page");
}

/// A table: its header and rows of cells.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(header.to_vec()) + &line(vec!["---"; header.len()]);
    for row in rows {
        text += &line(row.iter().map(String::as_str).collect());
    }
    text
}
