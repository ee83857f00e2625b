//! What a report says first.

use super::ir::ScheduledIr;
use super::roofline::{bound_words, share_of_time};
use super::words::{digits, percent, scaled, time};

/// The result in sentences: what ran where, how long it takes, and what it waits for.
pub(super) fn sentences(ir: &ScheduledIr) -> Vec<String> {
    let ppa = &ir.ppa;
    let workload = &ir.workload;
    let streamed = if workload.tiles > 1 { format!(", streamed in {} chunks,", workload.tiles) } else { String::new() };
    let mut sentences = vec![format!(
        "{} on {} ({} nm, {} MHz): {} operators with {}FLOP{streamed} take {}.",
        workload.name,
        ir.hardware.name,
        ir.hardware.node_nm,
        digits(ppa.clock_mhz),
        workload.operators.len(),
        spaced(workload.totals.flops as f64),
        time(ppa.latency_cycles, ppa.clock_mhz),
    )];
    sentences.push(bottleneck(ir));
    let gap = ppa.latency_cycles / ppa.lower_bound_cycles - 1.0;
    if gap.is_finite() {
        sentences.push(if gap < 0.005 {
            "No schedule of the same work on this hardware could be shorter.".into()
        } else {
            format!(
                "No schedule of the same work can take less than {}; this one is {} above.",
                time(ppa.lower_bound_cycles, ppa.clock_mhz),
                percent(gap)
            )
        });
    }
    sentences.push(format!(
        "One run takes {} mJ at {} mW on {} mm2 (boundary: {}).",
        digits(ppa.energy_mj),
        digits(ppa.power_mw),
        digits(ppa.area_mm2),
        ppa.boundary.join(", "),
    ));
    sentences
}

fn spaced(value: f64) -> String {
    let text = scaled(value);
    if text.contains(' ') { text } else { format!("{text} ") }
}

fn bottleneck(ir: &ScheduledIr) -> String {
    let ppa = &ir.ppa;
    let longest = ppa.operators.iter().max_by(|a, b| a.busy_cycles.total_cmp(&b.busy_cycles));
    let operator = longest.map_or(String::new(), |operator| {
        format!(
            " The longest operator is {} on {}: {} of the time, bound by {}.",
            operator.name,
            operator.unit_name,
            percent(share_of_time(ir, operator)),
            bound_words(&operator.bound)
        )
    });
    let unit = ppa.units.iter().find(|unit| unit.block.name == ppa.bottleneck);
    match (unit, &ppa.dram) {
        (Some(unit), _) => {
            format!(
                "The bottleneck is {}, which works {} of the time.{operator}",
                ppa.bottleneck,
                percent(unit.block.utilization)
            )
        }
        (None, Some(dram)) => format!(
            "The bottleneck is the DRAM ({}), busy {} of the time.{operator}",
            dram.part,
            percent(dram.busy_cycles / ppa.latency_cycles)
        ),
        (None, None) => format!("The bottleneck is {}.{operator}", ppa.bottleneck),
    }
}
