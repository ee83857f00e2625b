//! The length of a regular command without simulating it.

use super::command::{Command, CommandList};
use super::parameters::Parameters;
use super::plan::{Engine, Kind, Operation, Steps, Tiles, plan};

/// Cycles of `command` alone on an idle processing element, equal to [`super::simulate()`] on whole durations and to
/// rounding otherwise; `None` where the command is not regular.
///
/// Regular means that the order of tokens at every engine is that of the plan, whatever the durations: each operation
/// waits for the one before it; once one waits for that even to read, all later ones do; the queues hold the operations
/// beside the product; and nothing behind a product of resident operands has to be read earlier than it ends. Then each
/// step starts at the later of the end of the token's last step and the end of the engine's last step. For the tiles of
/// a product these are sums and maxima of the times at which the three engines fall free, so a tile is a 3 x 3 matrix
/// over (max, +), a run of equal tiles a power of it, and the whole product a few matrix products however many tiles it
/// has (Baccelli et al., *Synchronization and Linearity*, 1992, chapter 1).
pub fn closed_form(list: &CommandList, command: &Command, parameters: &Parameters) -> Option<f64> {
    parameters.check().ok()?;
    let operations = plan(list, command, parameters).ok()?;
    if !regular(&operations, parameters) {
        return None;
    }
    let mut free = Free::at(parameters.command_cycles);
    let mut done = parameters.command_cycles;
    for operation in &operations {
        if operation.waits_to_read {
            free.hold_reads(done);
        }
        done = match &operation.kind {
            Kind::Math(steps) => free.math_token(steps, done),
            Kind::Gemm(tiles) => free.product(tiles, done),
        };
    }
    Some(done)
}

fn regular(operations: &[Operation], parameters: &Parameters) -> bool {
    let chained = operations
        .iter()
        .enumerate()
        .all(|(index, operation)| index == 0 || operation.waits.contains(&(index as u32 - 1)));
    let first_held = operations.iter().position(|operation| operation.waits_to_read).unwrap_or(operations.len());
    let early = |operation: &Operation| operation.reads() && !operation.waits_to_read;
    let held = !operations[first_held..].iter().any(early);
    let others = operations.iter().filter(|operation| matches!(operation.kind, Kind::Math(_))).count();
    let product = operations.iter().position(|operation| matches!(operation.kind, Kind::Gemm(_)));
    let reads_behind =
        product.is_some_and(|place| !operations[place].reads() && operations[place + 1..].iter().any(early));
    // The last part of K alone may read: what an accumulating product adds to.
    let even = product.is_none_or(|place| {
        let Kind::Gemm(tiles) = &operations[place].kind else { return true };
        tiles.class(false, false, false).read.is_some() == tiles.class(false, false, true).read.is_some()
            || tiles.k.count == 1
    });
    chained && held && even && !reads_behind && others <= parameters.queue_depth as usize
}

impl Operation {
    /// Its first token reads.
    fn reads(&self) -> bool {
        match &self.kind {
            Kind::Math(steps) => steps.read.is_some(),
            Kind::Gemm(tiles) => tiles.steps(0).first() == Engine::Read,
        }
    }
}

/// When each engine falls free.
pub(super) struct Free {
    read: f64,
    gemm: f64,
    math: f64,
    write: f64,
}

impl Free {
    /// All engines idle from `cycle` on.
    pub fn at(cycle: f64) -> Self {
        Self { read: cycle, gemm: cycle, math: cycle, write: cycle }
    }

    /// Nothing more is read before `cycle`.
    pub fn hold_reads(&mut self, cycle: f64) {
        self.read = self.read.max(cycle);
    }

    /// Runs one token that may compute from `ready` on; when it is done.
    pub fn math_token(&mut self, steps: &Steps, ready: f64) -> f64 {
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
    pub fn product(&mut self, tiles: &Tiles, ready: f64) -> f64 {
        let row = |last_m: bool| {
            let column = |last_n: bool| {
                let part = |last_k: bool| Matrix::of(tiles.class(last_m, last_n, last_k));
                repeated(tiles.k.count, part)
            };
            repeated(tiles.n.count, column)
        };
        let all = repeated(tiles.m.count, row);
        // `ready` holds for every tile, so it is enough that the first one respects it.
        let [read, gemm, write] = all.apply([self.read, self.gemm.max(ready), self.write]);
        (self.read, self.gemm, self.write) = (read, gemm, write);
        gemm.max(write)
    }
}

/// `count` parts, one after the other, the last one apart: `part` says what it is whether it is the last one.
fn repeated(count: u64, part: impl Fn(bool) -> Matrix) -> Matrix {
    let last = part(true);
    if count > 1 { part(false).power(count - 1).then(&last) } else { last }
}

/// A map of the times at which the read, GEMM and write engines fall free: an entry is what a new time owes to an old
/// one, and the new time the largest of the sums. No time owes anything to an engine further down a tile's way, so
/// entries above the diagonal are minus infinity and not kept.
#[derive(Clone, Copy)]
struct Matrix {
    read: f64,
    gemm_read: f64,
    gemm: f64,
    write_read: f64,
    write_gemm: f64,
    write: f64,
}

const NEVER: f64 = f64::NEG_INFINITY;

impl Matrix {
    /// One tile.
    fn of(steps: &Steps) -> Self {
        let gemm = steps.compute.cycles;
        let (read, gemm_read) = steps.read.map_or((0.0, NEVER), |read| (read, read + gemm));
        let (write_read, write_gemm, write) =
            steps.write.map_or((NEVER, NEVER, 0.0), |write| (gemm_read + write, gemm + write, write));
        Self { read, gemm_read, gemm, write_read, write_gemm, write }
    }

    /// This one, then `next`.
    fn then(&self, next: &Self) -> Self {
        Self {
            read: next.read + self.read,
            gemm_read: (next.gemm_read + self.read).max(next.gemm + self.gemm_read),
            gemm: next.gemm + self.gemm,
            write_read: (next.write_read + self.read)
                .max(next.write_gemm + self.gemm_read)
                .max(next.write + self.write_read),
            write_gemm: (next.write_gemm + self.gemm).max(next.write + self.write_gemm),
            write: next.write + self.write,
        }
    }

    /// This one `times` times, at least once.
    ///
    /// An entry of the power is the heaviest way of so many steps from one engine to another. A way goes down at most
    /// twice and stays at an engine in between; how long it stays where is free, so that the heaviest one stays at the
    /// engine with the largest diagonal entry all the time.
    fn power(&self, times: u64) -> Self {
        let times = times as f64;
        let stay = times - 1.0;
        let (upper, lower) = (self.read.max(self.gemm), self.gemm.max(self.write));
        let direct = self.write_read + stay * self.read.max(self.write);
        let over_gemm = self.gemm_read + self.write_gemm + (stay - 1.0) * upper.max(lower);
        Self {
            read: times * self.read,
            gemm_read: self.gemm_read + stay * upper,
            gemm: times * self.gemm,
            write_read: if stay >= 1.0 { direct.max(over_gemm) } else { direct },
            write_gemm: self.write_gemm + stay * lower,
            write: times * self.write,
        }
    }

    fn apply(&self, [read, gemm, write]: [f64; 3]) -> [f64; 3] {
        [
            self.read + read,
            (self.gemm_read + read).max(self.gemm + gemm),
            (self.write_read + read).max(self.write_gemm + gemm).max(self.write + write),
        ]
    }
}
