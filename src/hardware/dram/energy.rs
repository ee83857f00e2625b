//! Energy per bit of DRAM families, with its range, source and confidence.

use super::{DramError, DramPart};
use crate::hardware::builtin;
use serde::Deserialize;

const TEXT: &str = include_str!("../data/dram_energy.csv");

/// Energy of moving one bit to or from a DRAM.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyPerBit {
    /// The figure used unless a file says otherwise.
    pub pj_per_bit: f64,
    /// The lowest and highest figure quoted for the same boundary.
    pub range: (f64, f64),
    /// What the figure includes.
    pub scope: String,
    pub source: String,
    /// `secondary`: read in a second publication; `memory`: quoted without a document at hand.
    pub confidence: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    family: String,
    pj_per_bit: f64,
    low: f64,
    high: f64,
    #[serde(rename = "use")]
    role: String,
    scope: String,
    source: String,
    confidence: String,
}

impl DramPart {
    /// This part's energy per bit.
    ///
    /// # Errors
    /// As [`energy_per_bit`]; every part's family is in the table.
    pub fn energy_per_bit(&self) -> Result<EnergyPerBit, DramError> {
        energy_per_bit(self.family)
    }
}

/// The energy per bit of a DRAM family, such as `LPDDR4`.
///
/// # Errors
/// An unknown family, with the known ones.
pub fn energy_per_bit(family: &str) -> Result<EnergyPerBit, DramError> {
    let rows: Vec<Row> = builtin::rows(TEXT).map_err(DramError::BrokenTable)?;
    let own = || rows.iter().filter(|row| row.family.eq_ignore_ascii_case(family) && row.role != "other");
    let Some(typical) = own().find(|row| row.role == "typical") else {
        let mut known: Vec<String> = rows.iter().map(|row| row.family.clone()).collect();
        known.dedup();
        return Err(DramError::UnknownFamily { name: family.to_owned(), known });
    };
    Ok(EnergyPerBit {
        pj_per_bit: typical.pj_per_bit,
        range: (own().map(|row| row.low).fold(f64::INFINITY, f64::min), own().map(|row| row.high).fold(0.0, f64::max)),
        scope: typical.scope.clone(),
        source: typical.source.clone(),
        confidence: typical.confidence.clone(),
    })
}
