//! Searches where there is little to find, or nothing.

mod common;

use std::fs;
use std::path::Path;

use common::program;
use nerarch_dse::explore::nsga::{self, Genes};
use nerarch_dse::explore::scalar::{self, Method};
use nerarch_dse::explore::search::{Answers, Problem, StopReason};
use nerarch_dse::explore::{Archive, RunError};
use nerarch_dse::spec::sweep::Goal;

/// A table of points along one axis.
struct Rows {
    rows: Vec<(f64, [f64; 2])>,
    budget: u64,
    asked: Vec<u32>,
    archive: Archive,
}

impl Problem for Rows {
    fn goals(&self) -> &[Goal] {
        &[Goal::Minimise; 2]
    }

    fn evaluate(&mut self, count: usize, digits: &[u32], answers: &mut Answers) -> Result<(), RunError> {
        answers.clear();
        for digits in digits.chunks_exact(digits.len() / count) {
            let (violation, objectives) = self.rows[digits[0] as usize];
            self.asked.push(digits[0]);
            if violation == 0.0 {
                self.archive.insert(u64::from(digits[0]), &objectives);
            }
            answers.violations.push(violation);
            answers.objectives.extend(objectives);
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.budget - self.asked.len() as u64
    }
}

/// The indices of the front that every search finds on a table, each point asked for at most once; and why it stopped.
fn fronts(rows: &[(f64, [f64; 2])], budget: u64) -> Vec<(Vec<u64>, StopReason, usize)> {
    let axes = [Genes { size: rows.len() as u32, ordered: true }, Genes { size: 1, ordered: true }];
    let search = |method: Option<Method>| {
        let archive = Archive::new(vec![Goal::Minimise; 2]);
        let mut problem = Rows { rows: rows.to_vec(), budget, asked: Vec::new(), archive };
        let stop = match method {
            None => nsga::search(&mut problem, &axes, nsga::Options { population: 4, seed: 1 }),
            Some(method) => {
                let options =
                    scalar::Options { method, weights: None, reference: None, starts: 20, population: 8, seed: 1 };
                scalar::search(&mut problem, &axes, &options)
            }
        };
        let mut asked = problem.asked.clone();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked.len(), problem.asked.len(), "a point was evaluated twice");
        let front = problem.archive.into_front().iter().map(|point| point.index).collect();
        (front, stop.expect("search"), asked.len())
    };
    [None, Some(Method::Anneal), Some(Method::Swarm), Some(Method::Simplex)].into_iter().map(search).collect()
}

#[test]
fn points_without_a_value_never_enter_the_front() {
    let row = |a, b| (0.0, [a, b]);
    let rows = [row(1.0, 2.0), row(2.0, 1.0), row(f64::NAN, 0.5), row(3.0, 3.0), row(f64::NEG_INFINITY, 0.0)];
    for (front, stop, _) in fronts(&rows, 1000) {
        assert_eq!((front, stop), (vec![0, 1], StopReason::Complete));
    }
}

#[test]
fn of_equal_points_the_first_stays_and_one_point_can_be_the_front() {
    for (front, stop, asked) in fronts(&[(0.0, [1.0, 1.0]), (0.0, [1.0, 1.0]), (0.0, [2.0, 2.0])], 1000) {
        assert_eq!((front, stop, asked), (vec![0], StopReason::Complete, 3));
    }
    for (front, stop, asked) in fronts(&[(0.0, [1.0, 1.0])], 1000) {
        assert_eq!((front, stop, asked), (vec![0], StopReason::Complete, 1));
    }
}

#[test]
fn where_nothing_is_feasible_there_is_no_front() {
    for (front, stop, asked) in fronts(&[(0.5, [1.0, 1.0]), (f64::INFINITY, [0.0, 0.0]), (0.1, [2.0, 2.0])], 1000) {
        assert_eq!((front, stop, asked), (vec![], StopReason::Complete, 3));
    }
}

#[test]
fn budgets_of_none_and_one_are_kept() {
    let rows = vec![(0.0, [1.0, 1.0]); 50];
    for budget in [0, 1] {
        for (_, stop, asked) in fronts(&rows, budget) {
            assert_eq!((stop, asked as u64), (StopReason::Evaluations, budget));
        }
    }
}

#[test]
fn every_strategy_says_that_nothing_is_feasible_and_what_came_nearest() {
    let folder = tempfile::tempdir().expect("folder");
    let stock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    for search in ["nsga2", "exact", "anneal", "pso", "nelder-mead", "grid"] {
        let budget = if search == "grid" { "" } else { "budget = { evaluations = 100 }" };
        let text = stock.replace("strategy   = \"grid\"", &format!("strategy = \"{search}\"\n{budget}"));
        let text = text + "\n[constraints]\nfps = { min = 1e9 }\n";
        fs::write(folder.path().join("mine.toml"), text).expect("write");
        let output = program(folder.path(), &["sweep", "mine.toml", "--force"]);
        let all = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{search}: {all}");
        assert!(all.contains("`fps` excludes") && all.contains("nearest"), "{search}: {all}");
    }
}
