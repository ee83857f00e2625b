//! The values of the parts at the point that was evaluated last.

use super::detail::{At, BlockParts, Detail, DramParts, OperatorParts, SramParts, UnitParts};
use super::values::{
    BlockShare, Bound, Breakdown, DramShare, MemoryUse, OperatorShare, PortName, SramShare, UnitShare,
};
use crate::ppa::evaluator::Evaluator;
use crate::ppa::metric;
use crate::schedule::{Timeline, TimelineOptions};
use crate::spec::hardware::Boundary;
use crate::spec::program::Columns;

impl Evaluator<'_> {
    /// The point evaluated last on a workload, taken apart. It allocates. `None` if the plan was not compiled by
    /// [`Plan::compile_detailed`](crate::ppa::Plan::compile_detailed), there is no such workload, or the model has no
    /// value for the point.
    pub fn breakdown(&mut self, workload: usize) -> Option<Breakdown> {
        let timeline =
            self.timeline(workload, TimelineOptions { intervals: 0, bins: 1, ..TimelineOptions::default() })?;
        let metric = |name: &str| metric::index_of(name).map_or(f64::NAN, |index| self.metric(workload, index));
        let bottleneck = self.plan().bottlenecks.get(self.metric(workload, metric::BOTTLENECK) as usize)?.clone();
        let plan = self.plan().workloads.get(workload)?;
        let detail = plan.detail.as_ref()?;
        let reading = Reading { detail, columns: self.columns(workload)?, makespan: metric("latency_cycles") };
        Some(Breakdown {
            workload: plan.name.clone(),
            clock_mhz: reading.value(detail.clock_mhz),
            latency_cycles: reading.makespan,
            lower_bound_cycles: metric("lower_bound_cycles"),
            latency_ms: metric("latency_ms"),
            energy_mj: metric("energy_mj"),
            power_mw: metric("power_mw"),
            area_mm2: metric("area_mm2"),
            boundary: detail.boundary.clone(),
            bottleneck,
            operators: detail
                .operators
                .iter()
                .zip(&timeline.stages)
                .map(|(operator, span)| reading.operator(operator, span.start, span.end))
                .collect(),
            units: detail.units.iter().map(|unit| reading.unit(unit)).collect(),
            srams: detail.srams.iter().map(|sram| reading.sram(sram)).collect(),
            dram: detail.dram.as_ref().map(|dram| reading.dram(dram, metric("dram_utilization"))),
        })
    }

    /// The schedule of the point evaluated last on a workload, written out. Its stages are the operators of
    /// [`Evaluator::breakdown`], its units those of the hardware, its ports those of [`Evaluator::ports`].
    pub fn timeline(&mut self, workload: usize, options: TimelineOptions) -> Option<Timeline> {
        let makespan = self.metric(workload, metric::index_of("latency_cycles")?);
        let detail = self.plan().workloads.get(workload)?.detail.as_ref()?;
        let (demands, ports) = (detail.demands(), detail.ports().len());
        if !makespan.is_finite() {
            return None;
        }
        self.write_out(workload, |schedule, columns| schedule.timeline(columns, makespan, &demands, ports, options))
    }

    /// Names of a timeline's memory ports: the DRAM channel, then the two ports of each SRAM block.
    pub fn ports(&self, workload: usize) -> Vec<PortName> {
        let detail = self.plan().workloads.get(workload).and_then(|workload| workload.detail.as_ref());
        detail.map(Detail::ports).unwrap_or_default()
    }
}

struct Reading<'a> {
    detail: &'a Detail,
    columns: Columns<'a>,
    makespan: f64,
}

impl Reading<'_> {
    fn value(&self, at: At) -> f64 {
        self.detail.place(at).map_or(f64::NAN, |place| self.columns.scalar(place))
    }

    fn operator(&self, parts: &OperatorParts, start: f64, end: f64) -> OperatorShare {
        let unit = self.value(parts.unit) as usize;
        let executing = self.detail.units.get(unit);
        let groups = executing.map_or(1.0, |unit| self.value(unit.groups));
        let over = if parts.streamed { groups } else { 1.0 };
        let memory: Vec<MemoryUse> = parts
            .ports
            .iter()
            .map(|port| MemoryUse {
                port: port.name.clone(),
                carries: port.carries.clone(),
                read_bytes: self.value(port.read),
                written_bytes: self.value(port.written),
                cycles: self.value(port.cycles),
                shared_cycles: self.value(port.shared) / over,
            })
            .collect();
        let compute_cycles = self.value(parts.compute) / over;
        let slowest = memory.iter().max_by(|a, b| a.shared_cycles.total_cmp(&b.shared_cycles));
        let bound = match slowest {
            Some(port) if port.shared_cycles > compute_cycles => Bound::Memory(port.port.clone()),
            _ => Bound::Compute,
        };
        OperatorShare {
            name: parts.name.clone(),
            kind: parts.kind.clone(),
            category: parts.category.clone(),
            pass: parts.pass.to_owned(),
            unit,
            unit_name: executing.map(|unit| unit.block.name.clone()).unwrap_or_default(),
            instances: executing.map_or(1.0, |unit| self.value(unit.instances)),
            groups,
            tiles: self.value(parts.tiles),
            start_cycles: start,
            end_cycles: end,
            compute_cycles,
            busy_cycles: self.value(parts.work) / over,
            latency_cycles: self.value(parts.latency),
            bound,
            memory,
            flops: parts.flops.map(|at| self.value(at)),
            macs: parts.macs.map(|at| self.value(at)),
            items: parts.items.as_ref().map(|(name, at)| (name.clone(), self.value(*at))),
        }
    }

    fn block(&self, parts: &BlockParts) -> BlockShare {
        let busy_cycles = self.value(parts.active);
        BlockShare {
            name: parts.name.clone(),
            area_mm2: self.value(parts.area_mm2),
            area: parts.area.clone(),
            dynamic_mj: self.value(parts.dynamic_mj),
            leakage_mj: self.value(parts.leakage_mj),
            power: parts.power.clone(),
            power_includes: parts.power_includes.clone(),
            busy_cycles,
            utilization: busy_cycles / self.makespan,
        }
    }

    fn unit(&self, parts: &UnitParts) -> UnitShare {
        UnitShare {
            block: self.block(&parts.block),
            instances: self.value(parts.instances),
            groups: self.value(parts.groups),
            rate: parts.rate.clone(),
            reads: parts.reads.clone(),
            writes: parts.writes.clone(),
        }
    }

    fn sram(&self, parts: &SramParts) -> SramShare {
        SramShare {
            block: self.block(&parts.block),
            read_bytes: self.value(parts.read),
            written_bytes: self.value(parts.written),
            access_mj: self.value(parts.access_mj),
            access: parts.access.clone(),
            port_cycles: self.value(parts.port_cycles),
        }
    }

    fn dram(&self, parts: &DramParts, utilization: f64) -> DramShare {
        let includes = |boundary: Boundary| self.detail.boundary.iter().any(|name| name == boundary.name());
        DramShare {
            part: parts.part.clone(),
            peak_gb_per_s: self.value(parts.peak),
            bandwidth: parts.bandwidth.clone(),
            read_bytes: self.value(parts.read),
            written_bytes: self.value(parts.written),
            busy_cycles: self.value(parts.cycles),
            utilization,
            access_mj: self.value(parts.access_mj),
            access: parts.access.clone(),
            background_mj: self.value(parts.background_mj),
            background: parts.background.clone(),
            energy_in_boundary: includes(Boundary::Dram),
            phy_area_mm2: self.value(parts.phy_area_mm2),
            phy_area: parts.phy_area.clone(),
            phy_in_boundary: includes(Boundary::Phy),
        }
    }
}
