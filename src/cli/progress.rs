//! The progress of a run.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::report::summary::short;

/// Seconds between two lines of progress where the output is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// A bar on a terminal, a line now and then elsewhere, nothing where it is quiet.
pub enum Progress {
    /// Nothing.
    Quiet,
    /// A bar.
    Bar(ProgressBar),
    /// Lines.
    Lines {
        /// Points in all.
        total: u64,
        /// When the run started.
        started: Instant,
        /// When the next line is due.
        next: Duration,
    },
}

impl Progress {
    /// The progress of a run of `total` points that starts now.
    pub fn new(total: u64, quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines { total, started: Instant::now(), next: LINE_EVERY };
        }
        let bar = ProgressBar::new(total);
        let style = ProgressStyle::with_template(
            "{bar:32} {human_pos} of {human_len} points done, {per_sec}, {eta} left, {msg}",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar(bar)
    }

    /// `saved` points are on the disk or need no evaluation, `fresh` of them since the run started; the front has `front` points.
    pub fn show(&mut self, saved: u64, fresh: u64, front: usize) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => {
                bar.set_position(saved);
                bar.set_message(format!("front {front}"));
            }
            Self::Lines { total, started, next } => {
                let elapsed = started.elapsed();
                if elapsed >= *next && saved < *total {
                    *next = elapsed + LINE_EVERY;
                    let rate = fresh as f64 / elapsed.as_secs_f64();
                    let left = if fresh > 0 { short((*total - saved) as f64 / rate) } else { "?".into() };
                    note!("{saved} of {total} points done, {} per second, {left} s left, front {front}", short(rate));
                }
            }
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
