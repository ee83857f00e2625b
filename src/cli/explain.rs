//! `nerarch-dse explain`

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use super::ask::Format;
use super::folder::INPUTS;
use super::study::{Instead, choose};
use super::words::split;
use super::{Arguments, Command, Failure, file, previous, show_warnings};
use crate::explore::Space;
use crate::explore::record::Identity;
use crate::explore::record::format::MAX_HEADER;
use crate::input;
use crate::ppa::knobs::{give, knobs};
use crate::ppa::setting::Setting;
use crate::ppa::{Axis, Evaluator, Outcome, Plan};
use crate::report::explain::{Assumption, Explanation, figures, to_text};
use crate::report::manifest::Manifest;
use crate::report::table::Schema;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::sweep::{Strategy, SweepValue};
use crate::spec::{Diagnostics, Study};
use crate::validate::{Moved, moved};

/// What `explain` was told.
#[derive(Debug, clap::Args)]
pub struct ExplainArguments {
    /// A sweep, of which the declared design is taken; or the folder of a finished run, with --point.
    sweep: String,
    #[command(flatten)]
    instead: Instead,
    /// The value of a parameter.
    #[arg(long = "set", value_name = "PARAMETER=VALUE")]
    values: Vec<String>,
    /// The point with that index (column `index` of results.csv) instead of the declared design.
    #[arg(long, value_name = "INDEX")]
    point: Option<u64>,
    /// Which sweep of a file of several; the first if not given.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The scene, or `scene.camera`, of the tables; the slowest if not given.
    #[arg(long, value_name = "NAME")]
    workload: Option<String>,
    /// Also how far the assumed figures move latency, area and power within their ranges.
    #[arg(long)]
    ranges: bool,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Prints the explanation.
pub fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failure> {
    let folder = Path::new(&arguments.sweep);
    let mut study = match folder.join("manifest.json").is_file() {
        true => study_of_run(arguments, folder)?,
        false => load(&arguments.sweep, &arguments.instead, arguments.name.as_deref())?,
    };
    let row = match arguments.point {
        Some(index) => Some(row(&study, index)?),
        None => None,
    };
    // Nothing is searched.
    study.sweep.search.strategy = Strategy::Grid;
    let settings = arguments.values.iter().map(|text| Setting::parse(text, &study));
    let settings = settings.collect::<Result<Vec<Setting>, Diagnostics>>()?;
    for setting in &settings {
        set(&mut study, setting);
    }
    let (plan, warnings) = Plan::compile_detailed(&study)?;
    show_warnings(&warnings);
    let mut evaluator = Evaluator::new(&plan);
    let digits = digits(&plan, &mut evaluator, &settings, row.as_deref())?;
    let outcome = evaluator.evaluate(&digits);
    if outcome == Outcome::Failed {
        let message = format!("the model has no value for this point: {}", evaluator.reason());
        return Err(Failure::input(message, "choose other values with --set"));
    }
    let workload = workload(&plan, &evaluator, arguments.workload.as_deref())?;
    let Some(parts) = evaluator.breakdown(workload) else {
        return Err(Failure::input("the model has no schedule for this point", "choose other values with --set"));
    };
    let values: Vec<f64> = plan.axes.iter().zip(&digits).map(|(axis, digit)| axis.values[*digit as usize]).collect();
    let explanation = Explanation {
        sweep: study.sweep.name.clone(),
        point: arguments.point.filter(|_| settings.is_empty()),
        design: design(&plan, &digits),
        breaks: match outcome {
            Outcome::Infeasible { constraint, .. } => Some(plan.constraints[constraint].name.clone()),
            Outcome::Feasible | Outcome::Failed => None,
        },
        aggregate: joined(&plan),
        objectives: plan
            .objectives
            .iter()
            .zip(evaluator.objectives())
            .map(|(objective, value)| (objective.name.clone(), *value))
            .collect(),
        narrow_edges: evaluator.narrow_edges(workload),
        figures: figures(&plan, workload, &values),
        parts,
        knobs: knobs(&study, &plan, &digits),
        assumptions: if arguments.ranges { assumptions(&study, &digits, workload)? } else { Vec::new() },
    };
    let text = match arguments.format {
        Format::Text => to_text(&explanation),
        Format::Json => {
            let text = serde_json::to_string_pretty(&explanation).map_err(std::io::Error::other);
            text.map_err(|source| Failure::Write { path: "standard output".into(), source })? + "\n"
        }
    };
    file::write(None, &text)?;
    Ok(ExitCode::SUCCESS)
}

fn assumptions(study: &Study, digits: &[u32], workload: usize) -> Result<Vec<Assumption>, Failure> {
    let moved = moved(study, digits, workload, &["latency_ms", "area_mm2", "power_mw"])?;
    let assumption = |Moved { metric, ends, figures }| Assumption { metric, ends, figures };
    Ok(moved.into_iter().map(assumption).collect())
}

fn joined(plan: &Plan) -> String {
    match &plan.workloads[..] {
        [only] => only.name.clone(),
        several => format!("{} of {} workloads", plan.aggregate.name(), several.len()),
    }
}

/// Loads the sweep of that name, or the only or first one.
fn load(sweep: &str, instead: &Instead, name: Option<&str>) -> Result<Study, Failure> {
    let (studies, warnings) = Study::load_all(sweep, &instead.overrides())?;
    show_warnings(&warnings);
    choose(studies, sweep, name, |study| &study.sweep)
}

/// The study that a finished run was made of, if its inputs are still the same.
fn study_of_run(arguments: &ExplainArguments, folder: &Path) -> Result<Study, Failure> {
    let read = |name: &str| {
        let path = folder.join(name);
        input::text(&path, u64::from(MAX_HEADER)).map_err(|error| Failure::Read { path, source: error.into() })
    };
    let manifest: Manifest = serde_json::from_str(&read("manifest.json")?).map_err(|error| {
        Failure::input(format!("`{}` holds no run of this program: {error}", folder.display()), "name a sweep instead")
    })?;
    let words = split(&manifest.command).unwrap_or_default();
    let Ok(Arguments { command: Command::Sweep(typed) }) = Arguments::try_parse_from(words) else {
        let message = format!("`{}` does not say which sweep it is of: `{}`", folder.display(), manifest.command);
        return Err(Failure::input(message, "name the sweep, with the same --point"));
    };
    let study = load(&typed.sweep, &typed.instead, Some(&manifest.name))?;
    let plan = Plan::compile(&study)?.0;
    let columns = Schema::new(&plan, &study.sweep).columns.iter().map(|column| column.name.clone()).collect();
    let before = previous::read_identity(&folder.join(INPUTS), &read(INPUTS)?)?;
    previous::same(folder, &before, &Identity::new(&study, &Space::of(&plan.axes), columns), "a run")?;
    if arguments.point.is_none() && arguments.values.is_empty() {
        let help = "add --point INDEX, the column `index` of results.csv";
        return Err(Failure::input(format!("which point of `{}`?", folder.display()), help));
    }
    Ok(study)
}

/// The axis values of a point.
fn row(study: &Study, index: u64) -> Result<Vec<f64>, Failure> {
    let plan = Plan::compile(study)?.0;
    let Some(space) = Space::new(&plan.axes) else {
        let message = "this space has 2^63 points or more, and its run numbered them as it chose them";
        return Err(Failure::input(
            message,
            "give the point's values, `--set name=value`, from its row of results.csv",
        ));
    };
    if index >= space.points() {
        let message = format!("there is no point {index}: this sweep has {} points, from 0", space.points());
        return Err(Failure::input(message, "take the column `index` of results.csv"));
    }
    let mut digits = Vec::new();
    space.digits(index, &mut digits);
    Ok(plan.axes.iter().zip(&digits).map(|(axis, digit)| axis.values[*digit as usize]).collect())
}

/// Puts the value among those of the axis; a parameter that the sweep does not vary takes it alone. The members of a group
/// stay as they are: the point chooses among them.
fn set(study: &mut Study, setting: &Setting) {
    let grouped = study.sweep.groups.iter().any(|group| group.axes.iter().any(|(name, _)| *name == setting.name));
    let given = study.sweep.parameters.iter_mut().find(|parameter| parameter.name == setting.name);
    match (given.map(|parameter| &mut parameter.value), setting.number) {
        (Some(SweepValue::Numbers(_) | SweepValue::Words(_)), _) if grouped => {}
        (Some(SweepValue::Numbers(values)), Some(number)) if values.len() > 1 => {
            if !values.iter().any(|(value, _)| *value == number) {
                values.push((number, setting.span.clone()));
            }
        }
        (Some(SweepValue::Words(words)), None) if words.len() > 1 => {
            if !words.iter().any(|(word, _)| *word == setting.text) {
                words.push((setting.text.clone(), setting.span.clone()));
            }
        }
        _ => give(study, &setting.name, &setting.span, setting.value()),
    }
}

/// The digits of the point: what is set, else the row's, else the declared design's, else the first of each axis.
fn digits(
    plan: &Plan,
    evaluator: &mut Evaluator<'_>,
    settings: &[Setting],
    row: Option<&[f64]>,
) -> Result<Vec<u32>, Failure> {
    let position = |axis: &Axis, value: Option<f64>| axis.values.iter().position(|known| Some(*known) == value);
    let start = |(at, axis): (usize, &Axis)| {
        let of_row = row.and_then(|values| values.get(at)).copied();
        position(axis, of_row).or_else(|| position(axis, axis.default)).unwrap_or(0) as u32
    };
    let mut digits: Vec<u32> = plan.axes.iter().enumerate().map(start).collect();
    for setting in settings {
        let Some(at) = plan.axes.iter().position(|axis| axis.varies(&setting.name)) else { continue };
        let axis = &plan.axes[at];
        let parameter = plan.parameters.iter().position(|(name, _)| *name == setting.name);
        let found = (0..axis.values.len() as u32).find(|digit| {
            if axis.members.is_empty() {
                let label = &axis.labels[*digit as usize];
                return setting.number.map_or(*label == setting.text, |number| axis.values[*digit as usize] == number);
            }
            digits[at] = *digit;
            evaluator.evaluate(&digits);
            let value = parameter.map_or(f64::NAN, |at| evaluator.parameter(at));
            let words = parameter.and_then(|at| plan.parameters[at].1.as_ref());
            match words {
                Some(words) => words.get(value as usize) == Some(&setting.text),
                None => setting.number == Some(value),
            }
        });
        let Some(found) = found else {
            let message = format!("`{}` moves in the group `{}`, never to {}", setting.name, axis.name, setting.text);
            return Err(Failure::input(message, format!("the group has {}", axis.labels.join(", "))));
        };
        digits[at] = found;
    }
    let space = Space::of(&plan.axes);
    for setting in settings {
        let axis = plan.axes.iter().position(|axis| axis.varies(&setting.name));
        if axis.is_some_and(|at| !space.is_there(at, &digits)) {
            let message = format!("`{}` does not exist at this point: its condition does not hold", setting.name);
            return Err(Failure::input(message, "set what its `when` asks for as well"));
        }
    }
    Ok(digits)
}

/// Name and value of everything that the sweep varies.
fn design(plan: &Plan, digits: &[u32]) -> Vec<(String, String)> {
    let axes = plan.axes.iter().zip(digits);
    axes.map(|(axis, digit)| (axis.name.clone(), axis.labels[*digit as usize].clone())).collect()
}

/// The workload of that name, else the slowest.
fn workload(plan: &Plan, evaluator: &Evaluator<'_>, name: Option<&str>) -> Result<usize, Failure> {
    let names = || plan.workloads.iter().map(|workload| workload.name.as_str());
    let Some(name) = name else {
        let latency = plan.metric_names.iter().position(|name| name == "latency_ms").unwrap_or(0);
        let time = |at: &usize| evaluator.metric(*at, latency);
        return Ok((0..plan.workloads.len()).max_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(0));
    };
    names()
        .position(|known| known == name)
        .ok_or_else(|| Failure::input(format!("the sweep has no workload `{name}`"), did_you_mean(name, names())))
}
