//! The SRAM table in the binary: CACTI's figures by series (device, node, ports, banks, width) over capacity.

use super::curve::{Curve, FIGURES, KNOTS};
use super::{Device, Ports, SramError, SramShape};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Where the table's figures come from.
pub const SOURCE: &str = "CACTI 7 at 360 K (SRAM, ITRS-HP and ITRS-LSTP cells, semi-global wires, ED^2 objective)";

const TEXT: &str = include_str!("../data/sram.csv");

/// Nodes of the table.
pub(super) const NODES: [u32; 7] = [22, 28, 32, 40, 45, 65, 90];
/// Banks of the table's series.
pub(super) const BANKS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
/// Access widths of the table's series, in bytes.
pub(super) const WIDTHS: [f64; 6] = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Capacities of the table, in bytes: 1 KiB to 2 MiB with one size between, then 4, 8 and 16 MiB.
pub(super) const SIZES: [f64; KNOTS] = sizes();

const fn sizes() -> [f64; KNOTS] {
    let mut sizes = [0.0; KNOTS];
    let mut bytes = 1024.0;
    let mut knot = 0;
    while knot < 22 {
        sizes[knot] = bytes;
        sizes[knot + 1] = bytes * 1.5;
        bytes *= 2.0;
        knot += 2;
    }
    while knot < KNOTS {
        sizes[knot] = bytes;
        bytes *= 2.0;
        knot += 1;
    }
    sizes
}

/// By how much CACTI's low-standby-power leakage is too small: a wrong entry in its technology file for 22 nm, which
/// its interpolation carries into 28 nm. From the notes on the reference figures.
const LSTP_LEAKAGE: [(u32, f64); 2] = [(22, 3.2), (28, 2.3)];

/// The figures of the table, in the order of a [`Curve`]'s values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Figure {
    Access,
    Read,
    Write,
    Leakage,
    Area,
}

/// Names of a row's figure in the file, and what turns its cells into the model's unit.
const NAMES: [(&str, Figure, f64); 10] = [
    ("access_ps", Figure::Access, 1e-3),
    ("read_fj", Figure::Read, 1e-3),
    ("read_pj", Figure::Read, 1.0),
    ("write_fj", Figure::Write, 1e-3),
    ("write_pj", Figure::Write, 1.0),
    ("leakage_nw", Figure::Leakage, 1e-6),
    ("leakage_uw", Figure::Leakage, 1e-3),
    ("leakage_mw", Figure::Leakage, 1.0),
    ("area_um2", Figure::Area, 1e-6),
    ("area_mm2", Figure::Area, 1.0),
];

/// What tells series apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    device: Device,
    node_nm: u32,
    ports: Ports,
    banks: u32,
    width: u32,
}

/// All series.
#[derive(Debug)]
pub(super) struct Table {
    series: BTreeMap<Key, Curve>,
}

impl Table {
    /// The table in the binary, parsed at the first call.
    pub fn builtin() -> Result<&'static Self, SramError> {
        static TABLE: OnceLock<Result<Table, String>> = OnceLock::new();
        TABLE.get_or_init(|| Self::parse(TEXT)).as_ref().map_err(|why| SramError::BrokenTable(why.clone()))
    }

    /// Reads `device,node_nm,ports,banks,width_bytes,figure` and one cell per size of [`SIZES`].
    ///
    /// Rows whose first cells are empty belong to the series above. A series starts at its first cell that is not empty
    /// and has no gaps.
    fn parse(text: &str) -> Result<Self, String> {
        let mut raw: BTreeMap<Key, [Vec<f64>; FIGURES]> = BTreeMap::new();
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        let mut key = None;
        while reader.read_record(&mut record).map_err(|e| e.to_string())? {
            let row = || record.iter().take(6).collect::<Vec<_>>().join(",");
            if record.get(0).is_some_and(|cell| !cell.is_empty()) {
                key = Some(read_key(&record).ok_or_else(|| format!("no series in `{}`", row()))?);
            }
            let key = key.ok_or_else(|| format!("no series above `{}`", row()))?;
            let &(_, figure, unit) = NAMES
                .iter()
                .find(|&&(name, ..)| record.get(5) == Some(name))
                .ok_or_else(|| format!("no figure in `{}`", row()))?;
            let values: Option<Vec<f64>> = record
                .iter()
                .skip(6)
                .skip_while(|cell| cell.is_empty())
                .map(|cell| cell.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0))
                .map(|value| Some(value? * unit))
                .collect();
            let values = values.filter(|v| !v.is_empty() && v.len() <= KNOTS);
            raw.entry(key).or_default()[figure as usize] =
                values.ok_or_else(|| format!("a bad cell in `{}`", row()))?;
        }
        let mut series = BTreeMap::new();
        for (key, figures) in raw {
            let len = figures[0].len();
            if figures.iter().any(|f| f.len() != len) {
                return Err(format!("figures of unequal length in {key:?}"));
            }
            let correction = leakage_correction(key);
            let mut points: Vec<[f64; FIGURES]> = (0..len)
                .map(|knot| {
                    let mut point: [f64; FIGURES] = std::array::from_fn(|f| figures[f][knot]);
                    point[Figure::Leakage as usize] *= correction;
                    point
                })
                .collect();
            let sizes = &SIZES[KNOTS - len..];
            keep_order(sizes, &mut points);
            series.insert(key, Curve::through(sizes, &points));
        }
        Ok(Self { series })
    }

    /// Refuses a node that the table has not, with the known ones by distance.
    pub fn check_node(&self, node_nm: u32) -> Result<(), SramError> {
        if NODES.contains(&node_nm) {
            return Ok(());
        }
        let mut known = NODES.to_vec();
        known.sort_by_key(|&n| n.abs_diff(node_nm));
        Err(SramError::UnknownNode { node_nm, known })
    }

    /// The curve of one series, `banks` and `width` being the table's.
    ///
    /// With a write port of its own the table has one bank only. More banks are the one-port block's times what the
    /// second port adds to one of its banks.
    pub fn curve(&self, shape: SramShape, banks: u32, width: u32) -> Result<Curve, SramError> {
        let SramShape { node_nm, device, .. } = shape;
        let find = |ports, banks| {
            self.series
                .get(&Key { device, node_nm, ports, banks, width })
                .ok_or_else(|| SramError::BrokenTable(format!("no series of {banks} banks of {width} bytes")))
        };
        if shape.ports == Ports::OneReadWrite || banks == 1 {
            return find(shape.ports, banks).cloned();
        }
        let (whole, one, two) =
            (find(Ports::OneReadWrite, banks)?, find(Ports::OneReadWrite, 1)?, find(Ports::OneReadOneWrite, 1)?);
        let (low, high) = whole.range();
        let sizes: Vec<f64> = SIZES.iter().copied().filter(|s| (low..=high).contains(s)).collect();
        let points: Vec<[f64; FIGURES]> = sizes
            .iter()
            .map(|&size| {
                let bank = (size / f64::from(banks)).max(two.range().0);
                let (whole, one, two) = (whole.at(size).0, one.at(bank).0, two.at(bank).0);
                std::array::from_fn(|figure| whole[figure] * two[figure] / one[figure])
            })
            .collect();
        Ok(Curve::through(&sizes, &points))
    }
}

/// Holds area and leakage of a size between two powers of two between theirs.
///
/// CACTI finds less regular organisations for such sizes, so that a few come out larger than twice as much memory, or
/// smaller than less of it.
fn keep_order(sizes: &[f64], points: &mut [[f64; FIGURES]]) {
    for knot in 1..points.len().saturating_sub(1) {
        if sizes[knot].log2().fract() == 0.0 {
            continue;
        }
        for figure in [Figure::Area as usize, Figure::Leakage as usize] {
            let (low, high) = (points[knot - 1][figure], points[knot + 1][figure]);
            points[knot][figure] = points[knot][figure].min(high).max(low);
        }
    }
}

fn read_key(record: &csv::StringRecord) -> Option<Key> {
    Some(Key {
        device: record.get(0)?.parse().ok()?,
        node_nm: record.get(1)?.parse().ok()?,
        ports: record.get(2)?.parse().ok()?,
        banks: record.get(3)?.parse().ok()?,
        width: record.get(4)?.parse().ok()?,
    })
}

/// What the leakage of a series is multiplied by.
fn leakage_correction(key: Key) -> f64 {
    LSTP_LEAKAGE
        .iter()
        .find(|&&(node_nm, _)| key.device == Device::Lstp && key.node_nm == node_nm)
        .map_or(1.0, |&(_, factor)| factor)
}
