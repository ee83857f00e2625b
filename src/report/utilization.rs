//! How busy units and memories of one design are over time: as CSV, and as a table for people.

use std::fmt::Write as _;

use super::summary::short;
use crate::ppa::Evaluator;
use crate::schedule::TimelineOptions;

/// Parts of a bin in which the fastest stretch of a memory is looked for.
const FINE: usize = 16;
/// Most bins of a timeline.
pub const MOST_BINS: usize = 20_000;

/// A unit over time.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitCourse {
    /// Its name.
    pub name: String,
    /// Its utilization over the whole frame, the metric `utilization.UNIT`.
    pub utilization: f64,
    /// For each bin the share of its groups that compute, from 0 to 1.
    pub computing: Vec<f64>,
    /// For each bin the share of its groups that are occupied: they compute or wait for a memory.
    pub occupied: Vec<f64>,
}

/// A memory port over time.
#[derive(Debug, Clone, PartialEq)]
pub struct PortCourse {
    /// The memory.
    pub memory: String,
    /// `read`, `write` or `both`.
    pub direction: String,
    /// For each bin the mean, 10^9 bytes per second.
    pub gb_per_s: Vec<f64>,
    /// For each bin the mean of its fastest sixteenth.
    pub fastest_gb_per_s: Vec<f64>,
}

/// One design on one scene over time.
#[derive(Debug, Clone, PartialEq)]
pub struct UtilizationOverTime {
    /// `scene` or `scene.camera`.
    pub workload: String,
    /// Length of the frame.
    pub latency_ms: f64,
    /// What works longest.
    pub bottleneck: String,
    /// Start of the first bin.
    pub from_ms: f64,
    /// Width of a bin.
    pub bin_ms: f64,
    /// Every unit of the hardware.
    pub units: Vec<UnitCourse>,
    /// The DRAM channel, and what it could move, 10^9 bytes per second.
    pub dram: Option<(PortCourse, f64)>,
    /// The ports of the SRAM blocks that anything passes.
    pub ports: Vec<PortCourse>,
}

impl UtilizationOverTime {
    /// The point evaluated last on a workload, between two times in ms, in `bins` bins of equal width. `None` if the plan
    /// was not compiled by [`Plan::compile_detailed`](crate::ppa::Plan::compile_detailed) or the point has no schedule.
    pub fn of(evaluator: &mut Evaluator<'_>, workload: usize, (from, to): (f64, f64), bins: usize) -> Option<Self> {
        let parts = evaluator.breakdown(workload)?;
        let per_ms = parts.clock_mhz * 1e3;
        let bins = bins.clamp(1, MOST_BINS);
        let options = TimelineOptions { intervals: 0, bins: bins * FINE, from: from * per_ms, to: to * per_ms };
        let timeline = evaluator.timeline(workload, options)?;
        let bin_ms = timeline.bin_cycles * FINE as f64 / per_ms;
        let mean = |row: &[f64]| row.iter().sum::<f64>() / row.len() as f64;
        let means = |row: &[f64]| row.chunks(FINE).map(mean).collect::<Vec<f64>>();
        let units = parts.units.iter().zip(timeline.computing.iter().zip(&timeline.occupied));
        let units = units.map(|(unit, (computing, occupied))| UnitCourse {
            name: unit.block.name.clone(),
            utilization: unit.block.utilization,
            computing: means(computing),
            occupied: means(occupied),
        });
        // Bytes of a cycle at so many MHz, as 10^9 bytes per second.
        let rate = parts.clock_mhz / 1e3 / timeline.bin_cycles;
        let ports = evaluator.ports(workload).into_iter().zip(&timeline.port_bytes);
        let mut ports = ports.map(|(port, bytes)| PortCourse {
            memory: port.memory,
            direction: port.direction,
            gb_per_s: means(bytes).into_iter().map(|bytes| bytes * rate).collect(),
            fastest_gb_per_s: bytes.chunks(FINE).map(|fine| rate * fine.iter().copied().fold(0.0, f64::max)).collect(),
        });
        let channel = ports.next();
        Some(Self {
            workload: parts.workload,
            latency_ms: parts.latency_ms,
            bottleneck: parts.bottleneck,
            from_ms: timeline.from / per_ms,
            bin_ms,
            units: units.collect(),
            dram: channel.zip(parts.dram.map(|dram| dram.peak_gb_per_s)),
            ports: ports.filter(|port| port.gb_per_s.iter().any(|rate| *rate > 0.0)).collect(),
        })
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.units.first().map_or(0, |unit| unit.computing.len())
    }

    /// One row per bin. Utilizations are shares from 0 to 1, `occupied` counts waiting for memories too, `_peak` is the
    /// fastest sixteenth of a bin.
    ///
    /// # Errors
    /// If the CSV cannot be written, which memory alone decides.
    pub fn to_csv(&self) -> std::io::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = vec!["from_ms".to_owned(), "to_ms".to_owned()];
        for unit in &self.units {
            header.extend([format!("utilization.{}", unit.name), format!("occupied.{}", unit.name)]);
        }
        if self.dram.is_some() {
            header.extend(["dram_utilization", "dram_utilization_peak", "dram_gb_per_s"].map(str::to_owned));
        }
        for port in &self.ports {
            let direction = if port.direction == "both" { String::new() } else { format!("{}_", port.direction) };
            header.push(format!("{direction}gb_per_s.{}", port.memory));
        }
        writer.write_record(&header)?;
        for bin in 0..self.bins() {
            let edge = |bin: usize| self.from_ms + bin as f64 * self.bin_ms;
            let mut row = vec![edge(bin), edge(bin + 1)];
            for unit in &self.units {
                row.extend([unit.computing[bin], unit.occupied[bin]]);
            }
            if let Some((channel, peak)) = &self.dram {
                let (mean, fastest) = (channel.gb_per_s[bin], channel.fastest_gb_per_s[bin]);
                row.extend([mean / peak, fastest / peak, mean]);
            }
            row.extend(self.ports.iter().map(|port| port.gb_per_s[bin]));
            writer.write_record(row.iter().map(f64::to_string))?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        String::from_utf8(bytes).map_err(std::io::Error::other)
    }

    /// The table for people: a line per unit, each with its course in blocks, and the DRAM.
    pub fn to_text(&self) -> String {
        const BLOCKS: usize = 48;
        let end = self.from_ms + self.bins() as f64 * self.bin_ms;
        let mut text = format!("{}: {} ms, bottleneck {}\n", self.workload, short(self.latency_ms), self.bottleneck);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "from {} to {} ms\n", short(self.from_ms), short(end));
        let mut rows: Vec<(&str, f64, f64, &[f64])> = Vec::new();
        for unit in &self.units {
            let occupied = unit.occupied.iter().sum::<f64>() / self.bins() as f64;
            rows.push((&unit.name, unit.utilization, occupied, &unit.computing));
        }
        let dram = self.dram.as_ref().map(|(channel, peak)| {
            let shares = |rates: &[f64]| rates.iter().map(|rate| rate / peak).collect::<Vec<f64>>();
            (shares(&channel.gb_per_s), shares(&channel.fastest_gb_per_s))
        });
        if let Some((mean, fastest)) = &dram {
            let over_all = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
            rows.push(("dram", over_all(mean), f64::NAN, mean));
            rows.push(("dram, at most", f64::NAN, f64::NAN, fastest));
        }
        let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).max(4);
        let _ = writeln!(text, "{:width$}  utilization  occupied  over time", "unit");
        let percent = |share: f64| if share.is_nan() { String::new() } else { format!("{:.2} %", 100.0 * share) };
        for (name, utilization, occupied, course) in rows {
            let most = name == "dram, at most";
            let _ = writeln!(
                text,
                "{name:width$}  {:>11}  {:>8}  {}",
                percent(utilization),
                percent(occupied),
                blocks(course, BLOCKS, most)
            );
        }
        text
    }
}

/// A course in so many characters, eight heights each; of several bins in one the mean, or the highest.
fn blocks(course: &[f64], characters: usize, highest: bool) -> String {
    const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let characters = characters.min(course.len());
    let of = |at: usize| {
        let bins = &course[at * course.len() / characters..((at + 1) * course.len() / characters).max(1)];
        let value = match highest {
            true => bins.iter().copied().fold(0.0, f64::max),
            false => bins.iter().sum::<f64>() / bins.len() as f64,
        };
        // What is not nothing shows.
        let height = (value * 8.0).round().clamp(0.0, 8.0) as usize;
        HEIGHTS[if value > 1e-4 { height.max(1) } else { height }]
    };
    (0..characters).map(of).collect()
}
