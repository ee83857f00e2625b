//! The values of an evaluation, and where each is found.

use super::graph::BinningTiles;

/// Where a node's value is found after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A register.
    Scalar(u32),
    /// A column, one value per tile.
    Column(u32),
    /// A measured field of the binning in force.
    Field(u32),
}

/// Registers and columns of one evaluator; reused from point to point.
pub struct State {
    pub(super) registers: Vec<f64>,
    pub(super) columns: Vec<Vec<f64>>,
}

impl State {
    /// Sets a value: that of a register, or of one tile of a column. Fields are measured and stay.
    pub(super) fn write(&mut self, place: Place, tile: usize, value: f64) {
        match place {
            Place::Scalar(at) => self.registers[at as usize] = value,
            Place::Column(at) => {
                let column = &mut self.columns[at as usize];
                if tile == 0 {
                    column.clear();
                }
                column.push(value);
            }
            Place::Field(_) => {}
        }
    }
}

/// Read access to the tile values of a [`State`].
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    pub(super) columns: &'a [Vec<f64>],
    pub(super) binning: Option<&'a BinningTiles>,
    pub(super) registers: &'a [f64],
}

impl<'a> Columns<'a> {
    /// The values at a place: one for a scalar, else one per tile.
    #[inline]
    pub fn get(&self, place: Place) -> &'a [f64] {
        match place {
            Place::Scalar(at) => std::slice::from_ref(&self.registers[at as usize]),
            Place::Column(at) => &self.columns[at as usize],
            Place::Field(at) => {
                self.binning.and_then(|binning| binning.fields.get(at as usize)).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// Tiles of the binning in force; 0 where nothing is measured by tile.
    #[inline]
    pub fn tiles(&self) -> usize {
        self.binning.map_or(0, |binning| binning.count)
    }

    /// The value of a scalar place, the first one of a column, NaN if there is none.
    #[inline]
    pub fn scalar(&self, place: Place) -> f64 {
        match place {
            Place::Scalar(at) => self.registers[at as usize],
            _ => self.get(place).first().copied().unwrap_or(f64::NAN),
        }
    }
}
