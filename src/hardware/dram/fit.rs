//! Fits the bandwidth bounds of a DRAM part to simulated runs.

use super::part::{self, DramPart, PARTS, Run};
use super::{DramError, DramUse, LINE_BYTES, Pattern};
use std::sync::OnceLock;

/// Share of writes in the mixed runs.
pub(super) const WRITE_SHARE: f64 = 1.0 / 3.0;

/// Sharpness of the bend from the activation bound to the others: the simulated knees are sharper than those of
/// latency. Fixed, since a fitted one fits no held-out run better.
const ACTIVATE_SHARPNESS: f64 = 5.0;

/// Bounds of one pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    /// Time of a lone request.
    pub latency_ns: f64,
    /// Sharpness `p` of the bend between latency and cap.
    pub sharpness: f64,
    /// Most of the peak that the bus gives.
    pub cap: f64,
    /// Mean time between activations; 0 where rows stay open.
    pub activate_ns: f64,
    /// Efficiency goes with this power of the number of channels (at most 0).
    pub channel_power: f64,
    /// Efficiency of two reads per write over that of reads alone.
    pub write_factor: f64,
}

impl Fit {
    /// Share of one channel's peak with `flight` bytes in flight and one activation per `opened` bytes.
    pub fn efficiency(&self, part: &DramPart, flight: f64, opened: f64) -> f64 {
        let peak = part.channel_gb_per_s;
        let bus = bend(flight / (self.latency_ns * peak), self.cap, self.sharpness);
        if self.activate_ns > 0.0 && opened.is_finite() {
            bend(bus, opened / (self.activate_ns * peak), ACTIVATE_SHARPNESS)
        } else {
            bus
        }
    }
}

/// The smaller of two bounds, smoothed where they meet.
fn bend(a: f64, b: f64, sharpness: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    low * (1.0 + (low / high).powf(sharpness)).powf(-1.0 / sharpness)
}

/// All fits of a part.
#[derive(Debug, Clone)]
pub(super) struct PartFit {
    pub stream: Fit,
    pub random: Fit,
    pub stride_write_factor: f64,
    /// Efficiency of one channel by stride, ascending.
    strides: Vec<(f64, f64)>,
    max_channels: f64,
}

impl PartFit {
    /// Fits a part to those of `runs` that are its own.
    ///
    /// # Errors
    /// Too few runs of a pattern.
    pub fn of(part: &DramPart, runs: &[Run]) -> Result<Self, DramError> {
        let own: Vec<&Run> = runs.iter().filter(|run| run.part == part.name).collect();
        let of = |pattern: &str| -> Vec<&Run> { own.iter().copied().filter(|run| run.pattern == pattern).collect() };
        let mut stream = bounds(part, &of("stream_r"), false)?;
        let mut random = bounds(part, &of("random_r"), true)?;
        stream.write_factor = write_factor(part, &stream, &of("stream_rw21"), false);
        random.write_factor = write_factor(part, &random, &of("random_rw21"), true);
        let mut strides: Vec<(f64, f64)> = own
            .iter()
            .filter(|run| run.channels == 1)
            .filter_map(|run| Some((run.stride()?, run.efficiency)))
            .collect();
        strides.push((LINE_BYTES, stream.cap));
        strides.sort_by(|a, b| a.0.total_cmp(&b.0));
        let one = |pattern: &str| own.iter().find(|run| run.channels == 1 && run.pattern == pattern);
        let stride_write_factor = match (one("stride1024_rw21"), one("stride1024_r")) {
            (Some(mixed), Some(reads)) => (mixed.efficiency / reads.efficiency).min(1.0),
            _ => stream.write_factor,
        };
        let max_channels = own.iter().map(|run| f64::from(run.channels)).fold(1.0, f64::max);
        Ok(Self { stream, random, stride_write_factor, strides, max_channels })
    }

    /// Efficiency of one channel at a stride (bytes), by the logarithms between simulated strides; the ends hold on.
    pub fn stride_cap(&self, stride: f64) -> f64 {
        let above = self.strides.partition_point(|&(known, _)| known <= stride);
        match (above.checked_sub(1).and_then(|i| self.strides.get(i)), self.strides.get(above)) {
            (Some(&(low, from)), Some(&(high, to))) => from * (to / from).powf((stride / low).ln() / (high / low).ln()),
            (Some(&(_, end)), None) | (None, Some(&(_, end))) => end,
            (None, None) => self.stream.cap,
        }
    }

    /// Whether a use lies outside the simulated runs.
    pub fn extrapolates(&self, usage: DramUse) -> bool {
        let channels = f64::from(usage.channels);
        // Requests of a stream share lines: what counts is their bytes in flight, of which 64 to 4,096 were simulated.
        let flight = usage.outstanding * usage.request_bytes;
        let sizes = match usage.pattern {
            Pattern::Stream => !(64.0..=4096.0).contains(&flight),
            Pattern::Random => {
                !((32.0..=1024.0).contains(&usage.request_bytes) && (1.0..=64.0).contains(&usage.outstanding))
            }
            Pattern::Stride { .. } => usage.request_bytes != 64.0,
        };
        let far = match usage.pattern {
            Pattern::Stride { bytes } => bytes / channels > 8192.0 || usage.outstanding != 32.0,
            Pattern::Stream | Pattern::Random => false,
        };
        far || channels > self.max_channels || sizes || usage.write_share > WRITE_SHARE + 1e-9
    }
}

/// The fit of a part to all built-in runs, made at its first use.
pub(super) fn builtin(part: &DramPart) -> Result<&'static PartFit, DramError> {
    static FITS: [OnceLock<Result<PartFit, DramError>>; PARTS.len()] = [const { OnceLock::new() }; PARTS.len()];
    let cell = FITS.get(part.index).ok_or_else(|| DramError::BrokenTable(part.name.to_owned()))?;
    cell.get_or_init(|| PartFit::of(part, &part::runs()?)).as_ref().map_err(Clone::clone)
}

/// The parameters that are searched: logarithms of latency, sharpness, cap and activation time, and the channel power.
type Point = [f64; 5];

fn unpack(point: Point, opens_rows: bool) -> Fit {
    let [latency, sharpness, cap, activate, channel_power] = point;
    Fit {
        latency_ns: latency.exp(),
        sharpness: sharpness.exp().clamp(1.0, 12.0),
        cap: cap.exp().min(1.0),
        activate_ns: if opens_rows { activate.exp() } else { 0.0 },
        channel_power: channel_power.clamp(-0.1, 0.0),
        write_factor: 1.0,
    }
}

/// Efficiency that a fit predicts for a run, reads alone.
fn predict(part: &DramPart, fit: &Fit, run: &Run, opens_rows: bool) -> f64 {
    let moved = run.request_bytes.max(LINE_BYTES);
    let opened = if opens_rows { moved } else { f64::INFINITY };
    let channels = f64::from(run.channels).powf(fit.channel_power);
    fit.efficiency(part, run.outstanding * moved, opened) * channels * run.request_bytes / moved
}

/// Least squares of relative errors by a pattern search: deterministic, and good enough for five parameters.
fn bounds(part: &DramPart, runs: &[&Run], opens_rows: bool) -> Result<Fit, DramError> {
    if runs.len() < 3 {
        return Err(DramError::BrokenTable(format!("{} has too few runs", part.name)));
    }
    let cost = |point: Point| -> f64 {
        let fit = unpack(point, opens_rows);
        runs.iter().map(|run| (predict(part, &fit, run, opens_rows) / run.efficiency).ln().powi(2)).sum()
    };
    let mut point: Point = [30.0_f64.ln(), 3.0_f64.ln(), 0.93_f64.ln(), part.activate_ns.ln(), 0.0];
    let mut steps: Point = [0.3, 0.3, 0.05, 0.3, 0.02];
    let mut best = cost(point);
    for _ in 0..2000 {
        if steps[0] < 1e-5 {
            break;
        }
        let before = best;
        for parameter in 0..point.len() {
            for direction in [1.0, -1.0] {
                let mut candidate = point;
                candidate[parameter] += direction * steps[parameter];
                let error = cost(candidate);
                if error < best {
                    (best, point) = (error, candidate);
                }
            }
        }
        if best > before * (1.0 - 1e-6) {
            steps = steps.map(|step| step * 0.5);
        }
    }
    Ok(unpack(point, opens_rows))
}

/// Geometric mean of the mixed runs over what reads alone would reach; no loss where there are none.
fn write_factor(part: &DramPart, fit: &Fit, mixed: &[&Run], opens_rows: bool) -> f64 {
    if mixed.is_empty() {
        return 1.0;
    }
    let logs: f64 = mixed.iter().map(|run| (run.efficiency / predict(part, fit, run, opens_rows)).ln()).sum();
    (logs / mixed.len() as f64).exp().min(1.0)
}
