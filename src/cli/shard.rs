//! Which part of a sweep this process evaluates.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::explore::Shard;

/// The part that was asked for; else the one of this task of a Slurm job array; else everything.
///
/// # Errors
/// If Slurm's variables do not number the tasks evenly.
pub fn chosen(stated: Option<Shard>, quiet: bool) -> Result<Shard, Failure> {
    if let Some(shard) = stated {
        return Ok(shard);
    }
    let shard = of_slurm(|name| std::env::var(name).ok())?;
    if !quiet && !shard.is_whole() {
        note!("this is a task of a Slurm job array: evaluating shard {shard} (--shard 1/1 evaluates everything)");
    }
    Ok(shard)
}

fn of_slurm(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, Failure> {
    let Some(task) = variable("SLURM_ARRAY_TASK_ID") else { return Ok(Shard::WHOLE) };
    let number = |text: Option<String>, missing: u64| text.map_or(Some(missing), |text| text.trim().parse().ok());
    let shard = || {
        let (task, count) = (task.trim().parse::<u64>().ok()?, number(variable("SLURM_ARRAY_TASK_COUNT"), 0)?);
        let (least, step) =
            (number(variable("SLURM_ARRAY_TASK_MIN"), 0)?, number(variable("SLURM_ARRAY_TASK_STEP"), 1)?);
        let offset = task.checked_sub(least)?;
        if step == 0 || offset % step != 0 {
            return None;
        }
        Shard::new(offset / step + 1, count)
    };
    shard().ok_or_else(|| {
        Failure::input(
            "this is a task of a Slurm job array, but its variables SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT do not say \
             which part it is",
            "number the tasks evenly (`--array=1-16`), or say which part to evaluate: --shard 3/16",
        )
    })
}

/// Name of a shard's folder: `gscore~3-of-16`. No run can have such a name.
pub fn folder_name(name: &str, shard: Shard) -> String {
    if shard.is_whole() { name.to_owned() } else { format!("{name}~{}-of-{}", shard.number(), shard.of()) }
}

/// The shard folders of a run in `folder`, finished or not, by name; `folder` itself if it is one.
///
/// # Errors
/// If the folder cannot be listed.
pub fn find(folder: &Path, name: &str) -> Result<Vec<(PathBuf, Shard)>, Failure> {
    let fail = |source| Failure::Read { path: folder.to_path_buf(), source };
    if let Some(shard) = shard_of(folder, name) {
        return Ok(vec![(folder.to_path_buf(), shard)]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if let Some(shard) = shard_of(&path, name) {
            found.push((path, shard));
        }
    }
    found.sort_by_key(|(path, shard)| (shard.of(), shard.number(), path.clone()));
    Ok(found)
}

fn shard_of(path: &Path, name: &str) -> Option<Shard> {
    let rest = path.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('~')?;
    let (number, of) = rest.strip_suffix("~unfinished").unwrap_or(rest).split_once("-of-")?;
    Shard::new(number.parse().ok()?, of.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slurm(variables: &[(&str, &str)]) -> Option<Shard> {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        of_slurm(find).ok()
    }

    #[test]
    fn a_task_of_a_job_array_is_a_shard() {
        assert_eq!(slurm(&[]), Some(Shard::WHOLE));
        let array = |id, step| {
            slurm(&[
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", "2"),
                ("SLURM_ARRAY_TASK_STEP", step),
                ("SLURM_ARRAY_TASK_COUNT", "4"),
            ])
        };
        assert_eq!(array("2", "1"), Shard::new(1, 4));
        assert_eq!(array("5", "1"), Shard::new(4, 4));
        assert_eq!(array("8", "2"), Shard::new(4, 4));
        assert_eq!((array("6", "1"), array("1", "1"), array("3", "2"), array("x", "1")), (None, None, None, None));
        assert_eq!(slurm(&[("SLURM_ARRAY_TASK_ID", "3")]), None);
    }

    #[test]
    fn shard_folders_are_found_by_their_names() {
        let is = |path: &str| shard_of(Path::new(path), "a.b");
        assert_eq!(is("x/a.b~3-of-16"), Shard::new(3, 16));
        assert_eq!(is("a.b~3-of-16~unfinished"), Shard::new(3, 16));
        assert_eq!((is("a.b~17-of-16"), is("a.b"), is("a.bc~1-of-2"), is("a.b~unfinished")), (None, None, None, None));
    }
}
