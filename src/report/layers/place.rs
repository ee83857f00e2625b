//! Places in the layers: invisible boxes where an arrow passes a layer, order by barycentres, and places as near to the
//! neighbours' as the boxes' widths allow.

/// Passes over the layers; more change nothing for graphs that fit on a page.
const PASSES: usize = 12;
/// Invisible boxes of a picture; arrows of a graph that would need more go straight.
const MAX_LANES: usize = 1 << 16;

/// What is laid out: boxes with layer and width, and arrows between boxes of different layers.
pub(in crate::report) struct Input<'a> {
    pub layers: &'a [usize],
    pub widths: &'a [i32],
    /// From an upper to a lower layer.
    pub arrows: &'a [(usize, usize)],
    /// Between two boxes of a layer.
    pub gap: i32,
    /// The room of an arrow that passes a layer.
    pub lane: i32,
}

/// Where things are: the middles of the boxes, and for each arrow the middles of the layers that it passes.
#[derive(Debug, PartialEq)]
pub(in crate::report) struct Layout {
    pub middles: Vec<i32>,
    /// `(layer, middle)` for each layer that an arrow passes, downwards.
    pub passes: Vec<Vec<(usize, i32)>>,
    pub width: i32,
}

/// Lays a graph out.
pub(in crate::report) fn layout(input: &Input<'_>) -> Layout {
    let mut graph = Graph::new(input);
    graph.order();
    graph.place(input.gap);
    let left =
        (0..graph.layer.len()).map(|v| graph.middle[v] - f64::from(graph.width[v]) / 2.0).fold(f64::INFINITY, f64::min);
    let right = (0..graph.layer.len()).map(|v| graph.middle[v] + f64::from(graph.width[v]) / 2.0).fold(0.0, f64::max);
    let middle = |v: usize| (graph.middle[v] - left).round() as i32;
    Layout {
        middles: (0..input.layers.len()).map(middle).collect(),
        passes: graph.lanes.iter().map(|lane| lane.iter().map(|v| (graph.layer[*v], middle(*v))).collect()).collect(),
        width: if left.is_finite() { (right - left).round() as i32 } else { 0 },
    }
}

/// Boxes, then the invisible ones.
struct Graph {
    layer: Vec<usize>,
    width: Vec<i32>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// The invisible boxes of each arrow.
    lanes: Vec<Vec<usize>>,
    /// Boxes of each layer from left to right.
    rows: Vec<Vec<usize>>,
    middle: Vec<f64>,
}

impl Graph {
    fn new(input: &Input<'_>) -> Self {
        let mut graph = Self {
            layer: input.layers.to_vec(),
            width: input.widths.to_vec(),
            above: vec![Vec::new(); input.layers.len()],
            below: vec![Vec::new(); input.layers.len()],
            lanes: Vec::new(),
            rows: Vec::new(),
            middle: Vec::new(),
        };
        let passed = input.arrows.iter().map(|(from, to)| input.layers[*to].saturating_sub(input.layers[*from] + 1));
        let fits = passed.fold(0, usize::saturating_add) <= MAX_LANES;
        for &(from, to) in input.arrows {
            let mut lane = Vec::new();
            let mut last = from;
            let passed = if fits { graph.layer[from] + 1..graph.layer[to] } else { 0..0 };
            for layer in passed {
                let passing = graph.layer.len();
                graph.layer.push(layer);
                graph.width.push(input.lane);
                graph.above.push(Vec::new());
                graph.below.push(Vec::new());
                graph.connect(last, passing);
                lane.push(passing);
                last = passing;
            }
            graph.connect(last, to);
            graph.lanes.push(lane);
        }
        graph.rows = vec![Vec::new(); graph.layer.iter().max().map_or(0, |layer| layer + 1)];
        for (v, layer) in graph.layer.iter().enumerate() {
            graph.rows[*layer].push(v);
        }
        graph.middle = vec![0.0; graph.layer.len()];
        graph
    }

    fn connect(&mut self, from: usize, to: usize) {
        self.below[from].push(to);
        self.above[to].push(from);
    }

    /// Orders every row by the mean position of its neighbours, downwards and upwards in turn; the order with the fewest
    /// crossings stays.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for pass in 0..PASSES {
            let down = pass % 2 == 0;
            let mut position = vec![0.0; self.layer.len()];
            let order: Vec<usize> =
                if down { (0..self.rows.len()).collect() } else { (0..self.rows.len()).rev().collect() };
            for row in order {
                let neighbours = if down { &self.above } else { &self.below };
                let mut keyed: Vec<(f64, usize)> = Vec::new();
                for (at, v) in self.rows[row].iter().enumerate() {
                    let near = &neighbours[*v];
                    let mean = near.iter().map(|u| position[*u]).sum::<f64>() / near.len() as f64;
                    keyed.push((if near.is_empty() { at as f64 } else { mean }, *v));
                }
                // Sorting is stable, so that equal means keep their order.
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.rows[row] = keyed.into_iter().map(|(_, v)| v).collect();
                for (at, v) in self.rows[row].iter().enumerate() {
                    position[*v] = at as f64;
                }
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    fn crossings(&self) -> usize {
        let mut position = vec![0; self.layer.len()];
        for row in &self.rows {
            for (at, v) in row.iter().enumerate() {
                position[*v] = at;
            }
        }
        let below = |row: &Vec<usize>| -> Vec<(usize, usize)> {
            row.iter().flat_map(|v| self.below[*v].iter().map(|u| (position[*v], position[*u]))).collect()
        };
        self.rows.iter().map(|row| crossings(below(row))).sum()
    }

    /// Moves every row as near to its neighbours as widths allow, downwards and upwards in turn.
    fn place(&mut self, gap: i32) {
        for pass in 0..PASSES {
            let down = pass % 2 == 0;
            let order: Vec<usize> =
                if down { (0..self.rows.len()).collect() } else { (0..self.rows.len()).rev().collect() };
            for row in order {
                let wanted: Vec<f64> = self.rows[row]
                    .iter()
                    .map(|v| {
                        // Both sides count from the second pass on, the side that was placed just now twice.
                        let (near, far) = if down { (&self.above, &self.below) } else { (&self.below, &self.above) };
                        let far: &[usize] = if pass == 0 { &[] } else { &far[*v] };
                        let places: Vec<f64> =
                            near[*v].iter().chain(&near[*v]).chain(far).map(|u| self.middle[*u]).collect();
                        if places.is_empty() {
                            self.middle[*v]
                        } else {
                            places.iter().sum::<f64>() / places.len() as f64
                        }
                    })
                    .collect();
                self.spread(row, &wanted, gap);
            }
        }
    }

    /// The places nearest to `wanted`, in the sense of least squares, that keep the row's order and gaps: with the gaps
    /// taken off, a non-decreasing sequence, found by pooling neighbours that violate the order.
    fn spread(&mut self, row: usize, wanted: &[f64], gap: i32) {
        let row = &self.rows[row];
        let mut offsets = vec![0.0];
        for pair in row.windows(2) {
            let apart = f64::from(self.width[pair[0]] + self.width[pair[1]]) / 2.0 + f64::from(gap);
            offsets.push(offsets.last().copied().unwrap_or(0.0) + apart);
        }
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (wanted, offset) in wanted.iter().zip(&offsets) {
            let mut pool = (wanted - offset, 1);
            while let Some(last) = pools.last().filter(|last| last.0 > pool.0) {
                let count = last.1 + pool.1;
                pool = ((last.0 * last.1 as f64 + pool.0 * pool.1 as f64) / count as f64, count);
                pools.pop();
            }
            pools.push(pool);
        }
        let places = pools.into_iter().flat_map(|(place, count)| std::iter::repeat_n(place, count));
        for ((v, place), offset) in row.iter().zip(places).zip(&offsets) {
            self.middle[*v] = place + offset;
        }
    }
}

/// Pairs of arrows that cross, given the positions of their ends: those that are the other way round at the lower end. Counted
/// with a tree of sums (Barth, Juenger, Mutzel, Simple and efficient bilayer cross counting, GD 2002).
fn crossings(mut arrows: Vec<(usize, usize)>) -> usize {
    arrows.sort_unstable();
    let mut sums = vec![0_usize; arrows.iter().map(|(_, lower)| lower + 2).max().unwrap_or(0)];
    let mut crossings = 0;
    for (before, (_, lower)) in arrows.iter().enumerate() {
        // Arrows so far that do not end to the right of this one.
        let mut up_to = lower + 1;
        let mut left = 0;
        while up_to > 0 {
            left += sums[up_to];
            up_to &= up_to - 1;
        }
        crossings += before - left;
        let mut at = lower + 1;
        while at < sums.len() {
            sums[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_pairs_the_other_way_round() {
        assert_eq!(crossings(vec![(0, 1), (1, 0)]), 1);
        assert_eq!(crossings(vec![(0, 0), (0, 1), (1, 0), (1, 1)]), 1);
        assert_eq!(crossings(vec![(2, 0), (0, 2), (1, 1), (0, 0)]), 3);
        assert_eq!(crossings(Vec::new()), 0);
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let input =
            Input { layers: &[0, 1, 2], widths: &[400, 900, 500], arrows: &[(0, 1), (1, 2)], gap: 100, lane: 100 };
        let layout = layout(&input);
        assert_eq!(layout.middles, [450, 450, 450]);
        assert_eq!(layout.width, 900);
    }

    #[test]
    fn arrows_that_need_not_cross_do_not_and_boxes_stand_apart() {
        // Two chains whose second boxes are declared the other way round.
        let input = Input {
            layers: &[0, 0, 1, 1],
            widths: &[400, 400, 400, 400],
            arrows: &[(0, 3), (1, 2)],
            gap: 100,
            lane: 100,
        };
        let middles = layout(&input).middles;
        assert_eq!((middles[0] < middles[1], middles[3] < middles[2]), (true, true));
        assert!((middles[0] - middles[1]).abs() >= 500 && (middles[2] - middles[3]).abs() >= 500);
    }

    #[test]
    fn an_arrow_over_a_layer_keeps_away_from_its_boxes() {
        let input = Input {
            layers: &[0, 1, 2],
            widths: &[400, 400, 400],
            arrows: &[(0, 1), (1, 2), (0, 2)],
            gap: 100,
            lane: 100,
        };
        let layout = layout(&input);
        let [(1, lane)] = layout.passes[2][..] else { panic!("{layout:?}") };
        assert!((lane - layout.middles[1]).abs() >= 200 + 100 + 50, "{layout:?}");
    }
}
