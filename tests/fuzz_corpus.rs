//! Replays what fuzzing found, and a few inputs that go far: `tests/fuzz_corpus/TARGET/`.

mod fuzzing;

use std::fs;
use std::path::Path;

#[test]
fn every_kept_input_is_read_or_refused_without_a_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz_corpus");
    let (mut replayed, mut bytes) = (0, 0);
    for (name, target) in fuzzing::TARGETS {
        target(b"");
        let folder = fs::read_dir(root.join(name)).unwrap_or_else(|_| panic!("no corpus of {name}"));
        for entry in folder {
            let path = entry.expect("entry").path();
            let input = fs::read(&path).expect("input");
            println!("{}", path.display());
            target(&input);
            (replayed, bytes) = (replayed + 1, bytes + input.len());
        }
    }
    println!("{replayed} inputs, {bytes} bytes");
    assert!(replayed >= fuzzing::TARGETS.len());
    assert!(bytes < 200_000, "{bytes} bytes are too many to keep here");
}
