//! A sweep with everything that it names.

use std::sync::Arc;

use super::catalog::{self, Category};
use super::diagnostic::{Collector, Diagnostic, Diagnostics};
use super::hardware::{self, HardwareDecl};
use super::kind::{self, KindDecl};
use super::pipeline::{self, PipelineDecl};
use super::scene::{self, SceneDecl};
use super::source::Source;
use super::sweep::{self, SweepDecl};

/// A sweep and the hardware, pipeline, scenes and operator kinds that it names.
#[derive(Debug, Clone)]
pub struct Study {
    /// The sweep.
    pub sweep: SweepDecl,
    /// Its hardware.
    pub hardware: HardwareDecl,
    /// Its pipeline.
    pub pipeline: PipelineDecl,
    /// Its scenes.
    pub scenes: Vec<SceneDecl>,
    /// Every operator kind in scope.
    pub kinds: Vec<KindDecl>,
    /// Every file that was read, in reading order.
    pub sources: Vec<Arc<Source>>,
}

impl Study {
    /// Loads a sweep by path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(name: &str) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::load_on(name, None)
    }

    /// [`Study::load`] on another hardware than the sweep's, by its path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load_on(name: &str, hardware: Option<&str>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        Self::from_source_on(&source, hardware)
    }

    /// Loads a sweep from its text and everything that it names.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn from_source(source: &Arc<Source>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::from_source_on(source, None)
    }

    fn from_source_on(source: &Arc<Source>, hardware: Option<&str>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let study = Self::read(source, hardware, &diagnostics);
        diagnostics.finish(study)
    }

    fn read(source: &Arc<Source>, other_hardware: Option<&str>, diagnostics: &Collector) -> Option<Self> {
        let sweep = sweep::read(source, diagnostics)?;
        let mut sources = vec![Arc::clone(source)];
        let mut find = |category, name: &str, referrer| match catalog::find(category, name, referrer) {
            Ok(source) => {
                sources.push(Arc::clone(&source));
                Some(source)
            }
            Err(fault) => {
                diagnostics.error(fault);
                None
            }
        };
        // Another hardware was named on the command line, so that it is looked for from there.
        let (name, referrer) = match (other_hardware, &sweep.hardware) {
            (Some(name), _) => (name, None),
            (None, (name, span)) => (name.as_str(), Some(span)),
        };
        let hardware = find(Category::Hardware, name, referrer).and_then(|source| hardware::read(&source, diagnostics));
        let (name, span) = &sweep.pipeline;
        let pipeline =
            find(Category::Pipeline, name, Some(span)).and_then(|source| pipeline::read(&source, diagnostics));
        let scenes: Vec<Option<SceneDecl>> = sweep
            .scenes
            .iter()
            .map(|(name, span)| {
                find(Category::Scene, name, Some(span)).and_then(|source| scene::read(&source, diagnostics))
            })
            .collect();
        let mut kinds = Vec::new();
        for name in catalog::stock_names(Category::Kinds) {
            if let Some(source) = catalog::stock(Category::Kinds, &name) {
                kinds.extend(kind::read(&source, diagnostics));
                sources.push(source);
            }
        }
        let scenes: Option<Vec<SceneDecl>> = scenes.into_iter().collect();
        let (hardware, pipeline, scenes) = (hardware?, pipeline?, scenes?);
        sources.extend(scenes.iter().filter_map(|scene| scene.tiles_source.clone()));
        kinds.extend(pipeline.kinds.iter().cloned());
        super::report_repeated(kinds.iter().map(|kind| (&kind.name, &kind.span)), "operator kind", diagnostics);
        kind::check_stages(&kinds, diagnostics);
        super::report_repeated(
            scenes.iter().zip(&sweep.scenes).map(|(scene, (_, span))| (&scene.name, span)),
            "scene",
            diagnostics,
        );
        Some(Self { sweep, hardware, pipeline, scenes, kinds, sources })
    }
}
