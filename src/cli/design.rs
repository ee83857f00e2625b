//! The one design and workload that a command looks at: of a sweep, or of a pipeline and a hardware without one.

use std::sync::Arc;

use super::study::choose;
use super::{Failure, show_warnings};
use crate::ppa::knobs::give;
use crate::ppa::setting::Setting;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::source::Origin;
use crate::spec::study::Overrides;
use crate::spec::{Source, Study, traced};
use crate::trace::workload;

/// Which design and workload.
#[derive(Debug, clap::Args)]
pub struct DesignArguments {
    /// A sweep, of which the declared design is taken; or --pipeline and --hardware.
    #[arg(required_unless_present = "pipeline", conflicts_with = "pipeline")]
    sweep: Option<String>,
    /// The pipeline: a file, the name of a stock one, or a trace.
    #[arg(long, value_name = "FILE", requires = "hardware")]
    pipeline: Option<String>,
    /// The hardware: a file (TOML, or the field's JSON), or the name of a stock one; instead of the sweep's own.
    #[arg(long, value_name = "FILE")]
    hardware: Option<String>,
    /// The scene; the first of the sweep, or `plant`, if not given.
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
    /// The camera; the first of the scene if not given.
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// Which sweep of a file of several; the first if not given.
    #[arg(long, value_name = "NAME", requires = "sweep")]
    name: Option<String>,
    /// The value of a parameter.
    #[arg(long = "set", value_name = "PARAMETER=VALUE")]
    values: Vec<String>,
}

/// The scene of a pipeline without a sweep: one that is measured for every overlap test.
const DEFAULT_SCENE: &str = "plant";

/// A study with what was set, and the workload in it.
pub struct Design {
    /// The declarations.
    pub study: Study,
    /// Index of the scene in the study.
    pub scene: usize,
    /// The camera.
    pub camera: String,
}

impl DesignArguments {
    /// Loads the study and finds its workload.
    ///
    /// # Errors
    /// Every fault of its files, a parameter, scene or camera that is not there.
    pub fn load(&self) -> Result<Design, Failure> {
        let hardware = self.sweep.as_ref().and(self.hardware.as_deref());
        let overrides = Overrides { hardware, optimization: None, traces: Some(workload::load_default) };
        let (mut study, warnings) = match &self.sweep {
            Some(sweep) => {
                let (studies, warnings) = Study::load_all(sweep, &overrides)?;
                (choose(studies, sweep, self.name.as_deref(), |study| &study.sweep)?, warnings)
            }
            None => Study::from_source_with(&self.own_sweep(), &overrides)?,
        };
        show_warnings(&warnings);
        for value in &self.values {
            let setting = Setting::parse(value, &study)?;
            give(&mut study, &setting.name, &setting.span, setting.value());
        }
        let at = match &self.scene {
            Some(name) => study.scenes.iter().position(|scene| scene.name == *name),
            None => (!study.scenes.is_empty()).then_some(0),
        };
        let Some((at, scene)) = at.and_then(|at| Some((at, study.scenes.get(at)?))) else {
            let known = study.scenes.iter().map(|scene| scene.name.as_str());
            let name = self.scene.as_deref().unwrap_or_default();
            return Err(Failure::input(format!("the sweep has no scene `{name}`"), did_you_mean(name, known)));
        };
        let cameras = scene.cameras();
        let wanted = self.camera.as_ref().or(study.sweep.cameras.first().map(|(name, _)| name));
        let camera = wanted.or(cameras.first()).cloned().unwrap_or_default();
        if !cameras.contains(&camera) {
            let message = format!("scene `{}` has no camera \"{camera}\"", scene.name);
            return Err(Failure::input(message, did_you_mean(&camera, cameras.iter().map(String::as_str))));
        }
        Ok(Design { study, scene: at, camera })
    }

    /// A sweep of one point: the declared design of hardware and pipeline.
    fn own_sweep(&self) -> Arc<Source> {
        let word = |name: &Option<String>, other: &str| {
            let text = name.as_deref().unwrap_or(other);
            // A string of TOML; a control character in a name finds no file in any case.
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "))
        };
        // A trace brings its own sizes.
        let is_traced = self.pipeline.as_deref().is_some_and(traced::is_trace) && self.scene.is_none();
        let scenes = if is_traced { String::new() } else { word(&self.scene, DEFAULT_SCENE) };
        let text = format!(
            "name = \"design\"\nhardware = {}\npipeline = {}\nscenes = [{scenes}]\n[search]\nstrategy = \"grid\"\nobjectives = [\"latency_ms\"]\n",
            word(&self.hardware, ""),
            word(&self.pipeline, ""),
        );
        let name = "command line".to_owned();
        Arc::new(Source { name, text, origin: Origin::CommandLine })
    }
}
