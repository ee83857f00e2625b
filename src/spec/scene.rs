//! `operators/scenes/*.toml`: measured workloads.

use std::sync::Arc;

use super::catalog;
use super::diagnostic::{Collector, Diagnostic};
use super::reader::Reader;
use super::source::{Source, Span};
use super::tree::{self, Table};

/// A measured scene.
#[derive(Debug, Clone)]
pub struct SceneDecl {
    /// Its name.
    pub name: String,
    /// The file.
    pub span: Span,
    /// Who made it and under which licence.
    pub credit: String,
    /// How it was measured.
    pub source: String,
    /// Numbers of the whole scene: `width height gaussians ...`, in the order of the file.
    pub fields: Vec<(String, f64)>,
    /// Its measurements.
    pub binnings: Vec<Binning>,
    /// The file of tiles, if any.
    pub tiles_source: Option<Arc<Source>>,
}

impl SceneDecl {
    /// The scene of a trace, which brings its own sizes; `span` is the place that names the trace.
    pub(super) fn of_trace(name: &str, span: &Span) -> Self {
        Self {
            name: name.to_owned(),
            span: span.clone(),
            credit: String::new(),
            source: "the trace".into(),
            fields: Vec::new(),
            binnings: Vec::new(),
            tiles_source: None,
        }
    }

    /// The cameras, in the order of the file; a scene without measurements by tile has one.
    pub fn cameras(&self) -> Vec<String> {
        if self.binnings.is_empty() {
            return vec!["default".into()];
        }
        let mut cameras: Vec<String> = Vec::new();
        for binning in &self.binnings {
            if !cameras.contains(&binning.camera) {
                cameras.push(binning.camera.clone());
            }
        }
        cameras
    }
}

impl SceneDecl {
    /// True if some of it was measured tile by tile.
    pub fn has_tiles(&self) -> bool {
        self.binnings.iter().any(|binning| binning.tiles.is_some())
    }

    /// The scene as if only totals were known. Totals that the file does not state are the sums over the tiles.
    #[must_use]
    pub fn totals_only(&self) -> Self {
        let mut scene = self.clone();
        for binning in &mut scene.binnings {
            let Some(tiles) = binning.tiles.take() else { continue };
            for (field, values) in tiles.fields {
                if binning.totals.iter().all(|(known, _)| *known != field) {
                    binning.totals.push((field, values.iter().sum()));
                }
            }
        }
        scene
    }
}

/// What was measured for one camera, tile size and overlap test.
#[derive(Debug, Clone)]
pub struct Binning {
    /// Where its table stands.
    pub span: Span,
    /// Camera name.
    pub camera: String,
    /// Overlap test.
    pub test: String,
    /// Tile edge in pixels.
    pub tile: f64,
    /// Totals over all tiles: field name, value.
    pub totals: Vec<(String, f64)>,
    /// Per-tile values; `None`: only totals are known.
    pub tiles: Option<TileColumns>,
}

/// Per-tile measurements of the non-empty tiles, in row-major order.
#[derive(Debug, Clone)]
pub struct TileColumns {
    /// Row-major tile index.
    pub index: Vec<u32>,
    /// Field name and one value per tile.
    pub fields: Vec<(String, Vec<f64>)>,
}

/// Reads a scene file and its tiles; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<SceneDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a scene file", diagnostics);
    let name = reader.required_text("name");
    reader.text("doc");
    let credit = reader.required_text("credit").unwrap_or_default();
    let measured = reader.required_text("source").unwrap_or_default();
    let tiles_source = reader.node("tiles_file").and_then(|node| {
        let file_name = reader.text("tiles_file")?;
        catalog::companion(&file_name, &node.span).map_err(|fault| diagnostics.error(fault)).ok()
    });
    let tables = reader.tables("binning");
    for key in ["width", "height"] {
        reader.required(key);
        reader.whole(key, 1);
    }
    let fields = read_fields(&reader, &root, &["name", "doc", "credit", "source", "tiles_file", "binning"]);
    let rows = tiles_source.as_ref().map(|tiles| read_tiles(tiles, diagnostics));
    let binnings: Vec<Binning> =
        tables.into_iter().filter_map(|table| read_binning(table, rows.as_ref(), diagnostics)).collect();
    for (at, binning) in binnings.iter().enumerate() {
        let same = |other: &Binning| {
            other.camera == binning.camera && other.test == binning.test && other.tile == binning.tile
        };
        if binnings[..at].iter().any(same) {
            reader.error(&binning.span, "this camera, test and tile size were given before", "remove one of the two");
        }
    }
    reader.finish();
    Some(SceneDecl {
        name: name?,
        span: Span::new(source, 0..0),
        credit,
        source: measured,
        fields,
        binnings,
        tiles_source,
    })
}

/// Every remaining key is a measured number that is not negative.
fn read_fields(reader: &Reader<'_>, table: &Table, taken: &[&str]) -> Vec<(String, f64)> {
    reader.rest();
    table
        .entries
        .iter()
        .filter(|(key, _, _)| !taken.contains(&key.as_str()))
        .filter_map(|(key, _, node)| {
            let value = reader.number(key)?;
            if value < 0.0 {
                reader.error(&node.span, format!("`{key}` is negative"), "a measurement is 0 or more");
            }
            Some((key.clone(), value))
        })
        .collect()
}

fn read_binning(table: &Table, rows: Option<&TileRows>, diagnostics: &Collector) -> Option<Binning> {
    let reader = Reader::new(table, "a [[binning]]", diagnostics);
    let camera = reader.text("camera").unwrap_or_else(|| "default".into());
    let test = reader.required_text("test");
    reader.required("tile");
    let tile = reader.whole("tile", 1);
    let id = reader.whole("id", 0);
    let totals = read_fields(&reader, table, &["camera", "test", "tile", "id"]);
    reader.finish();
    let tiles = match (id, rows) {
        (Some(id), Some(rows)) => Some(rows.columns(id, &totals, &table.span, diagnostics)?),
        (Some(_), None) => {
            diagnostics.error(
                Diagnostic::new(
                    &table.span.part(0..table.span.text().find('\n').unwrap_or(0)),
                    "this measurement has an `id` but the scene has no tiles",
                )
                .help("add `tiles_file = \"...csv\"` to the scene, or remove `id` if only totals are known"),
            );
            None
        }
        (None, _) => None,
    };
    Some(Binning { span: table.span.clone(), camera, test: test?, tile: tile? as f64, totals, tiles })
}

/// The rows of a tiles file: `binning,tile,FIELD...`.
struct TileRows {
    source: Arc<Source>,
    fields: Vec<String>,
    /// Binning id, tile index, one value per field (NaN: not measured).
    rows: Vec<(u64, u32, Vec<f64>)>,
}

fn read_tiles(source: &Arc<Source>, diagnostics: &Collector) -> TileRows {
    let mut reader = csv::Reader::from_reader(source.text.as_bytes());
    let header: Vec<String> = reader.headers().map(|row| row.iter().map(str::to_owned).collect()).unwrap_or_default();
    let mut rows = Vec::new();
    let start = Span::new(source, 0..source.text.find('\n').unwrap_or(0));
    if header.len() < 3 || header[0] != "binning" || header[1] != "tile" {
        diagnostics.error(
            Diagnostic::new(&start, "a tiles file starts with the columns `binning,tile` and has at least one more")
                .help("write the header `binning,tile,binned`"),
        );
        return TileRows { source: Arc::clone(source), fields: Vec::new(), rows };
    }
    for record in reader.records() {
        let parsed = record.map_err(|error| (0, error.to_string())).and_then(|record| {
            let at = record.position().map_or(0, |position| position.byte() as usize);
            // With CRLF ends the position is that of the line feed before the row.
            let at = at + usize::from(source.text.as_bytes().get(at) == Some(&b'\n'));
            let id = record[0].parse::<u64>().map_err(|error| (at, format!("`{}`: {error}", &record[0])))?;
            let tile = record[1].parse::<u32>().map_err(|error| (at, format!("`{}`: {error}", &record[1])))?;
            let values: Result<Vec<f64>, _> = record
                .iter()
                .skip(2)
                .map(|cell| match cell.parse::<f64>() {
                    _ if cell.is_empty() => Ok(f64::NAN),
                    Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
                    _ => Err((at, format!("`{cell}` is no measured number"))),
                })
                .collect();
            Ok((id, tile, values?))
        });
        match parsed {
            Ok(row) => rows.push(row),
            Err((at, message)) => {
                diagnostics.error(
                    Diagnostic::new(&Span::new(source, at..at + 1), format!("this row cannot be read: {message}"))
                        .help("a row is two integers and a number of 0 or more, or nothing, for each field"),
                );
                break;
            }
        }
    }
    TileRows { source: Arc::clone(source), fields: header[2..].to_vec(), rows }
}

impl TileRows {
    /// The rows of one binning as columns, checked against the totals of the scene file.
    fn columns(&self, id: u64, totals: &[(String, f64)], span: &Span, diagnostics: &Collector) -> Option<TileColumns> {
        let rows: Vec<_> = self.rows.iter().filter(|(row_id, _, _)| *row_id == id).collect();
        let place = span.part(0..span.text().find('\n').unwrap_or(0));
        if rows.is_empty() {
            diagnostics.error(
                Diagnostic::new(&place, format!("`{}` has no rows of binning {id}", self.source.name))
                    .help("correct `id`, or remove it if only totals are known"),
            );
            return None;
        }
        let index: Vec<u32> = rows.iter().map(|(_, tile, _)| *tile).collect();
        if index.windows(2).any(|pair| pair[0] >= pair[1]) {
            diagnostics.error(
                Diagnostic::new(
                    &place,
                    format!("the tiles of binning {id} in `{}` are not in row-major order", self.source.name),
                )
                .help("sort the rows by tile, each tile once"),
            );
        }
        let mut fields = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            let column: Vec<f64> = rows.iter().map(|(_, _, values)| values[at]).collect();
            let missing = column.iter().filter(|value| value.is_nan()).count();
            if missing > 0 && missing < column.len() {
                diagnostics.error(
                    Diagnostic::new(&place, format!("`{field}` is measured for some tiles of binning {id} only"))
                        .help("measure it for all tiles or for none"),
                );
            }
            if missing == 0 {
                fields.push((field.clone(), column));
            }
        }
        for (name, total) in totals {
            let sum = match fields.iter().find(|(field, _)| field == name) {
                Some((_, column)) => column.iter().sum::<f64>(),
                None if name == "tiles" => rows.len() as f64,
                None => continue,
            };
            if sum != *total {
                diagnostics.error(
                    Diagnostic::new(
                        &place,
                        format!("`{name}` is {total} here, but the tiles of binning {id} add up to {sum}"),
                    )
                    .help("one of the two files is not the measurement that the other belongs to"),
                );
            }
        }
        Some(TileColumns { index, fields })
    }
}
