//! Small graphs: the default policy against the true optimum.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::*;

const UNITS: usize = 3;
const OPERATORS: usize = 9;
const GRAPHS: usize = 1000;

/// A uniform number from 0 to `below - 1`.
fn draw(random: &mut ChaCha8Rng, below: u32) -> u32 {
    ((u64::from(random.next_u32()) * u64::from(below)) >> 32) as u32
}

fn task(random: &mut ChaCha8Rng) -> Task {
    Task { unit: draw(random, UNITS as u32), cycles: f64::from(1 + draw(random, 100)) }
}

/// Nine operators on three units, each earlier-later pair an edge with a probability of 0.3.
fn random_graph(random: &mut ChaCha8Rng) -> TaskGraph {
    let tasks = (0..OPERATORS).map(|_| task(random)).collect();
    let mut edges = Vec::new();
    for to in 1..OPERATORS as u32 {
        edges.extend((0..to).filter(|_| draw(random, 10) < 3).map(|from| (from, to)));
    }
    TaskGraph::new(tasks, &edges).expect("no cycle")
}

/// Three chains of three operators.
fn three_chains(random: &mut ChaCha8Rng) -> TaskGraph {
    let tasks = (0..OPERATORS).map(|_| task(random)).collect();
    TaskGraph::new(tasks, &[(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)]).expect("no cycle")
}

/// The shortest schedule by branching over every task that can come next: the schedules in which every task starts as
/// early as its unit and its producers allow hold an optimal one, and each is reached by starting tasks in order of start.
struct Search<'a> {
    graph: &'a TaskGraph,
    tails: Vec<f64>,
    ends: [f64; OPERATORS],
    free: [f64; UNITS],
    best: f64,
}

impl<'a> Search<'a> {
    fn optimum(graph: &'a TaskGraph, known: f64) -> f64 {
        let mut tails = vec![0.0_f64; OPERATORS];
        for at in (0..OPERATORS).rev() {
            let after = graph.edges().iter().filter(|(from, _)| *from as usize == at);
            let after = after.map(|(_, to)| tails[*to as usize]).fold(0.0, f64::max);
            tails[at] = graph.tasks()[at].cycles + after;
        }
        let mut search = Self { graph, tails, ends: [f64::NAN; OPERATORS], free: [0.0; UNITS], best: known };
        search.branch(0, 0.0);
        search.best
    }

    fn branch(&mut self, placed: usize, length: f64) {
        if placed == OPERATORS {
            self.best = self.best.min(length);
            return;
        }
        for at in 0..OPERATORS {
            let producers = || self.graph.edges().iter().filter(|(_, to)| *to as usize == at);
            if !self.ends[at].is_nan() || producers().any(|(from, _)| self.ends[*from as usize].is_nan()) {
                continue;
            }
            let Task { unit, cycles } = self.graph.tasks()[at];
            let free = self.free[unit as usize];
            let start = producers().map(|(from, _)| self.ends[*from as usize]).fold(free, f64::max);
            if start + self.tails[at] >= self.best {
                continue;
            }
            (self.ends[at], self.free[unit as usize]) = (start + cycles, start + cycles);
            self.branch(placed + 1, length.max(start + cycles));
            (self.ends[at], self.free[unit as usize]) = (f64::NAN, free);
        }
    }
}

/// Of a policy over many graphs: mean excess over the optimum, share optimal.
fn quality(policy: &Policy, make: fn(&mut ChaCha8Rng) -> TaskGraph) -> (f64, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(2024);
    let resources = Resources::units(vec![1; UNITS]);
    let mut workspace = Workspace::default();
    let (mut excess, mut optimal) = (0.0, 0);
    for _ in 0..GRAPHS {
        let graph = make(&mut random);
        let outcome = schedule(&graph, &resources, policy, &mut workspace).expect("schedule");
        assert_eq!(check(&graph, &resources, workspace.placements()), Ok(()));
        let optimum = Search::optimum(&graph, outcome.makespan);
        assert!(outcome.lower_bound <= optimum, "{} is no bound of {optimum}", outcome.lower_bound);
        excess += outcome.makespan / optimum - 1.0;
        optimal += usize::from(outcome.makespan == optimum);
    }
    (excess / GRAPHS as f64, optimal as f64 / GRAPHS as f64)
}

#[test]
fn the_default_policy_is_close_to_the_optimum_of_small_graphs() {
    for (name, make, most) in [
        ("random graphs", random_graph as fn(&mut ChaCha8Rng) -> TaskGraph, 0.005),
        ("three chains", three_chains, 0.02),
    ] {
        for policy in [Policy::DAGS, Policy::CriticalPath, Policy::Fifo, Policy::Best] {
            let (excess, optimal) = quality(&policy, make);
            println!("{name}, {policy:?}: {:.2} % above the optimum, {:.1} % optimal", 100.0 * excess, 100.0 * optimal);
            assert!(policy != Policy::Best || excess <= most);
        }
    }
}
