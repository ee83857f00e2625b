//! How a search got better: the front's hypervolume against the evaluations that it took.

use std::fmt::Write as _;

use super::hypervolume::hypervolume;
use super::pareto::{Archive, FrontPoint};
use crate::spec::sweep::Goal;

/// Largest front whose hypervolume is computed; the cost grows with its square.
const MOST_POINTS: usize = 4000;
/// The reference lies this share of the front's spread beyond its worst values.
const MARGIN: f64 = 0.1;

/// The front after a number of evaluations. Two are equal whatever time they took.
#[derive(Debug, Clone)]
pub struct Step {
    /// Points evaluated.
    pub evaluations: u64,
    /// Points on the front.
    pub front: usize,
    /// Exact hypervolume up to [`History::reference`]; `None` for a front too large to measure.
    pub hypervolume: Option<f64>,
    /// Seconds since the search began.
    pub seconds: f64,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        let what = |step: &Self| (step.evaluations, step.front, step.hypervolume);
        what(self) == what(other)
    }
}

/// The course of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The final front's worst value of each objective, moved out by a tenth of its spread.
    pub reference: Vec<f64>,
    /// After 1, 2, 4, 8 ... evaluations and at the end.
    pub steps: Vec<Step>,
}

/// Points in the order in which they entered the front.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entries {
    points: Vec<(u64, Vec<f64>)>,
    /// Evaluations, and the seconds after which there were as many.
    clock: Vec<(u64, f64)>,
}

impl Entries {
    /// Notes that a point with these objectives entered the front as evaluation number `evaluations`.
    pub fn push(&mut self, evaluations: u64, objectives: &[f64]) {
        self.points.push((evaluations, objectives.to_vec()));
    }

    /// Notes that there are now as many evaluations, that many seconds after the start.
    pub fn note(&mut self, evaluations: u64, seconds: f64) {
        self.clock.push((evaluations, seconds));
    }

    /// When there were as many evaluations.
    fn seconds(&self, evaluations: u64) -> f64 {
        let at = self.clock.partition_point(|(noted, _)| *noted < evaluations);
        self.clock.get(at).or(self.clock.last()).map_or(0.0, |(_, seconds)| *seconds)
    }

    /// The course up to `evaluations`; `front` is the final front.
    pub fn history(&self, goals: &[Goal], front: &[FrontPoint], evaluations: u64) -> History {
        let reference: Vec<f64> = goals.iter().enumerate().map(|(at, goal)| reference(front, at, *goal)).collect();
        let minimised = |values: &[f64]| -> Vec<f64> {
            goals
                .iter()
                .zip(values)
                .map(|(goal, value)| if *goal == Goal::Minimise { *value } else { -value })
                .collect()
        };
        let limit = minimised(&reference);
        let mut archive = Archive::new(goals.to_vec());
        let mut entries = self.points.iter().enumerate().peekable();
        let mut steps = Vec::new();
        let mut at = 1;
        while !self.points.is_empty() {
            at = at.min(evaluations);
            while let Some((number, (_, objectives))) = entries.next_if(|(_, (entered, _))| *entered <= at) {
                archive.insert(number as u64, objectives);
            }
            let hypervolume = (archive.len() <= MOST_POINTS).then(|| {
                let points: Vec<Vec<f64>> = archive.points().map(|point| minimised(&point.objectives)).collect();
                hypervolume(&points, &limit)
            });
            steps.push(Step { evaluations: at, front: archive.len(), hypervolume, seconds: self.seconds(at) });
            if at == evaluations {
                break;
            }
            at = at.saturating_mul(2);
        }
        History { reference, steps }
    }
}

fn reference(front: &[FrontPoint], at: usize, goal: Goal) -> f64 {
    let values = || front.iter().map(|point| point.objectives[at]);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    // A front of one value has no spread: any room does.
    let spread = if high > low { high - low } else { high.abs().max(1.0) };
    if goal == Goal::Minimise { high + MARGIN * spread } else { low - MARGIN * spread }
}

impl History {
    /// `search.csv`: the steps, the reference point in every row so that no row is without it. The last column, `seconds`,
    /// is the only one that differs from run to run.
    pub fn csv(&self, objectives: &[String]) -> String {
        let mut text = String::from("evaluations,front,hypervolume");
        // Writing to a string cannot fail.
        for name in objectives {
            let _ = write!(text, ",reference.{name}");
        }
        text.push_str(",seconds\n");
        for step in &self.steps {
            // Adding 0 turns -0 into 0.
            let volume = step.hypervolume.map_or_else(String::new, |volume| (volume + 0.0).to_string());
            let _ = write!(text, "{},{},{volume}", step.evaluations, step.front);
            for value in &self.reference {
                let _ = write!(text, ",{value}");
            }
            let _ = writeln!(text, ",{}", step.seconds);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_double_and_the_volume_is_measured_from_the_stated_reference() {
        let goals = [Goal::Minimise, Goal::Maximise];
        let mut entries = Entries::default();
        entries.push(1, &[3.0, 1.0]);
        entries.push(3, &[1.0, 1.0]);
        entries.push(5, &[2.0, 3.0]);
        let point = |objectives: [f64; 2]| FrontPoint { index: 0, objectives: objectives.to_vec(), ties: 0 };
        let history = entries.history(&goals, &[point([1.0, 1.0]), point([2.0, 3.0])], 5);
        assert_eq!(history.reference, [2.0 + 0.1, 1.0 - 0.2]);
        let counts: Vec<(u64, usize)> = history.steps.iter().map(|step| (step.evaluations, step.front)).collect();
        assert_eq!(counts, [(1, 1), (2, 1), (4, 1), (5, 2)]);
        let volume = history.steps[3].hypervolume.expect("volume");
        assert!((volume - (1.1 * 0.2 + 0.1 * 2.0)).abs() < 1e-12, "{volume}");
        let csv = history.csv(&["a".into(), "b".into()]);
        assert!(
            csv.starts_with("evaluations,front,hypervolume,reference.a,reference.b,seconds\n1,1,0,2.1,0.8,"),
            "{csv}"
        );
    }
}
