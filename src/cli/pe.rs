//! `nerarch-dse pe`: composite commands through a programmable processing element.

use std::path::PathBuf;
use std::process::ExitCode;

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::Failure;
use super::ask::Format;
use super::file::save;
use crate::hardware::pe::{
    Declared, Hazards, Record, Simulation, Tensor, Work, closed_form, execute, read, reference, simulate,
};
use crate::report::summary::short;
use crate::spec::Collector;
use crate::spec::catalog::{self, Category};

/// What `pe` was asked.
#[derive(Debug, clap::Args)]
pub struct PeArguments {
    /// A file of commands, or the name of a stock one.
    commands: String,
    /// Writes the operation log to this CSV file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Executes the operation log on random numbers of this seed, and compares with the commands done one by one.
    #[arg(long, value_name = "SEED")]
    data: Option<u64>,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Most elements of all tensors with --data: 128 MiB, held four times.
const MOST_ELEMENTS: f64 = 16_777_216.0;
/// Most multiplications of all products with --data: some seconds.
const MOST_PRODUCTS: f64 = 4_294_967_296.0;

/// Simulates the commands and prints when each was in flight and what each engine did.
pub fn run(arguments: &PeArguments) -> Result<ExitCode, Failure> {
    let source = catalog::find(Category::Commands, &arguments.commands, None)
        .map_err(|fault| crate::spec::Diagnostics(vec![fault]))?;
    let diagnostics = Collector::default();
    let declared = read(&source, &diagnostics);
    let (declared, _) = diagnostics.finish(declared)?;
    if arguments.data.is_some() {
        check_size(&declared)?;
    }
    let with_log = arguments.log.is_some() || arguments.data.is_some();
    let run = simulate(&declared.list, &declared.parameters, Hazards::Tracked, with_log)
        .map_err(|error| Failure::input(error.to_string(), "change [pe] or the tensors of the file"))?;
    if let Some(path) = &arguments.log {
        let text = to_csv(&declared, &run.log).map_err(|source| Failure::Write { path: path.clone(), source })?;
        save(path, &text)?;
    }
    let difference = arguments.data.map(|seed| difference(&declared, &run, seed));
    match arguments.format {
        Format::Text => print_text(&declared, &run, difference),
        Format::Json => outln!("{:#}", answer(&declared, &run, difference)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses data that takes more memory or time than a check is worth.
fn check_size(declared: &Declared) -> Result<(), Failure> {
    let list = &declared.list;
    let elements: f64 = list.tensors().iter().map(Tensor::elements).sum();
    let products = list.commands().iter().filter_map(|command| command.gemm.as_ref()).map(|gemm| {
        let (a, output) = (list.tensor(gemm.a), list.tensor(gemm.output));
        output.elements() * a.cols as f64
    });
    let products: f64 = products.sum();
    if elements <= MOST_ELEMENTS && products <= MOST_PRODUCTS {
        return Ok(());
    }
    Err(Failure::input(
        format!("--data takes {elements:.0} elements and {products:.0} multiplications: too many to compute"),
        format!("at most {MOST_ELEMENTS:.0} and {MOST_PRODUCTS:.0}; make the tensors smaller, or leave --data out"),
    ))
}

/// Largest difference between any element after the log and after the plain commands, from the same random start.
fn difference(declared: &Declared, run: &Simulation, seed: u64) -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut logged: Vec<Array2<f64>> = declared
        .list
        .tensors()
        .iter()
        .map(|tensor| {
            Array2::from_shape_fn((tensor.rows as usize, tensor.cols as usize), |_| random.random_range(0.1..0.9))
        })
        .collect();
    let mut plain = logged.clone();
    // The matrices have the tensors' shapes and the log is of these commands: neither can fail.
    let both = execute(&declared.list, &run.log, &mut logged).and(reference(&declared.list, &mut plain));
    debug_assert!(both.is_ok());
    logged
        .iter()
        .zip(&plain)
        .flat_map(|(logged, plain)| logged.iter().zip(plain).map(|(a, b)| (a - b).abs()))
        .fold(0.0, f64::max)
}

fn print_text(declared: &Declared, run: &Simulation, difference: Option<f64>) {
    outln!("{}\n", declared.name);
    outln!("{:<28} {:>8} {:>12} {:>12} {:>12}", "command", "tokens", "admitted", "completed", "alone");
    for (command, span) in declared.list.commands().iter().zip(&run.commands) {
        let alone = closed_form(&declared.list, command, &declared.parameters);
        outln!(
            "{:<28} {:>8} {:>12} {:>12} {:>12}",
            command.name,
            span.tokens,
            short(span.admitted),
            short(span.completed),
            alone.map_or("-".into(), short)
        );
    }
    outln!("\n{:<28} {:>12} {:>8}", "engine", "busy", "share");
    for engine in &run.engines {
        outln!(
            "{:<28} {:>12} {:>7.1}%",
            engine.engine.name(),
            short(engine.busy_cycles),
            100.0 * engine.busy_cycles / run.cycles
        );
    }
    outln!("\n{} cycles in all; `alone` is the closed form of a command on an idle element", short(run.cycles));
    if let Some(difference) = difference {
        outln!("on random numbers the log differs from the commands done one by one by at most {difference:.1e}");
    }
}

fn answer(declared: &Declared, run: &Simulation, difference: Option<f64>) -> serde_json::Value {
    let commands: Vec<_> = declared
        .list
        .commands()
        .iter()
        .zip(&run.commands)
        .map(|(command, span)| {
            json!({
                "name": command.name,
                "tokens": span.tokens,
                "admitted_cycles": span.admitted,
                "completed_cycles": span.completed,
                "alone_cycles": closed_form(&declared.list, command, &declared.parameters),
            })
        })
        .collect();
    let engines: Vec<_> = run
        .engines
        .iter()
        .map(|engine| json!({ "name": engine.engine.name(), "busy_cycles": engine.busy_cycles }))
        .collect();
    json!({
        "name": declared.name,
        "cycles": run.cycles,
        "commands": commands,
        "engines": engines,
        "data_difference": difference,
    })
}

fn to_csv(declared: &Declared, log: &[Record]) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "cycle",
        "command",
        "operation",
        "work",
        "m_from",
        "m_to",
        "k_from",
        "k_to",
        "n_from",
        "n_to",
        "accumulate",
    ])?;
    for record in log {
        let command = &declared.list.commands()[record.command as usize];
        let mut row = vec![record.cycle.to_string(), command.name.clone(), record.operation.to_string()];
        match record.work {
            Work::Math => {
                row.push("math".into());
                row.extend(std::iter::repeat_n(String::new(), 7));
            }
            Work::Gemm { block, accumulate } => {
                row.push("gemm".into());
                let ranges = [block.m.0, block.m.1, block.k.0, block.k.1, block.n.0, block.n.1];
                row.extend(ranges.map(|value| value.to_string()));
                row.push(accumulate.to_string());
            }
        }
        writer.write_record(&row)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}
