//! From a study to a [`Plan`](super::Plan): everything that can be known before a point is evaluated.
//!
//! `study` compiles the whole: axes, then each scene and camera, then what the sweep wants of them. `workload` compiles one
//! scene and camera, layer by layer, into one program and one schedule. `suits` refuses a search that cannot work on the axes;
//! `targets` finds the metrics, objectives and
//! constraints by name. Faults go to the collector, so that one run names them all.

mod study;
mod suits;
mod targets;
mod workload;

pub(super) use study::Compiler;
pub(super) use workload::CAPACITY;
