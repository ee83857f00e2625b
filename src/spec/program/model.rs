//! Models as operations: figures that are no formula of a file, such as those of a table of measurements.

use std::fmt;
use std::sync::Arc;

use super::bounds::Interval;

/// A function of up to three numbers that knows its own limits.
///
/// It is evaluated at every design point, so it takes nanoseconds and allocates nothing for arguments that it was
/// prepared for. Unused arguments repeat the last one that is used.
pub trait Model: Send + Sync {
    /// The value; NaN where there is none.
    fn value(&self, arguments: [f64; 3]) -> f64;

    /// Why there is no value at these arguments, as the beginning of a sentence that " in WHAT" ends.
    fn why(&self, arguments: [f64; 3]) -> String;

    /// Encloses the values over a box of arguments; arguments without a value are left out.
    fn bounds(&self, arguments: [Interval; 3]) -> Interval;
}

/// Most arguments of a [`LargeModel`].
pub const MAX_ARGUMENTS: usize = 128;

/// As [`Model`], a function of up to [`MAX_ARGUMENTS`] numbers: what a whole machine with its knobs does. Arguments always
/// have a value.
pub trait LargeModel: Send + Sync {
    /// The value; NaN where there is none.
    fn value(&self, arguments: &[f64]) -> f64;

    /// Why there is no value at these arguments, as the beginning of a sentence that " in WHAT" ends.
    fn why(&self, arguments: &[f64]) -> String;

    /// Encloses the values over a box of arguments; arguments without a value are left out.
    fn bounds(&self, arguments: &[Interval]) -> Interval;
}

/// A large model in a graph; two are equal if they are the same object.
#[derive(Clone)]
pub struct LargeModelRef(pub Arc<dyn LargeModel>);

impl LargeModelRef {
    /// The value at these arguments in their order; NaN if one of them has no value.
    pub(super) fn value(&self, arguments: impl Iterator<Item = f64>) -> f64 {
        let mut values = [f64::NAN; MAX_ARGUMENTS];
        let mut count = 0;
        for (slot, argument) in values.iter_mut().zip(arguments) {
            if argument.is_nan() {
                return f64::NAN;
            }
            *slot = argument;
            count += 1;
        }
        self.0.value(&values[..count])
    }
}

impl PartialEq for LargeModelRef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for LargeModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("large model")
    }
}

/// A model in a graph; two are equal if they are the same object.
#[derive(Clone)]
pub struct ModelRef(pub Arc<dyn Model>);

impl ModelRef {
    /// What tells models apart.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).cast::<()>() as usize
    }
}

impl PartialEq for ModelRef {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl fmt::Debug for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model {:#x}", self.address())
    }
}
