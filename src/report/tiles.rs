//! The measured tiles of a sweep: what each costs at a design point, and how evenly they spread over groups.

use std::fmt::Write as _;

use super::summary::short;
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::schedule::balance::Balance;
use crate::spec::Study;

/// The tiles of one scene and camera, with the cycles for which one operator's group is occupied by each.
#[derive(Debug, Clone, PartialEq)]
pub struct TileLoad {
    /// Scene and camera.
    pub workload: String,
    /// The operator.
    pub operator: String,
    /// Tiles of a row and of a column of the screen.
    pub grid: (usize, usize),
    /// Row-major index of each tile that has work.
    pub index: Vec<u32>,
    /// Its cycles on one group.
    pub cycles: Vec<f64>,
}

impl TileLoad {
    /// Tiles of the screen.
    pub fn screen(&self) -> usize {
        self.grid.0 * self.grid.1
    }

    /// Cycles of all tiles, over all tiles of the screen.
    pub fn mean(&self) -> f64 {
        self.cycles.iter().sum::<f64>() / self.screen() as f64
    }

    /// The longest tile over the mean.
    pub fn peak(&self) -> f64 {
        self.cycles.iter().copied().fold(0.0, f64::max) / self.mean()
    }
}

/// The loads of every workload that has measured tiles at a point, given by its digits: those of `operator`, or of the one
/// whose tiles take longest. A workload without a value at the point has none.
pub fn loads(study: &Study, plan: &Plan, digits: &[u32], operator: Option<&str>) -> Vec<TileLoad> {
    let mut evaluator = Evaluator::new(plan);
    if evaluator.evaluate(digits) == Outcome::Failed {
        return Vec::new();
    }
    let each = plan.workloads.iter().enumerate();
    each.filter_map(|(at, workload)| {
        let scene = &study.scenes[workload.scene];
        let mut measured = scene.binnings.iter().filter(|binning| binning.camera == workload.camera);
        let binning = measured.nth(evaluator.binning(at)?)?;
        let index = binning.tiles.as_ref()?.index.clone();
        let total = |cycles: &[f64]| cycles.iter().sum::<f64>();
        let (operator, cycles) = evaluator
            .tile_cycles(at)
            .filter(|(name, cycles)| cycles.len() == index.len() && operator.is_none_or(|wanted| wanted == *name))
            .max_by(|(_, a), (_, b)| total(a).total_cmp(&total(b)))?;
        let side = |field: &str| {
            let pixels = scene.fields.iter().find(|(name, _)| name == field)?.1;
            Some((pixels / binning.tile).ceil() as usize)
        };
        Some(TileLoad {
            workload: workload.name.clone(),
            operator: operator.to_owned(),
            grid: (side("width")?, side("height")?),
            index,
            cycles: cycles.to_vec(),
        })
    })
    .collect()
}

/// Names of the operators that work tile by tile.
pub fn operators(plan: &Plan) -> Vec<String> {
    let evaluator = Evaluator::new(plan);
    evaluator.tile_cycles(0).map(|(name, _)| name.to_owned()).collect()
}

/// A table in Markdown: for each load and number of groups what average tiles hide, and what blocks of tiles cost.
pub fn table(loads: &[TileLoad], groups: &[usize]) -> String {
    let mut text = String::from("| tiles of | with work | longest / mean |");
    for count in groups {
        // Writing to a string cannot fail.
        let _ = write!(text, " {count}: measured / average | {count}: blocks / ideal |");
    }
    text.push_str("\n| --- | ---: | ---: |");
    text.push_str(&" ---: | ---: |".repeat(groups.len()));
    text.push('\n');
    for load in loads {
        let _ =
            write!(text, "| {} | {} of {} | {} |", load.workload, load.cycles.len(), load.screen(), short(load.peak()));
        for count in groups {
            let balance = Balance::of(&load.cycles, load.screen(), *count);
            // Rounded here, so that what is nothing has no sign of its own: -0.0 + 0.0 is +0.0.
            let cost = (1000.0 * balance.cost_of_average()).round() / 10.0 + 0.0;
            let blocks = balance.blocks_over_ideal();
            let _ = write!(text, " {cost:+.1} % | {blocks:.2} |");
        }
        text.push('\n');
    }
    text
}
