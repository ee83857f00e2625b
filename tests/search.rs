//! Searches on test problems with known fronts and on GSCore.

mod common;

use std::fs;
use std::path::Path;
use std::time::Instant;

use common::{compile, program};
use nerarch_dse::explore::hypervolume::hypervolume;
use nerarch_dse::explore::nsga::{self, Genes, Options};
use nerarch_dse::explore::search::{Answers, Problem, StopReason};
use nerarch_dse::explore::{Archive, Block, Observer, RunError, Space, Summary};
use nerarch_dse::spec::sweep::{Budget, Goal, Strategy};

/// Values of each axis of the test problems, whose axes are continuous.
const GRID: u32 = (1 << 20) + 1;

type Objectives = fn(&[f64]) -> Vec<f64>;

/// A test problem on [0, 1]^n: counts, keeps the front and every point that it was asked for.
struct Test {
    goals: Vec<Goal>,
    objectives: Objectives,
    budget: u64,
    seen: Vec<Vec<u32>>,
    archive: Archive,
}

impl Test {
    fn new(objectives: Objectives, count: usize, budget: u64) -> Self {
        let goals = vec![Goal::Minimise; count];
        Self { archive: Archive::new(goals.clone()), goals, objectives, budget, seen: Vec::new() }
    }
}

impl Problem for Test {
    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn evaluate(&mut self, count: usize, digits: &[u32], answers: &mut Answers) -> Result<(), RunError> {
        answers.clear();
        for digits in digits.chunks_exact(digits.len() / count) {
            let values: Vec<f64> = digits.iter().map(|digit| f64::from(*digit) / f64::from(GRID - 1)).collect();
            let objectives = (self.objectives)(&values);
            self.archive.insert(self.seen.len() as u64, &objectives);
            self.seen.push(digits.to_vec());
            answers.violations.push(0.0);
            answers.objectives.extend(objectives);
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.budget - self.seen.len() as u64
    }
}

/// ZDT1 and ZDT2 (Zitzler, Deb & Thiele, Evolutionary Computation 8, 2000), 30 variables.
fn zdt1(x: &[f64]) -> Vec<f64> {
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    vec![x[0], g * (1.0 - (x[0] / g).sqrt())]
}

fn zdt2(x: &[f64]) -> Vec<f64> {
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    vec![x[0], g * (1.0 - (x[0] / g).powi(2))]
}

/// DTLZ2 with three objectives (Deb et al., CEC 2002), 12 variables.
fn dtlz2(x: &[f64]) -> Vec<f64> {
    let g: f64 = x[2..].iter().map(|x| (x - 0.5).powi(2)).sum();
    let angle = |x: f64| x * std::f64::consts::FRAC_PI_2;
    let (a, b) = (angle(x[0]), angle(x[1]));
    vec![(1.0 + g) * a.cos() * b.cos(), (1.0 + g) * a.cos() * b.sin(), (1.0 + g) * a.sin()]
}

/// Hypervolume of all points that a run evaluated, with reference 1.1 in every objective, and of the 100 points of the
/// front that a population would hold: the median of 11 seeds.
fn median_volume(objectives: Objectives, count: usize, variables: usize) -> f64 {
    let axes = vec![Genes { size: GRID, ordered: true }; variables];
    let mut volumes = Vec::new();
    let started = Instant::now();
    for seed in 0..11 {
        let mut problem = Test::new(objectives, count, 10_000);
        let stop = nsga::search(&mut problem, &axes, Options { population: 100, seed }).expect("search");
        assert_eq!(stop, StopReason::Evaluations);
        let mut seen = problem.seen.clone();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 10_000, "a point was evaluated twice");
        let front: Vec<Vec<f64>> = problem.archive.points().map(|point| point.objectives.clone()).collect();
        volumes.push(hypervolume(&front, &vec![1.1; count]));
    }
    volumes.sort_by(f64::total_cmp);
    let microseconds = started.elapsed().as_secs_f64() / 110_000.0 * 1e6;
    println!(
        "median hypervolume {:.4} ({:.4} to {:.4}), {microseconds:.2} us per evaluation",
        volumes[5], volumes[0], volumes[10]
    );
    volumes[5]
}

/// The points that NSGA-II of pymoo 0.6.2 evaluates, population 100, reach 0.8515; the whole front has 0.8767.
#[test]
fn nsga2_reaches_on_zdt1_what_pymoo_does() {
    assert!(median_volume(zdt1, 2, 30) >= 0.8515);
}

#[test]
fn nsga2_reaches_the_front_of_zdt2() {
    // pymoo's reach 0.4955; the whole front has 1.1^2 - 2/3 = 0.5433.
    assert!(median_volume(zdt2, 2, 30) >= 0.4955);
}

/// pymoo's reach 0.7748; the whole front has 1.1^3 - pi/6 = 0.8074.
#[test]
fn nsga2_reaches_on_dtlz2_what_pymoo_does() {
    assert!(median_volume(dtlz2, 3, 12) >= 0.7748);
}

#[test]
fn nsga2_sees_every_point_of_a_small_space_once_and_stops() {
    let mut problem = Test::new(|x| vec![x[0], 1.0 - x[1]], 2, 1000);
    let axes = [Genes { size: 7, ordered: true }, Genes { size: 5, ordered: false }, Genes { size: 1, ordered: true }];
    let stop = nsga::search(&mut problem, &axes, Options { population: 8, seed: 1 }).expect("search");
    assert_eq!(stop, StopReason::Complete);
    assert_eq!(problem.seen.len(), 35);
    problem.seen.sort();
    problem.seen.dedup();
    assert_eq!(problem.seen.len(), 35);
}

/// The indices in the order of their evaluation.
#[derive(Default)]
struct Order(Vec<u64>);

impl Observer for Order {
    fn block(&mut self, block: &Block) -> std::io::Result<()> {
        self.0.extend(&block.indices);
        Ok(())
    }

    fn progress(&mut self, _: u64, _: usize) {}
}

/// Those that choose their points as they go.
const STRATEGIES: [Strategy; 5] =
    [Strategy::Nsga2, Strategy::Exact, Strategy::Anneal, Strategy::Pso, Strategy::NelderMead];

fn explore(strategy: Strategy, evaluations: u64, threads: usize) -> (Summary, Vec<u64>) {
    let (study, plan) = compile("tests/exact/medium.toml");
    let space = Space::new(&plan.axes).expect("space");
    let mut search = study.sweep.search.clone();
    search.strategy = strategy;
    search.samples = Some(evaluations);
    search.budget = Budget { evaluations: Some(evaluations), seconds: None };
    let mut order = Order::default();
    let summary = common::search(&plan, &space, &search, threads, &mut order);
    (summary, order.0)
}

#[test]
fn searches_do_the_same_with_any_number_of_threads() {
    for strategy in STRATEGIES.into_iter().chain([Strategy::Lhs, Strategy::Sobol]) {
        let one = explore(strategy, 700, 1);
        // A simplex may converge before.
        assert!(one.0.points == 700 || one.0.stop == Some(StopReason::Converged), "{strategy:?}: {:?}", one.0.stop);
        assert_eq!(explore(strategy, 700, 5), one);
    }
}

#[test]
fn a_budget_of_none_or_one_ends_at_once_and_says_why() {
    for strategy in STRATEGIES {
        for evaluations in [0, 1] {
            let (summary, order) = explore(strategy, evaluations, 2);
            assert_eq!((summary.points, order.len() as u64), (evaluations, evaluations));
            assert_eq!(summary.stop, Some(StopReason::Evaluations));
        }
    }
    let (summary, _) = explore(Strategy::Exact, 1, 1);
    let proof = summary.certificate.expect("certificate");
    assert_eq!((proof.open, proof.remaining.is_empty()), ((1, proof.space), true));
}

/// What is left open holds nothing better than the stated bound.
#[test]
fn an_exact_search_that_stops_early_says_what_could_still_come() {
    let (whole, _) = explore(Strategy::Exact, u64::MAX, 2);
    let (part, _) = explore(Strategy::Exact, 60, 2);
    let proof = part.certificate.expect("certificate");
    assert!(proof.open.0 > 0 && proof.open.1 < proof.space, "{proof:?}");
    let known = |vector: &[f64]| part.front.iter().any(|point| point.objectives == vector);
    for point in whole.front.iter().filter(|point| !known(&point.objectives)) {
        assert!(point.objectives.iter().zip(&proof.remaining).all(|(value, bound)| value >= bound), "{point:?}");
    }
}

/// Every point of the whole front is within epsilon of a kept one in every objective.
#[test]
fn epsilon_leaves_no_point_of_the_front_further_than_itself() {
    let (study, plan) = compile("tests/exact/medium.toml");
    let space = Space::new(&plan.axes).expect("space");
    let explore = |strategy, epsilon| {
        let mut search = study.sweep.search.clone();
        (search.strategy, search.epsilon) = (strategy, epsilon);
        common::search(&plan, &space, &search, 2, &mut Order::default())
    };
    let whole = explore(Strategy::Grid, 0.0);
    for strategy in [Strategy::Grid, Strategy::Exact] {
        let coarse = explore(strategy, 0.05);
        assert!(coarse.front.len() * 2 < whole.front.len(), "{} of {}", coarse.front.len(), whole.front.len());
        for point in &whole.front {
            let near = |kept: &nerarch_dse::explore::FrontPoint| {
                kept.objectives.iter().zip(&point.objectives).all(|(kept, own)| *kept <= own * 1.05 * (1.0 + 1e-12))
            };
            assert!(coarse.front.iter().any(near), "{strategy:?} has nothing near {point:?}");
        }
    }
}

#[test]
fn every_strategy_runs_from_a_file_and_the_summary_says_how_it_ended() {
    let folder = tempfile::tempdir().expect("folder");
    let stock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps/gscore.toml")).expect("sweep");
    for (search, wanted) in [
        ("strategy = \"exact\"", "proof"),
        ("strategy = \"nsga2\"\nbudget = { evaluations = 60 }\npopulation = 20", "budget of evaluations used up"),
        ("strategy = \"nsga2\"\nbudget = { evaluations = 1000, seconds = 60 }", "complete"),
        ("strategy = \"anneal\"\nbudget = { evaluations = 60 }\nstarts = 2", "budget of evaluations used up"),
        (
            "strategy = \"pso\"\nbudget = { evaluations = 60 }\nreference = [10, 500, 1]",
            "budget of evaluations used up",
        ),
        ("strategy = \"lhs\"\nsamples = 20", "20 of 144"),
        ("strategy = \"sobol\"\nsamples = 20", "20 of 144"),
    ] {
        fs::write(folder.path().join("mine.toml"), stock.replace("strategy   = \"grid\"", search)).expect("write");
        let output = program(folder.path(), &["sweep", "mine.toml", "--force"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(wanted), "{search}: {text}{:?}", output);
    }
}
