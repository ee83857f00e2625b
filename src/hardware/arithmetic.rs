//! Energy and area of arithmetic operations by precision and node.
//!
//! Three sets that are never mixed, since their circuits and boundaries differ by several times:
//!
//! * [`OpSet::Horowitz`]: 45 nm at 0.9 V (ISSCC 2014), bare operations, and figures *derived* from these for other nodes;
//! * [`OpSet::Jouppi`]: the 7 nm column of the TPUv4i paper (ISCA 2021), energies only;
//! * [`OpSet::Aladdin`]: 40 nm functional units with their pipeline registers (ISCA 2014), by cycle time.
//!
//! Each figure keeps its source and confidence. Registers, operand delivery and control are in none but Aladdin's.

use super::builtin::rows;
use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

const TEXT: &str = include_str!("data/ops.csv");

/// Where a family of figures comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpSet {
    Horowitz,
    Jouppi,
    Aladdin,
}

impl FromStr for OpSet {
    type Err = ArithmeticError;

    fn from_str(text: &str) -> Result<Self, ArithmeticError> {
        match text {
            "horowitz" => Ok(Self::Horowitz),
            "jouppi" => Ok(Self::Jouppi),
            "aladdin" => Ok(Self::Aladdin),
            other => Err(ArithmeticError::UnknownSet(other.to_owned())),
        }
    }
}

impl fmt::Display for OpSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Horowitz => "horowitz",
            Self::Jouppi => "jouppi",
            Self::Aladdin => "aladdin",
        })
    }
}

/// One operation at one node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct OpFigure {
    pub set: OpSet,
    /// Such as `mul_int8`, `add_fp32`.
    pub op: String,
    pub bits: u32,
    pub node_nm: u32,
    /// Cycle time for which the unit was made, in ns; of Aladdin's only.
    pub cycle_ns: Option<f64>,
    pub vdd: Option<f64>,
    /// Energy of one operation; the range is the source's own, mostly without width.
    pub energy_pj: f64,
    pub energy_low_pj: f64,
    pub energy_high_pj: f64,
    pub area_um2: Option<f64>,
    pub leakage_mw: Option<f64>,
    pub energy_source: String,
    /// Empty where there is no area.
    pub area_source: String,
    /// `memory` and `estimate` are unverified; `derived` is scaled from 45 nm.
    pub confidence: String,
}

/// A multiplication and the addition that accumulates it, of one set and node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MacFigure {
    pub multiply: &'static OpFigure,
    pub add: &'static OpFigure,
}

impl MacFigure {
    /// Energy of one multiply-accumulate.
    pub fn energy_pj(&self) -> f64 {
        self.multiply.energy_pj + self.add.energy_pj
    }

    /// Area of one multiplier and adder, where the set has both.
    pub fn area_um2(&self) -> Option<f64> {
        Some(self.multiply.area_um2? + self.add.area_um2?)
    }

    /// Leakage of both, where the set has it.
    pub fn leakage_mw(&self) -> Option<f64> {
        Some(self.multiply.leakage_mw? + self.add.leakage_mw?)
    }
}

/// Why there is no figure.
#[derive(Debug, Clone, PartialEq)]
pub enum ArithmeticError {
    UnknownSet(String),
    /// The set has no such operation; its operations by likeness.
    UnknownOp {
        set: OpSet,
        op: String,
        nearest: Vec<&'static str>,
    },
    /// The operation is known, but not at that node and cycle time; what it is known at.
    UnknownNode {
        set: OpSet,
        op: String,
        node_nm: u32,
        known: Vec<String>,
    },
    /// The built-in table does not parse: a fault of the program.
    BrokenTable(String),
}

impl fmt::Display for ArithmeticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSet(text) => {
                write!(f, "unknown set of operations `{text}`: write horowitz, jouppi or aladdin")
            }
            Self::UnknownOp { set, op, nearest } => {
                write!(f, "set {set} has no operation `{op}`: nearest are {}", nearest.join(", "))
            }
            Self::UnknownNode { set, op, node_nm, known } => {
                write!(f, "set {set} has no `{op}` at {node_nm} nm: known are {}", known.join(", "))
            }
            Self::BrokenTable(why) => {
                write!(f, "the built-in table of operations is broken: {why}")
            }
        }
    }
}

impl std::error::Error for ArithmeticError {}

/// One operation of a set at a node. `cycle_ns` chooses among Aladdin's units and is `None` for the other sets.
///
/// # Errors
/// An operation that the set does not have, with the nearest; a node or cycle time without it, with those known.
pub fn operation(
    set: OpSet,
    op: &str,
    node_nm: u32,
    cycle_ns: Option<f64>,
) -> Result<&'static OpFigure, ArithmeticError> {
    let figures = figures()?;
    let same: Vec<&OpFigure> = figures.iter().filter(|figure| figure.set == set && figure.op == op).collect();
    if same.is_empty() {
        let mut nearest: Vec<&'static str> =
            figures.iter().filter(|figure| figure.set == set).map(|figure| figure.op.as_str()).collect();
        nearest.sort_by(|a, b| strsim::jaro_winkler(op, b).total_cmp(&strsim::jaro_winkler(op, a)));
        nearest.dedup();
        nearest.truncate(3);
        return Err(ArithmeticError::UnknownOp { set, op: op.to_owned(), nearest });
    }
    if let Some(figure) = same.iter().find(|figure| figure.node_nm == node_nm && figure.cycle_ns == cycle_ns) {
        return Ok(figure);
    }
    let known = same
        .iter()
        .map(|figure| match figure.cycle_ns {
            Some(cycle_ns) => format!("{} nm with a cycle of {cycle_ns} ns", figure.node_nm),
            None => format!("{} nm", figure.node_nm),
        })
        .collect();
    Err(ArithmeticError::UnknownNode { set, op: op.to_owned(), node_nm, known })
}

/// A multiply-accumulate from two operations of the same set, node and cycle time.
///
/// # Errors
/// As [`operation`], for either.
pub fn mac(
    set: OpSet,
    multiply: &str,
    add: &str,
    node_nm: u32,
    cycle_ns: Option<f64>,
) -> Result<MacFigure, ArithmeticError> {
    Ok(MacFigure {
        multiply: operation(set, multiply, node_nm, cycle_ns)?,
        add: operation(set, add, node_nm, cycle_ns)?,
    })
}

/// All figures, in the order of the table.
///
/// # Errors
/// Only where the built-in table is broken.
pub fn figures() -> Result<&'static [OpFigure], ArithmeticError> {
    static FIGURES: OnceLock<Result<Vec<OpFigure>, String>> = OnceLock::new();
    FIGURES.get_or_init(|| rows(TEXT)).as_deref().map_err(|why| ArithmeticError::BrokenTable(why.clone()))
}

#[cfg(test)]
#[path = "arithmetic_tests.rs"]
mod tests;
