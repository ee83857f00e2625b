//! Scaling of area, delay and energy between technology nodes.
//!
//! Logic follows Stillmaker & Baas (Integration 58, 2017, pages 74-81): their area table, and their delay and energy
//! polynomials at each node's nominal supply. Nodes that they do not list (12, 22, 28, 40 nm) are interpolated between
//! those that they do, and the result says so. SRAM does not scale like logic: use the cells of [`sram_cell`].
//! Scaling is only ever done on request. A factor turns a figure at one node into the figure at the other; areas of
//! advanced nodes are estimates from the early 2010s. Power at equal frequency is energy's factor.

use super::builtin;
use serde::Deserialize;
use std::fmt;
use std::sync::OnceLock;

/// Where the logic factors come from.
pub const SOURCE: &str = "Stillmaker & Baas, Integration 58 (2017) 74-81";

const TEXT: &str = include_str!("data/tech.csv");

/// Transistors whose delay and energy are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transistors {
    HighPerformance,
    /// Low power: 7 to 45 nm only.
    LowPower,
}

/// What a figure is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    pub from_nm: u32,
    pub to_nm: u32,
    pub area: f64,
    pub delay: f64,
    pub energy: f64,
    /// Supply voltages at the nodes, where the table states them.
    pub supply_v: Option<(f64, f64)>,
    /// One of the nodes lies between those of the publication.
    pub interpolated: bool,
}

/// A foundry's high-density six-transistor SRAM cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SramCell {
    pub node_nm: u32,
    pub area_um2: f64,
    /// Says `memory` where it was quoted without a document at hand.
    pub source: &'static str,
}

/// Why there is no factor.
#[derive(Debug, Clone, PartialEq)]
pub enum TechnologyError {
    /// A node without figures; the known ones, nearest first.
    UnknownNode { node_nm: u32, known: Vec<u32> },
    /// Both nodes are known, but no set has both; the targets that the first one has, nearest to the second first.
    UnknownPair { from_nm: u32, to_nm: u32, known: Vec<u32> },
    /// The built-in table does not parse: a fault of the program.
    BrokenTable(String),
}

impl fmt::Display for TechnologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |nodes: &[u32]| nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::UnknownNode { node_nm, known } => {
                write!(f, "no scaling for {node_nm} nm: known, nearest first, are {} nm", list(known))
            }
            Self::UnknownPair { from_nm, to_nm, known } => write!(
                f,
                "no scaling from {from_nm} to {to_nm} nm: from {from_nm} nm it goes to, nearest first, {} nm",
                list(known)
            ),
            Self::BrokenTable(why) => write!(f, "the built-in technology table is broken: {why}"),
        }
    }
}

impl std::error::Error for TechnologyError {}

/// The factors from one node to another.
///
/// Where the publication has both nodes its figures are used, else those interpolated, for all three alike.
///
/// # Errors
/// An unknown node, or a pair that no set has (such as 180 to 28 nm, or low-power transistors above 45 nm).
pub fn scaling(from_nm: u32, to_nm: u32, transistors: Transistors) -> Result<Scaling, TechnologyError> {
    let rows = rows()?;
    for node_nm in [from_nm, to_nm] {
        if !rows.iter().any(|row| row.is_logic() && row.from_nm == Some(node_nm)) {
            let known = nearest(node_nm, rows.iter().filter(|row| row.is_logic()).filter_map(|row| row.from_nm));
            return Err(TechnologyError::UnknownNode { node_nm, known });
        }
    }
    let find = |set: &str, metric: &str| {
        rows.iter()
            .find(|row| row.set == set && row.metric == metric && row.from_nm == Some(from_nm) && row.to_nm == to_nm)
    };
    let (speed_set, may_interpolate) = match transistors {
        Transistors::HighPerformance => ("table-hp", true),
        Transistors::LowPower => ("table-lp", false),
    };
    for (area_set, set, interpolated) in [("table", speed_set, false), ("interpolated", "interpolated", true)] {
        if interpolated && !may_interpolate {
            continue;
        }
        if let (Some(area), Some(delay), Some(energy)) =
            (find(area_set, "area"), find(set, "delay"), find(set, "energy"))
        {
            return Ok(Scaling {
                from_nm,
                to_nm,
                area: area.factor,
                delay: delay.factor,
                energy: energy.factor,
                supply_v: energy.vdd_from.zip(energy.vdd_to),
                interpolated,
            });
        }
    }
    let usable = |row: &&Row| {
        row.metric == "energy"
            && row.from_nm == Some(from_nm)
            && (row.set == speed_set || may_interpolate && row.set == "interpolated")
    };
    let known = nearest(to_nm, rows.iter().filter(usable).map(|row| row.to_nm));
    Err(TechnologyError::UnknownPair { from_nm, to_nm, known })
}

/// The SRAM cell of a node.
///
/// # Errors
/// A node without one, with the known ones.
pub fn sram_cell(node_nm: u32) -> Result<SramCell, TechnologyError> {
    let cells = || rows().map(|rows| rows.iter().filter(|row| row.metric == "bitcell"));
    match cells()?.find(|row| row.to_nm == node_nm) {
        Some(row) => Ok(SramCell { node_nm, area_um2: row.factor, source: &row.source }),
        None => Err(TechnologyError::UnknownNode { node_nm, known: nearest(node_nm, cells()?.map(|row| row.to_nm)) }),
    }
}

/// What an SRAM's cell area is multiplied by from one node to another; its periphery scales less.
///
/// # Errors
/// As [`sram_cell`], for either node.
pub fn sram_cell_scaling(from_nm: u32, to_nm: u32) -> Result<f64, TechnologyError> {
    Ok(sram_cell(to_nm)?.area_um2 / sram_cell(from_nm)?.area_um2)
}

/// Distinct nodes by distance, the smaller first where equal.
fn nearest(node_nm: u32, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut nodes: Vec<u32> = nodes.collect();
    nodes.sort_by_key(|&n| (n.abs_diff(node_nm), n));
    nodes.dedup();
    nodes
}

#[derive(Debug, Deserialize)]
struct Row {
    set: String,
    metric: String,
    from_nm: Option<u32>,
    to_nm: u32,
    vdd_from: Option<f64>,
    vdd_to: Option<f64>,
    factor: f64,
    source: String,
}

impl Row {
    fn is_logic(&self) -> bool {
        self.metric != "bitcell"
    }
}

fn rows() -> Result<&'static [Row], TechnologyError> {
    static ROWS: OnceLock<Result<Vec<Row>, String>> = OnceLock::new();
    ROWS.get_or_init(|| builtin::rows(TEXT)).as_deref().map_err(|why| TechnologyError::BrokenTable(why.clone()))
}

#[cfg(test)]
#[path = "technology_tests.rs"]
mod tests;
