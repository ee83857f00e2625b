//! `check --plan`: counts that are those of a run, at once for any number of points.

mod common;

use std::fs;
use std::path::Path;

use common::program;

fn stock(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps").join(name)).expect("sweep")
}

fn check(folder: &Path, sweep: &str) -> String {
    let output = program(folder, &["check", sweep, "--plan", "--threads", "2"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_a_constraint_excludes_is_what_a_run_excludes() {
    let folder = tempfile::tempdir().expect("folder");
    // tile 8 with sub-tiles: 1 of 3 tiles, 2 of 3 kinds of sub-tiles, of 576 points.
    let text = check(folder.path(), "gscore_tiles");
    assert!(text.contains("measured: 128 of 576 points (depends on tile, subtiles)"), "{text}");
    assert!(text.contains("448 of 576 points pass these together"), "{text}");
    let run = program(folder.path(), &["sweep", "gscore_tiles"]);
    assert!(String::from_utf8_lossy(&run.stdout).contains("`measured` excludes 128 points"));
    assert!(
        text.contains("first      point 0: tile 8, overlap circle") && text.contains("last       point 575: tile 32"),
        "{text}"
    );
}

#[test]
fn constraints_that_share_axes_are_counted_together() {
    let folder = tempfile::tempdir().expect("folder");
    let sweep = stock("gscore.toml")
        + "\n[constraints]\na = { value = \"ccu + qsu\", max = 16 }\nb = { value = \"ccu - vr_cores\", max = -64 }\nc = { value = \"buffers\", max = 8 }\n";
    fs::write(folder.path().join("some.toml"), sweep.replace("\"gscore\"\ndoc", "\"some\"\ndoc")).expect("write");
    // By hand. ccu, qsu of 4 8 16 32; vr_cores of 32 64 128; buffers of 4 8 16.
    // a: ccu + qsu <= 16 at (4,4) (4,8) (8,4) (8,8): 4 of 16. b: vr_cores >= ccu + 64 at vr_cores 128: 4 of 12. c: 2 of 3.
    // Together: (ccu, qsu, vr_cores) 4 of 48; with c 8 of 144.
    let text = check(folder.path(), "some.toml");
    for part in [
        "constraint a <= 16 (ccu + qsu)\n",
        "a: 108 of 144",
        "b: 96 of 144",
        "c: 48 of 144",
        "8 of 144 points pass these together",
    ] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
}

#[test]
fn a_billion_points_are_planned_from_a_few_thousand_combinations() {
    let folder = tempfile::tempdir().expect("folder");
    let sweep = stock("gscore_large.toml")
        .replace("\"gscore_large\"", "\"huge\"")
        .replace("to = 16, step = 1 }", "to = 120, step = 1 }")
        .replace("from = 16, to = 256, step = 16", "from = 4, to = 1020, step = 4")
        .replace("step = 100 }", "step = 25 }")
        .replace("fps = { min = 10 }", "fps = { min = 10 }\nratio = { value = \"vr_cores / ccu\", min = 8 }")
        .replace("to = 32, step = 4", "to = 64, step = 4");
    fs::write(folder.path().join("huge.toml"), sweep).expect("write");
    let text = check(folder.path(), "huge.toml");
    // vr_cores = 4 k with k of 1..=255 passes if k >= 2 ccu: 256 - 2 ccu values for each ccu of 1..=120, in all
    // 120 * 256 - 120 * 121 = 16,200 of 30,600.
    assert!(text.contains("ratio: 545587200 of 1159372800 points"), "{text}");
    // The work: those 30,600 combinations, and the 37 clocks that the operating points bound; each for its constraint alone
    // and again for all together.
    let (_, plan) = common::compile(&folder.path().join("huge.toml").display().to_string());
    assert_eq!(nerarch_dse::ppa::screen(&plan).combinations, 61_274);
}
