//! The metrics as graph nodes.
//!
//! Energy: a unit burns its dynamic power while it computes (`idle = "gated"`) or all the time (`"full"`), and its leakage
//! all the time; an SRAM block likewise, working while the busiest of its units does, plus its energy per byte; DRAM its
//! energy per bit plus background power. Powers in mW times times in ms are uJ.

use crate::hardware::{Clock, Dram, Power, Sram, Unit};
use crate::mapping::{Cause, Mapped, Port, Traffic};
use crate::operator::{Operator, Stream};
use crate::spec::Study;
use crate::spec::expr::Function;
use crate::spec::hardware::{Boundary, Idle};
use crate::spec::pipeline::Direction;
use crate::spec::program::NodeId;
use crate::spec::scope::Scope;

use super::metric::{METRICS, TRAINING};

/// Everything that the metrics are computed from.
pub struct Parts<'a> {
    pub study: &'a Study,
    pub clock: Clock,
    pub units: &'a [Unit],
    pub srams: &'a [Sram],
    pub dram: Option<&'a Dram>,
    pub operators: &'a [Operator],
    pub mapped: &'a [Mapped],
    pub traffic: &'a [Traffic],
    pub stream: Option<&'a Stream>,
    pub makespan: NodeId,
    pub lower_bound: NodeId,
    /// Cycles of one iteration in the steady state, of all, forward, backward; only where edges are carried.
    pub training: Option<[NodeId; 4]>,
}

/// The nodes of [`METRICS`], of the utilization of each unit, of [`TRAINING`], and of [`super::metric::EXTRAPOLATED`].
pub struct MetricNodes {
    pub metrics: Vec<NodeId>,
    pub utilization: Vec<NodeId>,
    /// Cycles of the frame for which each unit computes.
    pub active: Vec<NodeId>,
    /// The same where energy is concerned: cycles with fewer bits count less.
    pub burning: Vec<NodeId>,
    pub training: Vec<NodeId>,
    pub extrapolated: Option<NodeId>,
}

impl MetricNodes {
    /// All of them, in the order of their columns.
    pub fn all(&self) -> impl Iterator<Item = &NodeId> {
        self.metrics.iter().chain(&self.utilization).chain(&self.training).chain(&self.extrapolated)
    }
}

/// Builds the metrics.
pub fn compile_metrics(scope: &mut Scope<'_>, parts: &Parts<'_>) -> MetricNodes {
    let mut build = Build { scope, parts };
    let one = build.constant(1.0);
    let active: Vec<NodeId> = (0..parts.units.len()).map(|unit| build.active_cycles(unit, |_| one)).collect();
    // Cycles with fewer bits burn less: they count less where energy is concerned.
    let burning: Vec<NodeId> = (0..parts.units.len())
        .map(|unit| build.active_cycles(unit, |operator| parts.operators[operator].savings.energy))
        .collect();
    let latency_ms = build.cycles_to_ms(parts.makespan);
    let in_dram = |traffic: &Traffic| traffic.port == Port::Dram;
    let dram_bytes = build.total_over(in_dram, |traffic| traffic.bytes);
    let dram_cycles = build.total_over(in_dram, |traffic| traffic.cycles);
    let spilled_bytes = build.total_over(|traffic| traffic.cause == Cause::Spill, |traffic| traffic.bytes);
    let core_energy = build.core_energy_mj(&burning);
    let dram_energy = build.dram_energy_mj(dram_bytes, latency_ms);
    let includes = |boundary| parts.study.hardware.boundary.contains(&boundary);
    let energy = if includes(Boundary::Dram) { build.add(core_energy, dram_energy) } else { core_energy };
    let power = build.power_mw(energy, latency_ms);
    let area = build.area_mm2(includes(Boundary::Phy));
    let thousand = build.constant(1000.0);
    let fps = build.div(thousand, latency_ms);
    let watts = build.div(power, thousand);
    let lower_bound = build.scope.graph.binary(Function::Max, parts.lower_bound, dram_cycles);
    let billion = build.constant(1e9);
    let zero = build.constant(0.0);
    let at_peak = match parts.dram {
        Some(dram) => build.mul(dram_bytes, dram.cycles_per_byte),
        None => zero,
    };
    let node = |build: &mut Build<'_, '_, '_>, name: &str| match name {
        "latency_ms" => latency_ms,
        "latency_cycles" => parts.makespan,
        "lower_bound_cycles" => lower_bound,
        "fps" => fps,
        "energy_mj" => energy,
        "power_mw" => power,
        "core_power_mw" => build.power_mw(core_energy, latency_ms),
        "dram_power_mw" => build.power_mw(dram_energy, latency_ms),
        "peak_power_mw" => build.peak_power_mw(),
        "area_mm2" => area,
        "edp" => build.mul(energy, latency_ms),
        "fps_per_mm2" => build.div_if_stated(fps, area),
        "fps_per_w" => build.div_if_stated(fps, watts),
        "dram_gb" => build.div(dram_bytes, billion),
        "spilled_gb" => build.div(spilled_bytes, billion),
        "dram_utilization" => build.div(at_peak, parts.makespan),
        _ => build.bottleneck(&active, dram_cycles),
    };
    let metrics = METRICS.iter().map(|metric| node(&mut build, metric.name)).collect();
    let utilization = active.iter().map(|cycles| build.div(*cycles, parts.makespan)).collect();
    let training = parts.training.iter().flat_map(|[iteration, total, forward, backward]| {
        let seconds = {
            let milliseconds = build.cycles_to_ms(*total);
            build.div(milliseconds, thousand)
        };
        TRAINING.map(|metric| match metric.name {
            "iteration_cycles" => *iteration,
            "forward_cycles" => *forward,
            "backward_cycles" => *backward,
            "training_cycles" => *total,
            _ => seconds,
        })
    });
    let training = training.collect();
    let extrapolated = parts.study.hardware.may_extrapolate().then(|| build.extrapolated());
    MetricNodes { metrics, utilization, active, burning, training, extrapolated }
}

pub(super) struct Build<'b, 'a, 's> {
    pub(super) scope: &'b mut Scope<'s>,
    pub(super) parts: &'b Parts<'a>,
}

impl Build<'_, '_, '_> {
    pub(super) fn constant(&mut self, value: f64) -> NodeId {
        self.scope.graph.constant(value)
    }

    fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.scope.graph.binary(Function::Add, a, b)
    }

    pub(super) fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.scope.graph.binary(Function::Mul, a, b)
    }

    pub(super) fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.scope.graph.binary(Function::Div, a, b)
    }

    /// The quotient; 0 where the divisor is 0 because the hardware states no figure for it.
    fn div_if_stated(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let zero = self.constant(0.0);
        let is_missing = self.scope.graph.binary(Function::Eq, b, zero);
        let quotient = self.div(a, b);
        self.scope.graph.select(is_missing, zero, quotient)
    }

    pub(super) fn sum(&mut self, nodes: &[NodeId]) -> NodeId {
        let zero = self.constant(0.0);
        nodes.iter().fold(zero, |total, node| self.add(total, *node))
    }

    pub(super) fn cycles_to_ms(&mut self, cycles: NodeId) -> NodeId {
        let thousand = self.constant(1000.0);
        let cycles_per_ms = self.mul(self.parts.clock.mhz, thousand);
        self.div(cycles, cycles_per_ms)
    }

    fn power_mw(&mut self, energy_mj: NodeId, latency_ms: NodeId) -> NodeId {
        let thousand = self.constant(1000.0);
        let watts = self.div(energy_mj, latency_ms);
        self.mul(watts, thousand)
    }

    /// The sum over the frame of a value of each stream of traffic that is wanted.
    pub(super) fn total_over(
        &mut self,
        wanted: impl Fn(&Traffic) -> bool,
        value: impl Fn(&Traffic) -> NodeId,
    ) -> NodeId {
        let parts = self.parts;
        let totals: Vec<NodeId> = parts
            .traffic
            .iter()
            .filter(|traffic| wanted(traffic))
            .map(|traffic| self.frame_total(traffic.operator, value(traffic)))
            .collect();
        self.sum(&totals)
    }

    /// A value per tile or frame of an operator, over the whole frame.
    pub(super) fn frame_total(&mut self, operator: usize, value: NodeId) -> NodeId {
        match self.parts.stream {
            Some(stream) if self.parts.operators[operator].streamed => stream.total(self.scope, value),
            _ => value,
        }
    }

    /// Cycles of the frame for which the whole unit computes, averaged over its groups, each operator's times its weight.
    pub(super) fn active_cycles(&mut self, unit: usize, weight: impl Fn(usize) -> NodeId) -> NodeId {
        let parts = self.parts;
        let index = self.constant(unit as f64);
        let zero = self.constant(0.0);
        let mut shares = Vec::new();
        for (operator, mapped) in
            parts.mapped.iter().enumerate().filter(|(_, mapped)| mapped.candidates.contains(&unit))
        {
            let weighted = self.mul(mapped.cycles, weight(operator));
            let mut cycles = self.frame_total(operator, weighted);
            if parts.operators[operator].streamed {
                cycles = self.div(cycles, parts.units[unit].groups);
            }
            let here = self.scope.graph.binary(Function::Eq, mapped.unit, index);
            shares.push(self.scope.graph.select(here, cycles, zero));
        }
        self.sum(&shares)
    }

    /// mW times cycles of a block's dynamic power; it works for `active` cycles of the frame.
    pub(super) fn dynamic_work(&mut self, power: &Power, active: NodeId) -> NodeId {
        let working = if power.idle == Idle::Full { self.parts.makespan } else { active };
        let dynamic = self.mul(power.dynamic_mw, self.parts.clock.dynamic_factor);
        self.mul(dynamic, working)
    }

    fn core_energy_mj(&mut self, active: &[NodeId]) -> NodeId {
        let parts = self.parts;
        let mut work: Vec<NodeId> =
            parts.units.iter().zip(active).map(|(unit, active)| self.dynamic_work(&unit.power, *active)).collect();
        let mut energies = Vec::new();
        for (at, sram) in parts.srams.iter().enumerate() {
            let working = self.sram_active_cycles(at, active);
            work.push(self.dynamic_work(&sram.power, working));
            let moved =
                |direction| move |traffic: &Traffic| traffic.block == Some(at) && traffic.direction == direction;
            let read = self.total_over(moved(Direction::Read), |traffic| traffic.bytes);
            let written = self.total_over(moved(Direction::Write), |traffic| traffic.bytes);
            for (bytes, pj_per_byte) in [(read, sram.read_pj_per_byte), (written, sram.write_pj_per_byte)] {
                let pj_per_byte = self.mul(pj_per_byte, parts.clock.energy_factor);
                energies.push(self.access_energy_mj(bytes, pj_per_byte));
            }
        }
        for (unit, info) in parts.units.iter().enumerate() {
            if let Some(pj_per_mac) = info.pj_per_mac {
                let macs = self.macs_on(unit);
                let pj_per_mac = self.mul(pj_per_mac, parts.clock.energy_factor);
                energies.push(self.access_energy_mj(macs, pj_per_mac));
            }
        }
        let leakage = self.leakage_mw();
        work.push(self.mul(leakage, parts.makespan));
        let work = self.sum(&work);
        let microjoules = self.cycles_to_ms(work);
        let thousandth = self.constant(1e-3);
        energies.push(self.mul(microjoules, thousandth));
        self.sum(&energies)
    }

    /// Cycles of the frame for which an SRAM block works: those of the busiest unit that it is bound to, all of them if
    /// that is none.
    pub(super) fn sram_active_cycles(&mut self, sram: usize, active: &[NodeId]) -> NodeId {
        let parts = self.parts;
        let name = &parts.srams[sram].name;
        let bound = parts
            .study
            .hardware
            .units
            .iter()
            .zip(active)
            .filter(|(unit, _)| unit.reads.iter().chain(&unit.writes).any(|(block, _)| block == name));
        let bound: Vec<NodeId> = bound.map(|(_, active)| *active).collect();
        let busiest = bound.into_iter().reduce(|a, b| self.scope.graph.binary(Function::Max, a, b));
        busiest.unwrap_or(parts.makespan)
    }

    /// Leakage of everything at the clock's voltage.
    fn leakage_mw(&mut self) -> NodeId {
        let parts = self.parts;
        let powers = parts.units.iter().map(|unit| &unit.power).chain(parts.srams.iter().map(|sram| &sram.power));
        let leakage: Vec<NodeId> = powers.map(|power| power.leakage_mw).collect();
        let leakage = self.sum(&leakage);
        self.mul(leakage, parts.clock.leakage_factor)
    }

    /// Multiply-accumulates of the frame on a unit, less what techniques save of their number and energy.
    pub(super) fn macs_on(&mut self, unit: usize) -> NodeId {
        let parts = self.parts;
        let index = self.constant(unit as f64);
        let zero = self.constant(0.0);
        let mut shares = Vec::new();
        for (at, mapped) in parts.mapped.iter().enumerate().filter(|(_, mapped)| mapped.candidates.contains(&unit)) {
            for gemm in &parts.operators[at].gemms {
                let macs = [gemm.n, gemm.k, gemm.times].into_iter().fold(gemm.m, |macs, count| self.mul(macs, count));
                let savings = &parts.operators[at].savings;
                let macs = [savings.s_comp, savings.energy].into_iter().fold(macs, |macs, share| self.mul(macs, share));
                let macs = self.frame_total(at, macs);
                let here = self.scope.graph.binary(Function::Eq, mapped.unit, index);
                shares.push(self.scope.graph.select(here, macs, zero));
            }
        }
        self.sum(&shares)
    }

    /// Energy of things (bytes, operations) that cost so many pJ each.
    pub(super) fn access_energy_mj(&mut self, count: NodeId, pj_each: NodeId) -> NodeId {
        let picojoules = self.mul(count, pj_each);
        let nano = self.constant(1e-9);
        self.mul(picojoules, nano)
    }

    fn dram_energy_mj(&mut self, bytes: NodeId, latency_ms: NodeId) -> NodeId {
        let Some(dram) = self.parts.dram else { return self.constant(0.0) };
        let access = self.access_energy_mj(bytes, dram.pj_per_byte);
        let microjoules = self.mul(dram.background_mw, latency_ms);
        let thousandth = self.constant(1e-3);
        let background = self.mul(microjoules, thousandth);
        self.add(access, background)
    }

    fn peak_power_mw(&mut self) -> NodeId {
        let parts = self.parts;
        let powers = parts.units.iter().map(|unit| &unit.power).chain(parts.srams.iter().map(|sram| &sram.power));
        let dynamic: Vec<NodeId> = powers.map(|power| power.dynamic_mw).collect();
        let dynamic = self.sum(&dynamic);
        let mut dynamic = self.mul(dynamic, parts.clock.dynamic_factor);
        // Arrays whose energy counts by operation: every multiply-accumulator in every cycle.
        for unit in parts.units {
            let (Some(array), Some(pj_per_mac)) = (&unit.array, unit.pj_per_mac) else { continue };
            let per_microsecond = self.mul(array.macs, unit.instances);
            let per_microsecond = self.mul(per_microsecond, parts.clock.mhz);
            let microwatts = self.mul(per_microsecond, pj_per_mac);
            let microwatts = self.mul(microwatts, parts.clock.energy_factor);
            let thousandth = self.constant(1e-3);
            let milliwatts = self.mul(microwatts, thousandth);
            dynamic = self.add(dynamic, milliwatts);
        }
        for sram in parts.srams {
            let accesses = self.full_ports_mw(sram);
            dynamic = self.add(dynamic, accesses);
        }
        let leakage = self.leakage_mw();
        self.add(dynamic, leakage)
    }

    /// Access power of a block whose ports move bytes in every cycle: pJ per byte times bytes per cycle times MHz. A port
    /// that reads or writes does what costs more.
    fn full_ports_mw(&mut self, sram: &Sram) -> NodeId {
        let clock = &self.parts.clock;
        let (mhz, energy_factor) = (clock.mhz, clock.energy_factor);
        let mut port = |pj_per_byte, cycles_per_byte| {
            let nanowatts = self.div(pj_per_byte, cycles_per_byte);
            let microwatts = self.mul(nanowatts, mhz);
            let microwatts = self.mul(microwatts, energy_factor);
            let thousandth = self.constant(1e-3);
            self.mul(microwatts, thousandth)
        };
        match (sram.words, sram.banks) {
            (Some(words), Some(banks)) => {
                let read = port(sram.read_pj_per_byte, words.cycles_per_byte);
                let write = port(sram.write_pj_per_byte, words.cycles_per_byte);
                let together = if banks.shared { Function::Max } else { Function::Add };
                let of_a_bank = self.scope.graph.binary(together, read, write);
                self.mul(of_a_bank, banks.banks)
            }
            _ => {
                let read = sram.read_cycles_per_byte.map(|cycles| port(sram.read_pj_per_byte, cycles));
                let write = sram.write_cycles_per_byte.map(|cycles| port(sram.write_pj_per_byte, cycles));
                let both: Vec<NodeId> = read.into_iter().chain(write).collect();
                self.sum(&both)
            }
        }
    }

    /// How many memories have a figure that a model extrapolates.
    fn extrapolated(&mut self) -> NodeId {
        let parts = self.parts;
        let owners = parts.srams.iter().map(|sram| &sram.figures).chain(parts.dram.map(|dram| &dram.figures));
        let memories: Vec<NodeId> = owners
            .filter_map(|figures| {
                let flags = figures.iter().filter_map(|figure| figure.extrapolated);
                flags.reduce(|a, b| self.scope.graph.binary(Function::Max, a, b))
            })
            .collect();
        self.sum(&memories)
    }

    fn area_mm2(&mut self, with_phy: bool) -> NodeId {
        let parts = self.parts;
        let mut areas: Vec<NodeId> = parts.units.iter().map(|unit| unit.area_mm2).collect();
        areas.extend(parts.srams.iter().map(|sram| sram.area_mm2));
        areas.extend(parts.dram.filter(|_| with_phy).map(|dram| dram.phy_area_mm2));
        self.sum(&areas)
    }

    /// Index of the unit with the most work, the units' count for DRAM; ties keep the first.
    fn bottleneck(&mut self, active: &[NodeId], dram_cycles: NodeId) -> NodeId {
        let mut most = self.constant(-1.0);
        let mut winner = self.constant(0.0);
        for (at, cycles) in active.iter().chain([&dram_cycles]).enumerate() {
            let index = self.constant(at as f64);
            let busier = self.scope.graph.binary(Function::Lt, most, *cycles);
            winner = self.scope.graph.select(busier, index, winner);
            most = self.scope.graph.binary(Function::Max, most, *cycles);
        }
        winner
    }
}
