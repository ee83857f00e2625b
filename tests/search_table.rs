//! Every strategy on every space where there is little to find, or nothing: one table.

mod common;

use std::fs;
use std::path::Path;

use common::program;

const STRATEGIES: [&str; 9] = ["grid", "random", "lhs", "sobol", "nsga2", "anneal", "pso", "nelder-mead", "exact"];

/// What a run says and writes.
struct Found {
    status: Option<i32>,
    text: String,
    /// Rows of pareto.csv: p, q, ties.
    front: Vec<(f64, f64, u64)>,
    rows: usize,
}

/// Runs a strategy on `p` and `q` with the objectives `f` and `g`; `[search]` and constraints as given.
fn run(folder: &Path, axes: &str, objectives: [&str; 2], search: &str, constraints: &str) -> Found {
    let [f, g] = objectives;
    let text = format!(
        "name = \"t\"\nhardware = \"gscore\"\npipeline = \"gscore\"\nscenes = [\"lego\"]\n[parameters]\n{axes}\n\
         overlap = {{ choice = [\"unstated\"] }}\nsubtiles = {{ choice = [\"none\"] }}\n{constraints}\n[search]\n{search}\n\
         objectives = [{{ name = \"f\", value = \"{f} + 0 * area_mm2\", goal = \"minimise\" }}, \
         {{ name = \"g\", value = \"{g} + 0 * area_mm2\", goal = \"minimise\" }}]\n[output]\nformats = [\"csv\"]\n"
    );
    fs::write(folder.join("t.toml"), &text).expect("write");
    let output = program(folder, &["sweep", "t.toml", "--force"]);
    let read = |name: &str| csv::Reader::from_path(folder.join("out/t").join(name)).expect("table");
    let mut reader = read("pareto.csv");
    let header = reader.headers().expect("header").clone();
    let at = |name: &str| header.iter().position(|column| column == name).expect("column");
    let cells = [at("p"), at("q"), at("ties")];
    let front = reader.records().map(|row| {
        let row = row.expect("row");
        let [p, q, ties] = cells.map(|cell| row[cell].parse::<f64>().expect("number"));
        (p, q, ties as u64)
    });
    Found {
        status: output.status.code(),
        front: front.collect(),
        rows: read("results.csv").records().count(),
        text: String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
    }
}

/// Enough for every point of a small space.
fn enough(strategy: &str) -> String {
    match strategy {
        "grid" | "exact" => format!("strategy = \"{strategy}\""),
        "random" | "lhs" | "sobol" => format!("strategy = \"{strategy}\"\nsamples = 1000"),
        "nsga2" => "strategy = \"nsga2\"\nbudget = { evaluations = 1000 }".into(),
        _ => format!("strategy = \"{strategy}\"\nbudget = {{ evaluations = 1000 }}\nstarts = 40"),
    }
}

const AXES: &str = "p = [1, 2, 3, 4, 5]\nq = [1, 2, 3, 4]";

#[test]
fn a_front_of_one_point_is_found() {
    let folder = tempfile::tempdir().expect("folder");
    for strategy in STRATEGIES {
        let objectives = ["(p - 3)^2 + (q - 2)^2", "abs(p - 3) + abs(q - 2)"];
        let found = run(folder.path(), AXES, objectives, &enough(strategy), "");
        assert_eq!((found.status, found.front), (Some(0), vec![(3.0, 2.0, 0)]), "{strategy}: {}", found.text);
    }
}

#[test]
fn of_ties_the_lowest_index_stays_and_the_others_are_counted() {
    let folder = tempfile::tempdir().expect("folder");
    for strategy in STRATEGIES {
        let found = run(folder.path(), AXES, ["abs(p - 3) + 0 * q", "2 * abs(p - 3)"], &enough(strategy), "");
        let [(p, q, ties)] = found.front[..] else { panic!("{strategy}: {}", found.text) };
        assert_eq!((found.status, p, ties), (Some(0), 3.0, 3), "{strategy}: {}", found.text);
        // The index of (3, 1) is the lowest.
        assert_eq!(q, 1.0, "{strategy}");
    }
}

#[test]
fn where_nothing_is_feasible_the_exit_says_so_with_the_constraint_and_the_nearest_point() {
    let folder = tempfile::tempdir().expect("folder");
    let constraints = "[constraints]\nfar = { value = \"p * q\", min = 100 }\nnear = { value = \"p + q\", min = 0 }";
    for strategy in STRATEGIES {
        let found = run(folder.path(), AXES, ["p", "q"], &enough(strategy), constraints);
        assert_eq!((found.status, found.front), (Some(3), vec![]), "{strategy}: {}", found.text);
        // 5 x 4 = 20 of 100.
        let nearest = "misses `far` by 80 %: p 5, q 4";
        let all = found.text.contains("`far` excludes") && found.text.contains(nearest);
        assert!(all && !found.text.contains("`near` excludes"), "{strategy}: {}", found.text);
    }
}

#[test]
fn points_without_a_value_are_rows_with_their_reason_and_never_on_the_front() {
    let folder = tempfile::tempdir().expect("folder");
    // The model knows the latency only at a point; the root has no value where p is 4 or 5.
    let lacking = "sqrt(3.5 - p + 0 * latency_ms)";
    for strategy in STRATEGIES {
        let found = run(folder.path(), AXES, [lacking, "q"], &enough(strategy), "");
        assert_eq!((found.status, &found.front), (Some(0), &vec![(3.0, 1.0, 0)]), "{strategy}: {}", found.text);
        if strategy != "exact" {
            assert!(found.rows == 20 && found.text.contains("12 feasible, 8 failed"), "{strategy}: {}", found.text);
        }
    }
}

#[test]
fn budgets_of_none_and_one_are_kept_and_named() {
    let folder = tempfile::tempdir().expect("folder");
    for strategy in ["nsga2", "anneal", "pso", "nelder-mead", "exact"] {
        for (budget, status) in [(0, 3), (1, 0)] {
            let search = format!("strategy = \"{strategy}\"\nbudget = {{ evaluations = {budget} }}");
            let found = run(folder.path(), AXES, ["p", "q"], &search, "");
            assert_eq!((found.status, found.rows), (Some(status), budget), "{strategy} {budget}: {}", found.text);
            assert!(found.text.contains("budget of evaluations used up"), "{strategy} {budget}: {}", found.text);
        }
    }
    for strategy in ["random", "lhs", "sobol"] {
        let found = run(folder.path(), AXES, ["p", "q"], &format!("strategy = \"{strategy}\"\nsamples = 1"), "");
        assert_eq!((found.status, found.rows, found.front.len()), (Some(0), 1, 1), "{strategy}: {}", found.text);
    }
}

#[test]
fn one_axis_an_axis_of_one_value_and_a_space_of_one_point_are_seen_whole() {
    let folder = tempfile::tempdir().expect("folder");
    for strategy in STRATEGIES {
        for (axes, points) in
            [("p = [1, 2, 3, 4]\nq = 1", 4), ("p = [1, 2, 3, 4]\nq = [1]", 4), ("p = [2]\nq = [3]", 1)]
        {
            let axes = axes.replace("q = 1", "q = \"1\"");
            let found = run(folder.path(), &axes, ["p", "q - p"], &enough(strategy), "");
            assert_eq!(
                (found.status, found.rows, found.front.len()),
                (Some(0), points, points),
                "{strategy} {axes}: {}",
                found.text
            );
            if !["grid", "random", "lhs", "sobol"].contains(&strategy) {
                assert!(found.text.contains(": complete"), "{strategy} {axes}: {}", found.text);
            }
        }
    }
}

#[test]
fn under_conditions_a_search_that_saw_every_point_is_complete_and_not_out_of_budget() {
    let folder = tempfile::tempdir().expect("folder");
    // 1 + 4 designs of 2 x 4 digits: q exists where p is 2.
    let axes = "vr_cores = [32, 64]\nccu = { values = [2, 8, 16, 32], when = \"vr_cores == 64\" }\np = 1\nq = 1";
    for strategy in ["nsga2", "anneal", "pso", "nelder-mead", "exact"] {
        for (search, word) in [(enough(strategy), ": complete"), (enough(strategy).replace("1000", "3"), "used up")] {
            if strategy == "exact" && word == "used up" {
                continue;
            }
            let found = run(folder.path(), axes, ["ccu + p", "q - ccu"], &search, "");
            assert!(found.text.contains(word), "{strategy}: {}", found.text);
            assert_eq!(found.rows, if word == "used up" { 3 } else { 5 }, "{strategy}: {}", found.text);
        }
    }
}
