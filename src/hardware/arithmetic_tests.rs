use super::*;
use crate::hardware::testing::{page, reference_rows};

#[test]
fn every_figure_of_the_reference_is_kept_with_source_and_confidence() {
    let Some(reference) = reference_rows("op_energy.csv") else {
        return;
    };
    let figures = figures().expect("the figures parse");
    assert_eq!(reference.len(), figures.len());
    for (row, figure) in reference.iter().zip(figures) {
        assert_eq!(row["op"].split('@').next(), Some(figure.op.as_str()));
        assert_eq!(row["energy_source"], figure.energy_source);
        assert_eq!(row["confidence"], figure.confidence);
        let (low, high) = row["energy_pj"].split_once('-').unwrap_or((&row["energy_pj"], &row["energy_pj"]));
        assert_eq!(low.parse(), Ok(figure.energy_low_pj));
        assert_eq!(high.parse(), Ok(figure.energy_high_pj));
        assert_eq!(row["area_um2"].parse().ok(), figure.area_um2);
        assert_eq!(row["leakage_mw"].parse().ok(), figure.leakage_mw);
        assert_eq!(row["node_nm"].parse(), Ok(figure.node_nm));
        assert!(figure.energy_low_pj <= figure.energy_pj && figure.energy_pj <= figure.energy_high_pj);
        assert!(figure.energy_low_pj > 0.0);
    }
    let of = |set: OpSet| figures.iter().filter(move |figure| figure.set == set);
    let rows = [
        (OpSet::Horowitz, "Horowitz (ISSCC 2014), 45 nm and derived nodes", "bare operations"),
        (OpSet::Jouppi, "Jouppi (ISCA 2021), 7 nm", "bare operations, no areas"),
        (OpSet::Aladdin, "Aladdin, 40 nm, by cycle time", "whole functional units"),
    ]
    .map(|(set, name, what)| {
        let confidences: std::collections::BTreeSet<&str> = of(set).map(|figure| figure.confidence.as_str()).collect();
        let confidences = confidences.into_iter().collect::<Vec<_>>().join(", ");
        vec![name.to_owned(), of(set).count().to_string(), what.to_owned(), confidences]
    });
    page::check("arithmetic", &page::table(&["set", "figures", "what they hold", "confidence"], &rows));
}

#[test]
fn each_set_has_its_own_nodes_and_units() {
    for figure in figures().expect("the figures parse") {
        match figure.set {
            OpSet::Horowitz => {
                assert!(figure.cycle_ns.is_none());
                // Other nodes are derived from 45 nm, and say so.
                assert!(figure.node_nm == 45 || figure.confidence == "derived", "{figure:?}");
            }
            OpSet::Jouppi => assert!(figure.node_nm == 7 && figure.area_um2.is_none()),
            OpSet::Aladdin => assert!(figure.node_nm == 40 && figure.cycle_ns.is_some()),
        }
    }
}

#[test]
fn an_int8_mac_sums_its_two_operations() {
    // Horowitz, 45 nm: 0.2 pJ and 282 um2 for the multiplier, 0.1 pJ and 137 um2 for the 32-bit adder.
    let mac = mac(OpSet::Horowitz, "mul_int8", "add_int32", 45, None).expect("a mac");
    assert!((mac.energy_pj() - 0.3).abs() < 1e-12);
    assert_eq!(mac.area_um2(), Some(419.0));
    assert_eq!(mac.leakage_mw(), None);
}

#[test]
fn the_sets_are_never_mixed() {
    // 40 nm is in two sets, which disagree by several times: one derived from bare 45 nm operations, one of whole units.
    let bare = operation(OpSet::Horowitz, "mul_int32", 40, None).expect("a figure");
    let unit = operation(OpSet::Aladdin, "mul_int32", 40, Some(1.0)).expect("a figure");
    assert!(unit.energy_pj > 3.0 * bare.energy_pj);
    assert!(mac(OpSet::Aladdin, "mul_int32", "add_int8", 40, Some(1.0)).is_err());
}

#[test]
fn unknown_operations_and_nodes_name_what_is_known() {
    let message = operation(OpSet::Horowitz, "mul_int9", 45, None).expect_err("no such operation").to_string();
    assert!(message.contains("mul_int8"), "{message}");
    let message = operation(OpSet::Horowitz, "mul_int8", 10, None).expect_err("no such node").to_string();
    assert!(message.contains("known are 45 nm, 40 nm, 28 nm"), "{message}");
    let message = operation(OpSet::Aladdin, "add_int32", 40, None).expect_err("no cycle time").to_string();
    assert!(message.contains("40 nm with a cycle of 0.5 ns"), "{message}");
    assert!("aladin".parse::<OpSet>().is_err());
}
