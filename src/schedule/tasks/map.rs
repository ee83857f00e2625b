//! Which unit executes a task, where several can.

use super::graph::{GraphError, Task, TaskGraph};
use super::resources::Resources;

/// For each task the units that can execute it, with its cycles there.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    offsets: Vec<u32>,
    options: Vec<Task>,
}

impl Choices {
    /// One list of options per task, in the order of the tasks.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [Task]>) -> Self {
        let mut choices = Self { offsets: vec![0], options: Vec::new() };
        for list in lists {
            choices.options.extend_from_slice(list);
            choices.offsets.push(choices.options.len() as u32);
        }
        choices
    }

    /// Binds every task to the unit of highest throughput, instances over cycles; of equal ones to the first. A task
    /// without options stays where it is.
    ///
    /// # Errors
    /// Cycles that are no duration; more lists than tasks.
    pub fn bind(&self, graph: &mut TaskGraph, resources: &Resources) -> Result<(), GraphError> {
        for (task, ends) in (0_u32..).zip(self.offsets.windows(2)) {
            let mut best: Option<(Task, f64)> = None;
            for option in &self.options[ends[0] as usize..ends[1] as usize] {
                let instances = resources.instances.get(option.unit as usize).copied().unwrap_or(0);
                let cycles = option.cycles / f64::from(instances);
                if best.is_none_or(|(_, least)| cycles < least) {
                    best = Some((*option, cycles));
                }
            }
            if let Some((option, _)) = best {
                graph.rebind(task, option)?;
            }
        }
        Ok(())
    }
}
