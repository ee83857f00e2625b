//! The fronts of the sweeps of one file, side by side.

use std::path::Path;

use super::Failure;
use super::folder::{INPUTS, RunFolder};
use super::study::Ready;
use crate::explore::Archive;
use crate::ppa::{self, Evaluator};
use crate::report::figure::{Axis, Front, MAX_SERIES, ParetoFigure};
use crate::spec::sweep::Goal;

/// Refuses sweeps that cannot be compared.
///
/// # Errors
/// If their objectives differ.
pub fn check(sweeps: &[Ready]) -> Result<(), Failure> {
    let names = |ready: &Ready| -> Vec<(String, Goal)> {
        ready.plan.objectives.iter().map(|objective| (objective.name.clone(), objective.goal)).collect()
    };
    let Some(first) = sweeps.first() else { return Ok(()) };
    match sweeps.iter().find(|other| names(other) != names(first)) {
        Some(other) => Err(Failure::input(
            format!(
                "`{}` and `{}` have different objectives, so their fronts cannot be compared",
                first.study.sweep.name, other.study.sweep.name
            ),
            "give all sweeps of a file the same objectives, or write a file of its own",
        )),
        None => Ok(()),
    }
}

/// Writes `comparison.csv` and its figure into the folder that has the file's name.
///
/// # Errors
/// If a run is not there, or the folder is taken or cannot be written.
pub fn write(sweeps: &[Ready], family: &str, out: &Path, quiet: bool) -> Result<(), Failure> {
    let folder = RunFolder::lock(out, family)?;
    if folder.target().join(INPUTS).exists() {
        return Err(Failure::input(
            format!("`{}` holds a run, so the comparison cannot go there", folder.target().display()),
            "rename that run or this file's `name`",
        ));
    }
    let mut fronts = Vec::new();
    for ready in sweeps {
        fronts.push(front(ready, out)?);
    }
    let goals: Vec<Goal> = sweeps
        .first()
        .map_or_else(Vec::new, |ready| ready.plan.objectives.iter().map(|objective| objective.goal).collect());
    let mut all = Archive::new(goals.clone());
    for (at, (_, objectives)) in (0..).zip(fronts.iter().flatten()) {
        all.insert(at, objectives);
    }
    folder.discard()?;
    folder.begin()?;
    folder.write("comparison.csv", &table(sweeps, &fronts, &all)?)?;
    if let Some(svg) = draw(sweeps, &fronts, family) {
        folder.write("figures/comparison.svg", svg.as_bytes())?;
    }
    let target = folder.publish()?;
    if !quiet {
        outln!("{family}: {} sweeps compared in {}", sweeps.len(), target.display());
        for (ready, front) in sweeps.iter().zip(&fronts) {
            let best = front.iter().filter(|(_, objectives)| !all.dominates(objectives)).count();
            outln!("  {:<20} {} points on its front, {best} on the front of all", ready.study.sweep.name, front.len());
        }
    }
    Ok(())
}

/// The front of a finished run: indices as its table has them, objectives evaluated again.
fn front(ready: &Ready, out: &Path) -> Result<Vec<(u64, Vec<f64>)>, Failure> {
    let path = out.join(&ready.study.sweep.name).join("pareto.csv");
    let fail = |source: std::io::Error| Failure::Read { path: path.clone(), source };
    let mut reader = csv::Reader::from_path(&path).map_err(|error| fail(error.into()))?;
    let mut evaluator = Evaluator::new(&ready.plan);
    let (mut front, mut digits) = (Vec::new(), Vec::new());
    let header = reader.headers().map_err(|error| fail(error.into()))?.clone();
    for record in reader.records() {
        let record = record.map_err(|error| fail(error.into()))?;
        let index =
            record.get(0).and_then(|cell| cell.parse::<u64>().ok()).filter(|index| *index < ready.space.points());
        let index = index.ok_or_else(|| fail(std::io::Error::other("its first column is no index of this space")))?;
        if ready.space.is_enumerable() {
            ready.space.digits(index, &mut digits);
        } else {
            // Its run numbered the points: the row itself says which one it is.
            digits = ready.plan.axes.iter().map(|axis| digit_in(axis, &header, &record)).collect();
        }
        evaluator.evaluate(&digits);
        front.push((index, evaluator.objectives().to_vec()));
    }
    Ok(front)
}

/// The digit of an axis in a row; 0 where the axis does not exist.
fn digit_in(axis: &ppa::Axis, header: &csv::StringRecord, record: &csv::StringRecord) -> u32 {
    let cell = |name: &String| header.iter().position(|column| column == name).and_then(|at| record.get(at));
    let text = match axis.members.is_empty() {
        true => cell(&axis.name).unwrap_or_default().to_owned(),
        false => axis.members.iter().map(|member| cell(member).unwrap_or_default()).collect::<Vec<_>>().join("+"),
    };
    axis.labels.iter().position(|label| *label == text).unwrap_or(0) as u32
}

fn table(sweeps: &[Ready], fronts: &[Vec<(u64, Vec<f64>)>], all: &Archive) -> Result<Vec<u8>, Failure> {
    let write = || -> std::io::Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let objectives = sweeps.iter().take(1).flat_map(|ready| &ready.plan.objectives);
        let names = objectives.map(|objective| objective.name.clone());
        writer.write_record(["sweep", "index", "on_common_front"].map(str::to_owned).into_iter().chain(names))?;
        for (ready, front) in sweeps.iter().zip(fronts) {
            for (index, objectives) in front {
                let best = !all.dominates(objectives);
                let fixed = [ready.study.sweep.name.clone(), index.to_string(), best.to_string()];
                writer.write_record(fixed.into_iter().chain(objectives.iter().map(f64::to_string)))?;
            }
        }
        writer.into_inner().map_err(csv::IntoInnerError::into_error)
    };
    write().map_err(|source| Failure::Write { path: "comparison.csv".into(), source })
}

/// The fronts in one figure; `None` if they are too many to tell apart or have too many objectives.
fn draw(sweeps: &[Ready], fronts: &[Vec<(u64, Vec<f64>)>], family: &str) -> Option<String> {
    if sweeps.len() > MAX_SERIES {
        return None;
    }
    let first = sweeps.first()?;
    let axes: Vec<Axis<'_>> = first
        .plan
        .objectives
        .iter()
        .map(|objective| Axis { label: &objective.label, maximise: objective.goal == Goal::Maximise })
        .collect();
    let points: Vec<Vec<Vec<f64>>> =
        fronts.iter().map(|front| front.iter().map(|(_, objectives)| objectives.clone()).collect()).collect();
    let label = |ready: &Ready| ready.study.sweep.name.strip_prefix(&format!("{family}-")).map(str::to_owned);
    let labels: Vec<String> = sweeps.iter().map(|ready| label(ready).unwrap_or_default()).collect();
    let compared: Vec<Front<'_>> =
        labels.iter().zip(&points).skip(1).map(|(label, points)| Front { label, points }).collect();
    let figure = ParetoFigure {
        title: family,
        axes: &axes,
        cloud: &[],
        front: &points[0],
        front_label: &labels[0],
        compared: &compared,
        marked: None,
        marks: &[],
        note: "the front of each sweep",
    };
    figure.svg().ok()
}
