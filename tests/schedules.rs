//! Schedules of whole studies: verified tile by tile, under every policy; iterations of training.

mod common;

use std::sync::Arc;

use nerarch_dse::explore::Space;
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::schedule::Method;
use nerarch_dse::spec::source::{Origin, Source};
use nerarch_dse::spec::{Study, catalog};

fn plan(text: String) -> Plan {
    let source = Source { name: "test.toml".into(), text, origin: Origin::Stock("test".into()) };
    let (study, _) = Study::from_source(&Arc::new(source)).unwrap_or_else(|faults| panic!("{faults}"));
    Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}")).0
}

/// A stock pipeline on a stock accelerator, with further lines.
fn on_lego(hardware: &str, pipeline: &str, more: &str) -> Plan {
    let overlap = common::overlap(pipeline);
    plan(format!(
        "name = \"test\"\nhardware = \"{hardware}\"\npipeline = \"{pipeline}\"\nscenes = [\"lego\"]\n{overlap}\n{more}\n\
         [search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n"
    ))
}

fn metric(plan: &Plan, evaluator: &Evaluator<'_>, name: &str) -> f64 {
    let at = plan.metric_names.iter().position(|known| known == name).expect("metric");
    evaluator.metric(0, at)
}

#[test]
fn the_schedules_of_all_stock_sweeps_are_verified() {
    for name in catalog::stock_names(catalog::Category::Sweep) {
        let (_, plan) = common::compile(&name);
        let space = Space::new(&plan.axes).expect("space");
        let mut evaluator = Evaluator::new(&plan);
        let mut digits = Vec::new();
        let mut verified = 0;
        for index in (0..space.points()).step_by(1 + space.points() as usize / 40) {
            space.digits(index, &mut digits);
            evaluator.evaluate(&digits);
            verified += evaluator.verify().unwrap_or_else(|violation| panic!("{name}, point {index}: {violation}"));
        }
        assert!(verified > 0, "{name}");
    }
}

#[test]
fn the_schedules_of_all_stock_accelerators_are_verified() {
    let mut names: Vec<String> = catalog::stock_names(catalog::Category::Hardware);
    names.retain(|name| catalog::stock_names(catalog::Category::Pipeline).contains(name));
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let plan = on_lego(&name, &name, "");
        let mut evaluator = Evaluator::new(&plan);
        assert_ne!(evaluator.evaluate(&[]), Outcome::Failed, "{name}: {}", evaluator.reason());
        assert_eq!(evaluator.verify(), Ok(1), "{name}");
    }
}

/// A chain of whole operators takes one iteration after the other; the passes follow each other.
#[test]
fn a_carried_result_of_the_whole_iteration_makes_iterations_follow_each_other() {
    for name in ["instant3d", "gsarch"] {
        let plan = on_lego(name, name, if name == "instant3d" { "[parameters]\niterations = 35000" } else { "" });
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&[]);
        let value = |metric_name: &str| metric(&plan, &evaluator, metric_name);
        let latency = value("latency_cycles");
        assert!(common::error(value("iteration_cycles"), latency) < 1e-12, "{name}");
        let iterations = if name == "instant3d" { 35_000.0 } else { 1.0 };
        assert!(common::error(value("training_cycles"), iterations * latency) < 1e-12, "{name}");
        assert!(value("forward_cycles") > 0.0 && value("backward_cycles") > 0.0);
        if name == "instant3d" {
            assert!(common::error(value("forward_cycles") + value("backward_cycles"), latency) < 1e-12);
        }
    }
}

/// A pipeline without a carried edge has no columns of training.
#[test]
fn only_training_has_metrics_of_training() {
    let plan = on_lego("gscore", "gscore", "");
    assert!(!plan.metric_names.iter().any(|name| name == "iteration_cycles"));
    let training = on_lego("instant3d", "instant3d", "");
    assert!(training.metric_names.iter().any(|name| name == "iteration_cycles"));
}

#[test]
fn every_policy_gives_a_verified_schedule_above_the_bound() {
    let mut lengths = Vec::new();
    for policy in [
        "policy = \"dags\"",
        "policy = \"dags\"\nalpha = 0\nbeta = 2.5",
        "policy = \"critical-path\"",
        "policy = \"fifo\"",
        "policy = \"weights\"\nweights = { sort = 2, cull = \"1 / 4\" }",
    ] {
        let plan = on_lego("gsarch", "gsarch", &format!("[schedule]\n{policy}"));
        assert_eq!(plan.workloads[0].method(), Method::List);
        let mut evaluator = Evaluator::new(&plan);
        evaluator.evaluate(&[]);
        assert_eq!(evaluator.verify(), Ok(1), "{policy}");
        let length = metric(&plan, &evaluator, "latency_cycles");
        assert!(length >= metric(&plan, &evaluator, "lower_bound_cycles") * (1.0 - 1e-12), "{policy}");
        lengths.push(length);
    }
    println!("{lengths:?}");
}
