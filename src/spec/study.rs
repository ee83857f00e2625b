//! A sweep with everything that it names.

use std::path::Path;
use std::sync::Arc;

use super::catalog::{self, Category};
use super::diagnostic::{Collector, Diagnostic, Diagnostics};
use super::hardware::{self, HardwareDecl};
use super::kind::{self, KindDecl};
use super::optimization;
use super::pipeline::{self, PipelineDecl};
use super::scene::{self, SceneDecl};
use super::source::{Source, Span};
use super::sweep::{self, SweepDecl};
use super::technique::{self, TechniqueDecl};

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
    /// The optimization techniques that the sweep applies, in its order.
    pub techniques: Vec<TechniqueDecl>,
    /// Every file that was read, in reading order.
    pub sources: Vec<Arc<Source>>,
}

impl Study {
    /// Loads a sweep by path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(name: &str) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::load_with(name, None)
    }

    /// Loads a sweep, and the techniques that the file `optimization` adds to the sweep's own.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load_with(name: &str, optimization: Option<&Path>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        let optimization = optimization.map(catalog::read).transpose().map_err(|fault| Diagnostics(vec![fault]))?;
        Self::from_sources(&source, optimization.as_ref())
    }

    /// Loads a sweep from its text and everything that it names.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn from_source(source: &Arc<Source>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::from_sources(source, None)
    }

    fn from_sources(
        source: &Arc<Source>,
        optimization: Option<&Arc<Source>>,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let study = Self::read(source, optimization, &diagnostics);
        diagnostics.finish(study)
    }

    fn read(source: &Arc<Source>, optimization: Option<&Arc<Source>>, diagnostics: &Collector) -> Option<Self> {
        let mut sweep = sweep::read(source, diagnostics)?;
        if let Some(source) = optimization {
            sweep.optimization.extend(optimization::read(source, diagnostics), diagnostics);
        }
        sweep.parameters.append(&mut sweep.optimization.parameters);
        super::report_repeated(
            sweep.parameters.iter().map(|parameter| (&parameter.name, &parameter.span)),
            "parameter",
            diagnostics,
        );
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
        let mut techniques = Vec::new();
        for chosen in &sweep.optimization.techniques {
            techniques.push(
                find(Category::Technique, chosen).and_then(|source| read_technique(&source, chosen, diagnostics)),
            );
        }
        let mut kinds = Vec::new();
        for name in catalog::stock_names(Category::Kinds) {
            if let Some(source) = catalog::stock(Category::Kinds, &name) {
                kinds.extend(kind::read(&source, diagnostics));
                sources.push(source);
            }
        }
        let scenes: Option<Vec<SceneDecl>> = scenes.into_iter().collect();
        let (hardware, pipeline, scenes) = (hardware?, pipeline?, scenes?);
        let techniques = techniques.into_iter().collect::<Option<Vec<_>>>()?;
        sources.extend(optimization.cloned());
        sources.extend(scenes.iter().filter_map(|scene| scene.tiles_source.clone()));
        kinds.extend(pipeline.kinds.iter().cloned());
        super::report_repeated(kinds.iter().map(|kind| (&kind.name, &kind.span)), "operator kind", diagnostics);
        kind::check_stages(&kinds, diagnostics);
        super::report_repeated(
            scenes.iter().zip(&sweep.scenes).map(|(scene, (_, span))| (&scene.name, span)),
            "scene",
            diagnostics,
        );
        Some(Self { sweep, hardware, pipeline, scenes, kinds, techniques, sources })
    }
}

/// A technique under the name by which it was chosen.
fn read_technique(
    source: &Arc<Source>,
    (name, span): &(String, Span),
    diagnostics: &Collector,
) -> Option<TechniqueDecl> {
    let technique = technique::read(source, diagnostics)?;
    if technique.name != *name {
        diagnostics.error(
            Diagnostic::new(span, format!("the file of technique `{name}` calls it `{}`", technique.name))
                .help("name the technique as its file, without a path: its parameters go by that name"),
        );
        return None;
    }
    Some(technique)
}
