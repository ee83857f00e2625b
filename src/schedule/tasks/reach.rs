//! How many tasks come after each task, each counted once.
//!
//! Counting is quadratic in general, so it is done in three steps.
//! 1. *Structure*, linear: behind one successor there is one task more than behind that successor; trees whose tasks have
//!    one predecessor each are disjoint, so their counts add; and where all paths from a task meet again in one task, only
//!    what lies between has to be visited. Chains, trees, barriers, and forks that join are exact by this alone.
//! 2. *Bit sets* for graphs of up to [`MOST_SET_WORK`] word operations: exact.
//! 3. Beyond, an *estimate*, linear: every task draws a random rank, the least of 64 independent ranks behind a task tells how
//!    many there are (Cohen, J. Comput. Syst. Sci. 55, 1997), with a standard error of 13 %; it is kept between the bounds
//!    that follow from the successors' counts.

use super::graph::Rows;

/// Visits that the structural step may spend per task and edge.
const VISITS_PER_ENTRY: usize = 8;
/// Words that one sweep of the bit sets carries per task.
const WORDS: usize = 8;
/// Most word operations of the bit sets: some 50,000 tasks with two edges each, a tenth of a second.
const MOST_SET_WORK: usize = 1 << 27;
/// Independent ranks of the estimate.
const RANKS: usize = 64;

/// The counts, and whether all are exact.
pub(super) fn count_reachable(successors: &Rows, predecessors: &Rows, order: &[u32]) -> (Vec<f64>, bool) {
    let mut counts = vec![f64::NAN; order.len()];
    if count_by_structure(successors, predecessors, order, &mut counts) {
        return (counts, true);
    }
    let entries = order.len() + successors.neighbours.len();
    if entries.saturating_mul(order.len().div_ceil(64)) <= MOST_SET_WORK {
        count_by_sets(successors, order, &mut counts);
        return (counts, true);
    }
    estimate(successors, order, &mut counts);
    (counts, false)
}

/// How many come after each of a few nodes, each given with its direct successors, all of which stand behind it.
pub(in super::super) fn count_successors(next: &[Vec<usize>]) -> Vec<f64> {
    let edges = next.iter().enumerate().flat_map(|(from, next)| next.iter().map(move |to| (from as u32, *to as u32)));
    let edges: Vec<(u32, u32)> = edges.collect();
    let rows = Rows::new(next.len(), &edges, |edge| *edge);
    let order: Vec<u32> = (0..next.len() as u32).collect();
    let mut counts = vec![0.0; next.len()];
    count_by_sets(&rows, &order, &mut counts);
    counts
}

/// Counts what the structure gives; false if its visits did not suffice for all.
fn count_by_structure(successors: &Rows, predecessors: &Rows, order: &[u32], counts: &mut [f64]) -> bool {
    let tasks = order.len();
    let mut position = vec![0_u32; tasks];
    for (at, &task) in (0_u32..).zip(order) {
        position[task as usize] = at;
    }
    // True if everything from here on is a tree of tasks with one predecessor each.
    let mut is_tree = vec![false; tasks];
    let mut seen = vec![u32::MAX; tasks];
    let mut frontier = std::collections::BinaryHeap::new();
    let mut visits = VISITS_PER_ENTRY * (tasks + successors.neighbours.len());
    for &task in order.iter().rev() {
        let next = successors.of(task);
        let trees = next.iter().all(|successor| is_tree[*successor as usize]);
        is_tree[task as usize] = trees && predecessors.of(task).len() == 1;
        let beyond = |successor: &u32| 1.0 + counts[*successor as usize];
        if trees || next.len() == 1 {
            counts[task as usize] = next.iter().map(beyond).sum();
            continue;
        }
        // In topological order: once one task is left, every path has come together in it.
        frontier.clear();
        let mut visited = 0.0;
        let mut visit = |task_seen: u32, frontier: &mut std::collections::BinaryHeap<std::cmp::Reverse<u32>>| {
            if std::mem::replace(&mut seen[task_seen as usize], task) != task {
                frontier.push(std::cmp::Reverse(position[task_seen as usize]));
            }
        };
        next.iter().for_each(|successor| visit(*successor, &mut frontier));
        while let Some(std::cmp::Reverse(at)) = frontier.pop() {
            let at = order[at as usize];
            visited += 1.0;
            if frontier.is_empty() {
                visited += counts[at as usize];
                break;
            }
            let next = successors.of(at);
            if visits < next.len() + 1 {
                return false;
            }
            visits -= next.len() + 1;
            next.iter().for_each(|successor| visit(*successor, &mut frontier));
        }
        counts[task as usize] = visited;
    }
    true
}

/// Exact counts: the set of every task, a block of columns at a time.
fn count_by_sets(successors: &Rows, order: &[u32], counts: &mut [f64]) {
    const BLOCK: usize = 64 * WORDS;
    let tasks = order.len();
    counts.fill(0.0);
    let mut sets = vec![[0_u64; WORDS]; tasks];
    for first in (0..tasks).step_by(BLOCK) {
        for &task in order.iter().rev() {
            let mut set = [0_u64; WORDS];
            for &successor in successors.of(task) {
                for (word, other) in set.iter_mut().zip(&sets[successor as usize]) {
                    *word |= other;
                }
                if let Some(column) = (successor as usize).checked_sub(first).filter(|column| *column < BLOCK) {
                    set[column / 64] |= 1 << (column % 64);
                }
            }
            sets[task as usize] = set;
            counts[task as usize] += f64::from(set.iter().map(|word| word.count_ones()).sum::<u32>());
        }
    }
}

/// Estimates from the least ranks.
fn estimate(successors: &Rows, order: &[u32], counts: &mut [f64]) {
    let tasks = order.len();
    let mut least = vec![[f32::INFINITY; RANKS]; tasks];
    for (place, &task) in order.iter().enumerate().rev() {
        let mut own = [f32::INFINITY; RANKS];
        let (mut low, mut high) = (0.0_f64, 0.0);
        for &successor in successors.of(task) {
            for (rank, (least, drawn)) in own.iter_mut().zip(least[successor as usize].iter().zip(ranks(successor))) {
                *rank = rank.min(*least).min(drawn);
            }
            low = low.max(1.0 + counts[successor as usize]);
            high += 1.0 + counts[successor as usize];
        }
        least[task as usize] = own;
        let behind = (tasks - 1 - place) as f64;
        let sum: f64 = own.iter().map(|rank| f64::from(*rank)).sum();
        let drawn = (RANKS - 1) as f64 / sum;
        counts[task as usize] = drawn.clamp(low.min(behind), high.min(behind).max(low.min(behind)));
    }
}

/// The exponential ranks of one task, the same on every run: splitmix64 (Steele, Lea & Flood, OOPSLA 2014).
fn ranks(task: u32) -> impl Iterator<Item = f32> {
    (0..RANKS as u64).map(move |at| {
        let mut word = (u64::from(task) * RANKS as u64 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = ((word ^ (word >> 31)) >> 40) as f32 / (1_u32 << 24) as f32;
        -(1.0 - unit).ln()
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Task, TaskGraph};
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    fn graph(tasks: usize, edges: &[(u32, u32)]) -> TaskGraph {
        TaskGraph::new(vec![Task { unit: 0, cycles: 1.0 }; tasks], edges).expect("no cycle")
    }

    /// A random graph, edges from lower to higher indices at most `span` apart.
    fn random(tasks: u32, edges: usize, span: u32, seed: u64) -> Vec<(u32, u32)> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        (0..edges)
            .map(|_| {
                let from = random.next_u32() % (tasks - 1);
                (from, from + 1 + random.next_u32() % span.min(tasks - 1 - from))
            })
            .collect()
    }

    /// Depth-first search from every task.
    fn plainly(tasks: usize, edges: &[(u32, u32)]) -> Vec<f64> {
        let count = |start: usize| {
            let mut seen = vec![false; tasks];
            let mut open = vec![start];
            let mut count = 0.0;
            while let Some(at) = open.pop() {
                for (_, to) in edges.iter().filter(|(from, _)| *from as usize == at) {
                    if !std::mem::replace(&mut seen[*to as usize], true) {
                        count += 1.0;
                        open.push(*to as usize);
                    }
                }
            }
            count
        };
        (0..tasks).map(count).collect()
    }

    #[test]
    fn a_diamond_counts_its_end_once() {
        let diamond = graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(diamond.reachable(), [3.0, 1.0, 1.0, 0.0]);
        assert!(diamond.reach_is_exact());
    }

    #[test]
    fn every_way_of_counting_agrees_with_searching() {
        for seed in 0..60 {
            let tasks = 2 + seed as u32 * 13;
            let edges = random(tasks, seed as usize * 17, 1 + seed as u32 % 40, seed);
            let graph = graph(tasks as usize, &edges);
            let expected = plainly(tasks as usize, &edges);
            assert_eq!(graph.reachable(), expected);
            let mut counts = vec![0.0; expected.len()];
            count_by_sets(&graph.successors, &graph.order, &mut counts);
            assert_eq!(counts, expected);
        }
    }

    #[test]
    fn forks_that_join_need_the_structure_only() {
        // 20,000 diamonds in a row: the sets of all would be 450 million words.
        let edges: Vec<(u32, u32)> = (0..20_000)
            .flat_map(|at| [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(a, b)| (3 * at + a, 3 * at + b)))
            .collect();
        let graph = graph(60_001, &edges);
        assert!(graph.reach_is_exact());
        assert_eq!(graph.reachable()[0], 60_000.0);
    }

    #[test]
    fn the_estimate_of_a_large_tangle_is_close() {
        let edges = random(2_000, 5_000, 1_999, 7);
        let graph = graph(2_000, &edges);
        let mut counts = vec![f64::NAN; 2_000];
        estimate(&graph.successors, &graph.order, &mut counts);
        let misses = counts.iter().zip(graph.reachable()).filter(|(_, exact)| **exact > 0.0);
        let misses: Vec<f64> = misses.map(|(estimate, exact)| (estimate / exact - 1.0).powi(2)).collect();
        let deviation = (misses.iter().sum::<f64>() / misses.len() as f64).sqrt();
        // 1 / sqrt(62) = 12.7 %, errors of neighbours being alike.
        assert!(deviation < 0.2, "{deviation}");
    }

    #[test]
    fn a_tangle_beyond_the_bit_sets_is_said_to_be_estimated() {
        let edges = random(90_000, 200_000, 80_000, 3);
        let graph = graph(90_000, &edges);
        assert!(!graph.reach_is_exact());
        assert!(graph.reachable().iter().all(|count| *count >= 0.0 && *count < 90_000.0));
    }
}
