//! A sweep with everything that it names.

use std::path::Path;
use std::sync::Arc;

use super::catalog::{self, Category};
use super::composite;
use super::diagnostic::{Collector, Diagnostic, Diagnostics};
use super::hardware::{self, HardwareDecl};
use super::kind::{self, KindDecl};
use super::optimization;
use super::pipeline::{self, PipelineDecl};
use super::refine::{self, Timing};
use super::scene::{self, SceneDecl};
use super::source::{Origin, Source, Span};
use super::stage;
use super::sweep::{self, SweepDecl, Tiles};
use super::technique::{self, TechniqueDecl};
use super::traced::{self, TraceReader};
use super::workload::{self, Workload};

/// What the command line names instead of parts of a sweep file, or beside them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overrides<'a> {
    /// Hardware, by path or name.
    pub hardware: Option<&'a str>,
    /// File of techniques that are applied beside the sweep's own.
    pub optimization: Option<&'a Path>,
    /// Reads a trace that stands in the place of a pipeline; without it, a sweep of a trace is an error.
    pub traces: Option<TraceReader>,
}

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
    /// The optimization techniques that the sweep applies, in its order.
    pub techniques: Vec<TechniqueDecl>,
    /// Every file that was read, in reading order.
    pub sources: Vec<Arc<Source>>,
}

impl Study {
    /// True if a scene was measured tile by tile and the sweep takes its tiles as equal all the same.
    pub fn sets_tiles_aside(&self, scene: usize) -> bool {
        matches!(self.sweep.tiles, Tiles::Equal) && self.measured.get(scene).is_some_and(SceneDecl::has_tiles)
    }

    /// Loads a sweep by path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(name: &str) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::load_with(name, &Overrides::default())
    }

    /// [`Study::load`] with other things than the sweep's.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load_with(name: &str, overrides: &Overrides<'_>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        Self::from_source_with(&source, overrides)
    }

    /// Loads every sweep of a file by path or name.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load_all(name: &str, overrides: &Overrides<'_>) -> Result<(Vec<Self>, Vec<Diagnostic>), Diagnostics> {
        let source = catalog::find(Category::Sweep, name, None).map_err(|fault| Diagnostics(vec![fault]))?;
        Self::all_from_source(&source, overrides)
    }

    /// Loads a sweep from its text and everything that it names.
    ///
    /// # Errors
    /// Every fault of every file, or if it holds several sweeps.
    pub fn from_source(source: &Arc<Source>) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        Self::from_source_with(source, &Overrides::default())
    }

    /// [`Study::from_source`] with other things than the sweep's.
    ///
    /// # Errors
    /// Every fault of every file, or if it holds several sweeps.
    pub fn from_source_with(
        source: &Arc<Source>,
        overrides: &Overrides<'_>,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let (mut studies, warnings) = Self::all_from_source(source, overrides)?;
        match (studies.pop(), studies.is_empty()) {
            (Some(study), true) => Ok((study, warnings)),
            _ => Err(Diagnostics(vec![
                Diagnostic::placeless(format!("`{}` does not hold exactly one sweep", source.name))
                    .help("load all of them"),
            ])),
        }
    }

    fn all_from_source(
        source: &Arc<Source>,
        overrides: &Overrides<'_>,
    ) -> Result<(Vec<Self>, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        let sweeps = sweep::read(source, &diagnostics).unwrap_or_default();
        let studies: Vec<Option<Self>> =
            sweeps.into_iter().map(|sweep| Self::assemble(source, sweep, None, overrides, &diagnostics)).collect();
        let studies = studies.into_iter().collect::<Option<Vec<Self>>>().filter(|studies| !studies.is_empty());
        diagnostics.finish(studies)
    }

    /// The study in the detail in which the sweep refines its front; `None` if it does not.
    pub fn refined(&self) -> Option<Self> {
        let decl = self.sweep.refine.as_ref()?;
        let mut study = self.clone();
        if decl.tiles.is_some() {
            study.scenes.clone_from(&self.measured);
        }
        if decl.pe.is_some() {
            study.sweep.timing = Timing::Events;
        }
        // Nothing is searched.
        study.sweep.search.strategy = sweep::Strategy::Grid;
        Some(study)
    }

    /// A hardware with every stock operator kind: what a workload is fitted to.
    ///
    /// # Errors
    /// Every fault of the files.
    pub fn hardware_and_kinds(hardware: &str) -> Result<(HardwareDecl, Vec<KindDecl>), Diagnostics> {
        let diagnostics = Collector::default();
        let source = catalog::find(Category::Hardware, hardware, None).map_err(|fault| Diagnostics(vec![fault]))?;
        let decl = hardware::read(&source, &diagnostics);
        let kinds = kind::stock().1.to_vec();
        diagnostics.finish(decl.map(|decl| (decl, kinds))).map(|(found, _)| found)
    }

    /// The study of one workload on one hardware, with the techniques of an optimization file: a space of one point unless
    /// that file has axes. `workload` is called `name` in its faults.
    ///
    /// # Errors
    /// Every fault of the hardware file, of the optimization file and of the workload.
    pub fn of_workload(
        workload: &Workload,
        name: &str,
        hardware: &str,
        optimization: Option<&Path>,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostics> {
        let diagnostics = Collector::default();
        // The workload and the hardware that are given stand in for those that this names.
        let text = "name = \"analysis\"\nhardware = \"given\"\npipeline = \"given.json\"\n\
                    [search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n";
        let source = Source { name: "the analysis".into(), text: text.into(), origin: Origin::CommandLine };
        let source = Arc::new(source);
        let overrides = Overrides { hardware: Some(hardware), optimization, traces: None };
        let sweep = sweep::read(&source, &diagnostics).and_then(|mut sweeps| sweeps.pop());
        let study =
            sweep.and_then(|sweep| Self::assemble(&source, sweep, Some((workload, name)), &overrides, &diagnostics));
        diagnostics.finish(study)
    }

    /// A sweep with all that it names; its pipeline is `given` if there is one.
    fn assemble(
        source: &Arc<Source>,
        mut sweep: SweepDecl,
        given: Option<(&Workload, &str)>,
        overrides: &Overrides<'_>,
        diagnostics: &Collector,
    ) -> Option<Self> {
        let optimization = overrides.optimization.and_then(|path| match catalog::read(path) {
            Ok(source) => Some(source),
            Err(fault) => {
                diagnostics.error(fault);
                None
            }
        });
        if let Some(source) = &optimization {
            sweep.optimization.extend(optimization::read(source, diagnostics), diagnostics);
        }
        sweep.parameters.append(&mut sweep.optimization.parameters);
        super::report_repeated(
            sweep.parameters.iter().map(|parameter| (&parameter.name, &parameter.span)),
            "parameter",
            diagnostics,
        );
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
        let (name, referrer) = match (overrides.hardware, &sweep.hardware) {
            (Some(name), _) => (name, None),
            (None, (name, span)) => (name.as_str(), Some(span)),
        };
        let hardware = find(Category::Hardware, name, referrer).and_then(|source| hardware::read(&source, diagnostics));
        let (name, span) = &sweep.pipeline;
        let is_trace = traced::is_trace(name);
        let written = if is_trace { None } else { find(Category::Pipeline, name, Some(span)) };
        let written = written.and_then(|source| pipeline::read(&source, diagnostics));
        let scenes: Vec<Option<SceneDecl>> = sweep
            .scenes
            .iter()
            .map(|(name, span)| {
                find(Category::Scene, name, Some(span)).and_then(|source| scene::read(&source, diagnostics))
            })
            .collect();
        let mut techniques = Vec::new();
        for chosen in &sweep.optimization.techniques {
            techniques.push(
                find(Category::Technique, &chosen.0, Some(&chosen.1))
                    .and_then(|source| read_technique(&source, chosen, diagnostics)),
            );
        }
        let (libraries, stock) = kind::stock();
        sources.extend(libraries.iter().cloned());
        let mut kinds = stock.to_vec();
        let scenes: Option<Vec<SceneDecl>> = scenes.into_iter().collect();
        let (hardware, mut scenes) = (hardware?, scenes?);
        let mut pipeline = if is_trace {
            let (name, span) = &sweep.pipeline;
            let loaded = match (given, overrides.traces) {
                (Some((workload, _)), _) => Ok(workload.clone()),
                (None, Some(load)) => traced::find(name, span)
                    .and_then(|path| load(&path))
                    .map(|workload| workload::fit(workload, &hardware, &kinds)),
                (None, None) => {
                    Err(Diagnostic::placeless(format!("`{name}` is a trace, and nobody reads traces here"))
                        .help("give `Overrides::traces`, such as `trace::workload::load_default`"))
                }
            };
            let workload = match loaded {
                Ok(workload) => workload,
                Err(fault) => {
                    diagnostics.error(Diagnostic { span: Some(span.clone()), ..fault });
                    return None;
                }
            };
            if given.is_none() {
                for remark in &workload.remarks {
                    diagnostics.warning(
                        Diagnostic::new(span, remark.as_str()).help("docs/traces.md says what a trace leaves open"),
                    );
                }
            }
            if scenes.is_empty() {
                scenes.push(SceneDecl::of_trace(&workload.name, span));
            }
            let (source, pipeline) = traced::check(&workload, given.map_or(name, |(_, name)| name), diagnostics)?;
            sources.push(source);
            pipeline
        } else {
            written?
        };
        let techniques = techniques.into_iter().collect::<Option<Vec<_>>>()?;
        sources.extend(optimization);
        sources.extend(scenes.iter().filter_map(|scene| scene.tiles_source.clone()));
        kinds.extend(pipeline.kinds.iter().cloned());
        super::report_repeated(kinds.iter().map(|kind| (&kind.name, &kind.span)), "operator kind", diagnostics);
        stage::check_stages(&kinds, diagnostics);
        // Stages that are wrong could be without end.
        if diagnostics.error_count() == 0 {
            composite::expand(&mut pipeline, &hardware, &kinds, diagnostics);
        }
        super::report_repeated(
            scenes.iter().zip(&sweep.scenes).map(|(scene, (_, span))| (&scene.name, span)),
            "scene",
            diagnostics,
        );
        let measured = scenes.clone();
        if let Some(decl) = &sweep.refine {
            refine::check_tiles(decl, &measured, diagnostics);
        }
        let refined = sweep.refine.as_ref().and_then(|decl| decl.pe.as_ref());
        refine::check_elements([sweep.timing_span.as_ref(), refined], &hardware, diagnostics);
        let scenes = match sweep.tiles {
            Tiles::Measured => scenes,
            Tiles::Equal => scenes.iter().map(SceneDecl::totals_only).collect(),
        };
        Some(Self { sweep, hardware, pipeline, scenes, measured, kinds, techniques, sources })
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
