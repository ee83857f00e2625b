//! Bounds on metrics and on expressions over parameters.

/// Bounds that every workload must keep.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Its name.
    pub name: String,
    /// The metric; `None`: an expression over parameters.
    pub metric: Option<usize>,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

impl Constraint {
    /// By how much of its bound a value misses it; 0 if it keeps it.
    pub fn violation(&self, value: f64) -> f64 {
        let excess = |miss: f64, bound: f64| if bound == 0.0 { miss } else { miss / bound.abs() };
        if value < self.min {
            excess(self.min - value, self.min)
        } else if value > self.max {
            excess(value - self.max, self.max)
        } else {
            0.0
        }
    }
}
