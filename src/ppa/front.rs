//! What a study is on one workload before its schedule: hardware, operators, mapping.

use crate::hardware::{Clock, Dram, Process, Sram, Unit, compile_dram, compile_sram, compile_unit};
use crate::mapping::{Capacity, Mapped, Traffic, compile_capacity, compile_traffic, find_candidates, map_operators};
use crate::operator::{Applied, Operator, Stream, apply_techniques, compile_operators};
use crate::schedule::tiles_at_once;
use crate::spec::Study;
use crate::spec::scope::Scope;

/// Compiled hardware, and the pipeline mapped onto it.
pub struct Front {
    pub process: Process,
    pub clock: Clock,
    pub units: Vec<Unit>,
    pub srams: Vec<Sram>,
    pub dram: Option<Dram>,
    pub operators: Vec<Operator>,
    pub applied: Vec<Applied>,
    pub traffic: Vec<Traffic>,
    pub capacities: Vec<Capacity>,
    pub mapped: Vec<Mapped>,
}

impl Front {
    /// Compiles them in a scope to which the workload is bound; `None` if something is faulty, which is reported.
    pub fn compile(scope: &mut Scope<'_>, study: &Study, stream: Option<&Stream>) -> Option<Self> {
        let candidates = find_candidates(scope, study);
        let hardware = &study.hardware;
        let process = Process::compile(scope, hardware)?;
        let clock = Clock::compile(scope, &hardware.clock, &process)?;
        let units: Vec<_> = hardware.units.iter().map(|unit| compile_unit(scope, unit, &clock, &process)).collect();
        let srams: Vec<_> = hardware.srams.iter().map(|sram| compile_sram(scope, sram, &clock, &process)).collect();
        let dram = match &study.hardware.dram {
            Some(decl) => Some(compile_dram(scope, decl, &clock, &dram_patterns(study))?),
            None => None,
        };
        let operators = compile_operators(scope, study);
        let units: Vec<_> = units.into_iter().collect::<Option<_>>()?;
        let srams: Vec<_> = srams.into_iter().collect::<Option<_>>()?;
        let mut operators: Vec<_> = operators.into_iter().collect::<Option<_>>()?;
        let applied = apply_techniques(scope, study, &mut operators)?;
        let traffic = compile_traffic(scope, study, &operators, &srams, dram.as_ref());
        let mut traffic: Vec<_> = traffic.into_iter().collect::<Option<_>>()?;
        let mapped = map_operators(scope, study, &operators, candidates, &units, stream)?;
        let at_once = tiles_at_once(scope, study, &operators, &units, &mapped, stream)?;
        let capacities = compile_capacity(scope, study, &operators, &at_once, &srams, dram.as_ref(), &mut traffic)?;
        Some(Self { process, clock, units, srams, dram, operators, applied, traffic, capacities, mapped })
    }
}

/// The DRAM access patterns that a study asks for: of its traffic, of what spills, of the misses of caches.
fn dram_patterns(study: &Study) -> Vec<&str> {
    let traffic = study.pipeline.traffic.iter();
    let streams =
        traffic.clone().filter(|traffic| traffic.memory.0 == "dram").map(|traffic| traffic.pattern.0.as_str());
    let sets = traffic.filter_map(|traffic| traffic.working_set.as_ref()?.spill.as_ref());
    let misses = study.hardware.srams.iter().filter_map(|sram| sram.hit_rate.as_ref().map(|curve| &curve.miss_pattern));
    streams.chain(sets.chain(misses).map(|(pattern, _)| pattern.as_str())).collect()
}
