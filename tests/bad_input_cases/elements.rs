//! Units with a processing element, and sweeps that time or refine them.

use super::Case;

const RATE: &str = "rate      = { item = \"pixel_gaussian\", per_cycle = 1 }";

/// A sound element with one thing put in its place, where the blender has its rate.
macro_rules! element {
    ($dataflow:literal, $tiles:literal, $rates:literal) => {
        concat!(
            "pe = { rows = 4, cols = 4, dataflow = ",
            $dataflow,
            ", tile_m = 8, ",
            $tiles,
            ", queue_depth = 2, ",
            $rates,
            ", write_bytes_per_cycle = 8, math_elements_per_cycle = 4 }"
        )
    };
    (tiles: $tiles:literal) => {
        element!("\"os\"", $tiles, "read_bytes_per_cycle = 8, command_cycles = 4")
    };
    (rates: $rates:literal) => {
        element!("\"os\"", "tile_k = 8, tile_n = 8", $rates)
    };
    (dataflow: $dataflow:literal) => {
        element!($dataflow, "tile_k = 8, tile_n = 8", "read_bytes_per_cycle = 8, command_cycles = 4")
    };
}

pub const CASES: &[Case] = &[
    (
        "hardware.toml",
        RATE,
        concat!("rate = { item = \"pixel_gaussian\", per_cycle = 1 }\n", element!(tiles: "tile_k = 8, tile_n = 8")),
        &["hardware.toml:29", "`pe` gives the unit's cycles, but so does `rate`", "keep one"],
    ),
    (
        "hardware.toml",
        RATE,
        concat!("cycles = 3\n", element!(tiles: "tile_k = 8, tile_n = 8")),
        &["`pe` gives the unit's cycles, but so does `cycles`", "keep one"],
    ),
    (
        "hardware.toml",
        RATE,
        concat!(
            "array = { rows = 4, cols = 4, dataflow = \"os\", multiply = \"int8\", accumulate = \"int32\", set = \
             \"horowitz\", gives = [\"cycles\"] }\n",
            element!(tiles: "tile_k = 8, tile_n = 8")
        ),
        &["`pe` gives the unit's cycles, but so does \"cycles\" among what the array gives", "keep one"],
    ),
    ("hardware.toml", RATE, element!(tiles: "tile_k = 8"), &["hardware.toml:28", "`pe`", "`tile_n`"]),
    (
        "hardware.toml",
        RATE,
        element!(tiles: "tile_k = 8, tile_n = 8, tile_q = 8"),
        &["`pe` has no key `tile_q`", "did you mean `tile_"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(tiles: "tile_k = 8, tile_n = 0"),
        &["0 is below the least value 1", "tile_n of unit `blender`"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(tiles: "tile_k = 2000000, tile_n = 8"),
        &["2000000 is above the greatest value 1048576", "tile_k of unit `blender`"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(tiles: "tile_k = \"units / 4\", tile_n = 8"),
        &["0.25 is not a whole number in tile_k of unit `blender`", "counts are integers"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(tiles: "tile_k = 8, tile_n = 8, resident = [\"outputs\"]"),
        &["no operand is called \"outputs\"", "did you mean `output`?"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(rates: "read_bytes_per_cycle = 0, command_cycles = 4"),
        &["0 is not above 0 in read_bytes_per_cycle of unit `blender`", "help: "],
    ),
    (
        "hardware.toml",
        RATE,
        element!(rates: "read_bytes_per_cycle = \"1 / (units - 2)\", command_cycles = 4"),
        &["division by zero", "read_bytes_per_cycle of unit `blender`"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(rates: "read_bytes_per_cycle = 8, command_cycles = -1"),
        &["-1 is below the least value 0", "command_cycles of unit `blender`"],
    ),
    (
        "hardware.toml",
        RATE,
        element!(rates: "read_bytes_per_cycle = { value = 8, basis = \"assumed\" }, command_cycles = 4"),
        &["an assumed figure needs a range"],
    ),
    ("hardware.toml", RATE, element!(dataflow: "\"half\""), &["`half` is no dataflow", "write os, ws or is"]),
    (
        "sweep.toml",
        "pipeline = \"pipeline.toml\"",
        "pipeline = \"pipeline.toml\"\npe = \"events\"",
        &["sweep.toml:4:6", "no unit of hardware `hw` has a processing element", "give a unit"],
    ),
    (
        "sweep.toml",
        "pipeline = \"pipeline.toml\"",
        "pipeline = \"pipeline.toml\"\npe = \"event\"",
        &["\"event\"", "sweep.toml:4:6"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[refine]\npe = \"events\"\n[search]",
        &["no unit of hardware `hw` has a processing element"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[refine]\n[search]",
        &["[refine] does not say what is to be refined", "pe = \"events\""],
    ),
    (
        "sweep.toml",
        "[constraints]",
        "[refine]\ntiles = \"measured\"\n[constraints]",
        &["there is nothing to refine", "write `tiles = \"equal\"`"],
    ),
];
