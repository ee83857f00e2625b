//! The schedule of many operators for people, and every one of them as CSV.

use std::fmt::Write as _;

use super::OperatorSchedule;

impl OperatorSchedule {
    /// Length, bound, and how busy units and memory ports are; `policy` is the policy's name.
    pub fn to_text(&self, policy: &str) -> String {
        let Self { workload, hardware, clock_mhz, calls, edges, classes, units, ports, operators, outcome, .. } = self;
        let mut text = String::new();
        let kinds = if *classes == 1 { "one class".to_owned() } else { format!("{classes} classes") };
        let parts = operators.len();
        let stages = if parts > *calls { format!(" ({parts} with their stages)") } else { String::new() };
        let _ = writeln!(text, "{workload} on {hardware}: {calls} operators{stages} of {kinds}, {edges} dependencies");
        let ms = outcome.makespan / (clock_mhz * 1e3);
        let _ = writeln!(text, "{policy}: {:.0} cycles, {ms:.4} ms at {clock_mhz} MHz", outcome.makespan);
        let _ = match outcome.gap() {
            gap if gap < 1e-9 => writeln!(text, "on these units no schedule is shorter"),
            // Rounded up: it is at most that.
            gap => {
                let percent = (gap * 1e4).ceil() / 100.0;
                let bound = outcome.lower_bound;
                writeln!(
                    text,
                    "at most {percent:.2} % above what is possible on these units: {bound:.0} cycles or more"
                )
            }
        };
        let names = units.iter().map(|unit| &unit.0).chain(ports.iter().map(|port| &port.0));
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0).max(4);
        let share = |cycles: f64| if outcome.makespan > 0.0 { 100.0 * cycles / outcome.makespan } else { 0.0 };
        let _ = writeln!(text, "\n{:width$}  operators  occupied", "unit");
        for (name, operators, cycles) in units {
            let _ = writeln!(text, "{name:width$}  {operators:>9}  {:>6.2} %", share(*cycles));
        }
        if !ports.is_empty() {
            let _ = writeln!(text, "\n{:width$}  {:>9}      used", "port", "");
        }
        for (name, cycles) in ports {
            let _ = writeln!(text, "{name:width$}  {:>9}  {:>6.2} %", "", share(*cycles));
        }
        text
    }

    /// One row per operator: unit, and when it works.
    ///
    /// # Errors
    /// What the writer reports.
    pub fn to_csv(&self) -> std::io::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["operator", "unit", "start_cycles", "end_cycles", "result_cycles"])?;
        for operator in &self.operators {
            let [start, end, result] = [operator.start, operator.end, operator.result].map(|cycles| cycles.to_string());
            writer.write_record([&operator.name, &self.units[operator.unit].0, &start, &end, &result])?;
        }
        let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
        String::from_utf8(bytes).map_err(std::io::Error::other)
    }
}
