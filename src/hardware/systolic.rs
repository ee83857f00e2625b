//! Cycles of a matrix product on a systolic array, fold by fold.
//!
//! A GEMM `C[M,N] = A[M,K] * B[K,N]` (`A` the inputs, `B` the weights) is cut into *folds*, one per block of the
//! array's rows and columns. What lies still in the array names the dataflow:
//!
//! | dataflow | array rows hold | array columns hold | streams | cycles of one fold |
//! | --- | --- | --- | --- | --- |
//! | output stationary | M | N | K | K + R + C - 2 |
//! | weight stationary | K | N | M | M + 2 R + C - 2 |
//! | input stationary | K | M | N | N + 2 R + C - 2 |
//!
//! R and C are the whole array's also in a partly filled fold; the last cycle's index is counted, hence one cycle less
//! than the sum of all folds. The first two rows equal every run of SCALE-Sim 3.0.0 in `scalesim_gemm.csv`; the third
//! follows from `(A B)^T = B^T A^T`: input stationary (M, N, K) is weight stationary (N, M, K).

use std::fmt;
use std::str::FromStr;

/// Counts above this (2^53) are refused: they would not be exact as `f64` cycles.
const LARGEST: u128 = 1 << 53;

/// A matrix product: `m` x `k` inputs by `k` x `n` weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gemm {
    pub m: u64,
    pub n: u64,
    pub k: u64,
}

/// Which operand stays in the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dataflow {
    OutputStationary,
    WeightStationary,
    InputStationary,
}

/// Which dimension of a product lies where in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roles<T> {
    /// Cut into blocks of the array's rows.
    pub along_rows: T,
    /// Cut into blocks of the array's columns.
    pub along_cols: T,
    /// Streams through, one element per cycle.
    pub stream: T,
}

impl Dataflow {
    /// The middle columns of the module's table.
    pub fn roles<T>(self, m: T, n: T, k: T) -> Roles<T> {
        let (along_rows, along_cols, stream) = match self {
            Self::OutputStationary => (m, n, k),
            Self::WeightStationary => (k, n, m),
            Self::InputStationary => (k, m, n),
        };
        Roles { along_rows, along_cols, stream }
    }

    /// How often a fold passes the array's rows: once to fill it, and once before that where operands stay in it.
    pub fn fills(self) -> u64 {
        if self == Self::OutputStationary { 1 } else { 2 }
    }
}

impl FromStr for Dataflow {
    type Err = SystolicError;

    /// Reads the field's abbreviations `os`, `ws` and `is`.
    fn from_str(text: &str) -> Result<Self, SystolicError> {
        match text {
            "os" => Ok(Self::OutputStationary),
            "ws" => Ok(Self::WeightStationary),
            "is" => Ok(Self::InputStationary),
            other => Err(SystolicError::UnknownDataflow(other.to_owned())),
        }
    }
}

impl fmt::Display for Dataflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutputStationary => "os",
            Self::WeightStationary => "ws",
            Self::InputStationary => "is",
        })
    }
}

/// An array of `rows` x `cols` multiply-accumulate units, one MAC each per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystolicArray {
    pub rows: u64,
    pub cols: u64,
    pub dataflow: Dataflow,
}

/// Bytes of one element of each operand; fractions are fine (4-bit weights are 0.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementBytes {
    pub input: f64,
    pub weight: f64,
    pub output: f64,
    /// A partial sum that leaves the array between two folds of K (weight and input stationary only).
    pub partial: f64,
}

/// Bytes per cycle that the array's operand ports move; `f64::INFINITY` is no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperandBandwidth {
    pub input: f64,
    pub weight: f64,
    /// Results, and partial sums both ways.
    pub output: f64,
    /// All operands together, where they share one memory port.
    pub shared: f64,
}

impl OperandBandwidth {
    /// No limit on any port: the ideal cycle count.
    pub const AMPLE: Self =
        Self { input: f64::INFINITY, weight: f64::INFINITY, output: f64::INFINITY, shared: f64::INFINITY };
}

/// Bytes that cross the array's edge during one GEMM (or one fold).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub input: f64,
    pub weight: f64,
    pub output: f64,
    /// Partial sums, written and read back.
    pub partial: f64,
}

impl Traffic {
    fn add(&mut self, fold: &Self, times: f64) {
        self.input += fold.input * times;
        self.weight += fold.weight * times;
        self.output += fold.output * times;
        self.partial += fold.partial * times;
    }

    /// Cycles that the ports need; 0 where nothing moves, also over an unlimited port.
    fn cycles(&self, bandwidth: &OperandBandwidth) -> f64 {
        let results = self.output + self.partial;
        (self.input / bandwidth.input)
            .max(self.weight / bandwidth.weight)
            .max(results / bandwidth.output)
            .max((self.input + self.weight + results) / bandwidth.shared)
    }
}

/// What one GEMM takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GemmTiming {
    /// Cycles with operands always there: the closed form of the module's table.
    pub compute_cycles: u64,
    /// Cycles added because a port moves a fold's operands more slowly than the array works.
    pub stall_cycles: f64,
    /// Cycles before the first fold may start, where its operands have not been fetched ahead. Not in the total.
    pub cold_start_cycles: f64,
    pub folds: u64,
    pub macs: u64,
    /// MACs over `rows * cols * (compute + stall)` cycles, in (0, 1].
    pub utilization: f64,
    /// Share of the array's units that a fold fills on average, in (0, 1].
    pub mapping_efficiency: f64,
    pub traffic: Traffic,
}

impl GemmTiming {
    /// Compute and stall cycles.
    pub fn total_cycles(&self) -> f64 {
        self.compute_cycles as f64 + self.stall_cycles
    }
}

/// Why a GEMM can not be timed.
#[derive(Debug, Clone, PartialEq)]
pub enum SystolicError {
    UnknownDataflow(String),
    /// A dimension of the product or of the array is 0.
    Zero(&'static str),
    /// Cycles, folds or MACs exceed 2^53.
    TooLarge,
    /// A bandwidth that is not above 0, or an element size that is negative or not finite.
    BadFigure(&'static str, f64),
}

impl fmt::Display for SystolicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownDataflow(text) => {
                write!(f, "unknown dataflow `{text}`: write os, ws or is")
            }
            Self::Zero(what) => write!(f, "{what} must be at least 1"),
            Self::TooLarge => write!(f, "the product needs more than 2^53 cycles or MACs"),
            Self::BadFigure(what, value) => write!(f, "{what} can not be {value}"),
        }
    }
}

impl std::error::Error for SystolicError {}

/// What the operands' shapes alone decide.
struct Folds {
    folds: u128,
    fold_cycles: u128,
    macs: u128,
    compute: u128,
}

/// A run of equal blocks along one array dimension: `count` blocks of `size` used rows or columns.
#[derive(Clone, Copy)]
struct Blocks {
    count: u64,
    size: u64,
    first: bool,
    last: bool,
}

/// Cuts `extent` into blocks of `width`: the first, those between, and the (partly filled) last; some may be empty.
fn blocks(extent: u64, width: u64) -> [Blocks; 3] {
    let count = extent.div_ceil(width);
    let rest = extent - (count - 1) * width;
    let block = |count, size, first, last| Blocks { count, size, first, last };
    if count == 1 {
        return [block(1, rest, true, true), block(0, width, false, false), block(0, width, false, false)];
    }
    [block(1, width, true, false), block(count - 2, width, false, false), block(1, rest, false, true)]
}

impl SystolicArray {
    /// Times `gemm` with operands of `bytes` per element over ports of `bandwidth`.
    ///
    /// Operand buffers are double: while a fold computes, the next one's operands come in and the last one's results
    /// go out. A fold so lasts `max(compute, bytes / bandwidth)` over the ports, and the stall is the sum over folds of
    /// what exceeds the compute time. Each fold moves every operand that it uses once: nothing is kept across folds.
    ///
    /// # Errors
    /// A zero dimension, counts beyond 2^53, a bandwidth that is not positive, an element size that is negative.
    pub fn time(
        &self,
        gemm: Gemm,
        bytes: ElementBytes,
        bandwidth: OperandBandwidth,
    ) -> Result<GemmTiming, SystolicError> {
        self.check(gemm, bytes, bandwidth)?;
        let Gemm { m, n, k } = gemm;
        let Roles { along_rows, along_cols, stream } = self.dataflow.roles(m, n, k);
        let Folds { folds, fold_cycles, macs, compute } = self.folds(gemm)?;
        let units = u128::from(self.rows) * u128::from(self.cols);

        let mut traffic = Traffic::default();
        let (mut stall, mut cold_start) = (0.0, 0.0);
        for row in blocks(along_rows, self.rows) {
            for col in blocks(along_cols, self.cols) {
                let times = row.count as f64 * col.count as f64;
                let fold = self.fold_traffic(row, col, stream as f64, bytes);
                traffic.add(&fold, times);
                stall += times * (fold.cycles(&bandwidth) - fold_cycles as f64).max(0.0);
                if row.first && col.first {
                    let fetched = Traffic { output: 0.0, partial: 0.0, ..fold };
                    cold_start = fetched.cycles(&bandwidth);
                }
            }
        }
        let total = compute as f64 + stall;
        // What is no number, from a bandwidth next to 0, is too large as well.
        if (total + cold_start).is_nan() || total + cold_start > LARGEST as f64 {
            return Err(SystolicError::TooLarge);
        }
        Ok(GemmTiming {
            compute_cycles: compute as u64,
            stall_cycles: stall,
            cold_start_cycles: cold_start,
            folds: folds as u64,
            macs: macs as u64,
            utilization: macs as f64 / (units as f64 * total),
            mapping_efficiency: along_rows as f64 * along_cols as f64 / (folds as f64 * units as f64),
            traffic,
        })
    }

    /// Cycles of `gemm` with operands always there: [`GemmTiming::compute_cycles`] alone.
    ///
    /// # Errors
    /// A zero dimension, counts beyond 2^53.
    pub fn compute_cycles(&self, gemm: Gemm) -> Result<u64, SystolicError> {
        self.check_counts(gemm)?;
        Ok(self.folds(gemm)?.compute as u64)
    }

    fn folds(&self, Gemm { m, n, k }: Gemm) -> Result<Folds, SystolicError> {
        let Roles { along_rows, along_cols, stream } = self.dataflow.roles(m, n, k);
        let fill_rows = u128::from(self.dataflow.fills()) * u128::from(self.rows);
        let fold_cycles = u128::from(stream) + fill_rows + u128::from(self.cols) - 2;
        let folds = u128::from(along_rows.div_ceil(self.rows)) * u128::from(along_cols.div_ceil(self.cols));
        let units = u128::from(self.rows) * u128::from(self.cols);
        let macs = product(product(m.into(), n.into())?, k.into())?;
        // A single unit in output-stationary flow would come out one cycle under its own MACs: the last cycle's index
        // is then not enough.
        let compute = (product(folds, fold_cycles)? - 1).max(macs.div_ceil(units));
        Ok(Folds { folds, fold_cycles, macs, compute })
    }

    /// Bytes of one fold that uses `row.size` x `col.size` units.
    ///
    /// Weight and input stationary folds produce partial sums over their share of K: all but the last block of K write
    /// them, all but the first read them back.
    fn fold_traffic(&self, row: Blocks, col: Blocks, stream: f64, bytes: ElementBytes) -> Traffic {
        let (rows, cols) = (row.size as f64, col.size as f64);
        let results = stream * cols;
        let spills = f64::from(u8::from(!row.first)) + f64::from(u8::from(!row.last));
        let through = Traffic {
            output: if row.last { results * bytes.output } else { 0.0 },
            partial: results * spills * bytes.partial,
            ..Traffic::default()
        };
        match self.dataflow {
            Dataflow::OutputStationary => Traffic {
                input: rows * stream * bytes.input,
                weight: stream * cols * bytes.weight,
                output: rows * cols * bytes.output,
                partial: 0.0,
            },
            Dataflow::WeightStationary => {
                Traffic { input: stream * rows * bytes.input, weight: rows * cols * bytes.weight, ..through }
            }
            Dataflow::InputStationary => {
                Traffic { input: rows * cols * bytes.input, weight: stream * rows * bytes.weight, ..through }
            }
        }
    }

    fn check_counts(&self, gemm: Gemm) -> Result<(), SystolicError> {
        for (what, value) in [
            ("M", gemm.m),
            ("N", gemm.n),
            ("K", gemm.k),
            ("the array's rows", self.rows),
            ("the array's columns", self.cols),
        ] {
            if value == 0 {
                return Err(SystolicError::Zero(what));
            }
            if u128::from(value) > LARGEST {
                return Err(SystolicError::TooLarge);
            }
        }
        Ok(())
    }

    fn check(&self, gemm: Gemm, bytes: ElementBytes, bandwidth: OperandBandwidth) -> Result<(), SystolicError> {
        self.check_counts(gemm)?;
        for (what, value) in [
            ("input bandwidth", bandwidth.input),
            ("weight bandwidth", bandwidth.weight),
            ("output bandwidth", bandwidth.output),
            ("shared bandwidth", bandwidth.shared),
        ] {
            if value.is_nan() || value <= 0.0 {
                return Err(SystolicError::BadFigure(what, value));
            }
        }
        for (what, value) in [
            ("bytes per input", bytes.input),
            ("bytes per weight", bytes.weight),
            ("bytes per output", bytes.output),
            ("bytes per partial sum", bytes.partial),
        ] {
            if !value.is_finite() || value < 0.0 {
                return Err(SystolicError::BadFigure(what, value));
            }
        }
        Ok(())
    }
}

/// A product that stays within [`LARGEST`].
fn product(a: u128, b: u128) -> Result<u128, SystolicError> {
    a.checked_mul(b).filter(|&value| value <= LARGEST).ok_or(SystolicError::TooLarge)
}

#[cfg(test)]
#[path = "systolic_tests.rs"]
mod tests;
