//! From a declared table to rules; every fault is collected with its line.

use toml::Spanned;

use super::declared::{Declared, DeclaredCall, DeclaredEdges, DeclaredKnown, OneOrMore};
use super::{CallTables, Container, EdgeNames, FORMAT, Formula, Known, Network, Pattern, Rule};
use crate::trace::error::Place;
use crate::trace::transform::Pass;

/// Categories of operators.
const CATEGORIES: [&str; 5] = ["sampling", "encoding", "computation", "blending", "optimization"];

/// Checks a table.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn check(declared: Declared, text: &str) -> Result<CallTables, Vec<String>> {
    let mut checker = Checker { text, faults: Vec::new() };
    if declared.format != FORMAT {
        checker.faults.push(format!("format {} is not known; write format = {FORMAT}", declared.format));
    }
    let containers = declared
        .container
        .into_iter()
        .map(|container| Container { functions: patterns(&container.function), chunk: container.chunk });
    let containers = containers.collect();
    let rules = declared.call.into_iter().filter_map(|call| checker.rule(call)).collect();
    let known = declared.known.into_iter().map(|known| checker.known(known)).collect();
    match checker.faults.is_empty() {
        true => Ok(CallTables { containers, rules, known, edges: edges(declared.edges) }),
        false => Err(checker.faults),
    }
}

fn patterns(functions: &OneOrMore) -> Vec<Pattern> {
    functions.0.iter().map(Pattern::new).collect()
}

fn edges(declared: DeclaredEdges) -> EdgeNames {
    let patterns = |names: Vec<String>| names.into_iter().map(Pattern::new).collect();
    EdgeNames {
        call: patterns(declared.call),
        order: patterns(declared.order),
        data: patterns(declared.data),
        stage: patterns(declared.stage),
        gradient: patterns(declared.gradient),
    }
}

struct Checker<'a> {
    text: &'a str,
    faults: Vec<String>,
}

impl Checker<'_> {
    fn fault<T>(&mut self, at: &Spanned<T>, message: impl std::fmt::Display) {
        self.faults.push(format!("{}: {message}", Place::in_text(self.text, at.span().start)));
    }

    fn choice<T: Copy>(&mut self, text: Option<&Spanned<String>>, choices: &[(&str, T)], default: T) -> T {
        let Some(text) = text else { return default };
        if let Some((_, value)) = choices.iter().find(|(name, _)| name == text.get_ref()) {
            return *value;
        }
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        self.fault(text, format!("\"{}\" is none of {}", text.get_ref(), names.join(", ")));
        default
    }

    fn category(&mut self, text: &Spanned<String>) -> String {
        self.choice(Some(text), &CATEGORIES.map(|name| (name, ())), ());
        text.get_ref().clone()
    }

    fn formula(&mut self, text: Option<Spanned<String>>) -> Option<Formula> {
        let text = text?;
        match Formula::parse(text.get_ref()) {
            Ok(formula) => {
                for name in formula.names() {
                    if !is_name(name) {
                        self.fault(&text, format!("`{name}` is no name that a formula can use; {NAMES}"));
                    }
                }
                Some(formula)
            }
            Err(message) => {
                self.fault(&text, message);
                None
            }
        }
    }

    fn rule(&mut self, call: DeclaredCall) -> Option<Rule> {
        let passes = [("forward", Pass::Forward), ("backward", Pass::Backward), ("update", Pass::Update)];
        let pass = self.choice(call.pass.as_ref(), &passes, Pass::Forward);
        let networks = [("mlp", Some(Network::Mlp)), ("linear", Some(Network::Linear))];
        let network = self.choice(call.network.as_ref(), &networks, None);
        let first = self.choice(call.pick.as_ref(), &[("first", true), ("latest", false)], false);
        let nth = self.choice(call.pair.as_ref(), &[("nth", true), ("latest", false)], false);
        let category = self.category(&call.category);
        let macs = self.formula(call.macs);
        let stated = self.formula(call.flops);
        let twice =
            |macs: Formula| Formula::Binary(|left, right| left * right, Box::new(Formula::Number(2.0)), Box::new(macs));
        let flops = stated.or_else(|| macs.clone().map(twice));
        if flops.is_none() && self.faults.is_empty() {
            self.fault(&call.category, format!("`{}` says neither `flops` nor `macs`", call.name));
        }
        if pass == Pass::Backward && call.forward.is_none() {
            self.fault(
                &call.category,
                format!("`{}` is a backward call: say which function is its `forward`", call.name),
            );
        }
        let mut sizes = Vec::new();
        for (name, value) in call.sizes {
            match value.as_str().map(Formula::parse) {
                Some(Ok(formula)) if formula.names().into_iter().all(is_name) => sizes.push((name, formula)),
                Some(Ok(_)) => self
                    .fault(&call.category, format!("size `{name}` of `{}` uses an unknown name; {NAMES}", call.name)),
                Some(Err(message)) => {
                    self.fault(&call.category, format!("size `{name}` of `{}`: {message}", call.name))
                }
                None => self.fault(&call.category, format!("size `{name}` of `{}` is no formula in quotes", call.name)),
            }
        }
        Some(Rule {
            functions: patterns(&call.function),
            name: call.name,
            kind: call.kind,
            pass,
            network,
            forward: call.forward.as_ref().map(patterns).unwrap_or_default(),
            attributes: call.attributes.into_iter().collect(),
            sizes,
            flops: flops?,
            macs,
            weights: self.formula(call.weights),
            reads: self.formula(call.reads),
            writes: self.formula(call.writes),
            fed_by: call.fed_by.iter().map(|text| self.category(text)).collect(),
            needs: call.needs.iter().map(|text| self.category(text)).collect(),
            category,
            first,
            nth,
        })
    }

    fn known(&mut self, known: DeclaredKnown) -> Known {
        for name in known.when.keys().filter(|name| !is_shape(name)) {
            self.faults.push(format!("`{name}` in `when` ({}) is no size; {NAMES}", known.source));
        }
        Known {
            functions: patterns(&known.function),
            when: known.when.into_iter().map(|(name, count)| (name, count as f64)).collect(),
            values: known.values.into_iter().collect(),
            source: known.source,
        }
    }
}

const NAMES: &str = "names are in0.rows, in0.last, in0.size, in.size, the same with out, net.macs, net.weights, net.biases, net.skips, \
                     known.NAME, forward.flops, forward.macs, forward.in0.rows ..., trained.parameters";

fn is_shape(name: &str) -> bool {
    let Some((tensor, field)) = name.split_once('.') else { return false };
    let number = tensor.strip_prefix("in").or_else(|| tensor.strip_prefix("out"));
    match number {
        Some("") => field == "size",
        Some(number) => number.parse::<usize>().is_ok() && ["rows", "last", "size"].contains(&field),
        None => false,
    }
}

fn is_name(name: &str) -> bool {
    match name.split_once('.') {
        Some(("net", field)) => ["macs", "weights", "biases", "skips"].contains(&field),
        Some(("known", _)) => true,
        Some(("forward", "flops" | "macs" | "weights")) => true,
        Some(("forward", rest)) => is_shape(rest),
        Some(("trained", "parameters")) => true,
        _ => is_shape(name),
    }
}
