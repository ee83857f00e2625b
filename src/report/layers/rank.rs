//! The layer of every box.

use std::collections::VecDeque;

/// Layers of boxes.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::report) struct Ranks {
    /// The layer of each box: the longest path to it.
    pub layers: Vec<usize>,
    /// For each arrow whether it leads down; one that does not closes a circle.
    pub down: Vec<bool>,
}

impl Ranks {
    /// Number of layers.
    pub fn count(&self) -> usize {
        self.layers.iter().max().map_or(0, |layer| layer + 1)
    }
}

/// Layers of `boxes` boxes that are joined by arrows, each a producer and a consumer.
pub(in crate::report) fn rank(boxes: usize, arrows: &[(usize, usize)]) -> Ranks {
    let mut leaving = vec![Vec::new(); boxes];
    for (at, (from, _)) in arrows.iter().enumerate() {
        leaving[*from].push(at);
    }
    let down = without_circles(&leaving, arrows);
    let mut open = vec![0_usize; boxes];
    for ((_, to), _) in arrows.iter().zip(&down).filter(|(_, down)| **down) {
        open[*to] += 1;
    }
    let mut layers = vec![0; boxes];
    let mut ready: VecDeque<usize> = (0..boxes).filter(|at| open[*at] == 0).collect();
    while let Some(from) = ready.pop_front() {
        for at in leaving[from].iter().filter(|at| down[**at]) {
            let to = arrows[*at].1;
            layers[to] = layers[to].max(layers[from] + 1);
            open[to] -= 1;
            if open[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    Ranks { layers, down }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// For each arrow false if it leads to a box on the path that a walk in depth takes to its start.
fn without_circles(leaving: &[Vec<usize>], arrows: &[(usize, usize)]) -> Vec<bool> {
    let mut down = vec![true; arrows.len()];
    let mut state = vec![State::New; leaving.len()];
    for root in 0..leaving.len() {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        // A stack of its own: paths can be as long as a trace.
        let mut path = vec![(root, 0)];
        while let Some((from, taken)) = path.pop() {
            let Some(&at) = leaving[from].get(taken) else {
                state[from] = State::Done;
                continue;
            };
            path.push((from, taken + 1));
            let to = arrows[at].1;
            match state[to] {
                State::Open => down[at] = false,
                State::New => {
                    state[to] = State::Open;
                    path.push((to, 0));
                }
                State::Done => {}
            }
        }
    }
    down
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_the_longest_path_and_a_circle_is_opened_once() {
        // 0 -> 1 -> 2 -> 0 is a circle; 3 is reached by a short way and a long one, and by itself.
        let ranks = rank(4, &[(0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (3, 3)]);
        assert_eq!(ranks.layers, [0, 1, 2, 3]);
        assert_eq!(ranks.down, [true, true, false, true, true, false]);
        assert_eq!((ranks.count(), rank(0, &[]).count()), (4, 0));
    }

    #[test]
    fn a_path_as_long_as_a_trace_needs_no_deep_stack() {
        let arrows: Vec<(usize, usize)> = (1..200_000).map(|at| (at - 1, at)).collect();
        assert_eq!(rank(200_000, &arrows).count(), 200_000);
    }
}
