//! Every figure of the hardware at a design point: what the file states, what a model gives, which of them counts, and what
//! it rests on.

use std::collections::HashSet;
use std::sync::Arc;

use super::plan::Plan;
use crate::hardware::{Dram, Sram, Stated, Unit};
use crate::spec::figure::{Basis, Range};
use crate::spec::program::{NodeId, Place, Program};
use crate::spec::scope::Scope;

/// A figure of a unit or a memory, apart from its value.
#[derive(Debug, Clone)]
pub struct FigureInfo {
    /// The unit, the SRAM block, or `dram`.
    pub owner: String,
    /// Name with its unit: `area_mm2`, `read_pj_per_byte` ...
    pub name: &'static str,
    /// How the value that counts is known; `None` if the file does not say.
    pub basis: Option<Basis>,
    /// Where the value that counts comes from.
    pub source: Option<String>,
    /// How far what the file states may lie off.
    pub range: Option<Range>,
    /// Mean relative error to expect of the model, where one was measured.
    pub expected_error: Option<f64>,
}

/// A figure at a design point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureValue {
    /// What the result is made of.
    pub used: f64,
    /// What the file states.
    pub published: Option<f64>,
    /// What the model gives.
    pub model: Option<f64>,
    /// The model counts and is asked beyond its table.
    pub extrapolated: bool,
}

impl FigureValue {
    /// The model's value over the stated one, where there are both.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.model? / self.published?)
    }
}

/// The figures of one workload as a program of their own: they cost an evaluation nothing.
pub struct FigureProgram {
    infos: Vec<FigureInfo>,
    program: Program,
    places: Vec<[Option<Place>; 4]>,
}

impl FigureProgram {
    pub(super) fn new(scope: &Scope<'_>, axes: usize, units: &[Unit], srams: &[Sram], dram: Option<&Dram>) -> Self {
        let of_units = units.iter().flat_map(|unit| unit.figures.iter().map(|figure| (unit.name.as_str(), figure)));
        let of_srams = srams.iter().flat_map(|sram| sram.figures.iter().map(|figure| (sram.name.as_str(), figure)));
        let of_dram = dram.into_iter().flat_map(|dram| dram.figures.iter().map(|figure| ("dram", figure)));
        let known = |figure: &Stated| figure.published.is_some() || figure.model.is_some();
        let all: Vec<(&str, &Stated)> =
            of_units.chain(of_srams).chain(of_dram).filter(|(_, figure)| known(figure)).collect();
        let nodes: Vec<[Option<NodeId>; 4]> = all
            .iter()
            .map(|(_, figure)| [Some(figure.used), figure.published, figure.model, figure.extrapolated])
            .collect();
        let outputs: Vec<NodeId> = nodes.iter().flatten().flatten().copied().collect();
        let program = Program::new(&scope.graph, axes, &outputs, &[], &[], Arc::default(), None, &HashSet::new());
        let places = nodes.iter().map(|four| four.map(|node| program.place_of(node?))).collect();
        let infos = all
            .into_iter()
            .map(|(owner, figure)| FigureInfo {
                owner: owner.to_owned(),
                name: figure.name,
                basis: figure.basis,
                source: figure.source.clone(),
                range: figure.range,
                expected_error: figure.expected_error,
            })
            .collect();
        Self { infos, program, places }
    }
}

impl Plan {
    /// Every figure of the hardware that the file states or a model gives, at a point given by its axis values.
    pub fn figures(&self, workload: usize, values: &[f64]) -> Vec<(&FigureInfo, FigureValue)> {
        let Some(workload) = self.workloads.get(workload) else { return Vec::new() };
        let FigureProgram { infos, program, places } = &workload.figures;
        let mut state = program.state();
        for (axis, value) in values.iter().enumerate() {
            program.set_axis(&mut state, axis, *value);
        }
        program.run(&mut state, None, &mut ());
        let at = |place: Option<Place>| place.map(|place| program.scalar(&state, place));
        let value = |[used, published, model, beyond]: &[Option<Place>; 4]| FigureValue {
            used: at(*used).unwrap_or(f64::NAN),
            published: at(*published),
            model: at(*model),
            extrapolated: at(*beyond) == Some(1.0),
        };
        infos.iter().zip(places.iter().map(value)).collect()
    }
}
