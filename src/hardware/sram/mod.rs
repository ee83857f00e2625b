//! Area, energy, leakage and access time of an SRAM block.
//!
//! The figures are CACTI 7's (360 K): a table over technology node, device, ports, banks, access width and capacity
//! (`table.rs`), read between its points by chords (`curve.rs`) over capacity and geometric weights over banks and width. A
//! [`SramModel`] is prepared once for a shape and then evaluated over capacity without allocation. What lies outside
//! the table is computed by a stated rule and flagged as [`Extrapolated`].
//!
//! Capacity is the total over banks; an energy is one access of the full width to one bank. CACTI's areas are
//! optimistic against foundry compilers (its cell is 10 % small at 28 nm, 23 % at 22 nm).

mod curve;
mod node;
mod shape;
mod table;
#[cfg(test)]
mod tests;

pub use node::{SramBlockModel, SramFigure, SramNode};
pub use shape::{Device, Ports, SramShape};
pub use table::SOURCE;

use curve::{Curve, FIGURES, KNOTS};
use shape::Blend;
use std::fmt;
use table::{Figure, Table};

/// Capacities above this (2^50 bytes) are refused.
pub const MAX_CAPACITY_BYTES: f64 = 1_125_899_906_842_624.0;

/// Figures of one block. All are finite and positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SramFigures {
    /// Area of all banks and their wiring.
    pub area_mm2: f64,
    /// Energy of one read of the access width.
    pub read_pj: f64,
    /// Energy of one write of the access width.
    pub write_pj: f64,
    /// Leakage of the whole block at 360 K.
    pub leakage_mw: f64,
    /// Time from address to data.
    pub access_ns: f64,
    pub extrapolated: Extrapolated,
}

/// In which directions a figure lies outside the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extrapolated {
    /// Under 32 words per bank, under 1 KiB, or above 16 MiB: a power law through the nearest points.
    pub capacity: bool,
    /// More than 8 banks: blocks of 8 banks side by side, each doubling wired as that from 4 to 8 banks is.
    pub banks: bool,
    /// Wider than 128 bytes: blocks side by side, wired as from 64 to 128; narrower than 4: the figures of 4.
    pub width: bool,
    /// A write port of its own and several banks: one-port figures times what that port adds to one bank.
    pub ports: bool,
}

impl Extrapolated {
    /// Whether any direction lies outside the table.
    pub fn any(self) -> bool {
        self.capacity || self.banks || self.width || self.ports
    }
}

/// Mean relative error of each figure (0.02 is 2 %), against CACTI runs that are no part of the table; a test measures
/// them. Capacities outside the table were not measured; leakage was for one bank, and by leaving sizes out for more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedError {
    pub access: f64,
    pub read: f64,
    pub write: f64,
    pub leakage: f64,
    pub area: f64,
}

/// Banks and width of the table, any capacity inside it. At the table's own sizes there is no error.
pub const BETWEEN_SIZES: ExpectedError =
    ExpectedError { access: 0.018, read: 0.028, write: 0.02, leakage: 0.022, area: 0.02 };
/// A width or a number of banks that is no power of two.
pub const BETWEEN_WIDTHS: ExpectedError =
    ExpectedError { access: 0.046, read: 0.076, write: 0.058, leakage: 0.032, area: 0.052 };
/// A write port of its own and several banks; its leakage was not measured.
pub const WRITE_PORT_AND_BANKS: ExpectedError =
    ExpectedError { access: 0.06, read: 0.083, write: 0.072, leakage: 0.032, area: 0.087 };
/// 16 and 32 banks, or 256 bytes of width.
pub const BEYOND_THE_TABLE: ExpectedError =
    ExpectedError { access: 0.155, read: 0.24, write: 0.16, leakage: 0.04, area: 0.22 };

/// Why there are no figures.
#[derive(Debug, Clone, PartialEq)]
pub enum SramError {
    /// The node is not in the table; the known ones, nearest first.
    UnknownNode {
        node_nm: u32,
        known: Vec<u32>,
    },
    UnknownDevice(String),
    UnknownPorts(String),
    NoBanks,
    /// An access width that is not a positive number of bytes, or above 2^20.
    BadWidth(f64),
    /// A capacity that is not a positive number of bytes, or above [`MAX_CAPACITY_BYTES`].
    BadCapacity(f64),
    /// The built-in table does not parse: a fault of the program.
    BrokenTable(String),
}

impl fmt::Display for SramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownNode { node_nm, known } => {
                let list: Vec<String> = known.iter().map(u32::to_string).collect();
                write!(f, "no SRAM figures for {node_nm} nm: known, nearest first, are {} nm", list.join(", "))
            }
            Self::UnknownDevice(text) => write!(f, "unknown device `{text}`: write hp or lstp"),
            Self::UnknownPorts(text) => write!(f, "unknown ports `{text}`: write 1rw or 1r1w"),
            Self::NoBanks => write!(f, "an SRAM block needs at least 1 bank"),
            Self::BadWidth(bytes) => {
                write!(f, "an access width of {bytes} bytes: it must be above 0 and at most 2^20")
            }
            Self::BadCapacity(bytes) => {
                write!(f, "a capacity of {bytes} bytes: it must be above 0 and at most 2^50")
            }
            Self::BrokenTable(why) => write!(f, "the built-in SRAM table is broken: {why}"),
        }
    }
}

impl std::error::Error for SramError {}

/// The figures of one shape over capacity.
#[derive(Debug, Clone)]
pub struct SramModel {
    curve: Curve,
    /// Capacity of the macro that the curve describes is the block's over this: blocks side by side.
    macros: f64,
    /// Macros that one access activates.
    active: f64,
    flags: Extrapolated,
    expected_error: ExpectedError,
}

impl SramModel {
    /// Prepares the figures of one shape.
    ///
    /// # Errors
    /// An unknown node, no banks, an impossible width.
    pub fn new(shape: SramShape) -> Result<Self, SramError> {
        if shape.banks == 0 {
            return Err(SramError::NoBanks);
        }
        if !(shape.width_bytes > 0.0 && shape.width_bytes <= 1_048_576.0) {
            return Err(SramError::BadWidth(shape.width_bytes));
        }
        let table = Table::builtin()?;
        table.check_node(shape.node_nm)?;
        let banks = Blend::between(&table::BANKS, f64::from(shape.banks));
        let widths = Blend::between(&table::WIDTHS, shape.width_bytes);
        let curve = blended_curve(table, shape, &banks, &widths)?;
        let active = widths.beyond;
        let split = shape.ports == Ports::OneReadOneWrite && shape.banks > 1;
        let expected_error = if banks.outside || widths.outside {
            BEYOND_THE_TABLE
        } else if split {
            WRITE_PORT_AND_BANKS
        } else if banks.is_between() || widths.is_between() {
            BETWEEN_WIDTHS
        } else {
            BETWEEN_SIZES
        };
        Ok(Self {
            curve,
            macros: banks.beyond * active,
            active,
            flags: Extrapolated { capacity: false, banks: banks.beyond > 1.0, width: widths.outside, ports: split },
            expected_error,
        })
    }

    /// The figures at `capacity_bytes` (total over banks).
    ///
    /// # Errors
    /// A capacity that is not positive, not a number, or above [`MAX_CAPACITY_BYTES`].
    #[inline]
    pub fn at(&self, capacity_bytes: f64) -> Result<SramFigures, SramError> {
        if !(capacity_bytes > 0.0 && capacity_bytes <= MAX_CAPACITY_BYTES) {
            return Err(SramError::BadCapacity(capacity_bytes));
        }
        let (values, outside) = self.curve.at(capacity_bytes / self.macros);
        let mut extrapolated = self.flags;
        extrapolated.capacity = outside;
        Ok(SramFigures {
            area_mm2: values[Figure::Area as usize] * self.macros,
            read_pj: values[Figure::Read as usize] * self.active,
            write_pj: values[Figure::Write as usize] * self.active,
            leakage_mw: values[Figure::Leakage as usize] * self.macros,
            access_ns: values[Figure::Access as usize],
            extrapolated,
        })
    }

    /// The mean relative errors to expect at capacities inside the table.
    pub fn expected_error(&self) -> ExpectedError {
        self.expected_error
    }

    /// The capacities in bytes at which one chord ends and the next begins.
    fn knots(&self) -> impl Iterator<Item = f64> + '_ {
        self.curve.sizes().iter().map(|size| size * self.macros)
    }

    /// The capacities in bytes between which nothing is extrapolated.
    pub fn capacity_range_bytes(&self) -> (f64, f64) {
        let (low, high) = self.curve.range();
        (low * self.macros, high * self.macros)
    }
}

/// Joins the up to four series around the shape: weighted geometric means, since figures follow powers of both.
fn blended_curve(table: &Table, shape: SramShape, banks: &Blend, widths: &Blend) -> Result<Curve, SramError> {
    let mut logs = [[0.0; FIGURES]; KNOTS];
    let mut lowest = 0.0_f64;
    for (bank, bank_share) in banks.parts() {
        for (width, width_share) in widths.parts() {
            let share = bank_share * width_share;
            if share == 0.0 {
                continue;
            }
            let curve = |bank: f64, width: f64| table.curve(shape, bank as u32, width as u32);
            let series = curve(bank, width)?;
            lowest = lowest.max(series.range().0);
            add(&mut logs, share, |size| series.at(size).0);
            if banks.beyond > 1.0 {
                let half = curve(bank / 2.0, width)?;
                add(&mut logs, share * banks.beyond.log2(), |size| wiring(&series, &half, size, MORE_BANKS));
            }
            if widths.beyond > 1.0 {
                let half = curve(bank, width / 2.0)?;
                add(&mut logs, share * widths.beyond.log2(), |size| wiring(&series, &half, size, MORE_WIDTH));
            }
        }
    }
    let values = logs.map(|knot| knot.map(f64::exp));
    let first = table::SIZES.iter().position(|&size| size >= lowest).unwrap_or(0);
    Ok(Curve::through(&table::SIZES[first..], &values[first..]))
}

/// Adds the logarithms of figures over the table's sizes.
fn add(logs: &mut [[f64; FIGURES]; KNOTS], weight: f64, figures: impl Fn(f64) -> [f64; FIGURES]) {
    for (sums, &size) in logs.iter_mut().zip(&table::SIZES) {
        for (sum, figure) in sums.iter_mut().zip(figures(size)) {
            *sum += weight * figure.ln();
        }
    }
}

/// What figures become when two equal macros stand side by side and one answers (more banks) or both do (more width).
const MORE_BANKS: [f64; FIGURES] = [1.0, 1.0, 1.0, 2.0, 2.0];
const MORE_WIDTH: [f64; FIGURES] = [1.0, 2.0, 2.0, 2.0, 2.0];

/// What one doubling costs over two macros of half the size side by side: the wires between them. It never gains.
fn wiring(whole: &Curve, half: &Curve, size: f64, doubled: [f64; FIGURES]) -> [f64; FIGURES] {
    let (whole, half) = (whole.at(size).0, half.at(size / 2.0).0);
    std::array::from_fn(|figure| (whole[figure] / (doubled[figure] * half[figure])).max(1.0))
}
