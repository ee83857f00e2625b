//! `nerarch-dse sram`, `gemm` and `dram`: one question to one model, with the model's basis and expected error.

use std::fmt::Display;
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::Failure;
use crate::hardware::dram::{self, DramUse, Pattern};
use crate::hardware::sram::{self, Device, Ports, SramModel, SramShape};
use crate::hardware::systolic::{Dataflow, ElementBytes, Gemm, OperandBandwidth, SystolicArray};

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line per figure.
    Text,
    /// One JSON object.
    Json,
}

/// What `sram` was asked.
#[derive(Debug, clap::Args)]
pub struct SramQuestion {
    /// Capacity of all banks together, KiB.
    #[arg(long)]
    capacity_kib: f64,
    /// Banks.
    #[arg(long, default_value_t = 1)]
    banks: u32,
    /// Bytes of one access.
    #[arg(long, default_value_t = 8.0)]
    width_bytes: f64,
    /// Technology node in nm.
    #[arg(long, default_value_t = 28)]
    node_nm: u32,
    /// Transistors: hp (fast) or lstp (low standby power).
    #[arg(long, default_value = "hp", value_parser = parse::<Device>)]
    device: Device,
    /// Ports of each bank: 1rw or 1r1w.
    #[arg(long, default_value = "1rw", value_parser = parse::<Ports>)]
    ports: Ports,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What `gemm` was asked.
#[derive(Debug, clap::Args)]
pub struct GemmQuestion {
    /// Rows of the result.
    #[arg(long)]
    m: u64,
    /// Columns of the result.
    #[arg(long)]
    n: u64,
    /// Length of the inner product.
    #[arg(long)]
    k: u64,
    /// Rows of the array.
    #[arg(long)]
    rows: u64,
    /// Columns of the array.
    #[arg(long)]
    cols: u64,
    /// What stays in the array: os (outputs), ws (weights) or is (inputs).
    #[arg(long, value_parser = parse::<Dataflow>)]
    dataflow: Dataflow,
    /// Bytes of one element of any operand.
    #[arg(long, default_value_t = 2.0)]
    element_bytes: f64,
    /// Bytes per cycle over the memory port that all operands share; without it nothing waits.
    #[arg(long)]
    bytes_per_cycle: Option<f64>,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What `dram` was asked.
#[derive(Debug, clap::Args)]
pub struct DramQuestion {
    /// Part, such as LPDDR4-3200.
    #[arg(long)]
    part: String,
    /// Channels.
    #[arg(long, default_value_t = 1)]
    channels: u32,
    /// stream, random, or a stride in bytes.
    #[arg(long, default_value = "stream", value_parser = parse_pattern)]
    pattern: Pattern,
    /// Bytes of one request.
    #[arg(long, default_value_t = 64.0)]
    request_bytes: f64,
    /// Requests in flight on each channel.
    #[arg(long, default_value_t = 32.0)]
    outstanding: f64,
    /// Share of requests that write.
    #[arg(long, default_value_t = 0.0)]
    write_share: f64,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

fn parse<T: std::str::FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn parse_pattern(text: &str) -> Result<Pattern, String> {
    match text {
        "stream" => Ok(Pattern::Stream),
        "random" => Ok(Pattern::Random),
        stride => match stride.parse() {
            Ok(bytes) => Ok(Pattern::Stride { bytes }),
            Err(_) => Err("a pattern is `stream`, `random` or a stride in bytes".into()),
        },
    }
}

/// Answers `sram`.
pub fn sram(question: &SramQuestion) -> Result<ExitCode, Failure> {
    let shape = SramShape {
        node_nm: question.node_nm,
        device: question.device,
        ports: question.ports,
        banks: question.banks,
        width_bytes: question.width_bytes,
    };
    let model = SramModel::new(shape).map_err(|error| refused("sram", error))?;
    let figures = model.at(question.capacity_kib * 1024.0).map_err(|error| refused("sram", error))?;
    let error = model.expected_error();
    let mut answer = Answer::new(question.format);
    // Beyond the table's capacities nothing was measured; banks, widths and ports beyond it were.
    let known = |error: f64| (!figures.extrapolated.capacity).then_some(error);
    answer.number("area_mm2", figures.area_mm2, known(error.area));
    answer.number("read_pj", figures.read_pj, known(error.read));
    answer.number("write_pj", figures.write_pj, known(error.write));
    answer.number("leakage_mw", figures.leakage_mw, known(error.leakage));
    answer.number("access_ns", figures.access_ns, known(error.access));
    answer.extrapolated(figures.extrapolated.any(), figures.extrapolated.capacity);
    answer.text("source", sram::SOURCE);
    Ok(answer.print())
}

/// Answers `gemm`.
pub fn gemm(question: &GemmQuestion) -> Result<ExitCode, Failure> {
    let array = SystolicArray { rows: question.rows, cols: question.cols, dataflow: question.dataflow };
    let bytes = question.element_bytes;
    let element = ElementBytes { input: bytes, weight: bytes, output: bytes, partial: bytes };
    let bandwidth =
        OperandBandwidth { shared: question.bytes_per_cycle.unwrap_or(f64::INFINITY), ..OperandBandwidth::AMPLE };
    let timing = array
        .time(Gemm { m: question.m, n: question.n, k: question.k }, element, bandwidth)
        .map_err(|error| refused("gemm", error))?;
    let mut answer = Answer::new(question.format);
    answer.number("total_cycles", timing.total_cycles(), None);
    answer.number("compute_cycles", timing.compute_cycles as f64, Some(0.0));
    answer.number("stall_cycles", timing.stall_cycles, None);
    answer.number("cold_start_cycles", timing.cold_start_cycles, None);
    answer.number("folds", timing.folds as f64, None);
    answer.number("macs", timing.macs as f64, None);
    answer.number("utilization", timing.utilization, None);
    answer.number("mapping_efficiency", timing.mapping_efficiency, None);
    answer.text(
        "source",
        "fold by fold; compute cycles equal SCALE-Sim 3.0.0 in all 108 reference runs, stalls are derived",
    );
    Ok(answer.print())
}

/// Answers `dram`.
pub fn dram(question: &DramQuestion) -> Result<ExitCode, Failure> {
    let part = dram::part(&question.part).map_err(|error| refused("dram", error))?;
    let usage = DramUse {
        channels: question.channels,
        pattern: question.pattern,
        request_bytes: question.request_bytes,
        outstanding: question.outstanding,
        write_share: question.write_share,
    };
    let performance = part.performance(usage).map_err(|error| refused("dram", error))?;
    let energy = part.energy_per_bit().map_err(|error| refused("dram", error))?;
    let standby = part.standby().map_err(|error| refused("dram", error))?;
    let channels = f64::from(question.channels);
    let mut answer = Answer::new(question.format);
    let known = (!performance.extrapolated).then_some(performance.expected_error);
    answer.number("effective_gb_per_s", performance.effective_gb_per_s, known);
    answer.number("peak_gb_per_s", performance.peak_gb_per_s, None);
    answer.number("efficiency", performance.efficiency, known);
    answer.number("latency_ns", performance.latency_ns, None);
    answer.extrapolated(performance.extrapolated, performance.extrapolated);
    answer.text("source", dram::SOURCE);
    answer.number("energy_pj_per_bit", energy.pj_per_bit, None);
    answer.text("energy_range_pj_per_bit", &format!("{} to {}", energy.range.0, energy.range.1));
    answer.text("energy_source", &format!("{} ({})", energy.source, energy.confidence));
    answer.number("background_mw", channels * standby.mw_per_channel, None);
    let range = [standby.range.0, standby.range.1].map(|mw| crate::report::summary::short(channels * mw));
    answer.text("background_range_mw", &range.join(" to "));
    answer.text("background_source", &format!("supply currents of {}", standby.source));
    Ok(answer.print())
}

fn refused(command: &str, error: impl Display) -> Failure {
    Failure::input(error.to_string(), format!("`nerarch-dse help {command}` shows what it takes"))
}

/// The figures of an answer in order.
struct Answer {
    format: Format,
    figures: Map<String, Value>,
    lines: Vec<String>,
}

impl Answer {
    fn new(format: Format) -> Self {
        Self { format, figures: Map::new(), lines: Vec::new() }
    }

    /// A number with its expected relative error, if one was measured.
    fn number(&mut self, name: &str, value: f64, error: Option<f64>) {
        let note = error.map_or(String::new(), |error| format!("  (expected error {:.1} %)", error * 100.0));
        self.lines.push(format!("{name:<24} {}{note}", crate::report::summary::short(value)));
        self.figures.insert(name.into(), json!(value));
        if let Some(error) = error {
            self.figures.insert(format!("{name}_expected_error"), json!(error));
        }
    }

    /// Whether the model is asked beyond its table, and whether nobody measured how far it is off there.
    fn extrapolated(&mut self, value: bool, unknown: bool) {
        let note = if unknown { "  (its error there was not measured)" } else { "" };
        self.lines.push(format!("{:<24} {}{note}", "extrapolated", if value { "yes" } else { "no" }));
        self.figures.insert("extrapolated".into(), json!(value));
    }

    fn text(&mut self, name: &str, value: &str) {
        self.lines.push(format!("{name:<24} {value}"));
        self.figures.insert(name.into(), json!(value));
    }

    fn print(self) -> ExitCode {
        match self.format {
            Format::Text => self.lines.iter().for_each(|line| outln!("{line}")),
            Format::Json => outln!("{:#}", Value::Object(self.figures)),
        }
        ExitCode::SUCCESS
    }
}
