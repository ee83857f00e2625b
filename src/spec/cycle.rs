//! Cycles among things that wait for each other, so that an error can list one by name.

/// A cycle among `count` nodes, each before the one that its edge leads to; `None` if the edges (from, to) make none. Edges of
/// nodes that are not there are ignored.
pub(crate) fn find_cycle(count: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let edges = || edges.iter().filter(|(from, to)| *from < count && *to < count);
    let (mut before, mut after, mut waits) = (vec![Vec::new(); count], vec![Vec::new(); count], vec![0_usize; count]);
    for &(from, to) in edges() {
        before[to].push(from);
        after[from].push(to);
        waits[to] += 1;
    }
    let mut open: Vec<usize> = (0..count).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = open.pop() {
        for &to in &after[at] {
            waits[to] -= 1;
            if waits[to] == 0 {
                open.push(to);
            }
        }
    }
    // Every node that is left has a producer that is left: walking back returns somewhere.
    let mut path = vec![waits.iter().position(|left| *left > 0)?];
    let mut place = vec![usize::MAX; count];
    loop {
        let at = *path.last()?;
        place[at] = path.len() - 1;
        let from = *before[at].iter().find(|from| waits[**from] > 0)?;
        if place[from] != usize::MAX {
            let mut cycle = path.split_off(place[from]);
            cycle.reverse();
            return Some(cycle);
        }
        path.push(from);
    }
}

/// Its names with arrows, the last one again in front: `a -> b -> a`.
pub(crate) fn cycle_text<'a>(names: impl DoubleEndedIterator<Item = &'a str> + Clone) -> String {
    let last: Vec<&str> = names.clone().next_back().into_iter().collect();
    last.into_iter().chain(names).collect::<Vec<&str>>().join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_found_and_what_only_hangs_on_it_is_not_part_of_it() {
        // 0 leads into 1 -> 2 -> 3 -> 1, and 3 out to 4.
        assert_eq!(find_cycle(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]), Some(vec![2, 3, 1]));
        assert_eq!(find_cycle(4, &[(0, 1), (1, 2), (0, 2), (7, 9)]), None);
        assert_eq!(find_cycle(1, &[(0, 0)]), Some(vec![0]));
        assert_eq!(find_cycle(0, &[]), None);
        assert_eq!(cycle_text(["b", "c", "a"].into_iter()), "a -> b -> c -> a");
    }
}
