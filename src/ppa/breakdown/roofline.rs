//! A point that was taken apart, on the roofline.

use super::values::{Breakdown, MemoryUse, OperatorShare, PortName};
use crate::ppa::roofline::{self, MemoryRoof, OperatorPoint, Roofline};
use crate::spec::kind::Pass;

impl From<&Breakdown> for Roofline {
    /// Operators as they were bound and counted. An SRAM port's roof is the best that any operator's traffic gets of it, so
    /// that only ports with traffic have one.
    fn from(parts: &Breakdown) -> Self {
        let mut roofs: Vec<MemoryRoof> = Vec::new();
        if let Some(dram) = &parts.dram {
            roofs.push(MemoryRoof { name: "DRAM".into(), gb_per_s: dram.peak_gb_per_s });
        }
        let uses = parts.operators.iter().flat_map(|operator| &operator.memory);
        for used in uses.filter(|used| used.port.memory != "dram" && moved(used) > 0.0 && used.cycles > 0.0) {
            let (name, gb_per_s) = (port_name(&used.port), moved(used) / used.cycles * parts.clock_mhz / 1000.0);
            match roofs.iter_mut().find(|roof| roof.name == name) {
                Some(roof) => roof.gb_per_s = roof.gb_per_s.max(gb_per_s),
                None => roofs.push(MemoryRoof { name, gb_per_s }),
            }
        }
        Self {
            workload: parts.workload.clone(),
            roofs,
            operands_only: false,
            operators: parts.operators.iter().map(|operator| point(operator, parts.clock_mhz)).collect(),
            at: Vec::new(),
        }
    }
}

fn moved(used: &MemoryUse) -> f64 {
    used.read_bytes + used.written_bytes
}

fn port_name(port: &PortName) -> String {
    match (port.memory.as_str(), port.direction.as_str()) {
        ("dram", _) => "DRAM".into(),
        (block, "both") => format!("{block} read and write"),
        (block, direction) => format!("{block} {direction}"),
    }
}

fn point(operator: &OperatorShare, clock_mhz: f64) -> OperatorPoint {
    let flops = operator.flops.unwrap_or(0.0);
    let rate = |cycles: f64| if flops == 0.0 { 0.0 } else { flops / cycles * clock_mhz / 1000.0 };
    let used = operator.memory.iter().filter(|used| moved(used) > 0.0);
    let memory = used.max_by(|a, b| a.cycles.total_cmp(&b.cycles)).map(|used| roofline::MemoryUse {
        name: port_name(&used.port),
        bytes: moved(used),
        gflop_per_s: rate(used.cycles),
    });
    OperatorPoint {
        name: operator.name.clone(),
        kind: operator.kind.clone(),
        pass: if operator.pass == Pass::Backward.name() { Pass::Backward } else { Pass::Forward },
        unit: operator.unit_name.clone(),
        flops,
        flop_per_byte: memory.as_ref().map_or(f64::NAN, |memory| flops / memory.bytes),
        compute_gflop_per_s: rate(operator.compute_cycles),
        memory,
    }
}
