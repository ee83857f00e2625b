//! What a DRAM part delivers: effective bandwidth and latency by access pattern, and its energy per bit.
//!
//! A channel with `n` requests of `r` bytes in flight is bound three ways, as shares of its peak bandwidth:
//!
//! * latency (Little's law): `n r / (latency * peak)`,
//! * what the data bus leaves after refresh and turnarounds: `cap`,
//! * for requests that each open a row: one activation per `activate_ns` (tRRD, tFAW / 4): `r / (activate_ns * peak)`.
//!
//! Where two bounds meet, the bandwidth bends from one to the other: `(a^-p + b^-p)^(-1/p)`. Latency, `cap`,
//! `activate_ns`, `p` and a small loss per doubling of the channels are fitted to simulated runs (`fit.rs`), for streams
//! and for random accesses apart. Mean latency follows from Little's law, which the runs obey.
//!
//! Background power follows from supply currents (`standby.rs`). Not modelled: thermal limits, other address mappings than
//! the simulated ones.

mod energy;
mod fit;
mod part;
mod standby;
#[cfg(test)]
mod tests;

pub use energy::{EnergyPerBit, energy_per_bit};
pub use part::{DramPart, PARTS, SOURCE, part};
pub use standby::Standby;

use fit::{Fit, PartFit};
use std::fmt;

/// The simulator's smallest transfer: a shorter random or strided request costs as much.
pub const LINE_BYTES: f64 = 64.0;

/// Order of the accesses on the address bus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pattern {
    /// Ascending addresses without gaps.
    Stream,
    /// Independent, uniformly distributed addresses.
    Random,
    /// A constant distance between requests, in bytes; channels interleave finely, so that each sees its share of it.
    Stride { bytes: f64 },
}

/// A use of a DRAM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DramUse {
    /// Channels of the part's width, over which requests spread evenly.
    pub channels: u32,
    pub pattern: Pattern,
    /// Bytes of one request.
    pub request_bytes: f64,
    /// Requests in flight on each channel.
    pub outstanding: f64,
    /// Share of requests that write, in [0, 1].
    pub write_share: f64,
}

/// What the DRAM delivers. Bandwidths are in 10^9 bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DramPerformance {
    pub peak_gb_per_s: f64,
    pub effective_gb_per_s: f64,
    /// Effective over peak bandwidth, in (0, 1].
    pub efficiency: f64,
    /// Mean time of a request from its issue, queueing included.
    pub latency_ns: f64,
    /// Mean relative error expected of the bandwidth.
    pub expected_error: f64,
    /// The use lies outside the simulated ranges (channels, request size, requests in flight, stride, writes).
    pub extrapolated: bool,
}

/// Mean relative error of stream and random efficiencies that were held out of the fit; a test measures it.
pub const EXPECTED_ERROR: f64 = 0.025;
/// The same for strides, whose efficiency hangs on the address mapping; a test measures it.
pub const EXPECTED_STRIDE_ERROR: f64 = 0.10;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum DramError {
    UnknownPart {
        name: String,
        nearest: Vec<&'static str>,
    },
    UnknownFamily {
        name: String,
        known: Vec<String>,
    },
    /// A figure of the use that is out of bounds.
    BadFigure(&'static str, f64),
    /// A built-in table does not parse: a fault of the program.
    BrokenTable(String),
}

impl fmt::Display for DramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPart { name, nearest } => {
                write!(f, "unknown DRAM part `{name}`: nearest are {}", nearest.join(", "))
            }
            Self::UnknownFamily { name, known } => {
                write!(f, "no energy per bit for DRAM family `{name}`: known are {}", known.join(", "))
            }
            Self::BadFigure(what, value) => write!(f, "{what} can not be {value}"),
            Self::BrokenTable(why) => write!(f, "the built-in DRAM table is broken: {why}"),
        }
    }
}

impl std::error::Error for DramError {}

impl DramPart {
    /// What this part delivers in `usage`.
    ///
    /// # Errors
    /// No channels, sizes or requests in flight that are not positive and finite, a write share outside [0, 1].
    pub fn performance(&self, usage: DramUse) -> Result<DramPerformance, DramError> {
        check(usage)?;
        let fit = fit::builtin(self)?;
        Ok(perform(self, fit, usage))
    }
}

fn perform(part: &DramPart, fit: &PartFit, usage: DramUse) -> DramPerformance {
    let channels = f64::from(usage.channels);
    let request = usage.request_bytes;
    // Streamed requests share lines; others move whole lines.
    let moved = match usage.pattern {
        Pattern::Stream => request,
        Pattern::Random | Pattern::Stride { .. } => (request / LINE_BYTES).ceil() * LINE_BYTES,
    };
    let flight = usage.outstanding * moved;
    let (reads, write_factor) = match usage.pattern {
        Pattern::Stream => (fit.stream.efficiency(part, flight, f64::INFINITY), fit.stream.write_factor),
        Pattern::Random => (fit.random.efficiency(part, flight, moved), fit.random.write_factor),
        Pattern::Stride { bytes } => {
            let stride = bytes / channels;
            // Each access of a stride of whole rows opens one, as a random access does; shorter strides open fewer.
            let opens = (stride / part.row_bytes).clamp(0.0, 1.0);
            let latency_ns = fit.stream.latency_ns + opens * (fit.random.latency_ns - fit.stream.latency_ns).max(0.0);
            let bound = Fit { latency_ns, cap: fit.stride_cap(stride), channel_power: 0.0, ..fit.stream };
            (bound.efficiency(part, flight, f64::INFINITY), fit.stride_write_factor)
        }
    };
    let power = match usage.pattern {
        Pattern::Stream => fit.stream.channel_power,
        Pattern::Random => fit.random.channel_power,
        Pattern::Stride { .. } => 0.0,
    };
    // Simulated at two reads per write; in between by a power, beyond it the same.
    let writes = write_factor.powf((usage.write_share / fit::WRITE_SHARE).min(1.0));
    let efficiency = (reads * writes * channels.powf(power) * (request / moved)).min(1.0);
    let peak = part.channel_gb_per_s * channels;
    let effective = peak * efficiency;
    let stride = matches!(usage.pattern, Pattern::Stride { .. });
    DramPerformance {
        peak_gb_per_s: peak,
        effective_gb_per_s: effective,
        efficiency,
        latency_ns: usage.outstanding * channels * request / effective,
        expected_error: if stride { EXPECTED_STRIDE_ERROR } else { EXPECTED_ERROR },
        extrapolated: fit.extrapolates(usage),
    }
}

fn check(usage: DramUse) -> Result<(), DramError> {
    let positive = |what, value: f64| {
        if value > 0.0 && value <= 1e15 { Ok(()) } else { Err(DramError::BadFigure(what, value)) }
    };
    positive("the number of channels", f64::from(usage.channels))?;
    positive("the request size in bytes", usage.request_bytes)?;
    positive("the number of requests in flight", usage.outstanding)?;
    if let Pattern::Stride { bytes } = usage.pattern {
        positive("the stride in bytes", bytes)?;
    }
    if !(0.0..=1.0).contains(&usage.write_share) {
        return Err(DramError::BadFigure("the share of writes", usage.write_share));
    }
    Ok(())
}
