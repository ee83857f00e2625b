//! What the tests of the models share: finding the reference figures, and error statistics.

#[path = "../../tests/common/page.rs"]
pub mod page;

use std::io::Write;
use std::path::PathBuf;

/// The folder of reference figures: the variable `NERARCH_REFERENCE`, or `../shared/reference` beside the crate.
///
/// `None`, said on standard error, where it is missing, so that the caller skips its test. In CI that is a failure.
pub fn reference_dir() -> Option<PathBuf> {
    let dir = std::env::var_os("NERARCH_REFERENCE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/reference"), PathBuf::from);
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(std::env::var_os("CI").is_none(), "no reference folder at {}", dir.display());
    // Straight to the stream: the macro's output is kept from view while a test passes.
    let _ = writeln!(std::io::stderr(), "SKIPPED: no reference folder at {}", dir.display());
    None
}

/// The rows of one reference table as maps from column to cell; `None` as for [`reference_dir`].
pub fn reference_rows(file: &str) -> Option<Vec<std::collections::BTreeMap<String, String>>> {
    let path = reference_dir()?.join(file);
    let mut reader = csv::Reader::from_path(&path).expect("the reference table opens");
    Some(reader.deserialize().map(|row| row.expect("a reference row parses")).collect())
}

/// Mean, 95th percentile and maximum of relative errors, in percent.
#[derive(Debug, Clone, Copy)]
pub struct ErrorSummary {
    pub count: usize,
    pub mean: f64,
    pub p95: f64,
    pub max: f64,
}

impl ErrorSummary {
    /// Summarises relative errors (0.1 is 10 %); the percentile interpolates linearly between ranks.
    pub fn of(errors: &[f64]) -> Self {
        assert!(!errors.is_empty(), "there is an error to summarise");
        let mut sorted: Vec<f64> = errors.iter().map(|e| e.abs() * 100.0).collect();
        sorted.sort_by(f64::total_cmp);
        let rank = 0.95 * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
        Self {
            count: sorted.len(),
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            p95: low + (high - low) * rank.fract(),
            max: sorted[sorted.len() - 1],
        }
    }
}

impl std::fmt::Display for ErrorSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "mean {:.2} %, p95 {:.2} %, max {:.1} % of {}", self.mean, self.p95, self.max, self.count)
    }
}
