//! The SRAM model as an operation of a program.

use std::sync::Arc;

use super::{ExpectedError, SramError, SramFigures, SramModel, SramShape};
use crate::spec::program::Model;
use crate::spec::program::bounds::Interval;

/// By how much of itself a figure between two sizes can differ from a rising function of the size, by rounding.
const ROUNDING: f64 = 1e-12;

/// Which figure a node gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SramFigure {
    /// mm2 of one instance.
    Area,
    /// pJ of one read of the access width.
    Read,
    /// pJ of one write of the access width.
    Write,
    /// mW of one instance.
    Leakage,
    /// ns from address to data.
    Access,
    /// 1 if the others lie outside the table, else 0.
    Extrapolated,
}

impl SramFigure {
    /// The figure among those of a block.
    pub fn of(self, figures: &SramFigures) -> f64 {
        match self {
            Self::Area => figures.area_mm2,
            Self::Read => figures.read_pj,
            Self::Write => figures.write_pj,
            Self::Leakage => figures.leakage_mw,
            Self::Access => figures.access_ns,
            Self::Extrapolated => f64::from(u8::from(figures.extrapolated.any())),
        }
    }
}

/// The model prepared for every shape that a study's block takes.
#[derive(Debug)]
pub struct SramBlockModel {
    /// Node, device and ports; banks and width are those of each shape.
    shape: SramShape,
    shapes: Vec<(f64, f64, SramModel)>,
    /// No other shape occurs.
    complete: bool,
    extrapolate: bool,
}

impl SramBlockModel {
    /// Prepares the shapes `(banks, width in bytes)`; `complete` says that no other is asked for. Where `extrapolate` is
    /// false there are no figures outside the table.
    ///
    /// # Errors
    /// As [`SramModel::new`].
    pub fn prepare(
        shape: SramShape,
        shapes: &[(f64, f64)],
        complete: bool,
        extrapolate: bool,
    ) -> Result<Self, SramError> {
        let mut block = Self { shape, shapes: Vec::new(), complete, extrapolate };
        for &(banks, width) in shapes {
            let model = block.model(banks, width)?;
            block.shapes.push((banks, width, model));
        }
        // Node, device and ports are checked even where no shape is known yet.
        SramModel::new(SramShape { banks: 1, ..shape })?;
        Ok(block)
    }

    fn model(&self, banks: f64, width_bytes: f64) -> Result<SramModel, SramError> {
        let count = if banks >= 1.0 && banks.fract() == 0.0 && banks <= f64::from(u32::MAX) { banks as u32 } else { 0 };
        SramModel::new(SramShape { banks: count, width_bytes, ..self.shape })
    }

    /// The figures of a block of `capacity` bytes.
    ///
    /// # Errors
    /// As [`SramModel::at`] and [`SramModel::new`]; a shape or capacity outside the table where that was not asked for.
    pub fn at(&self, capacity: f64, banks: f64, width: f64) -> Result<SramFigures, String> {
        let figures = match self.shapes.iter().find(|(b, w, _)| (*b, *w) == (banks, width)) {
            Some((_, _, model)) => model.at(capacity),
            // Only off the grid of a study.
            None => self.model(banks, width).and_then(|model| model.at(capacity)),
        };
        match figures {
            Ok(figures) if figures.extrapolated.any() && !self.extrapolate => Err(format!(
                "{} KiB in {banks} banks of {width} bytes lie outside the SRAM model's table (`extrapolate = true` asks \
                 for them)",
                capacity / 1024.0
            )),
            Ok(figures) => Ok(figures),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The largest mean error to expect among the shapes.
    pub fn expected_error(&self) -> Option<ExpectedError> {
        let errors = self.shapes.iter().map(|(_, _, model)| model.expected_error());
        errors.reduce(|a, b| ExpectedError {
            access: a.access.max(b.access),
            read: a.read.max(b.read),
            write: a.write.max(b.write),
            leakage: a.leakage.max(b.leakage),
            area: a.area.max(b.area),
        })
    }
}

/// One figure of a block: arguments are capacity in bytes, banks, width in bytes.
pub struct SramNode {
    /// The block.
    pub block: Arc<SramBlockModel>,
    /// The figure.
    pub figure: SramFigure,
}

impl Model for SramNode {
    fn value(&self, [capacity, banks, width]: [f64; 3]) -> f64 {
        let prepared = self.block.shapes.iter().find(|(b, w, _)| (*b, *w) == (banks, width));
        // What has no figures is the rare case: its reason is told by `why`, not here.
        match prepared.map(|(_, _, model)| model.at(capacity)) {
            Some(Ok(figures)) if self.block.extrapolate || !figures.extrapolated.any() => self.figure.of(&figures),
            Some(_) => f64::NAN,
            None => self.block.at(capacity, banks, width).map_or(f64::NAN, |figures| self.figure.of(&figures)),
        }
    }

    fn why(&self, [capacity, banks, width]: [f64; 3]) -> String {
        match self.block.at(capacity, banks, width) {
            Err(reason) => reason,
            Ok(_) => "the SRAM model has no value".into(),
        }
    }

    /// Between two of the table's sizes a figure is a rising or a falling function, so its extremes over an interval lie at
    /// the ends and at the table's sizes inside.
    fn bounds(&self, [capacity, banks, width]: [Interval; 3]) -> Interval {
        if !self.block.complete {
            return Interval { lo: 0.0, hi: f64::INFINITY };
        }
        let inside = |interval: Interval, value: f64| interval.lo <= value && value <= interval.hi;
        let mut hull = Interval::EMPTY;
        for (b, w, model) in &self.block.shapes {
            if !inside(banks, *b) || !inside(width, *w) {
                continue;
            }
            let limits = if self.block.extrapolate {
                (f64::MIN_POSITIVE, super::MAX_CAPACITY_BYTES)
            } else {
                model.capacity_range_bytes()
            };
            let sizes = capacity.meet(Interval { lo: limits.0, hi: limits.1 });
            if sizes.is_empty() {
                continue;
            }
            for size in model.knots().filter(|size| inside(sizes, *size)).chain([sizes.lo, sizes.hi]) {
                hull = hull.hull(Interval::point(self.value([size, *b, *w])));
            }
        }
        if capacity.is_point() && banks.is_point() && width.is_point() { hull } else { hull.widened(ROUNDING) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Device, Ports};
    use super::*;
    use proptest::prelude::*;

    fn node(figure: SramFigure, extrapolate: bool) -> SramNode {
        let shape =
            SramShape { node_nm: 28, device: Device::Hp, ports: Ports::OneReadWrite, banks: 1, width_bytes: 16.0 };
        let shapes = [(1.0, 16.0), (4.0, 16.0), (8.0, 64.0), (3.0, 24.0)];
        let block = SramBlockModel::prepare(shape, &shapes, true, extrapolate).expect("block");
        SramNode { block: Arc::new(block), figure }
    }

    const FIGURES: [SramFigure; 5] =
        [SramFigure::Area, SramFigure::Read, SramFigure::Write, SramFigure::Leakage, SramFigure::Access];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_value_lies_within_its_bounds(
            at in 0..FIGURES.len(), low in 0.0..24.0_f64, width in 0.0..8.0_f64, inside in 0.0..1.0_f64,
            shape in 0_usize..4, all: bool, extrapolate: bool,
        ) {
            let node = node(FIGURES[at], extrapolate);
            let (lo, hi) = (low.exp2(), (low + width).exp2());
            let size = lo + inside * (hi - lo);
            let (b, w, _) = &node.block.shapes[shape];
            let of = |value: f64, top: f64| if all { Interval { lo: 1.0, hi: top } } else { Interval::point(value) };
            let bounds = node.bounds([Interval { lo, hi }, of(*b, 8.0), of(*w, 64.0)]);
            let value = node.value([size, *b, *w]);
            prop_assert!(value.is_nan() || (bounds.lo <= value && value <= bounds.hi), "{value} outside {bounds:?}");
            // A figure or a reason, never both and never neither.
            prop_assert_eq!(value.is_nan(), node.block.at(size, *b, *w).is_err());
        }
    }

    #[test]
    fn outside_the_table_there_is_a_reason_or_a_figure_that_was_asked_for() {
        let tiny = [100.0, 4.0, 16.0];
        assert!(node(SramFigure::Area, false).value(tiny).is_nan());
        assert!(node(SramFigure::Area, false).why(tiny).contains("outside the SRAM model's table"));
        assert!(node(SramFigure::Area, true).value(tiny) > 0.0);
        assert!(node(SramFigure::Area, true).why([-1.0, 4.0, 16.0]).contains("capacity of -1 bytes"));
        // A shape that nothing was prepared for.
        assert!(node(SramFigure::Area, false).value([65536.0, 2.0, 8.0]) > 0.0);
    }
}
