//! Writes the table of docs/tiles.md: what the assumption of average tiles costs on the measured scenes.
//!
//! `cargo run --release --example tile_balance -- ../shared/reference`
//!
//! Tiles of 16 pixels as the reference rasteriser bins them. A tile's work is the Gaussians that it walks until all its
//! pixels are opaque where that was measured, else those that touch it.

use std::path::Path;
use std::process::ExitCode;

use nerarch_dse::report::tiles::{TileLoad, table};

/// Scenes of the reference folder.
const SCENES: [&str; 10] = [
    "plant",
    "plant_pruned",
    "playbot_lod0",
    "playbot_lod1",
    "playbot_lod2",
    "playbot_lod3",
    "playbot_lod4",
    "playbot_lod5",
    "playbot_lod6",
    "garden_init",
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: tile_balance REFERENCE");
        return ExitCode::from(2);
    };
    match loads(&Path::new(&folder).join("scenes")) {
        Ok(loads) => {
            print!("{}", table(&loads, &[64, 128, 256]));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The tiles of every camera of every scene.
pub fn loads(folder: &Path) -> Result<Vec<TileLoad>, String> {
    let mut loads = Vec::new();
    for scene in SCENES {
        let walked = folder.join(format!("{scene}_tile16_walked.csv"));
        let path = if walked.exists() { walked } else { folder.join(format!("{scene}_tile16.csv")) };
        let fault = |error: csv::Error| format!("{}: {error}", path.display());
        let mut reader = csv::Reader::from_path(&path).map_err(fault)?;
        let header = reader.headers().map_err(fault)?.clone();
        let rows: Vec<Vec<u32>> = reader
            .records()
            .map(|row| {
                row.map_err(fault)?
                    .iter()
                    .map(|cell| cell.parse::<u32>())
                    .collect::<Result<_, _>>()
                    .map_err(|error| error.to_string())
            })
            .collect::<Result<_, _>>()?;
        let count =
            |column: usize| rows.iter().filter_map(|row| row.get(column)).max().map_or(0, |last| *last as usize + 1);
        for (column, camera) in header.iter().enumerate().skip(2) {
            let work: Vec<(u32, f64)> = (0..)
                .zip(&rows)
                .filter_map(|(tile, row)| Some((tile, f64::from(*row.get(column)?))))
                .filter(|(_, work)| *work > 0.0)
                .collect();
            loads.push(TileLoad {
                workload: format!("{scene}.{camera}"),
                operator: if path.ends_with(format!("{scene}_tile16.csv")) { "binned" } else { "walked" }.into(),
                grid: (count(1), count(0)),
                index: work.iter().map(|(tile, _)| *tile).collect(),
                cycles: work.iter().map(|(_, work)| *work).collect(),
            });
        }
    }
    Ok(loads)
}
