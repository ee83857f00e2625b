//! One design point for a reader: its parts, what bounds it, what would move it, and what all of it rests on.

use std::fmt::{self, Write as _};

use serde::Serialize;

use super::columns::column_width;
use super::summary::short;
use crate::ppa::breakdown::{Bound, Breakdown};
use crate::ppa::knobs::{Knob, Step};
use crate::ppa::{FigureInfo, FigureValue, Plan};
use crate::schedule::NarrowEdge;
use crate::spec::figure::Range;

/// A design point explained.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The sweep.
    pub sweep: String,
    /// Index of the point, if it is one of the sweep as written.
    pub point: Option<u64>,
    /// Axes with their values at the point.
    pub design: Vec<(String, String)>,
    /// The constraint that the point breaks.
    pub breaks: Option<String>,
    /// How objectives join workloads.
    pub aggregate: String,
    /// Objectives, joined over the workloads.
    pub objectives: Vec<(String, f64)>,
    /// The parts on one workload.
    pub parts: Breakdown,
    /// Stream edges that leave groups of their consumer without a tile.
    pub narrow_edges: Vec<NarrowEdge>,
    /// Every figure of the hardware.
    pub figures: Vec<FigureRow>,
    /// What would move the point, strongest first.
    pub knobs: Vec<Knob>,
    /// How far assumed figures move the metrics, if that was asked.
    pub assumptions: Vec<Assumption>,
}

/// A metric over the ranges of the assumed figures.
#[derive(Debug, Clone, Serialize)]
pub struct Assumption {
    /// The metric.
    pub metric: String,
    /// Its least and greatest value.
    pub ends: [f64; 2],
    /// The figures that these rest on.
    pub figures: Vec<String>,
}

/// A figure of the hardware at the point.
#[derive(Debug, Clone, Serialize)]
pub struct FigureRow {
    /// The unit, the SRAM block, or `dram`.
    pub owner: String,
    /// Name with its unit.
    pub name: String,
    /// What the result is made of.
    pub used: f64,
    /// What the file states.
    pub published: Option<f64>,
    /// What the model gives.
    pub model: Option<f64>,
    /// How the value that counts is known.
    pub basis: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Mean relative error to expect of the model inside its table.
    pub expected_error: Option<f64>,
    /// The model counts and is asked beyond its table.
    pub extrapolated: bool,
    /// Lowest and highest plausible value.
    pub range: Option<[f64; 2]>,
}

/// The figures of the hardware at the point with these axis values.
pub fn figures(plan: &Plan, workload: usize, values: &[f64]) -> Vec<FigureRow> {
    let row = |(info, value): (&FigureInfo, FigureValue)| FigureRow {
        owner: info.owner.clone(),
        name: info.name.to_owned(),
        used: value.used,
        published: value.published,
        model: value.model,
        basis: info.basis.map(|basis| basis.name().to_owned()),
        source: info.source.clone(),
        expected_error: info.expected_error,
        extrapolated: value.extrapolated,
        range: match (info.range, value.published) {
            (Some(Range::Absolute(ends)), _) => Some(ends),
            (Some(Range::Factor(ends)), Some(stated)) => Some(ends.map(|end| end * stated)),
            _ => None,
        },
    };
    plan.figures(workload, values).into_iter().map(row).collect()
}

/// The text for a terminal.
pub fn to_text(explanation: &Explanation) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut text, explanation);
    text
}

fn write_all(out: &mut String, explanation: &Explanation) -> fmt::Result {
    let parts = &explanation.parts;
    let point = explanation.point.map_or_else(String::new, |point| format!(", point {point}"));
    writeln!(out, "{}{point} on {}", explanation.sweep, parts.workload)?;
    let design: Vec<String> = explanation.design.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if !design.is_empty() {
        writeln!(out, "  at          {}", design.join(", "))?;
    }
    writeln!(
        out,
        "  result      {} ms, {} mW, {} mJ of {}, {} mm2",
        short(parts.latency_ms),
        short(parts.power_mw),
        short(parts.energy_mj),
        parts.boundary.join(" + "),
        short(parts.area_mm2)
    )?;
    let objectives = explanation.objectives.iter().map(|(name, value)| format!("{name} {}", short(*value)));
    writeln!(out, "  objectives  {} ({})", objectives.collect::<Vec<_>>().join(", "), explanation.aggregate)?;
    if let Some(name) = &explanation.breaks {
        writeln!(out, "  infeasible  it breaks `{name}`")?;
    }
    writeln!(out, "  bottleneck  {}", bottleneck(parts))?;
    for edge in &explanation.narrow_edges {
        writeln!(out, "  warning     {edge}")?;
    }
    let sources = Sources::of(&explanation.figures);
    write_parts(out, explanation, &sources)?;
    write_operators(out, parts)?;
    write_knobs(out, explanation)?;
    write_assumptions(out, &explanation.assumptions)?;
    write_figures(out, &explanation.figures, &sources)?;
    for (at, source) in sources.0.iter().enumerate() {
        writeln!(out, "  [{}] {source}", at + 1)?;
    }
    Ok(())
}

fn write_assumptions(out: &mut String, assumptions: &[Assumption]) -> fmt::Result {
    if assumptions.is_empty() {
        return Ok(());
    }
    let (resting, free): (Vec<&Assumption>, Vec<&Assumption>) =
        assumptions.iter().partition(|assumption| !assumption.figures.is_empty());
    writeln!(out, "\nassumed figures within their ranges")?;
    for Assumption { metric, ends: [low, high], figures } in resting {
        writeln!(out, "  {metric} from {} to {}, by {}", short(*low), short(*high), figures.join(", "))?;
    }
    for Assumption { metric, .. } in free {
        writeln!(out, "  {metric} rests on none")?;
    }
    Ok(())
}

/// A sentence on what takes longest, and why.
fn bottleneck(parts: &Breakdown) -> String {
    let share = |cycles: f64| short(100.0 * cycles / parts.latency_cycles);
    let gap = format!(
        "the schedule is {} % longer than its lower bound",
        short(100.0 * (parts.latency_cycles / parts.lower_bound_cycles - 1.0))
    );
    let unit = parts.units.iter().position(|unit| unit.block.name == parts.bottleneck);
    let Some(unit) = unit else {
        let busy = parts.dram.as_ref().map_or(0.0, |dram| dram.busy_cycles);
        return format!("dram transfers in {} % of {} cycles; {gap}", share(busy), short(parts.latency_cycles));
    };
    let own = parts.operators.iter().filter(|operator| operator.unit == unit);
    let longest = own.max_by(|a, b| a.busy_cycles.total_cmp(&b.busy_cycles));
    let operator = longest.map_or_else(String::new, |operator| {
        format!(", longest with `{}`, which is bound by {}", operator.name, bound(&operator.bound))
    });
    let busy = parts.units[unit].block.busy_cycles;
    format!(
        "{} works in {} % of {} cycles{operator}; {gap}",
        parts.bottleneck,
        share(busy),
        short(parts.latency_cycles)
    )
}

fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Compute => "compute".into(),
        Bound::Memory(port) if port.direction == "both" => format!("{} bandwidth", port.memory),
        Bound::Memory(port) => format!("{} {} bandwidth", port.memory, port.direction),
    }
}

/// The sources of figures, each once.
struct Sources<'a>(Vec<&'a str>);

impl<'a> Sources<'a> {
    fn of(figures: &'a [FigureRow]) -> Self {
        let mut sources: Vec<&str> = Vec::new();
        for source in figures.iter().filter_map(|figure| figure.source.as_deref()) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        Self(sources)
    }

    fn basis(&self, figure: &FigureRow) -> String {
        let basis = figure.basis.as_deref().unwrap_or("not stated");
        let number = figure.source.as_ref().and_then(|source| self.0.iter().position(|known| known == source));
        number.map_or_else(|| basis.to_owned(), |at| format!("{basis} [{}]", at + 1))
    }

    /// The bases of those figures of an owner that are not zero, each once.
    fn bases(&self, figures: &[FigureRow], owner: &str, names: &[&str]) -> String {
        let mut bases: Vec<String> = Vec::new();
        for figure in
            figures.iter().filter(|one| one.owner == owner && one.used != 0.0 && names.contains(&one.name.as_str()))
        {
            let basis = self.basis(figure);
            if !bases.contains(&basis) {
                bases.push(basis);
            }
        }
        if bases.is_empty() { "none".into() } else { bases.join(", ") }
    }
}

/// Figures that energy is made of.
const ENERGY: [&str; 6] =
    ["dynamic_mw", "leakage_mw", "pj_per_mac", "read_pj_per_byte", "write_pj_per_byte", "energy_pj_per_bit"];

fn write_parts(out: &mut String, explanation: &Explanation, sources: &Sources<'_>) -> fmt::Result {
    let (parts, figures) = (&explanation.parts, &explanation.figures);
    let mut rows = vec![
        ["part", "area mm2", "energy mJ", "busy cycles", "busy %", "area from", "energy from"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let units = parts.units.iter().map(|unit| (&unit.block, 0.0));
    let srams = parts.srams.iter().map(|sram| (&sram.block, sram.access_mj));
    for (block, access) in units.chain(srams) {
        rows.push(vec![
            block.name.clone(),
            short(block.area_mm2),
            short(block.dynamic_mj + block.leakage_mj + access),
            short(block.busy_cycles),
            short(100.0 * block.utilization),
            sources.bases(figures, &block.name, &["area_mm2"]),
            sources.bases(figures, &block.name, &ENERGY),
        ]);
    }
    let outside = |counted: bool, name: &str| if counted { name.to_owned() } else { format!("{name} (not counted)") };
    if let Some(dram) = &parts.dram {
        rows.push(vec![
            outside(dram.energy_in_boundary, "dram"),
            String::new(),
            short(dram.access_mj + dram.background_mj),
            short(dram.busy_cycles),
            short(100.0 * dram.busy_cycles / parts.latency_cycles),
            String::new(),
            sources.bases(figures, "dram", &["energy_pj_per_bit", "background_mw"]),
        ]);
        if dram.phy_area_mm2 > 0.0 {
            let mut row = vec![String::new(); 7];
            row[0] = outside(dram.phy_in_boundary, "dram phy");
            row[1] = short(dram.phy_area_mm2);
            rows.push(row);
        }
    }
    table(out, "Parts", &rows, 1..5)
}

fn write_operators(out: &mut String, parts: &Breakdown) -> fmt::Result {
    let header = ["operator", "unit", "start", "end", "busy cycles", "bound by"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for operator in &parts.operators {
        rows.push(vec![
            operator.name.clone(),
            operator.unit_name.clone(),
            short(operator.start_cycles),
            short(operator.end_cycles),
            short(operator.busy_cycles),
            bound(&operator.bound),
        ]);
    }
    table(out, "Operators", &rows, 2..5)
}

fn write_knobs(out: &mut String, explanation: &Explanation) -> fmt::Result {
    let objectives = explanation.objectives.iter().map(|(name, _)| name.clone());
    let head = ["knob", "from", "to"].map(str::to_owned);
    let mut rows = vec![head.into_iter().chain(objectives).chain([String::new()]).collect::<Vec<_>>()];
    for knob in explanation.knobs.iter().filter(|knob| knob.effect() > 0.0) {
        for step in &knob.steps {
            let first = [knob.name.clone(), knob.value.clone(), step.to.clone()];
            rows.push(
                first
                    .into_iter()
                    .chain(step.changes.iter().map(|one| change(step, *one)))
                    .chain([note(step)])
                    .collect(),
            );
        }
    }
    let columns = explanation.objectives.len();
    if rows.len() > 1 {
        table(out, "What would move it (axes one step, other parameters doubled and halved)", &rows, 1..columns + 3)?;
    }
    let names = |wanted: &dyn Fn(&Knob) -> bool| {
        let wanted = explanation.knobs.iter().filter(|knob| knob.effect() == 0.0 && wanted(knob));
        wanted.map(|knob| knob.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let stuck = |knob: &Knob| knob.steps.iter().all(|step| step.impossible.is_some());
    for (title, names) in [
        ("move nothing here", names(&Knob::is_dead)),
        ("move no objective, but other metrics", names(&|knob| !knob.is_dead() && !stuck(knob))),
        ("have no other value here", names(&stuck)),
    ] {
        if !names.is_empty() {
            writeln!(out, "  {title}: {names}")?;
        }
    }
    Ok(())
}

fn change(step: &Step, change: Option<f64>) -> String {
    match change {
        _ if step.impossible.is_some() => String::new(),
        None if step.breaks.is_some() => String::new(),
        None => "?".into(),
        Some(0.0) => "=".into(),
        Some(change) => format!("{}{} %", if change > 0.0 { "+" } else { "" }, short(100.0 * change)),
    }
}

fn note(step: &Step) -> String {
    let breaks = step.breaks.as_ref().map(|name| format!("breaks `{name}`"));
    step.impossible.as_ref().map(|why| format!("no such design: {why}")).or(breaks).unwrap_or_default()
}

fn write_figures(out: &mut String, figures: &[FigureRow], sources: &Sources<'_>) -> fmt::Result {
    let header = ["of", "figure", "used", "stated", "model", "range", "model error", "basis"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for figure in figures {
        let optional = |value: Option<f64>| value.map_or_else(String::new, short);
        rows.push(vec![
            figure.owner.clone(),
            figure.name.clone(),
            short(figure.used),
            optional(figure.published),
            optional(figure.model),
            figure.range.map_or_else(String::new, |[low, high]| format!("{} .. {}", short(low), short(high))),
            // Inside its table a model's error was measured; beyond it that is the least to expect.
            figure.expected_error.map_or_else(String::new, |error| {
                format!("{}{} %", if figure.extrapolated { "> " } else { "" }, short(100.0 * error))
            }),
            match figure.extrapolated {
                true => format!("{}, extrapolated", sources.basis(figure)),
                false => sources.basis(figure),
            },
        ]);
    }
    table(out, "Figures of the hardware", &rows, 2..7)
}

/// A table with a title; the columns of `right` are numbers.
fn table(out: &mut String, title: &str, rows: &[Vec<String>], right: std::ops::Range<usize>) -> fmt::Result {
    writeln!(out, "\n{title}")?;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| column_width(rows.iter().filter_map(|row| row.get(at)).map(String::as_str));
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::from(" ");
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match right.contains(&at) {
                true => write!(line, " {cell:>width$} ")?,
                false => write!(line, " {cell:<width$} ")?,
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
