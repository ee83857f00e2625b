//! Every stated limit: a file at the limit is read, one beyond it is refused with the limit in the message, and neither
//! takes the stack or the memory of the machine. docs/declarations.md has the table.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use common::program;

/// Checks the sound files with a text in one of them replaced; gives status and messages.
fn check(file: &str, old: &str, new: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("folder");
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input");
    for entry in fs::read_dir(&sound).expect("folder") {
        let entry = entry.expect("entry");
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copy");
    }
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains(old), "{file} does not contain {old:?}");
    fs::write(&path, text.replacen(old, new, 1)).expect("write");
    let output = program(folder.path(), &["check", "sweep.toml"]);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn is_read(file: &str, old: &str, new: &str) {
    let (status, text) = check(file, old, new);
    assert_eq!(status, Some(0), "{text}");
}

fn is_refused(file: &str, old: &str, new: &str, with: &str) {
    let (status, text) = check(file, old, new);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains(with) && text.contains("help: "), "`{with}` is not in {text}");
    assert!(text.len() < 100_000, "{} bytes of messages", text.len());
}

/// `write(i)` for each number, joined.
fn many(count: usize, separator: &str, write: impl Fn(usize) -> String) -> String {
    (0..count).map(write).collect::<Vec<_>>().join(separator)
}

#[test]
fn keys_of_a_table() {
    // Each parameter rests on the one before: as deep as a table is long.
    let chain = |count: usize| {
        let mut text = String::from("[parameters]\np0 = \"units\"\n");
        for at in 1..count {
            writeln!(text, "p{at} = \"p{} + 1\"", at - 1).expect("text");
        }
        text
    };
    // Three of its own.
    is_read("hardware.toml", "[parameters]\n", &chain(1021));
    is_refused("hardware.toml", "[parameters]\n", &chain(1022), "this table has 1025 keys, more than 1024");
}

#[test]
fn items_of_an_array() {
    let units = |count: usize| {
        let unit = |at| {
            format!(
                "[[unit]]\nname = \"u{at}\"\nexecutes = [\"QuickSort\"]\ninstances = 1\nrate = {{ item = \"key\", per_cycle = 1 }}\n"
            )
        };
        many(count, "", unit) + "[[sram]]"
    };
    is_read("hardware.toml", "[[sram]]", &units(510));
    is_refused("hardware.toml", "[[sram]]", &units(511), "this array has 513 items, more than 512");
}

#[test]
fn values_of_an_axis() {
    let values = |count: usize| many(count, ", ", |at| format!("{}e-6", at));
    let old = "{ from = 1, to = 3, step = 1 }";
    is_read("sweep.toml", old, &format!("[{}]", values(1_000_000)));
    is_refused("sweep.toml", old, &format!("[{}]", values(1_000_001)), "1000001 items, more than 1000000");
    is_read("sweep.toml", old, "{ from = 0, to = 9, num = 1_000_000 }");
    is_refused("sweep.toml", old, "{ from = 0, to = 9, num = 1_000_001 }", "more than 1000000 values");
    is_refused("sweep.toml", old, &format!("[{}]", many(300_000, ", ", |at| (at % 9).to_string())), "stands twice");
}

#[test]
fn axes_of_a_sweep() {
    // Three of its own. Two of a single value keep the space below 2^63 points.
    let axes =
        |count: usize| many(count, "\n", |at| format!("a{at} = [1{}]", if at > 1 { ", 2" } else { "" })) + "\nunits = ";
    let declared = |count: usize| many(count, "\n", |at| format!("a{at} = 1")) + "\nunits = ";
    for count in [61, 62, 200] {
        let folder = tempfile::tempdir().expect("folder");
        let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input");
        for entry in fs::read_dir(&sound).expect("folder") {
            let entry = entry.expect("entry");
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copy");
        }
        for (file, text) in [("sweep.toml", axes(count)), ("hardware.toml", declared(count))] {
            let path = folder.path().join(file);
            let old = fs::read_to_string(&path).expect("text");
            fs::write(&path, old.replacen("units = ", &text, 1)).expect("write");
        }
        let output = program(folder.path(), &["check", "sweep.toml"]);
        let text = String::from_utf8_lossy(&output.stderr);
        if count + 3 <= 64 {
            assert_eq!(output.status.code(), Some(0), "{text}");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("this sweep has {} axes, more than 64", count + 3)), "{text}");
    }
}

#[test]
fn expressions() {
    let old = "\"units * 2\"";
    let nested = |depth: usize| format!("\"{}units{} * 2\"", "(".repeat(depth), ")".repeat(depth));
    is_read("sweep.toml", old, &nested(63));
    is_refused("sweep.toml", old, &nested(64), "nests deeper than 64");
    // The longest chain of operators: its tree is as deep as it is long.
    let long = |length: usize| format!("\"{:1$}\"", format!("units * 2{}", " + 0".repeat(2045)), length);
    is_read("sweep.toml", old, &long(8192));
    is_refused("sweep.toml", old, &long(8193), "8193 bytes, more than 8192");
    is_read("sweep.toml", old, "\"units * 2 + 0 * sum(i, 0, 255, sum(j, 0, 253, 1))\"");
    is_refused("sweep.toml", old, "\"sum(i, 0, 256, units)\"", "more than 256 terms");
    let nested = "\"sum(a, 0, 255, sum(b, 0, 255, sum(c, 0, 255, sum(d, 0, 255, a * b * c * d))))\"";
    is_refused("sweep.toml", old, nested, "more than 65536 terms");
    // Where adding 1 changes nothing.
    is_read("sweep.toml", old, "\"units * 2 + 0 * sum(i, 1e300, 1e300 + 1, i)\"");
}

#[test]
fn nesting_of_toml() {
    for deep in [
        format!("x = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000)),
        format!("x = {}1{}\n", "{a = ".repeat(100_000), "}".repeat(100_000)),
        format!("{} = 1\n", vec!["a"; 100_000].join(".")),
    ] {
        is_refused("sweep.toml", "name ", &(deep + "name "), "recur");
    }
}

#[test]
fn searches() {
    let nsga = |population: &str| format!("\"nsga2\"\nbudget = {{ evaluations = 9 }}\npopulation = {population}");
    is_read("sweep.toml", "\"grid\"", &nsga("65536"));
    is_refused("sweep.toml", "\"grid\"", &nsga("9000000000000000000"), "more than 65536");
    is_refused("sweep.toml", "\"grid\"", "\"random\"\nsamples = 100_000_001", "at most 100000000");
}

#[test]
fn names_of_runs() {
    let name = |length: usize| format!("\"{}\"", "b".repeat(length));
    is_read("sweep.toml", "\"bad\"", &name(100));
    is_refused("sweep.toml", "\"bad\"", &name(101), "cannot name a folder");
}

/// What a file names stays in its folders, and is a file.
#[cfg(unix)]
#[test]
fn paths_in_files() {
    for path in ["../../../../etc/passwd", "/etc/passwd", "a/../../../x.toml"] {
        let leaves = "leaves the folders that this file may name";
        is_refused("sweep.toml", "\"hardware.toml\"", &format!("{path:?}"), leaves);
        is_refused("sweep.toml", "\"scene.toml\"", &format!("{path:?}"), leaves);
        is_refused("scene.toml", "\"tiles.csv\"", &format!("{path:?}"), "leaves the folder of this file");
    }
    is_read("sweep.toml", "\"hardware.toml\"", "\"./hardware.toml\"");
    let folder = tempfile::tempdir().expect("folder");
    let pipe = folder.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let output = program(folder.path(), &["check", "pipe.toml"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is a device or a pipe"));
}
