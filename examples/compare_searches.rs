//! Evaluations that each search needs for 99 % of the known hypervolume, median of 11 seeds: the table of `docs/search.md`.
//!
//! `cargo run --release --example compare_searches`, with `PYTHON=...` naming an interpreter that has pymoo to run its
//! NSGA-II beside; words behind `--` name the problems and searches to run, `-- dtlz2 nsga2`. The volume is that of all points evaluated, for every search alike. Overhead is the time of a search
//! without that of its evaluations, the least of the seeds, per evaluation.

use std::process::Command;
use std::time::{Duration, Instant};

use nerarch_dse::explore::hypervolume::hypervolume;
use nerarch_dse::explore::nsga::{self, Genes};
use nerarch_dse::explore::scalar::{self, Method};
use nerarch_dse::explore::search::{Answers, Problem};
use nerarch_dse::explore::{Archive, RunError, Space};
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::sweep::Goal;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEEDS: u64 = 11;
const BUDGET: u64 = 30_000;
/// Values of an axis that stands for a real number.
const GRID: u32 = (1 << 20) + 1;
/// Share of the known hypervolume that is asked for.
const SHARE: f64 = 0.99;

/// NSGA-II of pymoo: all objectives in the order of their evaluation, and its overhead in us, as text.
const PYMOO: &str = "
import sys, time
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.problems import get_problem
name, variables, seed, budget = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
problem = get_problem(name, n_var=variables, n_obj=3) if name == 'dtlz2' else get_problem(name, n_var=variables)
algorithm = NSGA2(pop_size=100)
algorithm.setup(problem, termination=('n_eval', budget), seed=seed)
spent, rows = 0.0, []
while algorithm.has_next():
    started = time.perf_counter()
    asked = algorithm.ask()
    spent += time.perf_counter() - started
    algorithm.evaluator.eval(problem, asked)
    rows.extend(asked.get('F').tolist())
    started = time.perf_counter()
    algorithm.tell(infills=asked)
    spent += time.perf_counter() - started
print(spent / len(rows) * 1e6)
for row in rows: print(*row)
";

type Evaluate<'a> = Box<dyn FnMut(&[u32], &mut Vec<f64>) -> f64 + 'a>;

/// Something to search that keeps everything it was asked for.
struct Asked<'a> {
    goals: Vec<Goal>,
    evaluate: Evaluate<'a>,
    axes: usize,
    /// Objectives, point by point; infinite where a constraint is missed.
    rows: Vec<Vec<f64>>,
    spent: Duration,
}

impl Problem for Asked<'_> {
    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn evaluate(&mut self, count: usize, digits: &[u32], answers: &mut Answers) -> Result<(), RunError> {
        let started = Instant::now();
        answers.clear();
        for digits in digits.chunks_exact(self.axes).take(count) {
            let first = answers.objectives.len();
            let violation = (self.evaluate)(digits, &mut answers.objectives);
            let row = answers.objectives[first..].to_vec();
            self.rows.push(if violation > 0.0 { vec![f64::INFINITY; row.len()] } else { row });
            answers.violations.push(violation);
        }
        self.spent += started.elapsed();
        Ok(())
    }

    fn left(&self) -> u64 {
        BUDGET - self.rows.len() as u64
    }
}

/// A problem, its axes, and the volume that is known.
struct Case<'a> {
    name: &'a str,
    axes: Vec<Genes>,
    goals: usize,
    reference: Vec<f64>,
    best: f64,
    plan: Option<&'a Plan>,
}

impl Case<'_> {
    fn asked(&self) -> Asked<'_> {
        let evaluate: Evaluate<'_> = match self.plan {
            Some(plan) => {
                let mut evaluator = Evaluator::new(plan);
                Box::new(move |digits, objectives| {
                    let outcome = evaluator.evaluate(digits);
                    objectives.extend_from_slice(evaluator.objectives());
                    match outcome {
                        Outcome::Feasible => 0.0,
                        Outcome::Infeasible { violation, .. } => violation,
                        Outcome::Failed => f64::INFINITY,
                    }
                })
            }
            None => {
                let function = match self.name {
                    "zdt1" => |x: &[f64], objectives: &mut Vec<f64>| zdt(x, 0.5, objectives),
                    "zdt2" => |x: &[f64], objectives: &mut Vec<f64>| zdt(x, 2.0, objectives),
                    _ => dtlz2,
                };
                let mut values = Vec::new();
                Box::new(move |digits, objectives| {
                    values.clear();
                    values.extend(digits.iter().map(|digit| f64::from(*digit) / f64::from(GRID - 1)));
                    function(&values, objectives);
                    0.0
                })
            }
        };
        let goals = vec![Goal::Minimise; self.goals];
        Asked { goals, evaluate, axes: self.axes.len(), rows: Vec::new(), spent: Duration::ZERO }
    }

    fn volume(&self, rows: &[Vec<f64>]) -> f64 {
        let mut front = Archive::new(vec![Goal::Minimise; self.goals]);
        let inside = |row: &&Vec<f64>| row.iter().zip(&self.reference).all(|(value, limit)| value < limit);
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| inside(row)) {
            front.insert(at as u64, row);
        }
        hypervolume(&front.points().map(|point| point.objectives.clone()).collect::<Vec<_>>(), &self.reference)
    }

    /// Evaluations, to the next hundred, after which the share is reached.
    fn needed(&self, rows: &[Vec<f64>]) -> Option<usize> {
        let reaches = |hundreds: usize| self.volume(&rows[..(hundreds * 100).min(rows.len())]) >= SHARE * self.best;
        let (mut low, mut high) = (0, rows.len().div_ceil(100));
        if !reaches(high) {
            return None;
        }
        while low < high {
            let middle = usize::midpoint(low, high);
            if reaches(middle) { high = middle } else { low = middle + 1 }
        }
        Some(low * 100)
    }

    fn run(&self, search: &str, seed: u64) -> (Vec<Vec<f64>>, f64) {
        let mut asked = self.asked();
        let started = Instant::now();
        let method = match search {
            "anneal" => Some(Method::Anneal),
            "pso" => Some(Method::Swarm),
            "nelder-mead" => Some(Method::Simplex),
            _ => None,
        };
        if let Some(method) = method {
            let options = scalar::Options { method, weights: None, reference: None, starts: 10, population: 100, seed };
            scalar::search(&mut asked, &self.axes, &options).expect("search");
        } else if search == "nsga2" {
            nsga::search(&mut asked, &self.axes, nsga::Options { population: 100, seed }).expect("search");
        } else {
            let mut generator = ChaCha8Rng::seed_from_u64(seed);
            let count = BUDGET as usize;
            let mut digit = |size: u32| ((u64::from(generator.next_u32()) * u64::from(size)) >> 32) as u32;
            let digits: Vec<u32> =
                self.axes.iter().cycle().take(count * self.axes.len()).map(|axis| axis.size).map(&mut digit).collect();
            asked.evaluate(count, &digits, &mut Answers::default()).expect("evaluate");
        }
        let overhead = (started.elapsed().saturating_sub(asked.spent)).as_secs_f64() * 1e6 / asked.rows.len() as f64;
        (asked.rows, overhead)
    }

    fn pymoo(&self, python: &str, seed: u64) -> Option<(Vec<Vec<f64>>, f64)> {
        let numbers = [self.axes.len() as u64, seed, BUDGET].map(|number| number.to_string());
        let output = Command::new(python).args(["-c", PYMOO, self.name]).args(numbers).output().ok()?;
        let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
        let mut lines = text.lines();
        let overhead = lines.next()?.parse().ok()?;
        let row = |line: &str| line.split(' ').map(|number| number.parse().ok()).collect::<Option<Vec<f64>>>();
        Some((lines.map(row).collect::<Option<_>>()?, overhead))
    }
}

/// ZDT1 (power 0.5) and ZDT2 (power 2; Zitzler, Deb & Thiele, Evolutionary Computation 8, 2000).
fn zdt(x: &[f64], power: f64, objectives: &mut Vec<f64>) {
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    objectives.extend([x[0], g * (1.0 - (x[0] / g).powf(power))]);
}

/// DTLZ2 with three objectives (Deb et al., CEC 2002).
fn dtlz2(x: &[f64], objectives: &mut Vec<f64>) {
    let g: f64 = x[2..].iter().map(|x| (x - 0.5).powi(2)).sum();
    let [a, b] = [x[0], x[1]].map(|x| x * std::f64::consts::FRAC_PI_2);
    objectives.extend([(1.0 + g) * a.cos() * b.cos(), (1.0 + g) * a.cos() * b.sin(), (1.0 + g) * a.sin()]);
}

/// The sweep with the volume of its whole front, up to the front's worst values and a tenth of its spread beyond.
fn gscore_large(plan: &Plan) -> Case<'_> {
    let space = Space::new(&plan.axes).expect("space");
    let goals: Vec<Goal> = plan.objectives.iter().map(|objective| objective.goal).collect();
    assert!(goals.iter().all(|goal| *goal == Goal::Minimise), "this example takes objectives to minimise");
    let (mut evaluator, mut digits, mut front) =
        (Evaluator::new(plan), vec![0; plan.axes.len()], Archive::new(goals.clone()));
    for index in 0..space.points() {
        if evaluator.evaluate(&digits) == Outcome::Feasible {
            front.insert(index, evaluator.objectives());
        }
        space.advance(&mut digits);
    }
    let front: Vec<Vec<f64>> = front.into_front().into_iter().map(|point| point.objectives).collect();
    let reference: Vec<f64> = (0..goals.len())
        .map(|at| {
            let values = || front.iter().map(|point| point[at]);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            high + 0.1 * (high - low)
        })
        .collect();
    let axes = plan.axes.iter().map(|axis| Genes { size: axis.values.len() as u32, ordered: !axis.is_words }).collect();
    let best = hypervolume(&front, &reference);
    Case { name: "gscore_large", axes, goals: goals.len(), reference, best, plan: Some(plan) }
}

fn report(case: &Case<'_>, search: &str, runs: &[(Vec<Vec<f64>>, f64)]) {
    let mut needed: Vec<Option<usize>> = runs.iter().map(|(rows, _)| case.needed(rows)).collect();
    needed.sort_by_key(|needed| needed.unwrap_or(usize::MAX));
    let text = |needed: Option<usize>| needed.map_or(format!("more than {BUDGET}"), |needed| needed.to_string());
    let mut at_10_000: Vec<f64> =
        runs.iter().map(|(rows, _)| case.volume(&rows[..rows.len().min(10_000)]) / case.best).collect();
    at_10_000.sort_by(f64::total_cmp);
    let overhead = runs.iter().map(|(_, overhead)| *overhead).fold(f64::INFINITY, f64::min);
    let middle = runs.len() / 2;
    println!(
        "| {} | {search} | {} | {} to {} | {:.2} % | {overhead:.2} |",
        case.name,
        text(needed[middle]),
        text(needed[0]),
        text(needed[runs.len() - 1]),
        100.0 * at_10_000[middle]
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |names: &[&str], name: &str| {
        let named = || words.iter().filter(|word| names.contains(&word.as_str()));
        named().count() == 0 || named().any(|word| word == name)
    };
    let (study, _) = Study::load("gscore_large").expect("sweep");
    let (plan, _) = Plan::compile(&study).expect("plan");
    let real = |name, variables, goals, best| {
        let axes = vec![Genes { size: GRID, ordered: true }; variables];
        Case { name, axes, goals, reference: vec![1.1; goals], best, plan: None }
    };
    let problems = ["gscore_large", "zdt1", "zdt2", "dtlz2"];
    let searches = ["nsga2", "anneal", "pso", "nelder-mead", "random", "pymoo"];
    let cases = problems.into_iter().filter(|name| is_wanted(&problems, name)).map(|name| match name {
        "gscore_large" => gscore_large(&plan),
        "zdt1" => real(name, 30, 2, 1.1 * 1.1 - 1.0 / 3.0),
        "zdt2" => real(name, 30, 2, 1.1 * 1.1 - 2.0 / 3.0),
        _ => real(name, 12, 3, 1.1 * 1.1 * 1.1 - std::f64::consts::FRAC_PI_6),
    });
    println!("| problem | search | evaluations to 99 % | of 11 seeds | of the volume at 10,000 | overhead, us |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    for case in cases {
        for search in searches.into_iter().filter(|name| *name != "pymoo" && is_wanted(&searches, name)) {
            let runs: Vec<_> = (0..SEEDS).map(|seed| case.run(search, seed)).collect();
            report(&case, search, &runs);
        }
        if case.plan.is_none() && is_wanted(&searches, "pymoo") {
            match (0..SEEDS).map(|seed| case.pymoo(&python, seed)).collect::<Option<Vec<_>>>() {
                Some(runs) => report(&case, "NSGA-II of pymoo", &runs),
                None => eprintln!("{python} has no pymoo: left out"),
            }
        }
    }
}
