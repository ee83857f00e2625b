//! The technology node of a result: the file's own, or another one that its figures are scaled to on request.

use super::technology::{self, Scaling, Transistors};
use crate::spec::expr::Function;
use crate::spec::hardware::HardwareDecl;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

/// How figures of the file's node become figures of the result's.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Node of the result in nm.
    pub node_nm: f64,
    /// The factors; `None`: the file's own node.
    pub scaling: Option<ProcessScaling>,
}

/// The factors of a requested scaling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessScaling {
    /// Logic.
    pub logic: Scaling,
    /// Area of SRAM cells.
    pub sram_area: f64,
}

impl Process {
    /// The file's node, or the one that it asks for. Faults are reported and give `None`.
    ///
    /// Areas of units scale as logic, those of SRAM blocks as cells do. Clocks (the reference and the operating points)
    /// become faster by what delay falls, dynamic power goes with energy times clock, energies and leakage with energy;
    /// that leakage does so is assumed, no set has its scaling.
    pub fn compile(scope: &Scope<'_>, decl: &HardwareDecl) -> Option<Self> {
        let Some((to, span)) = &decl.scale_to_nm else { return Some(Self { node_nm: decl.node_nm, scaling: None }) };
        let (Some(from_nm), Some(to_nm)) = (whole_nm(decl.node_nm), whole_nm(*to)) else {
            scope.error(span, "only whole nodes in nm can be scaled between", "write a node such as 28");
            return None;
        };
        let logic = technology::scaling(from_nm, to_nm, Transistors::HighPerformance);
        let cells = if decl.srams.is_empty() { Ok(1.0) } else { technology::sram_cell_scaling(from_nm, to_nm) };
        match (logic, cells) {
            (Ok(logic), Ok(sram_area)) => {
                Some(Self { node_nm: *to, scaling: Some(ProcessScaling { logic, sram_area }) })
            }
            (Err(error), _) | (_, Err(error)) => {
                scope.error(span, error.to_string(), "choose one of those, or take `scale_to_nm` off");
                None
            }
        }
    }

    /// What the scaling does, for reports; `None` where nothing is scaled.
    pub fn text(&self) -> Option<String> {
        let ProcessScaling { logic, sram_area } = self.scaling?;
        let note = if logic.interpolated { ", interpolated" } else { "" };
        Some(format!(
            "{} nm scaled to {} nm: logic area x {:.4}, SRAM area x {:.4}, delay x {:.4}, energy x {:.4} ({}{note}; SRAM: \
             foundry cells)",
            logic.from_nm,
            logic.to_nm,
            logic.area,
            sram_area,
            logic.delay,
            logic.energy,
            technology::SOURCE,
        ))
    }

    /// Factor on areas of logic.
    pub fn logic_area(&self) -> f64 {
        self.scaling.map_or(1.0, |scaling| scaling.logic.area)
    }

    /// Factor on areas of SRAM.
    pub fn sram_area(&self) -> f64 {
        self.scaling.map_or(1.0, |scaling| scaling.sram_area)
    }

    /// Factor on energies, and on leakage.
    pub fn energy(&self) -> f64 {
        self.scaling.map_or(1.0, |scaling| scaling.logic.energy)
    }

    /// Factor on clocks.
    pub fn clock(&self) -> f64 {
        self.scaling.map_or(1.0, |scaling| 1.0 / scaling.logic.delay)
    }

    /// Factor on dynamic power at the reference clock, which scales too.
    pub fn dynamic_power(&self) -> f64 {
        self.energy() * self.clock()
    }
}

fn whole_nm(nm: f64) -> Option<u32> {
    (nm.fract() == 0.0 && (1.0..=10_000.0).contains(&nm)).then_some(nm as u32)
}

/// A node times a factor that is known before the run.
pub fn scaled(scope: &mut Scope<'_>, node: NodeId, factor: f64) -> NodeId {
    let factor = scope.graph.constant(factor);
    scope.graph.binary(Function::Mul, node, factor)
}
