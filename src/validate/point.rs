//! A design at its defaults, or with parameters set, on one scene: the numbers that a target can name.

use std::sync::Arc;

use super::target::PointDecl;
use crate::ppa::{Evaluator, Outcome, Plan, memory_traffic};
use crate::spec::diagnostic::Diagnostic;
use crate::spec::source::{Origin, Source};
use crate::spec::{Diagnostics, Study};

/// Loads the study of a point: a sweep without axes.
///
/// # Errors
/// Faults of every file that it names.
pub fn load(point: &PointDecl) -> Result<Study, Diagnostics> {
    // A JSON string is a TOML string too.
    let quoted = |name: &String| serde_json::Value::from(name.as_str());
    let [hardware, pipeline, scene] = point.names.each_ref().map(quoted);
    let text = format!(
        "name = \"point\"\nhardware = {hardware}\npipeline = {pipeline}\nscenes = [{scene}]\nparameters = {}\n\
         [search]\nobjectives = [\"latency_ms\"]\n",
        point.parameters
    );
    let source = Source { name: point.span.to_string(), text, origin: Origin::Stock("validation".into()) };
    Study::from_source(&Arc::new(source)).map(|(study, _)| study)
}

/// Every metric of the point as `point.NAME`; what each memory moves as
/// `point.MEMORY.read_bytes` and `write_bytes`, and for one operator as `point.MEMORY.OPERATOR.read_bytes`.
///
/// # Errors
/// Faults of the plan; a point without a value.
pub fn measure(point: &PointDecl, study: &Study) -> Result<Vec<(String, f64)>, Diagnostics> {
    let (plan, _) = Plan::compile(study)?;
    let mut evaluator = Evaluator::new(&plan);
    if evaluator.evaluate(&vec![0; plan.axes.len()]) == Outcome::Failed {
        let message = format!("this point has no value: {}", evaluator.reason());
        let fault = Diagnostic::new(&point.span, message).help("check its hardware, pipeline and scene");
        return Err(Diagnostics(vec![fault]));
    }
    let named = |(at, name): (usize, &String)| (format!("point.{name}"), evaluator.metric(0, at));
    let mut numbers: Vec<(String, f64)> = plan.metric_names.iter().enumerate().map(named).collect();
    for traffic in memory_traffic(study)? {
        for (direction, bytes) in [("read", traffic.read_bytes), ("write", traffic.write_bytes)] {
            let memory = format!("point.{}.{direction}_bytes", traffic.memory);
            match numbers.iter_mut().find(|(name, _)| *name == memory) {
                Some((_, total)) => *total += bytes,
                None => numbers.push((memory, bytes)),
            }
            numbers.push((format!("point.{}.{}.{direction}_bytes", traffic.memory, traffic.operator), bytes));
        }
    }
    Ok(numbers)
}
