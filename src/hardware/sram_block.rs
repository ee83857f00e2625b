//! SRAM blocks: figures of the file, of the SRAM model where the file asks for it, and both side by side.

use std::sync::Arc;

use super::block::{Power, TotalArea, compile_share};
use super::clock::Clock;
use super::process::{Process, scaled};
use super::sram::{self, Device, Ports, SramBlockModel, SramFigure, SramNode, SramShape};
use super::stated::{Answer, Stated};
use crate::spec::expr::Function;
use crate::spec::figure::{Figure, Provenance};
use crate::spec::hardware::SramDecl;
use crate::spec::program::{ModelRef, NodeId, Operation};
use crate::spec::reader::Quantity;
use crate::spec::request::{SramPart, SramRequest, Word};
use crate::spec::scope::Scope;

/// An SRAM block at a design point.
pub struct Sram {
    /// Its name.
    pub name: String,
    /// KiB of all instances.
    pub capacity_kib: NodeId,
    /// Cycles per byte read; `None` if the file states no bandwidth.
    pub read_cycles_per_byte: Option<NodeId>,
    /// Cycles per byte written; `None` if the file states no bandwidth.
    pub write_cycles_per_byte: Option<NodeId>,
    /// Cycles until read data arrive.
    pub read_latency_cycles: Option<NodeId>,
    /// Cycles until a write is done.
    pub write_latency_cycles: Option<NodeId>,
    /// pJ per byte read, at the reference voltage.
    pub read_pj_per_byte: NodeId,
    /// pJ per byte written, at the reference voltage.
    pub write_pj_per_byte: NodeId,
    /// Area of all instances, mm2.
    pub area_mm2: TotalArea,
    /// Power of all instances.
    pub power: Power,
    /// Its banks, where the file states them.
    pub banks: Option<Banks>,
    /// Ports whose bandwidth follows from banks, width and access time; `None`: the file states bandwidths.
    pub words: Option<WordPorts>,
    /// Share of the bytes read that do not hit, and the DRAM pattern of the misses; `None`: the block is no cache.
    pub misses: Option<(NodeId, Word)>,
    /// Its figures with what they rest on.
    pub figures: Vec<Stated>,
}

/// Banks of one instance.
#[derive(Debug, Clone, Copy)]
pub struct Banks {
    /// How many.
    pub banks: NodeId,
    /// Accesses that a bank serves per cycle in one direction.
    pub ports: u32,
    /// One port serves reads and writes.
    pub shared: bool,
}

/// Ports that move words.
#[derive(Debug, Clone, Copy)]
pub struct WordPorts {
    /// Cycles per byte if each instance serves one access at a time.
    pub cycles_per_byte: NodeId,
}

/// Compiles an SRAM block; `None` if it is faulty.
pub fn compile_sram(scope: &mut Scope<'_>, decl: &SramDecl, clock: &Clock, process: &Process) -> Option<Sram> {
    let what = format!("SRAM block `{}`", decl.name);
    let instances = scope.compile_count(&decl.instances, &format!("instances of {what}"), 1.0, None)?;
    let capacity = scope.compile(&decl.capacity_kib, &format!("capacity of {what}"), &[])?;
    let capacity = scope.at_least(capacity, f64::MIN_POSITIVE, &decl.capacity_kib.span, &format!("capacity of {what}"));
    let banks = compile_banks(scope, decl, &what)?;
    let width = match &decl.width_bytes {
        Some(width) => {
            let node = scope.compile(width, &format!("access width of {what}"), &[])?;
            Some(scope.at_least(node, f64::MIN_POSITIVE, &width.span, &format!("access width of {what}")))
        }
        None => None,
    };
    let block = Block { decl, what: &what, instances, capacity, width, clock, process };
    let answers = match &decl.model {
        Some(request) => Some(block.ask(scope, request, banks)?),
        None => None,
    };
    let chosen = block.figures(scope, answers.as_ref())?;
    let ports = block.ports(scope, answers.as_ref())?;
    let capacity_kib = scope.graph.binary(Function::Mul, capacity, instances);
    let misses = decl
        .hit_rate
        .as_ref()
        .map(|curve| (block.miss_rate(scope, capacity_kib, &curve.points), curve.miss_pattern.clone()));
    Some(Sram {
        name: decl.name.clone(),
        capacity_kib,
        read_cycles_per_byte: ports.read_cycles_per_byte,
        write_cycles_per_byte: ports.write_cycles_per_byte,
        read_latency_cycles: ports.read_latency_cycles,
        write_latency_cycles: ports.write_latency_cycles,
        read_pj_per_byte: chosen.read.used,
        write_pj_per_byte: chosen.write.used,
        area_mm2: chosen.area.used,
        power: Power { dynamic_mw: chosen.dynamic.used, leakage_mw: chosen.leakage.used, idle: decl.idle },
        banks,
        words: ports.words,
        misses,
        figures: [chosen.area, chosen.dynamic, chosen.leakage, chosen.read, chosen.write]
            .into_iter()
            .chain(ports.figures)
            .collect(),
    })
}

fn compile_banks(scope: &mut Scope<'_>, decl: &SramDecl, what: &str) -> Option<Option<Banks>> {
    let Some(banks) = &decl.banks else { return Some(None) };
    let banks = scope.compile_count(banks, &format!("banks of {what}"), 1.0, None)?;
    let shared = match &decl.ports {
        None => true,
        Some((word, span)) => match word.parse::<Ports>() {
            Ok(ports) => ports == Ports::OneReadWrite,
            Err(error) => {
                scope.error(span, error.to_string(), "1rw reads or writes, 1r1w does both at once");
                return None;
            }
        },
    };
    Some(Some(Banks { banks, ports: 1, shared }))
}

struct Block<'a> {
    decl: &'a SramDecl,
    what: &'a str,
    instances: NodeId,
    /// KiB of one instance.
    capacity: NodeId,
    width: Option<NodeId>,
    clock: &'a Clock,
    process: &'a Process,
}

/// What the model says of one instance.
struct Answers {
    area: Answer,
    read: Answer,
    write: Answer,
    leakage: Answer,
    access_ns: Answer,
}

struct Chosen {
    area: Stated,
    dynamic: Stated,
    leakage: Stated,
    read: Stated,
    write: Stated,
}

#[derive(Default)]
struct PortFigures {
    read_cycles_per_byte: Option<NodeId>,
    write_cycles_per_byte: Option<NodeId>,
    read_latency_cycles: Option<NodeId>,
    write_latency_cycles: Option<NodeId>,
    words: Option<WordPorts>,
    figures: Vec<Stated>,
}

impl Block<'_> {
    /// Whether the file asks the model for a figure; where it does not say, `left_out` decides.
    fn wants(&self, part: SramPart, left_out: bool) -> bool {
        match self.decl.model.as_ref().map(|request| &request.gives) {
            Some(Some(gives)) => gives.iter().any(|(given, _)| *given == part),
            Some(None) => left_out,
            None => false,
        }
    }

    fn ask(&self, scope: &mut Scope<'_>, request: &SramRequest, banks: Option<Banks>) -> Option<Answers> {
        let (Some(banks), Some(width)) = (banks, self.width) else {
            let help = "add `banks = 1` and `width_bytes = 16` to the block; nothing is guessed";
            scope.error(&request.span, format!("the SRAM model needs banks and width of {}", self.what), help);
            return None;
        };
        let device: Device = match request.cell.0.parse() {
            Ok(device) => device,
            Err(error) => {
                let error: sram::SramError = error;
                scope.error(&request.cell.1, error.to_string(), "hp is fast and leaks, lstp is slow and does not");
                return None;
            }
        };
        let node = request.node_nm.unwrap_or(self.process.node_nm);
        let node_nm = if node.fract() == 0.0 && node > 0.0 { node as u32 } else { 0 };
        let ports = if banks.shared { Ports::OneReadWrite } else { Ports::OneReadOneWrite };
        let shape = SramShape { node_nm, device, ports, banks: 1, width_bytes: 16.0 };
        let known = scope.combinations([banks.banks, width, width]);
        let complete = known.is_some();
        let shapes: Vec<(f64, f64)> = known.unwrap_or_default().iter().map(|[b, w, _]| (*b, *w)).collect();
        let block = match SramBlockModel::prepare(shape, &shapes, complete, request.extrapolate) {
            Ok(block) => Arc::new(block),
            Err(error) => {
                let help = "`node_nm` in `model` asks for another node's figures; banks and width are the block's";
                scope.error(&request.span, format!("{}: {error}", self.what), help);
                return None;
            }
        };
        let expected = block.expected_error();
        let bytes = scaled(scope, self.capacity, 1024.0);
        let source = format!("SRAM model at {node} nm, {} cells: {}", request.cell.0, sram::SOURCE);
        let mut ask = |figure: SramFigure, name: &str| {
            let model = ModelRef(Arc::new(SramNode { block: Arc::clone(&block), figure }));
            let what = format!("{name} of {}", self.what);
            scope.checked(Operation::Model(model, [bytes, banks.banks, width]), &request.span, &what)
        };
        // Without that request a point outside the table has no figures.
        let extrapolated = request.extrapolate.then(|| ask(SramFigure::Extrapolated, "range"));
        let mut answer = |figure: SramFigure, name: &str, expected_error: Option<f64>| Answer {
            node: ask(figure, name),
            source: source.clone(),
            expected_error,
            extrapolated,
        };
        Some(Answers {
            area: answer(SramFigure::Area, "area", expected.map(|e| e.area)),
            read: answer(SramFigure::Read, "read energy", expected.map(|e| e.read)),
            write: answer(SramFigure::Write, "write energy", expected.map(|e| e.write)),
            leakage: answer(SramFigure::Leakage, "leakage", expected.map(|e| e.leakage)),
            access_ns: answer(SramFigure::Access, "access time", expected.map(|e| e.access)),
        })
    }

    fn figures(&self, scope: &mut Scope<'_>, answers: Option<&Answers>) -> Option<Chosen> {
        let (decl, what) = (self.decl, self.what);
        let area = decl.area.as_ref();
        let power = decl.power.as_ref();
        let (dynamic, leakage) =
            (power.and_then(|power| power.dynamic.as_ref()), power.and_then(|power| power.leakage.as_ref()));
        let mut share = |share, factor, name: &str| {
            compile_share(scope, share, self.instances, factor, &format!("{name} of {what}"))
        };
        let area_node = share(area.map(|figure| &figure.share), self.process.sram_area(), "area")?;
        let dynamic_node = share(dynamic, self.process.dynamic_power(), "power")?;
        let leakage_node = share(leakage, self.process.energy(), "leakage")?;
        let includes_leakage = power.and_then(|power| power.includes.iter().find(|(part, _)| part == "leakage"));
        let stated_energy = [&decl.read_pj_per_byte, &decl.write_pj_per_byte];
        let wants_energy = self.wants(SramPart::Energy, dynamic.is_none() && stated_energy.iter().all(|f| f.is_none()));
        let wants_leakage = self.wants(SramPart::Leakage, leakage.is_none() && includes_leakage.is_none());
        if let (true, false, Some((_, span))) = (wants_leakage, wants_energy, includes_leakage) {
            let help = "ask the model for the energy too, or take one of the two away";
            scope.error(span, format!("leakage of {what} would be counted twice: this power includes it"), help);
            return None;
        }
        let none = Provenance::default();
        let from_area = area.map_or(&none, |figure| &figure.provenance);
        let from_power = power.map_or(&none, |figure| &figure.provenance);
        let mut of_all = |answer: &Answer| answer.times(scope, self.instances);
        let (area_model, leakage_model) = (answers.map(|a| of_all(&a.area)), answers.map(|a| of_all(&a.leakage)));
        let wants_area = self.wants(SramPart::Area, area.is_none());
        let area = area_node.map(|node| (node, from_area));
        let area = Stated::choose(scope, "area_mm2", area, area_model.as_ref(), wants_area);
        let mut dynamic = Stated::choose(scope, "dynamic_mw", dynamic_node.map(|n| (n, from_power)), None, false);
        if wants_energy {
            // The model's energy of every access takes the place of the stated power.
            dynamic.used = scope.graph.constant(0.0);
        }
        let leakage = leakage_node.map(|node| (node, from_power));
        let leakage = Stated::choose(scope, "leakage_mw", leakage, leakage_model.as_ref(), wants_leakage);
        let mut energy = |figure: &Option<Figure>, answer: Option<&Answer>, name, label: &str| {
            let stated = match figure {
                Some(figure) => {
                    let node = not_negative(scope, figure, &format!("{label} energy of {what}"))?;
                    Some((scaled(scope, node, self.process.energy()), &figure.provenance))
                }
                None => None,
            };
            let model = answer.zip(self.width).map(|(answer, width)| Answer {
                node: scope.graph.binary(Function::Div, answer.node, width),
                ..answer.clone()
            });
            Some(Stated::choose(scope, name, stated, model.as_ref(), wants_energy))
        };
        let read = energy(&decl.read_pj_per_byte, answers.map(|a| &a.read), "read_pj_per_byte", "read")?;
        let write = energy(&decl.write_pj_per_byte, answers.map(|a| &a.write), "write_pj_per_byte", "write")?;
        Some(Chosen { area, dynamic, leakage, read, write })
    }

    fn ports(&self, scope: &mut Scope<'_>, answers: Option<&Answers>) -> Option<PortFigures> {
        let (decl, what) = (self.decl, self.what);
        let mut ports = PortFigures::default();
        // An access takes whole cycles; a bank starts the next one when it has ended.
        let cycles = answers.map(|answers| {
            let per_ns = scaled(scope, self.clock.mhz, 1e-3);
            let cycles = scope.graph.binary(Function::Mul, answers.access_ns.node, per_ns);
            Answer { node: scope.graph.unary(Function::Ceil, cycles), ..answers.access_ns.clone() }
        });
        let mut bandwidth = |figure: &Option<Figure>, name: &str, label: &'static str| match figure {
            Some(figure) => {
                let value = positive(scope, figure, &format!("{name} bandwidth of {what}"))?;
                let stated = Some((value, &figure.provenance));
                ports.figures.push(Stated::choose(scope, label, stated, None, false));
                Some(Some(self.clock.cycles_per_byte(scope, value)))
            }
            None => Some(None),
        };
        ports.read_cycles_per_byte = bandwidth(&decl.read_gb_per_s, "read", "read_gb_per_s")?;
        ports.write_cycles_per_byte = bandwidth(&decl.write_gb_per_s, "write", "write_gb_per_s")?;
        let wants_latency = self.wants(SramPart::Latency, false);
        let mut latency = |figure: &Option<Figure>, name: &str, label: &'static str| {
            let stated = match figure {
                Some(figure) => {
                    let node = not_negative(scope, figure, &format!("{name} latency of {what}"))?;
                    Some((node, &figure.provenance))
                }
                None => None,
            };
            if stated.is_none() && !wants_latency {
                return Some(None);
            }
            let chosen = Stated::choose(scope, label, stated, cycles.as_ref(), wants_latency);
            let node = chosen.used;
            ports.figures.push(chosen);
            Some(Some(node))
        };
        ports.read_latency_cycles = latency(&decl.read_latency_cycles, "read", "read_latency_cycles")?;
        ports.write_latency_cycles = latency(&decl.write_latency_cycles, "write", "write_latency_cycles")?;
        if let (true, Some(cycles), Some(width)) = (self.wants(SramPart::Bandwidth, false), &cycles, self.width) {
            let stated = decl.read_gb_per_s.as_ref().or(decl.write_gb_per_s.as_ref());
            if let Some(figure) = stated {
                let message = format!("the model gives the bandwidth of {what}, but the file states it too");
                let help = "take the bandwidths away, or \"bandwidth\" off the model's `gives`";
                scope.error(&figure.quantity.span, message, help);
                return None;
            }
            let bytes = scope.graph.binary(Function::Mul, width, self.instances);
            let cycles_per_byte = scope.graph.binary(Function::Div, cycles.node, bytes);
            let answer = Answer { node: cycles_per_byte, ..cycles.clone() };
            ports.figures.push(Stated::choose(scope, "cycles_per_byte_of_one_bank", None, Some(&answer), true));
            ports.words = Some(WordPorts { cycles_per_byte });
        }
        Some(ports)
    }

    /// One minus the hit rate, linear between the curve's capacities; a capacity outside them has no value.
    fn miss_rate(&self, scope: &mut Scope<'_>, capacity_kib: NodeId, points: &[(f64, f64)]) -> NodeId {
        let what = format!("hit rate over the capacity of {}", self.what);
        let (first, last) = (points.first().map_or(0.0, |p| p.0), points.last().map_or(0.0, |p| p.0));
        let span = &self.decl.capacity_kib.span;
        let capacity = scope.at_least(capacity_kib, first, span, &what);
        let last = scope.graph.constant(last);
        let capacity = scope.at_most(capacity, last, span, &what);
        let hit = super::clock::interpolate(scope, capacity, points);
        let one = scope.graph.constant(1.0);
        let miss = scope.graph.binary(Function::Sub, one, hit);
        let zero = scope.graph.constant(0.0);
        scope.graph.binary(Function::Max, miss, zero)
    }
}

/// A figure above 0.
pub(super) fn positive(scope: &mut Scope<'_>, figure: &Figure, what: &str) -> Option<NodeId> {
    let value = scope.compile(&figure.quantity, what, &[])?;
    Some(scope.at_least(value, f64::MIN_POSITIVE, &figure.quantity.span, what))
}

/// A figure of at least 0.
pub(super) fn not_negative(scope: &mut Scope<'_>, figure: &Figure, what: &str) -> Option<NodeId> {
    let value = scope.compile(&figure.quantity, what, &[])?;
    Some(scope.at_least(value, 0.0, &figure.quantity.span, what))
}

/// A number above 0 that is no figure.
pub(super) fn above_zero(scope: &mut Scope<'_>, quantity: &Quantity, what: &str) -> Option<NodeId> {
    let value = scope.compile(quantity, what, &[])?;
    Some(scope.at_least(value, f64::MIN_POSITIVE, &quantity.span, what))
}
