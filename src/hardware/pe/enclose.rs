//! Bounds on an operator's cycles over boxes of knobs.

use super::model::{Arguments, DATAFLOWS, ElementModel, MOST_LAYERS, MOST_OPERATIONS, SHORTENING, Task};
use crate::spec::program::bounds::Interval;
use crate::spec::program::{LargeModel, MAX_ARGUMENTS};
use crate::spec::refine::Timing;

/// Relative error of sums and products in another order than the model's.
const SLACK: f64 = 1e-9;

impl ElementModel {
    /// Encloses the cycles over a box of arguments.
    ///
    /// Where the cut of the work is one and the same (tiles, array, dataflow, rows of a command, number of layers), more
    /// work and slower engines never make it shorter, so the ends of the box give the ends of the cycles: the closed form
    /// is made of sums and maxima of durations that all move one way, and more rows or columns only add tokens. The event
    /// simulation has no such order (a shorter step may let another token go first) and is bounded as below.
    ///
    /// Where the cut differs: no engine works less than all its tokens need, nor the whole longer than all engines one
    /// after the other.
    pub(super) fn enclose(&self, arguments: &[Interval]) -> Interval {
        let Some((knobs, task)) = Arguments::split(arguments) else { return Interval::ALL };
        let shape =
            [knobs.tile_m, knobs.tile_k, knobs.tile_n, knobs.rows, knobs.cols, knobs.dataflow, knobs.command_rows];
        if arguments.iter().all(|argument| argument.is_point()) {
            return self.corner(arguments, |_, argument| argument.lo).map_or(Interval::EMPTY, Interval::point);
        }
        let one_cut = match self.task {
            Task::Elements => true,
            Task::Products { .. } => {
                shape.iter().all(|knob| knob.is_point())
                    && task.chunks_exact(6).all(|layer| layer[3].is_point())
                    && self.timing == Timing::Closed
            }
        };
        if !one_cut {
            return self.coarse(&knobs, task).widened(SLACK);
        }
        let end = |fast: bool| {
            self.corner(arguments, |at, argument| match fast != SHORTENING.contains(&at) {
                true => argument.lo,
                false => argument.hi,
            })
        };
        // An end without a value says nothing.
        let [fast, slow] = [true, false].map(|fast| end(fast).unwrap_or(f64::NAN));
        Interval::new(fast, slow).widened(SLACK)
    }

    /// The value where every argument is what `end` chooses of it.
    fn corner(&self, arguments: &[Interval], end: impl Fn(usize, &Interval) -> f64) -> Option<f64> {
        let mut values = [f64::NAN; MAX_ARGUMENTS];
        let values = &mut values[..arguments.len()];
        for (at, (value, argument)) in values.iter_mut().zip(arguments).enumerate() {
            *value = end(at, argument);
        }
        Some(self.value(values)).filter(|value| !value.is_nan())
    }

    fn coarse(&self, knobs: &Arguments<Interval>, task: &[Interval]) -> Interval {
        let mut total = Ends::default();
        for layer in task.chunks_exact(6).take(MOST_LAYERS) {
            let layer = self.engines(knobs, layer);
            total.add(layer, self.timing);
        }
        let lo = match self.timing {
            Timing::Closed => total.alone,
            Timing::Events => total.least.into_iter().fold(0.0, f64::max),
        };
        Interval::new(lo, total.most)
    }

    /// What the products of one layer ask of the engines.
    fn engines(&self, knobs: &Arguments<Interval>, layer: &[Interval]) -> Engines {
        let whole = |at: usize| Interval { lo: layer[at].lo.ceil(), hi: layer[at].hi.ceil() };
        let [m, k, n, times] = [0, 1, 2, 3].map(whole);
        let most = MOST_OPERATIONS as f64;
        let [prologue, epilogue] =
            [4, 5].map(whole).map(|count| Interval { lo: count.lo.min(most), hi: count.hi.min(most) });
        let over = |extent: Interval, cut: Interval| Interval {
            lo: (extent.lo / cut.hi).ceil(),
            hi: (extent.hi / cut.lo).ceil(),
        };
        let blocks = over(m, knobs.command_rows);
        // A tile has at most the rows of its command, and every command may end in a tile that is not full.
        let tile = Interval { hi: knobs.tile_m.hi.min(knobs.command_rows.hi), ..knobs.tile_m };
        let rows = over(m, tile);
        let rows = Interval { lo: rows.lo, hi: rows.hi + blocks.hi };
        let [inner, cols] = [over(k, knobs.tile_k), over(n, knobs.tile_n)];
        let r = self.resident;
        // Certainly moved, and possibly moved.
        let moved = |one: bool, other: bool| (!one && !other, !one || !other);
        let [input, weights, output] =
            [moved(r.input, r.between), moved(r.weights, r.weights), moved(r.output, r.between)];
        let side = |low: bool| {
            let at = |interval: Interval| if low { interval.lo } else { interval.hi };
            let rate = |interval: Interval| if low { interval.hi } else { interval.lo };
            let counts = |(certain, possible): (bool, bool)| f64::from(u8::from(if low { certain } else { possible }));
            let [m, k, n, rows, inner, cols, blocks] = [m, k, n, rows, inner, cols, blocks].map(at);
            let [prologue, epilogue, bytes] = [prologue, epilogue, knobs.element_bytes].map(at);
            let [input, weights, output] = [input, weights, output].map(counts);
            let transfers = rows * inner * cols * input.max(weights) + blocks * (prologue * input + epilogue * output);
            let elements = m * k * (cols + prologue) * input + k * n * rows * weights + m * n * epilogue * output;
            let read = elements * bytes / rate(knobs.read_bytes_per_cycle) + transfers * at(knobs.transfer_cycles);
            let transfers = rows * cols * output + blocks * (prologue * input + epilogue * output);
            let elements = m * n * (1.0 + epilogue) * output + m * k * prologue * input;
            let write = elements * bytes / rate(knobs.write_bytes_per_cycle) + transfers * at(knobs.transfer_cycles);
            let math = (prologue * m * k + epilogue * m * n) / rate(knobs.math_elements_per_cycle);
            [read, write, math, blocks * at(knobs.command_cycles)].map(|cycles| cycles * at(times))
        };
        let ([low_read, low_write, low_math, low_feed], high) = (side(true), side(false));
        let gemm = gemm_cycles(knobs, [m, k, n], [rows, inner, cols]);
        let nothing = [m, k, n, times].iter().any(|count| count.lo <= 0.0);
        let lo = |cycles: f64| if nothing { 0.0 } else { cycles };
        Engines {
            least: [low_read, gemm.lo * times.lo, low_math, low_write, low_feed].map(lo),
            most: high.iter().sum::<f64>() + gemm.hi * times.hi,
        }
    }
}

/// Least cycles of each engine and of the feeder, most cycles of all together.
struct Engines {
    least: [f64; 5],
    most: f64,
}

/// Sums over the layers.
#[derive(Default)]
struct Ends {
    least: [f64; 5],
    alone: f64,
    most: f64,
}

impl Ends {
    fn add(&mut self, layer: Engines, timing: Timing) {
        let [read, gemm, math, write, feed] = layer.least;
        for (sum, cycles) in self.least.iter_mut().zip(layer.least) {
            *sum += cycles;
        }
        if timing == Timing::Closed {
            // Alone, a command's operations follow each other and the feeder comes first.
            self.alone += feed + read.max(gemm + math).max(write);
        }
        self.most += layer.most;
    }
}

/// Cycles of all tiles of a product on the array.
///
/// One tile takes `ceil(x / R) ceil(y / C) (s + F) - 1` cycles and at least as many as its multiply-adds need, where `x`
/// and `y` lie along the array's rows and columns, `s` streams, and `F` fills and drains. Over all tiles the sum of
/// `ceil(x / R)` is at least `ceil(X / R)` and the number of tiles, at most both together; likewise `y`. With `A` and
/// `B` for these sums and `c` tiles along the stream of `S`, the whole is at least `A B (S + c max(F - 1, 0))`, since there
/// are at most `A B c` tiles, and at most `A B (S + c F)`.
fn gemm_cycles(knobs: &Arguments<Interval>, extents: [Interval; 3], tiles: [Interval; 3]) -> Interval {
    let mut hull = Interval::EMPTY;
    for (at, flow) in DATAFLOWS.into_iter().enumerate() {
        let at = at as f64;
        if at < knobs.dataflow.lo || at > knobs.dataflow.hi {
            continue;
        }
        let ([m, k, n], [tiles_m, tiles_k, tiles_n]) = (extents, tiles);
        let (extent, count) = (flow.roles(m, n, k), flow.roles(tiles_m, tiles_n, tiles_k));
        let fill = |rows: f64, cols: f64| flow.fills() as f64 * rows + cols - 2.0;
        let least = |extent: Interval, count: Interval, edge: Interval| (extent.lo / edge.hi).ceil().max(count.lo);
        let lo = least(extent.along_rows, count.along_rows, knobs.rows)
            * least(extent.along_cols, count.along_cols, knobs.cols)
            * (extent.stream.lo + count.stream.lo * (fill(knobs.rows.lo, knobs.cols.lo) - 1.0).max(0.0));
        let most = |extent: Interval, count: Interval, edge: Interval| extent.hi / edge.lo + count.hi;
        let hi = most(extent.along_rows, count.along_rows, knobs.rows)
            * most(extent.along_cols, count.along_cols, knobs.cols)
            * (extent.stream.hi + count.stream.hi * fill(knobs.rows.hi, knobs.cols.hi));
        hull = hull.hull(Interval { lo, hi });
    }
    hull
}
