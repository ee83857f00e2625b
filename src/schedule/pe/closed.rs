//! The length of a regular command without simulating it.

use super::command::{Command, CommandList};
use super::parameters::Parameters;
use super::plan::{Engine, Kind, Operation, Steps, Tiles, plan};

/// Cycles of `command` alone on an idle processing element, equal to [`super::simulate()`] on whole durations and to
/// rounding otherwise; `None` where the command is not regular.
///
/// Regular means that the order of tokens at every engine is that of the plan, whatever the durations: each operation
/// waits for the one before it, only by what they compute; the queues hold the operations beside the product; and
/// nothing behind a product of resident operands has to be read. Then each step starts at the later of the end of the
/// token's last step and the end of the engine's last step. For the tiles of a product these are sums and maxima of the
/// times at which the three engines fall free, so a tile is a 3 x 3 matrix over (max, +), a run of equal tiles a power
/// of it, and the whole product a few dozen matrix products however many tiles it has (Baccelli et al.,
/// *Synchronization and Linearity*, 1992, chapter 1).
pub fn closed_form(list: &CommandList, command: &Command, parameters: &Parameters) -> Option<f64> {
    parameters.check().ok()?;
    let operations = plan(list, command, parameters).ok()?;
    if !regular(&operations, parameters) {
        return None;
    }
    let fed = parameters.command_cycles;
    let mut free = Free { read: fed, gemm: fed, write: fed, math: fed };
    let mut done = fed;
    for operation in &operations {
        done = match &operation.kind {
            Kind::Math(steps) => free.math_token(steps, done),
            Kind::Gemm(tiles) => free.product(tiles, done),
        };
    }
    Some(done)
}

fn regular(operations: &[Operation], parameters: &Parameters) -> bool {
    let chained = operations.iter().enumerate().all(|(index, operation)| {
        !operation.waits_to_read && (index == 0 || operation.waits.contains(&(index as u32 - 1)))
    });
    let others = operations.iter().filter(|operation| matches!(operation.kind, Kind::Math(_))).count();
    let product = operations.iter().position(|operation| matches!(operation.kind, Kind::Gemm(_)));
    let reads_behind = product.is_some_and(|place| {
        let resident = matches!(&operations[place].kind, Kind::Gemm(tiles) if tiles.steps(0).first() != Engine::Read);
        let reads = |operation: &Operation| matches!(&operation.kind, Kind::Math(steps) if steps.read.is_some());
        resident && operations[place + 1..].iter().any(reads)
    });
    // The last part of K alone may read: what an accumulating product adds to.
    let even = product.is_none_or(|place| {
        let Kind::Gemm(tiles) = &operations[place].kind else { return true };
        tiles.class(false, false, false).read.is_some() == tiles.class(false, false, true).read.is_some()
            || tiles.k.count == 1
    });
    chained && even && !reads_behind && others <= parameters.queue_depth as usize
}

/// When each engine falls free.
struct Free {
    read: f64,
    gemm: f64,
    math: f64,
    write: f64,
}

impl Free {
    /// Runs one token that may compute from `ready` on; when it is done.
    fn math_token(&mut self, steps: &Steps, ready: f64) -> f64 {
        let mut at = ready;
        if let Some(cycles) = steps.read {
            self.read += cycles;
            at = at.max(self.read);
        }
        self.math = self.math.max(at) + steps.compute.cycles;
        at = self.math;
        if let Some(cycles) = steps.write {
            self.write = self.write.max(at) + cycles;
            at = self.write;
        }
        at
    }

    /// Runs all tiles of a product that may compute from `ready` on; when the last one is done.
    fn product(&mut self, tiles: &Tiles, ready: f64) -> f64 {
        let row = |last_m: bool| {
            let column = |last_n: bool| {
                let part = |last_k: bool| Matrix::of(tiles.class(last_m, last_n, last_k));
                part(false).power(tiles.k.count - 1).then(&part(true))
            };
            column(false).power(tiles.n.count - 1).then(&column(true))
        };
        let all = row(false).power(tiles.m.count - 1).then(&row(true));
        // `ready` holds for every tile, so it is enough that the first one respects it.
        let [read, gemm, write] = all.apply([self.read, self.gemm.max(ready), self.write]);
        (self.read, self.gemm, self.write) = (read, gemm, write);
        gemm.max(write)
    }
}

/// A map of the times at which the read, GEMM and write engines fall free: entry `[i][j]` is what new time `i` owes to
/// old time `j`, and the new time the largest of the sums.
#[derive(Clone, Copy)]
struct Matrix([[f64; 3]; 3]);

const NEVER: f64 = f64::NEG_INFINITY;

impl Matrix {
    const IDENTITY: Self = Self([[0.0, NEVER, NEVER], [NEVER, 0.0, NEVER], [NEVER, NEVER, 0.0]]);

    /// One tile.
    fn of(steps: &Steps) -> Self {
        let compute = steps.compute.cycles;
        let mut matrix = Self::IDENTITY;
        matrix.0[1] = [NEVER, compute, NEVER];
        if let Some(read) = steps.read {
            matrix.0[0][0] = read;
            matrix.0[1][0] = read + compute;
        }
        if let Some(write) = steps.write {
            matrix.0[2] = [matrix.0[1][0] + write, compute + write, write];
        }
        matrix
    }

    /// This one, then `next`.
    fn then(&self, next: &Self) -> Self {
        let mut product = [[NEVER; 3]; 3];
        for (row, entries) in product.iter_mut().zip(&next.0) {
            for (column, entry) in row.iter_mut().enumerate() {
                *entry = (0..3).map(|inner| entries[inner] + self.0[inner][column]).fold(NEVER, f64::max);
            }
        }
        Self(product)
    }

    /// This one `times` times, by repeated squaring.
    fn power(&self, mut times: u64) -> Self {
        let (mut result, mut square) = (Self::IDENTITY, *self);
        while times > 0 {
            if times & 1 == 1 {
                result = result.then(&square);
            }
            square = square.then(&square);
            times >>= 1;
        }
        result
    }

    fn apply(&self, times: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| row.iter().zip(times).map(|(entry, time)| entry + time).fold(NEVER, f64::max))
    }
}
