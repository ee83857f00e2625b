//! A sweep with everything that it names.

use std::sync::Arc;

use super::catalog::{self, Category};
use super::diagnostic::{Collector, Diagnostic, Diagnostics};
use super::hardware::{self, HardwareDecl};
use super::kind::{self, KindDecl};
use super::pipeline::{self, PipelineDecl};
use super::scene::{self, SceneDecl};
use super::source::{Source, Span};
use super::sweep::{self, SweepDecl, Tiles};

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
    /// The same with their tiles as measured, where the sweep takes them as equal.
    measured: Vec<SceneDecl>,
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
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        Self::from_source(&source)
    }

    /// Loads every sweep of a file by path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load_all(name: &str) -> Result<(Vec<Self>, Vec<Diagnostic>), Diagnostics> {
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        Self::all_from_source(&source)
    }

    /// Loads a sweep from its text and everything that it names.
    ///
    /// # Errors
    /// Every fault of every file, or if it holds several sweeps.
    pub fn from_source(source: &Arc<Source>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let (mut studies, warnings) = Self::all_from_source(source)?;
        match (studies.pop(), studies.is_empty()) {
            (Some(study), true) => Ok((study, warnings)),
            _ => Err(Diagnostics(vec![
                Diagnostic::placeless(format!("`{}` does not hold exactly one sweep", source.name))
                    .help("load all of them"),
            ])),
        }
    }

    fn all_from_source(source: &Arc<Source>) -> Result<(Vec<Self>, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let sweeps = sweep::read(source, &diagnostics).unwrap_or_default();
        let studies: Vec<Option<Self>> =
            sweeps.into_iter().map(|sweep| Self::read(source, sweep, &diagnostics)).collect();
        let studies = studies.into_iter().collect::<Option<Vec<Self>>>().filter(|studies| !studies.is_empty());
        diagnostics.finish(studies)
    }

    /// The study with the tiles of its scenes as measured; `None` if the sweep does not refine its front.
    pub fn refined(&self) -> Option<Self> {
        self.sweep.refine.as_ref()?;
        let mut study = self.clone();
        study.scenes.clone_from(&self.measured);
        // Nothing is searched.
        study.sweep.search.strategy = sweep::Strategy::Grid;
        Some(study)
    }

    fn read(source: &Arc<Source>, sweep: SweepDecl, diagnostics: &Collector) -> Option<Self> {
        let mut sources = vec![Arc::clone(source)];
        let mut find = |category, (name, span): &(String, Span)| match catalog::find(category, name, Some(span)) {
            Ok(source) => {
                sources.push(Arc::clone(&source));
                Some(source)
            }
            Err(fault) => {
                diagnostics.error(fault);
                None
            }
        };
        let hardware =
            find(Category::Hardware, &sweep.hardware).and_then(|source| hardware::read(&source, diagnostics));
        let pipeline =
            find(Category::Pipeline, &sweep.pipeline).and_then(|source| pipeline::read(&source, diagnostics));
        let scenes: Vec<Option<SceneDecl>> = sweep
            .scenes
            .iter()
            .map(|scene| find(Category::Scene, scene).and_then(|source| scene::read(&source, diagnostics)))
            .collect();
        let (libraries, stock) = kind::stock();
        sources.extend(libraries.iter().cloned());
        let mut kinds = stock.to_vec();
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
        let measured = scenes.clone();
        if let Some(span) = &sweep.refine {
            for scene in measured.iter().filter(|scene| !scene.has_tiles()) {
                diagnostics.error(
                    Diagnostic::new(span, format!("scene `{}` has no measured tiles to refine with", scene.name))
                        .help("remove [refine], or take a scene that was measured tile by tile"),
                );
            }
        }
        let scenes = match sweep.tiles {
            Tiles::Measured => scenes,
            Tiles::Equal => scenes.iter().map(SceneDecl::totals_only).collect(),
        };
        Some(Self { sweep, hardware, pipeline, scenes, measured, kinds, sources })
    }
}
