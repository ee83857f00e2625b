//! `[search]` of a sweep file: how the space is searched.

use super::diagnostic::Collector;
use super::objective::{ObjectiveDecl, read_objectives};
use super::reader::Reader;
use super::scalar::{ScalarDecl, read_scalar};
use super::source::Span;
use super::tree::Table;

/// How the space is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Every point.
    Grid,
    /// A sample without repeats.
    Random,
    /// A Latin hypercube: every axis evenly.
    Lhs,
    /// The Sobol sequence: every axis and many subspaces evenly.
    Sobol,
    /// The evolutionary algorithm NSGA-II.
    Nsga2,
    /// Branch and bound: the exact front without walking the space.
    Exact,
    /// Simulated annealing of one number.
    Anneal,
    /// Particle swarm after one number.
    Pso,
    /// The simplex method of Nelder & Mead after one number.
    NelderMead,
}

impl Strategy {
    /// All strategies and their words.
    pub const NAMES: [(&'static str, Strategy); 9] = [
        ("grid", Strategy::Grid),
        ("random", Strategy::Random),
        ("lhs", Strategy::Lhs),
        ("sobol", Strategy::Sobol),
        ("nsga2", Strategy::Nsga2),
        ("exact", Strategy::Exact),
        ("anneal", Strategy::Anneal),
        ("pso", Strategy::Pso),
        ("nelder-mead", Strategy::NelderMead),
    ];

    /// True if it takes a number of `samples`.
    pub fn is_sample(self) -> bool {
        matches!(self, Self::Random | Self::Lhs | Self::Sobol)
    }

    /// True if earlier results decide which points come next.
    pub fn chooses_as_it_goes(self) -> bool {
        matches!(self, Self::Nsga2 | Self::Exact) || self.is_scalar()
    }

    /// True if it makes one number of all objectives.
    pub fn is_scalar(self) -> bool {
        matches!(self, Self::Anneal | Self::Pso | Self::NelderMead)
    }

    /// True if it has a population.
    pub fn has_population(self) -> bool {
        matches!(self, Self::Nsga2 | Self::Pso)
    }

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, strategy)| *strategy == self).map_or("", |(name, _)| name)
    }
}

/// `[search]`.
#[derive(Debug, Clone)]
pub struct SearchDecl {
    /// The strategy.
    pub strategy: Strategy,
    /// What is made as good as possible.
    pub objectives: Vec<ObjectiveDecl>,
    /// Seed of everything random.
    pub seed: u64,
    /// Points of a random sample.
    pub samples: Option<u64>,
    /// Where the strategy stands.
    pub span: Span,
    /// Members of a generation of NSGA-II, most particles of a swarm.
    pub population: usize,
    /// How a scalarised search makes one number of the objectives.
    pub scalar: ScalarDecl,
    /// How much a search may do.
    pub budget: Budget,
    /// Share of an objective within which points count as equally good; 0 keeps all.
    pub epsilon: f64,
}

impl SearchDecl {
    /// The tolerance of one comparison. A search drops what is within it of a point, and the front what is within it of
    /// another point: together that is at most `epsilon`.
    pub fn tolerance(&self) -> f64 {
        (1.0 + self.epsilon).sqrt() - 1.0
    }
}

/// Members of a generation where the file does not say.
const DEFAULT_POPULATION: u64 = 100;
/// Most members of a generation.
pub const MAX_POPULATION: u64 = 65_536;
/// Most points of a sample.
pub const MAX_SAMPLES: u64 = 100_000_000;

/// How much a search may do; without limits it ends by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Most evaluations.
    pub evaluations: Option<u64>,
    /// Most seconds; gives up that two runs are the same.
    pub seconds: Option<f64>,
}

/// Reads `[search]`; faults go to `diagnostics`.
pub(super) fn read_search(table: &Table, diagnostics: &Collector) -> Option<SearchDecl> {
    let reader = Reader::new(table, "[search]", diagnostics);
    let stated = table.get("strategy").is_some();
    let strategy = reader.choice("strategy", &Strategy::NAMES);
    let samples = reader.whole("samples", 1);
    let seed = reader.whole("seed", 0).unwrap_or(0);
    let epsilon = reader.number("epsilon");
    if let (Some(epsilon), Some(node)) = (epsilon, table.get("epsilon"))
        && !(0.0..1.0).contains(&epsilon)
    {
        reader.error(
            &node.span,
            format!("`epsilon` is {epsilon}, not a share from 0 to below 1"),
            "write `epsilon = 0.01` to merge points within one percent of each other in every objective",
        );
    }
    let population = reader.whole("population", 4);
    if let (Some(members), Some(node)) =
        (population.filter(|members| *members > MAX_POPULATION), table.get("population"))
    {
        reader.error(
            &node.span,
            format!("`population` is {members}, more than {MAX_POPULATION}"),
            "a few hundred members are enough; raise the budget instead",
        );
    }
    let budget = reader.table("budget").map_or_else(Budget::default, |table| read_budget(table, diagnostics));
    let strategy = if stated { strategy } else { Some(Strategy::Grid) };
    if let Some(strategy) = strategy {
        check_search(&reader, table, strategy, samples);
    }
    let objectives = reader.required("objectives").map(|node| read_objectives(node, &reader));
    let scalar = read_scalar(&reader, table, strategy, objectives.as_ref().map_or(0, Vec::len));
    reader.finish();
    let population = usize::try_from(population.unwrap_or(DEFAULT_POPULATION).min(MAX_POPULATION)).ok()?;
    let span = table.get("strategy").map_or(&table.span, |node| &node.span).clone();
    Some(SearchDecl {
        strategy: strategy?,
        span,
        objectives: objectives?,
        seed,
        samples,
        population,
        scalar,
        budget,
        epsilon: epsilon.unwrap_or(0.0),
    })
}

/// Each key belongs to some strategies and is refused by the others.
fn check_search(reader: &Reader<'_>, table: &Table, strategy: Strategy, samples: Option<u64>) {
    let name = strategy.name();
    match (strategy.is_sample(), table.get("samples")) {
        (true, None) => reader.error(
            reader.span(),
            format!("strategy \"{name}\" needs the number of its points"),
            "add `samples = 10000`",
        ),
        (true, Some(node)) if samples.is_some_and(|samples| samples > MAX_SAMPLES) => {
            reader.error(
                &node.span,
                format!("strategy \"{name}\" holds its points in memory and takes at most {MAX_SAMPLES}"),
                "use fewer, or walk all points with strategy = \"grid\"",
            );
        }
        (false, Some(node)) => reader.error(
            &node.span,
            format!("strategy \"{name}\" takes no `samples`"),
            match strategy {
                Strategy::Grid => "remove it, or write strategy = \"random\"",
                _ => "write `budget = { evaluations = 10000 }` to limit it",
            },
        ),
        _ => {}
    }
    if let (false, Some(node)) = (strategy.chooses_as_it_goes(), table.get("budget")) {
        reader.error(
            &node.span,
            format!("strategy \"{name}\" knows its points beforehand and takes no `budget`"),
            "remove it, or choose a search that can stop early, such as strategy = \"exact\"",
        );
    }
    if strategy == Strategy::Nsga2 && table.get("budget").is_none() {
        reader.error(
            reader.span(),
            "strategy \"nsga2\" never ends by itself",
            "add `budget = { evaluations = 10000 }`, or `seconds`",
        );
    }
    if let (false, Some(node)) = (strategy.has_population(), table.get("population")) {
        reader.error(
            &node.span,
            format!("strategy \"{name}\" has no `population`"),
            "remove it, or write strategy = \"nsga2\" or \"pso\"",
        );
    }
}

fn read_budget(table: &Table, diagnostics: &Collector) -> Budget {
    let reader = Reader::new(table, "`budget`", diagnostics);
    let evaluations = reader.whole("evaluations", 0);
    let seconds = reader.number("seconds");
    match table.get("seconds") {
        Some(node) if seconds.is_some_and(|seconds| seconds < 0.0) => {
            reader.error(
                &node.span,
                "`seconds` is negative",
                "write how long the search may take, as 0 or more seconds",
            );
        }
        _ => {}
    }
    if table.get("evaluations").is_none() && table.get("seconds").is_none() {
        reader.error(reader.span(), "`budget` limits nothing", "add `evaluations = 10000`, `seconds = 60`, or both");
    }
    reader.finish();
    Budget { evaluations, seconds }
}
