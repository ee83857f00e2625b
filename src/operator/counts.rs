//! The counts of each operator of a pipeline.

use super::technique::Savings;
use crate::spec::arguments;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::kind::{CountDecl, KindDecl, Pass};
use crate::spec::pipeline::{EdgeKind, OperatorDecl};
use crate::spec::program::NodeId;
use crate::spec::reader::Quantity;
use crate::spec::scope::{Scope, Typed};
use crate::spec::{Collector, Diagnostics, Study};

/// An operator of the pipeline with its counts.
pub struct Operator {
    /// Its name.
    pub name: String,
    /// The operator that the pipeline file declares: itself, or the composite that it is a stage of.
    pub declared: String,
    /// Its kind.
    pub kind: String,
    /// The family of its kind.
    pub category: String,
    /// Values or gradients.
    pub pass: Pass,
    /// What it counts: per tile if it streams, else per frame.
    pub counts: Counts,
    /// What the declared operator counts, for its traffic; its own counts if it is no stage.
    pub declared_counts: Counts,
    /// Its own counts as its unit sees them: with the bits that low-bit techniques leave.
    pub unit_counts: Counts,
    /// Bits of an element.
    pub element_bits: NodeId,
    /// What techniques leave of its work.
    pub savings: Savings,
    /// True if it works tile by tile.
    pub streamed: bool,
    /// Its matrix products, for systolic arrays.
    pub gemms: Vec<GemmCounts>,
}

/// Equal matrix products `C[m,n] = A[m,k] B[k,n]`, per tile if the operator streams, else per frame.
#[derive(Debug, Clone, Copy)]
pub struct GemmCounts {
    pub m: NodeId,
    pub n: NodeId,
    pub k: NodeId,
    /// How many of them.
    pub times: NodeId,
    /// Element-wise operations on the inputs, `m x k`, before each.
    pub prologue: NodeId,
    /// Element-wise operations on the result, `m x n`, after each.
    pub epilogue: NodeId,
}

/// Named counts.
#[derive(Debug, Clone, Default)]
pub struct Counts(pub Vec<(String, NodeId)>);

impl Counts {
    /// The count of that name.
    pub fn get(&self, name: &str) -> Option<NodeId> {
        self.0.iter().find(|(count, _)| count == name).map(|(_, node)| *node)
    }

    /// The counts as the names `count.*` of an expression.
    pub fn locals(&self) -> Vec<(String, Typed)> {
        self.0.iter().map(|(name, node)| (format!("count.{name}"), Typed::number(*node))).collect()
    }
}

/// Compiles every operator; `None` for the faulty ones, whose faults are reported.
pub fn compile_operators(scope: &mut Scope<'_>, study: &Study) -> Vec<Option<Operator>> {
    study.pipeline.operators.iter().map(|decl| compile_operator(scope, study, decl)).collect()
}

fn compile_operator(scope: &mut Scope<'_>, study: &Study, decl: &OperatorDecl) -> Option<Operator> {
    let (kind_name, kind_span) = &decl.kind;
    let Some(kind) = study.kinds.iter().find(|kind| kind.name == *kind_name) else {
        let help = did_you_mean(kind_name, study.kinds.iter().map(|kind| kind.name.as_str()));
        scope.error(kind_span, format!("there is no operator kind `{kind_name}`"), help);
        return None;
    };
    if kind.counts_of(decl.pass).is_empty() {
        let other = if decl.pass == Pass::Forward { Pass::Backward } else { Pass::Forward };
        scope.error(
            &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
            format!("operator `{}`: kind `{kind_name}` has no {} pass", decl.name, decl.pass.name()),
            format!(
                "write pass = \"{}\" if that is meant, or give the kind {}",
                other.name(),
                if decl.pass == Pass::Backward { "a [kind.backward] table of counts" } else { "`counts`" }
            ),
        );
        return None;
    }
    let locals = arguments::values(scope, &study.kinds, decl, kind, None)?;
    let sixteen = scope.graph.constant(16.0);
    let element_bits = locals.iter().find(|(name, _)| name == "bits").map_or(sixteen, |(_, bits)| bits.node);
    let gemms = compile_gemms(scope, decl, kind, &locals)?;
    let counts = compile_counts(scope, decl, kind, locals)?;
    let declared = decl.declared();
    let declared_counts = match &decl.stage_of {
        Some(_) => {
            let kind = study.kinds.iter().find(|kind| kind.name == declared.kind.0)?;
            let locals = arguments::values(scope, &study.kinds, declared, kind, None)?;
            compile_counts(scope, declared, kind, locals)?
        }
        None => counts.clone(),
    };
    let tiled = counts.0.iter().any(|(_, node)| scope.graph.is_tiled(*node));
    let streams = study
        .pipeline
        .edges
        .iter()
        .any(|edge| edge.kind == EdgeKind::Stream && (edge.from.0 == decl.name || edge.to.0 == decl.name));
    if tiled && !streams {
        scope.error(
            &decl.span.part(0..decl.span.text().find('\n').unwrap_or(0)),
            format!("operator `{}` counts by tile but no stream edge leads to or from it", decl.name),
            "add an [[edge]] with kind = \"stream\"",
        );
        return None;
    }
    Some(Operator {
        name: decl.name.clone(),
        declared: declared.name.clone(),
        kind: kind.name.clone(),
        category: kind.category.clone(),
        pass: decl.pass,
        declared_counts,
        unit_counts: counts.clone(),
        counts,
        element_bits,
        savings: Savings::none(scope),
        streamed: streams,
        gemms,
    })
}

/// The matrix products of the operator's pass. The gradient of `C = A B` is two products, `dA = dC B'` and `dB = A' dC`. The
/// operations around the forward product are undone around the first of them: `dC` is multiplied by the derivative of what
/// followed, `dA` by that of what went before.
fn compile_gemms(
    scope: &mut Scope<'_>,
    decl: &OperatorDecl,
    kind: &KindDecl,
    locals: &[(String, Typed)],
) -> Option<Vec<GemmCounts>> {
    let mut gemms = Vec::new();
    for gemm in &kind.gemms {
        let mut number = |quantity: &Quantity, name: &str| {
            let what = format!("`{name}` of a matrix product of operator `{}`", decl.name);
            let node = scope.compile(quantity, &what, locals)?;
            Some(scope.at_least(node, 0.0, &quantity.span, &what))
        };
        let (m, n, k) = (number(&gemm.m, "m"), number(&gemm.n, "n"), number(&gemm.k, "k"));
        let times = number(&gemm.times, "times")?;
        let (prologue, epilogue) = (number(&gemm.prologue, "prologue")?, number(&gemm.epilogue, "epilogue")?);
        let forward = GemmCounts { m: m?, n: n?, k: k?, times, prologue, epilogue };
        match decl.pass {
            Pass::Forward => gemms.push(forward),
            Pass::Backward => {
                let GemmCounts { m, n, k, times, prologue, epilogue } = forward;
                let none = scope.graph.constant(0.0);
                gemms.push(GemmCounts { m, n: k, k: n, times, prologue: epilogue, epilogue: prologue });
                gemms.push(GemmCounts { m: k, n, k: m, times, prologue: none, epilogue: none });
            }
        }
    }
    Some(gemms)
}

/// Counts that an operator may state although its kind does not count them.
const COMMON: [&str; 5] = ["flops", "macs", "read_bytes", "weight_bytes", "write_bytes"];

/// The counts of an operator whose elements have `bits` bits, whatever it says itself.
pub(super) fn recount(scope: &mut Scope<'_>, study: &Study, decl: &OperatorDecl, bits: NodeId) -> Option<Counts> {
    let kind = study.kinds.iter().find(|kind| kind.name == decl.kind.0)?;
    let locals = arguments::values(scope, &study.kinds, decl, kind, Some(bits))?;
    compile_counts(scope, decl, kind, locals)
}

/// The counts of the operator's pass from the arguments; those of the backward pass may use the forward ones as
/// `forward.*`. What the operator states itself takes the place of what its kind says.
fn compile_counts(
    scope: &mut Scope<'_>,
    decl: &OperatorDecl,
    kind: &KindDecl,
    mut locals: Vec<(String, Typed)>,
) -> Option<Counts> {
    let operator = decl.name.as_str();
    let own = kind.counts_of(decl.pass);
    let known = || own.iter().map(|(name, _, _)| name.as_str()).chain(COMMON);
    for (name, span, _) in &decl.stated {
        if !known().any(|count| count == name) {
            let message = format!("kind `{}` counts no `{name}` in the {} pass", kind.name, decl.pass.name());
            scope.error(span, message, did_you_mean(name, known()));
            return None;
        }
    }
    let stated = |name: &str| decl.stated.iter().find(|(count, _, _)| count == name);
    let replaced = own.iter().map(|count| stated(&count.0).unwrap_or(count));
    let beyond = decl.stated.iter().filter(|(name, _, _)| !own.iter().any(|(count, _, _)| count == name));
    let decls: Vec<CountDecl> = replaced.chain(beyond).cloned().collect();
    let mut compile = |locals: &[(String, Typed)], decls: &[CountDecl]| {
        let mut locals = locals.to_vec();
        let mut counts = Counts::default();
        for (name, span, quantity) in decls {
            let what = format!("count `{name}` of operator `{operator}`");
            let node = scope.compile(quantity, &what, &locals)?;
            let node = scope.at_least(node, 0.0, span, &what);
            locals.push((name.clone(), Typed::number(node)));
            counts.0.push((name.clone(), node));
        }
        Some(counts)
    };
    if decl.pass == Pass::Backward {
        let forward = compile(&locals, &kind.counts)?;
        locals.extend(forward.0.iter().map(|(name, node)| (format!("forward.{name}"), Typed::number(*node))));
    }
    compile(&locals, &decls)
}

/// What a kind counts for arguments that are plain numbers: for looking at a kind without a pipeline.
///
/// # Errors
/// If an argument is missing or unknown, or a count has no value.
pub fn count(kind: &KindDecl, pass: Pass, arguments: &[(&str, f64)]) -> Result<Vec<(String, f64)>, Diagnostics> {
    let diagnostics = Collector::default();
    let mut scope = Scope::new(Vec::new(), &diagnostics);
    let decl = OperatorDecl {
        name: kind.name.clone(),
        span: kind.span.clone(),
        kind: (kind.name.clone(), kind.span.clone()),
        pass,
        arguments: arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), kind.span.clone(), Quantity::constant(*value, &kind.span)))
            .collect(),
        stated: Vec::new(),
        stage_of: None,
    };
    let counts = arguments::values(&mut scope, &[], &decl, kind, None)
        .and_then(|locals| compile_counts(&mut scope, &decl, kind, locals));
    let values = counts.and_then(|counts| {
        let value = |node| scope.graph.constant_value(node).filter(|value: &f64| value.is_finite());
        counts.0.into_iter().map(|(name, node)| Some((name, value(node)?))).collect::<Option<Vec<_>>>()
    });
    if values.is_none() && diagnostics.error_count() == 0 {
        scope.error(&kind.span, format!("a count of kind `{}` has no value", kind.name), "give other arguments");
    }
    diagnostics.finish(values).map(|(values, _)| values)
}
