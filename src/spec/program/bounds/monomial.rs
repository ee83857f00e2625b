//! Sums of monomials: expressions in which common factors have cancelled.

use std::collections::HashMap;
use std::rc::Rc;

use crate::spec::expr::Function;
use crate::spec::program::{Graph, NodeId, Operation};

/// Most terms of a sum that is written out.
const MAX_TERMS: usize = 48;
/// Most different factors of a term.
const MAX_FACTORS: usize = 24;

/// Index of an [`Atom`].
pub(super) type AtomId = u32;

/// What is not taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// A node, checks taken off.
    Node(NodeId),
    /// A sum that stands in a divisor.
    Sum(Vec<Term>),
    /// The sum over the tiles of a product.
    TileSum(Vec<(AtomId, i32)>),
}

/// A positive coefficient times powers of atoms; the coefficient as bits so that terms can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Term {
    coefficient: u64,
    pub factors: Vec<(AtomId, i32)>,
}

impl Term {
    fn new(coefficient: f64, factors: Vec<(AtomId, i32)>) -> Self {
        Self { coefficient: coefficient.to_bits(), factors }
    }

    pub fn coefficient(&self) -> f64 {
        f64::from_bits(self.coefficient)
    }

    fn times(&self, other: &Term, sign: i32) -> Option<Term> {
        let coefficient = match sign {
            1 => self.coefficient() * other.coefficient(),
            _ => self.coefficient() / other.coefficient(),
        };
        let mut factors = self.factors.clone();
        for (atom, power) in &other.factors {
            match factors.iter_mut().find(|(known, _)| known == atom) {
                Some((_, known)) => *known += sign * power,
                None => factors.push((*atom, sign * power)),
            }
        }
        factors.retain(|(_, power)| *power != 0);
        factors.sort_unstable();
        (coefficient.is_normal() && factors.len() <= MAX_FACTORS).then(|| Term::new(coefficient, factors))
    }
}

/// Writes nodes as sums of monomials with positive coefficients.
#[derive(Default)]
pub(super) struct Expander {
    pub atoms: Vec<Atom>,
    ids: HashMap<Atom, AtomId>,
    memo: HashMap<NodeId, Option<Rc<Vec<Term>>>>,
    gains: HashMap<NodeId, bool>,
}

impl Expander {
    /// True if two operands on the way down to the atoms hang on the same axis, so that writing the node out can gain.
    pub fn gains(&mut self, graph: &Graph, id: NodeId) -> bool {
        if let Some(known) = self.gains.get(&id) {
            return *known;
        }
        let result = match &graph.node(id).operation {
            Operation::Apply(Function::Add | Function::Mul | Function::Div, [a, b, _]) => {
                let (a, b) = (*a, *b);
                graph.axes(a) & graph.axes(b) != 0 || self.gains(graph, a) || self.gains(graph, b)
            }
            Operation::CheckWhole(a)
            | Operation::CheckLeast(a, _)
            | Operation::CheckMost(a, _)
            | Operation::SumTiles(a) => {
                let a = *a;
                self.gains(graph, a)
            }
            _ => false,
        };
        self.gains.insert(id, result);
        result
    }

    /// The node as a sum; `None` if it is none with positive coefficients, or a long one.
    pub fn expand(&mut self, graph: &Graph, id: NodeId) -> Option<Rc<Vec<Term>>> {
        if let Some(known) = self.memo.get(&id) {
            return known.clone();
        }
        let result = self.compute(graph, id).map(Rc::new);
        self.memo.insert(id, result.clone());
        result
    }

    fn compute(&mut self, graph: &Graph, id: NodeId) -> Option<Vec<Term>> {
        match &graph.node(id).operation {
            Operation::Constant(value) if *value == 0.0 => Some(Vec::new()),
            Operation::Constant(value) if value.is_normal() && *value > 0.0 => {
                Some(vec![Term::new(*value, Vec::new())])
            }
            Operation::Constant(_) => None,
            // Where a check fails there is no value to bound; where it passes it changes nothing.
            Operation::CheckWhole(a) | Operation::CheckLeast(a, _) | Operation::CheckMost(a, _) => {
                Some(self.expand(graph, *a)?.to_vec())
            }
            Operation::Apply(Function::Add, [a, b, _]) => {
                let (a, b) = (self.expand(graph, *a)?, self.expand(graph, *b)?);
                collect(a.iter().chain(b.iter()).cloned())
            }
            Operation::Apply(Function::Mul, [a, b, _]) => {
                let (a, b) = (self.expand(graph, *a)?, self.expand(graph, *b)?);
                if a.len() * b.len() > MAX_TERMS {
                    return None;
                }
                let mut terms = Vec::with_capacity(a.len() * b.len());
                for left in a.iter() {
                    for right in b.iter() {
                        terms.push(left.times(right, 1)?);
                    }
                }
                collect(terms)
            }
            Operation::Apply(Function::Div, [a, b, _]) => {
                let (a, b) = (self.expand(graph, *a)?, self.expand(graph, *b)?);
                self.divide(&a, &b)
            }
            Operation::SumTiles(a) => {
                let terms = self.expand(graph, *a)?;
                let mut sums = Vec::with_capacity(terms.len());
                for term in terms.iter() {
                    sums.push(self.sum_tiles(graph, term)?);
                }
                collect(sums)
            }
            _ => {
                let atom = self.intern(Atom::Node(id));
                Some(vec![Term::new(1.0, vec![(atom, 1)])])
            }
        }
    }

    fn intern(&mut self, atom: Atom) -> AtomId {
        if let Some(id) = self.ids.get(&atom) {
            return *id;
        }
        let id = self.atoms.len() as AtomId;
        self.atoms.push(atom.clone());
        self.ids.insert(atom, id);
        id
    }

    /// A divisor of several terms becomes its greatest common monomial times a sum, and the sum an atom.
    fn divide(&mut self, a: &[Term], b: &[Term]) -> Option<Vec<Term>> {
        let (divisor, sum) = normal_form(b)?;
        let divisor = match sum {
            None => divisor,
            Some(sum) => {
                // The same sum, up to a monomial, above and below the line cancels as a whole.
                if let Some((numerator, Some(same))) = normal_form(a)
                    && same == sum
                {
                    return Some(vec![numerator.times(&divisor, -1)?]);
                }
                let atom = self.intern(Atom::Sum(sum));
                divisor.times(&Term::new(1.0, vec![(atom, 1)]), 1)?
            }
        };
        let terms: Option<Vec<Term>> = a.iter().map(|term| term.times(&divisor, -1)).collect();
        collect(terms?)
    }

    /// Factors that are the same for every tile leave the sum over the tiles.
    fn sum_tiles(&mut self, graph: &Graph, term: &Term) -> Option<Term> {
        let (tiled, plain): (Vec<_>, Vec<_>) =
            term.factors.iter().copied().partition(|(atom, _)| self.is_tiled(graph, *atom));
        // A column of equal values: their sum is no product of atoms that are known here.
        if tiled.is_empty() {
            return None;
        }
        let atom = self.intern(Atom::TileSum(tiled));
        Term::new(term.coefficient(), plain).times(&Term::new(1.0, vec![(atom, 1)]), 1)
    }

    /// True if the atom is a column.
    pub fn is_tiled(&self, graph: &Graph, atom: AtomId) -> bool {
        match &self.atoms[atom as usize] {
            Atom::Node(id) => graph.is_tiled(*id),
            Atom::Sum(terms) => {
                terms.iter().flat_map(|term| &term.factors).any(|(atom, _)| self.is_tiled(graph, *atom))
            }
            Atom::TileSum(_) => false,
        }
    }
}

/// Adds like terms; `None` if too many are left.
fn collect(terms: impl IntoIterator<Item = Term>) -> Option<Vec<Term>> {
    let mut collected: Vec<Term> = Vec::new();
    for term in terms {
        match collected.iter_mut().find(|known| known.factors == term.factors) {
            Some(known) => *known = Term::new(known.coefficient() + term.coefficient(), term.factors),
            None => collected.push(term),
        }
    }
    collected.sort_unstable_by(|a, b| a.factors.cmp(&b.factors));
    (collected.len() <= MAX_TERMS).then_some(collected)
}

/// The greatest common monomial, and what is left if that is not 1: a sum whose first coefficient is 1.
fn normal_form(terms: &[Term]) -> Option<(Term, Option<Vec<Term>>)> {
    let first = terms.first()?;
    if terms.len() == 1 {
        return Some((first.clone(), None));
    }
    let mut common = first.factors.clone();
    for term in &terms[1..] {
        for (atom, power) in &mut common {
            let here = term.factors.iter().find(|(known, _)| known == atom).map_or(0, |(_, power)| *power);
            *power = if *power > 0 { (*power).min(here.max(0)) } else { (*power).max(here.min(0)) };
        }
    }
    common.retain(|(_, power)| *power != 0);
    let common = Term::new(first.coefficient(), common);
    let rest: Option<Vec<Term>> = terms.iter().map(|term| term.times(&common, -1)).collect();
    Some((common, Some(collect(rest?)?)))
}
