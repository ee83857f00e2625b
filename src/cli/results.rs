//! What a run ends with: front, figure, manifest.

use std::io;

use super::folder::{INPUTS, RunFolder};
use super::study::Ready;
use super::{Failure, effects, marks};
use crate::explore::history::{History, Step};
use crate::explore::record::Identity;
use crate::explore::sensitivity::Sensitivity;
use crate::explore::{Archive, Block, Space, Summary};
use crate::ppa::{Evaluator, Outcome, Plan};
use crate::report::csv::CsvWriter;
use crate::report::figure::{Axis, CourseFigure, Marked, ParetoFigure};
use crate::report::manifest::{Manifest, Runtime};
use crate::report::summary::{Reference, point_text, short};
use crate::report::table::{Rows, Schema};
use crate::report::tiles;

/// Writes everything that stands beside the table of results and gives the manifest back. The identity comes last: where it is, all files are.
pub fn write(
    folder: &RunFolder,
    ready: &Ready,
    (summary, cloud, reference): (&Summary, &[Vec<f64>], Option<&Reference>),
    sweep: &str,
    runtime: Runtime,
) -> Result<Manifest, Failure> {
    let Ready { study, plan, space, schema, .. } = ready;
    write_front(folder, plan, space, schema, summary)?;
    if study.sweep.output.pareto_figure
        && let Some(svg) = draw(ready, cloud, summary, reference)
    {
        folder.write("figures/pareto.svg", svg.as_bytes())?;
    }
    if study.sweep.output.tiles_figure {
        let loads = tiles::loads(study, plan, &vec![0; plan.axes.len()], None);
        if let Some(svg) = super::tiles::draw(study, plan, &point_text(plan, space, 0), &loads) {
            folder.write("figures/tiles.svg", svg.as_bytes())?;
        }
    }
    if !ready.marks.is_empty() {
        folder.write("marks.csv", marks::csv(ready, summary)?.as_bytes())?;
    }
    if let Some(history) = &summary.history {
        let names: Vec<String> = plan.objectives.iter().map(|objective| objective.name.clone()).collect();
        folder.write("search.csv", history.csv(&names).as_bytes())?;
        if study.sweep.output.convergence_figure.is_some() {
            for (across, file) in
                [("evaluations", "figures/convergence.svg"), ("seconds", "figures/convergence_seconds.svg")]
            {
                if let Some(svg) = draw_course(ready, history, across) {
                    folder.write(file, svg.as_bytes())?;
                }
            }
        }
    }
    let manifest = Manifest::new(study, plan, space, summary, sweep, runtime);
    let text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| Failure::Write { path: "manifest.json".into(), source: error.into() })?;
    folder.write("manifest.json", text.as_bytes())?;
    Ok(manifest)
}

/// Writes what the axes do to the objectives.
pub fn write_effects(folder: &RunFolder, ready: &Ready, sensitivity: &Sensitivity) -> Result<(), Failure> {
    let table = effects::csv(ready, sensitivity);
    let table = table.map_err(|source| Failure::Write { path: "sensitivity.csv".into(), source })?;
    folder.write("sensitivity.csv", &table)?;
    match effects::draw(ready, sensitivity) {
        Some(svg) => folder.write("figures/sensitivity.svg", svg.as_bytes()),
        None => Ok(()),
    }
}

/// The hypervolume against evaluations or seconds; `None` if it was never measured.
fn draw_course(ready: &Ready, history: &History, across: &str) -> Option<String> {
    let place = |step: &Step| if across == "seconds" { step.seconds } else { step.evaluations as f64 };
    let steps: Vec<(f64, f64)> =
        history.steps.iter().filter_map(|step| Some((place(step), step.hypervolume?))).collect();
    let sweep = &ready.study.sweep;
    let title = format!("{} ({})", sweep.search.strategy.name(), sweep.name);
    let reference: Vec<String> = ready
        .plan
        .objectives
        .iter()
        .zip(&history.reference)
        .map(|(objective, value)| format!("{} {}", objective.name, short(*value)))
        .collect();
    let note = format!("reference point: {}", reference.join(", "));
    // Each label ends with its unit; what has none, such as an expression, leaves the product without one.
    let unit = |label: &str| Some(label.strip_suffix(')')?.rsplit_once('(')?.1.to_owned());
    let units: Option<Vec<String>> = ready.plan.objectives.iter().map(|objective| unit(&objective.label)).collect();
    let unit = units.map_or_else(String::new, |units| units.join(" · "));
    CourseFigure { title: &title, across, steps: &steps, unit: &unit, note: &note }.svg().ok()
}

/// Writes the identity, which makes the folder complete.
pub fn write_identity(folder: &RunFolder, identity: &Identity) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(identity).map_err(io::Error::other);
    let text = text.map_err(|source| Failure::Write { path: INPUTS.into(), source })?;
    folder.write(INPUTS, text.as_bytes())
}

/// The declared design, evaluated beside the grid; `None` if an axis has no declared value.
pub fn reference(plan: &Plan, summary: &Summary) -> Option<Reference> {
    let values: Option<Vec<f64>> = plan
        .axes
        .iter()
        .map(|axis| match axis.values[..] {
            [only] => Some(only),
            _ => axis.default,
        })
        .collect();
    let mut evaluator = Evaluator::new(plan);
    let outcome = evaluator.evaluate_values(&values?);
    let mut front = Archive::new(plan.objectives.iter().map(|objective| objective.goal).collect());
    for point in &summary.front {
        front.insert(point.index, &point.objectives);
    }
    Some(Reference {
        outcome,
        objectives: evaluator.objectives().to_vec(),
        metrics: evaluator.metrics().to_vec(),
        dominated: front.dominates(evaluator.objectives()),
    })
}

/// Evaluates the front's points again and writes them with all their columns.
fn write_front(
    folder: &RunFolder,
    plan: &Plan,
    space: &Space,
    schema: &Schema,
    summary: &Summary,
) -> Result<(), Failure> {
    let mut evaluator = Evaluator::new(plan);
    let mut block = Block::default();
    let mut digits = Vec::new();
    for point in &summary.front {
        let mut own = Vec::new();
        space.digits(point.index, &mut own);
        block.outcomes.push(evaluator.evaluate(&own));
        block.indices.push(point.index);
        block.metrics.extend_from_slice(evaluator.metrics());
        block.objectives.extend_from_slice(evaluator.objectives());
        block.parameters.extend(schema.shown_parameters.iter().map(|at| evaluator.parameter(*at)));
        digits.push(own);
    }
    let rows = Rows::new(plan, schema, &block, &digits);
    let write = || -> std::io::Result<Vec<u8>> {
        let mut csv = CsvWriter::new(Vec::new(), schema, &["ties"])?;
        for (row, point) in summary.front.iter().enumerate() {
            csv.row(&rows, row, schema, &[point.ties])?;
        }
        csv.finish()
    };
    let contents = write().map_err(|source| Failure::Write { path: "pareto.csv".into(), source })?;
    folder.write("pareto.csv", &contents)
}

/// The figure of the front; `None` if there is nothing to draw or too many objectives for one.
fn draw(ready: &Ready, cloud: &[Vec<f64>], summary: &Summary, reference: Option<&Reference>) -> Option<String> {
    let Ready { study, plan, .. } = ready;
    let maximise = |at: usize| plan.objectives[at].goal == crate::spec::sweep::Goal::Maximise;
    let axes: Vec<Axis<'_>> = plan
        .objectives
        .iter()
        .enumerate()
        .map(|(at, objective)| Axis { label: &objective.label, maximise: maximise(at) })
        .collect();
    let front: Vec<Vec<f64>> = summary.front.iter().map(|point| point.objectives.clone()).collect();
    let label = format!("{} as declared", study.hardware.name);
    let names: Vec<&str> = plan.workloads.iter().map(|workload| workload.name.as_str()).collect();
    let scenes = match &names[..] {
        [only] => (*only).to_owned(),
        several => format!("{} of {}", plan.aggregate.name(), several.join(", ")),
    };
    let note = format!(
        "{} points, {} feasible, {} on the front; {scenes}",
        summary.points,
        summary.feasible,
        summary.front.len(),
    );
    let marked = reference
        .filter(|reference| reference.outcome != Outcome::Failed)
        .map(|reference| Marked { label: &label, values: &reference.objectives });
    let marks: Vec<Marked<'_>> = ready
        .marks
        .iter()
        .filter(|mark| mark.outcome != Outcome::Failed)
        .map(|mark| Marked { label: &mark.label, values: &mark.objectives })
        .collect();
    let title = format!("{} ({})", study.hardware.name, study.sweep.name);
    ParetoFigure {
        title: &title,
        axes: &axes,
        cloud,
        front: &front,
        front_label: "",
        compared: &[],
        marked,
        marks: &marks,
        note: &note,
    }
    .svg()
    .ok()
}
