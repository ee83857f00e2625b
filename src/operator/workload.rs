//! One scene seen by one camera: the names `scene.*`, `tile.*` and `stream.tiles`.

use std::sync::Arc;

use crate::spec::expr::Function;
use crate::spec::pipeline::{BinningKey, StreamDecl};
use crate::spec::program::{BinningTiles, NodeId, Operation, Origin, TileTable};
use crate::spec::scene::{Binning, SceneDecl};
use crate::spec::scope::{Root, Scope, Typed};

/// A scene and a camera, bound to a scope.
pub struct Workload {
    /// `scene` or `scene.camera` where a scene has several.
    pub name: String,
    /// Per-tile measurements; empty if only totals are known.
    pub tiles: Arc<TileTable>,
    /// What streams; `None` for a pipeline of whole-frame operators.
    pub stream: Option<Stream>,
}

/// The stream of tiles.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// Number of tiles.
    pub tiles: NodeId,
    /// Index of the binning in force; `None` if every tile is equal.
    pub binning: Option<NodeId>,
}

impl Stream {
    /// The sum of a per-tile value over the stream.
    pub fn total(&self, scope: &mut Scope<'_>, per_tile: NodeId) -> NodeId {
        if scope.graph.is_tiled(per_tile) {
            scope.graph.push(Operation::SumTiles(per_tile))
        } else {
            scope.graph.binary(Function::Mul, per_tile, self.tiles)
        }
    }
}

/// Defines the names of `scene` and `camera` in `scope`. Faults are reported there; `None` if nothing can be bound.
pub fn bind_workload(
    scope: &mut Scope<'_>,
    scene: &SceneDecl,
    camera: &str,
    stream: Option<&StreamDecl>,
) -> Option<Workload> {
    let name = if scene.cameras().len() > 1 { format!("{}.{camera}", scene.name) } else { scene.name.clone() };
    for (field, value) in &scene.fields {
        let node = scope.graph.constant(*value);
        scope.define(format!("scene.{field}"), Typed::number(node));
    }
    if let (Some(width), Some(height)) = (scope.dotted("scene.width"), scope.dotted("scene.height")) {
        let pixels = scope.graph.binary(Function::Mul, width, height);
        scope.define("scene.pixels", Typed::number(pixels));
    }
    let Some(decl) = stream else { return Some(Workload { name, tiles: Arc::default(), stream: None }) };
    let Some(key) = &decl.binning else {
        let batches = scope.compile_count(&decl.equal_tiles, "the number of batches", 1.0, None)?;
        scope.define("stream.tiles", Typed::number(batches));
        let stream = Stream { tiles: batches, binning: None };
        return Some(Workload { name, tiles: Arc::default(), stream: Some(stream) });
    };
    let binnings: Vec<&Binning> = scene.binnings.iter().filter(|binning| binning.camera == camera).collect();
    let measured = binnings.iter().filter(|binning| binning.tiles.is_some()).count();
    if measured != 0 && measured != binnings.len() {
        scope.error(
            &scene.span,
            format!("scene `{name}` has tiles for some measurements and only totals for others"),
            "put the totals into a scene of their own: results of measured and of equal tiles are not comparable",
        );
        return None;
    }
    let binning = select_binning(scope, &name, &binnings, key, &decl.span)?;
    define_totals(scope, &binnings, binning);
    if measured == 0 {
        let tiles = scope.compile_count(&decl.equal_tiles, "the number of equal tiles", 1.0, None)?;
        define_equal_tiles(scope, &binnings, tiles);
        define_missing(scope, &name, &scene.span);
        scope.define("stream.tiles", Typed::number(tiles));
        let stream = Stream { tiles, binning: None };
        return Some(Workload { name, tiles: Arc::default(), stream: Some(stream) });
    }
    let table = define_measured_tiles(scope, &binnings, binning);
    define_missing(scope, &name, &scene.span);
    let counts: Arc<[f64]> = table.binnings.iter().map(|binning| binning.count as f64).collect();
    let tiles = scope.graph.push(Operation::Lookup(counts, binning));
    scope.define("stream.tiles", Typed::number(tiles));
    Some(Workload { name, tiles: Arc::new(table), stream: Some(Stream { tiles, binning: Some(binning) }) })
}

/// What a scene can measure; a field that one does not measure is known but has no value.
const MEASURED_FIELDS: [&str; 6] = ["binned", "walked", "subtile_visited", "subtile_max", "blended", "visible"];

/// Gives every field that was not measured its name and no value.
fn define_missing(scope: &mut Scope<'_>, name: &str, span: &crate::spec::Span) {
    for prefix in ["scene", "tile"] {
        for field in MEASURED_FIELDS {
            let full = format!("{prefix}.{field}");
            if scope.dotted(&full).is_none() {
                let what = format!("scene `{name}` for `{full}`");
                let outer = scope.graph.set_origin(Some(Arc::new(Origin { span: span.clone(), what: what.into() })));
                let node = scope.graph.push(Operation::Missing);
                scope.graph.set_origin(outer);
                scope.define(full, Typed::number(node));
            }
        }
    }
}

/// The index of the binning that was measured for the point's tile size and overlap test; no value if none was.
fn select_binning(
    scope: &mut Scope<'_>,
    name: &str,
    binnings: &[&Binning],
    key: &BinningKey,
    span: &crate::spec::Span,
) -> Option<NodeId> {
    let tile = scope.compile(&key.tile, "the tile size", &[])?;
    let test = scope.compile_typed(&key.test, "the overlap test", &[])?;
    let Some(words) = test.words else {
        scope.error(
            &key.test.span,
            "the overlap test must be a parameter that takes words",
            "declare it with `choice = [...]`",
        );
        return None;
    };
    let what = format!("scene `{name}`: this tile size and overlap test (measured are {})", measured_list(binnings));
    let outer = scope.graph.set_origin(Some(Arc::new(Origin { span: span.clone(), what: what.as_str().into() })));
    let mut index = scope.graph.push(Operation::Missing);
    for (at, binning) in binnings.iter().enumerate().rev() {
        let Some(word) = words.iter().position(|word| *word == binning.test) else { continue };
        let (size, word) = (scope.graph.constant(binning.tile), scope.graph.constant(word as f64));
        let same_size = scope.graph.binary(Function::Eq, tile, size);
        let same_test = scope.graph.binary(Function::Eq, test.node, word);
        let both = scope.graph.binary(Function::And, same_size, same_test);
        let here = scope.graph.constant(at as f64);
        index = scope.graph.select(both, here, index);
    }
    scope.graph.set_origin(outer);
    scope.roots.push(Root { node: index, span: span.clone(), what: what.into() });
    Some(index)
}

fn measured_list(binnings: &[&Binning]) -> String {
    let mut tests: Vec<(&str, Vec<String>)> = Vec::new();
    for binning in binnings {
        let tile = binning.tile.to_string();
        match tests.iter_mut().find(|(test, _)| *test == binning.test) {
            Some((_, tiles)) => tiles.push(tile),
            None => tests.push((&binning.test, vec![tile])),
        }
    }
    let list: Vec<String> =
        tests.iter().map(|(test, tiles)| format!("test \"{test}\" with tile {}", tiles.join(", "))).collect();
    list.join("; ")
}

/// Names of all totals, in order of first appearance.
fn total_names<'a>(binnings: &[&'a Binning]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in binnings.iter().flat_map(|binning| &binning.totals) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn total_table(binnings: &[&Binning], name: &str) -> Arc<[f64]> {
    binnings
        .iter()
        .map(|binning| binning.totals.iter().find(|(total, _)| total == name).map_or(f64::NAN, |(_, value)| *value))
        .collect()
}

fn define_totals(scope: &mut Scope<'_>, binnings: &[&Binning], binning: NodeId) {
    for name in total_names(binnings) {
        let node = scope.graph.push(Operation::Lookup(total_table(binnings, name), binning));
        scope.define(format!("scene.{name}"), Typed::number(node));
    }
}

fn define_equal_tiles(scope: &mut Scope<'_>, binnings: &[&Binning], tiles: NodeId) {
    for name in total_names(binnings) {
        let Some(total) = scope.dotted(&format!("scene.{name}")) else { continue };
        let average = scope.graph.binary(Function::Div, total, tiles);
        scope.define(format!("tile.{name}"), Typed::number(average));
    }
}

fn define_measured_tiles(scope: &mut Scope<'_>, binnings: &[&Binning], binning: NodeId) -> TileTable {
    let mut names: Vec<&str> = Vec::new();
    for tiles in binnings.iter().filter_map(|binning| binning.tiles.as_ref()) {
        for (name, _) in &tiles.fields {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    for (at, name) in names.iter().enumerate() {
        let node = scope.graph.push(Operation::TileField(at, binning));
        scope.define(format!("tile.{name}"), Typed::number(node));
    }
    let column = |tiles: &crate::spec::scene::TileColumns, name: &str| {
        tiles.fields.iter().find(|(field, _)| field == name).map_or_else(Vec::new, |(_, column)| column.clone())
    };
    let binnings = binnings
        .iter()
        .filter_map(|binning| binning.tiles.as_ref())
        .map(|tiles| BinningTiles {
            count: tiles.index.len(),
            fields: names.iter().map(|name| column(tiles, name)).collect(),
        })
        .collect();
    TileTable { binnings }
}
