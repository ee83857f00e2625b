//! How finely a search looks, and `[refine]`: what of its front is evaluated again in more detail.

use super::diagnostic::{Collector, Diagnostic};
use super::hardware::{HardwareDecl, RateDecl};
use super::reader::Reader;
use super::scene::SceneDecl;
use super::source::Span;
use super::sweep::Tiles;
use super::tree::Table;

/// How operators on processing elements are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// The sum of an operator's commands, each alone, by the closed form.
    Closed,
    /// The event simulation of all commands of an operator.
    Events,
}

impl Timing {
    const NAMES: [(&'static str, Timing); 2] = [("closed", Timing::Closed), ("events", Timing::Events)];
}

/// `[refine]`: each with the place that says so.
#[derive(Debug, Clone)]
pub struct RefineDecl {
    /// With the tiles as measured.
    pub tiles: Option<Span>,
    /// With the event simulation of processing elements.
    pub pe: Option<Span>,
}

/// Reads `pe` of a sweep: how it times processing elements, and the place if it says so.
pub(super) fn read_timing(reader: &Reader<'_>) -> (Timing, Option<Span>) {
    let timing = reader.choice("pe", &Timing::NAMES).unwrap_or(Timing::Closed);
    (timing, reader.node("pe").map(|node| node.span.clone()))
}

/// Reads `[refine]` of a sweep that takes these tiles and this timing.
pub(super) fn read_refine(
    outer: &Reader<'_>,
    table: &Table,
    tiles: Tiles,
    timing: Timing,
    diagnostics: &Collector,
) -> Option<RefineDecl> {
    let reader = Reader::new(table, "[refine]", diagnostics);
    reader.choice("tiles", &[("measured", Tiles::Measured)]);
    reader.choice("pe", &[("events", Timing::Events)]);
    let place = |key: &str| reader.node(key).map(|node| node.span.clone());
    let decl = RefineDecl { tiles: place("tiles"), pe: place("pe") };
    if decl.tiles.is_none() && decl.pe.is_none() {
        let help = "write `tiles = \"measured\"`, `pe = \"events\"`, or both";
        reader.error(&table.span, "[refine] does not say what is to be refined", help);
    }
    reader.finish();
    if let (Some(span), Tiles::Measured) = (&decl.tiles, tiles) {
        let help = "write `tiles = \"equal\"` above the first table, or remove it from [refine]";
        outer.error(span, "there is nothing to refine: the search takes the tiles as measured already", help);
    }
    if let (Some(span), Timing::Events) = (&decl.pe, timing) {
        let help = "take `pe = \"events\"` off the sweep's first lines, or remove it from [refine]";
        outer.error(span, "there is nothing to refine: the search simulates processing elements already", help);
    }
    Some(decl)
}

/// Reports scenes without measured tiles to refine with.
pub(super) fn check_tiles(decl: &RefineDecl, scenes: &[SceneDecl], diagnostics: &Collector) {
    let Some(span) = &decl.tiles else { return };
    for scene in scenes.iter().filter(|scene| !scene.has_tiles()) {
        diagnostics.error(
            Diagnostic::new(span, format!("scene `{}` has no measured tiles to refine with", scene.name))
                .help("remove [refine], or take a scene that was measured tile by tile"),
        );
    }
}

/// Reports a word on processing elements where the hardware has none.
pub(super) fn check_elements(places: [Option<&Span>; 2], hardware: &HardwareDecl, diagnostics: &Collector) {
    if hardware.units.iter().any(|unit| matches!(unit.rate, RateDecl::Element(_))) {
        return;
    }
    for span in places.into_iter().flatten() {
        diagnostics.error(
            Diagnostic::new(span, format!("no unit of hardware `{}` has a processing element", hardware.name))
                .help("remove `pe`, or give a unit of the hardware file `pe = { ... }`"),
        );
    }
}
