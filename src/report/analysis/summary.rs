//! What a report says first.

use std::collections::BTreeMap;

use super::figures::{Amount, figures};
use super::ir::{AppliedOptimization, ScheduledIr};
use super::roofline::{bound_words, share_of_time};
use super::words::{digits, listed, percent, power, scaled, time};

/// A schedule this near to its bound is called as short as it can be.
const NEGLIGIBLE: f64 = 0.005;

/// The result in sentences: what ran where, how long it takes, what it waits for, and what that is known from.
pub(super) fn sentences(ir: &ScheduledIr) -> Vec<String> {
    let mut sentences = vec![work(ir), bottleneck(ir)];
    sentences.extend(bound(ir));
    sentences.push(costs(ir));
    sentences.extend(basis(ir));
    sentences.extend(techniques(ir));
    sentences
}

/// What a reader should know before believing the numbers: the IR's warnings, and what a picture leaves out.
pub(super) fn warnings(ir: &ScheduledIr) -> Vec<String> {
    let mut warnings = ir.warnings.clone();
    if ir.schedule.omitted_intervals > 0 {
        warnings.push(format!(
            "the timeline shows the first {} stretches of work and leaves out {}",
            ir.schedule.intervals.len(),
            ir.schedule.omitted_intervals
        ));
    }
    warnings
}

fn work(ir: &ScheduledIr) -> String {
    let (workload, ppa) = (&ir.workload, &ir.ppa);
    let streamed = if workload.tiles > 1 { format!(", streamed in {} chunks,", workload.tiles) } else { String::new() };
    let flops = scaled(workload.totals.flops as f64);
    let flops = if flops.contains(' ') { flops } else { flops + " " };
    let count = workload.operators.len();
    format!(
        "{count} {} with {flops}FLOP{streamed} {} {} at {} MHz in {} nm.",
        if count == 1 { "operator" } else { "operators" },
        if count == 1 { "takes" } else { "take" },
        time(ppa.latency_cycles, ppa.clock_mhz),
        digits(ppa.clock_mhz),
        ir.hardware.node_nm,
    )
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
    if longest.is_none_or(|operator| operator.busy_cycles == 0.0) {
        return "No operator has any work: the time is the latency of units and memories.".into();
    }
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
            percent(dram.busy_cycles / ir.schedule.makespan_cycles)
        ),
        (None, None) => format!("The bottleneck is {}.{operator}", ppa.bottleneck),
    }
}

fn bound(ir: &ScheduledIr) -> Option<String> {
    let ppa = &ir.ppa;
    let gap = ppa.latency_cycles / ppa.lower_bound_cycles - 1.0;
    gap.is_finite().then(|| {
        if gap < NEGLIGIBLE {
            "With these units and shares of the memory ports no other order of the work is shorter.".into()
        } else {
            format!(
                "With these units and shares of the memory ports no order of the work takes less than {}; this one takes {} more.",
                time(ppa.lower_bound_cycles, ppa.clock_mhz),
                percent(gap)
            )
        }
    })
}

fn costs(ir: &ScheduledIr) -> String {
    let ppa = &ir.ppa;
    let counted: Vec<String> = ppa
        .boundary
        .iter()
        .map(|part| match part.as_str() {
            "core" => "the core".into(),
            "dram" => "the DRAM".into(),
            "phy" => "its interface on the chip".into(),
            other => other.to_owned(),
        })
        .collect();
    let counted = if counted.is_empty() { "nothing".into() } else { listed(&counted) };
    format!(
        "One run takes {} mJ ({} on average) on {} mm2. Counted: {counted}.",
        digits(ppa.energy_mj),
        power(ppa.power_mw),
        digits(ppa.area_mm2),
    )
}

/// How much of area and energy rests on figures of which kind.
fn basis(ir: &ScheduledIr) -> Option<String> {
    let of = |amount: Amount, what: &str| {
        let mut shares: BTreeMap<String, f64> = BTreeMap::new();
        for figure in figures(ir).into_iter().filter(|figure| figure.amount == amount) {
            *shares.entry(figure.basis).or_default() += figure.share.unwrap_or(0.0);
        }
        let mut shares: Vec<(String, f64)> = shares.into_iter().filter(|(_, share)| *share > 0.0).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let shares: Vec<String> = shares.iter().map(|(basis, share)| format!("{} {basis}", percent(*share))).collect();
        (!shares.is_empty()).then(|| format!("of the {what} {}", listed(&shares)))
    };
    let parts: Vec<String> = [of(Amount::Area, "area"), of(Amount::Energy, "energy")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("How these are known: {}.", parts.join("; ")))
}

/// Techniques in force: what they leave, and where.
fn techniques(ir: &ScheduledIr) -> Vec<String> {
    let mut alike: Vec<(&AppliedOptimization, Vec<String>)> = Vec::new();
    for operator in &ir.schedule.operators {
        for applied in &operator.applied_optimizations {
            match alike.iter_mut().find(|(known, _)| *known == applied) {
                Some((_, operators)) => operators.push(operator.name.clone()),
                None => alike.push((applied, vec![operator.name.clone()])),
            }
        }
    }
    let line = |(applied, operators): &(&AppliedOptimization, Vec<String>)| {
        format!("{} on {} leaves {}.", applied.technique, listed(operators), left(applied))
    };
    alike.iter().map(line).collect()
}

/// What a technique leaves, in words.
pub(super) fn left(applied: &AppliedOptimization) -> String {
    let parts = [(applied.s_comp, "compute"), (applied.r_bytes, "bytes"), (applied.energy, "energy per cycle")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(share, _)| *share < 1.0)
        .map(|(share, what)| format!("{} of its {what}", percent(share)))
        .collect();
    if parts.is_empty() { "all of its work".into() } else { listed(&parts) }
}
