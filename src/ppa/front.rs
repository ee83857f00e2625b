//! What a study is on one workload before its schedule: hardware, operators, mapping.

use crate::hardware::{Clock, Dram, Sram, Unit, compile_dram, compile_sram, compile_unit};
use crate::mapping::{Mapped, Traffic, compile_traffic, map_operators};
use crate::operator::{Operator, Stream, compile_operators};
use crate::spec::Study;
use crate::spec::scope::Scope;

/// Compiled hardware, and the pipeline mapped onto it.
pub struct Front {
    pub clock: Clock,
    pub units: Vec<Unit>,
    pub srams: Vec<Sram>,
    pub dram: Option<Dram>,
    pub operators: Vec<Operator>,
    pub traffic: Vec<Traffic>,
    pub mapped: Vec<Mapped>,
}

impl Front {
    /// Compiles them in a scope to which the workload is bound; `None` if something is faulty, which is reported.
    pub fn compile(scope: &mut Scope<'_>, study: &Study, stream: Option<&Stream>) -> Option<Self> {
        let clock = Clock::compile(scope, &study.hardware.clock);
        let units: Vec<_> = study.hardware.units.iter().map(|unit| compile_unit(scope, unit)).collect();
        let clock = clock?;
        let srams: Vec<_> = study.hardware.srams.iter().map(|sram| compile_sram(scope, sram, &clock)).collect();
        let dram = match &study.hardware.dram {
            Some(decl) => Some(compile_dram(scope, decl, &clock)?),
            None => None,
        };
        let operators = compile_operators(scope, study);
        let units: Vec<_> = units.into_iter().collect::<Option<_>>()?;
        let srams: Vec<_> = srams.into_iter().collect::<Option<_>>()?;
        let operators: Vec<_> = operators.into_iter().collect::<Option<_>>()?;
        let traffic = compile_traffic(scope, study, &operators, &srams, dram.as_ref());
        let traffic: Vec<_> = traffic.into_iter().collect::<Option<_>>()?;
        let mapped = map_operators(scope, study, &operators, &units, &srams, &traffic, stream)?;
        Some(Self { clock, units, srams, dram, operators, traffic, mapped })
    }
}
