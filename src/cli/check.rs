//! `nerarch-dse check`

use std::process::ExitCode;

use super::{Failure, show_warnings};
use crate::explore::{Space, count_points};
use crate::ppa::{Evaluator, Plan};
use crate::report::summary::short;
use crate::spec::{Diagnostics, Study};

/// Validates each sweep and prints what it resolves to; the faults of all of them are reported together.
pub fn run(sweeps: &[String]) -> Result<ExitCode, Failure> {
    let mut faults = Vec::new();
    for sweep in sweeps {
        if let Err(Diagnostics(more)) = check(sweep) {
            faults.extend(more);
        }
    }
    if faults.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure::Input(Diagnostics(faults))) }
}

fn check(sweep: &str) -> Result<(), Diagnostics> {
    let (study, warnings) = Study::load(sweep)?;
    let (plan, more) = Plan::compile(&study)?;
    show_warnings(&warnings);
    show_warnings(&more);
    println!("{}: {} on {}, {} nm", study.sweep.name, study.pipeline.name, study.hardware.name, study.hardware.node_nm);
    for workload in &plan.workloads {
        let tiles = if workload.equal_tiles { "equal tiles (only totals are known)" } else { "as measured" };
        println!("  workload   {}, {tiles}", workload.name);
    }
    for axis in &plan.axes {
        println!("  axis       {} = {} ({})", axis.name, shortened(&axis.labels), axis.values.len());
    }
    let mut evaluator = Evaluator::new(&plan);
    evaluator.evaluate(&vec![0; plan.axes.len()]);
    for (at, (name, words)) in plan.parameters.iter().enumerate() {
        if plan.axes.iter().any(|axis| axis.name == *name) {
            continue;
        }
        let value = evaluator.parameter(at);
        let text = match words {
            Some(words) => words.get(value as usize).cloned().unwrap_or_default(),
            None => short(value),
        };
        println!("  parameter  {name} = {text}");
    }
    for objective in &plan.objectives {
        println!("  objective  {:?} {}", objective.goal, objective.name);
    }
    for constraint in &plan.constraints {
        println!("  constraint {} in [{}, {}]", constraint.name, constraint.min, constraint.max);
    }
    let search = &study.sweep.search;
    // The compiled plan has fewer than 2^64 points.
    if let Some(space) = Space::new(&plan.axes) {
        println!("  points     {} of {} ({})\n", count_points(&space, search), space.points(), search.strategy.name());
    }
    Ok(())
}

/// The first and last values of a long list.
fn shortened(labels: &[String]) -> String {
    if labels.len() <= 12 {
        return labels.join(", ");
    }
    format!("{}, ..., {}", labels[..5].join(", "), labels[labels.len() - 2..].join(", "))
}
