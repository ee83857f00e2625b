//! The parts of the metrics as nodes of the metrics' own graph.

use super::values::{PortName, Sourced};
use crate::hardware::Element;
use crate::mapping::{Port, Traffic};
use crate::ppa::model::{Build, MetricNodes, Parts};
use crate::schedule::{Demand, PortDemand, StageGraph};
use crate::spec::expr::Function;
use crate::spec::figure::{AreaFigure, PowerFigure};
use crate::spec::hardware::{Boundary, RateDecl, SramDecl, UnitDecl};
use crate::spec::pipeline::Direction;
use crate::spec::program::{NodeId, Place};
use crate::spec::scope::Scope;

/// Index of a node in [`Detail::nodes`].
pub(super) type At = usize;

/// What the parts are compiled from.
pub(in crate::ppa) struct Request<'a, 'p> {
    pub parts: &'a Parts<'p>,
    pub graph: &'a StageGraph,
    /// The metrics that the parts add up to.
    pub nodes: &'a MetricNodes,
}

/// The parts of one workload: nodes while the plan is compiled, places from then on.
pub(in crate::ppa) struct Detail {
    nodes: Vec<NodeId>,
    pub(super) places: Vec<Option<Place>>,
    pub(super) clock_mhz: At,
    /// By stage, producers first.
    pub(super) operators: Vec<OperatorParts>,
    pub(super) units: Vec<UnitParts>,
    pub(super) srams: Vec<SramParts>,
    pub(super) dram: Option<DramParts>,
    pub(super) boundary: Vec<String>,
}

pub(super) struct OperatorParts {
    pub name: String,
    pub kind: String,
    pub category: String,
    pub pass: &'static str,
    pub streamed: bool,
    pub unit: At,
    /// Per tile on one group.
    pub compute_tile: At,
    pub compute: At,
    pub work: At,
    pub latency: At,
    pub tiles: At,
    pub ports: Vec<PortParts>,
    pub flops: Option<At>,
    pub macs: Option<At>,
    pub items: Option<(String, At)>,
}

pub(super) struct PortParts {
    /// Index in [`ports`].
    pub port: usize,
    pub name: PortName,
    pub carries: Vec<String>,
    pub bytes_tile: At,
    pub shared_tile: At,
    pub read: At,
    pub written: At,
    pub cycles: At,
    pub shared: At,
}

pub(super) struct BlockParts {
    pub name: String,
    pub area_mm2: At,
    pub area: Sourced,
    pub dynamic_mj: At,
    pub leakage_mj: At,
    pub power: Sourced,
    pub power_includes: Vec<String>,
    pub active: At,
}

pub(super) struct UnitParts {
    pub block: BlockParts,
    pub instances: At,
    pub groups: At,
    pub rate: Sourced,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
}

pub(super) struct SramParts {
    pub block: BlockParts,
    pub read: At,
    pub written: At,
    pub access_mj: At,
    pub access: Sourced,
    pub port_cycles: At,
}

pub(super) struct DramParts {
    pub part: String,
    pub peak: At,
    pub bandwidth: Sourced,
    pub read: At,
    pub written: At,
    pub cycles: At,
    pub access_mj: At,
    pub access: Sourced,
    pub background_mj: At,
    pub background: Sourced,
    pub phy_area_mm2: At,
    pub phy_area: Sourced,
}

impl Detail {
    /// What the program must keep.
    pub(in crate::ppa) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Notes where the program keeps it.
    pub(in crate::ppa) fn bind(&mut self, place: impl Fn(NodeId) -> Option<Place>) {
        self.places = self.nodes.iter().map(|node| place(*node)).collect();
    }

    pub(super) fn place(&self, at: At) -> Option<Place> {
        self.places.get(at).copied().flatten()
    }

    /// Names of the ports that the timeline counts bytes of: the DRAM, then the ports of each SRAM block: reads, writes, and
    /// those that do both.
    pub(super) fn ports(&self) -> Vec<PortName> {
        let name = |memory: &str, direction: &str| PortName { memory: memory.into(), direction: direction.into() };
        let blocks = self.srams.iter().map(|sram| &sram.block.name);
        let srams = blocks.flat_map(|block| [name(block, "read"), name(block, "write"), name(block, "both")]);
        std::iter::once(name("dram", "both")).chain(srams).collect()
    }

    /// What each stage wants, for the timeline.
    pub(super) fn demands(&self) -> Vec<Demand> {
        let demand = |operator: &OperatorParts| Demand {
            compute: self.place(operator.compute_tile),
            ports: operator.ports.iter().filter_map(|port| self.port_demand(port)).collect(),
        };
        self.operators.iter().map(demand).collect()
    }

    fn port_demand(&self, parts: &PortParts) -> Option<PortDemand> {
        let (bytes, cycles) = (self.place(parts.bytes_tile)?, self.place(parts.shared_tile)?);
        Some(PortDemand { port: parts.port, bytes, cycles })
    }
}

fn port_index(port: Port) -> usize {
    match port {
        Port::Dram => 0,
        Port::SramRead(block) => 1 + 3 * block,
        Port::SramWrite(block) => 2 + 3 * block,
        Port::Sram(block) => 3 + 3 * block,
    }
}

/// Compiles the parts.
pub(in crate::ppa) fn compile_detail(scope: &mut Scope<'_>, request: &Request<'_, '_>) -> Detail {
    let parts = request.parts;
    let mut compiler = Compiler { build: Build { scope, parts }, request, nodes: Vec::new() };
    let clock_mhz = compiler.keep(parts.clock.mhz);
    let operators = (0..request.graph.stages.len()).map(|stage| compiler.operator(stage)).collect();
    let units = parts.study.hardware.units.iter().enumerate().map(|(at, decl)| compiler.unit(at, decl)).collect();
    let srams = parts.study.hardware.srams.iter().enumerate().map(|(at, decl)| compiler.sram(at, decl)).collect();
    let dram = compiler.dram();
    let boundary: Vec<Boundary> = parts.study.hardware.boundary.clone();
    Detail {
        places: Vec::new(),
        nodes: compiler.nodes,
        clock_mhz,
        operators,
        units,
        srams,
        dram,
        boundary: boundary.into_iter().map(|boundary| boundary.name().to_owned()).collect(),
    }
}

struct Compiler<'c, 'r, 'p, 's> {
    build: Build<'c, 'p, 's>,
    request: &'r Request<'r, 'p>,
    nodes: Vec<NodeId>,
}

impl Compiler<'_, '_, '_, '_> {
    fn keep(&mut self, node: NodeId) -> At {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn operator(&mut self, stage: usize) -> OperatorParts {
        let request = self.request;
        let (graph, parts) = (request.graph, request.parts);
        let (info, at) = (&graph.stages[stage], graph.operators[stage]);
        let (operator, mapped) = (&parts.operators[at], &parts.mapped[at]);
        let total = |compiler: &mut Self, node| {
            let total = compiler.build.frame_total(at, node);
            compiler.keep(total)
        };
        let count = |name: &str| operator.counts.get(name);
        let mut ports = Vec::new();
        for &(port, lasts) in &graph.port_cycles[stage] {
            ports.push(self.port(at, port, lasts));
        }
        let one = self.build.constant(1.0);
        let tiles = if info.streamed { graph.tiles } else { one };
        let item = operator.counts.0.first();
        OperatorParts {
            name: operator.name.clone(),
            kind: operator.kind.clone(),
            category: operator.category.clone(),
            pass: operator.pass.name(),
            streamed: info.streamed,
            unit: self.keep(info.unit),
            compute_tile: self.keep(mapped.cycles),
            compute: total(self, mapped.cycles),
            work: self.keep(info.work),
            latency: self.keep(info.latency),
            tiles: self.keep(tiles),
            ports,
            flops: count("flops").map(|node| total(self, node)),
            macs: count("macs").map(|node| total(self, node)),
            items: item.map(|(name, node)| (name.clone(), total(self, *node))),
        }
    }

    fn port(&mut self, operator: usize, port: Port, lasts: NodeId) -> PortParts {
        let parts = self.request.parts;
        let own = || parts.traffic.iter().filter(|traffic| traffic.operator == operator && traffic.port == port);
        let sum = |compiler: &mut Self, direction: Option<Direction>, cycles: bool| {
            let wanted = own().filter(|traffic| direction.is_none_or(|direction| direction == traffic.direction));
            let nodes: Vec<NodeId> =
                wanted.map(|traffic| if cycles { traffic.cycles } else { traffic.bytes }).collect();
            compiler.build.sum(&nodes)
        };
        let total = |compiler: &mut Self, node| {
            let total = compiler.build.frame_total(operator, node);
            compiler.keep(total)
        };
        let (memory, direction) = match port {
            Port::Dram => ("dram", "both"),
            Port::SramRead(block) => (parts.srams[block].name.as_str(), "read"),
            Port::SramWrite(block) => (parts.srams[block].name.as_str(), "write"),
            Port::Sram(block) => (parts.srams[block].name.as_str(), "both"),
        };
        let bytes = sum(self, None, false);
        let read = sum(self, Some(Direction::Read), false);
        let written = sum(self, Some(Direction::Write), false);
        let cycles = sum(self, None, true);
        PortParts {
            port: port_index(port),
            name: PortName { memory: memory.to_owned(), direction: direction.to_owned() },
            carries: own().map(|traffic| traffic.name.clone()).collect(),
            bytes_tile: self.keep(bytes),
            shared_tile: self.keep(lasts),
            read: total(self, read),
            written: total(self, written),
            cycles: total(self, cycles),
            shared: total(self, lasts),
        }
    }

    /// mW times cycles as mJ.
    fn millijoules(&mut self, work: NodeId) -> NodeId {
        let microjoules = self.build.cycles_to_ms(work);
        let thousandth = self.build.constant(1e-3);
        self.build.mul(microjoules, thousandth)
    }

    fn energy(&mut self, work: NodeId) -> At {
        let energy = self.millijoules(work);
        self.keep(energy)
    }

    fn block(
        &mut self,
        name: &str,
        area: (NodeId, Option<&AreaFigure>),
        power: (&crate::hardware::Power, Option<&PowerFigure>),
        (active, burning): (NodeId, NodeId),
        further_mj: Option<NodeId>,
    ) -> BlockParts {
        let parts = self.request.parts;
        let dynamic = self.build.dynamic_work(power.0, burning);
        let dynamic = self.millijoules(dynamic);
        let dynamic = further_mj.map_or(dynamic, |further| self.build.sum(&[dynamic, further]));
        let leakage = self.build.mul(power.0.leakage_mw, parts.clock.leakage_factor);
        let leakage = self.build.mul(leakage, parts.makespan);
        let includes = power.1.map(|figure| figure.includes.iter().map(|(part, _)| part.clone()).collect());
        BlockParts {
            name: name.to_owned(),
            area_mm2: self.keep(area.0),
            area: Sourced::of(area.1.map(|figure| &figure.provenance)),
            dynamic_mj: self.keep(dynamic),
            leakage_mj: self.energy(leakage),
            power: Sourced::of(power.1.map(|figure| &figure.provenance)),
            power_includes: includes.unwrap_or_default(),
            active: self.keep(active),
        }
    }

    fn unit(&mut self, at: usize, decl: &UnitDecl) -> UnitParts {
        let request = self.request;
        let unit = &request.parts.units[at];
        let (area, power) = ((unit.area_mm2, decl.area.as_ref()), (&unit.power, decl.power.as_ref()));
        let names = |bindings: &[(String, crate::spec::Span)]| bindings.iter().map(|(name, _)| name.clone()).collect();
        let of_element = Element::provenance();
        let rate = match &decl.rate {
            RateDecl::Item { provenance, .. } => Some(provenance),
            RateDecl::Cycles(figure) => Some(&figure.provenance),
            RateDecl::Element(_) => Some(&of_element),
            RateDecl::Array => None,
        };
        let arithmetic_mj = unit.pj_per_mac.map(|pj_per_mac| {
            let macs = self.build.macs_on(at);
            let pj_per_mac = self.build.mul(pj_per_mac, request.parts.clock.energy_factor);
            self.build.access_energy_mj(macs, pj_per_mac)
        });
        UnitParts {
            block: self.block(
                &unit.name,
                area,
                power,
                (request.nodes.active[at], request.nodes.burning[at]),
                arithmetic_mj,
            ),
            instances: self.keep(unit.instances),
            groups: self.keep(unit.groups),
            rate: Sourced::of(rate),
            reads: names(&decl.reads),
            writes: names(&decl.writes),
        }
    }

    fn sram(&mut self, at: usize, decl: &SramDecl) -> SramParts {
        let request = self.request;
        let sram = &request.parts.srams[at];
        let active = self.build.sram_active_cycles(at, &request.nodes.active);
        let burning = self.build.sram_active_cycles(at, &request.nodes.burning);
        let (area, power) = ((sram.area_mm2, decl.area.as_ref()), (&sram.power, decl.power.as_ref()));
        let moved = |direction| move |traffic: &Traffic| traffic.block == Some(at) && traffic.direction == direction;
        let held = |port| move |traffic: &Traffic| traffic.port == port;
        let read = self.build.total_over(moved(Direction::Read), |traffic| traffic.bytes);
        let written = self.build.total_over(moved(Direction::Write), |traffic| traffic.bytes);
        let ports = [Port::SramRead(at), Port::SramWrite(at), Port::Sram(at)];
        let [reading, writing, both] = ports.map(|port| self.build.total_over(held(port), |traffic| traffic.cycles));
        let busier = self.build.scope.graph.binary(Function::Max, reading, writing);
        let busier = self.build.scope.graph.binary(Function::Max, busier, both);
        let energy_factor = request.parts.clock.energy_factor;
        let read_pj = self.build.mul(sram.read_pj_per_byte, energy_factor);
        let read_mj = self.build.access_energy_mj(read, read_pj);
        let write_pj = self.build.mul(sram.write_pj_per_byte, energy_factor);
        let write_mj = self.build.access_energy_mj(written, write_pj);
        let access_mj = self.build.sum(&[read_mj, write_mj]);
        let figure = decl.read_pj_per_byte.as_ref().or(decl.write_pj_per_byte.as_ref());
        SramParts {
            block: self.block(&sram.name, area, power, (active, burning), None),
            read: self.keep(read),
            written: self.keep(written),
            access_mj: self.keep(access_mj),
            access: Sourced::of(figure.map(|figure| &figure.provenance)),
            port_cycles: self.keep(busier),
        }
    }

    fn dram(&mut self) -> Option<DramParts> {
        let parts = self.request.parts;
        let (dram, decl) = (parts.dram?, parts.study.hardware.dram.as_ref()?);
        let moved = |compiler: &mut Self, direction: Option<Direction>, cycles: bool| {
            let wanted = parts.traffic.iter().filter(|traffic| {
                traffic.port == Port::Dram && direction.is_none_or(|direction| direction == traffic.direction)
            });
            let totals: Vec<NodeId> = wanted
                .map(|traffic| {
                    let value = if cycles { traffic.cycles } else { traffic.bytes };
                    compiler.build.frame_total(traffic.operator, value)
                })
                .collect();
            compiler.build.sum(&totals)
        };
        let all = moved(self, None, false);
        let (read, written) = (moved(self, Some(Direction::Read), false), moved(self, Some(Direction::Write), false));
        let cycles = moved(self, None, true);
        let access = self.build.access_energy_mj(all, dram.pj_per_byte);
        let background = self.build.mul(dram.background_mw, parts.makespan);
        Some(DramParts {
            part: decl.part.clone(),
            peak: self.keep(dram.peak_gb_per_s),
            bandwidth: Sourced::of(decl.peak_gb_per_s.as_ref().map(|figure| &figure.provenance)),
            read: self.keep(read),
            written: self.keep(written),
            cycles: self.keep(cycles),
            access_mj: self.keep(access),
            access: Sourced::of(decl.energy_pj_per_bit.as_ref().map(|figure| &figure.provenance)),
            background_mj: self.energy(background),
            background: Sourced::of(decl.background_mw.as_ref().map(|figure| &figure.provenance)),
            phy_area_mm2: self.keep(dram.phy_area_mm2),
            phy_area: Sourced::of(decl.phy_area_mm2.as_ref().map(|figure| &figure.provenance)),
        })
    }
}
