use super::*;
use crate::hardware::testing::{page, reference_rows};

#[test]
fn factors_equal_the_reference() {
    let Some(reference) = reference_rows("tech_scaling.csv") else {
        return;
    };
    let mut compared = 0;
    for row in &reference {
        let (transistors, interpolated) = match row["variant"].as_str() {
            "any" | "HP" => (Transistors::HighPerformance, false),
            "LP" => (Transistors::LowPower, false),
            "HP-interp" => (Transistors::HighPerformance, true),
            _ => continue,
        };
        let node = |key: &str| -> u32 { row[key].parse().expect("a node") };
        let ours = scaling(node("from_nm"), node("to_nm"), transistors).expect("a scaling");
        // A pair that the publication has is never taken from the interpolation.
        if ours.interpolated != interpolated {
            assert!(interpolated);
            continue;
        }
        let factor: f64 = row["factor"].parse().expect("a factor");
        let ours = match row["metric"].as_str() {
            "area" => ours.area,
            "delay" => ours.delay,
            "energy" => ours.energy,
            _ => continue,
        };
        assert_eq!(ours, factor, "{row:?}");
        compared += 1;
    }
    println!("technology: {compared} factors equal the reference");
    let line = format!("{compared} factors of area, delay and energy between nodes equal the publication's digits.");
    page::check("technology", &line);
    assert!(compared > 600);
}

#[test]
fn there_and_back_is_one_to_the_digits_published() {
    for (a, b) in [(45, 28), (40, 16), (65, 7), (180, 45)] {
        let there = scaling(a, b, Transistors::HighPerformance).expect("a scaling");
        let back = scaling(b, a, Transistors::HighPerformance).expect("a scaling");
        for product in [there.area * back.area, there.delay * back.delay, there.energy * back.energy] {
            // The publication prints two digits: 0.039 and 25 are 65 to 7 nm and back.
            assert!((product - 1.0).abs() < 0.03, "{a} and {b}: {product}");
        }
        assert!(there.area < 1.0 && there.energy < 1.0);
    }
}

#[test]
fn the_sram_cell_scales_apart_from_logic() {
    // 0.127 um2 at 28 nm and 0.027 um2 at 7 nm: the foundries' cells.
    let factor = sram_cell_scaling(28, 7).expect("cells");
    assert!((factor - 0.027 / 0.127).abs() < 1e-12);
    let logic = scaling(28, 7, Transistors::HighPerformance).expect("a scaling");
    assert!(logic.interpolated && logic.area < factor, "logic shrinks more");
    assert!(sram_cell(28).expect("a cell").source.contains("WikiChip"));
}

#[test]
fn every_cell_of_the_reference_is_known() {
    let Some(reference) = reference_rows("tech_scaling.csv") else {
        return;
    };
    for row in reference.iter().filter(|row| row["metric"] == "sram_hd_bitcell_um2") {
        let cell = sram_cell(row["to_nm"].parse().expect("a node")).expect("a cell");
        assert_eq!(cell.area_um2, row["factor"].parse::<f64>().expect("an area"));
        assert_eq!(cell.source, row["source"]);
    }
}

#[test]
fn unknown_nodes_and_pairs_name_the_nearest() {
    let message = scaling(45, 30, Transistors::HighPerformance).expect_err("no 30 nm").to_string();
    assert!(message.starts_with("no scaling for 30 nm: known, nearest first, are 28, 32, 22"), "{message}");
    let message = scaling(180, 28, Transistors::HighPerformance).expect_err("no such pair").to_string();
    assert!(message.contains("from 180 nm it goes to, nearest first, 32, 20"), "{message}");
    let message = scaling(65, 32, Transistors::LowPower).expect_err("no such pair").to_string();
    assert!(message.contains("no scaling from 65 to 32 nm"), "{message}");
    assert!(sram_cell(180).is_err());
}
